"""The pair tables that teach: features and true labels of each teaching crawl's candidates.

A crawl is drawn by its kind and number, or by its author, scenario and seed, and by nothing else;
``record.json`` holds the same numbers. A table has the columns of ``pair_features`` and

- ``replica``: bool, the gold's label; unclear pairs, and other authors' near-replicas, are left
  out;
- ``near``: bool, a replica of another year (a near-replica of ``replicadb synth``);
- ``group``: the number of a replica's group, null for others;
- ``author``: ``own``, ``farms`` (own crawls with large farms), or the name of another author.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import replicadb
from replicadb.synthetic.crawl.generate import Profile, generate
from training.generators import AUTHORS, common
from training.random_profiles import random_farms, random_profile, random_themes

KINDS = {
    "web": (random_profile, (600, 2200)),
    "themes": (random_themes, (200, 1200)),
    "farms": (random_farms, (800, 2400)),
}
"""Of ``replicadb synth``'s teaching crawls: what draws the rates, and between how many hosts."""
CRAWLS = {"web": 70, "themes": 40, "farms": 24}
"""Teaching crawls of each kind, numbered from 0."""
SEEDS = {"author_b": 3, "author_c": 2, "author_e": 3, "author_f": 3}
"""Seeds of each teaching author, all scenarios each, counted from AUTHORS_SEED."""
PROFILE_SEED, CRAWL_SEED, AUTHORS_SEED = 78, 10_000, 20_000
"""Rates of crawl n are drawn by (PROFILE_SEED, n), the crawl by CRAWL_SEED + n."""
LINKS, ALL_TYPES = 0.6, 0.7
"""Shares of own crawls with links, and of ``themes`` with every file type."""
LEAST_GROUPS = 5
"""A table with no more replica groups than this, one of them that of the others, teaches
nothing.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """An option for each count of CRAWLS and SEEDS: ``--web 70``, ``--author-b 3`` ..."""
    for name, count in (CRAWLS | SEEDS).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=count)


def teaching_tables(folder: Path, counts: dict[str, int]) -> list[pl.DataFrame]:
    """The pair tables that have more than a handful of replica groups.

    Args:
        folder: where tables are kept; those that are there are not made again.
        counts: how many crawls or seeds of each name in CRAWLS and SEEDS.
    """
    tables = [crawl_of(folder, kind, number) for kind in CRAWLS for number in range(counts[kind])]
    tables += [
        crawl_by(folder, author, scenario, AUTHORS_SEED + number)
        for author in SEEDS
        for number in range(counts[author])
        for scenario in AUTHORS[author].SCENARIOS
    ]
    return [table for table in tables if has_enough_groups(table)]


def has_enough_groups(table: pl.DataFrame) -> bool:
    return table["group"].n_unique() > LEAST_GROUPS


def crawl_of(folder: Path, kind: str, number: int) -> pl.DataFrame:
    """The pair table of a crawl by ``replicadb synth``; kind and number alone decide what it is."""
    draw, hosts = KINDS[kind]
    rng = np.random.default_rng([PROFILE_SEED, number])
    profile, size = draw(rng), int(rng.integers(*hosts))
    links = bool(rng.random() < LINKS)
    all_types = kind == "themes" and bool(rng.random() < ALL_TYPES)
    seed = CRAWL_SEED + number
    table = pair_table(folder, f"{kind}_{number}", profile, size, seed, links, all_types)
    return _shown(f"{kind} {number}", table, "farms" if kind == "farms" else "own")


def crawl_by(folder: Path, author: str, scenario: str, seed: int) -> pl.DataFrame:
    """The pair table of a crawl by another author."""
    path = folder / f"{author}_{scenario}_{seed}.parquet"
    if not path.exists():
        with tempfile.TemporaryDirectory() as scratch:
            made = common.write(AUTHORS[author], Path(scratch), scenario, seed)
            table = detected(Path(scratch), made.crawl, made.gold, "label", made.all_types)
            table.write_parquet(path)
    return _shown(f"{author} {scenario} {seed}", pl.read_parquet(path), author)


def _shown(name: str, table: pl.DataFrame, author: str) -> pl.DataFrame:
    print(f"{name}: {len(table):,} candidates, {table['replica'].sum():,} replicas", flush=True)
    return table.with_columns(author=pl.lit(author))


def pair_table(
    folder: Path, name: str, profile: Profile, hosts: int, seed: int, links: bool, all_types: bool
) -> pl.DataFrame:
    """The pair table of a crawl that ``replicadb synth`` makes of these."""
    key = hashlib.sha1(repr((profile, hosts, seed, links, all_types)).encode()).hexdigest()[:8]
    path = folder / f"{name}_{key}.parquet"
    if not path.exists():
        with tempfile.TemporaryDirectory() as scratch:
            made = generate(scratch, hosts, profile=profile, seed=seed, links=links)
            table = detected(Path(scratch), made.crawl, made.gold_csv, "cause", all_types)
            table.write_parquet(path)
    return pl.read_parquet(path)


def detected(scratch: Path, crawl: Path, gold: Path, column: str, all_types: bool) -> pl.DataFrame:
    """Features of a crawl's candidates, in the order of their names, without those that the gold's
    ``column`` calls unclear or near-replicas.
    """
    with replicadb.open(scratch / "crawl.duckdb") as db:
        db.load(crawl, all_types=all_types, pages_only=not all_types)
        db.detect(method="paper")  # makes the same features as robust, which would need a prior
        pairs = db.sql(
            f"""
            SELECT f.*, g.host_a IS NOT NULL AS replica,
                coalesce(g.{column} = 'version', false) AS near
            FROM pair_features AS f
            JOIN hosts AS a ON a.host_id = f.a_id
            JOIN hosts AS b ON b.host_id = f.b_id
            LEFT JOIN read_csv($gold, header = true, all_varchar = true) AS g
                ON g.host_a = a.host AND g.host_b = b.host
            WHERE coalesce(g.{column} NOT IN ('unclear', 'near-replica'), true)
            ORDER BY a.host, b.host""",
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
