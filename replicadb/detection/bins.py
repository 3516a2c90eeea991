"""Bins of columns in SQL.

Invariant: a value lies in bin i + 1 when it is above exactly i cuts; NULL is bin 0. SQL and
NumPy agree on it.
"""

from __future__ import annotations

import numpy as np


def bins_of(cuts: np.ndarray) -> list[tuple[int, float | None, float | None]]:
    """Every bin of a feature as (bin, low, high): low < value <= high; bin 0 is NULL, without
    bounds.
    """
    edges = [-np.inf, *cuts.tolist(), np.inf]
    return [(0, None, None)] + [(i + 1, edges[i], edges[i + 1]) for i in range(len(edges) - 1)]


def bin_expressions(cuts: dict[str, np.ndarray]) -> tuple[str, dict[str, float]]:
    """SQL that puts each named column into its bin, as :mod:`replicadb.learning.discretise` numbers
    bins, and its parameters.

    Args:
        cuts: by column, (n_cuts,) rising bounds.

    Returns:
        A SELECT list with a UTINYINT of each column's name, and the values of its parameters.
    """
    parts, parameters = [], {}
    for name, values in cuts.items():
        terms = ["1"]
        for i, value in enumerate(values.tolist()):
            parameters[f"{name}_{i}"] = value
            terms.append(f"({name}::DOUBLE > ${name}_{i})::UTINYINT")
        known = "1" if len(terms) > 1 else f"({name} IS NOT NULL)::UTINYINT"
        parts.append(f"coalesce({' + '.join([known, *terms[1:]])}, 0)::UTINYINT AS {name}")
    return ", ".join(parts), parameters
