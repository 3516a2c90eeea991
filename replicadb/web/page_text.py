"""One page into what the methods need of it: its title, text, terms by field, links, and digests.

Invariant: pure, and linear in the page; the same bytes give the same content; every string
can be stored (no half of a character, no control character). Main text and visible text by
resiliparse (Bevendorff et al. 2018), tags by lexbor. Fields and their weights: Das, Mathew and
Vijayaraghavan (2012), Table 1; the rest: docs/method.md#pages.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from replicadb.errors import DataError, UsageError
from replicadb.web.charsets import decoded, guessed
from replicadb.web.folded_text import digest, normal_text
from replicadb.web.html_links import (
    HTML_LIMIT,
    HTML_TYPES,
    names_canonical,
    tamed,
    tidy,
    title_text,
)
from replicadb.web.terms import words
from replicadb.web.urls import parse_url

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

TEXT_LIMIT = (
    1 << 16
)  # bytes of a text, and of the headings, that are stored; terms and digests are of all of it
BODY_LIMIT = (
    1 << 14
)  # bytes of the markup that are stored: zlib looks back 32 KB, and a pair is compressed together
BODY_SOURCE = (
    1 << 18
)  # characters of the markup in which they are looked for, scripts and styles left out
_UNSEEN = re.compile(r"<(script|style)(?=[\s>/])", re.IGNORECASE)
_CLOSED = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
META_LIMIT = 4096  # bytes of keywords and of a description that are stored
ANCHOR_LIMIT = 300  # characters of a link's text
FEW_TERMS = 20  # a main text with fewer gives way to all of the visible text
SAMPLE = 1 << 15  # characters by which text is known from something else
MOST_STRANGE = 0.05  # of them may be control characters or undecodable
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL_BYTES = bytes({*range(32), 127} - set(b"\t\n\r"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# in one walk over the tree
_TELLING = (
    "a[href], area[href], link[href], base[href], meta[name], title,"
    f" {', '.join(sorted(_HEADINGS))}"
)
_ABSOLUTE = re.compile(r"\s*(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:[/\\]{2}([^/\\?#]*))?")
_HTML_SIGN = re.compile(
    r"<(?:!doctype\s+html|"
    r"(?:html|head|body|title|meta|div|p|span|a|table|t[rdh]|ul|ol|li|h[1-6]|br|img|font|center|"
    r"b|i|strong|em|pre|frameset|article|section|main|header|nav|script|style)"
    r"(?:\s[^<>]*)?/?>)",
    re.IGNORECASE,
)


class PageContent(NamedTuple):
    """What is kept of one page; None where it says none."""

    title: str | None
    keywords: str | None
    description: str | None
    headings: str | None
    """One a line."""
    text: str | None
    """What a reader sees, blocks as lines."""
    main_text: str | None
    """Of it, what is no boilerplate; all of it where too little is left."""
    body: str | None
    """The beginning of the markup; None for a plain text."""
    length: int | None
    """Bytes of the page, decoded from chunks and compression."""
    raw_digest: str | None
    text_digest: str | None
    normal_digest: str | None
    terms: dict[str, dict[str, int]]
    """Field name (table page_fields) to term to how often it stands there."""
    links: list[tuple[str, str | None]]
    """Targets as written, each with its text."""
    canonical: str | None = None
    base: str | None = None
    """What links are relative to, as written, if not the page's URL."""


STORED = PageContent._fields[: PageContent._fields.index("terms")]
"""The fields that the table page_contents has, too, as columns of its own."""


def need_libraries() -> None:
    """Raises UsageError if what reads pages is not installed."""
    missing = [
        name for name in ("resiliparse", "selectolax") if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise UsageError(
            f"content of pages is read with {' and '.join(missing)}, which is not installed;"
            " install it with: pip install 'replicadb[pages]'"
        )


def extract(
    body: bytes | str, media_type: str | None = None, url: str | None = None
) -> PageContent:
    """The content of one page.

    Args:
        body: the page, decoded from chunks and compression; a string is taken as it is.
        media_type: its Content-Type: HTML, any other text, or None: by its looks.
        url: where it was found; terms in it count, and tell own links from others'.

    Returns:
        See :class:`PageContent`. Terms and digests are of the whole page, strings are cut to what
        is stored.

    Raises:
        DataError: too large, no text at all in it, or the parser gives up. UsageError: a library is
            missing.
    """
    raw = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
    if len(raw) > HTML_LIMIT:
        raise DataError(f"larger than {HTML_LIMIT >> 20} MiB")
    need_libraries()
    page = decoded(raw, media_type, guessed) if isinstance(body, bytes) else raw.decode()
    if raw.startswith(b"%PDF-") or _strange(page[:SAMPLE]) > MOST_STRANGE * min(len(page), SAMPLE):
        raise DataError("binary data, no text")
    kind = media_type.split(";")[0].strip().lower() if media_type else None
    is_html = looks_like_html(page) if kind is None else kind in HTML_TYPES
    raw_digest = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
    if is_html:
        return _html_page(page, url, len(raw), raw_digest)
    text = _lines(page)
    return assemble(url, text=text, main_text=text, length=len(raw), raw_digest=raw_digest)


def _strange(text: str) -> int:
    """How many characters are none of a text: control characters, and what could not be decoded."""
    encoded = text.encode("utf-8", "replace")
    return len(encoded) - len(encoded.translate(None, _CONTROL_BYTES)) + text.count("\ufffd")


def looks_like_html(page: str) -> bool:
    """Whether a text of unknown type begins with markup, or has a common tag early on."""
    return bool(_HTML_SIGN.search(page[:2000]))


def _html_page(page: str, url: str | None, length: int, raw_digest: str) -> PageContent:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree
    from selectolax.lexbor import LexborHTMLParser

    easy = tamed(page)
    try:
        tags = LexborHTMLParser(easy)
        tree = HTMLTree.parse(easy)
        seen = partial(extract_plain_text, list_bullets=False, alt_texts=False)
        text = _lines(seen(tree, preserve_formatting=True))
        main_text = _lines(seen(tree, preserve_formatting=True, main_content=True))
    except (RuntimeError, ValueError, MemoryError) as error:
        raise DataError(f"its HTML cannot be parsed ({type(error).__name__})") from error
    title, canonical, base = None, None, None
    metas: dict[str, str] = {}
    links: list[tuple[str, str | None]] = []
    headings: list[str | None] = []
    for node in tags.css(_TELLING):
        tag = node.tag
        if tag == "a":
            if (href := node.attributes["href"]) is not None:
                links.append((tidy(href), _line(node.text())))
        elif tag == "title":
            title = node.text() if title is None and not _within(node, "svg") else title
        elif tag == "meta":
            attributes = node.attributes
            metas.setdefault(
                (attributes["name"] or "").strip().lower(), attributes.get("content") or ""
            )
        elif tag in _HEADINGS:
            headings.append(_line(node.text()))
        elif (href := (attributes := node.attributes)["href"]) is None:
            continue
        elif tag == "area":
            links.append((tidy(href), _line(attributes.get("alt") or "")))
        elif tag == "base":
            base = base if base is not None else tidy(href)
        elif canonical is None and names_canonical(attributes.get("rel")):
            canonical = tidy(href)
    return assemble(
        url,
        title=title,
        keywords=metas.get("keywords"),
        description=metas.get("description"),
        headings="\n".join(filter(None, headings)),
        text=text,
        main_text=main_text,
        body=page,
        length=length,
        raw_digest=raw_digest,
        links=links,
        canonical=canonical,
        base=base,
    )


def _within(node: LexborNode, tag: str) -> bool:
    """Whether a node stands in an element of that name."""
    above = node.parent
    while above is not None and above.tag != tag:
        above = above.parent
    return above is not None


def assemble(
    url: str | None,
    *,
    title: str | None = None,
    keywords: str | None = None,
    description: str | None = None,
    headings: str | None = None,
    text: str | None = None,
    main_text: str | None = None,
    body: str | None = None,
    length: int | None = None,
    raw_digest: str | None = None,
    links: list[tuple[str, str | None]] | None = None,
    canonical: str | None = None,
    base: str | None = None,
) -> PageContent:
    """What a page consists of, as :class:`PageContent`: terms counted, digests taken, then strings
    cut.
    """
    links, url = links or [], url and _normal(url)
    own, other = _anchor_texts(links, base, url)
    counted = Counter(words(main_text or ""))
    if text and main_text != text and counted.total() < FEW_TERMS:
        main_text, counted = text, Counter(words(text))
    fields = {
        "url": _url_words(url),
        "title": title,
        "heading": headings,
        "keywords": keywords,
        "description": description,
        "anchor_own": own,
        "anchor_other": other,
    }
    terms: dict[str, dict[str, int]] = {
        name: Counter(words(said)) for name, said in fields.items() if said
    }
    terms["text"] = counted
    return PageContent(
        title_text(_plain(title)) if title else None,
        _cut(_line(keywords or "", None), META_LIMIT),
        _cut(_line(description or "", None), META_LIMIT),
        _cut(headings, TEXT_LIMIT),
        _cut(text, TEXT_LIMIT),
        _cut(main_text, TEXT_LIMIT),
        _cut(body and _plain(bare_markup(body)), BODY_LIMIT),
        length,
        raw_digest,
        digest(text),
        digest(normal_text(text)) if text else None,
        {name: counts for name, counts in terms.items() if counts},
        [link for link in links if link[0]],
        canonical,
        base,
    )


def bare_markup(page: str) -> str:
    """The beginning of the markup without what stands in scripts and styles, so that the little
    that is kept is of the page; linear.
    """
    page, kept, size, at = page[:BODY_SOURCE], [], 0, 0
    while size < BODY_LIMIT and at < len(page):
        opened = _UNSEEN.search(page, at)
        inside = page.find(">", opened.end()) + 1 if opened else 0
        stop = inside or len(page)
        kept.append(page[at:stop])
        size += stop - at
        closed = _CLOSED[opened[1].lower()].search(page, inside) if opened and inside else None
        at = closed.start() if closed else len(page)
    return "".join(kept)[:BODY_LIMIT]


def _anchor_texts(
    links: list[tuple[str, str | None]], base: str | None, url: str | None
) -> tuple[str, str]:
    """The texts of links to the page's own host, and of those to other hosts, a line each; of mail
    addresses and scripts: none.
    """
    here = _host(url)
    relative = _host(base) or here
    own: list[str] = []
    other: list[str] = []
    for href, text in links:
        if not text:
            continue
        if href.startswith(("http://", "https://")):
            authority = href.split("/", 3)[2]
            there = (
                authority.lower()
                if authority.isascii() and authority.replace(".", "").replace("-", "").isalnum()
                else _host(href)
            )
        elif (href[:1].isalnum() and ":" not in href) or href[:1] == "/" != href[1:2]:
            there = relative
        else:
            scheme, named = _absolute(href)
            if scheme and scheme.lower() not in ("http", "https"):
                continue
            there = relative if named is None else _bare_host(named)
        (own if there == here else other).append(text)
    return "\n".join(own), "\n".join(other)


def _absolute(url: str) -> tuple[str | None, str | None]:
    """Scheme and authority as written, None where it has none."""
    found = _ABSOLUTE.match(url)
    return (found[1], found[2]) if found else (None, None)


def _host(url: str | None) -> str | None:
    authority = _absolute(url)[1] if url else None
    return _bare_host(authority) if authority is not None else None


def _bare_host(authority: str) -> str:
    """Host of an authority, without user and port; other scripts as in the database (xn--)."""
    host = authority.rpartition("@")[2].partition(":")[0].lower()
    return host if host.isascii() else parse_url(f"http://{host}/")[1] or host


def _normal(url: str) -> str:
    """A URL as the database has it, so that the same page has the same terms however its URL was
    written; as it stands, if it is none.
    """
    origin, _, path, _ = parse_url(url)
    return url if origin is None else f"{origin}{path}"


def _url_words(url: str | None) -> str | None:
    return unquote(url.partition("://")[2] or url, errors="replace") if url else None


def _lines(text: str) -> str | None:
    """A text without control characters, blank lines and blanks at the ends of lines."""
    return "\n".join(filter(None, map(str.strip, _plain(text).split("\n")))) or None


def _line(text: str, limit: int | None = ANCHOR_LIMIT) -> str | None:
    """A text in one line, without control characters."""
    text = " ".join(text.split())
    return (text if text.isprintable() else _CONTROL.sub(" ", text))[:limit] or None


def _plain(text: str) -> str:
    """A text with blanks for its control characters, if it has any."""
    encoded = text.encode("utf-8", "replace")
    return (
        text
        if len(encoded.translate(None, _CONTROL_BYTES)) == len(encoded)
        else _CONTROL.sub(" ", text)
    )


def _cut(text: str | None, limit: int) -> str | None:
    """A text of at most so many bytes of UTF-8, characters whole."""
    if not text:
        return None
    if len(text) * 4 <= limit:
        return text
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore") or None
