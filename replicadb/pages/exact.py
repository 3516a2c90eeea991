"""Exact duplicates: pages whose digest is equal, of the bytes, of the decoded text, or of the text with digits, dates and white space folded.

Always true here: the pairs' connected components are the sets of equal digests, however large; every pair scores 1.
Source: METHOD section 11; the digests are made when a page is loaded (extract.py). SQL: 92_exact_digests.
"""

from __future__ import annotations

from typing import Any

from replicadb.database import Database
from replicadb.errors import UsageError
from replicadb.pages.options import PageOptions

DIGESTS = {"raw": "raw_digest", "text": "text_digest", "normalised": "normal_digest"}
"""The column of page_contents for each level."""

FAN_OUT = 100
"""A digest of more pages than this is written as a star around its lowest id: n - 1 pairs in place of n (n - 1) / 2."""


def find(db: Database, options: PageOptions, asked: Any = None) -> dict[str, Any]:
    """Write the pairs of equal digest into the temporary table ``found`` (a_id, b_id, score).

    Args:
        options: level.
        asked: a page from outside; then only its pairs, a_id = -1, never a star.

    Returns:
        pages = pages compared, digests = sets of two or more equal pages, stars = sets too large for all their pairs,
        pairs_not_written = what those would have had more, pairs = pairs written.

    Raises:
        UsageError: the page from outside has no digest of that level (rendered or empty text).

    Complexity: O(pages + pairs), pairs <= pages * FAN_OUT / 2.
    """
    db.run("92_exact_digests", {"level": options.level}, only="page_digests")
    if asked is not None:
        digest = getattr(asked.content, DIGESTS[options.level])
        if digest is None:
            raise UsageError(f"the page has no digest at level {options.level}; choose another with --level")
        db.run("92_exact_digests", {"digest": digest}, only="asked_found")
        return {"pages": db.value("SELECT count(*) FROM page_digests"), "pairs": db.value("SELECT count(*) FROM found")}
    db.run("92_exact_digests", {"fan_out": FAN_OUT}, only="equal_pages")
    db.run("92_exact_digests", {"fan_out": FAN_OUT}, only="found")
    names = ("pages", "digests", "stars", "pairs_not_written", "pairs")
    return dict(zip(names, db.rows("""SELECT
        (SELECT count(*) FROM page_digests), count(*), count(*) FILTER (star),
        coalesce(sum(n * (n - 1) // 2 - (n - 1)) FILTER (star), 0)::BIGINT, (SELECT count(*) FROM found)
        FROM (SELECT digest, any_value(n) AS n, any_value(star) AS star FROM equal_pages GROUP BY digest)""")[0], strict=True))
