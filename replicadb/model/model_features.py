"""Features of pairs from what they share: the formulas of sql/detect/40_pair_features, on arrays.

Invariant: each column is what sql/detect/40_pair_features computes for the same pair, in the same
arithmetic (double, rounded to float32 at the end); NULL is NaN. The formulas are explained in the
catalogue, replicadb/detection/evidence.py.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from replicadb.model.name_features import NAME_FEATURES, NameFeatures
from replicadb.model.pair_sums import LANGUAGE, NORMS, Columns, PairSums, comparable

NAN = np.float32("nan")


class Pairs:
    """P pairs with what they share and both sides' figures; :meth:`column` gives a feature.

    Args:
        shared: what they share.
        x, y: each side's norms, n_sections, root and has, (P,) each, by name.
        directed: linked and canonical of each pair, (P,) float32; NaN is none known.
        units: the model's weights of what is no item.
        names: the features that hang on names and addresses.
    """

    def __init__(
        self,
        shared: PairSums,
        x: Columns,
        y: Columns,
        directed: Columns,
        units: dict[str, float],
        names: NameFeatures,
    ) -> None:
        self.shared, self.sums, self.units = shared, shared.sums, units
        self.directed, self.names = directed, names
        self.x, self.y = _norms(x, shared.less[0]), _norms(y, shared.less[1])
        self.sections = [
            (bits, side["n_sections"] + 0.5)
            for bits, side in zip(shared.sections, (x, y), strict=True)
        ]
        self.files_alone = self._in_place_of_pages()
        differ = (x["root"] > 0) & (y["root"] > 0) & (x["root"] != y["root"])
        self.unequal_root = differ & ~shared.home
        self.has = x["has"] | y["has"]
        self.editions = _other_editions(x, y)
        self.languages = [{name: side[name] for name in LANGUAGE} for side in (x, y)]

    def _in_place_of_pages(self) -> np.ndarray:
        """Let files stand in place of pages where neither host has a page; where that is, (P,)
        bool.
        """
        alone: np.ndarray = (
            (self.x["n_contents"] == 0)
            & (self.y["n_contents"] == 0)
            & (self._least("asset_weight") > 0)
        )
        if not alone.any():
            return alone
        own, two, one = (self.units[name] for name in ("own", "two", "one"))
        shared = self.sums["asset_weight"]
        self.sums = self.sums | {
            "weight": np.where(alone, shared * two / one, self.sums["weight"]),
            "same_tail": np.where(alone, shared * two / one / 2, self.sums["same_tail"]),
            "exclusive_weight": np.where(alone, shared, self.sums["exclusive_weight"]),
        }
        for side in (self.x, self.y):
            files = side["asset_weight"]
            side["weight"] = np.where(alone, files * own / one, side["weight"])
            side["exclusive_weight"] = np.where(alone, files, side["exclusive_weight"])
            side["n_contents"] = np.where(alone, files // one, side["n_contents"])
            side["n_borrowed"] = np.where(alone, NAN, side["n_borrowed"])
            side["asset_weight"] = np.where(alone, 0, files)
        return alone

    def column(self, name: str) -> np.ndarray:
        """A feature of every pair, (P,) float32."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._column(name)

    def columns(self, names: Iterable[str]) -> list[np.ndarray]:
        """Several features of every pair, (P,) float32 each."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return [self._column(name) for name in names]

    def _column(self, name: str) -> np.ndarray:
        values = self.names[name]() if name in NAME_FEATURES else getattr(self, f"_{name}")()
        return np.asarray(values, float).astype(np.float32)

    def _least(self, name: str) -> np.ndarray:
        return np.minimum(self.x[name], self.y[name])

    def _both(self, name: str) -> np.ndarray:
        return self.x[name] + self.y[name]

    def _contained(self, name: str, unit: str) -> np.ndarray:
        return self.sums[name] / (self._least(name) + self.units[unit])

    def _in_common(self, name: str, unit: str) -> np.ndarray:
        return self.sums[name] / (self._both(name) - self.sums[name] + self.units[unit])

    def _fullpath(self) -> np.ndarray:
        norm = np.sqrt(self.x["path_weight2"] * self.y["path_weight2"])
        return np.where(norm > 0, self.sums["path_weight2"] / norm, 0)

    def _path_overlap(self) -> np.ndarray:
        norm = np.sqrt(self.x["page_path_weight2"] * self.y["page_path_weight2"])
        return self._of_pages(self.sums["page_path_weight2"] / (norm + self.units["path2"]))

    def _evidence(self) -> np.ndarray:
        return self.sums["weight"] / self.units["two"]

    def _containment(self) -> np.ndarray:
        return self._contained("weight", "own")

    def _resemblance(self) -> np.ndarray:
        return self._in_common("weight", "own")

    def _exclusive_evidence(self) -> np.ndarray:
        return self.sums["exclusive_weight"] / self.units["one"]

    def _exclusive_containment(self) -> np.ndarray:
        return self._contained("exclusive_weight", "one")

    def _exclusive_resemblance(self) -> np.ndarray:
        return self._in_common("exclusive_weight", "one")

    def _agreement(self) -> np.ndarray:
        n = self.sums["n_same_path"]
        agreement: np.ndarray = (n + 1) / (n + self.sums["n_unequal"] + self.unequal_root + 2)
        return agreement

    def _alignment(self) -> np.ndarray:
        own = self.units["own"]
        return (self.sums["same_tail"] + own / 4) / (self.sums["weight"] + own / 2)

    def _reach(self) -> np.ndarray:
        return _either(np.maximum, self._reaches())

    def _reach_both(self) -> np.ndarray:
        return _either(np.minimum, self._reaches())

    def _reaches(self) -> list[np.ndarray]:
        return [self._of_pages(np.bitwise_count(bits) / n) for bits, n in self.sections]

    def _borrowed(self) -> np.ndarray:
        return _either(np.maximum, self._borrowed_shares())

    def _borrowed_both(self) -> np.ndarray:
        return _either(np.minimum, self._borrowed_shares())

    def _borrowed_shares(self) -> list[np.ndarray]:
        each = [
            np.minimum(side["n_borrowed"], side["n_contents"]) / (side["n_contents"] + 1)
            for side in (self.x, self.y)
        ]
        return [np.where(self.sums["weight"] > 0, share, NAN) for share in each]

    def _known_pages(self) -> np.ndarray:
        pages = np.where(self.files_alone, self.sums["shared"], self.sums["n_pages"])
        known = np.where(
            pages > 1,
            np.floor(self._both("n_contents") / 2),
            self._least("n_contents"),
        )
        return np.where(self.sums["weight"] > 0, known, NAN)

    def _names_alike(self) -> np.ndarray:
        found, at = self._where_agreeing()
        nmatch = self.names.of(at).nmatch().astype(np.float32)
        found[at] = np.floor(nmatch * np.float32(10)) / 10
        return found

    def _network_alike(self) -> np.ndarray:
        found, at = self._where_agreeing()
        found[at] = self.names.of(at)["ip3"]()
        return found

    def _where_agreeing(self) -> tuple[np.ndarray, np.ndarray]:
        """NaN of every pair, (P,), and the pairs that share pages and mostly agree at equal paths,
        (m,).
        """
        unequal = self.sums["n_unequal"] + self.unequal_root
        agree = (self.sums["weight"] > 0) & (self.sums["n_same_path"] >= unequal)
        return np.full(len(unequal), NAN), np.flatnonzero(agree)

    def _countries_agree(self) -> np.ndarray:
        same = self.sums["n_same_path"]
        unequal = self.sums["n_unequal"] + self.unequal_root
        disagree = (self.sums["shared"] > 0) & (10 * (same + 1) < 9 * (same + unequal + 2))
        return np.where(disagree, self.editions, NAN)

    def _plain_resemblance(self) -> np.ndarray:
        weight = self.sums["weight"]
        enough = (weight > 0) & (self._least("n_contents") >= 5)
        either = np.where(enough, self._both("weight") - weight, 1)
        return np.where(enough, weight / either, NAN)

    def _tail_overlap(self) -> np.ndarray:
        lesser = self._least("tail_weight") + self.units["own"]
        return self._of_pages(self.sums["tail_weight"] / lesser)

    def _of_pages(self, values: np.ndarray) -> np.ndarray:
        return np.where(self.files_alone, NAN, values)

    def _assets(self, values: np.ndarray) -> np.ndarray:
        return np.where(self._least("asset_weight") > 0, values, NAN)

    def _asset_evidence(self) -> np.ndarray:
        return self._assets(self.sums["asset_weight"] / self.units["one"])

    def _asset_containment(self) -> np.ndarray:
        return self._assets(self._contained("asset_weight", "one"))

    def _asset_resemblance(self) -> np.ndarray:
        return self._assets(self._in_common("asset_weight", "one"))

    def _overlap(self, name: str, unit: str = "one") -> np.ndarray:
        return np.where(self._least(name) > 0, self._contained(name, unit), NAN)

    def _title_overlap(self) -> np.ndarray:
        return self._overlap("title_weight")

    def _link_overlap(self) -> np.ndarray:
        return self._overlap("target_weight")

    def _identifier_overlap(self) -> np.ndarray:
        return self._overlap("identifier_weight", "own")

    def _same_language(self) -> np.ndarray:
        x, y = (side["language"] for side in self.languages)
        shares = [side["language_pages"] / (side["spoken_pages"] + 1) for side in self.languages]
        sure, known = np.maximum(np.minimum(*shares), 0.5), comparable(x, y)
        main = np.where(known, np.where(x == y, sure, 1 - sure), 0.5)
        n = self.sums["n_spoken"]
        found = (self.sums["n_one_language"] + 2 * main) / (n + 2)
        return np.where(known | (n > 0), found, NAN)

    def _linked(self) -> np.ndarray:
        return np.where(self.has & 1 > 0, np.nan_to_num(self.directed["linked"]), NAN)

    def _canonical(self) -> np.ndarray:
        return np.where(self.has & 2 > 0, np.nan_to_num(self.directed["canonical"]), NAN)

    def _size_agreement(self) -> np.ndarray:
        n = self.sums["n_sized"]
        return np.where(n > 0, (self.sums["n_close"] * 10 + 2) / 10 / (n + 2), NAN)

    def _title_agreement(self) -> np.ndarray:
        n = self.sums["n_titles"]
        return np.where(n > 0, (self.sums["n_titled"] * 10 + 2) / 10 / (n + 2), NAN)


def _other_editions(x: Columns, y: Columns) -> np.ndarray:
    """How often the country sites of a name agree, where two hosts differ by their suffixes alone
    and one at least is a country's, (P,) float32; else NaN.
    """
    of_one = (x["family"] > 0) & (x["family"] == y["family"])
    countries = ((x["edition"] | y["edition"]) & 1) > 0
    differ = of_one & (x["edition"] >> 1 != y["edition"] >> 1) & countries
    found: np.ndarray = np.where(differ, x["family_agreement"], NAN)
    return found


def _norms(side: Columns, less: Columns) -> Columns:
    """A side's norms, (P,) float64 each, with what is less for the pairs taken off."""
    norms: Columns = {name: side[name].astype(float) for name in NORMS}
    for name, amount in less.items():
        norms[name] -= amount
    return norms


def _either(choose: np.ufunc, hosts: list[np.ndarray]) -> np.ndarray:
    """The higher or the lower of both hosts' values, (P,)."""
    chosen: np.ndarray = choose(*hosts)
    return chosen
