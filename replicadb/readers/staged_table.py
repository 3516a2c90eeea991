"""The temporary table ``staged`` from the columns of a table file: the one statement in which every
format of tables ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from replicadb.readers.table_columns import PAGES
from replicadb.store.database import Database

LINK_LIST = "link list"
"""Beside the roles: an expression for the links as a list of texts."""
CONTENT_BYTES = "content bytes"
"""Beside the roles: an expression for the length of the content, where it is binary."""


@dataclass(frozen=True)
class TableRows:
    """How a table file is read: fragments of SQL, to be put together."""

    source: str
    """FROM clause; ``$path`` is the file."""
    position: str
    """Number of a row."""
    columns: dict[str, str]
    """Role to expression; beside the roles PAGES, LINK_LIST and CONTENT_BYTES."""
    digest_prefix: str = ""
    """Put before every digest."""
    problem: str = "NULL::VARCHAR"
    """What is wrong with a row, NULL for nothing."""
    url_otherwise: str | None = None
    """What stands for the URL of a row with a problem."""

    def text(self, role: str) -> str:
        """A role's values as text, NULL where the table has none."""
        return f"{self.columns[role]}::VARCHAR" if role in self.columns else "NULL::VARCHAR"

    def typed(self, role: str) -> str:
        """A role's values in the type that they have."""
        return self.columns.get(role, "NULL::VARCHAR")

    def fetched_at(self, as_typed: bool) -> str:
        """When it was fetched; where the table says when it is due again, an interval before."""
        recorded = self.typed("timestamp") if as_typed else self.text("timestamp")
        if "interval" not in self.columns:
            return recorded
        due, seconds = self.text("timestamp"), f"try_cast({self.columns['interval']} AS DOUBLE)"
        return f"coalesce((capture_time({due}) - to_seconds({seconds}))::VARCHAR, {due})"

    def url(self) -> str:
        if not self.url_otherwise:
            return self.text("url")
        otherwise = f"CASE WHEN {self.problem} IS NOT NULL THEN {self.url_otherwise} END"
        return f"coalesce({self.text('url')}, {otherwise})"

    def digest(self) -> str:
        """As recorded, else the content's SHA-1."""
        recorded = f"known({self.text('fingerprint')})"
        digest = f"'{self.digest_prefix}' || {recorded}" if self.digest_prefix else recorded
        if "content" not in self.columns:
            return digest
        return f"coalesce({digest}, 'sha1:' || sha1({self.columns['content']}))"

    def length(self) -> str:
        """As recorded, else the content's, in bytes. Below 0, as the -1 of many programs, is
        unknown.
        """
        length = f"nullif(greatest(try_cast({self.text('length')} AS BIGINT), -1), -1)"
        if "content" not in self.columns:
            return length
        size = self.columns.get(CONTENT_BYTES) or f"strlen({self.text('content')})"
        return f"coalesce({length}, {size})"

    def links(self) -> str:
        if LINK_LIST in self.columns:
            return self.columns[LINK_LIST]
        return f"link_cell({self.text('links')})" if "links" in self.columns else "NULL::VARCHAR[]"


def create_staged(
    db: Database, rows: TableRows, path: str | None = None, as_view: bool = False
) -> None:
    """Make ``staged``: the columns of a capture row, and ``content`` where pages are to be read.

    Args:
        db: knows the macros of functions/30_digests.
        rows: how the file is read.
        path: the file, if ``rows.source`` names ``$path``.
        as_view: nothing is copied, and times, statuses and lengths keep their types.
    """
    if "links" in rows.columns:
        db.run_once("functions/40_link_targets")
    typed = rows.typed if as_view else rows.text
    content = f", {rows.columns[PAGES]} AS content" if PAGES in rows.columns else ""
    db.execute(
        f"""CREATE OR REPLACE TEMP {"VIEW" if as_view else "TABLE"} staged AS
        SELECT {rows.position} AS position,
               {rows.url()} AS url,
               {rows.text("ip")} AS ip,
               {rows.digest()} AS digest,
               {rows.fetched_at(as_view)} AS fetched_at,
               {typed("status")} AS status,
               {rows.text("mime")} AS mime,
               {rows.length()} AS length,
               {rows.text("redirect")} AS redirect,
               NULL::VARCHAR AS revisit_of,
               {rows.problem} AS problem,
               {rows.text("id")} AS user_id,
               {rows.links()} AS links,
               {rows.text("canonical")} AS canonical,
               NULL::VARCHAR AS base,
               {rows.text("title")} AS title,
               {rows.text("language")} AS language{content}
        {rows.source}""",
        {"path": path} if path else None,
    )
