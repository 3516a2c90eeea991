"""Features of pairs from what they share: the formulas of sql/detect/40_pair_features, on arrays.

Always true here: each column is what sql/detect/40_pair_features computes for the same pair, in the
same arithmetic (double, rounded to float32 at the end); NULL is NaN. Where a formula is explained:
the header of sql/detect/40_pair_features.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from replicadb.model.shared_items import NORMS, Shared

NAN = np.float32("nan")


class Pairs:
    """P pairs with what they share and both sides' figures; :meth:`column` gives a feature.

    Args:
        got: what they share.
        x, y: each side's norms, n_sections, root and has, (P,) each, by name.
        directed: linked and canonical of each pair, (P,) float32; NaN is none known.
        units: the model's weights of what is new.
        names: of the paper's features that hang on names and addresses, by name, functions that
            compute the column.
    """

    def __init__(
        self,
        got: Shared,
        x: dict[str, np.ndarray],
        y: dict[str, np.ndarray],
        directed: dict[str, np.ndarray],
        units: dict[str, float],
        names: dict[str, Callable[[], np.ndarray]],
    ) -> None:
        self.got, self.sums, self.units, self.directed, self.names = (
            got,
            got.sums,
            units,
            directed,
            names,
        )
        self.x, self.y = ({name: side[name].astype(float) for name in NORMS} for side in (x, y))
        if got.less is not None:
            for side, less in zip((self.x, self.y), got.less, strict=True):
                for name in NORMS:
                    side[name] = side[name] - less[name]
        self.sections = [
            (bits, side["n_sections"] + 0.5)
            for bits, side in zip(got.sections, (x, y), strict=True)
        ]
        self.unequal_root = (x["root"] > 0) & (y["root"] > 0) & (x["root"] != y["root"])
        if got.home is not None:
            self.unequal_root &= ~got.home
        self.has = x["has"] | y["has"]

    def column(self, name: str) -> np.ndarray:
        """A feature of every pair, (P,) float32."""
        if name in self.names:
            return self.names[name]().astype(np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(getattr(self, f"_{name}")(), float).astype(np.float32)

    def kind(self) -> np.ndarray:
        """What all the features of a pair that shares nothing hang on, names and addresses aside,
        (P,) ints.
        """
        lesser = [self._least(name) > 0 for name in ("asset_weight", "title_weight")]
        return sum(
            bit.astype(np.int64) << k
            for k, bit in enumerate(
                [*lesser, self.unequal_root, self.has & 1 > 0, self.has & 2 > 0]
            )
        )

    def _least(self, name: str) -> np.ndarray:
        return np.minimum(self.x[name], self.y[name])

    def _both(self, name: str) -> np.ndarray:
        return self.x[name] + self.y[name]

    def _contained(self, name: str, unit: str) -> np.ndarray:
        return self.sums[name] / (self._least(name) + self.units[unit])

    def _in_common(self, name: str, unit: str) -> np.ndarray:
        return self.sums[name] / (self._both(name) - self.sums[name] + self.units[unit])

    def _fullpath(self):
        norm = np.sqrt(self.x["path_weight2"] * self.y["path_weight2"])
        return np.where(norm > 0, self.sums["path_weight2"] / norm, 0)

    def _path_overlap(self):
        norm = np.sqrt(self.x["page_path_weight2"] * self.y["page_path_weight2"])
        return self.sums["page_path_weight2"] / (norm + self.units["path2"])

    def _evidence(self):
        return self.sums["weight"] / self.units["two"]

    def _containment(self):
        return self._contained("weight", "own")

    def _resemblance(self):
        return self._in_common("weight", "own")

    def _exclusive_evidence(self):
        return self.sums["exclusive_weight"] / self.units["one"]

    def _exclusive_containment(self):
        return self._contained("exclusive_weight", "one")

    def _exclusive_resemblance(self):
        return self._in_common("exclusive_weight", "one")

    def _agreement(self):
        n = self.sums["n_same_path"]
        return (n + 1) / (n + self.sums["n_unequal"] + self.unequal_root + 2)

    def _alignment(self):
        own = self.units["own"]
        return (self.sums["same_tail"] + own / 4) / (self.sums["weight"] + own / 2)

    def _reaches(self):
        return [np.bitwise_count(bits) / sections for bits, sections in self.sections]

    def _reach(self):
        return np.maximum(*self._reaches())

    def _reach_both(self):
        return np.minimum(*self._reaches())

    def _borrowed_shares(self):
        each = [
            np.minimum(side["n_borrowed"], side["n_contents"]) / (side["n_contents"] + 1)
            for side in (self.x, self.y)
        ]
        return [np.where(self.sums["weight"] > 0, share, NAN) for share in each]

    def _borrowed(self):
        return np.maximum(*self._borrowed_shares())

    def _borrowed_both(self):
        return np.minimum(*self._borrowed_shares())

    def _tail_overlap(self):
        return self.sums["tail_weight"] / (self._least("tail_weight") + self.units["own"])

    def _assets(self, values):
        return np.where(self._least("asset_weight") > 0, values, NAN)

    def _asset_evidence(self):
        return self._assets(self.sums["asset_weight"] / self.units["one"])

    def _asset_containment(self):
        return self._assets(self._contained("asset_weight", "one"))

    def _asset_resemblance(self):
        return self._assets(self._in_common("asset_weight", "one"))

    def _overlap(self, name: str):
        lesser = self._least(name)
        return np.where(lesser > 0, self.sums[name] / (lesser + self.units["one"]), NAN)

    def _title_overlap(self):
        return self._overlap("title_weight")

    def _linked(self):
        return np.where(self.has & 1 > 0, np.nan_to_num(self.directed["linked"]), NAN)

    def _canonical(self):
        return np.where(self.has & 2 > 0, np.nan_to_num(self.directed["canonical"]), NAN)

    def _size_agreement(self):
        n = self.sums["n_sized"]
        return np.where(n > 0, (self.sums["n_close"] * 10 + 2) / 10 / (n + 2), NAN)

    def _title_agreement(self):
        n = self.sums["n_titles"]
        return np.where(n > 0, (self.sums["n_titled"] * 10 + 2) / 10 / (n + 2), NAN)
