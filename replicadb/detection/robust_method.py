"""Method robust: candidates weighed by tables of evidence, each on its own as it streams by, then
by the company their hosts keep.

Always true here: a pair's strength hangs on its evidence and the tables, and on what its hosts'
other pairs say (``partners``); what the crawl says goes into the tables (from the obvious replicas)
and into the share of replicas (from how many pairs there are of each strength). Evidence
``content`` weighs what two hosts share by tables known beforehand and adjusted by the obvious
replicas. Evidence ``paths`` uses the paper's
five features alone: where the crawl has content, it learns them from the probabilities that content
gives (Hinton, Vinyals and Dean, 2015, "Distilling the knowledge in a neural network"), else it
takes what is known beforehand of them. So does evidence ``content`` where there is no content, no
link and no title.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from replicadb.detection import collective
from replicadb.detection.bins import bin_expressions, bins_of
from replicadb.detection.collective import MILLION
from replicadb.detection.evidence import FEATURES
from replicadb.learning import additive_model, prior, prior_adjustment
from replicadb.learning.additive_lookup import Lookup
from replicadb.settings import WEIGHT_SCALE, Settings
from replicadb.store.arrow import insert_arrow, insert_frame
from replicadb.store.database import Database
from replicadb.store.statements import statements

BESIDE = ("linked", "canonical", "title_overlap")
"""Evidence that tells replicas without any fingerprint; NULL where it was not loaded."""
QUANTILES = 24
"""Bins of each of the five features for either class, when they learn from content."""
ROUNDS = 200
"""Trees for the five features (``learning/additive_model.py``)."""
MOSTLY_FILES = 0.5
"""Share of the candidates both of whose hosts have assets: above it the crawl is one of every file
type.
"""
LEARN_FROM = 250_000
"""Candidates that tables are adjusted on beside all obvious replicas; of more, those of a sample of
hosts a, by the hash of their rank.
"""


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
class Decision:
    """What was decided; the temporary table ``scored`` (a_id, b_id, score_id, tie, shared, ndist)
    says whose.
    """

    model: Lookup
    score_id: np.ndarray
    """(n,) int32, rising: the distinct strengths in millionths."""
    strength: np.ndarray
    """(n,) float64: the same as log odds at equal mass of replicas and others, what pairs are
    ranked by.
    """
    n: np.ndarray
    """(n,) int64, candidates of each strength."""
    probability: np.ndarray
    """(n,) float64 in [0, 1]."""
    offset: float
    """Added to a strength it gives the log odds of being a replica here
    (``robust.probabilities``).
    """
    in_bins: np.ndarray
    """(2, features, 256) int64: candidates, and obvious replicas among them, by feature and bin."""

    @property
    def obvious(self) -> int:
        """Obvious replicas among the candidates."""
        return int(self.in_bins[1, 0].sum())


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill pattern_scores, evidence_weights, evidence_interactions and em_history, and make
    ``scored``.
    """
    found = decide(db, settings)
    insert_arrow(
        db,
        "pattern_scores",
        {
            "score_id": found.score_id,
            "strength": found.strength,
            "probability": found.probability,
            "dominates": np.cumsum(found.n) - found.n,  # of one score alone: how many are lower
            "frontier": found.strength == found.strength.max(initial=-np.inf),
            "flagged": _flagged(found, settings),
            "n": found.n,
        },
    )
    _keep_tables(db, found)
    if settings.reference is None:
        db.execute("INSERT INTO partners BY NAME FROM company WHERE added <> 0 OR before <> 0")
        db.execute("DROP TABLE company")
    db.execute(
        "INSERT OR REPLACE INTO settings VALUES ('log_odds_offset', ?), ('log_odds_constant', ?)",
        [repr(found.offset), repr(float(found.model.tables.intercept))],
    )
    insert_frame(
        db,
        "em_history",
        [
            (
                "robust",
                1,
                0,
                found.obvious,
                int(found.n.sum()) - found.obvious,
                (
                    "estimated share of replicas"
                    f" {found.probability @ found.n / max(found.n.sum(), 1):.6f}"
                ),
            )
        ],
        ("learner", "pass", "moved", "positive", "negative", "detail"),
    )
    counts: dict[str, Any] = {"estimated_replicas": int(round(found.probability @ found.n))}
    if found.obvious < prior_adjustment.FEW_OBVIOUS:
        counts["warning"] = (
            f"{found.obvious} obvious replicas to learn from: evidence is weighed as learned"
            " beforehand from generated crawls, with little or nothing in this crawl to correct it"
        )
    return counts


def score_pairs(db: Database, settings: Settings, kept: str = "true") -> pa.Table:
    """Strength, probability and decision for every candidate, nothing kept in the database.

    Args:
        kept: a condition on a_id and b_id; only such candidates adjust and teach (for
            cross-validation); the share of replicas is of all.

    Returns:
        Arrow table a_id, b_id, score (log odds), probability, flagged; a row for each candidate, in
        no order.
    """
    try:
        found = decide(db, settings, kept)
        return _told(db, found, settings)
    finally:
        for table in ("possible", "scored", "partnered", "company"):
            with contextlib.suppress(
                duckdb.Error
            ):  # in a failed transaction, which takes them with it
                db.execute(f"DROP TABLE IF EXISTS {table}")


def _told(db: Database, found: Decision, settings: Settings) -> pa.Table:
    db.con.register(
        "decided",
        pa.table(
            {
                "score_id": found.score_id,
                "score": found.strength,
                "probability": found.probability,
                "flagged": _flagged(found, settings),
            }
        ),
    )
    try:
        return db.arrow(
            "SELECT a_id, b_id, score, probability, flagged FROM scored JOIN decided USING"
            " (score_id)"
        )
    finally:
        db.con.unregister("decided")


def _flagged(found: Decision, settings: Settings) -> np.ndarray:
    """Probable strengths, (n,) bool."""
    return found.probability >= prior_adjustment.least_probability(
        found.model.features, settings.min_probability, settings.files_probability
    )


def decide(db: Database, settings: Settings, kept: str = "true") -> Decision:
    """Weigh the evidence that the settings ask for, learned from the candidates ``kept``;
    pair_features must be there.

    Where no candidate shares content and no host has links or titles, the five features are all
    there is.
    """
    if not db.value(
        "SELECT count(*) FROM (FROM pair_features WHERE (shared > 0 OR"
        f" coalesce({', '.join(BESIDE)}) IS NOT NULL) LIMIT 1)"
    ):
        known = prior.load("paths")
        return _decided(db, settings, Lookup(known.cuts, known.tables), known.tail)
    model, tail = _by_content(db, settings, kept)
    if settings.evidence == "content":
        return _decided(db, settings, model, tail)
    return _decided(db, settings, _by_learned_paths(db, settings, model, tail, kept), None)


def _by_content(db: Database, settings: Settings, kept: str) -> tuple[Lookup, float]:
    """The prior's tables, adjusted by the obvious replicas; the prior's tail."""
    files = db.value("SELECT avg((asset_evidence IS NOT NULL)::INTEGER) FROM pair_features")
    known = prior.load("files" if files > MOSTLY_FILES else "pages")
    bins, n, obvious = _patterns(db, known.cuts, kept)
    if not obvious.sum():
        return Lookup(known.cuts, known.tables), known.tail
    ratio = known.tables.score(bins)
    offset, _ = prior_adjustment.probabilities(ratio, n, known.tail)
    _, believed = prior_adjustment.replica_share(ratio, obvious, prior_adjustment.NAMED)
    additions = prior_adjustment.adjust(
        bins,
        ratio + offset,
        obvious,
        n - obvious,
        known.tables.n_bins,
        settings.prior_strength,
        believed,
    )
    return (
        Lookup(
            known.cuts, prior_adjustment.adjusted(known.tables, [np.round(a, 6) for a in additions])
        ),
        known.tail,
    )  # the last digits are the BLAS's


def _by_learned_paths(
    db: Database, settings: Settings, teacher: Lookup, tail: float, kept: str
) -> Lookup:
    """The five features, learned from the probabilities that content gave; obvious replicas,
    defined by names, do not teach.
    """
    taught = _decided(db, settings, teacher, tail)
    mass = np.round(taught.probability * 2**20).astype(
        np.int64
    )  # integers, so that sums do not depend on their order
    db.con.register("teaching", pa.table({"score_id": taught.score_id, "mass": mass}))
    db.execute(
        f"""CREATE OR REPLACE TEMP TABLE lessons AS
        SELECT {", ".join(f"f.{name}" for name in FEATURES)}, f.label, mass
        FROM scored JOIN teaching USING (score_id) JOIN pair_features AS f USING (a_id, b_id) WHERE {kept}"""
    )
    db.con.unregister("teaching")
    db.execute("DROP TABLE scored")
    cuts = {name: _taught_cuts(db, name) for name in FEATURES}
    binned, parameters = bin_expressions(cuts)
    column = db.arrays(
        f"""SELECT {", ".join(FEATURES)}, sum(mass)::BIGINT AS mass, count(*) AS n
        FROM (SELECT {binned}, mass FROM lessons WHERE label = 0) GROUP BY ALL ORDER BY ALL""",
        parameters,
    )
    db.execute("DROP TABLE lessons")
    positive, negative = column["mass"] / 2**20, column["n"] - column["mass"] / 2**20
    n_bins = tuple(len(values) + 2 for values in cuts.values())
    if positive.sum() <= 0 or negative.sum() <= 0:
        return Lookup(cuts, additive_model.Tables(n_bins))
    bins = np.column_stack([column[name] for name in FEATURES])
    tables = additive_model.boost(bins, positive, negative, n_bins, rounds=ROUNDS, ridge=2.0)
    tables.intercept -= float(np.log(positive.sum() / negative.sum()))
    return Lookup(cuts, tables)


def _taught_cuts(db: Database, name: str) -> np.ndarray:
    """Quantiles of a feature among what is likely a replica, and among what is not, together."""
    column = db.arrays(f"""SELECT {name}::DOUBLE AS value, sum(mass)::BIGINT AS mass, count(*) AS n
        FROM lessons WHERE {name} IS NOT NULL GROUP BY value ORDER BY value""")
    cuts = []
    for mass in (column["mass"] / 2**20, column["n"] - column["mass"] / 2**20):
        total = np.cumsum(mass)
        if len(total) and total[-1] > 0:
            cuts.append(
                column["value"][
                    np.searchsorted(total, total[-1] * np.arange(1, QUANTILES) / QUANTILES)
                ]
            )
    return np.unique(np.concatenate(cuts)) if cuts else np.zeros(0)


def _patterns(
    db: Database, cuts: dict[str, np.ndarray], kept: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct combinations of bins among LEARN_FROM candidates and all obvious replicas,
    ``(n_patterns, n_features)``, with how many candidates and obvious replicas they stand for,
    ``(n_patterns,)``.
    """
    names, (binned, parameters) = ", ".join(cuts), bin_expressions(cuts)
    others = db.value(f"SELECT count(*) FROM pair_features WHERE label = 0 AND {kept}")
    one_in = -(-others // LEARN_FROM)
    chosen = "true"
    if one_in > 1:
        parameters["one_in"] = one_in
        chosen = (
            "label = 1 OR a_id IN (SELECT host_id FROM host_stats WHERE hash(host_rank) % $one_in"
            " = 0)"
        )
    # First a table, then Arrow, for which DuckDB would bind all these comparisons twice: 50 ms on a
    # small crawl.
    db.execute(
        f"""CREATE OR REPLACE TEMP TABLE learned_from AS SELECT {names}, count(*) FILTER (label = 0) AS others, count(*) FILTER (label = 1) AS obvious
        FROM (SELECT label, {binned} FROM pair_features WHERE ({chosen}) AND {kept}) GROUP BY {names}""",
        parameters,
    )
    column = db.arrays(f"FROM learned_from ORDER BY {names}")
    db.execute("DROP TABLE learned_from")
    n = (
        column["others"] * (others / max(column["others"].sum(), 1))
        if one_in > 1
        else column["others"]
    )
    return (
        np.column_stack([column[name] for name in cuts]).astype(np.uint8).reshape(-1, len(cuts)),
        n + column["obvious"],
        column["obvious"],
    )


def _decided(db: Database, settings: Settings, model: Lookup, tail: float | None) -> Decision:
    """Score every candidate by its own evidence, estimate the share of replicas, and let company
    correct the strengths; makes the temporary table ``scored``, and ``company`` but with a
    reference load, whose hosts were not compared with each other.
    """
    in_bins = _score_all(db, model)
    score_id, n = _strengths(db)
    offset, probability = (
        prior_adjustment.probabilities(score_id / MILLION, n, None)
        if tail is None
        else _by_host(db, score_id, tail)
    )
    if settings.reference is None:
        collective.correct(db, offset)
        score_id, n = _strengths(db)
        probability = prior_adjustment.probabilities_at(score_id / MILLION, offset)
    return Decision(
        model, score_id, score_id / MILLION, n, np.round(probability, 9), offset, in_bins
    )


def _by_host(db: Database, score_id: np.ndarray, tail: float) -> tuple[float, np.ndarray]:
    """Log odds to add, and the probability of each strength, with near candidates counted host by
    host (sql/detect/60_near_candidates).
    """
    near = db.arrays(
        statements("detect/60_near_candidates")["near_mass"],
        {"likely": int(prior_adjustment.LIKELY * MILLION), "scale": WEIGHT_SCALE},
    )
    offset, _ = prior_adjustment.probabilities(
        near["score_id"] / MILLION, near["mass"] / WEIGHT_SCALE, tail
    )
    return offset, prior_adjustment.probabilities_at(score_id / MILLION, offset)


def _strengths(db: Database) -> tuple[np.ndarray, np.ndarray]:
    """The distinct strengths in ``scored``, (n,) int32 millionths, rising, and candidates of each,
    (n,) int64.
    """
    column = db.arrays(
        "SELECT score_id, count(*) AS n FROM scored GROUP BY score_id ORDER BY score_id"
    )
    return column["score_id"], column["n"]


def _score_all(db: Database, model: Lookup) -> np.ndarray:
    """Weigh every candidate's own evidence as it streams by into ``scored``; the bins that
    candidates lie in, as Decision has them.
    """
    in_bins, stopped = np.zeros((2, len(model.features), 256), np.int64), []

    def scored(batches: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        try:
            for batch in batches:
                yield _scored(batch, model, in_bins)
        except BaseException as error:  # DuckDB tells it as an error of its own
            stopped.append(error)
            raise

    with db.cursor() as reading:
        pairs = reading.sql(
            f"""SELECT a_id, b_id, label, {", ".join(f"coalesce({name}, 'nan')::FLOAT AS {name}" for name in model.features)},
            (evidence * containment)::FLOAT AS tie, shared AS n_shared, ndist AS distance
            FROM pair_features"""
        ).to_arrow_reader(BATCH)
        db.con.register("incoming", pa.RecordBatchReader.from_batches(SCORED, scored(pairs)))
        try:
            db.execute("CREATE OR REPLACE TEMP TABLE scored AS FROM incoming")
        except duckdb.Error:
            if stopped and not isinstance(stopped[0], GeneratorExit):
                raise stopped[0] from None
            raise
        db.con.unregister("incoming")
    return in_bins


def _scored(batch: pa.RecordBatch, model: Lookup, in_bins: np.ndarray) -> pa.RecordBatch:
    """A batch of candidates with their strength; the bins that they lie in are added up in
    ``in_bins``.
    """
    bins = model.bins([batch.column(name).to_numpy() for name in model.features])
    obvious = np.flatnonzero(batch.column("label").to_numpy() == 1)
    for j, column in enumerate(bins):
        in_bins[0, j] += np.bincount(column, minlength=256)
        in_bins[1, j] += np.bincount(column[obvious], minlength=256)
    score_id = pa.array(np.rint(model.score(bins) * MILLION).astype(np.int32))
    return pa.RecordBatch.from_arrays(
        [
            batch.column("a_id"),
            batch.column("b_id"),
            score_id,
            batch.column("tie"),
            batch.column("n_shared"),
            batch.column("distance"),
        ],
        schema=SCORED,
    )


def _keep_tables(db: Database, found: Decision) -> None:
    """Each contribution, with the examples behind it, for explanations."""
    tables, names = found.model.tables, found.model.features
    rows = [
        (
            name,
            number,
            low,
            high,
            float(tables.single[j][number]),
            int(found.in_bins[1, j, number]),
            int(found.in_bins[0, j, number]),
        )
        for j, name in enumerate(names)
        for number, low, high in bins_of(found.model.cuts[name])
    ]
    insert_frame(
        db,
        "evidence_weights",
        rows,
        ("feature", "bin", "low", "high", "weight", "obvious_replicas", "candidates"),
    )
    cells = [
        (names[j], x, names[k], y, float(weight))
        for (j, k), table in tables.pairs.items()
        for (x, y), weight in np.ndenumerate(table)
        if weight
    ]
    insert_frame(
        db,
        "evidence_interactions",
        cells,
        ("feature", "bin", "other_feature", "other_bin", "weight"),
    )
