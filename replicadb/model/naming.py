"""Names of hosts: found, compared, and taken from whatever table pairs come in.

Always true here: names stand in byte order, so that a name is found by halving; ndist and nmatch
are those of ``replicadb.detection.host_names``, ip4 and ip3 those of sql/detect/40_pair_features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa

from replicadb.detection.evidence import about
from replicadb.errors import UsageError
from replicadb.model.host_rows import Rows, matches
from replicadb.model.shared_items import NORMS, SUMS, Shared

if TYPE_CHECKING:
    from replicadb.model.model import Model
    from replicadb.model.new_host_rows import Strangers

FEATURES = about("names", "addresses")
FARTHEST = 255
"""As ``names.FARTHEST``: the most that an edit distance is told as."""
TERMS, ADDRESSES, NETWORKS = 4, 5, 6
FEW = 1000
"""So many names are found by halving one by one, more by a join with all."""


class Names:
    """The names of the known hosts: start (n + 1,) int64 into bytes (m,) uint8."""

    def __init__(self, start: np.ndarray, bytes: np.ndarray) -> None:
        self.start, self.bytes = start, bytes

    def __getitem__(self, place: int) -> str:
        return self._raw(place).decode()

    def _raw(self, place: int) -> bytes:
        return self.bytes[self.start[place] : self.start[place + 1]].tobytes()

    def of(self, places: np.ndarray) -> list[str]:
        """The names at these places."""
        return [self[place] for place in places]

    @cached_property
    def all(self) -> pa.LargeStringArray:
        """Every name, as they lie in the file."""
        return pa.LargeStringArray.from_buffers(
            len(self.start) - 1, pa.py_buffer(self.start), pa.py_buffer(self.bytes)
        )

    @cached_property
    def objects(self) -> np.ndarray:
        """Every name as a Python string, (n,); made when names are compared."""
        return self.all.to_numpy(zero_copy_only=False)

    @cached_property
    def _table(self) -> pl.DataFrame:
        return pl.DataFrame({"name": pl.from_arrow(self.all), "at": np.arange(len(self.start) - 1)})

    def find(self, name: str) -> int:
        """The place of a name, or -1."""
        wanted, low, high = name.encode("utf-8", "surrogatepass"), 0, len(self.start) - 1
        end = high
        while low < high:
            middle = (low + high) // 2
            if self._raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < end and self._raw(low) == wanted else -1

    def find_all(self, names: pl.Series) -> np.ndarray:
        """The place of each name, (m,) int64; -1 where it is not known."""
        if len(names) <= FEW:
            return np.array([self.find(name) if name else -1 for name in names.to_list()], np.int64)
        return (
            pl.DataFrame({"name": names})
            .join(self._table, on="name", how="left", maintain_order="left")["at"]
            .fill_null(-1)
            .to_numpy()
            .copy()
        )


class Comparison(Mapping[str, Callable[[], np.ndarray]]):
    """The features of P pairs that hang on names and addresses, each computed when it is asked for,
    (P,) float32.
    """

    def __init__(self, model: Model, x: np.ndarray, y: np.ndarray, strangers: Strangers) -> None:
        self.model, self.x, self.y, self.strangers = model, x, y, strangers

    def __getitem__(self, name: str) -> Callable[[], np.ndarray]:
        return {
            "ndist": self.ndist,
            "nmatch": self.nmatch,
            "ip4": lambda: self.group(ADDRESSES),
            "ip3": lambda: self.group(NETWORKS),
        }[name]

    def __iter__(self) -> Iterator[str]:
        return iter(FEATURES)

    def __len__(self) -> int:
        return len(FEATURES)

    def ndist(self) -> np.ndarray:
        """Levenshtein distance of the names, at most 255."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        if len(self.x) == 1:
            return np.minimum(
                np.array(
                    [
                        Levenshtein.distance(
                            self._name(self.x[0]), self._name(self.y[0]), score_cutoff=FARTHEST
                        )
                    ]
                ),
                FARTHEST,
            )
        return np.minimum(
            cpdist(
                self._names(self.x),
                self._names(self.y),
                scorer=Levenshtein.distance,
                score_cutoff=FARTHEST,
                dtype=np.uint16,
            ),
            FARTHEST,
        )

    def _name(self, place: int) -> str:
        return (
            self.model.names[place]
            if place < self.model.n
            else self.strangers[place - self.model.n].host.name
        )

    def _names(self, places: np.ndarray) -> np.ndarray:
        names = np.empty(len(places), object)
        known = places < self.model.n
        names[known] = self.model.names.objects[places[known]]
        names[~known] = [self._name(place) for place in places[~known]]
        return names

    @cached_property
    def _labels(self) -> Rows:
        """Labels of the known hosts and, behind them, of the strangers."""
        known = self.model.known
        if not self.strangers:
            return known
        extra = [s.labels for s in self.strangers]
        start = np.append(
            known["label_start"],
            known["label_start"][-1] + np.cumsum([len(labels) for labels in extra]),
        )
        return Rows(
            {
                "label_start": start,
                "label": np.append(
                    known["label"], np.array([i for labels in extra for i in labels], np.uint32)
                ),
            }
        )

    @cached_property
    def _shared(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels that both have: pair (m,) and item (m,)."""
        rows = self._labels
        pair, i, _ = matches(rows, self.x, rows, self.y, "label_start", "label")
        return pair, rows["label"][i]

    def _kind(self, kind: int, item: np.ndarray) -> np.ndarray:
        bounds = self.model.items.bounds
        return np.flatnonzero((item >= bounds[kind]) & (item < bounds[kind + 1]))

    def nmatch(self) -> np.ndarray:
        """Cosine of the names' term vectors; 0 where a name has no term of weight."""
        pair, item = self._shared
        at = self._kind(TERMS, item)
        weight = self.model.items.weight
        found = np.bincount(pair[at], weight[item[at]], len(self.x))
        norm = np.sqrt(self._norm2(self.x) * self._norm2(self.y))
        return np.divide(found, norm, out=np.zeros(len(self.x)), where=norm > 0)

    def _norm2(self, side: np.ndarray) -> np.ndarray:
        rows = self._labels
        hosts, at = np.unique(side, return_inverse=True)
        from replicadb.model.host_rows import expanded

        host, place = expanded(rows["label_start"][hosts], rows["label_start"][hosts + 1])
        item = rows["label"][place]
        terms = self._kind(TERMS, item)
        total = np.bincount(host[terms], self.model.items.weight[item[terms]], len(hosts)).astype(
            float
        )  # of no terms it is whole
        for number, stranger in enumerate(self.strangers):
            total[hosts == self.model.n + number] += stranger.new_terms
        return total[at]

    def group(self, kind: int) -> np.ndarray:
        """1 / (size of the smallest shared group - 1), 0 where none is shared, NaN where a host has
        no known address; a stranger is one more in its group.
        """
        rows, (pair, item) = self._labels, self._shared
        at = self._kind(kind, item)
        size = np.full(len(self.x), np.inf)
        np.minimum.at(size, pair[at], self.model.items.weight[item[at]].astype(float))
        n, size = self.model.n, size + np.maximum(self.x >= self.model.n, self.y >= self.model.n)
        known = np.ones(len(self.x), bool)
        for side in (self.x, self.y):
            hosts, back = np.unique(side, return_inverse=True)
            last = rows["label_start"][hosts + 1] - 1
            has = (last >= rows["label_start"][hosts]) & (
                rows["label"][np.maximum(last, 0)] >= self.model.items.bounds[ADDRESSES]
            )
            has |= (
                np.array(
                    [h >= n and bool(self.strangers[h - n].host.ips) for h in hosts.tolist()], bool
                )
                if self.strangers
                else False
            )
            known &= has[back]
        with np.errstate(divide="ignore"):
            return np.where(known, np.where(np.isinf(size), 0, 1 / np.maximum(size - 1, 1)), np.nan)


def two_columns(pairs: Any) -> tuple[pl.Series, pl.Series]:
    """The two columns of host names of a table or of a sequence of pairs.

    Raises:
        UsageError: it is neither.
    """
    try:
        if isinstance(pairs, Sequence) and not isinstance(pairs, str):
            if any(isinstance(pair, str) or len(pair) != 2 for pair in pairs):
                raise UsageError("each pair must be two host names")
            frame = pl.DataFrame(
                {"host_a": [pair[0] for pair in pairs], "host_b": [pair[1] for pair in pairs]},
                schema={"host_a": pl.String, "host_b": pl.String},
            )
        else:
            frame = (
                pairs
                if isinstance(pairs, pl.DataFrame)
                else (
                    pl.from_arrow(pairs)
                    if hasattr(pairs, "__arrow_c_stream__")
                    else pl.DataFrame(pairs)
                )
            )
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise UsageError(
            "pairs are a table with two columns of host names, or a sequence of two names each:"
            f" {str(error).splitlines()[0]}"
        ) from error
    names = (
        ["host_a", "host_b"] if {"host_a", "host_b"} <= set(frame.columns) else frame.columns[:2]
    )
    if len(names) < 2:
        raise UsageError("pairs need two columns of host names")
    return frame[names[0]].cast(pl.String).alias("host_a"), frame[names[1]].cast(pl.String).alias(
        "host_b"
    )


def joined(
    parts: list[tuple[np.ndarray, Shared, list[dict[str, np.ndarray]]]], n: int
) -> tuple[Shared, list[dict[str, np.ndarray]]]:
    """Pairs that were gone through in parts, each with the places of its pairs, as one."""

    def whole(columns: list[np.ndarray]) -> np.ndarray:
        made = np.zeros(n, np.result_type(*(column.dtype for column in columns)))
        for (at, *_), column in zip(parts, columns, strict=True):
            made[at] = column
        return made

    zeros = [np.zeros(len(at)) for at, *_ in parts]
    got = Shared(
        {name: whole([part.sums[name] for _, part, _ in parts]) for name in SUMS},
        tuple(whole([part.sections[k] for _, part, _ in parts]) for k in (0, 1)),
        tuple(
            {
                name: whole(
                    [
                        part.less[k][name] if part.less else zero
                        for (_, part, _), zero in zip(parts, zeros, strict=True)
                    ]
                )
                for name in NORMS
            }
            for k in (0, 1)
        ),
        whole(
            [
                part.home if part.home is not None else zero > 0
                for (_, part, _), zero in zip(parts, zeros, strict=True)
            ]
        ),
    )
    return got, [
        {name: whole([sides[k][name] for *_, sides in parts]) for name in parts[0][2][k]}
        for k in (0, 1)
    ]
