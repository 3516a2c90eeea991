"""Pairs scored by tables of evidence, as they stream by; and what the scores say of all pairs.

Invariant: a pair's match weight (its log odds at equal mass of replicas and others) is a sum
of contributions looked up in tables, so it does not depend on other pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from replicadb.detection.bins import bins_of
from replicadb.detection.collective import MILLION
from replicadb.detection.decided import DecidedCandidates
from replicadb.learning import class_prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.calibration import Curve
from replicadb.settings import WEIGHT_SCALE
from replicadb.store.arrow import insert_arrow, insert_frame
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.under_way import under_way

BATCH = 200_000
"""Pairs scored at a time: enough that what a call costs does not count, few enough that they stay
in the cache.
"""
SCORED = pa.schema(
    [
        ("a_id", pa.int32()),
        ("b_id", pa.int32()),
        ("score_id", pa.int32()),
        ("tie", pa.float32()),
        ("shared", pa.int32()),
        ("ndist", pa.uint8()),
    ]
)


@dataclass(frozen=True)
class ScoredCrawl:
    """The candidates of a crawl by their match weights, and what gave them; the temporary table
    ``scored`` (a_id, b_id, score_id, tie, shared, ndist) says whose they are.
    """

    model: Lookup
    score_id: np.ndarray
    """(n,) int32, rising: the distinct match weights in millionths."""
    strength: np.ndarray
    """(n,) float64: the same as log odds at equal mass of replicas and others, what pairs are
    ranked by.
    """
    n: np.ndarray
    """(n,) int64, candidates of each match weight."""
    probability: np.ndarray
    """(n,) float64 in [0, 1]."""
    offset: float
    """Added to a match weight it gives the log odds by which neighbours are weighed
    (``class_prior.probabilities``).
    """
    in_bins: np.ndarray
    """(2, features, 256) int64: candidates, and obvious replicas among them, by feature and bin."""

    curve: Curve
    """From match weights to probabilities."""
    least: float
    """The probability from which a pair is flagged."""
    above_chance: int | None
    """Candidates that decoys do not account for; None where none were dealt."""
    undecided: np.ndarray
    """(n,) those candidates of each match weight that nobody has decided on."""
    decided_replicas: int
    """Candidates that somebody has decided to be replicas."""

    @property
    def flagged(self) -> np.ndarray:
        """(n,) bool, by match weight."""
        flagged: np.ndarray = self.probability >= self.least
        return flagged

    @property
    def answered(self) -> bool:
        """Whether anybody has decided on a candidate."""
        return bool(self.undecided.sum() < self.n.sum())

    @property
    def obvious(self) -> int:
        """Obvious replicas among the candidates."""
        return int(self.in_bins[1, 0].sum())


def feature_columns(model: Lookup) -> str:
    """The SELECT list of what the model weighs, FLOAT, NULL as NaN."""
    return ", ".join(f"coalesce({name}, 'nan')::FLOAT AS {name}" for name in model.features)


def score_all(db: Database, model: Lookup) -> np.ndarray:
    """Weigh every candidate's local evidence as it streams by into the temporary table ``scored``
    (a_id, b_id, score_id, tie, shared, ndist); the bins that candidates lie in, as ScoredCrawl
    has them.
    """
    in_bins, stopped = np.zeros((2, len(model.features), 256), np.int64), []
    pairs_there = db.value("SELECT count(*) FROM pair_features")

    def scored(batches: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        try:
            with under_way("", pairs_there, "pairs weighed") as work:
                for batch in batches:
                    yield _scored(batch, model, in_bins)
                    work.reached(work.done + batch.num_rows)
        except BaseException as error:  # DuckDB raises an error of its own for it
            stopped.append(error)
            raise

    columns = feature_columns(model)
    with db.cursor() as reading:
        pairs = reading.sql(
            f"""SELECT a_id, b_id, label, {columns}, (evidence * containment)::FLOAT AS tie,
                shared AS n_shared, ndist AS distance
            FROM pair_features"""
        ).to_arrow_reader(BATCH)
        db.register("incoming", pa.RecordBatchReader.from_batches(SCORED, scored(pairs)))
        try:
            db.execute("CREATE OR REPLACE TEMP TABLE scored AS FROM incoming")
        except duckdb.Error:
            if stopped and not isinstance(stopped[0], GeneratorExit):
                raise stopped[0] from None
            raise
        db.con.unregister("incoming")
    return in_bins


def _scored(batch: pa.RecordBatch, model: Lookup, in_bins: np.ndarray) -> pa.RecordBatch:
    """A batch of candidates with their match weight; the bins that they lie in are added up in
    ``in_bins``.
    """
    bins = model.bins([batch.column(name).to_numpy() for name in model.features])
    obvious = np.flatnonzero(batch.column("label").to_numpy() == 1)
    for j, column in enumerate(bins):
        in_bins[0, j] += np.bincount(column, minlength=256)
        in_bins[1, j] += np.bincount(column[obvious], minlength=256)
    columns = {name: batch.column(name) for name in ("a_id", "b_id", "tie", "n_shared", "distance")}
    score_id = np.rint(model.score(bins) * MILLION).astype(np.int32)
    return pa.RecordBatch.from_arrays(
        [
            columns["a_id"],
            columns["b_id"],
            pa.array(score_id),
            columns["tie"],
            columns["n_shared"],
            columns["distance"],
        ],
        schema=SCORED,
    )


def match_weights(db: Database) -> tuple[np.ndarray, np.ndarray]:
    """The distinct match weights in ``scored``, (n,) int32 millionths, rising, and candidates of
    each, (n,) int64.
    """
    column = db.arrays(
        "SELECT score_id, count(*) AS n FROM scored GROUP BY score_id ORDER BY score_id"
    )
    return column["score_id"], column["n"]


def by_host(
    db: Database,
    score_id: np.ndarray,
    tail: float,
    decisions: DecidedCandidates | None = None,
) -> tuple[float, np.ndarray]:
    """Log odds to add, and the probability of each match weight, with near candidates counted host
    by host (sql/detect/60_near_candidates).

    Args:
        decisions: decided ones among them; they count for their class, whatever their match weight.
    """
    db.run_once("functions/60_hosts")
    near = db.arrays(
        statements("detect/60_near_candidates")["near_mass"],
        {"likely": int(class_prior.LIKELY * MILLION), "scale": WEIGHT_SCALE},
    )
    mass, members = near["mass"] / WEIGHT_SCALE, (0.0, 0.0)
    if decisions is not None:
        mass = decisions.beside(near["score_id"], mass, by_mass=True)
        members = decisions.members
    offset, _ = class_prior.probabilities(near["score_id"] / MILLION, mass, tail, members)
    return offset, class_prior.probabilities_at(score_id / MILLION, offset)


def insert_weights(db: Database, found: ScoredCrawl) -> None:
    """Each contribution, with the examples behind it, into evidence_weights and
    evidence_interactions: for explanations.
    """
    tables, names = found.model.tables, found.model.features
    obvious, candidates = found.in_bins[1], found.in_bins[0]
    rows = []
    for j, name in enumerate(names):
        for number, low, high in bins_of(found.model.cuts[name]):
            weight = float(tables.single[j][number])
            counts = int(obvious[j, number]), int(candidates[j, number])
            rows.append((name, number, low, high, weight, *counts))
    counted = ("feature", "bin", "low", "high", "weight", "obvious_replicas", "candidates")
    insert_frame(db, "evidence_weights", rows, counted)
    cells = []
    for (j, k), table in tables.pairs.items():
        x, y = np.nonzero(table)
        n = len(x)
        cells.append((np.repeat(names[j], n), x, np.repeat(names[k], n), y, table[x, y]))
    columns = ("feature", "bin", "other_feature", "other_bin", "weight")
    if cells:
        joined = (np.concatenate(parts) for parts in zip(*cells, strict=True))
        insert_arrow(db, "evidence_interactions", dict(zip(columns, joined, strict=True)))
