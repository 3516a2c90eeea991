"""Every candidate in its place, which is part of stage 60.

Invariant: the order is total (dominance, then stronger evidence, then names), so the same
database gives the same ranking.
"""

from __future__ import annotations

from collections.abc import Sequence

from replicadb.settings import CONSTANTS, WEIGHT_SCALE
from replicadb.stage_constants import KINDS as KIND_NUMBERS
from replicadb.store.database import Database
from replicadb.store.statements import statements


def rank(db: Database, first: int | None = None) -> None:
    """Fill ``ranking`` (sql/detect/70_ranking) from the temporary table ``scored`` (a_id, b_id,
    score_id, tie, shared, ndist).

    Args:
        first: flag so many, the first (the paper's n); None: those of flagged patterns.
    """
    with db.in_order():
        db.run("detect/70_ranking", only="ranking")
    if first is not None:
        db.run("detect/70_ranking", {"first": first}, only="first")


def leave_out(db: Database, kinds: Sequence[str]) -> tuple[dict[str, int], float]:
    """Do not flag pairs of these kinds, but for those that people decided on.

    Returns:
        How many pairs of each kind that is, and how many of them are expected to be wrong.
    """
    if not kinds:
        return {}, 0.0
    db.run("detect/70_ranking", only="likely_pairs")
    db.run("detect/70_ranking", {"kinds": list(kinds)}, only="other_kinds")
    with db.in_order():
        db.run("detect/70_ranking", only="left_out")
    db.run("detect/70_ranking", only="not_asked_for")
    rows = db.rows(statements("detect/70_ranking")["left_out_by_kind"], {"scale": WEIGHT_SCALE})
    return {kind: n for kind, n, _ in rows}, sum(wrong for *_, wrong in rows) / WEIGHT_SCALE


def too_thin(db: Database) -> int:
    """How many pairs may be replicas and cannot be judged, since a host has few known pages."""
    given = {"may_be": CONSTANTS.may_be, "thin_pages": KIND_NUMBERS.thin_pages}
    return int(db.value(statements("detect/70_ranking")["too_thin"], given))
