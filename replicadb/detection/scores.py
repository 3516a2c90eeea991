"""Stage 60: every candidate scored by the method chosen, and put in its place."""

from __future__ import annotations

from typing import Any

from replicadb.detection import decided, kinds, published_method, ranking, robust_method
from replicadb.settings import Settings
from replicadb.store.database import Database


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill pattern_scores, what explains them, and ranking (sql/detect/70_ranking); nothing where
    there are no candidates.
    """
    db.execute("DELETE FROM settings WHERE starts_with(name, 'log_odds_')")  # of an earlier robust
    kinds.put_in_force(db)
    with db.temporary():
        known = decided.know(db)
        counts: dict[str, Any] = {}
        if not db.value("SELECT count(*) FROM pair_features"):
            if not known:
                return {}
            decided.without_candidates(db)
        elif settings.method == "robust":
            counts = robust_method.scores(db, settings, known)
        else:
            counts = published_method.scores(db, settings)
        if known:
            decided.put_in_place(db, settings)
        ranking.rank(db, settings.first)
        left_out, wrong = ranking.leave_out(db, kinds.left_out(settings))
        if left_out:
            counts["left_out"] = left_out
            counts["expected_wrong_flags"] = round(counts["expected_wrong_flags"] - wrong, 1)
        if known:
            counts["decided_pairs"] = decided.bind(db)
    if settings.method == "robust" and (thin := ranking.too_thin(db)):
        counts["too_thin_to_judge"] = thin
    return counts
