"""WAT envelopes: the JSON that describes one WARC record, as a capture row if that record is a
response.

Format: https://commoncrawl.org/get-started (WAT), written by ia-web-commons. The digest is the
payload's, never the envelope's own.
"""

from __future__ import annotations

import html as markup
import json
import re
from typing import Any

from replicadb.web.html_links import link_value_canonical, names_canonical, tidy, title_text
from replicadb.web.page_text import PageContent, assemble

LINK_PATHS = ("A@/href", "AREA@/href")  # of the many kinds of link that a WAT lists
LENGTH_DIGITS = 18  # of a length that a column holds
HALF_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")  # half a pair of surrogates, or one of a pair
ENVELOPE_LIMIT = 64 << 20  # bytes; pages with very many links reach a few MiB


def is_envelope(content_type: bytes) -> bool:
    """Whether a metadata record of this Content-Type can be a WAT envelope."""
    return content_type.split(b";")[0].strip().lower() == b"application/json"


def read_envelope(body: bytes, links: bool = True, content: bool = False) -> dict[str, Any] | None:
    """The columns of a capture row, without position, from one envelope; None if it describes no
    capture.

    ``links`` says whether out-links are wanted; the canonical link and the title are given in any
    case. With ``content`` a page's row has its content, too (a PageContent without text).

    A body that is no envelope at all gives a row with only a ``problem``.
    """
    try:
        recorded = json.loads(body)["Envelope"]
        envelope = _whole(recorded) if HALF_ESCAPE.search(body) else recorded
        if _url(envelope) != _url(recorded):
            return {"url": _url(envelope), "problem": "half a character in its URL"}
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
    url = _url(envelope)
    page = (
        {"content": _content(_dict(http.get("HTML-Metadata")), url, length)}
        if content and http.get("HTML-Metadata")
        else {}
    )
    return page | {
        "url": url,
        "ip": _text(header.get("WARC-IP-Address") or arc.get("IP-Address")),
        "digest": _text(digest),
        "fetched_at": _text(header.get("WARC-Date") or arc.get("Date")),
        "status": None if kind == "revisit" and status == "304" else status,
        "mime": _text(mime) or ("warc/revisit" if kind == "revisit" else None),
        "length": None if kind == "revisit" else _bytes(length),
        "redirect": _text(fields.get("location")) if status and status[0] == "3" else None,
        "revisit_of": _revisit_of(header, url if digest else None) if kind == "revisit" else None,
        **_page_links(_dict(http.get("HTML-Metadata")), fields.get("link"), links),
    }


def _page_links(
    html: dict[str, Any], header: object, wanted: bool
) -> dict[str, str | list[str] | None]:
    """The columns links, canonical, base and title; a canonical link in the page goes before one in
    the HTTP header.
    """
    head = _dict(html.get("Head"))
    canonical = next(
        (
            link["url"]
            for link in _dicts(head.get("Link"))
            if names_canonical(link.get("rel")) and isinstance(link.get("url"), str)
        ),
        None,
    )
    if canonical is None:
        values = header if isinstance(header, list) else [header]
        canonical = next(filter(None, map(link_value_canonical, values)), None)
    found = (
        [
            tidy(link["url"])
            for link in _dicts(html.get("Links"))
            if link.get("path") in LINK_PATHS and isinstance(link.get("url"), str)
        ]
        if wanted
        else []
    )
    base, title = head.get("Base"), head.get("Title")
    return {
        "links": found or None,
        "canonical": tidy(canonical) if canonical else None,
        "base": tidy(base) if isinstance(base, str) and base.strip() else None,
        "title": title_text(markup.unescape(title)) if isinstance(title, str) else None,
    }


def _revisit_of(header: dict[str, Any], itself: str | None) -> str | None:
    """The URL that a revisit names, else its own, where its digest says what it repeats."""
    return _text(header.get("WARC-Refers-To-Target-URI")) or itself


def _content(html: dict[str, Any], url: str | None, length: str | None) -> PageContent:
    """What an envelope says of a page: title, meta tags and links with their texts; the text itself
    it does not carry.
    """
    head = _dict(html.get("Head"))
    metas: dict[str, str] = {}
    for meta in _dicts(head.get("Metas")):
        if isinstance(meta.get("name"), str) and isinstance(meta.get("content"), str):
            metas.setdefault(meta["name"].strip().lower(), _unescaped(meta["content"]))
    links = [
        (
            tidy(link["url"]),
            " ".join(_unescaped(link["text"]).split())
            if isinstance(link.get("text"), str)
            else None,
        )
        for link in _dicts(html.get("Links"))
        if link.get("path") in LINK_PATHS and isinstance(link.get("url"), str)
    ]
    title, base = head.get("Title"), head.get("Base")
    return assemble(
        url,
        title=_unescaped(title) if isinstance(title, str) else None,
        keywords=metas.get("keywords"),
        description=metas.get("description"),
        links=links,
        length=_bytes(length),
        base=tidy(base) if isinstance(base, str) and base.strip() else None,
    )


def _whole(parsed: Any) -> Any:
    """The same JSON with ? for half a surrogate pair, which no text can hold."""
    return json.loads(json.dumps(parsed, ensure_ascii=False).encode("utf-8", "replace"))


def _url(envelope: Any) -> str | None:
    header = _dict(envelope.get("WARC-Header-Metadata"))
    arc = _dict(envelope.get("ARC-Header-Metadata"))
    return _text(header.get("WARC-Target-URI") or arc.get("Target-URI"))


def _bytes(length: str | None) -> int | None:
    """A length as recorded; None for none, and for one beyond any file's."""
    usable = length and length.isdecimal() and len(length) <= LENGTH_DIGITS
    return int(length) if length and usable else None


def _unescaped(text: str) -> str:
    """A text of an envelope: entities are as they stood in the page."""
    return markup.unescape(text)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    if isinstance(value, list):  # a header that came several times
        value = value[0] if value else None
    return str(value).strip("<> ") or None if value is not None else None
