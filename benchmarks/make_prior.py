"""Make ``replicadb/learning/prior.json``: what method robust knows before it sees a crawl.

    python benchmarks/make_prior.py [--work DIR] [--web 70] [--themes 40] [--farms 24] [--other 3]
    [--third 2] [--fifth 3] [--sixth 3]

Generated crawls of random kinds (``random_profiles.py``; 500 to 2,200 hosts each, with and without
links, with and without every file type) are loaded and detected, and so are crawls by four
generators of other hands (``other_webs``, ``third_webs``, ``fifth_webs``, ``sixth_webs``), lest the
tables learn how one author sees the web; the generators' true labels teach boosted evidence tables.
Nothing of a real crawl, no named profile and no hand-made label goes in. With ``--work`` the pair
tables are kept there, so that a second run only learns; all of it takes some fifty minutes on one
core.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import fifth_webs
import numpy as np
import other_webs
import polars as pl
import sixth_webs
import third_webs
from random_profiles import random_farms, random_profile, random_themes

import replicadb
from replicadb.detection import collective, robust_method
from replicadb.detection.evidence import weighed_by
from replicadb.learning import additive_model, prior, prior_adjustment
from replicadb.store.database import Database
from replicadb.synthetic.crawl.generate import Profile, generate

CONTENT = weighed_by("files")
PATHS = weighed_by("paths")
PAGES = weighed_by("pages")
BINS = {"pages": 16, "files": 16, "paths": 20}
PAIRS = {"pages": 40, "files": 20, "paths": 10}
"""Pairs of features that are kept."""
ROUNDS = 400
EARLY = 250  # of a second fit with the pairs of features that are kept
MASS = 1000.0  # of each crawl's non-replicas, and of its replicas where their groups are ENOUGH
ENOUGH = 40  # groups of replicas
RARE = {"files": 10.0}  # so many times the replicas' mass the others have, where it is not the same
NEAR = 0.5  # what a near-replica counts for among replicas
ALIKE = {
    "own": 0.3,
    "farms": 0.1,
    "other_webs": 0.3,
    "third_webs": 0.3,
    "fifth_webs": 0.3,
    "sixth_webs": 0.3,
}
WEIGHTS = {
    "pages": ALIKE,
    "paths": ALIKE,
    "files": {"own": 1.0, "other_webs": 0.3, "third_webs": 0.3},
}
"""What a crawl by each hand counts for; hands that a prior does not name do not teach it."""
SEED, OTHER_SEED = 78, 20_000
PARTNER_CUTS = {
    "own_log_odds": np.arange(-6.0, 6.0),
    "overlap": np.append(0.02, np.arange(1, 20) / 20),
}
PARTNER_ROUNDS = 150
SAME = 5  # what pairs of one crawl and of like overlap count for at most, together


def pair_table(
    folder: Path, name: str, profile: Profile, hosts: int, seed: int, links: bool, all_types: bool
) -> pl.DataFrame:
    """Features of a generated crawl's candidates with ``group``: the number of their replica group,
    null for others.
    """
    kept = (
        folder
        / f"{name}_{hashlib.sha1(repr((profile, hosts, seed, links, all_types)).encode()).hexdigest()[:8]}.parquet"
    )
    if not kept.exists():
        with tempfile.TemporaryDirectory() as scratch:
            crawl = generate(scratch, hosts, profile=profile, seed=seed, links=links)
            measured(Path(scratch), crawl.crawl, crawl.gold_csv, "cause", all_types).write_parquet(
                kept
            )
    return pl.read_parquet(kept)


def measured(scratch: Path, crawl: Path, gold: Path, kind: str, all_types: bool) -> pl.DataFrame:
    """Features of a crawl's candidates, without those that the gold's column ``kind`` calls unclear
    or near-replicas.
    """
    with replicadb.open(scratch / "crawl.duckdb") as db:
        db.load(crawl, all_types=all_types)
        db.detect(
            method="paper"
        )  # for the features, the same for every method; robust would need a prior
        pairs = db.sql(
            f"""SELECT f.*, g.host_a IS NOT NULL AS replica, coalesce(g.{kind} = 'version', false) AS near FROM pair_features AS f
            JOIN hosts AS a ON a.host_id = f.a_id JOIN hosts AS b ON b.host_id = f.b_id
            LEFT JOIN read_csv($gold, header = true, all_varchar = true) AS g ON g.host_a = a.host AND g.host_b = b.host
            WHERE coalesce(g.{kind} NOT IN ('unclear', 'near-replica'), true) ORDER BY a.host, b.host""",
            {"gold": str(gold)},
        )
    return pairs.with_columns(group=groups(pairs))


def groups(pairs: pl.DataFrame) -> pl.Series:
    """The replica group of each replica pair (its smallest host), null for other pairs. Members of
    a group are all pairs of each other.
    """
    known = pairs.filter("replica")
    hosts = pl.concat(
        [known.select(host="a_id", other="b_id"), known.select(host="b_id", other="a_id")]
    )
    first = hosts.group_by("host").agg(
        least=pl.min_horizontal(pl.col("host").first(), pl.col("other").min())
    )
    found = pairs.join(first, left_on="a_id", right_on="host", how="left", maintain_order="left")
    return found.select(pl.when("replica").then("least")).to_series()


KINDS = {
    "web": (random_profile, (600, 2200)),
    "themes": (random_themes, (200, 1200)),
    "farms": (random_farms, (800, 2400)),
}


def crawl_of(folder: Path, kind: str, number: int) -> pl.DataFrame:
    """The pair table of the crawl of that kind and number, which alone decide what it is."""
    draw, hosts = KINDS[kind]
    rng = np.random.default_rng([SEED, number])
    profile, size = draw(rng), int(rng.integers(*hosts))
    links, all_types = bool(rng.random() < 0.6), kind == "themes" and bool(rng.random() < 0.7)
    table = pair_table(folder, f"{kind}_{number}", profile, size, 10_000 + number, links, all_types)
    table = table.with_columns(hand=pl.lit("farms" if kind == "farms" else "own"))
    print(
        f"{kind} {number}: {len(table):,} candidates, {table['replica'].sum():,} replicas",
        flush=True,
    )
    return table


def crawl_by(folder: Path, hand: ModuleType, scenario: str, seed: int) -> pl.DataFrame:
    """The pair table of a crawl by a generator of another hand."""
    kept = folder / f"{hand.__name__}_{scenario}_{seed}.parquet"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as scratch:
            web = hand.write(Path(scratch), scenario, OTHER_SEED + seed)
            measured(Path(scratch), web.crawl, web.gold, "label", web.all_types).write_parquet(kept)
    table = pl.read_parquet(kept).with_columns(hand=pl.lit(hand.__name__))
    print(
        f"{kept.stem}: {len(table):,} candidates, {table['replica'].sum():,} replicas", flush=True
    )
    return table


def crawls(
    folder: Path, web: int, themes: int, farms: int, other: int, third: int, fifth: int, sixth: int
) -> list[pl.DataFrame]:
    """The pair tables that have more than a handful of replica groups."""
    tables = [
        crawl_of(folder, kind, number)
        for kind, count in (("web", web), ("themes", themes), ("farms", farms))
        for number in range(count)
    ]
    tables += [
        crawl_by(folder, hand, scenario, seed)
        for hand, seeds in (
            (other_webs, other),
            (third_webs, third),
            (fifth_webs, fifth),
            (sixth_webs, sixth),
        )
        for seed in range(seeds)
        for scenario in hand.SCENARIOS
    ]
    return [table for table in tables if table["group"].n_unique() > 5]


def cuts_of(
    tables: list[pl.DataFrame], features: tuple[str, ...], bins: int
) -> dict[str, np.ndarray]:
    """Quantiles of each feature over as many replicas as others of every crawl, three significant
    digits.
    """
    sample = pl.concat(
        [
            part.sample(500, with_replacement=True, seed=SEED).select(features)
            for table in tables
            for part in (table.filter("replica"), table.filter(~pl.col("replica")))
        ]
    )
    cuts = {}
    for name in features:
        values = sample[name].drop_nulls().drop_nans().to_numpy()
        rounded = np.unique(
            [float(f"{v:.3g}") for v in np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])]
        )
        cuts[name] = (
            np.unique(np.append(rounded, 0.0)) if values.min() >= 0 else rounded
        )  # zero has a bin of its own
    return cuts


def binned(table: pl.DataFrame, cuts: dict[str, np.ndarray]) -> np.ndarray:
    """The bin of each row's features, (n, features), as ``discretise.digitise`` has it."""
    columns = [table[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in cuts]
    return np.column_stack(
        [
            np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values, side="left"))
            for values, edges in zip(columns, cuts.values(), strict=True)
        ]
    )


def counted(
    table: pl.DataFrame, cuts: dict[str, np.ndarray], rare: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct patterns with the masses of replicas and others, of which there are ``rare`` times
    as much. A group weighs as the root of its pairs: farms are many pairs and one case.
    """
    rows, inverse = np.unique(binned(table, cuts), axis=0, return_inverse=True)
    replica = table["replica"].to_numpy()
    weight = table.select(1 / pl.len().over("group").sqrt()).to_series().to_numpy() * replica
    weight *= np.where(table["near"].to_numpy(), NEAR, 1.0)
    mass = MASS * table["counts"].first()
    weight *= mass * min(1.0, table["group"].n_unique() / ENOUGH) / weight.sum()
    other = ~replica * (rare * mass / max((~replica).sum(), 1))
    return rows, *(np.bincount(inverse.ravel(), mass, len(rows)) for mass in (weight, other))


def learn(
    tables: list[pl.DataFrame],
    features: tuple[str, ...],
    bins: int,
    pairs: int,
    again: int = 0,
    rare: float = 1.0,
) -> prior.Prior:
    """Boosted tables with so many ``pairs`` of features, those that told most; with ``again``
    fitted anew on them, with so many trees. The more ``rare`` replicas are, the more the fit minds
    pairs that look like them; the strengths are those of equal masses all the same.
    """
    cuts = cuts_of(tables, features, bins)
    parts = [counted(table, cuts, rare) for table in tables]
    rows, inverse = np.unique(np.vstack([p[0] for p in parts]), axis=0, return_inverse=True)
    replica, other = (
        np.bincount(inverse.ravel(), np.concatenate([p[k] for p in parts]), len(rows))
        for k in (1, 2)
    )
    n_bins, mass = (
        [len(edges) + 2 for edges in cuts.values()],
        replica / replica.sum() + other / other.sum(),
    )
    free = additive_model.boost(
        rows, replica, other, n_bins, rounds=ROUNDS, pairs=None if pairs else ()
    )
    model = additive_model.purified(free, rows, mass, pairs)
    if again:
        model = additive_model.purified(
            additive_model.boost(
                rows, replica, other, n_bins, rounds=again, pairs=model.pairs.keys()
            ),
            rows,
            mass,
        )
    speak_as_lowest(model, (rows > 0).all(axis=0))
    model.intercept -= float(np.log(replica.sum() / other.sum()))
    likely = model.score(rows) >= prior_adjustment.LIKELY
    tail = float(np.log(other[likely].sum() / other.sum() * replica.sum() / replica[likely].sum()))
    print(f"{', '.join(features)}: {len(rows):,} patterns, {len(model.pairs)} pairs of features")
    return prior.Prior(cuts, model, tail)


def speak_as_lowest(model: additive_model.Tables, never_null: np.ndarray) -> None:
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


def has_files(table: pl.DataFrame) -> bool:
    """Whether a crawl is one of every file type, as detection sees it."""
    return table[
        "asset_evidence"
    ].drop_nans().drop_nulls().len() > robust_method.MOSTLY_FILES * len(table)


def learned(
    tables: list[pl.DataFrame],
    name: str,
    features: tuple[str, ...] | None = None,
    pairs: int | None = None,
) -> prior.Prior:
    """The prior ``pages``, ``files`` or ``paths``, of all its features or some, with PAIRS of them
    or so many.
    """
    weights, settings = (
        WEIGHTS[name],
        {"bins": BINS[name], "pairs": PAIRS[name] if pairs is None else pairs},
    )
    tables = [
        table.with_columns(counts=pl.lit(weights[table["hand"].first()]))
        for table in tables
        if table["hand"].first() in weights
    ]
    if name == "files":
        return learn(tables, features or CONTENT, **settings, again=EARLY, rare=RARE["files"])
    if name == "pages":  # of files alone in common the few crawls with some would decide
        tables = [table.filter(pl.col("evidence") > 0) for table in tables if not has_files(table)]
    else:  # an obvious replica is one by its name, so names would be learned as if they proved it
        tables = [table.filter(pl.col("label") == 0) for table in tables]
    return learn(
        [table for table in tables if table["group"].n_unique() > 5],
        features or (PAGES if name == "pages" else PATHS),
        **settings,
    )


def strengths(
    table: pl.DataFrame, model: prior.Prior, adjust: bool = True
) -> tuple[np.ndarray, float]:
    """Strengths of a table's pairs by their own evidence, adjusted by its obvious replicas or not,
    and the log odds to add (as ``evidence.decide``).
    """
    rows, inverse = np.unique(binned(table, model.cuts), axis=0, return_inverse=True)
    inverse = inverse.ravel()
    strength, n = model.tables.score(rows), np.bincount(inverse, minlength=len(rows))
    obvious = np.bincount(inverse, table["label"].to_numpy() == 1, len(rows))
    offset, _ = prior_adjustment.probabilities(strength, n, model.tail)
    if adjust and obvious.sum():
        _, believed = prior_adjustment.replica_share(strength, obvious, prior_adjustment.NAMED)
        added = prior_adjustment.adjust(
            rows, strength + offset, obvious, n - obvious, model.tables.n_bins, believed=believed
        )
        strength = prior_adjustment.adjusted(model.tables, added).score(rows)
    strength = strength[inverse]
    return strength, prior_adjustment.probabilities(strength, by_host(table, strength), model.tail)[
        0
    ]


def by_host(table: pl.DataFrame, strength: np.ndarray) -> np.ndarray:
    """What each pair counts for, (n,), where the share of replicas is estimated
    (sql/detect/60_near_candidates).
    """
    a, b = (table[name].to_numpy() for name in ("a_id", "b_id"))
    near = strength >= prior_adjustment.LIKELY
    degree = np.bincount(
        np.concatenate([a[near], b[near]]), minlength=max(a.max(), b.max()) + 1
    ).astype(float)
    return np.where(near, 1 / np.sqrt(np.maximum(degree[a] * degree[b], 1)), 0.0)


def possible(table: pl.DataFrame, model: prior.Prior) -> pl.DataFrame:
    """The pairs of a table that may be replicas, a_id, b_id, ``replica``, ``near`` and
    ``own_log_odds``.
    """
    strength, offset = strengths(table, model)
    log_odds = np.round(np.rint(strength * collective.MILLION) / collective.MILLION + offset, 9)
    scored = table.select("a_id", "b_id", "replica", "near").with_columns(own_log_odds=log_odds)
    return scored.filter(
        pl.Series(prior_adjustment.logistic(log_odds) >= collective.POSSIBLE)
    ).sort("a_id", "b_id")


@contextlib.contextmanager
def hosts_of(pairs: pl.DataFrame) -> Iterator[Database]:
    """A database that knows the hosts of these pairs and nothing else."""
    with replicadb.open(":memory:") as opened:
        with opened.database.handed("rows", pairs.to_arrow()):
            opened.database.execute(
                """INSERT INTO host_stats BY NAME SELECT DISTINCT host_id, host_id AS host_rank
                FROM (SELECT a_id AS host_id FROM rows UNION ALL SELECT b_id FROM rows)"""
            )
        yield opened.database


def company(table: pl.DataFrame, model: prior.Prior) -> pl.DataFrame:
    """The pairs of a table that may be replicas, with what the first look at their ``partners``
    weighs of them.
    """
    scored = possible(table, model)
    with hosts_of(scored) as db:
        found = collective.measure(
            db,
            *(scored[name].to_numpy() for name in ("a_id", "b_id")),
            collective.weights(scored["own_log_odds"].to_numpy()),
        )
    return scored.with_columns(overlap=found.overlap)


def learned_partners(tables: list[pl.DataFrame], priors: dict[str, prior.Prior]) -> prior.Prior:
    """The prior ``partners``: what company adds to a pair's own log odds. In each crawl pairs that
    keep like company weigh as SAME at most, lest one farm decide; all hands count alike, since
    cliques that are no copies are what authors differ in.
    """
    bins, positive, negative, known = [], [], [], []
    for table in tables:
        found = company(table, priors["files" if has_files(table) else "pages"])
        pattern = binned(found, PARTNER_CUTS)
        _, like, n = np.unique(pattern[:, 1], return_inverse=True, return_counts=True)
        weight, replica = (
            np.minimum(1.0, SAME / n[like]) * np.where(found["near"], NEAR, 1.0),
            found["replica"].to_numpy(),
        )
        bins.append(pattern)
        positive.append(weight * replica)
        negative.append(weight * ~replica)
        known.append(found["own_log_odds"].to_numpy())
    rows = np.vstack(bins)
    model = additive_model.boost(
        rows,
        np.concatenate(positive),
        np.concatenate(negative),
        [len(c) + 2 for c in PARTNER_CUTS.values()],
        rounds=PARTNER_ROUNDS,
        known=np.concatenate(known),
        rising=[list(PARTNER_CUTS).index("overlap")],
    )
    print(f"partners: {len(rows):,} pairs of {len(tables)} crawls")
    return prior.Prior(PARTNER_CUTS, against_none(model))


def against_none(model: additive_model.Tables) -> additive_model.Tables:
    """The tables of ``partners``, rounded as the file rounds them, so that a pair without company
    has nothing added, whatever its own log odds.
    """
    single, pairs = (
        [np.round(w, 3) for w in model.single],
        {jk: np.round(w, 3) for jk, w in model.pairs.items()},
    )
    alone = np.column_stack(
        [np.arange(model.n_bins[0]), np.zeros(model.n_bins[0], np.int64)]
    )  # no overlap, since no partners
    result = additive_model.Tables(model.n_bins, 0.0, single, pairs)
    single[0] -= result.score(alone)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--web", type=int, default=70)
    parser.add_argument("--themes", type=int, default=40)
    parser.add_argument("--farms", type=int, default=24)
    parser.add_argument("--other", type=int, default=3)
    parser.add_argument("--third", type=int, default=2)
    parser.add_argument("--fifth", type=int, default=3)
    parser.add_argument("--sixth", type=int, default=3)
    parser.add_argument("--out", type=Path, default=prior.FILE)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.work or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        tables = crawls(
            folder,
            options.web,
            options.themes,
            options.farms,
            options.other,
            options.third,
            options.fifth,
            options.sixth,
        )
    priors = {name: learned(tables, name) for name in ("pages", "files", "paths")}
    priors["partners"] = learned_partners(tables, priors)
    options.out.write_text(prior.dump(priors), "utf-8")


if __name__ == "__main__":
    main()
