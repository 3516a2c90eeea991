"""Options of the page methods: each with its default, unit and source. Numbers that no option
changes stand in :mod:`replicadb.page_constants`; others in this room bound memory or time, or
belong to one formula.

A :class:`PageOptions` is immutable; those of each run are written to the table ``fingerprints``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

from replicadb.changeable import is_number, plain_number
from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.page_constants import PAGE_METHODS
from replicadb.settings import Changeable, setting

Method = Literal["exact", "simhash", "minhash", "rp", "rp+hm", "mwo"]
Level = Literal["raw", "text", "normalised"]
Order = Literal["df", "weight"]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True)
class PageOptions(Changeable):
    """How pages are compared; ``replicadb fingerprint --help`` says which belongs to
    which method.
    """

    stop_words: str | None = setting(
        None, "language or file", "all page methods that see terms: words to leave out"
    )
    stem: str | None = setting(
        None, "language", "all page methods that see terms: Snowball stemmer on the vocabulary"
    )
    seed: int = setting(0, "", "random projection, MinHash")
    level: Level = setting(
        "normalised", "choice", "exact: bytes, text, or text without digits, dates and white space"
    )
    bits: int = setting(
        3, "bits of 64", "simhash: pages differ by at most so many (Manku et al. 2007: 3)"
    )
    shingle: int = setting(5, "terms", "minhash: Broder et al. 1997 with w = 5")
    permutations: int = setting(128, "hashes", "minhash")
    threshold: float | None = setting(
        None,
        "0 to 1",
        f"minhash: Jaccard (default {PAGE_METHODS.minhash_threshold}); mwo: t (default"
        f" {PAGE_METHODS.mwo_threshold}; the paper: 0.5)",
    )
    dimensions: int = setting(
        32, "components", "rp: m; on generated pages 16 is worse, 64 no better"
    )
    damping: float = setting(
        0.1, "0 to 1", "rp+hm: d, how much of a page's map comes from the pages that it links to"
    )
    rounds: int = setting(4, "iterations", "rp+hm: 3 to 5 in the paper")
    eps_rp: float = setting(
        0.02,
        "difference",
        "rp, rp+hm: at most so far in every component; generated pages break even there, and of"
        " real pairs 99 % have a cosine of 0.9",
    )
    eps_hm: float = setting(
        0.02, "difference", "rp+hm: at most so far in every component of the map"
    )
    min_weight: float = setting(
        0.0, "share of a page", "mwo: T of the dynamic thresholding; terms below are dropped"
    )
    order: Order = setting(
        "df", "choice", "mwo: terms by rising document frequency, or by rising weight"
    )
    exact: bool = setting(False, "", "mwo: all pairs with MWO >= t, whatever their Jaccard")
    max_pairs: int = setting(
        50_000_000,
        "pairs, 0 is no cap",
        "exact, simhash, minhash: more matches are refused before they are written",
    )
    chains: bool = setting(
        False, "", "clusters: connected components as they are, without the guard against chains"
    )

    def __post_init__(self) -> None:
        for item in fields(self):
            object.__setattr__(self, item.name, plain_number(getattr(self, item.name)))
        for name, choices in (("level", get_args(Level)), ("order", get_args(Order))):
            if getattr(self, name) not in choices:
                value = getattr(self, name)
                raise UsageError(
                    f"{name} cannot be {value!r}{did_you_mean(value, choices)}; choose one of:"
                    f" {', '.join(choices)}"
                )
        for name, low, high in (
            ("bits", 0, 8),
            ("shingle", 1, 50),
            ("permutations", 16, 1024),
            ("dimensions", 1, 256),
            ("rounds", 1, 50),
            ("seed", 0, (1 << 64) - 1),
        ):
            whole = type(getattr(self, name)) is int
            if not (whole and low <= getattr(self, name) <= high):
                raise UsageError(
                    f"{name} must lie between {low} and {high}, not {getattr(self, name)!r}"
                )
        if not (is_number(self.max_pairs) and self.max_pairs >= 0):
            raise UsageError(f"max_pairs must be 0 (no cap) or more, not {self.max_pairs!r}")
        for name in ("threshold", "damping", "eps_rp", "eps_hm", "min_weight"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and 0 <= value <= 1):
                raise UsageError(
                    f"{name.replace('_', '-')} must lie between 0 and 1, not {value!r}"
                )
        if self.damping == 1:
            raise UsageError("damping must be less than 1, or the map never settles")
