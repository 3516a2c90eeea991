"""Stage 50: examples collapsed to distinct combinations of the five features' bins.

Invariant: examples with the same bins are interchangeable for the learners
(docs/method.md#patterns); what reaches Python are distinct values with counts, never pairs.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from replicadb.detection.bins import bin_expressions, bins_of
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.learning import discretise
from replicadb.settings import Settings
from replicadb.store.arrow import insert_frame
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
    """Stage 50, for published methods alone: fill patterns and cuts. Method robust weighs pairs as
    they stream by.
    """
    return make_patterns(db, settings) if settings.published else {}


def make_patterns(db: Database, settings: Settings) -> dict[str, Any]:
    """Discretise the five features and collapse the examples to distinct patterns
    (sql/detect/50_patterns).
    """
    cuts = five_feature_cuts(db, settings)
    insert_frame(
        db,
        "cuts",
        [(name, *bin) for name in PAPER_FEATURES for bin in bins_of(cuts[name])],
        ("feature", "bin", "low", "high"),
    )
    binned, parameters = bin_expressions(cuts)
    with db.temporary():
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE binned AS SELECT label, {binned} FROM {EXAMPLES}",
            parameters,
        )
        db.run("detect/50_patterns")
    return {"patterns": db.value("SELECT count(*) FROM patterns")}


def five_feature_cuts(db: Database, settings: Settings) -> dict[str, np.ndarray]:
    """(n_cuts,) rising cuts of each feature, over all examples; fewer bins where their product
    would pass ``max_patterns``.

    The supervised method (mdl) takes obvious replicas against all others as its classes, says
    itself how many bins there are, and gives zero none of its own.
    """
    assert settings.discretise is not None, "published methods have one"
    cutter, by_labels = CUTTERS[settings.discretise], settings.discretise == "mdl"
    distinct = {name: _distinct_values(db, name) for name in PAPER_FEATURES}

    def cut(name: str, most: int) -> np.ndarray:
        values, counts, _ = distinct[name]
        apart = name in ZERO_OWN_BIN and not by_labels
        return cutter(values, counts, max_bins=most, zero_own_bin=apart)

    most = settings.max_patterns if by_labels else settings.bins
    cuts = {name: cut(name, most + (name in ZERO_OWN_BIN)) for name in PAPER_FEATURES}
    has_null = np.array([distinct[name][2] for name in PAPER_FEATURES], int)
    wanted = np.array([len(cuts[name]) + 1 for name in PAPER_FEATURES]) + has_null
    allowed = discretise.cap_bins(wanted, settings.max_patterns)
    return {
        name: cuts[name] if allowed[i] == wanted[i] else cut(name, int(allowed[i] - has_null[i]))
        for i, name in enumerate(PAPER_FEATURES)
    }


def _distinct_values(db: Database, name: str) -> tuple[np.ndarray, np.ndarray, bool]:
    """Distinct values of a feature, ``(n,)``; counts of [others, obvious replicas], ``(n, 2)``; and
    is NULL among them.
    """
    column = db.arrays(
        f"""SELECT {name}::DOUBLE AS value, count(*) FILTER (label <> 1) AS other,
            count(*) FILTER (label = 1) AS obvious
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
    cuts = {name: bounds["high"][bounds["feature"] == name][:-1] for name in PAPER_FEATURES}
    binned, parameters = bin_expressions(cuts)
    binned = re.sub(r" AS (\w+)", r" AS \1_bin", binned)
    names = {name: f"{name}_bin" for name in PAPER_FEATURES}
    renamed = ", ".join(f"{name} AS {bin}" for name, bin in names.items())
    db.execute(
        f"""CREATE OR REPLACE TEMP TABLE {table} AS SELECT {columns}
        FROM (SELECT *, {binned} FROM pair_features WHERE {where}) AS f
        JOIN (SELECT pattern_id, {renamed} FROM patterns) AS p
        USING ({", ".join(names.values())})""",
        parameters,
    )
