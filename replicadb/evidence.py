"""Stage 60 of method robust: candidates collapsed to patterns of evidence bins, weighed, written back per pattern.

Always true here: what reaches Python are distinct patterns with counts, never pairs. Evidence ``content`` weighs what two
hosts share by tables known beforehand and adjusted by the obvious replicas. Evidence ``paths`` uses the paper's five
features alone: where the crawl has content, it learns them from the probabilities that content gives (Hinton, Vinyals
and Dean, 2015, "Distilling the knowledge in a neural network"), else it takes what is known beforehand of them. So does
evidence ``content`` where there is no content, no link and no title.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.database import Database
from replicadb.frames import bin_expressions, bins_of, insert_arrow, insert_frame
from replicadb.learning import boosting, pareto, prior, robust
from replicadb.settings import Settings

FIVE = ("ndist", "nmatch", "ip4", "ip3", "fullpath")
"""The paper's five features (section 3.1)."""
BESIDE = ("link_overlap", "linked", "canonical", "title_overlap")
"""Evidence that tells replicas without any fingerprint; NULL where it was not loaded."""
QUANTILES = 24
"""Bins of each of the five features for either class, when they learn from content."""
ROUNDS = 200
"""Trees for the five features (``learning/boosting.py``)."""
FEW_OBVIOUS = 5
"""Obvious replicas; with fewer, nothing in the crawl corrects what is known beforehand: more is asked of a flag, and the user is told."""


@dataclass(frozen=True)
class Decision:
    """What was decided, per pattern; the temporary table ``evidence_scored`` (a_id, b_id, score_id) says whose."""

    cuts: dict[str, np.ndarray]
    bins: np.ndarray
    """(n_patterns, n_features) uint8, row = score_id; small, since on much evidence every second pair is a pattern of its own."""
    n: np.ndarray
    """(n_patterns,) int64, candidates."""
    obvious: np.ndarray
    """(n_patterns,) int64, obvious replicas among them."""
    tables: boosting.Tables
    strength: np.ndarray
    """(n_patterns,) float64, log odds at equal mass of replicas and others, what pairs are ranked by."""
    probability: np.ndarray
    """(n_patterns,) float64 in [0, 1]."""
    share: float
    """Estimated share of replicas among the candidates."""


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill pattern_scores, pair_scores, evidence_weights, evidence_interactions and em_history."""
    found = decide(db, settings)
    insert_arrow(db, "pattern_scores", {
        "score_id": np.arange(len(found.n)), "strength": found.strength, "probability": found.probability,
        "dominates": pareto.dominance(found.strength, found.strength, found.n),
        "frontier": found.strength == found.strength.max(initial=-np.inf),
        "flagged": _flagged(found, settings), "n": found.n})
    db.execute("INSERT INTO pair_scores SELECT a_id, b_id, score_id FROM evidence_scored; DROP TABLE evidence_scored")
    _keep_tables(db, found)
    obvious = int(found.obvious.sum())
    insert_frame(db, "em_history", [("robust", 1, 0, obvious, int(found.n.sum()) - obvious, f"estimated share of replicas {found.share:.6f}")],
                 ("learner", "pass", "moved", "positive", "negative", "detail"))
    counts: dict[str, Any] = {"estimated_replicas": int(round(found.probability @ found.n))}
    if obvious < FEW_OBVIOUS:
        counts["warning"] = (f"{obvious} obvious replicas to learn from: evidence is weighed as learned beforehand from generated crawls, "
                             "with little or nothing in this crawl to correct it; only pairs of a probability of "
                             f"{settings.wary_probability:g} or more are flagged")
    return counts


def score_pairs(db: Database, settings: Settings) -> pa.Table:
    """Strength, probability and decision for every candidate, nothing kept in the database.

    Returns:
        Arrow table a_id, b_id, score (log odds), probability, flagged; a row for each candidate, in no order.
    """
    found = decide(db, settings)
    db.con.register("decided", pa.table({"score_id": np.arange(len(found.n)), "score": found.strength, "probability": found.probability,
                                         "flagged": _flagged(found, settings)}))
    try:
        return db.arrow("SELECT a_id, b_id, score, probability, flagged FROM evidence_scored JOIN decided USING (score_id)")
    finally:
        db.con.unregister("decided")
        db.execute("DROP TABLE evidence_scored")


def _flagged(found: Decision, settings: Settings) -> np.ndarray:
    """Probable patterns, (n_patterns,) bool; more is asked where hardly an obvious replica can correct what is known beforehand."""
    few = found.obvious.sum() < FEW_OBVIOUS
    return found.probability >= (settings.wary_probability if few else settings.min_probability)


def decide(db: Database, settings: Settings) -> Decision:
    """Weigh the evidence that the settings ask for; pair_features must be there.

    Where no candidate shares content and no host has links or titles, the five features are all there is.
    """
    if not db.value(f"SELECT count(*) FROM pair_features WHERE label >= 0 AND (shared > 0 OR coalesce({', '.join(BESIDE)}) IS NOT NULL)"):
        return _by_known_paths(db)
    found = _by_content(db, settings)
    return found if settings.evidence == "content" else _by_learned_paths(db, found)


def _by_content(db: Database, settings: Settings) -> Decision:
    known = prior.load("content")
    bins, n, obvious = _patterns(db, known.cuts)
    ratio = known.tables.score(bins)
    share, _ = robust.replica_share(ratio, n)
    log_odds = ratio + np.log(share / (1 - share))
    additions = robust.adjust(bins, log_odds, obvious, n - obvious, known.tables.n_bins, settings.prior_strength)
    tables = robust.adjusted(known.tables, [np.round(a, 6) for a in additions])  # the last digits are the BLAS's
    return _decided(known.cuts, bins, n, obvious, tables)


def _by_known_paths(db: Database) -> Decision:
    known = prior.load("paths")
    return _decided(known.cuts, *_patterns(db, known.cuts), known.tables)


def _by_learned_paths(db: Database, teacher: Decision) -> Decision:
    """The five features, learned from the probabilities that content gave; obvious replicas, defined by names, do not teach."""
    db.execute("ALTER TABLE evidence_scored RENAME TO taught")
    mass = np.round(teacher.probability * 2**20).astype(np.int64)  # integers, so that sums do not depend on their order
    db.con.register("teaching", pa.table({"score_id": np.arange(len(mass)), "mass": mass}))
    db.execute("""CREATE OR REPLACE TEMP TABLE lessons AS
        SELECT a_id, b_id, mass FROM taught JOIN teaching USING (score_id)""")
    db.con.unregister("teaching")
    db.execute("DROP TABLE taught")
    cuts = {name: _taught_cuts(db, name) for name in FIVE}
    bins, n, obvious = _patterns(db, cuts)
    column = db.arrays("""SELECT score_id, sum(mass)::BIGINT AS mass, count(*) AS n
        FROM evidence_scored JOIN lessons USING (a_id, b_id) JOIN pair_features AS f USING (a_id, b_id)
        WHERE f.label = 0 GROUP BY score_id ORDER BY score_id""")
    db.execute("DROP TABLE lessons")
    positive, negative = column["mass"] / 2**20, column["n"] - column["mass"] / 2**20
    n_bins = [len(values) + 2 for values in cuts.values()]
    if positive.sum() <= 0 or negative.sum() <= 0:
        return _decided(cuts, bins, n, obvious, boosting.Tables(tuple(n_bins)))
    tables = boosting.boost(bins[column["score_id"]], positive, negative, n_bins, rounds=ROUNDS, ridge=2.0)
    tables.intercept -= float(np.log(positive.sum() / negative.sum()))
    return _decided(cuts, bins, n, obvious, tables)


def _taught_cuts(db: Database, name: str) -> np.ndarray:
    """Quantiles of a feature among what is likely a replica, and among what is not, together."""
    column = db.arrays(f"""SELECT {name}::DOUBLE AS value, sum(mass)::BIGINT AS mass, count(*) AS n
        FROM pair_features JOIN lessons USING (a_id, b_id) WHERE {name} IS NOT NULL GROUP BY value ORDER BY value""")
    cuts = []
    for mass in (column["mass"] / 2**20, column["n"] - column["mass"] / 2**20):
        total = np.cumsum(mass)
        if len(total) and total[-1] > 0:
            cuts.append(column["value"][np.searchsorted(total, total[-1] * np.arange(1, QUANTILES) / QUANTILES)])
    return np.unique(np.concatenate(cuts)) if cuts else np.zeros(0)


def _patterns(db: Database, cuts: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct combinations of bins, ``(n_patterns, n_features)``, with their candidates and obvious replicas, ``(n_patterns,)``.

    Makes the temporary table evidence_scored.
    """
    names = ", ".join(cuts)
    bins, parameters = bin_expressions(cuts)
    db.execute(f"CREATE OR REPLACE TEMP TABLE evidence_bins AS SELECT a_id, b_id, label, {bins} FROM pair_features WHERE label >= 0", parameters)
    db.execute(f"""CREATE OR REPLACE TEMP TABLE evidence_patterns AS
        SELECT row_number() OVER (ORDER BY {names})::INTEGER - 1 AS score_id, {names}, count(*) AS n, count(*) FILTER (label = 1) AS obvious
        FROM evidence_bins GROUP BY {names}""")
    db.execute(f"""CREATE OR REPLACE TEMP TABLE evidence_scored AS
        SELECT a_id, b_id, score_id FROM evidence_bins JOIN evidence_patterns USING ({names})""")
    column = db.arrays("SELECT * FROM evidence_patterns ORDER BY score_id")
    db.execute("DROP TABLE evidence_bins; DROP TABLE evidence_patterns")
    return np.column_stack([column[name] for name in cuts]).astype(np.uint8).reshape(-1, len(cuts)), column["n"], column["obvious"]


def _decided(cuts, bins, n, obvious, tables: boosting.Tables) -> Decision:
    strength = np.round(tables.score(bins), 6)
    share, probability = robust.replica_share(strength, n)
    return Decision(cuts, bins, n, obvious, tables, strength, np.round(probability, 9), share)


def _keep_tables(db: Database, found: Decision) -> None:
    """Each contribution, with the examples behind it, for explanations."""
    rows, labels = [], [bins_of(values) for values in found.cuts.values()]
    for j, name in enumerate(found.cuts):
        size = found.tables.n_bins[j]
        obvious, n = (np.bincount(found.bins[:, j], counts, size) for counts in (found.obvious, found.n))
        rows += [(name, number, low, high, float(found.tables.single[j][number]), int(obvious[number]), int(n[number]))
                 for number, low, high in labels[j]]
    insert_frame(db, "evidence_weights", rows, ("feature", "bin", "low", "high", "weight", "obvious_replicas", "candidates"))
    names = list(found.cuts)
    cells = [(names[j], x, names[k], y, float(weight)) for (j, k), table in found.tables.pairs.items()
             for (x, y), weight in np.ndenumerate(table) if weight]
    insert_frame(db, "evidence_interactions", cells, ("feature", "bin", "other_feature", "other_bin", "weight"))
