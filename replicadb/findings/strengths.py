"""How strong the candidates are, what other thresholds would flag, and what method paper learned.

Invariant: counts are whole; expected wrong flags are sums of whole numbers of 2^-20, the same at
any number of threads.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from replicadb.detection import kinds
from replicadb.detection.stage import last_settings
from replicadb.store.database import Database
from replicadb.store.statements import statements

BINS, CELLS = 60, 100
"""Of the histogram, and of a side of the Pareto plane."""
THRESHOLDS = [k / 20 for k in range(1, 20)] + [0.96, 0.97, 0.98, 0.99, 0.995, 0.999]
"""Probabilities (method paper: mean likelihoods) from which one might flag."""
SQL = "report/20_strengths"


def strengths(db: Database) -> dict[str, Any]:
    """Of the last detection.

    Returns:
        ``flags`` (pairs, expected wrong ones, the least strength and probability among them,
            expected replicas among all), ``histogram`` (bins with low, high, n, flagged),
            ``others`` (threshold x, and what ``detect`` would flag from there on, with the same
            kinds and decisions: pairs, wrong, hosts), and of method paper ``plane`` and
            ``passes``.
    """
    sql = statements(SQL)
    given = pa.table({"x": pa.array(THRESHOLDS, pa.float64())})
    with db.temporary(), db.registered("thresholds", given):
        unwanted = {"kinds": kinds.left_out(last_settings(db))}
        for table in ("scored_pairs", "likely_pairs", "untouched"):
            db.run(SQL, unwanted, only=table)
        (flags,) = db.arrow(sql["flags"]).to_pylist()
        others = db.arrow(sql["others"]).to_pylist()
        hosts = dict(db.rows(sql["hosts_of_others"]))
        if flags["replicas"] is None:  # method paper: no probabilities
            others = [row | {"wrong": None} for row in others]
        return {
            "flags": {name if name != "pairs" else "flagged": of for name, of in flags.items()},
            "histogram": _bins(db.arrow(sql["histogram"], {"bins": BINS}).to_pylist()),
            "others": [row | {"hosts": hosts[row["x"]]} for row in others],
            "plane": db.arrow(sql["plane"], {"cells": CELLS}).to_pylist(),
            "passes": db.arrow(sql["passes"]).to_pylist(),
        }


def _bins(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each bin with its bounds; all pairs in one where they are of one strength."""
    found = []
    for row in rows:
        width = (row["high"] - row["low"]) / BINS
        place = row["bin"] or 0
        found.append(
            {
                "low": row["low"] + place * width,
                "high": row["low"] + (place + 1) * width,
                "n": row["n"],
                "flagged": row["flagged"],
            }
        )
    return found
