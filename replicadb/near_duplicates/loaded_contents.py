"""Pages that were loaded with their content, and the texts of those that borrow them.

Invariant: what text a URL has depends on what is loaded, not on the order of loads.
"""

from __future__ import annotations

from replicadb.errors import DataError
from replicadb.store.database import Database
from replicadb.store.run_log import loads_since

STEM = "near_duplicates/05_url_texts"
NOW = "functions/80_near_contents"
BORROWING = "SELECT count(*) FROM (FROM borrowed_texts WHERE compared LIMIT 1)"


def stage_texts(db: Database) -> None:
    """Make the temporary table and views of sql/near_duplicates/05_url_texts, to be read inside the
    same ``db.temporary()``.
    """
    stage_borrowed(db)
    for name in ("texts_of_urls", "compared_texts", "compared_terms", "compared_anchors"):
        db.run(STEM, only=name)


def stage_borrowed(db: Database) -> None:
    """Make its table borrowed_texts alone; where there is no text nobody borrows one."""
    lent = db.value("SELECT count(*) FROM (FROM page_contents LIMIT 1)")
    db.run(STEM, only="borrowed_texts" if lent else "none_borrowed")


def pages_with_content(db: Database) -> int:
    """The number of pages whose text is known, as page methods compare them."""
    if not db.value("SELECT count(*) FROM (FROM page_contents LIMIT 1)"):
        return 0
    with db.temporary():
        stage_texts(db)
        return int(db.value("SELECT count(*) FROM compared_texts"))


def with_content(db: Database, source_ids: list[int]) -> int:
    """The number of captures of these sources whose content was loaded, and of their URLs that
    borrow one.
    """
    given = {"ids": source_ids}
    own = "SELECT count(*) FROM page_contents WHERE list_contains($ids::INTEGER[], source_id)"
    bare = """SELECT count(*) FROM (
        FROM urls ANTI JOIN page_contents USING (url_id)
        WHERE list_contains($ids::INTEGER[], urls.source_id) AND fingerprint IS NOT NULL LIMIT 1)"""
    borrowing = """SELECT count(*) FROM borrowed_texts JOIN urls USING (url_id)
        WHERE list_contains($ids::INTEGER[], source_id)"""
    found = int(db.value(own, given))
    if db.value(bare, given):
        with db.temporary():
            stage_borrowed(db)
            found += int(db.value(borrowing, given))
    return found


def text_of(db: Database, url_id: int) -> tuple[int, bool]:
    """The capture whose text a URL has, its own where there is none; whether that is of another
    URL.
    """
    if db.value("SELECT count(*) FROM page_contents WHERE url_id = ?", [url_id]):
        return url_id, False
    with db.temporary():
        stage_borrowed(db)
        lent = "SELECT text_id, elsewhere FROM borrowed_texts WHERE url_id = ?"
        return next(iter(db.rows(lent, [url_id])), (url_id, False))


def has_contents(db: Database) -> bool:
    """Whether the text of any page in the database is known."""
    own = "SELECT count(*) FROM (FROM page_contents SEMI JOIN urls USING (url_id) LIMIT 1)"
    if db.value(own):
        return True
    if not db.value("SELECT count(*) FROM (FROM page_contents LIMIT 1)"):
        return False
    with db.temporary():
        stage_borrowed(db)
        return bool(db.value(BORROWING))


def came_unclustered(db: Database) -> bool:
    """Whether loads came or went since a detection that took near duplicates for one content."""
    return bool(db.value("SELECT EXISTS (FROM near_contents)")) and loads_since(db)


def stage_near_contents(db: Database, hosts: str | None = None) -> None:
    """Make ``near_contents_now`` (sql/functions/80_near_contents), to be read inside the same
    ``db.temporary()``.

    Args:
        hosts: a query that gives the ``host_id`` of those whose pages are read; None is all.
    """
    if "near_contents_now" in db.temporaries:
        return
    if not came_unclustered(db):
        db.run(NOW, only="as_detected")
    elif hosts is None:
        db.run(NOW, only="with_later_loads")
    else:
        db.execute(f"CREATE OR REPLACE TEMP VIEW near_hosts AS {hosts}")
        db.run(NOW, only="of_some_hosts")


def need_contents(db: Database) -> None:
    """Refuse a database without page contents; those of superseded captures that nobody borrows
    do not count.

    Raises:
        DataError: none was loaded with --content.
    """
    if not has_contents(db):
        raise DataError(
            f"{db.path}: no page was loaded with its content; load with --content first: "
            f"replicadb load {db.path} SOURCE --content (and --force, where it is loaded already)"
        )
