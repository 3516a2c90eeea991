"""Links and titles in the HTML of archived pages, and canonical links in HTTP headers.

Invariant: nothing raises on bad markup, and the time is linear in the page. Links are as
written, relative ones too; what they lead to is settled later, for all formats alike
(sql/load/50_links). Source: HTML Living Standard, sections 4.6.1 (a and area), 4.2.2 (title),
4.2.3 (base) and 4.6.6 (rel=canonical: RFC 6596); HTTP header Link: RFC 8288.
"""

from __future__ import annotations

import importlib.util
import re
from typing import NamedTuple

from replicadb.errors import UsageError
from replicadb.web.charsets import decoded

HTML_TYPES = ("text/html", "application/xhtml+xml")
HTML_LIMIT = 16 << 20  # bytes of a page that are searched for links
# the parser needs time by the square of nested blocks: pages with more tags lose those that are no
# links
MANY_TAGS = 10_000
MOST_ATTRIBUTES = 1_000  # of a tag: the parser compares each with all before it
LONG_PAGE = (
    1 << 16
)  # characters; a shorter page has no room for so many attributes that it would matter
# Groups that are repeated possessively are atomic: before 3.11.5 Python goes on from where such a
# group failed, and not from its beginning (its issue 106052).
_ATTRIBUTE = r"""(?>[\s/]*+[^\s/>][^\s/>=]*+(?>\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]*+))?+)"""
_SOME = f"{_ATTRIBUTE}{{0,{MOST_ATTRIBUTES}}}+"
_ENDS = r"[\s/]*+(?:>|\Z)"
_RAW = "|".join(
    rf"{name}(?=[\s/>]){_SOME}{_ENDS}(?>[^<]++|<(?!/{name}[\s/>]))*+"
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
)
_COMMENT = r"<!--(?:-?>|(?>[^-]++|-(?!-!?>))*+(?:--!?>)?)"
_TAG = rf"</?[A-Za-z][^\s/>]*+{_SOME}"
_ORDINARY = re.compile(
    rf"(?>[^<]++|{_COMMENT}|<(?:{_RAW})|{_TAG}{_ENDS}|<(?!/?[A-Za-z]|!--))*+", re.IGNORECASE
)
_LONG_TAG = re.compile(rf"({_TAG}){_ATTRIBUTE}*+")
_KEPT = (
    r"(?:a|area|base|link|script|style|textarea|title|iframe|noembed|noframes|xmp|plaintext)"
    r"(?![A-Za-z0-9:-])"
)
_OTHER_TAG = re.compile(r"<(?!/?" + _KEPT + r")/?([A-Za-z][A-Za-z0-9]*+)[^<>]*+>", re.IGNORECASE)
_OTHER_START = re.compile(r"<(?!/?" + _KEPT + r"|!)", re.IGNORECASE)
_INLINE = frozenset(
    "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small"
    " span strike strong sub sup time tt u var wbr".split()
)
_NAMED_TAGS = frozenset(
    "h1 h2 h3 h4 h5 h6 meta".split()
)  # what content wants of them, while they are few
MOST_NAMED_TAGS = 500  # of those: they may be nested, too
_LINK_HEADER = re.compile(rb"(?im)^link[ \t]*:([^\n]*)")
_LINK_VALUE = re.compile(r"<([^<>]*)>((?>[^,<\"]|\"[^\"]*\")*+)")
_PARAMETER = re.compile(r";\s*([\w*!-]++)\s*=\s*(\"[^\"]*\"|[^\s;,\"]+)")
TITLE_LIMIT = 2000  # characters of a title that are kept here; the load cuts them to what is stored
LONGEST_HEADER = 1 << 16  # characters of a Link header that are read
_UNSEEN = re.compile("[\t\n\r]+")


class PageLinks(NamedTuple):
    """What one page says of others: its links, its canonical link and the base they are relative
    to; and its title; None: it says none.
    """

    links: list[str] | None
    canonical: str | None
    base: str | None
    title: str | None = None


def need_parser() -> None:
    """Raises UsageError if the HTML parser is not installed."""
    if importlib.util.find_spec("selectolax") is None:
        raise UsageError(
            "--links reads HTML with selectolax, which is not installed; install it with: pip"
            " install 'replicadb[links]'"
        )


def is_html(media_type: str | None, body: bytes) -> bool:
    """Whether a body is HTML by its type, or where that is unknown by its beginning."""
    if media_type:
        return media_type.split(";")[0].strip().lower() in HTML_TYPES
    return bool(
        re.match(
            rb"[\s\xef\xbb\xbf]*<(?:!doctype\s+html|html|head|body)\b", body[:512], re.IGNORECASE
        )
    )


def tamed(page: str) -> str:
    """A page that the parser reads in linear time: one with very many tags keeps few but its links.

    What stands in two blocks stays apart, a line each; the first MOST_NAMED_TAGS heading and meta
    tags stay. Tags of long pages have MOST_ATTRIBUTES at most.
    """
    if len(page) >= LONG_PAGE:
        page = with_few_attributes(page)
    if page.count("<") <= MANY_TAGS:
        return page
    kept = 0

    def without(tag: re.Match[str]) -> str:
        nonlocal kept
        name = tag[1].lower()
        if name in _NAMED_TAGS and kept < MOST_NAMED_TAGS:
            kept += 1
            return tag[0]
        return "" if name in _INLINE else "\n"

    page = _OTHER_TAG.sub(without, page)
    if len(_OTHER_START.findall(page)) > MANY_TAGS:
        page = _OTHER_START.sub("&lt;", page)
    return page


def with_few_attributes(page: str) -> str:
    """A page without what attributes a tag has beyond MOST_ATTRIBUTES. Linear; what stands in
    comments, scripts and their like is no tag.
    """
    kept, at = [], 0
    while at < len(page):
        ordinary = _ORDINARY.match(page, at)  # of no character, at least
        long = _LONG_TAG.match(page, ordinary.end() if ordinary else at)
        kept.append(page[at : long.end(1) if long else len(page)])
        at = long.end() if long else len(page)
    return "".join(kept)


def page_links(body: bytes, media_type: str | None = None) -> PageLinks:
    """The links and the title of an HTML page; a picture's title is none.

    Args:
        body: the page, decoded from chunks and compression.
        media_type: its Content-Type, for the charset.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(tamed(decoded(body[:HTML_LIMIT], media_type)))
    links, canonical, base = [], None, None
    for node in tree.css("a[href], area[href], link[href], base[href]"):
        href, tag = node.attributes.get("href"), node.tag
        if href is None:
            continue
        if tag == "base":
            base = base if base is not None else tidy(href)
        elif tag != "link":
            links.append(tidy(href))
        elif canonical is None and names_canonical(node.attributes.get("rel")):
            canonical = tidy(href)
    title = tree.css_first("title:not(svg title)")
    return PageLinks(links or None, canonical, base, title_text(title.text()) if title else None)


def title_text(title: str) -> str | None:
    """A title without what no column can hold, cut to TITLE_LIMIT; the load collapses
    its blanks.
    """
    return title.strip()[:TITLE_LIMIT].encode("utf-8", "replace").decode() or None


def names_canonical(rel: object) -> bool:
    """Whether a rel attribute has the word canonical."""
    return isinstance(rel, str) and "canonical" in rel.lower().split()


def tidy(href: str) -> str:
    """A URL as WHATWG reads it first: no line breaks and tabs; and no half of a character, which no
    column can hold.
    """
    if href.isprintable():
        return href
    href = _UNSEEN.sub("", href)
    return href if href.isascii() else href.encode("utf-8", "replace").decode()


def header_canonical(head: bytes) -> str | None:
    """The target of the first ``Link: <...>; rel="canonical"`` in a block of HTTP header lines."""
    if b"canonical" not in head.lower():
        return None
    for line in _LINK_HEADER.findall(head):
        if found := link_value_canonical(line.decode("utf-8", "replace")):
            return found
    return None


def link_value_canonical(value: object) -> str | None:
    """The same in the value of one Link header."""
    for target, parameters in (
        _LINK_VALUE.findall(value[:LONGEST_HEADER]) if isinstance(value, str) else ()
    ):
        if any(
            name.lower() == "rel" and names_canonical(rel.strip('"'))
            for name, rel in _PARAMETER.findall(parameters)
        ):
            return tidy(target)
    return None
