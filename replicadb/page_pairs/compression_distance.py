"""How far two texts are apart by what a compressor makes of them: the modified normalised
compression distance.

Invariant: 0 for equal texts, the same both ways round, never above 1; the engine and level
go with every number, since sizes differ
by engine. Source: Huffman et al. (SIGIR 2007), section 3.2.1: mcd(A, B) = max(|c(AB) - c(AA)|,
|c(AB) - c(BB)|) / max(c(AA), c(BB)) with gzip, after Cilibrasi and Vitanyi (2005).

Departures: texts are cut to CUT bytes, for DEFLATE looks back 32 KB and would not see the first
copy of a longer text; AB is the concatenation in byte order, so that mcd(A, B) = mcd(B, A).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, cast

import numpy as np

from replicadb.arrays import Floats, Ints
from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.page_constants import PAGE_PAIRS

CUT = PAGE_PAIRS.cut_bytes
"""Bytes of a text that are compressed: half of DEFLATE's window."""
GZIP = 31
"""zlib's name for the gzip format with the largest window."""
PIECE = 64
"""Compressions that a thread does at a time."""
LEVELS = {"zlib": (1, 9, 6), "isal": (0, 3, 2)}
"""Lowest, highest and usual level of each engine."""


@dataclass(frozen=True)
class Engine:
    """A compressor at a level; ``label`` is what its numbers are marked with.

    Raises:
        UsageError: no such engine or level, or isal is not installed.
    """

    name: str = "zlib"
    level: int | None = None
    threads: int | None = None
    compress: Callable[[bytes], bytes] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.name not in LEVELS:
            raise UsageError(
                f"no compression engine {self.name!r}{did_you_mean(self.name, LEVELS)}; choose"
                f" one of: {', '.join(LEVELS)}"
            )
        low, high, usual = LEVELS[self.name]
        level = usual if self.level is None else self.level
        if not low <= level <= high:
            raise UsageError(f"{self.name} has levels {low} to {high}, not {level}")
        object.__setattr__(self, "level", level)
        library = _library(self.name)
        object.__setattr__(self, "compress", lambda data: library.compress(data, level, GZIP))

    @property
    def label(self) -> str:
        """As in ``zlib-6``; builds of Python with zlib-ng, whose sizes differ, say so."""
        flavour = "-ng" if self.name == "zlib" and "ng" in zlib.ZLIB_RUNTIME_VERSION else ""
        return f"{self.name}{flavour}-{self.level}"

    def sizes(self, texts: Sequence[bytes]) -> Ints:
        """Compressed size of each text, (n,) int64; on as many threads as there are cores, for
        compressors let go of Python's lock.
        """
        if len(texts) < 2 * PIECE:
            return np.array([len(self.compress(text)) for text in texts], np.int64)
        with ThreadPoolExecutor(self.threads or os.cpu_count() or 1) as pool:
            return np.fromiter(
                pool.map(lambda text: len(self.compress(text)), texts, chunksize=PIECE),
                np.int64,
                len(texts),
            )

    def doubled(self, texts: Sequence[bytes]) -> Ints:
        """c(AA) of each text, (n,) int64; texts as :func:`cut` gives them."""
        return self.sizes([text + text for text in texts])

    def distances(self, a: Sequence[bytes], b: Sequence[bytes], aa: Ints, bb: Ints) -> Floats:
        """mcd of each pair.

        Args:
            a, b: n texts each, as :func:`cut` gives them.
            aa, bb: (n,) c(AA) and c(BB).

        Returns:
            (n,) float64 in 0 to 1.
        """
        ab = self.sizes([x + y if x <= y else y + x for x, y in zip(a, b, strict=True)])
        largest = np.maximum(aa, bb)
        furthest: Floats = np.maximum(np.abs(ab - aa), np.abs(ab - bb)) / np.maximum(largest, 1)
        return np.minimum(furthest, 1.0)


def cut(text: str) -> bytes:
    """A text as the compressor sees it: the first CUT bytes of its UTF-8."""
    return text[:CUT].encode("utf-8", "surrogatepass")[:CUT]


class _Library(Protocol):
    """What zlib and isal_zlib have in common."""

    def compress(self, data: bytes, /, level: int, wbits: int) -> bytes: ...


def _library(name: str) -> _Library:
    if name == "zlib":
        return cast(_Library, zlib)
    try:
        from isal import isal_zlib
    except ImportError as error:
        raise UsageError(
            "engine isal is not installed; install it with: pip install isal, or leave --engine"
            " away"
        ) from error
    return cast(_Library, isal_zlib)
