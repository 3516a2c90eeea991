"""The priors ``pages``, ``files`` and ``paths``: boosted tables of evidence, learned from the pair
tables of teaching crawls.

A crawl counts by its author (WEIGHTS), its replicas and its others alike, a replica group as the
root of its pairs: a farm is many pairs and one case. Why each number is what it is, stands in
``docs/decisions/index.md``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

import numpy as np
import polars as pl

from replicadb.detection.evidence import weighed_by
from replicadb.learning import additive_model, class_prior, prior
from training.pair_tables import has_enough_groups, has_files
from training.purify import purified

Number = TypeVar("Number", float, np.ndarray)

NO_LINK_IN_COMMON = (np.array([0.0]), np.array([0.0, -2.0, 0.0]))
NAMES_ALIKE = (np.array([0.25, 0.35]), np.array([0.0, 0.0, 2.0, 3.0]))
NETWORK_ALIKE = (np.array([0.0, 0.01]), np.array([0.0, -0.25, 0.0, 1.0]))
COUNTRIES_AGREE = (np.array([0.67, 0.9]), np.array([0.0, -12.0, -7.0, 0.0]))
OWNERS = (np.array([0.0, 0.3]), np.zeros(4))
SET_BY_HAND = {
    "pages": {
        "known_pages": (np.array([1.0, 2.0, 4.0]), np.array([0.0, -3.0, -2.0, -1.0, 0.0])),
        "plain_resemblance": (np.array([0.85]), np.zeros(3)),
        "link_overlap": NO_LINK_IN_COMMON,
        "names_alike": NAMES_ALIKE,
        "identifier_overlap": OWNERS,
        "network_alike": NETWORK_ALIKE,
        "countries_agree": COUNTRIES_AGREE,
    },
    "files": {
        "link_overlap": NO_LINK_IN_COMMON,
        "names_alike": NAMES_ALIKE,
        "identifier_overlap": OWNERS,
        "network_alike": NETWORK_ALIKE,
        "countries_agree": COUNTRIES_AGREE,
    },
}
"""Pieces of evidence that no crawl teaches, by prior: cuts, and the weight of each bin, the unknown
first (docs/decisions/0170-thin-pairs.md, docs/decisions/0175-whole-mirrors-of-common-pages.md,
docs/decisions/0177-no-link-in-common.md, docs/decisions/0186-answers-teach-owners.md,
docs/decisions/0202-names-and-networks-weigh-more.md,
docs/decisions/0216-country-sites-of-a-brand.md).
"""
MIRRORS = {0.5: 3.0, 1.0: 1.5}
"""What whole mirrors weigh whose pages many hosts have, by exclusive_evidence: below so much of it
(the next cut above counts), so much. Crawls that teach have too few of them.
"""
FEATURES = {
    name: tuple(piece for piece in weighed_by(name) if piece not in SET_BY_HAND.get(name, {}))
    for name in ("pages", "files", "paths")
}
"""What each prior learns to weigh."""
BINS = {"pages": 16, "files": 16, "paths": 20}
PAIRS = {"pages": 40, "files": 20, "paths": 10}
"""Pairs of features that are kept."""
ROUNDS = 400
SECOND_ROUNDS = {"files": 250}
"""Of a second fit, with the pairs of features that are kept alone."""
MASS = 1000.0
"""Of each crawl's non-replicas, and of its replicas where their groups are ENOUGH_GROUPS."""
ENOUGH_GROUPS = 40
RARITY = {"files": 10.0}
"""So many times the replicas' mass the others have, where it is not the same."""
NEAR = 0.5
"""What a near-replica counts for among replicas."""
ALIKE = {
    "own": 0.3,
    "farms": 0.1,
    "author_b": 0.3,
    "author_c": 0.3,
    "author_e": 0.3,
    "author_f": 0.3,
}
WEIGHTS = {
    "pages": ALIKE | {"author_g": 0.3},
    "paths": ALIKE,
    "files": {"own": 1.0, "author_b": 0.3, "author_c": 0.3},
}
"""What a crawl by each author counts for; authors that a prior does not name do not teach it."""
THIN_PART = 0.2
"""How much of the prior for pages thin crawls teach, too. With more, large farms of which little
was crawled are taken for chance.
"""
MOST = 4000
"""Replicas, and others, of a crawl that teach the prior for pages."""
SAMPLED, SAMPLE_SEED = 500, 78
"""Replicas and others drawn of each crawl to find the cuts."""


def fit(
    tables: list[pl.DataFrame],
    name: str,
    features: tuple[str, ...] | None = None,
    pairs: int | None = None,
) -> prior.Prior:
    """The prior ``pages``, ``files`` or ``paths``, of all its features or some, with PAIRS of them
    or so many.

    That of pages is blended of two: one taught by whole crawls, and THIN_PART of one taught by
    these and thin ones, with the cuts and the pairs of features of the first
    (docs/decisions/0091-thin-crawls-teach-a-fifth.md). What is SET_BY_HAND comes last.
    """
    learned = with_weights(taught(tables, name, features, pairs), SET_BY_HAND.get(name, {}))
    return with_mirrors(learned) if "plain_resemblance" in learned.cuts else learned


def with_weights(
    learned: prior.Prior, pieces: dict[str, tuple[np.ndarray, np.ndarray]]
) -> prior.Prior:
    """The prior with these pieces of evidence after its own; each has its cuts and its weights."""
    tables = learned.tables
    weights = [weights for _, weights in pieces.values()]
    return prior.Prior(
        learned.cuts | {piece: cuts for piece, (cuts, _) in pieces.items()},
        additive_model.Tables(
            (*tables.n_bins, *map(len, weights)),
            tables.intercept,
            [*tables.single, *weights],
            tables.pairs,
        ),
        learned.tail,
    )


def with_mirrors(learned: prior.Prior) -> prior.Prior:
    """The prior with the weights of MIRRORS beside its own."""
    place = {name: j for j, name in enumerate(learned.features)}
    j, k = place["exclusive_evidence"], place["plain_resemblance"]
    weights = np.zeros((learned.tables.n_bins[j], learned.tables.n_bins[k]))
    least = np.concatenate([[-np.inf], learned.cuts["exclusive_evidence"]])  # of a bin, but NULL's
    for most, weight in sorted(MIRRORS.items(), reverse=True):
        weights[1:, -1][least < most] = weight
    tables = learned.tables
    pairs = tables.pairs | {(j, k): weights}
    both = additive_model.Tables(tables.n_bins, tables.intercept, tables.single, pairs)
    return prior.Prior(learned.cuts, both, learned.tail)


def taught(
    tables: list[pl.DataFrame], name: str, features: tuple[str, ...] | None, pairs: int | None
) -> prior.Prior:
    """What pair tables alone teach of :func:`fit`."""
    tables = teachers(tables, name)
    features, pairs = features or FEATURES[name], PAIRS[name] if pairs is None else pairs
    deep = [table for table in tables if not table["thinned"].first()]
    cuts = cuts_of(deep, features, BINS[name])
    whole = boosted(deep, cuts, pairs, SECOND_ROUNDS.get(name, 0), RARITY.get(name, 1.0))
    if len(deep) == len(tables):
        return whole
    both = boosted([part_of(table) for table in tables], cuts, whole.tables.pairs.keys())
    return blended(whole, both, THIN_PART)


def teachers(tables: list[pl.DataFrame], name: str) -> list[pl.DataFrame]:
    """The tables that teach the prior of that name, with ``counts``, what each counts for. What is
    thin teaches pages alone.
    """
    weights = WEIGHTS[name]
    tables = [
        table.with_columns(counts=pl.lit(weights[table["author"].first()]))
        for table in tables
        if table["author"].first() in weights and (name == "pages" or not table["thinned"].first())
    ]
    if name == "pages":  # of files alone in common the few crawls with some would decide
        tables = [table.filter(pl.col("evidence") > 0) for table in tables if not has_files(table)]
    elif name == "paths":  # names make a replica obvious: they would be learned as if they proved
        tables = [table.filter(pl.col("label") == 0) for table in tables]
    return [table for table in tables if has_enough_groups(table)]


def part_of(table: pl.DataFrame) -> pl.DataFrame:
    """MOST replicas and others of a table."""
    parts = (table.filter("replica"), table.filter(~pl.col("replica")))
    return pl.concat([part.sample(min(len(part), MOST), seed=SAMPLE_SEED) for part in parts])


def blended(first: prior.Prior, second: prior.Prior, part: float) -> prior.Prior:
    """So much of the second and the rest of the first, which have the same cuts; pairs of features
    that are the second's are the first's, too.
    """
    one, other = first.tables, second.tables

    def mixed(a: Number, b: Number) -> Number:
        return (1 - part) * a + part * b

    return prior.Prior(
        first.cuts,
        additive_model.Tables(
            one.n_bins,
            mixed(one.intercept, other.intercept),
            [mixed(a, b) for a, b in zip(one.single, other.single, strict=True)],
            {
                jk: mixed(table, other.pairs.get(jk, np.zeros_like(table)))
                for jk, table in one.pairs.items()
            },
        ),
        mixed(first.tail, second.tail),
    )


def boosted(
    tables: list[pl.DataFrame],
    cuts: dict[str, np.ndarray],
    pairs: int | Collection[tuple[int, int]],
    again: int = 0,
    rarity: float = 1.0,
) -> prior.Prior:
    """Boosted tables with so many ``pairs`` of features, those that told most, or with those given;
    with ``again`` fitted anew on them, with so many trees. The greater the ``rarity`` of replicas,
    the more the fit minds pairs that look like them; the log odds are those of equal masses all the
    same.
    """
    counts = [counted(table, cuts, rarity) for table in tables]
    rows, inverse = np.unique(np.vstack([c[0] for c in counts]), axis=0, return_inverse=True)
    replica, other = (
        np.bincount(inverse.ravel(), np.concatenate([c[k] for c in counts]), len(rows))
        for k in (1, 2)
    )
    n_bins = [len(edges) + 2 for edges in cuts.values()]
    mass = replica / replica.sum() + other / other.sum()

    def boost(rounds: int, allowed: Collection[tuple[int, int]] | None) -> additive_model.Tables:
        return additive_model.boost(rows, replica, other, n_bins, rounds=rounds, pairs=allowed)

    if isinstance(pairs, int):
        model = purified(boost(ROUNDS, None if pairs else ()), rows, mass, pairs)
    else:
        model = purified(boost(ROUNDS, pairs), rows, mass)
    if again:
        model = purified(boost(again, model.pairs.keys()), rows, mass)
    weigh_unknown_as_lowest(model, (rows > 0).all(axis=0))
    model.intercept -= float(np.log(replica.sum() / other.sum()))
    likely = model.score(rows) >= class_prior.LIKELY
    tail = float(np.log(other[likely].sum() / other.sum() * replica.sum() / replica[likely].sum()))
    print(f"{', '.join(cuts)}: {len(rows):,} patterns, {len(model.pairs)} pairs of features")
    return prior.Prior(cuts, model, tail)


def cuts_of(
    tables: list[pl.DataFrame], features: tuple[str, ...], bins: int
) -> dict[str, np.ndarray]:
    """Quantiles of each feature over as many replicas as others of every crawl, three significant
    digits; zero has a bin of its own.
    """
    sample = pl.concat(
        [
            part.sample(SAMPLED, with_replacement=True, seed=SAMPLE_SEED).select(features)
            for table in tables
            for part in (table.filter("replica"), table.filter(~pl.col("replica")))
        ]
    )
    cuts = {}
    for name in features:
        values = sample[name].drop_nulls().drop_nans().to_numpy()
        if not len(values):  # no crawl that teaches knows it
            cuts[name] = np.zeros(1)
            continue
        quantiles = np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])
        rounded = np.unique([float(f"{v:.3g}") for v in quantiles])
        cuts[name] = np.unique(np.append(rounded, 0.0)) if values.min() >= 0 else rounded
    return cuts


def binned(table: pl.DataFrame, cuts: dict[str, np.ndarray]) -> np.ndarray:
    """The bin of each row's features, (n, features) ints, as ``Prior.cuts`` has it."""
    columns = [table[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in cuts]
    return np.column_stack(
        [
            np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values, side="left"))
            for values, edges in zip(columns, cuts.values(), strict=True)
        ]
    )


def counted(
    table: pl.DataFrame, cuts: dict[str, np.ndarray], rarity: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct patterns with the masses of replicas and others, of which there are ``rarity`` times
    as much. A group weighs as the root of its pairs: farms are many pairs and one case.
    """
    rows, inverse = np.unique(binned(table, cuts), axis=0, return_inverse=True)
    replica = table["replica"].to_numpy()
    weight = table.select(1 / pl.len().over("group").sqrt()).to_series().to_numpy() * replica
    weight *= np.where(table["near"].to_numpy(), NEAR, 1.0)
    mass = MASS * table["counts"].first()
    weight *= mass * min(1.0, table["group"].n_unique() / ENOUGH_GROUPS) / weight.sum()
    other = ~replica * (rarity * mass / max((~replica).sum(), 1))
    return rows, *(np.bincount(inverse.ravel(), mass, len(rows)) for mass in (weight, other))


def weigh_unknown_as_lowest(model: additive_model.Tables, never_null: np.ndarray) -> None:
    """NULL of a feature that is never NULL where it was taught counts as its lowest bin,
    (features,) bool.
    """
    for j in np.flatnonzero(never_null):
        model.single[j][0] = model.single[j][1]
        for (first, second), table in model.pairs.items():
            if first == j:
                table[0] = table[1]
            if second == j:
                table[:, 0] = table[:, 1]
