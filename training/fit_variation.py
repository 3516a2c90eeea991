"""How weights vary between crawls: the directions in which the tables of single crawls differ from
the prior ``pages`` or ``files`` (docs/robust.md#variation).

Each teaching crawl alone teaches tables of its own. What they add to the prior's weights of single
features differs from crawl to crawl, and does so in a few ways: the principal components of the
match weights that they add. What people decide on a crawl says how far it goes each way
(``replicadb/learning/variation.py``).
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from replicadb.arrays import Array, Floats
from replicadb.learning import class_prior, prior
from training import fit_evidence
from training.fit_evidence import binned, boosted, part_of, teachers

WAYS = 8
"""Directions that are kept."""
DRAWN, DRAW_SEED = 60, 78
"""Pairs of each crawl on which the directions are measured: mostly those that may be either."""
OWNERS = {"identifier_overlap": np.array([0.0, 0.0, 1.0, 1.5])}
"""A way of its own, of evidence that no crawl teaches: what a crawl that goes one unit that way
adds, by bin, the unknown first (docs/decisions/0186-answers-teach-owners.md).
"""
LIKELY_PART, ANY_PART = 1e-3, 1e-6
"""What else is drawn: likely replicas, and any pair, of the mass of pairs that may be either."""


def fit(tables: list[pl.DataFrame], name: str, learned: prior.Prior) -> prior.Prior:
    """The prior of that name with its ``variation``, as the crawls that teach it differ."""
    names = fit_evidence.FEATURES[name]
    cuts = {piece: learned.cuts[piece] for piece in names}
    pairs = [jk for jk in learned.tables.pairs if max(jk) < len(names)]
    known = np.concatenate(learned.tables.single[: len(names)])
    added, sample = [], []
    crawls = [crawl for crawl in teachers(tables, name) if not crawl["replica"].all()]
    for crawl in crawls:
        of_one = boosted([part_of(crawl)], cuts, pairs)
        added.append(np.concatenate(of_one.tables.single) - known)
        sample.append(_drawn(crawl, learned)[:, : len(names)])
    authors = [crawl["author"].first() for crawl in crawls]
    ways = directions(np.array(added), sample, authors, learned.tables.n_bins[: len(names)])
    places = np.cumsum(learned.tables.n_bins[: len(names)])[:-1]
    variation = dict(zip(names, np.split(ways, places, axis=1), strict=True))
    return with_way(
        prior.Prior(learned.cuts, learned.tables, learned.tail, variation),
        OWNERS,
    )


def with_way(learned: prior.Prior, added: dict[str, Floats]) -> prior.Prior:
    """The prior with one way more, in which nothing varies but these pieces of evidence."""
    ways = max(len(rows) for rows in learned.variation.values())
    other = {
        name: np.vstack([rows, np.zeros((1, rows.shape[1]))])
        for name, rows in learned.variation.items()
    }
    alone = {name: np.vstack([np.zeros((ways, len(row))), row]) for name, row in added.items()}
    return prior.Prior(learned.cuts, learned.tables, learned.tail, other | alone)


def directions(
    added: Floats, sample: list[Array], authors: list[str], n_bins: tuple[int, ...]
) -> Floats:
    """The WAYS principal components, (ways, bins), of what crawls add, (crawls, bins). Authors
    count alike but for the root of their number of crawls. A crawl goes about one unit each way.

    Args:
        sample: of each crawl, the bins of pairs on which match weights are compared.
    """
    many = Counter(authors)
    weight = np.array([1 / np.sqrt(many[author]) for author in authors])
    weight /= weight.sum()
    start = np.concatenate([[0], np.cumsum(n_bins)[:-1]])
    rows = np.vstack(sample) + start
    counts = np.concatenate(
        [np.full(len(s), w / len(s)) for s, w in zip(sample, weight, strict=True)]
    )
    apart = (added - weight @ added) * np.sqrt(weight)[:, None]
    match_weights = sum(apart[:, rows[:, j]].T for j in range(rows.shape[1]))
    _, _, components = np.linalg.svd(match_weights * np.sqrt(counts)[:, None], full_matrices=False)
    found: Floats = components[:WAYS] @ apart
    return found


def _drawn(crawl: pl.DataFrame, learned: prior.Prior) -> Array:
    """The bins of DRAWN pairs of a crawl, (DRAWN, features)."""
    rows, n = np.unique(binned(crawl, learned.cuts), axis=0, return_counts=True)
    strength = learned.tables.score(rows)
    offset, _ = class_prior.probabilities(strength, n, learned.tail)
    p = class_prior.logistic(strength + offset)
    mass = n * (p * (1 - p) + LIKELY_PART * p + ANY_PART)
    rng = np.random.default_rng(DRAW_SEED)
    chosen = rng.choice(len(rows), min(DRAWN, len(rows)), p=mass / mass.sum(), replace=False)
    drawn: Array = rows[chosen]
    return drawn
