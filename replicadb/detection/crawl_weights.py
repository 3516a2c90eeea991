"""The tables by which method robust weighs evidence in one crawl: the prior's, as its obvious
replicas and what people decided on it correct them (docs/robust.md#prior-adjustment,
docs/robust.md#variation).

Invariant: without obvious replicas and without decided pairs they are the prior's.
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Array, Floats, Whole
from replicadb.detection.evidence import about
from replicadb.detection.pair_scoring import BATCH, feature_columns
from replicadb.learning import class_prior, prior, prior_adjustment, variation
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.additive_model import Tables
from replicadb.settings import CONSTANTS, Settings
from replicadb.store.arrow import batches, reader_of
from replicadb.store.database import Database

OF_OWNERS = about("alike names", "alike networks", "country sites", "owners")
"""Evidence of who has a site. Obvious replicas are two names of one owner, so they cannot teach it.
"""
TINY = 1e-12
"""The least probability that a pair is no replica, so that there always are others to weigh."""


def weights_of(
    db: Database, settings: Settings, examples: str, with_decisions: bool
) -> tuple[Lookup, float]:
    """The prior's tables, adjusted by the obvious replicas and, ``with_decisions``, by decided
    pairs; the prior's tail.
    """
    files = db.value("SELECT avg((asset_evidence IS NOT NULL)::INTEGER) FROM pair_features")
    beforehand = prior.load("files" if files > CONSTANTS.mostly_files else "pages")
    bins, n, obvious = example_patterns(db, Lookup(beforehand.cuts, beforehand.tables), examples)
    tables = beforehand.tables
    if obvious.sum():
        tables = _by_obvious(beforehand, bins, n, obvious, settings.prior_strength)
    if with_decisions and beforehand.variation:
        tables = _by_decisions(db, beforehand, tables, bins, n)
    return Lookup(beforehand.cuts, tables), beforehand.tail


def _by_obvious(
    beforehand: prior.Prior, bins: Whole, n: Floats, obvious: Whole, firmness: float
) -> Tables:
    """The prior's tables with what the obvious replicas add; they teach nothing of names and of
    owners.
    """
    ratio = beforehand.tables.score(bins)
    offset, _ = class_prior.probabilities(ratio, n, beforehand.tail)
    _, believed = class_prior.replica_share(ratio, obvious, class_prior.PSEUDO_COUNTS_NAMED)
    taught = [j for j, name in enumerate(beforehand.features) if name not in OF_OWNERS]
    found = prior_adjustment.adjust(
        bins[:, taught],
        ratio + offset,
        obvious,
        n - obvious,
        [beforehand.tables.n_bins[j] for j in taught],
        firmness,
        believed,
    )
    return _with_additions(beforehand.tables, dict(zip(taught, found, strict=True)))


def _by_decisions(
    db: Database, beforehand: prior.Prior, tables: Tables, bins: Whole, n: Floats
) -> Tables:
    """The tables with what decided pairs add (docs/robust.md#variation), so that candidates that
    are no replicas, of which bins has (m, features) and n the counts, weigh in the mean what they
    weighed.
    """
    lookup = Lookup(beforehand.cuts, tables)
    decided_bins, replica, mass = _decided_examples(db, lookup)
    if not mass.sum():
        return tables
    ratio = tables.score(bins)
    offset, p = class_prior.probabilities(ratio, n, beforehand.tail)
    names = [name for name in beforehand.features if name in beforehand.variation]
    found = variation.additions(
        beforehand.variation,
        beforehand.features,
        decided_bins,
        tables.score(decided_bins) + offset,
        replica,
        mass,
    )
    place = [beforehand.features.index(name) for name in names]
    others = n * np.maximum(1 - p, TINY)
    shift = sum(added[bins[:, j]] for j, added in zip(place, found, strict=True))
    found[0] = found[0] - float(others @ shift / others.sum())
    return _with_additions(tables, dict(zip(place, found, strict=True)))


def _with_additions(tables: Tables, found: dict[int, Floats]) -> Tables:
    """The tables with weights added to some features, rounded: further digits are the BLAS's."""
    additions = [np.zeros(size) for size in tables.n_bins]
    for j, addition in found.items():
        additions[j] = np.round(addition, 6)
    return prior_adjustment.adjusted(tables, additions)


def _decided_examples(db: Database, model: Lookup) -> tuple[Whole, Array, Floats]:
    """Decided candidates that were drawn by their evidence: their bins, (k, features), whether they
    are replicas, (k,) bool, and what each counts for, (k,), as in ``decided.all_candidates``.
    """
    found = db.arrays(
        f"""SELECT replica, mass, {feature_columns(model)}
        FROM loaded_decisions
        JOIN pair_features USING (a_id, b_id)
        WHERE drawn
        ORDER BY a_id, b_id"""
    )
    bins = np.column_stack(model.bins([found[name] for name in model.features]))
    return bins, found["replica"].astype(bool), found["mass"]


def example_patterns(
    db: Database, model: Lookup, examples: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct combinations of bins among CONSTANTS.learn_from candidates and all obvious replicas,
    ``(n_patterns, n_features)``, with how many candidates and obvious replicas they stand for,
    ``(n_patterns,)``.
    """
    others = db.value(f"SELECT count(*) FROM pair_features WHERE label = 0 AND {examples}")
    one_in, chosen, parameters = -(-others // CONSTANTS.learn_from), "true", {}
    if one_in > 1:
        parameters["one_in"] = one_in
        sample = "SELECT host_id FROM host_stats WHERE hash(host_rank) % $one_in = 0"
        chosen = f"label = 1 OR a_id IN ({sample})"
    # Into bins here and not in SQL, which would have a term for each cut: 70 ms to plan.
    chosen_pairs = db.con.sql(
        f"""SELECT label, {feature_columns(model)} FROM pair_features
        WHERE ({chosen}) AND {examples}""",
        params=parameters,
    )
    bins, obvious = [np.zeros((0, len(model.features)), np.uint8)], [np.zeros(0, bool)]
    for batch in batches(reader_of(chosen_pairs, BATCH)):
        columns = [batch.column(name).to_numpy() for name in model.features]
        bins.append(np.column_stack(model.bins(columns)))
        obvious.append(batch.column("label").to_numpy() == 1)
    distinct, n_others, n_obvious = _counted(np.concatenate(bins), np.concatenate(obvious))
    if one_in > 1:
        n_others = n_others * (others / max(n_others.sum(), 1))
    return distinct, n_others + n_obvious, n_obvious


def _counted(bins: np.ndarray, obvious: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct rows of ``bins``, sorted, and how many of each are not obvious, and are."""
    rows = np.ascontiguousarray(bins).view(f"V{bins.shape[1]}").ravel()  # compared as bytes
    _, first, number = np.unique(rows, return_index=True, return_inverse=True)
    n_others, n_obvious = (
        np.bincount(number[chosen], minlength=len(first)) for chosen in (~obvious, obvious)
    )
    return bins[first], n_others, n_obvious
