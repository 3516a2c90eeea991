"""Stages 50 and 60 of method paper: examples collapsed to patterns in SQL, decided in ``learning``,
written back per pattern.

Always true here: what reaches Python are distinct values and distinct patterns with counts, never
pairs (the ``example`` schedule, which is the paper's Algorithm 2 to the letter, gets one pattern
number per example).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from replicadb.detection import robust_method
from replicadb.detection.bins import bin_expressions, bins_of
from replicadb.detection.evidence import FEATURES
from replicadb.learning import discretise, em, pareto
from replicadb.learning.rules import NEGATIVE, POSITIVE, RulePool
from replicadb.settings import Settings
from replicadb.store.arrow import insert_arrow, insert_frame
from replicadb.store.database import Database

ZERO_OWN_BIN = ("nmatch", "ip4", "ip3", "fullpath")
"""Skewed features, in which zero deserves a bin of its own (docs/method.md#discretisation)."""
EXAMPLES = "(FROM pair_features UNION ALL FROM non_replicas)"
"""All that is learned from: obvious replicas, unlabelled candidates, obvious non-replicas."""
CUTTERS = {
    "frequency": discretise.equal_frequency_cuts,
    "width": discretise.equal_width_cuts,
    "mdl": discretise.mdl_cuts,
}


def patterns(db: Database, settings: Settings) -> dict[str, Any]:
    """Discretise the five features and collapse the examples to distinct patterns
    (sql/detect/50_patterns).
    """
    cuts = five_feature_cuts(db, settings)
    insert_frame(
        db,
        "cuts",
        [(name, *bin) for name in FEATURES for bin in bins_of(cuts[name])],
        ("feature", "bin", "low", "high"),
    )
    binned, parameters = bin_expressions(cuts)
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE binned AS SELECT label, {binned} FROM {EXAMPLES}", parameters
    )
    db.run("detect/50_patterns")
    return {"patterns": db.value("SELECT count(*) FROM patterns")}


def five_feature_cuts(db: Database, settings: Settings) -> dict[str, np.ndarray]:
    """Cuts of each feature over all examples; fewer bins where their product would pass
    ``max_patterns``.

    The supervised method (mdl) takes obvious replicas against all others as its classes.
    """
    distinct = {name: _distinct_values(db, name) for name in FEATURES}

    def cut(name: str, most: int) -> np.ndarray:
        values, counts, _ = distinct[name]
        return CUTTERS[settings.discretise](
            values, counts, max_bins=most, zero_own_bin=name in ZERO_OWN_BIN
        )

    cuts = {name: cut(name, settings.bins + (name in ZERO_OWN_BIN)) for name in FEATURES}
    has_null = np.array([distinct[name][2] for name in FEATURES], int)
    wanted = np.array([len(cuts[name]) + 1 for name in FEATURES]) + has_null
    allowed = discretise.cap_bins(wanted, settings.max_patterns)
    return {
        name: cuts[name] if allowed[i] == wanted[i] else cut(name, int(allowed[i] - has_null[i]))
        for i, name in enumerate(FEATURES)
    }


def _distinct_values(db: Database, name: str) -> tuple[np.ndarray, np.ndarray, bool]:
    """Distinct values of a feature, ``(n,)``; counts of [others, obvious replicas], ``(n, 2)``; and
    is NULL among them.
    """
    column = db.arrays(
        f"""SELECT {name}::DOUBLE AS value, count(*) FILTER (label <> 1) AS other, count(*) FILTER (label = 1) AS obvious
                           FROM {EXAMPLES} GROUP BY {name} ORDER BY {name}"""
    )
    values = column["value"].astype(float)
    known = ~np.isnan(values)
    return (
        values[known],
        np.column_stack([column["other"], column["obvious"]])[known].astype(np.int64),
        not known.all(),
    )


def with_patterns(db: Database, table: str, columns: str, where: str = "true") -> None:
    """Make a temporary table of candidates with their pattern_id: as the view pair_patterns, in one
    pass over the pairs.
    """
    bounds = db.arrays("SELECT feature, high FROM cuts WHERE bin > 0 ORDER BY feature, bin")
    cuts = {name: bounds["high"][bounds["feature"] == name][:-1] for name in FEATURES}
    binned, parameters = bin_expressions(cuts)
    binned = re.sub(r" AS (\w+)", r" AS \1_bin", binned)
    db.execute(
        f"""CREATE OR REPLACE TEMP TABLE {table} AS SELECT {columns}
        FROM (SELECT *, {binned} FROM pair_features WHERE {where}) AS f
        JOIN (SELECT pattern_id, {", ".join(f"{name} AS {name}_bin" for name in FEATURES)} FROM patterns) AS p
        USING ({", ".join(f"{name}_bin" for name in FEATURES)})""",
        parameters,
    )


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """Score every candidate by the method chosen; makes the temporary table ``scored``, if there
    are candidates at all.
    """
    if not db.value("SELECT count(*) FROM pair_features"):
        return {}
    return (
        robust_method.scores(db, settings)
        if settings.method == "robust"
        else paper_scores(db, settings)
    )


def paper_scores(db: Database, settings: Settings) -> dict[str, Any]:
    """PU and NU transitions and their Pareto aggregation (paper sections 3.3 to 3.5)."""
    column = db.arrays("SELECT * FROM patterns ORDER BY pattern_id")
    n = column["obvious_replicas"] + column["unlabelled"]
    positive = {
        "PU": _learn(db, settings, "PU", column["unlabelled"]),
        "NU": _learn(db, settings, "NU", column["unlabelled"]),
    }
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
            "flagged": (pu > 0.5) & (nu > 0.5),
            "n": n,
        },
        where=n > 0,
    )
    with_patterns(
        db,
        "scored",
        "a_id, b_id, pattern_id AS score_id, (evidence * containment)::FLOAT AS tie, shared, ndist",
    )
    return {
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


def _learn(db: Database, settings: Settings, data: str, movable: np.ndarray) -> em.EMResult:
    """One learner: supports by SQL (the view rule_supports), transitions on top, its
    history kept.
    """
    supports = db.arrays(
        f"""SELECT {", ".join(f"coalesce({name}::INTEGER, -1) AS {name}" for name in FEATURES)},
        obvious_replicas, unlabelled, obvious_non_replicas FROM rule_supports"""
    )
    negative, positive = (
        ("unlabelled", "obvious_replicas")
        if data == "PU"
        else ("obvious_non_replicas", "unlabelled")
    )
    bins = db.arrays(f"SELECT {', '.join(FEATURES)} FROM patterns ORDER BY pattern_id")
    pool = RulePool.from_supports(
        [supports[name] for name in FEATURES],
        supports[negative],
        supports[positive],
        bins=np.column_stack([bins[name] for name in FEATURES]).astype(np.int64),
        min_support=settings.min_support,
    )
    order = None
    if settings.schedule == "example":
        with_patterns(db, "unlabelled", "a_id, b_id, pattern_id", "label = 0")
        order = db.arrays(
            """SELECT pattern_id FROM unlabelled JOIN host_stats AS a ON a.host_id = a_id
            JOIN host_stats AS b ON b.host_id = b_id ORDER BY a.host_rank, b.host_rank"""
        )["pattern_id"]
        db.execute("DROP TABLE unlabelled")
    result = em.transitions_of(
        pool,
        movable.astype(np.int64),
        data=data,
        schedule=settings.schedule,
        order=order,
        cut=settings.threshold if settings.cut == "global" else settings.cut,
    )
    rows = (
        [
            (
                data,
                0,
                0,
                int(pool.counts[:, POSITIVE].sum()),
                int(pool.counts[:, NEGATIVE].sum()),
                "start",
            )
        ]
        if not result.history
        else []
    )
    total = int(result.counts.sum())
    rows += [
        (
            data,
            p.number,
            p.moved_examples,
            p.positives,
            total - p.positives,
            f"{p.moved_patterns} patterns; most: pattern {p.largest_pattern} ({p.largest_moved})"
            + (
                ""
                if result.converged or p is not result.history[-1]
                else "; stopped before it converged"
            ),
        )
        for p in result.history
    ]
    insert_frame(
        db, "em_history", rows, ("learner", "pass", "moved", "positive", "negative", "detail")
    )
    return result
