"""What a page says of who runs it: analytics and advertising accounts, e-mail addresses, wallets,
the server's name, what was met of TLS; and its language.

Invariant: the time is linear in the page; a value is plain ASCII of MOST_LENGTH characters at most,
and a page gives MOST_OF_A_KIND of a kind at most, so that hostile pages cost what others do. An
account's number alone is kept, without the property's (UA-12345-1 is UA-12345). Sources: Google's
formats of ids (Analytics, Tag Manager, Ads, AdSense), BIP 173 and 350 (bech32), Base58Check.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping

IDENTIFIER_KINDS = ("analytics", "ads", "mail", "wallet", "server", "tls", "language")
OF_OWNERS = tuple(kind for kind in IDENTIFIER_KINDS if kind != "language")
"""Those that say who runs a site."""
MOST_OF_A_KIND = 20
MOST_LENGTH = 100
MOST_TRIED = 500
"""Texts of a page that look like a wallet or an address and are looked at closer."""
HEAD = 4096
"""Bytes in which a page says its language."""

_GOOGLE: tuple[tuple[str, str, bytes, re.Pattern[bytes]], ...] = (
    ("analytics", "", b"UA-", re.compile(rb"\b(UA-\d{4,10})-\d{1,4}\b")),
    ("analytics", "", b"G-", re.compile(rb"(?<=[\"'=])(G-[A-Z0-9]{8,12})\b")),
    ("analytics", "", b"GTM-", re.compile(rb"(?<=[\"'=])(GTM-[A-Z0-9]{4,9})\b")),
    ("analytics", "", b"AW-", re.compile(rb"(?<=[\"'=])(AW-\d{8,12})\b")),
    ("ads", "", b"pub-", re.compile(rb"\b(pub-\d{16})\b")),
)
_GOOGLE_ACCOUNT = re.compile(r"(UA-\d+|(?:G|GTM|AW)-\w+)(?:-\d+)?\Z", re.I)
_OTHERS: tuple[tuple[str, str, bytes, re.Pattern[bytes]], ...] = (
    (
        "analytics",
        "facebook:",
        b"fbq(",
        re.compile(rb"fbq\(\s{0,5}[\"']init[\"']\s{0,5},\s{0,5}[\"'](\d{10,17})[\"']"),
    ),
    ("analytics", "yandex:", b"ym(", re.compile(rb"\bym\(\s{0,5}(\d{5,10})\s{0,5},")),
    (
        "analytics",
        "yandex:",
        b"mc.yandex.ru/watch/",
        re.compile(rb"mc\.yandex\.ru/watch/(\d{5,10})\b"),
    ),
    ("analytics", "hotjar:", b"hjid", re.compile(rb"\bhjid\s{0,5}[:=]\s{0,5}(\d{4,9})\b")),
    (
        "analytics",
        "baidu:",
        b"hm.baidu.com/hm.js?",
        re.compile(rb"hm\.baidu\.com/hm\.js\?([0-9a-f]{32})\b"),
    ),
    ("ads", "amazon:", b"tag=", re.compile(rb"(?<=[?&;])tag=([a-z0-9][a-z0-9-]{1,40}-2\d)\b")),
)
"""Kind, what is put before the value, the text that it is looked for at, and its form: most pages
have none of the texts, and to look for them costs a fraction of looking for the forms. Those of
_GOOGLE are looked for on pages that name it, as its scripts do.
"""
_MONEY = tuple(b"bitcoin btc wallet crypto ethereum usdt monero xmr litecoin coin donat".split())
"""On pages that speak of them wallets of every form are looked for; on others, which it would slow
to a third, those that begin as nothing else does.
"""
_PLAIN = (
    re.compile(rb"0x[0-9a-fA-F]{40}(?![A-Za-z0-9])"),
    re.compile(rb"bc1[02-9ac-hj-np-z]{38,58}(?![A-Za-z0-9])"),
)
_BEFORE_AT = re.compile(rb"[A-Za-z0-9._%+-]{1,64}\Z")
_AFTER_AT = re.compile(rb"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}\b")
_NO_MAIL = frozenset(b"png jpg jpeg gif webp svg avif ico css js json woff ttf map mp4".split())
"""Ends of file names such as logo@2x.png."""
_SAMPLES = re.compile(rb"@(?:.*\.)?(?:example\.(?:com|org|net)|domain\.com|email\.com|test)\Z")
_WALLETS = re.compile(
    rb"(?<![A-Za-z0-9])(?:0x[0-9a-fA-F]{40}|bc1[02-9ac-hj-np-z]{38,58}"
    rb"|[13][1-9A-HJ-NP-Za-km-z]{25,33}|[48][0-9AB][1-9A-HJ-NP-Za-km-z]{93})(?![A-Za-z0-9])"
)
_BASE58 = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_LANGUAGE = re.compile(
    rb"<html\b[^>]{0,2000}?\s(?:xml:)?lang\s{0,5}=\s{0,5}[\"']?([A-Za-z]{2,3})(?![A-Za-z])", re.I
)
_TAG = re.compile(rb"\s*([A-Za-z]{2,3})(?![A-Za-z])")
_SERVERS = (b"server", b"x-powered-by")
TLS_FIELDS = (b"warc-protocol", b"warc-cipher-suite", b"warc-json-metadata")
"""Fields of an archive's record, never of the page's own header, that tell of TLS."""


def site_identifiers(
    body: bytes, fields: Mapping[bytes, bytes] | None = None
) -> list[tuple[str, str]]:
    """Kind and value of what a page says, each once.

    Args:
        body: the page, decoded from chunks and compression.
        fields: of the HTTP header, by lower-case name; those of TLS are the archive's own.
    """
    fields = fields or {}
    if b"\0" in body[:200]:  # UTF-16 of what is ASCII
        body = body.replace(b"\0", b"")
    found: list[tuple[str, str]] = []
    for kind, prefix, text, pattern in (_GOOGLE if b"google" in body else ()) + _OTHERS:
        found += _first(kind, (prefix + _text(value) for value in _at(text, pattern, body)))
    found += _first("mail", map(_text, _addresses(body)))
    lowered = body.lower()
    speaks = any(word in lowered for word in _MONEY)
    written = _WALLETS.finditer(body) if speaks else _plain_wallets(body)
    found += _first("wallet", map(_text, _wallets(written)))
    found += _first("server", _servers(fields))
    found += _first("tls", _met_by_tls(fields))
    if language := page_language(body, fields.get(b"content-language")):
        found.append(("language", language))
    return list(dict.fromkeys(found))


def normal_identifier(kind: str, value: str) -> str:
    """A value that somebody gives, in the form in which pages' values are kept."""
    value = value.strip()
    if kind == "mail" or (kind == "wallet" and value[:2] in ("0x", "0X")):
        return value.lower()
    if kind == "ads":
        return value.lower().removeprefix("ca-")
    if kind == "analytics" and (google := _GOOGLE_ACCOUNT.match(value)):
        return google[1].upper()
    return value


def page_language(body: bytes, header: bytes | None = None) -> str | None:
    """The language that a page says it is in, as ``de``: its root element's, else the header's."""
    found = _LANGUAGE.search(body[:HEAD]) or (_TAG.match(header) if header else None)
    return found[1].decode().lower() if found else None


def _first(kind: str, values: Iterable[str]) -> list[tuple[str, str]]:
    """The first MOST_OF_A_KIND different ones; what is too long is none."""
    kept: dict[str, None] = {}
    for value in values:
        if len(value) <= MOST_LENGTH:
            kept[value] = None
        if len(kept) >= MOST_OF_A_KIND:
            break
    return [(kind, value) for value in kept]


def _at(text: bytes, pattern: re.Pattern[bytes], body: bytes) -> Iterator[bytes]:
    """What the pattern finds where the text stands, at the first MOST_TRIED places."""
    at = -1
    for _ in range(MOST_TRIED):
        at = body.find(text, at + 1)
        if at < 0:
            return
        found = pattern.match(body, at)
        if found is None:
            continue
        value = found[1]
        if not value.startswith(b"G-") or any(48 <= c <= 57 for c in value):  # no word in capitals
            yield value


def _text(value: bytes) -> str:
    return value.decode("ascii")


def _addresses(body: bytes) -> Iterator[bytes]:
    at = -1
    for _ in range(MOST_TRIED):
        at = body.find(b"@", at + 1)
        if at < 0:
            return
        before = _BEFORE_AT.search(body[max(at - 64, 0) : at])
        after = _AFTER_AT.match(body[at + 1 : at + 200])
        if before and after:
            address = (before[0].lstrip(b".%+-") + b"@" + after[0]).lower()
            ending = address.rpartition(b".")[2]
            if address[0] != 64 and ending not in _NO_MAIL and not _SAMPLES.search(address):
                yield address


def _plain_wallets(body: bytes) -> Iterator[re.Match[bytes]]:
    """What has such a form. A number in hexadecimal has letters of one case; an Ethereum address
    as wallets show it has both, which is its checksum.
    """
    for form in _PLAIN:
        for found in form.finditer(body):
            value, before = found[0][2:], body[max(found.start() - 1, 0) : found.start()]
            if not before.isalnum() and (
                form is _PLAIN[1] or value not in (value.lower(), value.upper())
            ):
                yield found


def _wallets(written: Iterable[re.Match[bytes]]) -> Iterator[bytes]:
    """Those of what is written that have a sound checksum, where their kind has one."""
    for tried, found in enumerate(written):
        if tried >= MOST_TRIED:
            return
        value = found[0]
        if value[:2] == b"0x":
            if value.strip(b"0x"):  # the address of nobody
                yield value.lower()
        elif value[:3] == b"bc1":
            if _is_bech32(value):
                yield value
        elif len(value) == 95 or _is_base58(value):
            yield value


def _is_base58(value: bytes) -> bool:
    """Whether the checksum at its end is right: what only looks like a wallet is none."""
    number = 0
    for c in value:
        number = number * 58 + _BASE58.index(c)
    try:
        data = number.to_bytes(25, "big")
    except OverflowError:
        return False
    return hashlib.sha256(hashlib.sha256(data[:21]).digest()).digest()[:4] == data[21:]


def _is_bech32(value: bytes) -> bool:
    check = 1
    for five in (3, 3, 0, 2, 3, *(_BECH32.index(c) for c in value[3:])):  # 3 3 0 2 3 is bc
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ five
        for i, of in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= of if top >> i & 1 else 0
    return check in (1, 0x2BC830A3)


def _servers(fields: Mapping[bytes, bytes]) -> Iterator[str]:
    for name in _SERVERS:
        if value := fields.get(name):
            said = value.decode("latin-1").strip()
            if said and said.isascii() and said.isprintable():
                yield f"{name.decode()}: {said}"


def _met_by_tls(fields: Mapping[bytes, bytes]) -> Iterator[str]:
    """Version and cipher of the connection, and who issued the certificate: browsertrix and
    ArchiveWeb.page put it into JSON, ``{"cert": {"issuer": "R3"}}``.
    """
    protocols = re.split(rb"[,\s]+", fields.get(b"warc-protocol", b""))
    version = next((one for one in protocols if one.lower().startswith((b"tls/", b"ssl/"))), b"")
    parts = (version.lower(), fields.get(b"warc-cipher-suite", b"").strip())
    if said := b" ".join(filter(None, parts)).decode("latin-1"):
        yield from _printable(f"connection: {said}")
    try:
        metadata = json.loads(fields.get(b"warc-json-metadata") or b"{}")
    except (ValueError, RecursionError):
        return
    certificate = metadata.get("cert") if isinstance(metadata, dict) else None
    issuer = certificate.get("issuer") if isinstance(certificate, dict) else None
    if isinstance(issuer, str) and issuer.strip():
        yield from _printable(f"issuer: {issuer.strip()}")


def _printable(value: str) -> Iterator[str]:
    if value.isascii() and value.isprintable():
        yield value
