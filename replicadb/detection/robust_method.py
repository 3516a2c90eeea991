"""Stage 60 by method robust: candidates weighed by tables of evidence, each on its own as it
streams by, then by relational evidence (docs/robust.md#robust-evidence).

Invariant: a pair's match weight depends on its evidence and the tables, and on what its
hosts' neighbours say (``collective.py``). What the crawl says goes into the tables (from obvious
replicas and decided pairs, ``crawl_weights.py``) and into the share of replicas (from how many
pairs there are of each match weight).

Evidence ``all`` weighs what two hosts share by tables known beforehand and adjusted to the
crawl. Evidence ``five`` uses the paper's five features alone: where the crawl has
content, it learns them from the probabilities that content gives (Hinton, Vinyals and Dean, 2015,
"Distilling the knowledge in a neural network"), else it takes what is known beforehand of them. So
does ``all`` where there is no content, no link and no title.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.counted import counted
from replicadb.detection import collective, decided, decoys
from replicadb.detection.bins import bin_expressions
from replicadb.detection.collective import MILLION
from replicadb.detection.crawl_weights import weights_of
from replicadb.detection.decided import Known
from replicadb.detection.evidence import BESIDE_CONTENT, FEATURES
from replicadb.detection.pair_scoring import (
    Decision,
    by_host,
    insert_weights,
    match_weights,
    score_all,
)
from replicadb.detection.without_names import counted_without_names
from replicadb.learning import (
    additive_model,
    calibration,
    class_prior,
    prior,
)
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.calibration import Curve
from replicadb.learning.crossing import crossing
from replicadb.settings import CONSTANTS, Settings
from replicadb.stage_constants import CALIBRATION, KINDS
from replicadb.store.arrow import insert_arrow, insert_frame
from replicadb.store.database import Database

QUANTILES, ROUNDS, RIDGE = CONSTANTS.quantiles, CONSTANTS.rounds, CONSTANTS.ridge
PLACES_ALONE = (
    "no content was compared, only paths, names and addresses, and sites of one software have paths"
    " in common: how many replicas there are is not known, only pairs with alike names are"
    " flagged, and of these many can be translations; look before you drop"
)
ONE = 2**20
"""A probability of one, as a whole number: sums do not depend on their order."""


def scores(db: Database, settings: Settings, known: bool = False) -> dict[str, Any]:
    """Fill pattern_scores, evidence_weights, evidence_interactions, shared_neighbours and
    em_history, and make the temporary table ``scored``.

    Args:
        known: what people decided teaches the weights and the calibration (the temporary table
            ``known_pairs``).
    """
    found = decide(db, settings, known=known)
    insert_arrow(
        db,
        "pattern_scores",
        {
            "score_id": found.score_id,
            "strength": found.strength,
            "probability": found.probability,
            "dominates": np.cumsum(found.n) - found.n,  # of one score alone: how many are lower
            "frontier": found.strength == found.strength.max(initial=-np.inf),
            "flagged": found.flagged,
            "n": found.n,
        },
    )
    insert_weights(db, found)
    if settings.reference is None:
        db.execute(
            "INSERT INTO shared_neighbours BY NAME FROM corrections WHERE added <> 0 OR before <> 0"
        )
    db.execute(
        "INSERT OR REPLACE INTO settings VALUES ('log_odds_offset', ?), ('log_odds_constant', ?),"
        " ('log_odds_slope', ?), ('log_odds_even', ?), ('log_odds_flagged', ?)",
        [
            repr(float(number))
            for number in (
                found.offset,
                found.model.tables.intercept,
                found.curve.slope,
                found.curve.even,
                found.least,
            )
        ],
    )
    if found.curve.error is not None:
        db.execute("INSERT INTO settings VALUES ('log_odds_error', ?)", [repr(found.curve.error)])
    share = found.probability @ found.n / max(found.n.sum(), 1)
    others = int(found.n.sum()) - found.obvious
    detail = f"estimated share of replicas {share:.6f}"
    insert_frame(
        db,
        "em_history",
        [("robust", 1, 0, found.obvious, others, detail)],
        ("learner", "pass", "moved", "positive", "negative", "detail"),
    )
    return {"warning": PLACES_ALONE} if places_alone(db) else _counts(found)


def _counts(found: Decision) -> dict[str, Any]:
    """What is said of a decision."""
    wrong = float((1 - found.probability) @ (found.undecided * found.flagged))
    estimated = float(found.probability @ found.undecided) + found.decided_replicas
    counts: dict[str, Any] = {"estimated_replicas": round(estimated)}
    between = calibration.expected_between(
        found.curve,
        found.strength,
        found.undecided,
        None if found.answered else found.above_chance,
    )
    if between is not None:
        fewest, most = (round(n + found.decided_replicas) for n in between)
        counts |= {"estimated_at_least": fewest, "estimated_at_most": most}
    counts["expected_wrong_flags"] = round(wrong, 1)
    if found.above_chance is not None:
        counts["pairs_above_chance"] = found.above_chance
    if found.obvious < CONSTANTS.few_obvious:
        counts["warning"] = (
            f"{counted(found.obvious, 'obvious replica')} to learn from: evidence is weighed as"
            " learned beforehand from generated crawls, with little or nothing in this crawl to"
            " correct it"
        )
    return counts


def score_pairs(db: Database, settings: Settings, examples: str = "true") -> pa.Table:
    """Strength, probability and decision for every candidate; nothing stays in the database.

    Args:
        examples: an SQL condition on a_id and b_id; only such candidates adjust and teach (for
            cross-validation). The share of replicas is of all.

    Returns:
        Arrow table a_id, b_id, score (log odds), probability, flagged; a row for each candidate, in
        no order.
    """
    with db.temporary():
        found = decide(db, settings, examples)
        decided = pa.table(
            {
                "score_id": found.score_id,
                "score": found.strength,
                "probability": found.probability,
                "flagged": found.flagged,
            }
        )
        with db.registered("decided", decided):
            return db.arrow(
                "SELECT a_id, b_id, score, probability, flagged"
                " FROM scored JOIN decided USING (score_id)"
            )


def decide(
    db: Database, settings: Settings, examples: str = "true", known: bool = False
) -> Decision:
    """Weigh the evidence that the settings ask for, learned from the candidates ``examples``;
    pair_features must be there, and where decisions are ``known``, known_pairs.

    Where no candidate shares content and no host has links or titles, the five features are all
    there is.
    """
    if places_alone(db):
        paths = prior.load("paths")
        return _decided(db, settings, Lookup(paths.cuts, paths.tables), paths.tail, known)
    model, tail = weights_of(db, settings, examples, known)
    if settings.evidence == "all":
        return _decided(db, settings, model, tail, known)
    model = _distilled(db, settings, model, tail, examples)
    return _decided(db, settings, model, None, known)


def places_alone(db: Database) -> bool:
    """Whether nothing was compared but paths, names and addresses."""
    beside = f"coalesce({', '.join(BESIDE_CONTENT)}) IS NOT NULL"
    return not db.value(
        f"SELECT count(*) FROM (FROM pair_features WHERE shared > 0 OR {beside} LIMIT 1)"
    )


def _distilled(
    db: Database, settings: Settings, teacher: Lookup, tail: float, examples: str
) -> Lookup:
    """Tables of the five features, learned from the probabilities that content gave. Obvious
    replicas, defined by names, do not teach.
    """
    by_teacher = _decided(db, settings, teacher, tail)
    mass = np.round(by_teacher.probability * ONE).astype(np.int64)
    with db.temporary():
        with db.registered("teacher", pa.table({"score_id": by_teacher.score_id, "mass": mass})):
            features = ", ".join(f"f.{name}" for name in FEATURES)
            db.execute(
                f"""CREATE OR REPLACE TEMP TABLE distillation AS
                SELECT {features}, f.label, mass
                FROM scored JOIN teacher USING (score_id)
                JOIN pair_features AS f USING (a_id, b_id)
                WHERE {examples}"""
            )
        cuts = {name: _distillation_cuts(db, name) for name in FEATURES}
        binned, parameters = bin_expressions(cuts)
        column = db.arrays(
            f"""SELECT {", ".join(FEATURES)}, sum(mass)::BIGINT AS mass, count(*) AS n
            FROM (SELECT {binned}, mass FROM distillation WHERE label = 0)
            GROUP BY ALL ORDER BY ALL""",
            parameters,
        )
    positive = column["mass"] / ONE
    negative = column["n"] - positive
    n_bins = tuple(len(values) + 2 for values in cuts.values())
    if positive.sum() <= 0 or negative.sum() <= 0:
        return Lookup(cuts, additive_model.Tables(n_bins))
    bins = np.column_stack([column[name] for name in FEATURES])
    tables = additive_model.boost(bins, positive, negative, n_bins, rounds=ROUNDS, ridge=RIDGE)
    tables.intercept -= float(np.log(positive.sum() / negative.sum()))
    return Lookup(cuts, tables)


def _distillation_cuts(db: Database, name: str) -> np.ndarray:
    """Quantiles of a feature among what is likely a replica, and among what is not, together."""
    column = db.arrays(
        f"""SELECT {name}::DOUBLE AS value, sum(mass)::BIGINT AS mass, count(*) AS n
        FROM distillation WHERE {name} IS NOT NULL GROUP BY value ORDER BY value"""
    )
    cuts = []
    replicas = column["mass"] / ONE
    for mass in (replicas, column["n"] - replicas):
        total = np.cumsum(mass)
        if len(total) and total[-1] > 0:
            shares = total[-1] * np.arange(1, QUANTILES) / QUANTILES
            cuts.append(column["value"][np.searchsorted(total, shares)])
    return np.unique(np.concatenate(cuts)) if cuts else np.zeros(0)


def _decided(
    db: Database, settings: Settings, model: Lookup, tail: float | None, known: bool = False
) -> Decision:
    """Score every candidate by its local evidence, estimate the share of replicas, and let
    relational evidence correct the match weights. Makes the temporary tables ``scored`` and
    ``corrections``. With a reference load there are none of the latter: its old hosts were not
    compared with each other.
    """
    in_bins = score_all(db, model)
    score_id, n = match_weights(db)
    if tail is None:
        offset, _ = class_prior.probabilities(score_id / MILLION, n, None)
    else:
        offset, _ = by_host(db, score_id, tail, decided.near(db) if known else None)
    dealt = has_decoys(settings, model) and calibration.may_run_away(int(n.sum()))
    above = decoys.above_chance(db, settings, model, offset) if dealt else None
    if settings.reference is None:
        collective.correct(db, offset)
        score_id, n = match_weights(db)
    strength = score_id / MILLION
    curve = Curve(1.0, -offset)  # the class prior's own, of five features alone
    if "evidence" in model.features:
        there = counted_without_names(db, model)
        curve = calibration.curve_of(crossing(there.strength, there.n, -offset, there.alike))
        curve = calibration.within_prior(curve, strength, n, -offset)
    if above is not None and not (
        calibration.ran_away(curve, strength, n, above) and _clear(db, curve)
    ):
        curve = calibration.within_bound(curve, strength, n, above)
    undecided, replicas = n, 0
    if known:
        labels = decided.weighed(db)
        curve = taught_by(labels, curve)
        undecided = labels.beside(score_id, n)
        replicas = int(labels.n[labels.replica].sum())
    probability = curve.probabilities(strength)
    least = flag_threshold(settings, model, probability, undecided)
    return Decision(
        model,
        score_id,
        strength,
        n,
        probability,
        offset,
        in_bins,
        curve,
        least,
        above,
        undecided,
        replicas,
    )


def _clear(db: Database, curve: Curve) -> bool:
    """Whether the counts say clearly where replicas begin, of pairs that are not too thin to judge:
    then decoys have no say. In a web that is full of copies they are as many as these copies.
    """
    if curve.slope < CALIBRATION.clear:
        return False
    thin: float | None = db.value(
        """SELECT avg((coalesce(known_pages, 0) < $few)::INTEGER)
        FROM scored JOIN pair_features USING (a_id, b_id) WHERE score_id >= $even""",
        {"few": KINDS.thin_pages, "even": int(np.ceil(curve.even * MILLION))},
    )
    return thin is not None and thin < CALIBRATION.mostly_thin


def taught_by(labels: Known, curve: Curve) -> Curve:
    """The curve as the decided candidates move it."""
    return calibration.taught(curve, labels.score_id / MILLION, labels.replica, labels.mass)


def flag_threshold(
    settings: Settings, model: Lookup, probability: np.ndarray, n: np.ndarray
) -> float:
    """The probability from which pairs are flagged (docs/robust.md#flags)."""
    if class_prior.OF_FILES in model.features:
        return settings.files_probability
    if settings.min_probability is not None:
        return settings.min_probability
    if "evidence" not in model.features:  # of five features probabilities are too modest for it
        return CONSTANTS.least_flag
    return calibration.least_probability(probability, n, settings.max_wrong, CONSTANTS.least_flag)


def has_decoys(settings: Settings, model: Lookup) -> bool:
    """Whether decoys can be dealt: where candidates share contents, all hosts are compared with
    all, and the tables are those for pages.
    """
    return (
        settings.candidates == "content"
        and settings.reference is None
        and class_prior.OF_FILES not in model.features
        and "evidence" in model.features
    )
