"""From keys to pages: the pairs of pages whose keys are equal or near, for the methods that compare
keys and not pages.

Invariant: the pairs' connected components are those of all pairs, however many pages have
one key; every pair stands once. The many copies of one page (a redirect's target, an error page)
are what makes pairs quadratic, so they become stars. SQL:
near_duplicates/20_pair_expansion.
"""

from __future__ import annotations

from replicadb.errors import LimitError
from replicadb.page_constants import PAGE_METHODS
from replicadb.store.database import Database

FAN_OUT = PAGE_METHODS.fan_out
"""A key of more pages than this is written as a star around its least URL: n - 1 pairs in place of
n (n - 1) / 2.
"""

MATCHES = "pairs of pages"
SIGNATURES = "pairs of signatures to compare"


def write_pairs(db: Database, max_pairs: int, advice: str) -> dict[str, int]:
    """Write ``found`` (a_id, b_id, score) from the temporary tables ``page_keys`` and
    ``near_keys``.

    Args:
        max_pairs: more pairs than so many are refused before they are made; 0 is no limit.
        advice: what makes them fewer, for the message.

    Returns:
        pages = pages with a key, keys = distinct keys, stars = keys of too many pages for all their
        pairs, pairs_not_written = what those would have had more among their own pages, pairs =
        rows of ``found``.

    Raises:
        LimitError: more than max_pairs.

    Complexity: O(pages + near keys + pairs).
    """
    for statement in ("keys", "expected"):
        db.run("near_duplicates/20_pair_expansion", {"fan_out": FAN_OUT}, only=statement)
    names = ("pages", "keys", "stars", "pairs_not_written", "pairs")
    counts = dict(zip(names, db.rows(f"SELECT {', '.join(names)} FROM expected")[0], strict=True))
    refuse_above(counts["pairs"], max_pairs, MATCHES, advice)
    for statement in ("star_centres", "representatives", "found"):
        db.run("near_duplicates/20_pair_expansion", only=statement)
    return counts


def refuse_above(pairs: int, most: int, what: str, advice: str) -> None:
    """Raise when there are more pairs than may be; 0 is no limit.

    Raises:
        LimitError: more than ``most``.
    """
    if most and pairs > most:
        raise LimitError(f"more than {most:,} {what} would come; {advice}")
