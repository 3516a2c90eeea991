"""What only the making of a prior needs: tables with their single features set apart, and the text
of ``prior.json``.

Source: Lengerich et al. (2020), "Purifying interaction effects with the functional ANOVA".
"""

from __future__ import annotations

import json
import re

import numpy as np

from replicadb.learning.additive_model import Tables
from replicadb.learning.prior import Prior

DECIMALS = 3
"""Of a weight in the file."""
MOST_ROUNDS, SETTLED = 200, 1e-9
"""Centring of rows and columns in turn ends where nothing moves by more than SETTLED."""


def purified(tables: Tables, bins, mass, keep: int | None = None) -> Tables:
    """The same model with what one feature alone explains moved out of the pairs, and each table
    centred.

    Afterwards a pair's weights average to 0 along each row and column, a single feature's to 0, by
    the given mass; so contributions are comparable, and the least important pairs can be left out.

    Args:
        bins, mass: (n_patterns, n_features) and (n_patterns,), the population to average over.
        keep: only so many pairs, those of most variance.
    """
    bins, mass = np.asarray(bins), np.asarray(mass, float)
    result = Tables(tables.n_bins, tables.intercept, [w.copy() for w in tables.single])
    pairs = {}
    for (j, k), table in sorted(tables.pairs.items()):
        density = np.bincount(
            bins[:, j] * tables.n_bins[k] + bins[:, k], mass, tables.n_bins[j] * tables.n_bins[k]
        )
        density = density.reshape(table.shape) + 1e-9 * mass.sum()
        table = table.copy()
        for _ in range(MOST_ROUNDS):
            rows = (table * density).sum(axis=1) / density.sum(axis=1)
            table -= rows[:, None]
            columns = (table * density).sum(axis=0) / density.sum(axis=0)
            table -= columns
            result.single[j] += rows
            result.single[k] += columns
            if max(np.abs(rows).max(), np.abs(columns).max()) < SETTLED:
                break
        pairs[j, k] = (float((table**2 * density).sum() / density.sum()), table)
    strongest = sorted(pairs, key=lambda jk: -pairs[jk][0])[:keep]
    result.pairs = {jk: pairs[jk][1] for jk in sorted(strongest)}
    for j, weight in enumerate(result.single):
        density = np.bincount(bins[:, j], mass, tables.n_bins[j])
        mean = float(weight @ density / density.sum())
        weight -= mean
        result.intercept += mean
    return result


def dump(priors: dict[str, Prior]) -> str:
    """The text of ``prior.json``: weights rounded to DECIMALS, a line a row of numbers."""
    text = json.dumps({name: _plain(prior) for name, prior in priors.items()}, indent=1)
    row = re.compile(r"\[\s+([^\[\]]*?)\s+\]")
    return row.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def _plain(prior: Prior) -> dict[str, object]:
    """One prior as JSON has it; ``prior.load`` reads it again."""
    names, tables = prior.features, prior.tables
    ways = {name: np.round(rows, DECIMALS).tolist() for name, rows in prior.variation.items()}
    return {
        "cuts": {name: cuts.tolist() for name, cuts in prior.cuts.items()},
        "intercept": round(tables.intercept, DECIMALS),
        "tail": round(prior.tail, DECIMALS),
        "single": {
            name: np.round(weights, DECIMALS).tolist()
            for name, weights in zip(names, tables.single, strict=True)
        },
        "pairs": {
            f"{names[j]} {names[k]}": np.round(weights, DECIMALS).tolist()
            for (j, k), weights in tables.pairs.items()
        },
        **({"variation": ways} if ways else {}),
    }
