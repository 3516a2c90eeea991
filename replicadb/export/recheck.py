"""``replicadb recheck``: dropped hosts due for another look, with the URLs to fetch first.

Invariant: every dropped host is due some time: when its newest capture is old, or has no date.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

import pyarrow as pa

from replicadb.errors import UsageError, need_count
from replicadb.export.list_formats import BY_NAME
from replicadb.export.tool_lists import choose_names, compare_pages
from replicadb.stage_constants import COPIES
from replicadb.store.database import Database
from replicadb.store.statements import statements


def recheck(
    db: Database,
    days: int | None = None,
    pages: int | None = None,
    at: str | date | None = None,
) -> pa.Table:
    """The URLs to fetch first of dropped hosts that are due, a row each.

    Args:
        days: a host is due so many days after its newest capture. pages: so many URLs a host at
            most. at: the time to count from, ISO 8601 (UTC); None = now.

    Returns:
        Columns host, canonical_host, group_id, probability, share_elsewhere (of its pages, at the
            kept host), last_seen, days, url, compare_with (the kept host's page of the same
            content, as of the last detection); hosts that would lose most first.

    Raises:
        UsageError: a number of days or pages that is none, or a time that is none.
    """
    days = need_count("days", COPIES.recheck_days if days is None else days)
    pages = need_count("pages", COPIES.recheck_pages if pages is None else pages)
    given = {"at": _utc(at), "days": days, "pages": pages}
    with db.temporary():
        for table in ("due_hosts", "chosen_hosts"):
            db.run("export/40_recheck", given, only=table)
        choose_names(db, BY_NAME["urls"])
        compare_pages(db)
        return db.arrow(statements("export/40_recheck")["recheck"], {"pages": pages})


def _utc(at: str | date | None) -> datetime:
    if at is None:
        return datetime.now(UTC).replace(tzinfo=None)
    try:
        given = at if isinstance(at, datetime) else datetime.fromisoformat(str(at))
        return given.astimezone(UTC).replace(tzinfo=None) if given.tzinfo else given
    except (OverflowError, ValueError) as error:
        raise UsageError(f"{at!r} is no time; give it as 2026-01-31") from error
