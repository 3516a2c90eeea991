"""The worst errors of a method's own decision, each with a page of both hosts to open.

Invariant: only pairs that the methods are compared on; the order is total, so the same evaluation
names the same errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.arrays import Floats, Ints
from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.method import Scored
from replicadb.store.statements import statements

SHOWN = 10
"""Half of them wrong flags and half missed replicas, as far as there are so many of each."""


def worst_errors(context: Context, scored: Scored) -> list[dict[str, Any]]:
    """Wrong flags, the strongest first; then replicas that are not flagged, those that share most
    first.

    Returns:
        For each: error (wrong flag, or missed replica), host_a, host_b, probability (None where the
        method gives none), shared (contents in common), gold (what it says of the pair), url_a and
        url_b (None where the host has no page). Empty where the method makes no decision.
    """
    if scored.flagged is None:
        return []
    shared = context.column("shared")
    compared, truth = context.compared, context.truth
    wrong = _first(compared & scored.flagged & ~truth, scored.scores)
    missed = _first(compared & ~scored.flagged & truth, shared)
    half = SHOWN // 2
    wrong = wrong[: max(half, SHOWN - len(missed))]
    rows = np.concatenate([wrong, missed[: SHOWN - len(wrong)]])
    return [
        {
            "error": "missed replica" if truth[row] else "wrong flag",
            "host_a": pages["host_a"],
            "host_b": pages["host_b"],
            "probability": None
            if scored.probability is None
            else round(float(scored.probability[row]), 4),
            "shared": int(shared[row]),
            "gold": _word(context, row),
            "url_a": pages["url_a"],
            "url_b": pages["url_b"],
        }
        for row, pages in zip(rows, _pages(context, rows), strict=True)
    ]


def _first(among: Any, by: Floats) -> Ints:
    """Rows of the first candidates among those, by falling value, ties in the order of ids."""
    rows = np.flatnonzero(among)
    return rows[np.argsort(-by[rows], kind="stable")[:SHOWN]]


def _word(context: Context, row: int) -> str:
    """What the gold calls the pair; '' where it does not name it."""
    at = context.gold_row[row]
    return str(context.gold.word[at]) if at >= 0 else ""


def _pages(context: Context, rows: Ints) -> list[dict[str, Any]]:
    wrong = pa.table(
        {"place": np.arange(len(rows)), "a_id": context.a[rows], "b_id": context.b[rows]}
    )
    with context.db.registered("wrong_pairs", wrong):
        found = context.db.arrow(statements("evaluate/50_worst_errors")["pages_to_open"])
    pages: list[dict[str, Any]] = found.to_pylist()
    return pages
