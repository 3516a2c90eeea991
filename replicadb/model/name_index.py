"""The names of the known hosts, found without the database.

Invariant: names stand in byte order, so that a name is found by halving.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import polars as pl
import pyarrow as pa

FEW = 1000
"""So many names are found by halving one by one, more by a join with all."""


WWW = re.compile(r"^www[0-9]*[.]")


class NameIndex:
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
        names: np.ndarray = self.all.to_numpy(zero_copy_only=False)
        return names

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

    def nearest(self, name: str, n: int = 3) -> list[str]:
        """The n names most like a name, whether with www or without, by the similarity of Jaro and
        Winkler.
        """
        from rapidfuzz.distance import JaroWinkler
        from rapidfuzz.process import extract

        best: dict[str, float] = {}
        for processor in (None, _bare):
            for other, likeness, _ in extract(
                name, self.objects, scorer=JaroWinkler.similarity, limit=n, processor=processor
            ):
                best[other] = max(best.get(other, 0.0), likeness)
        return sorted(best, key=lambda other: (-best[other], other))[:n]

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


def _bare(name: str) -> str:
    return WWW.sub("", name)
