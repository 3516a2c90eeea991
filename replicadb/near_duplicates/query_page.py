"""A query page: from a file or standard input, or one of the database as it was
stored.

Invariant: a page of the database is compared by what was stored of it, so that its
signatures are those that it has there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replicadb.errors import DataError, ReplicaDBError, UsageError
from replicadb.given_file import given_bytes, piped_bytes
from replicadb.near_duplicates.loaded_contents import text_of
from replicadb.store.database import Database
from replicadb.web.urls import parse_url

if TYPE_CHECKING:
    from replicadb.web.page_text import PageContent


@dataclass(frozen=True)
class QueryPage:
    """A page to find the near duplicates of."""

    content: PageContent
    url_id: int | None = None
    """Of a page of the database; None for one from outside."""


def query_page(db: Database, what: str) -> QueryPage:
    """The page that a person means: a URL of the database, else a file, or ``-`` for standard
    input.

    Raises:
        DataError: neither, no content was loaded of the URL, or the page cannot be read.
    """
    if what == "-":
        return from_bytes(piped_bytes(), "standard input")
    origin, _, path, _ = parse_url(what)
    if origin is not None:
        return from_database(db, what, origin, path or "/")
    return from_file(what)


def from_database(db: Database, url: str, origin: str, path: str) -> QueryPage:
    """A page of the database, by the parts of its URL in normal form.

    Raises:
        DataError: there is no such URL, or its content was not loaded.
    """
    from replicadb.web.page_text import STORED

    found = db.value(
        """SELECT url_id FROM urls AS u JOIN origins AS o USING (origin_id)
        WHERE starts_with($url, o.origin) AND u.path = substr($url, length(o.origin) + 1)""",
        {"url": origin + path},
    )  # under --site host+1 an origin ends in the first segment of the path
    if found is None:
        raise DataError(f"{url}: no such URL in {db.path}; save the page and give the file")
    text_id, elsewhere = text_of(db, found)
    rows = db.rows(f"SELECT {', '.join(STORED)} FROM page_contents WHERE url_id = ?", [text_id])
    if not rows:
        raise DataError(
            f"{url}: its content was not loaded, or is empty; load it with --content, or save the"
            " page and give the file"
        )
    stored = dict(zip(STORED, rows[0], strict=True))
    return QueryPage(_content(db, text_id, elsewhere, stored), found)


def _content(db: Database, url_id: int, elsewhere: bool, stored: dict[str, Any]) -> PageContent:
    """What was stored of a capture; of one of another URL neither that nor its links."""
    from replicadb.web.page_text import PageContent

    terms: dict[str, dict[str, int]] = {}
    for name, term, n in db.rows(
        """SELECT f.name, t.term, p.n FROM page_terms AS p JOIN page_fields AS f USING (field)
                                    JOIN terms AS t USING (term_id)
                                    WHERE p.url_id = $id AND NOT ($elsewhere AND f.name = 'url')""",
        {"id": url_id, "elsewhere": elsewhere},
    ):
        terms.setdefault(name, {})[term] = n
    links = db.rows(
        "SELECT to_url, anchor FROM anchors WHERE url_id = $id AND NOT $elsewhere ORDER BY ALL",
        {"id": url_id, "elsewhere": elsewhere},
    )
    return PageContent(**stored, terms=terms, links=links)


def from_file(name: str) -> QueryPage:
    """A page from a file of HTML or text.

    Raises:
        DataError: the file cannot be read, or is no page.
    """
    path = Path(name)  # which would make ftp:/a.example of ftp://a.example
    try:
        body = given_bytes(path)
    except OSError as error:
        raise DataError(
            f"{name}: neither a URL nor a file that can be read: {error.strerror or error}"
        ) from error
    return from_bytes(body, name, "text/plain" if path.suffix.lower() == ".txt" else None)


def from_bytes(body: bytes, name: str, media_type: str | None = None) -> QueryPage:
    """A page from its body.

    Args:
        name: what to call it in an error.
        media_type: None is for the body to show.

    Raises:
        DataError: it is empty, or cannot be read as a page.
    """
    from replicadb.web.page_text import extract

    if not body.strip():
        raise DataError(f"{name}: there is nothing in it; give a page of HTML or text")
    try:
        return QueryPage(extract(body, media_type))
    except UsageError:  # a library is missing
        raise
    except ReplicaDBError as error:
        raise DataError(f"{name}: {error}") from error
