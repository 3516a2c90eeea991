"""Hosts that the database does not know, as a crawler meets them: a name, addresses and some pages.

Invariant: reading is strict about what a row means and lenient about what it leaves out; a
fingerprint, path, address and media type come to the form that ``load`` gives them.

One JSON object a line (JSONL). Either a host::

    {"host": "new.example", "ips": ["192.0.2.1"], "pages": [{"path": "/", "fingerprint": "sha1:...",
     "mime": "text/html", "title": "...", "length": 1234, "links": ["https://..."], "canonical":
     "https://...", "language": "de"}, ["/about", "sha1:..."]], "identifiers": {"mail":
     ["x@new.example"]}, "complete": false}

or a page: ``{"url": "https://new.example/about", "fingerprint": "sha1:...", "ip": "192.0.2.1"}``,
or with "host" and "path" in place of "url"; the pages of a host may stand anywhere. All but host
and path may be missing; ``digest`` means fingerprint too. Where there is neither, the SHA-1 of the
page's text is taken, as ``load`` does: of ``content``, ``html``, ``text``, ``body``,
``raw_content``. Lines of crawlers and scanners are read as ``load`` reads them
(:mod:`replicadb.model.crawler_lines`).
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from replicadb.errors import DataError
from replicadb.given_file import given_text, parsed, piped_text
from replicadb.likely_meant import did_you_mean, did_you_mean_file
from replicadb.model.crawler_lines import as_page
from replicadb.readers.table_columns import ROLES
from replicadb.web.digests import fingerprint_of, media_type
from replicadb.web.file_types import type_by_name
from replicadb.web.main_language import language_code
from replicadb.web.site_identifiers import IDENTIFIER_KINDS, OF_OWNERS, normal_identifier
from replicadb.web.urls import host_name, parse_ip, parse_url

OBJECTS = "hosts that are new are given in a file of JSON, an object a line, with host and pages"
MOST_UNUSED = 5
"""Fields that are named where they are not used."""
PAGE_FIELDS = (
    "path",
    "fingerprint",
    "mime",
    "title",
    "length",
    "links",
    "canonical",
    "language",
)

TEXTS = ROLES["content"]
"""Fields that may have the page itself, as a text; the best first."""

HALF_A_CHARACTER = "half a character (a lone surrogate) in it"

FIELDS = (*PAGE_FIELDS, "digest", "url", "host", "ip", "ips", "pages", "identifiers", "complete")
"""Of a line, a page's or a host's."""


@dataclass(frozen=True)
class Page:
    """A page of a new host. None is unknown."""

    path: str
    """What follows scheme and host, with the query: begins with a slash."""
    fingerprint: tuple[str, str] | None = None
    """Kind and value in normal form, as ``digests.fingerprint_of`` gives them."""
    mime: str | None = None
    title: str | None = None
    length: int | None = None
    """Bytes of the body."""
    links: tuple[str, ...] = ()
    """URLs that the page links to, in normal form."""
    canonical: str | None = None
    """The URL that it names as its own."""
    language: str | None = None
    """Its code, as ``de``."""


@dataclass
class Host:
    """A host by its name, with what is known of it.

    Args:
        name: as the database counts sites (a host name unless it was loaded with --site), in any
            spelling.
        pages: :class:`Page`, mappings with such keys, or rows (path, fingerprint, mime, title,
            length, links, canonical, language) cut anywhere behind the path. A mapping may have
            ``url`` in place of the path, and ``html`` in place of the fingerprint. Of a path that
            comes twice the last one with a fingerprint counts.
        ips: addresses.
        identifiers: what its pages say of who runs it: values by kind (analytics, ads, mail,
            wallet, server, tls), as the view ``site_identifiers`` shows them. Its other kinds
            (language, favicon, image) may be there, and say nothing: languages are of pages.
        complete: the pages are all that it has, or all that a crawl of it would find; else they are
            some, and how many says nothing.

    Raises:
        DataError: a name that is no text or no host's, a page without a path, an address that is
            none, a length that is no number, an unknown kind of identifiers, a ``complete`` that is
            neither true nor false.
    """

    name: str
    pages: list[Any] = field(default_factory=list)
    ips: list[str] = field(default_factory=list)
    identifiers: dict[str, list[str]] = field(default_factory=dict)
    complete: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise DataError(f"the name of a host is {str(self.name)[:40]!r}, no text")
        self.name = normal_name(self.name)
        if host_name(self.name) is None:
            raise DataError(f"{self.name[:60]!r} is no host name")
        if not isinstance(self.complete, bool):
            raise DataError(
                f"{self.name}: complete is {str(self.complete)[:40]!r}, neither true nor false"
            )
        self.pages = [page if isinstance(page, Page) else _page(page) for page in self.pages]
        for ip in self.ips:
            if parse_ip(str(ip))[0] is None:
                raise DataError(f"{self.name}: {str(ip)[:60]!r} is no IP address")
        _check_identifiers(self.name, self.identifiers)

    @property
    def said(self) -> list[str]:
        """Its identifiers as sql/model/10_pages hashes them, each once."""
        return sorted(
            f"{kind}:{value}"
            for kind, values in self.identifiers.items()
            if kind in OF_OWNERS
            for value in {normal_identifier(kind, value) for value in values}
        )

    def distinct(self) -> list[Page]:
        """One page a path."""
        chosen: dict[str, Page] = {}
        for page in self.pages:
            if page.fingerprint or page.path not in chosen:
                chosen[page.path] = page
        return list(chosen.values())


def _check_identifiers(name: str, identifiers: Any) -> None:
    kinds = (*IDENTIFIER_KINDS, "favicon", "image")
    if not isinstance(identifiers, dict):
        raise DataError(f"{name}: its identifiers are no object of lists by kind")
    for kind, values in identifiers.items():
        if kind not in kinds:
            raise DataError(
                f"{name}: unknown kind of identifiers {str(kind)[:40]!r}; there are"
                f" {', '.join(kinds)}"
            )
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise DataError(f"{name}: the identifiers of kind {kind} are no list of texts")


def _page(row: Any) -> Page:
    if not isinstance(row, dict):
        if isinstance(row, str) or not isinstance(row, Iterable):
            raise DataError(
                f"a page is an object or a list that begins with its path, not {str(row)[:60]!r}"
            )
        row = dict(zip(PAGE_FIELDS, row, strict=False))
    path, fingerprint = row.get("path"), row.get("fingerprint")
    if fingerprint is None:
        fingerprint = row.get("digest")
    if not path and isinstance(row.get("url"), str):
        path = _of_url(row["url"])[1]
    if not path:
        raise DataError("a page without a path or url")
    for name, value in (("path", path), ("fingerprint", fingerprint), ("mime", row.get("mime"))):
        if value is not None and not isinstance(
            value, (str, int) if name == "fingerprint" else str
        ):
            raise DataError(f"the {name} {str(value)[:40]!r} is no text")
    path, body = _path(path), _body(row)
    known = None if fingerprint is None else fingerprint_of(str(fingerprint))
    if known is None and body is not None:
        known = fingerprint_of(f"sha1:{hashlib.sha1(body, usedforsecurity=False).hexdigest()}")
    try:
        length = None if row.get("length") is None else int(row["length"])
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"the length {str(row['length'])[:40]!r} of {path[:60]} is no number"
        ) from None
    if length is not None and length < 0:
        raise DataError(f"the length {length} of {path[:60]} is below 0")
    links = row.get("links") or ()
    if isinstance(links, str) or not isinstance(links, Iterable):
        raise DataError(
            f"the links of {path[:60]} are a {'text' if isinstance(links, str) else 'number'}, not"
            " a list of URLs"
        )
    return Page(
        path,
        known,
        media_type(row.get("mime")) or type_by_name(path),
        _title(row.get("title")),
        len(body) if length is None and body is not None else length,
        tuple(url for link in links if (url := _url(str(link)))),
        _url(str(row["canonical"])) if row.get("canonical") else None,
        language_code(None if row.get("language") is None else str(row["language"])),
    )


def _body(row: dict[str, Any]) -> bytes | None:
    """The page itself, where it is there as a text."""
    texts = (row[name] for name in TEXTS if isinstance(row.get(name), str))
    text: str | None = next(texts, None)
    try:
        return None if text is None else text.encode()
    except UnicodeEncodeError:
        raise DataError(HALF_A_CHARACTER) from None


def _title(text: Any) -> str | None:
    """A title in the form in which ``load`` keeps it; SQL: ``page_title``."""
    if text is None:
        return None
    title = " ".join(str(text).replace("\ufeff", " ").split())[:300].strip()
    return title if title not in ("", "-") else None


def _path(text: str) -> str:
    """In normal form, by the WHATWG parser; its host is any."""
    url = "http://host.invalid" + (text if text.startswith("/") else "/" + text)
    _, _, path, reason = parse_url(url)
    if path is None:
        raise DataError(f"the path {text[:60]!r} is none: {reason}")
    return path


def _of_url(text: str) -> tuple[str, str]:
    """Its host and path."""
    _, host, path, reason = parse_url(text)
    if reason or host is None or path is None:
        raise DataError(f"{text[:80]!r}: {reason}")
    return host, path


def _url(text: str) -> str | None:
    origin, _, path, _ = parse_url(text)
    return None if origin is None or path is None else origin + path


def read_hosts(path: str | Path) -> list[Host]:
    """The hosts of a JSONL file, ``-`` for standard input, in the order of their first lines.

    Raises:
        DataError: the file cannot be read, or a line of it is no host and no page.
    """
    try:
        text = piped_text() if str(path) == "-" else given_text(path)
        lines = text.split("\n")  # not splitlines: a title may hold other line ends
    except OSError as error:
        raise DataError(f"{path}: {_why(path, error)}; {OBJECTS}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: no text in UTF-8; {OBJECTS}") from error
    hosts: dict[str, Host] = {}
    unused: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _parsed(line)
            if isinstance(row, dict):
                row = as_page(row, (*FIELDS, *TEXTS))
            host = Host(*_line(row))
            unused |= _unused(row)
        except ValueError as error:
            why = getattr(error, "msg", None) or error
            raise DataError(
                f"{path}, line {number}: no JSON: {why}; each line is an object, as"
                ' {"url": "https://a.example/1", "fingerprint": "sha1:..."}; sql -f jsonl -o FILE'
                " makes them of a table"
            ) from error
        except DataError as error:
            raise DataError(f"{path}, line {number}: {error}") from error
        known = hosts.setdefault(host.name, host)
        if known is not host:
            known.pages += host.pages
            known.ips += [ip for ip in host.ips if ip not in known.ips]
            known.complete |= host.complete
            for kind, values in host.identifiers.items():
                known.identifiers.setdefault(kind, []).extend(values)
    if unused:
        near = (f"{name}{did_you_mean(name, FIELDS)}" for name in list(unused)[:MOST_UNUSED])
        warnings.warn(f"{path}: not used: {', '.join(near)}", stacklevel=2)
    if not hosts:
        raise DataError(f"{path}: no host in it; {OBJECTS}")
    return list(hosts.values())


def _why(path: str | Path, error: OSError) -> str:
    """Why a file of hosts cannot be read."""
    if isinstance(error, IsADirectoryError):
        return "is a folder"
    if not isinstance(error, FileNotFoundError):
        return f"cannot be read: {error.strerror or error}"
    bare = str(path).removeprefix("@")
    meant = f" (did you mean {bare!r}?)" if os.path.isfile(bare) else did_you_mean_file(path)
    return f"no such file{meant}"


def _unused(row: dict[str, Any]) -> dict[str, None]:
    """The fields of a line, and of its pages, that are none, and addresses that are none."""
    pages = [page for page in row.get("pages") or [] if isinstance(page, dict)]
    is_page = row.get("url") is not None or (row.get("path") and row.get("pages") is None)
    ips = row.get("ips", row.get("ip"))
    wrong = [
        f"{str(ip)[:60]!r}, which is no IP address"
        for ip in (ips if isinstance(ips, list) else [ips])
        if ip not in (None, "") and parse_ip(str(ip))[0] is None
    ]
    fields = [
        name
        for part in (row, *pages)
        for name, value in part.items()
        if name not in FIELDS
        and not (name in TEXTS and isinstance(value, str | None) and (is_page or part is not row))
    ]
    fields += ["complete" for page in pages if "complete" in page]  # said of a host
    return dict.fromkeys([*fields, *wrong])


def _parsed(line: str) -> Any:
    row = parsed(line)
    if "\\u" in line:
        try:
            json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise DataError(HALF_A_CHARACTER) from None
    return row


def _line(row: Any) -> tuple[str, list[Any], list[str], Any, bool]:
    """Name, pages, addresses, identifiers and whether that is all, as :class:`Host` takes them."""
    if not isinstance(row, dict):
        raise DataError("not a JSON object")
    name = row.get("host")
    identifiers = {} if row.get("identifiers") is None else row["identifiers"]
    ips = row.get("ips", row.get("ip"))
    given = ips if isinstance(ips, list) else [] if ips is None else [ips]
    complete = False if row.get("complete") is None else row["complete"]
    ips = [str(ip) for ip in given if parse_ip(str(ip))[0] is not None]  # as load keeps hosts
    if row.get("url") is not None:
        host, path = _of_url(str(row["url"]))
        if isinstance(name, str) and name != host and parse_ip(name)[0] is not None:
            name, ips = None, [*ips, name]  # as httpx says where a name led
        pages = [row | {"path": path}] if row.get("pages") is None else row["pages"]
        return name or host, pages, ips, identifiers, complete
    if not name or not isinstance(name, str):
        raise DataError("neither a host nor a url in it")
    pages = row.get("pages")
    if pages is not None and not isinstance(pages, list):
        raise DataError("its pages are no list")
    return (
        name,
        (pages if pages is not None else [row] if row.get("path") else []),
        ips,
        identifiers,
        complete,
    )


def normal_name(name: str) -> str:
    """A host name as URLs have it, also of a URL in its place; a name that no URL could have, or
    one with a path segment, stays as it is.
    """
    if "//" in name:
        return host_name(name) or name
    return name if "/" in name else parse_url(f"http://{name}/")[1] or name
