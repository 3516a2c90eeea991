"""Every candidate in its place, which is part of stage 60.

Invariant: the order is total (dominance, then stronger evidence, then names), so the same
database gives the same ranking.
"""

from __future__ import annotations

from replicadb.store.database import Database


def rank(db: Database) -> None:
    """Fill ``ranking`` (sql/detect/70_ranking) from the temporary table ``scored`` (a_id, b_id,
    score_id, tie, shared, ndist).
    """
    with db.in_order():
        db.run("detect/70_ranking")
