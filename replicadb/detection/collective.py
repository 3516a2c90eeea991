"""Collective classification: match weights corrected by relational evidence, the second half of
method robust (docs/robust.md#collective, sql/detect/62_collective).

Two hosts that are both probably replicas of the same others are likelier to be replicas of each
other. A host's *neighbours* are the hosts that it is probably a replica of, each counted by its
probability.

Invariant: only candidates that may be replicas by their local evidence (from
POSSIBLE on) are corrected, and a correction is a function of the pair's local evidence and of
others', so the order of rows changes nothing. What relational evidence adds was learned from the
generated crawls that taught the prior, beside each pair's local log odds
(``training/fit_collective.py``): a classifier on top of
what another says of a pair's neighbours (Kou and Cohen, 2007, "Stacked graphical models for
efficient inference in Markov random fields"). In large groups neighbours are weighed anew by the
corrected log odds, pass after pass, until nothing changes. Neighbours whose weights conflict do not
count for a pair. Otherwise two farms with a page in common would become one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.class_prior import logistic
from replicadb.learning.shared_neighbours import SURE, SharedNeighbours
from replicadb.settings import CONSTANTS
from replicadb.store.database import Database
from replicadb.under_way import each

STACKED_FEATURES = ("own_log_odds", "overlap")
"""What is weighed, by the prior's names; more overlap never adds less."""
POSSIBLE, NEIGHBOUR = CONSTANTS.possible, CONSTANTS.neighbour
MAX_NEIGHBOURS, MIN_COMMON = CONSTANTS.max_neighbours, CONSTANTS.min_common
CONFLICTING, MAX_PASSES = CONSTANTS.conflicting, CONSTANTS.max_passes
STEM = "detect/62_collective"
SLICE = 500_000
"""Pairs whose shared neighbours are counted at a time: with two million 1 GB was not enough."""
DECIMALS, MILLION = 6, 1_000_000
"""A match weight is stored in millionths, as a whole number: its score_id."""


@dataclass(frozen=True)
class RelationalEvidence:
    """What the neighbours of n pairs' hosts say, each (n,) float32; sql/detect/62_collective has
    the definitions.
    """

    common: np.ndarray
    """Neighbours that both have (expected)."""
    overlap: np.ndarray
    """Their share of those that either has; NaN where neither has one but the other."""
    correlation: np.ndarray
    """Of their weights with the one host and with the other; NaN where all weigh the same."""

    @property
    def enough(self) -> np.ndarray:
        """(n,) bool: so many in common that a further pass reads them."""
        return self.common >= MIN_COMMON

    @property
    def conflicting(self) -> np.ndarray:
        """(n,) bool: so many, and their weights conflict: they are no evidence for the pair."""
        return self.enough & (self.correlation < CONFLICTING)


class Stacked:
    """The stacked classifier: what relational evidence adds to a pair's local log odds, as the
    prior ``shared_neighbours`` or a model's copy of it has it.
    """

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def adds(self, local: np.ndarray, overlap: np.ndarray) -> np.ndarray:
        """(n,) float64, rounded to DECIMALS; local (n,) log odds, overlap (n,) float32."""
        columns = [np.round(local, 9).astype(np.float32), overlap]
        return np.round(self.lookup.score(self.lookup.bins(columns)), DECIMALS)

    def first(self, local: np.ndarray, evidence: RelationalEvidence) -> np.ndarray:
        """What the first pass adds, (n,) float64, where neighbours are weighed by local evidence:
        nothing above 0 where they conflict.
        """
        added = self.adds(local, evidence.overlap)
        return np.where(evidence.conflicting, np.minimum(added, 0.0), added)


def neighbour_weights(log_odds: np.ndarray) -> np.ndarray:
    """What a host weighs as another's neighbour: the probability in thousandths, (n,) int64, 0
    below NEIGHBOUR.
    """
    probability = logistic(log_odds)
    return np.where(probability >= NEIGHBOUR, np.rint(probability * SURE), 0).astype(np.int64)


def relational_evidence(
    db: Database, a_id: np.ndarray, b_id: np.ndarray, weight: np.ndarray
) -> RelationalEvidence:
    """What the neighbours of each pair's hosts say (sql/detect/62_collective).

    Args:
        a_id, b_id: (n,) hosts, all in host_stats; each pair once.
        weight: (n,) as :func:`neighbour_weights` has it.
    """
    if not len(weight):
        return RelationalEvidence(*np.zeros((3, 0), np.float32))
    number = np.arange(len(weight), dtype=np.int32)
    pairs = pa.table({"pair": number, "a_id": a_id, "b_id": b_id, "weight": weight})
    with db.temporary():
        with db.registered("pairs", pairs):
            db.execute("CREATE OR REPLACE TEMP TABLE possible AS FROM pairs")
        for name in ("neighbours", "neighbour_sums"):
            db.run(STEM, {"max_neighbours": MAX_NEIGHBOURS}, only=name)
        slices = [_of_slice(db, low, low + SLICE) for low in range(0, len(weight), SLICE)]
    return RelationalEvidence(*(np.concatenate(parts) for parts in zip(*slices, strict=True)))


def _of_slice(db: Database, low: int, high: int) -> tuple[np.ndarray, ...]:
    """Relational evidence of the pairs numbered from ``low`` to below ``high``."""
    for name in ("common_neighbours", "relational_evidence"):
        db.run(STEM, {"low": low, "high": high, "max_neighbours": MAX_NEIGHBOURS}, only=name)
    column = db.arrays(
        "SELECT pair, common, coalesce(overlap, 'nan')::FLOAT AS overlap,"
        " coalesce(correlation, 'nan')::FLOAT AS correlation FROM relational_evidence"
    )
    place = np.argsort(column.pop("pair"))
    return tuple(values[place] for values in column.values())


def correct(db: Database, offset: float) -> None:
    """Add what relational evidence says to the match weights in the temporary table ``scored``, and
    make ``corrections``, the candidates corrected: a_id, b_id, common, overlap, added, and before,
    what the pass before the last added, by which neighbours were weighed in that.

    Args:
        offset: added to a match weight it gives the log odds of being a replica, by local evidence.
    """
    least = _least_corrected(db, offset)
    column = db.arrays(
        "SELECT a_id, b_id, score_id FROM scored WHERE score_id >= $least", {"least": least}
    )
    a_id, b_id, score_id = (column[name] for name in ("a_id", "b_id", "score_id"))
    common, overlap, added, before = passes(db, a_id, b_id, score_id / MILLION + offset)
    corrected = pa.table(
        {
            "a_id": a_id,
            "b_id": b_id,
            "common": common,
            "overlap": pa.array(overlap, from_pandas=True),
            "added": added,
            "before": before,
            "score_id": score_id + np.rint(added * MILLION).astype(np.int32),
        }
    )
    with db.registered("corrected", corrected):
        db.execute(
            "CREATE OR REPLACE TEMP TABLE corrections AS SELECT * EXCLUDE (score_id) FROM corrected"
        )
        db.execute(
            "UPDATE scored SET score_id = corrected.score_id FROM corrected"
            " WHERE scored.a_id = corrected.a_id AND scored.b_id = corrected.b_id AND added <> 0"
        )


def _least_corrected(db: Database, offset: float) -> int:
    """The match weight in millionths from which candidates are corrected: from probability POSSIBLE
    on, the likeliest CONSTANTS.most_possible of them. So the joins are bounded before they begin.
    """
    least = int(np.ceil((np.log(POSSIBLE / (1 - POSSIBLE)) - offset) * MILLION))
    column = db.arrays(
        "SELECT score_id, count(*) AS n FROM scored WHERE score_id >= $least"
        " GROUP BY score_id ORDER BY score_id DESC",
        {"least": least},
    )
    beyond = np.flatnonzero(np.cumsum(column["n"]) > CONSTANTS.most_possible)
    return int(column["score_id"][beyond[0]]) + 1 if len(beyond) else least


def passes(
    db: Database, a_id: np.ndarray, b_id: np.ndarray, local: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What relational evidence adds to pairs, after as many passes as it takes. Passes after the
    first are over hosts of large groups; every other pair stays as the first pass had it.

    Args:
        a_id, b_id: (n,) hosts, all in host_stats; each pair once.
        local: (n,) log odds of being a replica by a pair's local evidence.

    Returns:
        Shared neighbours and overlap that counted, (n,) float32; what they add, and what the pass
        before added, (n,) float64 log odds.
    """
    known = prior.load("shared_neighbours")
    stacked = Stacked(Lookup(known.cuts, known.tables))
    first = relational_evidence(db, a_id, b_id, neighbour_weights(local))
    common, overlap, added = first.common, first.overlap, stacked.first(local, first)
    of_first = before = added
    weight_of_first = neighbour_weights(local + of_first)
    at, shared = np.zeros(0, np.int64), None
    changed = at
    for _ in each("large groups", range(MAX_PASSES - 1), "passes at most"):
        weight = weight_of_first.copy()
        weight[changed] = neighbour_weights(local[changed] + added[changed])
        large = _in_large_groups(a_id, b_id, weight)
        if shared is None or not np.isin(large, at).all():
            at, shared = large, _shared_neighbours(db, a_id[large], b_id[large])
        again = RelationalEvidence(*shared.measure(weight[at]))
        counts = again.enough & ~again.conflicting
        changed, before = at[counts], added
        common, overlap, added = first.common.copy(), first.overlap.copy(), of_first.copy()
        common[changed], overlap[changed] = again.common[counts], again.overlap[counts]
        added[changed] = stacked.adds(local[changed], overlap[changed])
        if (added == before).all():
            break
    return common, overlap, added, before


def _in_large_groups(a_id: np.ndarray, b_id: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Places of the pairs of which one host at least has MIN_COMMON neighbours: no others can share
    so many.
    """
    counted = np.flatnonzero(weight)
    hosts = int(max(a_id.max(initial=0), b_id.max(initial=0))) + 1
    left, right = (np.bincount(side[counted], weight[counted], hosts) for side in (a_id, b_id))
    neighbours = left + right
    least = MIN_COMMON * SURE
    return np.flatnonzero((neighbours[a_id] >= least) | (neighbours[b_id] >= least))


def _shared_neighbours(db: Database, a_id: np.ndarray, b_id: np.ndarray) -> SharedNeighbours:
    """The links between these hosts; samples as sql/detect/62_collective draws them."""
    hosts = np.zeros(0, np.int32)
    if len(a_id):
        query = "SELECT host_id FROM host_stats ORDER BY hash(host_rank), host_rank"
        hosts = db.arrays(query)["host_id"]
    order = np.zeros(int(hosts.max(initial=-1)) + 1, np.int64)
    order[hosts] = np.arange(len(hosts))
    chosen, place = np.unique(np.concatenate([a_id, b_id]), return_inverse=True)
    a, b = place[: len(a_id)], place[len(a_id) :]
    return SharedNeighbours(a, b, np.argsort(np.argsort(order[chosen])), MAX_NEIGHBOURS)
