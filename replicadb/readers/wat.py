"""WAT envelopes: the JSON that describes one WARC record, as a capture row if that record is a response.

Format: https://commoncrawl.org/get-started (WAT), written by ia-web-commons. The digest is the payload's, never the
envelope's own.
"""

from __future__ import annotations

import json

ENVELOPE_LIMIT = 64 << 20  # bytes; pages with very many links reach a few MiB


def is_envelope(content_type: bytes) -> bool:
    """Whether a metadata record of this Content-Type can be a WAT envelope."""
    return content_type.split(b";")[0].strip().lower() == b"application/json"


def read_envelope(body: bytes) -> dict[str, str | int | None] | None:
    """The columns of a capture row, without position, from one envelope; None if it describes no capture.

    A body that is no envelope at all gives a row with only a ``problem``.
    """
    try:
        envelope = json.loads(body)["Envelope"]
        payload = _dict(envelope.get("Payload-Metadata"))
        header = _dict(envelope.get("WARC-Header-Metadata"))
        arc = _dict(envelope.get("ARC-Header-Metadata"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {"problem": "metadata record is no WAT envelope"}
    kind = str(header.get("WARC-Type", "response" if arc.get("Target-URI") else "")).lower()
    if kind not in ("response", "resource", "revisit"):
        return None
    http = _dict(payload.get("HTTP-Response-Metadata"))
    message = _dict(http.get("Response-Message"))
    fields = {name.lower(): value for name, value in _dict(http.get("Headers")).items()}
    status = _text(message.get("Status"))
    digest = header.get("WARC-Payload-Digest") or http.get("Entity-Digest")
    mime = fields.get("content-type")
    if kind == "resource":
        digest = digest or header.get("WARC-Block-Digest") or payload.get("Block-Digest")
        mime = header.get("Content-Type")
    length = _text(http.get("Entity-Length"))
    return {
        "url": _text(header.get("WARC-Target-URI") or arc.get("Target-URI")),
        "ip": _text(header.get("WARC-IP-Address") or arc.get("IP-Address")),
        "digest": _text(digest),
        "fetched_at": _text(header.get("WARC-Date") or arc.get("Date")),
        "status": None if kind == "revisit" and status == "304" else status,
        "mime": _text(mime) or ("warc/revisit" if kind == "revisit" else None),
        "length": int(length) if length and length.isdecimal() and kind != "revisit" else None,
        "redirect": _text(fields.get("location")) if status and status[0] == "3" else None,
        "revisit_of": None if digest else _text(header.get("WARC-Refers-To-Target-URI")),
    }


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    if isinstance(value, list):  # a header that came several times
        value = value[0] if value else None
    return str(value).strip("<> ") or None if value is not None else None
