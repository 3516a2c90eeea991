"""Many pairs scored by a model's tables: values to bins to log odds, in a few array operations a feature.

Always true here: the bins are those of ``discretise.digitise`` and the score is that of ``boosting.Tables.score``, the same
for a value wherever it stands; nothing depends on how many pairs come at once.
"""

from __future__ import annotations

import numpy as np

from replicadb.learning.boosting import Tables

UNSETTLED = 255
"""In a table of prefixes: values with these first bits lie in several bins (or are no numbers)."""


class Lookup:
    """A model ready to score.

    Args:
        cuts: per feature, rising cuts; value v lies in bin 1 + number of cuts below it, NaN in bin 0; at most 253.
        tables: the model, features in the order of ``cuts``.
    """

    def __init__(self, cuts: dict[str, np.ndarray], tables: Tables) -> None:
        self.features, self.tables = tuple(cuts), tables
        self.cuts = [np.asarray(values, float) for values in cuts.values()]
        self.prefixes = [_bins_of_prefixes(values) for values in self.cuts]
        self.pairs = [(j, k, np.int16(tables.n_bins[k]), np.ascontiguousarray(weight).ravel()) for (j, k), weight in tables.pairs.items()]

    def bins(self, columns: list[np.ndarray]) -> list[np.ndarray]:
        """The bin of each value: per feature a float32 column, (n,), gives a uint8 column, (n,)."""
        return [self._bins_of(j, np.ascontiguousarray(column, np.float32)) for j, column in enumerate(columns)]

    def score(self, bins: list[np.ndarray]) -> np.ndarray:
        """Log odds of each pair, (n,) float64, summed in the order of ``Tables.score``."""
        total = np.full(len(bins[0]), self.tables.intercept)
        for weight, column in zip(self.tables.single, bins, strict=True):
            total += weight[column]
        wide = [column.astype(np.int16) for column in bins]
        for j, k, width, weight in self.pairs:
            total += weight[wide[j] * width + wide[k]]
        return total

    def _bins_of(self, j: int, values: np.ndarray) -> np.ndarray:
        found = self.prefixes[j][values.view(np.uint32) >> 16]
        odd = np.flatnonzero(found == UNSETTLED)
        if len(odd):
            found[odd] = _bins(self.cuts[j], values[odd])
        return found


def _bins(cuts: np.ndarray, values: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # signalling NaN
        return np.where(np.isnan(values), 0, 1 + np.searchsorted(cuts, values.astype(float), side="left")).astype(np.uint8)


def _bins_of_prefixes(cuts: np.ndarray) -> np.ndarray:
    """(65536,) uint8: the bin of all float32 values with these first 16 bits, or UNSETTLED."""
    first = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    last = ((np.arange(1 << 16, dtype=np.uint32) << 16) | 0xFFFF).view(np.float32)
    low, high = _bins(cuts, first), _bins(cuts, last)
    return np.where((low == high) & ~np.isnan(first) & ~np.isnan(last), low, UNSETTLED).astype(np.uint8)
