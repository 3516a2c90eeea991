"""What things are compared by: hashes that SQL and Python agree on, in every version of either, and
parts of paths.

Invariant: each function gives what the SQL that is named beside it gives (tested); a hash of
32 bits is never 0, which stands for "unknown".
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

LOW = 0xFFFFFFFF
Hashes = npt.NDArray[np.uint64]
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,19}:.+")
_HEX = re.compile(r"(?:[A-Za-z0-9-]{2,20}:)?[0-9A-Fa-f]+")
_BASE32 = re.compile(r"(?:[A-Za-z0-9-]{2,20}:)?[A-Za-z2-7]{32}")
_MD5 = re.compile(r"(?:[Mm][Dd]5:)?[0-9A-Fa-f]{32}")
_OF_NOTHING = {
    hashlib.new(kind, b"", usedforsecurity=False).hexdigest() for kind in ("md5", "sha1", "sha256")
}
NO_DIGESTS = frozenset(
    ("", "-", "0", "n/a", "na", "nan", "none", "null", "nil", "undefined", "unknown", "false")
)
"""What programs write in lower or upper case where there is no digest."""
_DIGIT, _NUMBER = re.compile(r"[0-9]"), re.compile(r"\b[0-9]+\b", re.ASCII)
_UNKNOWN_TYPES = (
    "",
    "-",
    "unk",
    "unknown",
    "no-type",
    "null",
    "none",
    "unknown/unknown",
    "warc/revisit",
)
_TYPE_WORDS = {
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "text": "text/plain",
    "txt": "text/plain",
    "pdf": "application/pdf",
}
"""What tables say of pages in one word."""


def hash64(text: str) -> int:
    """The lower half of a text's MD5, 64 bits; SQL: ``hash64``. Not for secrets."""
    return int.from_bytes(
        hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()[8:],
        "little",
    )


def lower(text: str) -> str:
    """A text in lower case, letter by letter, as DuckDB's ``lower`` has it."""
    return "".join("i" if letter == "\u0130" else letter.lower() for letter in text)


def hashes(texts: Iterable[str]) -> Hashes:
    """:func:`hash64` of each, (n,) uint64."""
    return np.array([hash64(text) for text in texts], np.uint64)


def low32(hash: Hashes) -> npt.NDArray[np.uint32]:
    """The low 32 bits of hashes, (n,) uint32, 1 in place of 0; SQL: ``low32``."""
    low: npt.NDArray[np.uint32] = np.maximum(hash & np.uint64(LOW), 1).astype(np.uint32)
    return low


def segment_of(path: str) -> str:
    """The last segment of a path with its query; with the slash behind it, where it ends in one.
    SQL: ``segment_of``.
    """
    parts = path.split("/")
    return (parts[-2] if len(parts) > 1 else "") + "/" if path.endswith("/") else parts[-1]


def tail_of(path: str) -> str:
    """The last segment of a path, small numbers as 0. SQL: ``tail_of``."""
    segment = segment_of(path)
    return _NUMBER.sub("0", segment) if len(_DIGIT.findall(segment)) <= 4 else segment


def section_of(path: str) -> str:
    """The first segment of a path that has two or more, else nothing. SQL: ``section_of``."""
    return path.split("/")[1] if "/" in path[1:] else ""


def fingerprint_of(text: str) -> tuple[str, str] | None:
    """The kind and normal form of a digest as a crawl has it; None where there is none, or it is of
    no byte. SQL: ``known_digest``, ``digest_kind``, ``digest_value``,
    ``of_nothing``.
    """
    text = text.strip(" ").removeprefix("urn:").strip(" ")
    if text.lower() in NO_DIGESTS:
        return None
    value = _value(text)
    return None if value in _OF_NOTHING else (_kind(text), value)


def _kind(d: str) -> str:
    if _PREFIX.fullmatch(d):
        kind = d.partition(":")[0].lower()
        return {"sha-1": "sha1", "sha-256": "sha256"}.get(kind, kind)
    if re.fullmatch("[0-9A-Fa-f]{32}", d):
        return "md5"
    if re.fullmatch("[A-Z2-7]{32}|[0-9A-Fa-f]{40}", d):
        return "sha1"
    return "sha256" if re.fullmatch("[0-9A-Fa-f]{64}", d) else "other"


def _value(d: str) -> str:
    if re.fullmatch("[0-9a-f]{32,64}", d):
        return d
    if _BASE32.fullmatch(d) and not _MD5.fullmatch(d) and (":" in d or d == d.upper()):
        return base64.b32decode(d[-32:].upper()).hex()
    if _HEX.fullmatch(d) and (":" in d or len(d) in (32, 40, 64)):
        return d.rpartition(":")[2].lower()
    return d.partition(":")[2] if _PREFIX.fullmatch(d) else d


def content_key(kind: str, value: str) -> str:
    """What a content is hashed by; SQL: ``fingerprint_kind || ':' || fingerprint``."""
    return f"{kind}:{value}"


def media_type(text: str | None) -> str | None:
    """Media type without parameters, lower case; None where it is not known. SQL:
    ``media_type``.
    """
    kind = (text or "").lower().partition(";")[0].strip(" ")
    return None if kind in _UNKNOWN_TYPES else _TYPE_WORDS.get(kind, kind)
