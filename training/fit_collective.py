"""The prior ``shared_neighbours``: what relational evidence, the share of neighbours that two
hosts have in common, adds to a pair's own log odds (docs/method.md, sql/detect/62_collective).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import polars as pl

import replicadb
from replicadb.detection import collective
from replicadb.learning import additive_model, class_prior, prior, prior_adjustment
from replicadb.store.database import Database
from training.fit_evidence import NEAR, binned
from training.pair_tables import has_files
from training.purify import DECIMALS

CUTS = {
    "own_log_odds": np.arange(-6.0, 6.0),
    "overlap": np.append(0.02, np.arange(1, 20) / 20),
}
ROUNDS = 150
MOST_ALIKE = 5
"""What pairs of one crawl and of like overlap count for at most, together."""


def fit(tables: list[pl.DataFrame], priors: dict[str, prior.Prior]) -> prior.Prior:
    """The prior ``shared_neighbours``. In each crawl pairs of like overlap weigh as MOST_ALIKE at
    most, lest one farm decide. All authors count alike, since cliques that are no copies are
    what authors differ in.

    Args:
        tables: of the teaching crawls.
        priors: ``pages`` and ``files``, by which a pair's own log odds are found.
    """
    bins, positive, negative, known = [], [], [], []
    for table in tables:
        found = with_overlap(table, priors["files" if has_files(table) else "pages"])
        pattern = binned(found, CUTS)
        _, like, n = np.unique(pattern[:, 1], return_inverse=True, return_counts=True)
        replica = found["replica"].to_numpy()
        weight = np.minimum(1.0, MOST_ALIKE / n[like]) * np.where(found["near"], NEAR, 1.0)
        bins.append(pattern)
        positive.append(weight * replica)
        negative.append(weight * ~replica)
        known.append(found["own_log_odds"].to_numpy())
    rows = np.vstack(bins)
    model = additive_model.boost(
        rows,
        np.concatenate(positive),
        np.concatenate(negative),
        [len(cuts) + 2 for cuts in CUTS.values()],
        rounds=ROUNDS,
        known=np.concatenate(known),
        rising=[list(CUTS).index("overlap")],
    )
    print(f"shared_neighbours: {len(rows):,} pairs of {len(tables)} crawls")
    return prior.Prior(CUTS, against_none(model))


def against_none(model: additive_model.Tables) -> additive_model.Tables:
    """The tables, rounded as the file rounds them, so that a pair of hosts without neighbours has
    nothing added, whatever its own log odds.
    """
    single = [np.round(weights, DECIMALS) for weights in model.single]
    pairs = {jk: np.round(weights, DECIMALS) for jk, weights in model.pairs.items()}
    result = additive_model.Tables(model.n_bins, 0.0, single, pairs)
    n = model.n_bins[0]
    single[0] -= result.score(np.column_stack([np.arange(n), np.zeros(n, np.int64)]))
    return result


def with_overlap(table: pl.DataFrame, model: prior.Prior) -> pl.DataFrame:
    """The pairs of a table that may be replicas, with their ``overlap`` in the first pass."""
    scored = possible(table, model)
    with hosts_of(scored) as db:
        found = collective.relational_evidence(
            db,
            *(scored[name].to_numpy() for name in ("a_id", "b_id")),
            collective.neighbour_weights(scored["own_log_odds"].to_numpy()),
        )
    return scored.with_columns(overlap=found.overlap)


def possible(table: pl.DataFrame, model: prior.Prior) -> pl.DataFrame:
    """The pairs of a table that may be replicas, a_id, b_id, ``replica``, ``near`` and
    ``own_log_odds``.
    """
    strength, offset = strengths(table, model)
    log_odds = np.round(np.rint(strength * collective.MILLION) / collective.MILLION + offset, 9)
    scored = table.select("a_id", "b_id", "replica", "near").with_columns(own_log_odds=log_odds)
    likely = class_prior.logistic(log_odds) >= collective.POSSIBLE
    return scored.filter(pl.Series(likely)).sort("a_id", "b_id")


def strengths(
    table: pl.DataFrame, model: prior.Prior, adjust: bool = True
) -> tuple[np.ndarray, float]:
    """Match weights of a table's pairs by their own evidence, (n,), adjusted by its obvious
    replicas or not, and the log odds to add (as ``robust_method`` decides).
    """
    rows, inverse = np.unique(binned(table, model.cuts), axis=0, return_inverse=True)
    inverse = inverse.ravel()
    strength, n = model.tables.score(rows), np.bincount(inverse, minlength=len(rows))
    obvious = np.bincount(inverse, table["label"].to_numpy() == 1, len(rows))
    offset, _ = class_prior.probabilities(strength, n, model.tail)
    if adjust and obvious.sum():
        _, believed = class_prior.replica_share(strength, obvious, class_prior.PSEUDO_COUNTS_NAMED)
        added = prior_adjustment.adjust(
            rows, strength + offset, obvious, n - obvious, model.tables.n_bins, believed=believed
        )
        strength = prior_adjustment.adjusted(model.tables, added).score(rows)
    strength = strength[inverse]
    counts = by_host(table, strength)
    return strength, class_prior.probabilities(strength, counts, model.tail)[0]


def by_host(table: pl.DataFrame, strength: np.ndarray) -> np.ndarray:
    """What each pair counts for, (n,), where the share of replicas is estimated
    (sql/detect/60_near_candidates).
    """
    a, b = (table[name].to_numpy() for name in ("a_id", "b_id"))
    near = strength >= class_prior.LIKELY
    degree = np.bincount(
        np.concatenate([a[near], b[near]]), minlength=max(a.max(), b.max()) + 1
    ).astype(float)
    return np.where(near, 1 / np.sqrt(np.maximum(degree[a] * degree[b], 1)), 0.0)


@contextlib.contextmanager
def hosts_of(pairs: pl.DataFrame) -> Iterator[Database]:
    """A database that knows the hosts of these pairs and nothing else."""
    with replicadb.open(":memory:") as opened:
        with opened.database.registered("rows", pairs.to_arrow()):
            opened.database.execute(
                """
                INSERT INTO host_stats BY NAME SELECT DISTINCT host_id, host_id AS host_rank
                FROM (SELECT a_id AS host_id FROM rows UNION ALL SELECT b_id FROM rows)"""
            )
        yield opened.database
