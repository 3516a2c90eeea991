"""Method paper on pairs: the rules that voted, the cut, the passes in which labels moved.

Invariant: transitions are made again from the stored patterns, which gives the stored likelihoods:
same patterns, same settings, same answer. Source: the paper, sections 3.2 and 3.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.detection.published_method import learned
from replicadb.detection.stage import last_settings
from replicadb.learning.em import EMResult
from replicadb.learning.rules import NEGATIVE, POSITIVE
from replicadb.settings import Settings
from replicadb.store.database import Database

DATA = ("PU", "NU")

PLACE = """SELECT count(*) FROM pair_features AS f
    JOIN host_stats AS a ON a.host_id = f.a_id JOIN host_stats AS b ON b.host_id = f.b_id
    JOIN host_stats AS x ON x.host_id = $low JOIN host_stats AS y ON y.host_id = $high
    WHERE f.label = 0 AND (a.host_rank, b.host_rank) < (x.host_rank, y.host_rank)"""
"""How many unlabelled pairs come before one in the schedule ``example``."""


def rule_votes(db: Database, patterns: list[int]) -> dict[int, dict[str, Any]]:
    """What each learner did with some patterns.

    Args:
        patterns: patterns.pattern_id of each.

    Returns:
        For each pattern PU and NU: ``alpha_initial`` and ``alpha`` (likelihood that it is no
            replica, before and after), ``cut`` (of the last of its pairs that was judged; None:
            none), ``movable`` (its unlabelled pairs), ``moved`` (how many of them moved),
            ``moved_in`` (the pass in which the first did, 0 for none), ``passes``, and ``rules``,
            each with its antecedent (bins by feature), label, support and confidence; most
            confident first. And ``pattern``, its bins.
    """
    if not patterns:
        return {}
    settings = last_settings(db)
    return _of_patterns(db, settings, patterns, {x: learned(db, settings, x) for x in DATA})


def votes_on(db: Database, pattern: int, obvious: bool, pair: dict[str, int]) -> dict[str, Any]:
    """What each learner did with one pair: as :func:`rule_votes` of its pattern, but ``moved_in``
    is the pass in which the pair itself moved and ``cut`` what it was last judged by; both are None
    of an obvious replica, which never is. And ``aggregate``, by which of their likelihoods pairs
    are ranked: pareto (both), pu or nu.

    Args:
        pair: low and high, the ids of its hosts.
    """
    settings = last_settings(db)
    results = {data: learned(db, settings, data) for data in DATA}
    votes = _of_patterns(db, settings, [pattern], results)[pattern]
    votes["aggregate"] = settings.aggregate
    for data, result in results.items():
        if obvious:
            votes[data] |= {"moved_in": None, "cut": None}
        elif len(result.example_moved_in):
            place = db.value(PLACE, pair)
            votes[data]["moved_in"] = int(result.example_moved_in[place])
            votes[data]["cut"] = _known(result.example_cut[place])
    return votes


def _of_patterns(
    db: Database, settings: Settings, patterns: list[int], results: dict[str, EMResult]
) -> dict[int, dict[str, Any]]:
    rows = db.arrays(
        f"SELECT pattern_id, {', '.join(PAPER_FEATURES)} FROM patterns ORDER BY pattern_id"
    )
    places = {
        pattern: int(np.flatnonzero(rows["pattern_id"] == pattern)[0]) for pattern in patterns
    }
    return {
        pattern: {"pattern": {name: int(rows[name][at]) for name in PAPER_FEATURES}}
        | {
            data: _votes(result, at, [int(rows[name][at]) for name in PAPER_FEATURES], settings)
            for data, result in results.items()
        }
        for pattern, at in places.items()
    }


def _votes(result: EMResult, at: int, bins: list[int], settings: Settings) -> dict[str, Any]:
    """What one learner did with the pattern at a place."""
    return {
        "alpha_initial": float(result.alpha_initial[at]),
        "alpha": float(result.alpha[at]),
        "cut": _known(result.cut[at]),
        "movable": int(result.movable[at]),
        "moved": int(result.moved[at]),
        "moved_in": int(result.moved_in[at]),
        "passes": result.n_iter,
        "rules": _rules(result.pool.supports[result.pool.antecedent_ids[at]], bins, settings),
    }


def _known(cut: np.floating[Any]) -> float | None:
    return None if np.isnan(cut) else float(cut)


def _rules(supports: np.ndarray, bins: list[int], settings: Settings) -> list[dict[str, Any]]:
    """The rules inside a pattern by their supports, which stand in the order of bit masks."""
    found = []
    for mask, counts in enumerate(supports.tolist(), 1):
        antecedent = {name: bins[j] for j, name in enumerate(PAPER_FEATURES) if mask >> j & 1}
        for label, word in ((POSITIVE, "replica"), (NEGATIVE, "no replica")):
            if counts[label] >= settings.min_support:
                found.append(
                    {
                        "antecedent": antecedent,
                        "label": word,
                        "support": counts[label],
                        "confidence": counts[label] / sum(counts),
                    }
                )
    return sorted(found, key=lambda rule: (-rule["confidence"], -rule["support"]))
