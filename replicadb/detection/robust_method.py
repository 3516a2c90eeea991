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

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from replicadb.counted import counted
from replicadb.detection import collective, decided, decoys
from replicadb.detection.bins import bin_expressions
from replicadb.detection.collective import MILLION
from replicadb.detection.crawl_weights import weights_of
from replicadb.detection.evidence import BESIDE_CONTENT, OF_FILES, PAPER_FEATURES
from replicadb.detection.pair_scoring import (
    ScoredCrawl,
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
from replicadb.learning.chance_null import Chance
from replicadb.learning.crossing import crossing
from replicadb.settings import CONSTANTS, Settings
from replicadb.store.arrow import insert_arrow, insert_frame, put_values
from replicadb.store.database import Database

QUANTILES, ROUNDS, RIDGE = CONSTANTS.quantiles, CONSTANTS.rounds, CONSTANTS.ridge
PLACES_ALONE = (
    "no content was compared, only paths, names and addresses, and sites of one software have paths"
    " in common: how many replicas there are is not known, only pairs with alike names are"
    " flagged, and of these many can be translations; look before you drop"
)
ONE = 2**20
"""A probability of one, as a whole number: sums do not depend on their order."""


def scores(db: Database, settings: Settings, with_decisions: bool = False) -> dict[str, Any]:
    """Fill pattern_scores, evidence_weights, evidence_interactions, shared_neighbours and
    em_history, and make the temporary table ``scored``.

    Args:
        with_decisions: what people decided teaches the weights and the calibration (the temporary
            table ``loaded_decisions``).
    """
    found = score_crawl(db, settings, with_decisions=with_decisions)
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
    log_odds = {
        "offset": found.offset,
        "constant": found.model.tables.intercept,
        "slope": found.curve.slope,
        "even": found.curve.even,
        "flagged": found.least,
        "another": threshold_of_another(settings, found),
        "error": found.curve.error,
    }
    put_values(
        db,
        "settings",
        {
            f"log_odds_{name}": repr(float(number))
            for name, number in log_odds.items()
            if number is not None
        },
    )
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


def _counts(found: ScoredCrawl) -> dict[str, Any]:
    """What is said of the scores."""
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
    """Strength, probability and flag of every candidate; nothing stays in the database.

    Args:
        examples: an SQL condition on a_id and b_id; only such candidates adjust and teach (for
            cross-validation). The share of replicas is of all.

    Returns:
        Arrow table a_id, b_id, score (log odds), probability, flagged; a row for each candidate, in
        no order.
    """
    with db.temporary():
        found = score_crawl(db, settings, examples)
        by_score = pa.table(
            {
                "score_id": found.score_id,
                "score": found.strength,
                "probability": found.probability,
                "flagged": found.flagged,
            }
        )
        with db.registered("by_score", by_score):
            return db.arrow(
                "SELECT a_id, b_id, score, probability, flagged"
                " FROM scored JOIN by_score USING (score_id)"
            )


def score_crawl(
    db: Database, settings: Settings, examples: str = "true", with_decisions: bool = False
) -> ScoredCrawl:
    """Weigh the evidence that the settings ask for, learned from the candidates ``examples``;
    pair_features must be there, and ``with_decisions`` loaded_decisions, too.

    Where no candidate shares content and no host has links or titles, the five features are all
    there is.
    """
    if places_alone(db):
        paths = prior.load("paths")
        model = Lookup(paths.cuts, paths.tables)
        return _score_by(db, settings, model, paths.tail, with_decisions)
    model, tail = weights_of(db, settings, examples, with_decisions)
    if settings.evidence == "all":
        return _score_by(db, settings, model, tail, with_decisions)
    model = _distilled(db, settings, model, tail, examples)
    return _score_by(db, settings, model, None, with_decisions)


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
    by_teacher = _score_by(db, settings, teacher, tail)
    mass = np.round(by_teacher.probability * ONE).astype(np.int64)
    with db.temporary():
        with db.registered("teacher", pa.table({"score_id": by_teacher.score_id, "mass": mass})):
            features = ", ".join(f"f.{name}" for name in PAPER_FEATURES)
            db.execute(
                f"""CREATE OR REPLACE TEMP TABLE distillation AS
                SELECT {features}, f.label, mass
                FROM scored JOIN teacher USING (score_id)
                JOIN pair_features AS f USING (a_id, b_id)
                WHERE {examples}"""
            )
        cuts = {name: _distillation_cuts(db, name) for name in PAPER_FEATURES}
        binned, parameters = bin_expressions(cuts)
        column = db.arrays(
            f"""SELECT {", ".join(PAPER_FEATURES)}, sum(mass)::BIGINT AS mass, count(*) AS n
            FROM (SELECT {binned}, mass FROM distillation WHERE label = 0)
            GROUP BY ALL ORDER BY ALL""",
            parameters,
        )
    positive = column["mass"] / ONE
    negative = column["n"] - positive
    n_bins = tuple(len(values) + 2 for values in cuts.values())
    if positive.sum() <= 0 or negative.sum() <= 0:
        return Lookup(cuts, additive_model.Tables(n_bins))
    bins = np.column_stack([column[name] for name in PAPER_FEATURES])
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


def _score_by(
    db: Database,
    settings: Settings,
    model: Lookup,
    tail: float | None,
    with_decisions: bool = False,
) -> ScoredCrawl:
    """Score every candidate by these tables. Makes the temporary tables ``scored`` and
    ``corrections``. With a reference load there are none of the latter: its old hosts were not
    compared with each other.
    """
    local = local_scores(db, model, tail, with_decisions)
    score_id, n, chance = local.score_id, local.n, None
    if has_decoys(settings, model) and calibration.may_run_away(int(local.n.sum())):
        chance = decoys.chance_in(db, settings, model, score_id, n, local.offset)
    if settings.reference is None:
        collective.correct(db, local.offset)
        score_id, n = match_weights(db)
    curve = place_curve(db, model, score_id, n, local.offset, chance)
    undecided, replicas = n, 0
    if with_decisions:
        curve, undecided, replicas = apply_decisions(db, curve, score_id, n)
    probability = curve.probabilities(score_id / MILLION)
    return ScoredCrawl(
        model=model,
        score_id=score_id,
        strength=score_id / MILLION,
        n=n,
        probability=probability,
        offset=local.offset,
        in_bins=local.in_bins,
        curve=curve,
        least=flag_threshold(settings, model, probability, undecided),
        above_chance=None if chance is None else chance.above,
        undecided=undecided,
        decided_replicas=replicas,
    )


class LocalScores(NamedTuple):
    """Candidates by their match weight of local evidence alone; fields as ScoredCrawl has them."""

    in_bins: np.ndarray
    score_id: np.ndarray
    n: np.ndarray
    offset: float


def local_scores(
    db: Database, model: Lookup, tail: float | None, with_decisions: bool
) -> LocalScores:
    """Score every candidate by its local evidence into the temporary table ``scored``, and
    estimate the share of replicas.
    """
    in_bins = score_all(db, model)
    score_id, n = match_weights(db)
    if tail is None:
        offset, _ = class_prior.probabilities(score_id / MILLION, n, None)
    else:
        decisions = decided.near_candidates(db) if with_decisions else None
        offset, _ = by_host(db, score_id, tail, decisions)
    return LocalScores(in_bins, score_id, n, offset)


def place_curve(
    db: Database,
    model: Lookup,
    score_id: np.ndarray,
    n: np.ndarray,
    offset: float,
    chance: Chance | None,
) -> Curve:
    """The curve from match weights to probabilities as the counts of candidates place it, within
    what the class prior and decoys allow (docs/robust.md#calibration).

    Args:
        score_id: (m,) match weights. n: (m,) candidates of each.
        offset: log odds that the class prior adds to a match weight.
        chance: what decoys say; None where none were dealt.
    """
    strength = score_id / MILLION
    curve = Curve(1.0, -offset)  # the class prior's own, of five features alone
    if "evidence" in model.features:
        there = counted_without_names(db, model)
        found = crossing(there.strength, there.n, -offset, there.alike, there.agree)
        curve = calibration.curve_of(found)
        curve = calibration.within_prior(curve, strength, n, -offset)
    if chance is not None:
        curve = calibration.within_bound(curve, strength, n, chance.above)
        curve = calibration.within_decoys(curve, chance)
    return curve


def apply_decisions(
    db: Database, curve: Curve, score_id: np.ndarray, n: np.ndarray
) -> tuple[Curve, np.ndarray, int]:
    """The curve as the decided candidates move it; the undecided candidates of each match weight,
    (m,), and how many were decided to be replicas. score_id and n as in :func:`place_curve`.
    """
    decisions = decided.all_candidates(db)
    strength = decisions.score_id / MILLION
    curve = calibration.taught(curve, strength, decisions.replica, decisions.mass)
    replicas = int(decisions.n[decisions.replica].sum())
    return curve, decisions.beside(score_id, n), replicas


def flag_threshold(
    settings: Settings, model: Lookup, probability: np.ndarray, n: np.ndarray
) -> float:
    """The probability from which pairs are flagged (docs/robust.md#flags)."""
    of_files = OF_FILES in model.features
    if settings.min_probability is not None:
        return settings.files_probability if of_files else settings.min_probability
    if "evidence" not in model.features:  # of five features probabilities are too modest for it
        return CONSTANTS.least_flag
    lowest = settings.files_probability if of_files else CONSTANTS.least_flag
    return calibration.least_probability(probability, n, settings.max_wrong, lowest)


def threshold_of_another(settings: Settings, found: ScoredCrawl) -> float:
    """The probability from which one pair more, of a host newly met, would be flagged, too."""
    features, probability = found.model.features, found.probability
    if settings.min_probability is not None or "evidence" not in features:
        return found.least
    lowest = settings.files_probability if OF_FILES in features else CONSTANTS.least_flag
    flagged = probability >= found.least
    below = probability[~flagged].max(initial=0.0)
    return calibration.least_of_another(
        probability[flagged], found.undecided[flagged], settings.max_wrong, lowest, below
    )


def has_decoys(settings: Settings, model: Lookup) -> bool:
    """Whether decoys can be dealt: where candidates share contents, all hosts are compared with
    all, and content is weighed.
    """
    return (
        settings.candidates == "content"
        and settings.reference is None
        and "evidence" in model.features
    )
