"""Pairs scored and hosts looked up from a model, without the database.

Always true here: a pair of known hosts has the strength, probability and flag that detection gave
it, or would have given it had it been a candidate (but for partners that only further candidates
would have shown); the order of a pair's hosts, and how many pairs come at once, change nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from replicadb.errors import DataError, UsageError
from replicadb.model import naming, relational, retrieval
from replicadb.model.decision import DECIMALS, Decision
from replicadb.model.host_rows import Rows, among
from replicadb.model.known_pairs import Candidates
from replicadb.model.model_features import NAN, Pairs
from replicadb.model.model_file import FORMAT, ModelFile
from replicadb.model.new_host_rows import Strangers
from replicadb.model.new_hosts import Host, normal_name
from replicadb.model.shared_items import NORMS, Items, Shared, shared

PIECE_PAIRS = 1 << 16
PIECE_ENTRIES = 1 << 17
"""Pairs scored together: at most so many, with at most so many entries to go through (or one pair),
which stay in the cache.
"""
DIRECTED = ("linked", "canonical")
MATES = 1000
"""Known hosts that a host looked up is scored against: those that share most."""
PARTNERS = "partners"
"""Contribution of the company that a candidate's hosts keep, as ``evidence_of`` names it."""
SIDE = (*NORMS, "n_sections", "root", "has")


@dataclass(frozen=True)
class PairScore:
    """What a model says of one pair."""

    host_a: str
    host_b: str
    strength: float
    """Log odds at equal mass of replicas and others, as in the view ``replicas``."""
    probability: float
    flagged: bool
    known: bool
    """Whether detection had the pair as a candidate."""
    shared: int
    """Contents that both have."""
    features: dict[str, float] = field(repr=False, default_factory=dict)
    """The evidence; NaN is unknown."""
    contributions: dict[str, float] = field(repr=False, default_factory=dict)
    """What each piece of evidence adds to the strength, as ``evidence_of`` has it."""


@dataclass(frozen=True)
class Match:
    """A known host that a host may be a copy of."""

    host: str
    strength: float
    probability: float
    flagged: bool
    shared: int
    """Contents that both have."""
    pages: tuple[str, ...] = ()
    """Some of the paths at which the new host has them (of a host known by name alone: none)."""


class Model:
    """An opened model. Threads may share it.

    Args:
        file: the opened file.
    """

    def __init__(self, file: ModelFile) -> None:
        self.file, self.header, arrays = file, file.header, file.arrays
        self.units: dict[str, float] = self.header["units"]
        self.settings: dict[str, Any] = self.header["settings"]
        self.decision = Decision(self.header["decision"])
        self.known = Rows(arrays, arrays["filter"])
        self.candidates = Candidates(arrays)
        self.partners = relational.Partners(
            *(
                relational.Lists(
                    *(arrays[f"{kind}_{name}"] for name in ("start", "other", "weight", "total"))
                )
                for kind in ("partner", "told")
            )
        )
        self.items = Items(
            np.array(arrays["item_bounds"]),
            arrays["item_weight"],
            arrays["item_exclusive"],
            arrays["item_flags"],
        )
        self.n = len(arrays["weight"])
        self.names = naming.Names(arrays["name_start"], arrays["name_bytes"])
        self._by_name = any(name in naming.FEATURES for name in self.decision.features)

    # -- scoring
    # ------------------------------------------------------------------------------------------

    def score(self, pairs: Any, hosts: Iterable[Host] = ()) -> pl.DataFrame:
        """Score pairs, candidates or not.

        Args:
            pairs: a Polars, pandas or Arrow table whose first two columns (or host_a and host_b)
                are host names, or a sequence of two names each.
            hosts: what is known of hosts that the database does not know; of one that it knows,
                this counts instead.

        Returns:
            host_a, host_b, strength, probability, flagged, known; a row for each pair in the order
            given. A host of which nothing is known but its name shares nothing with any; a row that
            is no pair (a name missing, or twice the same) has NULLs.
        """
        a, b = naming.two_columns(pairs)
        place, strangers = self._places(
            pl.concat([a, b]), {normal_name(host.name): host for host in hosts}
        )
        x, y = place[: len(a)], place[len(a) :]
        good = np.flatnonzero((x >= 0) & (y >= 0) & (x != y))
        found = self._scored(x[good], y[good], strangers)
        missing = np.ones(len(a), bool)
        missing[good] = False
        columns = {}
        for name, values in found.items():
            whole = np.zeros(len(a), values.dtype)
            whole[good] = values
            columns[name] = pl.Series(name, whole)
        frame = pl.DataFrame({"host_a": a, "host_b": b, **columns})
        return (
            frame
            if len(good) == len(a)
            else frame.with_columns(
                pl.when(~pl.Series(missing)).then(pl.col(list(columns))).name.keep()
            )
        )

    def score_pair(self, a: str | Host, b: str | Host) -> PairScore:
        """Score one pair, with its evidence; a host is a name, or a :class:`Host` with what is
        known of it.

        Raises:
            UsageError: twice the same host.
        """
        names, places, unknown = [], [], []
        for host in (a, b):
            name = host.name if isinstance(host, Host) else host
            place = -1 if isinstance(host, Host) else self.find(name)
            if place < 0:
                unknown.append(host if isinstance(host, Host) else Host(normal_name(name)))
                place = self.n + len(unknown) - 1
            names.append(name)
            places.append(place)
        if names[0] == names[1] or places[0] == places[1]:
            raise UsageError(f"{names[0]}: a pair is of two hosts")
        x, y = np.array(places[:1]), np.array(places[1:])
        strangers = Strangers(self, unknown)
        pairs, got = self._pairs(x, y, strangers)
        columns = [pairs.column(name) for name in self.decision.features]
        by_itself, contributions = (
            self.decision.strength(columns),
            self.decision.contributions(columns),
        )
        strength, known = self._as_detected(by_itself, x, y, strangers)
        added = round(float(strength[0] - by_itself[0]), DECIMALS)
        if added:
            contributions[PARTNERS] = added
        probability = self.decision.probability(strength)
        return PairScore(
            *names,
            float(strength[0]),
            float(probability[0]),
            bool(self.decision.flagged(probability)[0]),
            bool(known[0]),
            int(got.sums["shared"][0]),
            {
                name: float(column[0])
                for name, column in zip(self.decision.features, columns, strict=True)
            },
            contributions,
        )

    def lookup(self, host: str | Host, top: int = 10, most: int = MATES) -> list[Match]:
        """Is this host a copy of something known, and of what: known hosts that share content with
        it, the strongest first.

        Args:
            host: a :class:`Host` with its pages, or the name of a host that the database knows.
            top: matches to return.
            most: known hosts to score, those that share most (by rarity).

        Raises:
            DataError: a name that the database does not know.
        """
        if isinstance(host, Host):
            place, strangers = self.n, Strangers(self, [host])
            others, at = retrieval.of_stranger(self, strangers[0], most)
        else:
            place, strangers = self.find(host), Strangers(self)
            if place < 0:
                raise DataError(
                    f"{host}: not a host of this database; give its pages to look it up"
                )
            others, at = retrieval.of_known(self, place, most), {}
        if not len(others):
            return []
        pairs, got = self._pairs(np.full(len(others), place), others, strangers)
        by_itself = self.decision.strength([pairs.column(name) for name in self.decision.features])
        if strangers and most == MATES:
            strangers.partners[0] = self._partners_among(others, by_itself, strangers, 0)
        strength, _ = self._as_detected(by_itself, np.full(len(others), place), others, strangers)
        probability = self.decision.probability(strength)
        flagged = self.decision.flagged(probability)
        order = np.lexsort((others, -got.sums["shared"], -got.sums["weight"], -strength))[:top]
        names = self.names.of(others[order])
        return [
            Match(
                name,
                float(strength[i]),
                float(probability[i]),
                bool(flagged[i]),
                int(got.sums["shared"][i]),
                tuple(at.get(int(others[i]), ())[:5]),
            )
            for name, i in zip(names, order, strict=True)
        ]

    def find(self, name: str) -> int:
        """The place of a known host among all in byte order, from 0; -1 where it is not known."""
        place = self.names.find(name)
        return place if place >= 0 else self.names.find(normal_name(name))

    # -- inside
    # -------------------------------------------------------------------------------------------

    def _as_detected(
        self, by_itself: np.ndarray, x: np.ndarray, y: np.ndarray, strangers: Strangers
    ) -> tuple[np.ndarray, np.ndarray]:
        """The strength of each pair, (P,) float64, with what company adds, and whether it was a
        candidate: then as detection has it.
        """
        stored, known = self.candidates.find(x, y)
        strength = np.where(known, stored, by_itself)
        self._add_company(strength, np.flatnonzero(~known), x, y, strangers)
        return strength, known

    def _add_company(
        self,
        strength: np.ndarray,
        at: np.ndarray,
        x: np.ndarray,
        y: np.ndarray,
        strangers: Strangers,
    ) -> None:
        """Add what company says to the strengths of the pairs ``at``, which are by their own
        evidence.
        """
        if self.decision.stacked is None:
            return
        at = at[relational.possible(strength[at] + self.decision.offset)]
        if not len(at):
            return
        x, y = np.maximum(x[at], y[at]), np.minimum(x[at], y[at])  # a stranger comes first
        lists, place = self.partners, np.zeros(0, np.int64)
        if strangers:
            wanted = set(
                (np.concatenate([x, y])[np.concatenate([x, y]) >= self.n] - self.n).tolist()
            )
            none = relational.NONE, relational.NONE
            each = [
                self._partners_of(strangers, number) if number in wanted else none
                for number in range(len(strangers))
            ]
            lists = relational.Partners(
                *(relational.Lists.of(list(kind)) for kind in zip(*each, strict=True))
            )
            place = np.array([self.find(stranger.host.name) for stranger in strangers], np.int64)
        for chosen, left, right in (
            (x < self.n, self.partners, self.partners),
            ((x >= self.n) & (y < self.n), lists, self.partners),
            (y >= self.n, lists, lists),
        ):
            some = np.flatnonzero(chosen)
            if len(some):
                a, b = (
                    side[some] - (0 if of is self.partners else self.n)
                    for side, of in ((x, left), (y, right))
                )
                same = tuple(
                    side if of is self.partners else place[side]
                    for side, of in ((a, left), (b, right))
                )
                more = relational.added(
                    self.decision.stacked,
                    left,
                    a,
                    right,
                    b,
                    same,
                    strength[at[some]] + self.decision.offset,
                )
                strength[at[some]] = np.round(strength[at[some]] + more, DECIMALS)

    def _partners_of(
        self, strangers: Strangers, number: int
    ) -> tuple[relational.Weights, relational.Weights]:
        """The known hosts that a stranger is probably a replica of, by its own evidence and by what
        company says, found once.
        """
        if number not in strangers.partners:
            others, _ = retrieval.of_stranger(self, strangers[number], MATES)
            pairs, _ = self._pairs(np.full(len(others), self.n + number), others, strangers)
            by_itself = (
                self.decision.strength([pairs.column(name) for name in self.decision.features])
                if len(others)
                else np.zeros(0)
            )
            strangers.partners[number] = self._partners_among(others, by_itself, strangers, number)
        return strangers.partners[number]

    def _partners_among(
        self, others: np.ndarray, by_itself: np.ndarray, strangers: Strangers, number: int
    ) -> tuple[relational.Weights, relational.Weights]:
        """The same where known hosts at places ``others``, rising, have these strengths with the
        stranger, both (m,).
        """
        log_odds = by_itself + self.decision.offset
        own = relational.weights(others, log_odds)
        if self.decision.stacked is None or int(own[1].sum()) < relational.MIN_COMMON * 1000:
            return own, relational.NONE
        place = np.full(len(others), self.find(strangers[number].host.name), np.int64)
        first = relational.measured(
            relational.Lists.of([own]),
            np.zeros(len(others), np.int64),
            self.partners.own,
            others,
            (place, others),
        )
        return own, relational.weights(
            others, log_odds + self.decision.stacked.first(log_odds, first)
        )

    def _places(self, names: pl.Series, hosts: dict[str, Host]) -> tuple[np.ndarray, Strangers]:
        """The place of each name, (m,) int64: known hosts as :meth:`find`, others behind them; -1
        where there is no name.
        """
        place = self.names.find_all(names)
        odd = np.flatnonzero(
            ((place < 0) | names.is_in(list(hosts)).fill_null(False).to_numpy())
            & (names.fill_null("") != "").to_numpy()
        )
        distinct, back = np.unique(names.gather(odd).to_numpy().astype(object), return_inverse=True)
        strangers: dict[str, int] = {}
        found = np.zeros(len(distinct), np.int64)
        for i, text in enumerate(distinct):  # names that are not known as they stand
            name = normal_name(text)
            known = -1 if name in hosts else self.names.find(name)
            found[i] = known if known >= 0 else self.n + strangers.setdefault(name, len(strangers))
        place[odd] = found[back]
        return place, Strangers(self, [hosts.get(name) or Host(name) for name in strangers])

    def _scored(self, x: np.ndarray, y: np.ndarray, strangers: Strangers) -> dict[str, np.ndarray]:
        """Strength, probability, flagged and known of each pair: candidates' as detection has them,
        the others' piece by piece, a thread for each core.
        """
        strength, known = self.candidates.find(x, y)
        others = np.flatnonzero(~known)
        others = others[self._by_size(x[others], y[others])]

        def piece(low: int, high: int) -> None:
            at = others[low:high]
            strength[at] = self._strengths(x[at], y[at], strangers)

        edges = self._edges(x[others], y[others], strangers)
        with ThreadPoolExecutor(min(os.cpu_count() or 1, 8, max(len(edges) - 1, 1))) as pool:
            list(pool.map(piece, edges[:-1], edges[1:]))
        self._add_company(strength, others, x, y, strangers)
        probability = self.decision.probability(strength)
        return {
            "strength": strength,
            "probability": probability,
            "flagged": self.decision.flagged(probability),
            "known": known,
        }

    def _by_size(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """An order of pairs, (m,) int64: by the entries of the host that has more, then by that
        host. To look up among few takes fewer steps, and what is gone through for one pair is in
        the cache for the next. Strangers come last.
        """
        n = np.append(
            np.diff(self.known["start"]),
            np.full(
                max(int(max(x.max(initial=0), y.max(initial=0))) - self.n + 1, 0),
                np.iinfo(np.int32).max,
            ),
        )
        return np.argsort(np.maximum(n[x], n[y]) << 32 | np.where(n[x] > n[y], x, y), kind="stable")

    def _edges(self, x: np.ndarray, y: np.ndarray, strangers: Strangers) -> list[int]:
        """Where to cut the pairs into pieces."""
        start = self.known["start"]
        if strangers:  # whose partners' pages are gone through
            start = start + self.known["page_start"]
        n = np.append(np.diff(start), np.ones(len(strangers), np.int64))
        cost = np.cumsum(np.maximum(n[x], n[y]) if strangers else np.minimum(n[x], n[y]))
        edges, low = [0], 0
        while low < len(x):
            low = min(
                max(
                    int(
                        np.searchsorted(
                            cost, (cost[low - 1] if low else 0) + PIECE_ENTRIES, side="right"
                        )
                    ),
                    low + 1,
                ),
                low + PIECE_PAIRS,
                len(x),
            )
            edges.append(low)
        return edges

    def _strengths(self, x: np.ndarray, y: np.ndarray, strangers: Strangers) -> np.ndarray:
        """Of pairs that share nothing only one of each kind is scored: all others of the kind are
        equal.
        """
        pairs, got = self._pairs(x, y, strangers)
        columns = [pairs.column(name) for name in self.decision.features]
        if self._by_name:
            return self.decision.strength(columns)
        busy = got.any | ~(
            np.isnan(pairs.directed["linked"]) & np.isnan(pairs.directed["canonical"])
        )
        chosen = np.flatnonzero(busy)
        idle = np.flatnonzero(~busy)
        strength = np.empty(len(x))
        strength[chosen] = self.decision.strength([column.take(chosen) for column in columns])
        if len(idle):
            code = pairs.kind()[idle]
            _, first, kind = np.unique(code, return_index=True, return_inverse=True)
            strength[idle] = self.decision.strength([column[idle[first]] for column in columns])[
                kind
            ]
        return strength

    def _pairs(self, x: np.ndarray, y: np.ndarray, strangers: Strangers) -> tuple[Pairs, Shared]:
        """Pairs ready for features, and what they share; places from n on are strangers."""
        if not strangers:
            start = self.known["start"]
            swap = start[x + 1] - start[x] > start[y + 1] - start[y]
            x, y = np.where(swap, y, x), np.where(swap, x, y)
            got = shared(self.items, self.known, x, self.known, y, self.units)
            sides = [{name: self.known[name].take(at) for name in SIDE} for at in (x, y)]
            directed = found_in(self.known["directed"], self.known.arrays, x, y)
        else:
            got, sides, directed, x, y = self._with_strangers(x, y, strangers)
        compare = naming.Comparison(self, x, y, strangers) if self._by_name else {}
        return Pairs(got, *sides, directed, self.units, compare), got

    def _with_strangers(self, x, y, strangers):
        """Pairs of which some have strangers, put together from those that do not, those with one,
        and those of two.
        """
        swap = x < y  # a stranger comes first
        x, y = np.where(swap, y, x), np.where(swap, x, y)
        unknown = strangers.rows
        parts = []
        for at, left, right in (
            (np.flatnonzero(x < self.n), self.known, self.known),
            (np.flatnonzero((x >= self.n) & (y < self.n)), unknown, self.known),
            (np.flatnonzero(y >= self.n), unknown, unknown),
        ):
            i, j = (
                side[at] - (0 if rows is self.known else self.n)
                for side, rows in ((x, left), (y, right))
            )
            parts.append(
                (
                    at,
                    shared(self.items, left, i, right, j, self.units),
                    [
                        {name: rows[name][place] for name in SIDE}
                        for rows, place in ((left, i), (right, j))
                    ],
                )
            )
        theirs, known = (
            found_in(*strangers.directed, x, y),
            found_in(self.known["directed"], self.known.arrays, x, y),
        )
        directed = {name: np.where(x < self.n, known[name], theirs[name]) for name in DIRECTED}
        return (*naming.joined(parts, len(x)), directed, x, y)

    def items_of(self, kind: int, hash: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The item of each hash of one kind, (m,) int64, -1 where there is none; and whether it is
        too common to be one, (m,) bool.
        """
        arrays, low, high = self.file.arrays, *self.items.bounds[kind : kind + 2]
        at = np.searchsorted(arrays["item_hash"][low:high], hash)
        item = np.where(among(arrays["item_hash"][low:high], at, hash), at + low, -1)
        low, high = arrays["common_bounds"][kind : kind + 2]
        common = arrays["common_hash"][low:high]
        return item, among(common, np.searchsorted(common, hash), hash)

    def contents_of(self, fingerprints: np.ndarray) -> np.ndarray:
        """The content of each fingerprint, both as hashes, (m,) uint64: itself, or the cluster of
        near duplicates that it stands in.
        """
        near, content = (self.file.arrays[name] for name in ("near", "near_content"))
        at = np.searchsorted(near, fingerprints)
        there = np.flatnonzero(among(near, at, fingerprints))
        found = fingerprints.copy()
        found[there] = content[at[there]]
        return found

    @cached_property
    def info(self) -> dict[str, Any]:
        """What the model is: versions, settings, counts, checksum; no tables."""
        kept = {
            name: self.header[name]
            for name in (
                "application",
                "replicadb",
                "duckdb",
                "key",
                "site",
                "counts",
                "settings",
                "bytes",
                "sha256",
            )
        }
        decision = {
            name: self.header["decision"][name]
            for name in ("features", "log_odds_offset", "min_probability", "obvious_replicas")
        }
        return {"model": self.file.path, "format": FORMAT, **kept, **decision}


def found_in(
    keys: np.ndarray, columns: Mapping[str, np.ndarray], x: np.ndarray, y: np.ndarray
) -> dict[str, np.ndarray]:
    """linked and canonical of pairs by their keys, (P,) float32; NaN: there is none."""
    wanted = _key(x, y)
    at = np.searchsorted(keys, wanted) if len(keys) else np.zeros(len(x), np.int64)
    there = among(keys, at, wanted)
    return {
        name: np.where(
            there, columns[name][np.minimum(at, len(keys) - 1)] if len(keys) else NAN, NAN
        )
        for name in DIRECTED
    }


def _key(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Each pair as one number, the lower place above."""
    return np.minimum(x, y).astype(np.uint64) << np.uint64(32) | np.maximum(x, y).astype(np.uint64)


def open_model(path: str | Path, verify: bool | None = None) -> Model:
    """Open a model that was exported; see :class:`replicadb.model.model_file.ModelFile` for the
    arguments and errors.
    """
    return Model(ModelFile(path, verify))
