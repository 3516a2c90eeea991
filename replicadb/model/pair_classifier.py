"""The classifier of a model: the tables of evidence as detection left them, the share of replicas,
the threshold of a flag.

Invariant: a strength that detection gave comes out again to its last (sixth) decimal, and so
do its probability and flag.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.detection.collective import DECIMALS, STACKED_FEATURES, Stacked
from replicadb.detection.evidence import EVIDENCE
from replicadb.errors import DataError
from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.additive_model import Tables
from replicadb.learning.calibration import Curve
from replicadb.settings import CONSTANTS, PAIR_KINDS
from replicadb.store.database import Database


def tables_of(db: Database, settings: dict[str, Any]) -> dict[str, Any]:
    """The classifier as the header has it, under ``decision``.

    Raises:
        DataError: an older replicadb detected, which did not keep all that a model needs.
    """
    stored = dict(db.rows("SELECT name, value FROM settings WHERE starts_with(name, 'log_odds_')"))
    if not {"log_odds_constant", "log_odds_flagged"} <= stored.keys():
        raise DataError(
            f"{db.path}: detected by an older replicadb; detect again for a model: replicadb detect"
            f" {db.path}"
        )
    cuts, single, obvious = _weights(db)
    names = list(cuts)
    tables = Tables(
        tuple(len(weights) for weights in single.values()),
        float(stored["log_odds_constant"]),
        list(single.values()),
    )
    for feature, bin, other, other_bin, weight in db.rows(
        "FROM evidence_interactions ORDER BY rowid"
    ):
        pair = names.index(feature), names.index(other)
        table = tables.pairs.setdefault(
            pair, np.zeros((tables.n_bins[pair[0]], tables.n_bins[pair[1]]))
        )
        table[bin, other_bin] = weight
    return {
        "features": names,
        "cuts": {name: values.tolist() for name, values in cuts.items()},
        "intercept": tables.intercept,
        "single": {name: weights.tolist() for name, weights in single.items()},
        "pairs": [[*pair, weights.tolist()] for pair, weights in tables.pairs.items()],
        "shared_neighbours": _stacked() if settings.get("reference") is None else None,
        "log_odds_offset": float(stored["log_odds_offset"]),
        "slope": float(stored["log_odds_slope"]),
        "even": float(stored["log_odds_even"]),
        "min_probability": float(stored.get("log_odds_another") or stored["log_odds_flagged"]),
        "kinds": settings["kinds"].split(","),
        "obvious_replicas": obvious,
    }


def _weights(db: Database) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], int]:
    """Cuts and weights by feature, in their order, and how many obvious replicas there were."""
    rows = db.rows(
        "SELECT feature, bin, high, weight, obvious_replicas FROM evidence_weights ORDER BY rowid"
    )
    cuts: dict[str, list[float]] = {}
    single: dict[str, list[float]] = {}
    obvious: dict[str, int] = {}
    for feature, bin, high, weight, n in rows:
        single.setdefault(feature, []).append(weight)
        obvious[feature] = obvious.get(feature, 0) + n
        cuts.setdefault(feature, [])
        if bin and high is not None and np.isfinite(high):
            cuts[feature].append(high)
    return (
        {name: np.array(values) for name, values in cuts.items()},
        {name: np.array(values) for name, values in single.items()},
        next(iter(obvious.values())),
    )


def _stacked() -> dict[str, Any]:
    """The stacked classifier; not where old hosts were not compared with each other."""
    known = prior.load("shared_neighbours")
    return {
        "cuts": [known.cuts[name].tolist() for name in STACKED_FEATURES],
        "intercept": known.tables.intercept,
        "single": [weights.tolist() for weights in known.tables.single],
        "pairs": [[*pair, weights.tolist()] for pair, weights in known.tables.pairs.items()],
    }


def _lookup(
    names: tuple[str, ...],
    cuts: list[list[float]],
    intercept: float,
    single: list[list[float]],
    pairs: list[list[Any]],
) -> Lookup:
    weights = [np.array(values, float) for values in single]
    for name, edges, of_bins in zip(names, cuts, weights, strict=True):
        if of_bins.shape != (len(edges) + 2,) or sorted(edges) != edges:
            raise ValueError(f"{name}: its bins do not fit its weights")
    sizes = [len(of_bins) for of_bins in weights]
    for j, k, values in pairs:
        if np.shape(values) != (sizes[j], sizes[k]):
            raise ValueError(f"{names[j]} and {names[k]}: a table of another size")
    return Lookup(
        {name: np.array(values, float) for name, values in zip(names, cuts, strict=True)},
        Tables(
            tuple(len(values) for values in weights),
            float(intercept),
            weights,
            {(j, k): np.array(values, float) for j, k, values in pairs},
        ),
    )


class PairClassifier:
    """Features to strengths, strengths to probabilities and flags; from the header's part that
    :func:`tables_of` made.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self.features = tuple(tables["features"])
        if unknown := set(self.features) - {piece.name for piece in EVIDENCE}:
            raise ValueError(f"evidence that is none: {min(unknown)}")
        self.lookup = _lookup(
            self.features,
            [tables["cuts"][name] for name in self.features],
            tables["intercept"],
            [tables["single"][name] for name in self.features],
            tables["pairs"],
        )
        # Models of before have it by another name.
        relational = tables["partners" if "partners" in tables else "shared_neighbours"]
        self.stacked = Stacked(_lookup(STACKED_FEATURES, **relational)) if relational else None
        self.offset, self.min_probability = tables["log_odds_offset"], tables["min_probability"]
        self.curve = Curve(tables["slope"], tables["even"])
        self.asked = np.array([*(kind in tables["kinds"] for kind in PAIR_KINDS), False])

    def strength(self, columns: list[np.ndarray]) -> np.ndarray:
        """Log odds at equal mass, rounded as detection rounds them, (n,) float64; columns as
        ``features`` has them, (n,) float32.
        """
        return np.round(self.lookup.score(self.lookup.bins(columns)), DECIMALS)

    def probability(self, strength: np.ndarray) -> np.ndarray:
        """(n,) float64 in [0, 1], by detection's curve."""
        return self.curve.probabilities(strength)

    def has_kind(self, probability: np.ndarray) -> np.ndarray:
        """Whether a pair is likely enough to have a kind, (n,) bool."""
        enough: np.ndarray = probability >= min(CONSTANTS.may_be, self.min_probability)
        return enough

    def flagged(self, probability: np.ndarray, kind: np.ndarray) -> np.ndarray:
        """(n,) bool; kind: (n,) places in PAIR_KINDS, or behind them."""
        flagged: np.ndarray = (probability >= self.min_probability) & self.asked[kind]
        return flagged

    def contributions(self, columns: list[np.ndarray]) -> dict[str, float]:
        """What each feature of one pair adds to its strength, in log odds; of what two features add
        together, half counts to each.

        Args:
            columns: (1,) the value of each feature, in the order of ``features``.
        """
        bins = [int(column[0]) for column in self.lookup.bins(columns)]
        tables = self.lookup.tables
        added = [float(weights[bin]) for weights, bin in zip(tables.single, bins, strict=True)]
        for (j, k), weights in tables.pairs.items():
            half = weights.item(bins[j], bins[k]) / 2
            added[j] += half
            added[k] += half
        return dict(zip(self.features, added, strict=True))
