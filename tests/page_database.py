"""Pages for tests, straight into the tables that ``load --content`` fills: from simple dicts, by
the real tokeniser.

Invariant: ids are given in the order of the dicts, from 1 in an empty database; nothing is
extracted, so text is what the dict says.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any
from urllib.parse import urljoin, urlsplit

import xxhash

from replicadb.store.arrow import insert_frame
from replicadb.store.database import Database
from replicadb.web.terms import words

CONTENT = (
    "url_id",
    "source_id",
    "title",
    "keywords",
    "description",
    "headings",
    "text",
    "main_text",
    "body",
    "length",
    "raw_digest",
    "text_digest",
    "normal_digest",
)
URL = (
    "url_id",
    "host_id",
    "origin_id",
    "path",
    "fingerprint_kind",
    "fingerprint",
    "mime",
    "length",
    "source_id",
    "title",
)
TERM_FIELDS = {
    "title": "title",
    "headings": "heading",
    "keywords": "keywords",
    "description": "description",
}


def with_pages(web: Any, pages: list[dict[str, Any]]) -> list[int]:
    """Store pages as though they had been loaded with ``--content``.

    Args:
        web: an open database (the fixture ``web``), or its Database.
        pages: each with ``url`` (http://host/path), and what it has of title, keywords,
            description, headings, text, main_text, body, length, raw_digest, text_digest,
            normal_digest (each made of body or text unless given), ``links`` (pairs of href and
            anchor text or None), ``superseded`` (True: a capture that a newer one replaced, in the
            table of that name).

    Returns:
        The url_id of each page, in order.
    """
    db = getattr(web, "database", web)
    first = 1 + db.value(
        "SELECT coalesce(max(url_id), 0) FROM (SELECT url_id FROM urls UNION ALL SELECT url_id FROM"
        " superseded)"
    )
    ids = list(range(first, first + len(pages)))
    hosts = Known(
        db, "SELECT host, host_id FROM hosts", [urlsplit(page["url"]).netloc for page in pages]
    )
    origins = Known(
        db, "SELECT origin, origin_id FROM origins", [_origin(page["url"]) for page in pages]
    )
    _store_names(db, hosts, origins)
    rows = [_content(url_id, page) for url_id, page in zip(ids, pages, strict=True)]
    for table, old in (("urls", False), ("superseded", True)):
        of_it = [
            _url(row, page["url"], hosts, origins)
            for row, page in zip(rows, pages, strict=True)
            if bool(page.get("superseded")) == old
        ]
        insert_frame(db, table, of_it, URL)
    for name in ("urls_hashes", "superseded_hashes"):
        db.run("migrations/09_hashes", only=name)
    insert_frame(
        db, "page_contents", [tuple(row[name] for name in CONTENT) for row in rows], CONTENT
    )
    insert_frame(
        db,
        "anchors",
        [
            (i, urljoin(page["url"], href), anchor)
            for i, page in zip(ids, pages, strict=True)
            for href, anchor in page.get("links", ())
        ],
        ("url_id", "to_url", "anchor"),
    )
    _store_terms(db, {i: terms_of(page) for i, page in zip(ids, pages, strict=True)})
    return ids


def terms_of(page: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Field name to term to count, as extract() gives them."""
    found: dict[str, Counter[str]] = {"url": Counter(words(page["url"].partition("://")[2]))}
    for key, field in TERM_FIELDS.items():
        found[field] = Counter(words(page.get(key) or ""))
    found["text"] = Counter(words(page.get("main_text") or page.get("text") or ""))
    for href, anchor in page.get("links", ()):
        own = urlsplit(urljoin(page["url"], href)).netloc == urlsplit(page["url"]).netloc
        found.setdefault("anchor_own" if own else "anchor_other", Counter()).update(
            words(anchor or "")
        )
    return {field: dict(counts) for field, counts in found.items() if counts}


def _store_names(db: Database, hosts: Known, origins: Known) -> None:
    insert_frame(
        db,
        "hosts",
        [
            (i, host, ".".join(host.split(".")[-2:]), host.split(".")[-1], host.rpartition(".")[0])
            for host, i in hosts.new
        ],
        ("host_id", "host", "domain", "suffix", "name"),
    )
    insert_frame(
        db,
        "origins",
        [
            (i, origin, urlsplit(origin).netloc, hosts.ids[urlsplit(origin).netloc])
            for origin, i in origins.new
        ],
        ("origin_id", "origin", "host_name", "host_id"),
    )


class Known:
    """Ids of names: those of a table, and new ones in order of appearance."""

    def __init__(self, db: Database, sql: str, names: list[str]) -> None:
        self.ids: dict[str, int] = dict(db.rows(sql))
        self.new: list[tuple[str, int]] = []
        highest = max(self.ids.values(), default=0)
        for name in names:
            if name not in self.ids:
                highest += 1
                self.ids[name] = highest
                self.new.append((name, highest))


def _url(row: dict[str, Any], url: str, hosts: Known, origins: Known) -> tuple[Any, ...]:
    origin = _origin(url)
    return (
        row["url_id"],
        hosts.ids[urlsplit(url).netloc],
        origins.ids[origin],
        url[len(origin) :] or "/",
        "digest",
        row["raw_digest"],
        "text/html",
        row["length"],
        1,
        row["title"],
    )


def _origin(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


def _content(url_id: int, page: dict[str, Any]) -> dict[str, Any]:
    text, body = page.get("text") or "", page.get("body") or page.get("text") or ""
    folded = " ".join(re.sub(r"\d", " ", text).split()).lower()
    row = {
        "length": len(body),
        "raw_digest": _digest(body),
        "text_digest": _digest(text),
        "normal_digest": _digest(folded),
    }
    return {name: page.get(name, row.get(name)) for name in CONTENT} | {
        "url_id": url_id,
        "source_id": 1,
    }


def _digest(text: str) -> str:
    return xxhash.xxh3_128_hexdigest(text.encode())


def _store_terms(db: Database, fields: dict[int, dict[str, dict[str, int]]]) -> None:
    numbers = dict(db.rows("SELECT name, field FROM page_fields"))
    vocabulary = Known(
        db,
        "SELECT term, term_id FROM terms",
        [t for page in fields.values() for counts in page.values() for t in counts],
    )
    insert_frame(db, "terms", [(i, term) for term, i in vocabulary.new], ("term_id", "term"))
    insert_frame(
        db,
        "page_terms",
        [
            (url_id, numbers[field], vocabulary.ids[term], n)
            for url_id, page in fields.items()
            for field, counts in page.items()
            for term, n in counts.items()
        ],
        ("url_id", "field", "term_id", "n"),
    )
