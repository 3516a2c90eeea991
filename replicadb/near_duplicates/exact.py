"""Exact duplicates: pages whose digest is equal, of the bytes, of the decoded text, or of the text
with digits, dates and white space folded.

Invariant: the pairs' connected components are the sets of equal digests, however large;
every pair scores 1.
Source: docs/method.md#exact; the digests are made when a page is loaded (page_text.py).
SQL: near_duplicates/20_pair_expansion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.pair_expansion import write_pairs
from replicadb.store.database import Database

if TYPE_CHECKING:
    from replicadb.near_duplicates.query_page import QueryPage

DIGESTS = {"raw": "raw_digest", "text": "text_digest", "normalised": "normal_digest"}
"""The column of page_contents for each level."""


def find(db: Database, options: PageOptions, query: QueryPage | None = None) -> dict[str, Any]:
    """Write the pairs of equal digest into the temporary table ``found`` (a_id, b_id, score).

    Args:
        options: level.
        query: a page from outside; then only its pairs, a_id = -1, never a star. One without a
            digest of that level has none.

    Returns:
        pages = pages with a digest, keys = distinct digests, stars, pairs_not_written and pairs as
        :func:`pair_expansion.write_pairs`; with ``query`` pages and pairs.

    Raises:
        LimitError: more pairs than max_pairs.

    Complexity: O(pages + pairs), pairs <= pages * FAN_OUT / 2.
    """
    stage_texts(db)
    db.run("near_duplicates/20_pair_expansion", {"level": options.level}, only="page_digests")
    if query is not None:
        digest = getattr(query.content, DIGESTS[options.level])
        db.run("near_duplicates/20_pair_expansion", {"digest": digest}, only="query_digest")
        return {
            "pages": db.value("SELECT count(*) FROM page_keys"),
            "pairs": db.value("SELECT count(*) FROM found"),
        }
    db.run("near_duplicates/20_pair_expansion", only="no_near_keys")
    return write_pairs(db, options.max_pairs, "raise --max-pairs")
