"""What every method of pages needs: pages that were loaded with their content."""

from __future__ import annotations

from replicadb.errors import DataError
from replicadb.store.database import Database


def has_contents(db: Database) -> bool:
    """Whether any page that is in the database has its content."""
    query = "SELECT count(*) FROM (FROM page_contents SEMI JOIN urls USING (url_id) LIMIT 1)"
    return bool(db.value(query))


def need_contents(db: Database) -> None:
    """Refuse a database without page contents; those of superseded captures do not count.

    Raises:
        DataError: none was loaded with --content.
    """
    if not has_contents(db):
        raise DataError(
            f"{db.path}: no page was loaded with its content; load with --content first: "
            f"replicadb load {db.path} SOURCE --content (and --force, where it is loaded already)"
        )
