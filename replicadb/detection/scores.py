"""Stage 60: every candidate scored by the method chosen, and put in its place.

Invariant: the order is total (dominance, then stronger evidence, then names), so the same
database gives the same ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replicadb.detection import decided, kinds, published_method, robust_method
from replicadb.settings import CONSTANTS, WEIGHT_SCALE, Settings
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store import foreign_keys
from replicadb.store.database import Database
from replicadb.store.statements import statements

STEM = "detect/69_scores"


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill pattern_scores, what explains them, and ranking (sql/detect/69_scores); nothing where
    there are no candidates.
    """
    foreign_keys.release(db, "internal.settings")
    db.execute("DELETE FROM settings WHERE starts_with(name, 'log_odds_')")  # of an earlier robust
    kinds.put_in_force(db)
    with db.temporary():
        with_decisions = decided.gather(db)
        counts: dict[str, Any] = {}
        if not db.value("SELECT count(*) FROM pair_features"):
            if not with_decisions:
                return {}
            decided.without_candidates(db)
        elif settings.method == "robust":
            counts = robust_method.scores(db, settings, with_decisions)
        else:
            counts = published_method.scores(db, settings)
        if with_decisions:
            decided.put_in_place(db, settings)
        rank(db, settings.first)
        left_out = leave_out(db, kinds.left_out(settings))
        if left_out:
            counts["left_out"] = left_out
        if with_decisions:
            counts["decided_pairs"] = decided.bind(db)
        if "expected_wrong_flags" in counts and (with_decisions or left_out):
            counts["expected_wrong_flags"] = round(_expected_wrong(db), 1)
    if settings.method == "robust" and (thin := too_thin(db)):
        counts["too_thin_to_judge"] = thin
    return counts


def rank(db: Database, first: int | None = None) -> None:
    """Fill ``ranking`` (sql/detect/69_scores) from the temporary table ``scored`` (a_id, b_id,
    score_id, tie, shared, ndist).

    Args:
        first: flag so many, the first (the paper's n); None: those of flagged patterns.
    """
    with db.in_order(), db.joined_as_written():  # else it may build on all pairs
        db.run(STEM, only="ranking")
    if first is not None:
        db.run(STEM, {"first": first}, only="first")


def leave_out(db: Database, unwanted: Sequence[str]) -> dict[str, int]:
    """Do not flag pairs of these kinds, but for those that people decided on.

    Returns:
        How many pairs of each kind that is.
    """
    if not unwanted:
        return {}
    db.run(STEM, only="likely_pairs")
    db.run(STEM, {"kinds": list(unwanted)}, only="other_kinds")
    with db.in_order():
        db.run(STEM, only="left_out")
    db.run(STEM, only="not_asked_for")
    return dict(db.rows(statements(STEM)["left_out_by_kind"]))


def _expected_wrong(db: Database) -> float:
    """How many flags are expected to be wrong, of those that stand when all is decided."""
    given = {"scale": WEIGHT_SCALE}
    return float(db.value(statements(STEM)["expected_wrong"], given)) / WEIGHT_SCALE


def too_thin(db: Database) -> int:
    """How many pairs may be replicas and cannot be judged, since few pages are known."""
    given = {"may_be": CONSTANTS.may_be, "thin_pages": KIND_NUMBERS.thin_pages}
    return int(db.value(statements(STEM)["too_thin"], given))
