"""Many pairs scored by a model's tables: values to bins to log odds, in a few array operations a
feature.

Invariant: the bins are those that ``discretise`` describes and the score is that of
``additive_model.Tables.score``, the same for a value wherever it stands; nothing depends on how
many pairs come at once (docs/robust.md#additive-model).
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from replicadb.arrays import Array, Float32s, Floats
from replicadb.learning.additive_model import Tables

Bins = npt.NDArray[np.uint8]

UNSETTLED = 255
"""In a table of prefixes: values with these first bits lie in several bins (or are no numbers)."""


class Lookup:
    """A model ready to score.

    Args:
        cuts: per feature, rising cuts; value v lies in bin 1 + number of cuts below it, NaN in bin
            0; at most 253.
        tables: the model, features in the order of ``cuts``.
    """

    def __init__(self, cuts: Mapping[str, Floats], tables: Tables) -> None:
        self.features, self.tables = tuple(cuts), tables
        self.cuts: dict[str, Floats] = {
            name: np.asarray(values, float) for name, values in cuts.items()
        }
        self._lists = [values.tolist() for values in self.cuts.values()]
        self._settled = [_bins_of_prefixes(tuple(values)) for values in self._lists]
        self._single, self._pairs = _folded(tables)
        self._of_one: _OfOne | None = None

    def bins(self, columns: Sequence[Array]) -> list[Bins]:
        """The bin of each value: per feature a float32 column, (n,), gives a uint8 column, (n,)."""
        if len(columns[0]) == 1:  # arrays cost more to set up than one pair to go through
            values = (float(column[0]) for column in columns)
            return [
                np.array([0 if value != value else 1 + bisect_left(cuts, value)], np.uint8)
                for cuts, value in zip(self._lists, values, strict=True)
            ]
        return [
            self._bins_of(settled, cuts, np.ascontiguousarray(column, np.float32))
            for settled, cuts, column in zip(
                self._settled, self.cuts.values(), columns, strict=True
            )
        ]

    def score(self, bins: Sequence[Bins]) -> Floats:
        """Log odds of each pair, (n,) float64, summed in a fixed order; that of ``Tables.score``
        but for the last digits.
        """
        if len(bins[0]) == 1:
            return self._score_one([int(column[0]) for column in bins])
        total = np.full(len(bins[0]), self.tables.intercept)
        for j, weight in self._single:
            total += weight.take(bins[j])
        wide = [column.astype(np.int16) for column in bins]
        for j, k, width, weight in self._pairs:
            total += weight.take(wide[j] * width + wide[k])
        return total

    def _score_one(self, bins: list[int]) -> Floats:
        """The same of one pair, in plain numbers: arrays cost more to set up than it takes."""
        if self._of_one is None:
            self._of_one = (
                [(j, weight.tolist()) for j, weight in self._single],
                [(j, k, int(width), weight.tolist()) for j, k, width, weight in self._pairs],
            )
        single, pairs = self._of_one
        total = float(self.tables.intercept)
        for j, weight in single:
            total += weight[bins[j]]
        for j, k, width, weight in pairs:
            total += weight[bins[j] * width + bins[k]]
        return np.array([total])

    @staticmethod
    def _bins_of(settled: Bins, cuts: Floats, values: Float32s) -> Bins:
        bits = values.view(np.uint32)
        found: Bins = settled.take((bits >> 16 << 1) | ((bits & 0xFFFF) != 0))
        odd = np.flatnonzero(found == UNSETTLED)
        if len(odd):
            found[odd] = _bins(cuts, values[odd])
        return found


def _bins(cuts: Floats, values: Float32s) -> Bins:
    with np.errstate(invalid="ignore"):  # signalling NaN
        return np.where(
            np.isnan(values), 0, 1 + np.searchsorted(cuts, values.astype(float), side="left")
        ).astype(np.uint8)


@functools.lru_cache(maxsize=128)  # 16 MB at most; the cuts of a prior come again and again
def _bins_of_prefixes(cuts: tuple[float, ...]) -> Bins:
    """(131072,) uint8, by the first 16 bits of a float32 and whether any of the last 16 is set: the
    bin of all such values, or UNSETTLED.

    Values such as 0 or one half, at which cuts stand and which are most common, have no last bits.
    """
    prefix = np.arange(1 << 16, dtype=np.uint32) << 16
    whole, low, high = (
        _bins(np.array(cuts), (prefix | last).view(np.float32)) for last in (0, 1, 0xFFFF)
    )
    return np.column_stack([whole, np.where(low == high, low, UNSETTLED)]).ravel().astype(np.uint8)


_Single = tuple[int, Floats]
"""A feature's place and its weights."""
_Pair = tuple[int, int, np.int16 | np.int32, Floats]
"""Two features' places, the bins of the second, and the weights row by row."""
_OfOne = tuple[list[tuple[int, list[float]]], list[tuple[int, int, int, list[float]]]]
"""Both as plain numbers."""


def _folded(tables: Tables) -> tuple[list[_Single], list[_Pair]]:
    """Single weights put into the table of a pair that has the feature, where there is one: half as
    many to look up.
    """
    single = list(enumerate(tables.single))
    pairs = {jk: weight.copy() for jk, weight in tables.pairs.items()}
    for j, weight in list(single):
        place = next((jk for jk in pairs if j in jk), None)
        if place:
            pairs[place] += weight[:, None] if place[0] == j else weight[None, :]
            single = [(i, w) for i, w in single if i != j]
    return single, [
        (
            j,
            k,
            (np.int16 if weight.size <= np.iinfo(np.int16).max else np.int32)(tables.n_bins[k]),
            np.ascontiguousarray(weight).ravel(),
        )
        for (j, k), weight in pairs.items()
    ]
