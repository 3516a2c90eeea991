"""Stage 60 by methods paper and thesis: PU and NU transitions, and their Pareto aggregation.

Invariant: what reaches Python are distinct patterns with counts, never pairs. The
``example`` schedule, which is the paper's Algorithm 2 to the letter, gets one pattern number per
example.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.detection.patterns import with_patterns
from replicadb.learning import em, pareto
from replicadb.learning.rules import NEGATIVE, POSITIVE, RulePool
from replicadb.settings import CONSTANTS, Schedule, Settings
from replicadb.store.arrow import insert_arrow, insert_frame
from replicadb.store.database import Database


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """PU and NU transitions and their Pareto aggregation (paper §3.3 to §3.5, Algorithm 3)."""
    column = db.arrays("SELECT * FROM patterns ORDER BY pattern_id")
    n = column["obvious_replicas"] + column["unlabelled"]
    schedule = schedule_of(settings, int(column["unlabelled"].sum()))
    positive = {data: learned(db, settings, data) for data in ("PU", "NU")}
    for data, result in positive.items():
        names = ("learner", "pass", "moved", "positive", "negative", "detail")
        insert_frame(db, "em_history", _history(data, result), names)
    pu, nu = (1 - positive[data].alpha for data in ("PU", "NU"))
    first, second = {"pareto": (pu, nu), "pu": (pu, pu), "nu": (nu, nu)}[settings.aggregate]
    frontier = np.zeros(len(n), bool)
    frontier[n > 0] = pareto.frontier(first[n > 0], second[n > 0])
    insert_arrow(
        db,
        "pattern_scores",
        {
            "score_id": column["pattern_id"],
            "pu_score": pu,
            "nu_score": nu,
            "strength": (first + second) / 2,
            "dominates": pareto.dominance(first, second, n),
            "frontier": frontier,
            "flagged": flags(pu, nu) & (settings.first is None),
            "n": n,
        },
        where=n > 0,
    )
    with_patterns(
        db,
        "scored",
        "a_id, b_id, pattern_id AS score_id, (evidence * containment)::FLOAT AS tie, shared, ndist",
    )
    return {"schedule": schedule} | {
        f"{data}_{what}": value
        for data in ("PU", "NU")
        for what, value in (
            ("transitions", int(positive[data].moved.sum())),
            (
                "transitions_per_pass",
                " + ".join(f"{p.moved_examples:,}" for p in positive[data].history) or "0",
            ),
        )
    }


def schedule_of(settings: Settings, unlabelled: int) -> Schedule:
    """The schedule that was asked for, else Algorithm 2's own while that takes a minute or two."""
    small = unlabelled <= CONSTANTS.most_examples
    return settings.schedule or ("example" if small else "pattern")


def flags(pu: Floats, nu: Floats) -> Bools:
    """(m,) which patterns are flagged where no n is given. Ours: the papers leave n open."""
    both: Bools = (pu > 0.5) & (nu > 0.5)
    return both


def learned(db: Database, settings: Settings, data: str) -> em.EMResult:
    """One learner, PU or NU, on the stored patterns: supports by SQL (the view rule_supports),
    transitions on top. Patterns stand in the order of their numbers.
    """
    supports = db.arrays(
        f"""SELECT {", ".join(f"coalesce({f}::INTEGER, -1) AS {f}" for f in PAPER_FEATURES)},
        obvious_replicas, unlabelled, obvious_non_replicas FROM rule_supports"""
    )
    negative, positive = (
        ("unlabelled", "obvious_replicas")
        if data == "PU"
        else ("obvious_non_replicas", "unlabelled")
    )
    bins = db.arrays(
        f"SELECT {', '.join(PAPER_FEATURES)}, unlabelled FROM patterns ORDER BY pattern_id"
    )
    pool = RulePool.from_supports(
        [supports[name] for name in PAPER_FEATURES],
        supports[negative],
        supports[positive],
        bins=np.column_stack([bins[name] for name in PAPER_FEATURES]).astype(np.int64),
        min_support=settings.min_support,
    )
    order = None
    schedule = schedule_of(settings, int(bins["unlabelled"].sum()))
    if schedule == "example":
        with db.temporary():
            with_patterns(db, "unlabelled", "a_id, b_id, pattern_id", "label = 0")
            order = db.arrays(
                """SELECT pattern_id FROM unlabelled JOIN host_stats AS a ON a.host_id = a_id
                JOIN host_stats AS b ON b.host_id = b_id ORDER BY a.host_rank, b.host_rank"""
            )["pattern_id"]
    return em.transitions_of(
        pool,
        bins["unlabelled"].astype(np.int64),
        data=data,
        schedule=schedule,
        order=order,
        cut=settings.alpha if settings.cut == "global" else settings.cut,
    )


def _history(data: str, result: em.EMResult) -> list[tuple[Any, ...]]:
    """Rows of em_history; a row of pass 0 where there was nothing to move."""
    if not result.history:
        counts = result.counts
        positive, negative = (int(counts[:, label].sum()) for label in (POSITIVE, NEGATIVE))
        return [(data, 0, 0, positive, negative, "start")]
    total, rows = int(result.counts.sum()), []
    for p in result.history:
        moved = f"{p.moved_patterns} patterns; most: pattern {p.largest_pattern}"
        detail = f"{moved} ({p.largest_moved})"
        if p is result.history[-1] and not result.converged:
            detail += "; stopped before it converged"
        rows.append((data, p.number, p.moved_examples, p.positives, total - p.positives, detail))
    return rows
