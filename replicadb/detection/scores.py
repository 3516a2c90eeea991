"""Stage 60: every candidate scored by the method chosen, and put in its place."""

from __future__ import annotations

from typing import Any

from replicadb.detection import published_method, ranking, robust_method
from replicadb.settings import Settings
from replicadb.store.database import Database


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill pattern_scores, what explains them, and ranking (sql/detect/70_ranking); nothing where
    there are no candidates.
    """
    db.execute("DELETE FROM settings WHERE starts_with(name, 'log_odds_')")  # of an earlier robust
    if not db.value("SELECT count(*) FROM pair_features"):
        return {}
    method = robust_method if settings.method == "robust" else published_method
    with db.temporary():
        counts: dict[str, Any] = method.scores(db, settings)
        ranking.rank(db, settings.first)
    if settings.method == "robust" and (thin := ranking.too_thin(db)):
        counts["too_thin_to_judge"] = thin
    return counts
