"""Pairs scored and hosts looked up from a model, without the database.

Invariant: a candidate has the strength, probability and flag that detection gave it. Any other pair
of known hosts gets those that detection would have given it; neighbours that only further
candidates would show are left out. The order of a pair's hosts, and how many pairs come at once,
change nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from replicadb.detection.collective import DECIMALS
from replicadb.detection.kinds import kinds_of
from replicadb.errors import DataError, UsageError, need_count
from replicadb.model import retrieval
from replicadb.model.collective_scorer import CollectiveScorer
from replicadb.model.input_pairs import two_columns
from replicadb.model.known_hosts import KnownHosts
from replicadb.model.model_check import finite, problem_of
from replicadb.model.model_file import FORMAT, ModelFile
from replicadb.model.new_host_rows import NewHosts
from replicadb.model.new_hosts import Host, normal_name
from replicadb.model.pair_classifier import PairClassifier
from replicadb.model.pair_scorer import PairScorer
from replicadb.settings import PAIR_KINDS
from replicadb.web.urls import given_host, host_name, spellings

RELATIONAL = "shared_neighbours"
"""Contribution of relational evidence, as ``evidence_of`` names it."""
SHOWN_PAGES = 5
NAMED = pl.Series("kind", [*PAIR_KINDS, None], pl.String)
"""The kinds, and none behind them."""
INFO = (
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
INFO_OF_CLASSIFIER = ("features", "log_odds_offset", "min_probability", "kinds", "obvious_replicas")
"""What the header says of the model, and of its classifier, that ``info`` repeats."""


@dataclass(frozen=True)
class PairScore:
    """What a model says of one pair."""

    host_a: str
    host_b: str
    strength: float
    """Log odds at equal mass of replicas and others, as in the view ``replicas``."""
    probability: float
    flagged: bool
    kind: str | None
    """What the two look like, as in the view ``replicas``; None = hardly a copy."""
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
    kind: str | None
    """What the two look like; None = hardly a copy."""
    shared: int
    """Contents that both have."""
    keep: str
    """The host that its group keeps; itself where it is in none."""
    pages: tuple[str, ...] = ()
    """Some of the paths at which the new host has them (of a host known by name alone: none)."""


DAMAGED = (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError)
"""What a header raises that does not say what a model's does."""


class Model:
    """An opened model. Threads may share it.

    Args:
        file: the opened file.
    """

    def __init__(self, file: ModelFile) -> None:
        self.file, self.header = file, file.header
        try:
            self.settings: dict[str, Any] = dict(self.header["settings"])
            self.classifier = PairClassifier(self.header["decision"])
            problem = problem_of(file.arrays, file.verified)
            if problem is None and not finite(self.header):
                problem = "a number that is none"
        except DAMAGED as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            raise file.damaged(problem)
        self.known = KnownHosts(file)
        self.local = PairScorer(self.known, self.classifier)
        self.scorer = CollectiveScorer(self.local, file.arrays)
        self.n, self.names = self.known.n, self.known.names

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process, it is opened there."""
        return _reopened, (os.path.abspath(self.file.path), self.header.get("key"))

    def find(self, name: str) -> int:
        """The place of a known host, in any spelling, among all in byte order, from 0; -1 where it
        is not known.
        """
        return self.known.find(given_host(name))

    def nearest(self, name: str, n: int = 3) -> list[str]:
        """The names of the n known hosts that are most like a name.

        Raises:
            UsageError: n is below 0.
        """
        return self.names.nearest(spellings(name)[-1], need_count("n", n))

    def score(self, pairs: Any, hosts: Iterable[Host] = ()) -> pl.DataFrame:
        """Score pairs, candidates or not.

        Args:
            pairs: a Polars, pandas or Arrow table whose first two columns (or host_a and host_b)
                are host names, or a sequence of two names each.
            hosts: what is known of hosts that the database does not know; of one that it knows,
                this counts instead.

        Returns:
            host_a, host_b, strength, probability, flagged, kind, known, shared (contents that both
            have); a row for each pair in the order given. A host of which nothing is known but its
            name shares nothing with any; a row that is no pair (a name missing, or no host's, or
            twice the same) has NULLs.
        """
        a, b = two_columns(pairs)
        by_name = {host.name: host for host in hosts}
        place, new = self._places(pl.concat([a, b]), by_name)
        x, y = place[: len(a)], place[len(a) :]
        good = np.flatnonzero((x >= 0) & (y >= 0) & (x != y))
        strength, known, shared = self.scorer.strengths(x[good], y[good], new)
        probability = self.classifier.probability(strength)
        kind, flagged = self._judged(
            probability, lambda likely: self.local.kinds(x[good[likely]], y[good[likely]], new)
        )
        missing = np.ones(len(a), bool)
        missing[good] = False
        columns: dict[str, pl.Series] = {}
        for name, values in (
            ("strength", strength),
            ("probability", probability),
            ("flagged", flagged),
            ("kind", kind),
            ("known", known),
            ("shared", shared),
        ):
            whole = np.zeros(len(a), values.dtype)
            whole[good] = values
            columns[name] = pl.Series(name, whole)
        columns["kind"] = NAMED.gather(columns["kind"])
        frame = pl.DataFrame({"host_a": a, "host_b": b, **columns})
        if len(good) == len(a):
            return frame
        scored = pl.when(~pl.Series(missing)).then(pl.col(list(columns))).name.keep()
        return frame.with_columns(scored)

    def _judged(
        self, probability: np.ndarray, kinds: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """What pairs look like, (P,) places in NAMED, and whether they are flagged, (P,) bool;
        ``kinds`` is asked for likely pairs, by their places among the P.
        """
        likely = np.flatnonzero(self.classifier.has_kind(probability))
        kind = np.full(len(probability), len(PAIR_KINDS))
        if len(likely):
            kind[likely] = kinds(likely)
        return kind, self.classifier.flagged(probability, kind)

    def _places(self, names: pl.Series, hosts: dict[str, Host]) -> tuple[np.ndarray, NewHosts]:
        """The place of each name, (m,) int64: known hosts as :meth:`find`, others behind them; -1
        where there is no name, or one that no host can have.
        """
        place = self.names.find_all(names)
        given = names.is_in(list(hosts)).fill_null(False).to_numpy()
        named = (names.fill_null("") != "").to_numpy()
        odd = np.flatnonzero(((place < 0) | given) & named)
        distinct, back = np.unique(names.gather(odd).to_numpy().astype(object), return_inverse=True)
        new: dict[str, int] = {}
        found = np.zeros(len(distinct), np.int64)
        for i, text in enumerate(distinct):  # names that are not known as they stand
            name = normal_name(text)
            known = -1 if name in hosts else self.known.find(text)
            if known < 0 and (name in hosts or host_name(name)):
                known = self.n + new.setdefault(name, len(new))
            found[i] = known
        place[odd] = found[back]
        return place, NewHosts(self.known, [hosts.get(name) or Host(name) for name in new])

    def score_pair(self, a: str | Host, b: str | Host) -> PairScore:
        """Score one pair, with its evidence; a host is a name, or a :class:`Host` with what is
        known of it.

        Raises:
            UsageError: twice the same host. DataError: a name that no host can have.
        """
        names, places, unknown = [], [], []
        for host in (a, b):
            name = host.name if isinstance(host, Host) else host
            place = -1 if isinstance(host, Host) else self.find(name)
            if place < 0:
                unknown.append(host if isinstance(host, Host) else Host(name))
                place = self.n + len(unknown) - 1
            names.append(name)
            places.append(place)
        if names[0] == names[1] or places[0] == places[1]:
            raise UsageError(f"{names[0]}: a pair is of two hosts")
        x, y = np.array(places[:1]), np.array(places[1:])
        new = NewHosts(self.known, unknown)
        pairs = self.local.pairs(x, y, new)
        columns = self.local.columns(pairs)
        local = self.classifier.strength(columns)
        contributions = self.classifier.contributions(columns)
        strength, known = self.scorer.as_detected(local, x, y, new)
        added = round(float(strength[0] - local[0]), DECIMALS)
        if added:
            contributions[RELATIONAL] = added
        probability = self.classifier.probability(strength)
        kind, flagged = self._judged(probability, lambda _: kinds_of(pairs.column, 1))
        features = zip(self.classifier.features, columns, strict=True)
        return PairScore(
            host_a=names[0],
            host_b=names[1],
            strength=float(strength[0]),
            probability=float(probability[0]),
            flagged=bool(flagged[0]),
            kind=NAMED[int(kind[0])],
            known=bool(known[0]),
            shared=int(pairs.sums["shared"][0]),
            features={name: float(column[0]) for name, column in features},
            contributions=contributions,
        )

    def lookup(self, host: str | Host, top: int = 10) -> list[Match]:
        """Is this host a copy of something known, and of what: known hosts that share content with
        it, the strongest first.

        Args:
            host: a :class:`Host` with its pages, or the name of a host that the database knows.
            top: matches to return.

        Raises:
            DataError: a name that the database does not know. UsageError: ``top`` is below 0.
        """
        top = need_count("top", top)
        at: dict[int, list[str]] = {}
        if isinstance(host, Host):
            place, new = self.n, NewHosts(self.known, [host])
            others, at = retrieval.of_new_host(self.known, new[0])
        else:
            place, new = self.find(host), NewHosts(self.known)
            if place < 0:
                raise DataError(
                    f"{host}: not a host of this database; give its pages to look it up"
                )
            others = retrieval.of_known(self.known, place)
        if not len(others):
            return []
        x = np.full(len(others), place)
        pairs = self.local.pairs(x, others, new)
        local = self.local.strength(pairs)
        if len(new):
            self.scorer.remember(new, 0, others, local)
        strength, _ = self.scorer.as_detected(local, x, others, new)
        probability = self.classifier.probability(strength)
        kind, flagged = self._judged(
            probability, lambda likely: kinds_of(pairs.column, len(others))[likely]
        )
        shared, weight = pairs.sums["shared"], pairs.sums["weight"]
        order = np.lexsort((others, -shared, -weight, -strength))[:top]
        found = others[order]
        kept = self.known.rows["kept"].take(found)
        return [
            Match(
                name,
                float(strength[i]),
                float(probability[i]),
                bool(flagged[i]),
                NAMED[int(kind[i])],
                int(shared[i]),
                keep,
                tuple(at.get(int(others[i]), ())[:SHOWN_PAGES]),
            )
            for name, keep, i in zip(self.names.of(found), self.names.of(kept), order, strict=True)
        ]

    @cached_property
    def info(self) -> dict[str, Any]:
        """What the model is: versions, settings, counts, checksum; no tables."""
        whole = {name: self.header[name] for name in INFO}
        classifier = {name: self.header["decision"][name] for name in INFO_OF_CLASSIFIER}
        return {"model": self.file.path, "format": FORMAT, **whole, **classifier}


def open_model(path: str | Path, verify: bool | None = None) -> Model:
    """Open a model that was exported; see :class:`replicadb.model.model_file.ModelFile` for the
    arguments and errors.
    """
    return Model(ModelFile(path, verify))


def _reopened(path: str, key: Any) -> Model:
    """The model that another process had opened.

    Raises:
        DataError: another one has taken its place.
    """
    model = open_model(path, verify=False)
    if model.header.get("key") != key:
        raise DataError(f"{path}: another model has taken the place of the one that was sent")
    return model
