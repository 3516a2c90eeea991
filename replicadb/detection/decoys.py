"""Decoys: what match weights chance gives in this crawl (docs/robust.md#decoys).

The shared contents are dealt out anew among the hosts (sql/detect/55_decoys). The pairs that come
of it are measured as candidates are, and weighed by the same tables.

Invariant: only temporary tables are written, and the work is bounded: of a large crawl the pairs of
a sample of hosts are made, ``CONSTANTS.most_decoys`` of them or so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from replicadb.arrays import Floats
from replicadb.detection import blocking
from replicadb.detection.collective import DECIMALS, MILLION
from replicadb.detection.pair_features import PairNames, insert_features
from replicadb.detection.pair_scoring import feature_columns
from replicadb.learning import chance_null
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.chance_null import Chance, Counts
from replicadb.settings import CONSTANTS, Settings
from replicadb.store.database import Database
from replicadb.store.statements import statements

STEM = "detect/55_decoys"
ONCE = "decoys_dealt"
"""The temporary table of :func:`dealt_once`: empty, or what a decoy counts for."""


def chance_in(
    db: Database,
    settings: Settings,
    model: Lookup,
    score_id: np.ndarray,
    n: np.ndarray,
    offset: float,
) -> Chance:
    """Decoys, and how many candidates in the temporary table ``scored`` are more than they.

    Args:
        model: the tables that weighed them.
        score_id, n: their match weights and how many have each (``match_weights``).
        offset: log odds that the class prior adds to a match weight.
    """
    candidates = Counts(score_id / MILLION, n.astype(float))
    with db.temporary(keep=("scored",)):
        counts_for = db.value(f"SELECT counts_for FROM {ONCE}") if ONCE in db.temporaries else None
        if counts_for is None:
            counts_for = _dealt(db, settings, -offset)
        dealt = _weighed(db, model, counts_for, -offset)
    return Chance(candidates, dealt, chance_null.above_chance(candidates, dealt), counts_for)


@contextlib.contextmanager
def dealt_once(db: Database) -> Iterator[None]:
    """While inside, decoys are dealt and measured once, and weighed as often as they are asked for:
    for folds, which have the same candidates and settings, and other tables.
    """
    with db.temporary():
        db.run(STEM, only="decoy_features")
        db.execute(f"CREATE OR REPLACE TEMP TABLE {ONCE} (counts_for DOUBLE)")
        yield


def _dealt(db: Database, settings: Settings, likely: float) -> float:
    """Deal and measure: makes decoy_features; returns what a decoy counts for.

    Args:
        likely: the match weight from which the class prior takes pairs for replicas.
    """
    parameters = blocking.parameters_of(settings, non_replicas=False, low=0, high=2**31 - 1)
    partly = {"partly": CONSTANTS.partly_shared}
    db.run(STEM, parameters | copied(likely) | partly, only="dealt")
    counts_for = _prepare(db, parameters)
    db.run(STEM, only="decoy_features")
    db.run("detect/22_candidate_pairs", parameters, only="content_pairs")
    with db.joined_as_written():
        db.run("detect/35_shared_evidence", parameters, only="shared_evidence")
    with PairNames(db) as names:
        insert_features(db, names, parameters, "decoy_features")
    if ONCE in db.temporaries:
        db.execute(f"INSERT INTO {ONCE} VALUES ($n)", {"n": counts_for})
    return counts_for


def copied(likely: float) -> dict[str, float]:
    """How much two copies have in common; ``likely`` as for :func:`_dealt`."""
    return {
        "several": CONSTANTS.several_shared,
        "mostly": CONSTANTS.mostly_shared,
        "likely": int(np.ceil(likely * MILLION)),
    }


def _weighed(db: Database, model: Lookup, counts_for: float, likely: float) -> Counts:
    """The decoys in decoy_features by match weight, each for so many pairs. Two hosts that share
    several contents themselves are no decoy where they are a likely pair, or where these are most
    of a host: a farm's pages are dealt among its own hosts. What shares one page may be likely by
    chance alone.
    """
    found = db.arrow(
        f"""WITH copies AS (
            SELECT a_id, b_id FROM scored WHERE score_id >= $likely AND shared >= $several
            UNION ALL
            SELECT a_id, b_id FROM pair_features
            WHERE shared >= $several AND containment >= $mostly
        )
        SELECT {feature_columns(model)}
        FROM decoy_features ANTI JOIN copies USING (a_id, b_id)""",
        copied(likely),
    )
    bins = model.bins([found.column(name).to_numpy() for name in model.features])
    strength: Floats = np.round(model.score(bins), DECIMALS)
    distinct, n = np.unique(strength, return_counts=True)
    return Counts(distinct, n.astype(float) * counts_for)


def _prepare(db: Database, parameters: dict[str, Any]) -> float:
    """Make what pairs of the sampled hosts read; returns what a decoy counts for."""
    expected = db.value(statements(STEM)["expected_decoys"])
    part = min(1.0, CONSTANTS.most_decoys / max(expected, 1))
    sample = 1 - np.sqrt(1 - part)  # a pair is made where one of its hosts is in the sample
    db.run(STEM, {"sample": float(sample)}, only="sampled_hosts")
    parameters |= blocking.first_hosts(db)
    parameters["high"] = parameters["last"]
    for name in ("dealt_clusters", "dealt_paths", "dealt_tails"):
        db.run(STEM, only=name)
    blocking.prepare(db, parameters)
    return float(1 / part)
