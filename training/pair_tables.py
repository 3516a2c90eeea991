"""The pair tables that teach: features and true labels of each teaching crawl's candidates.

A crawl is drawn by its kind and number, or by its author, scenario and seed, and by nothing else;
``record.json`` holds the same numbers. A table has the columns of ``pair_features`` and

- ``replica``: bool, the gold's label; unclear pairs, and other authors' near-replicas, are left
  out;
- ``near``: bool, a replica of another year (a near-replica of ``replicadb synth``);
- ``group``: the number of a replica's group, null for others;
- ``author``: ``own``, ``farms`` (own crawls with large farms), or the name of another author;
- ``thinned``: bool, whether the crawl is thin: made so before it was loaded (``thinned.py``), or by
  an author who imagined thin crawls alone.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import replicadb
from replicadb.settings import CONSTANTS
from replicadb.store.older_schemas import SAME_RESULTS
from replicadb.synthetic.crawl.generate import Profile, generate
from training import thinned
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
SEEDS = {
    "author_b": 3,
    "author_c": 2,
    "author_e": 3,
    "author_f": 3,
    "author_g": 6,
}
"""Seeds of each teaching author, all scenarios each, counted from AUTHORS_SEED."""
PROFILE_SEED, CRAWL_SEED, AUTHORS_SEED = 78, 10_000, 20_000
"""Rates of crawl n are drawn by (PROFILE_SEED, n), the crawl by CRAWL_SEED + n."""
LINKS, ALL_TYPES = 0.6, 0.7
"""Shares of own crawls with links, and of ``themes`` with every file type."""
THIN_AUTHORS = ("author_g",)
"""Authors that imagined thin crawls alone: theirs count as made thin, and have no twins."""
THINNED = 0.6
"""Share of the crawls that are shown a second time, made thin; none of every file type."""
WITHOUT_PRIOR = {"discretise": "frequency", "schedule": "batch"}
"""Of method paper, whose own are slow."""
LEAST_GROUPS = 5
"""A table with no more replica groups than this, one of them that of the others, teaches
nothing.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """An option for each count of CRAWLS and SEEDS: ``--web 70``, ``--author-b 3`` ..."""
    for name, count in (CRAWLS | SEEDS).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=count)


def teaching_tables(
    folder: Path, counts: dict[str, int], part: tuple[int, int] = (0, 1)
) -> list[pl.DataFrame]:
    """The pair tables that have more than a handful of replica groups.

    Args:
        folder: where tables are kept; those that are there are not made again, unless detection has
            other features now.
        counts: how many crawls or seeds of each name in CRAWLS and SEEDS.
        part: (k, n) for every n-th crawl from the k-th on, so that n processes can share the work.
    """
    jobs: list[tuple[Callable[..., pl.DataFrame], tuple[object, ...]]] = [
        (crawl_of, (kind, number)) for kind in CRAWLS for number in range(counts[kind])
    ]
    jobs += [
        (crawl_by, (author, scenario, AUTHORS_SEED + number))
        for number in range(max(SEEDS.values()))
        for author in SEEDS
        if number < counts[author]
        for scenario in AUTHORS[author].SCENARIOS
    ]
    tables = []
    for make, arguments in jobs[part[0] :: part[1]]:
        tables.append(make(folder, *arguments))
        kind = twin_of(*arguments)
        if kind and not tables[-1]["thinned"].first() and not has_files(tables[-1]):
            tables.append(make(folder, *arguments, thin=kind))
    return [table for table in tables if has_enough_groups(table)]


def twin_of(*arguments: object) -> str | None:
    """How a crawl is made thin, drawn by what names it; None where it has no thin twin."""
    name = " ".join(map(str, arguments))
    rng = np.random.default_rng(int(hashlib.sha1(name.encode()).hexdigest()[:8], 16))
    kind = thinned.DRAWN[int(rng.integers(len(thinned.DRAWN)))]
    return kind if rng.random() < THINNED else None


def has_enough_groups(table: pl.DataFrame) -> bool:
    return table["group"].n_unique() > LEAST_GROUPS


def has_files(table: pl.DataFrame) -> bool:
    """Whether a crawl is one of every file type, as detection sees it."""
    known = table["asset_evidence"].drop_nans().drop_nulls()
    return len(known) > CONSTANTS.mostly_files * len(table)


def crawl_of(folder: Path, kind: str, number: int, thin: str | None = None) -> pl.DataFrame:
    """The pair table of a crawl by ``replicadb synth``; kind and number alone decide what it is.

    Args:
        thin: how it is made thin; a name in ``thinned.KINDS``, or None.
    """
    draw, hosts = KINDS[kind]
    rng = np.random.default_rng([PROFILE_SEED, number])
    profile, size = draw(rng), int(rng.integers(*hosts))
    links = bool(rng.random() < LINKS)
    all_types = kind == "themes" and bool(rng.random() < ALL_TYPES)
    seed = CRAWL_SEED + number
    table = pair_table(folder, f"{kind}_{number}", profile, size, seed, links, all_types, thin)
    return _shown(f"{kind} {number}", table, "farms" if kind == "farms" else "own", thin)


def crawl_by(
    folder: Path, author: str, scenario: str, seed: int, thin: str | None = None
) -> pl.DataFrame:
    """The pair table of a crawl by another author; ``thin`` as in :func:`crawl_of`."""
    name = "_".join(filter(None, (author, scenario, str(seed), thin)))

    def make(scratch: Path) -> pl.DataFrame:
        made = common.write(AUTHORS[author], scratch, scenario, seed)
        crawl = _thin(made.crawl, thin, name)
        return detected(scratch, crawl, made.gold, "label", made.all_types)

    return _shown(f"{author} {scenario} {seed}", _kept(folder, name, make), author, thin)


def _kept(folder: Path, name: str, make: Callable[[Path], pl.DataFrame]) -> pl.DataFrame:
    """The table of that name as the folder has it, else made in a scratch folder and kept there. A
    file's name says which results of detection it has: other ones are made anew.
    """
    path = folder / f"{name}.results{SAME_RESULTS}.parquet"
    if not path.exists():
        with tempfile.TemporaryDirectory() as scratch:
            make(Path(scratch)).write_parquet(path)
    return pl.read_parquet(path)


def _thin(crawl: Path, kind: str | None, name: str) -> Path:
    """The crawl, or a thin one beside it, drawn by its name."""
    if kind is None:
        return crawl
    captures = (
        pl.read_parquet(crawl)
        if crawl.suffix == ".parquet"
        else pl.read_csv(crawl, infer_schema=False)
    )
    rng = np.random.default_rng(int(hashlib.sha1(name.encode()).hexdigest()[:8], 16))
    path = crawl.with_name("thin.parquet")
    thinned.KINDS[kind](captures, rng).write_parquet(path)
    return path


def _shown(name: str, table: pl.DataFrame, author: str, thin: str | None) -> pl.DataFrame:
    name = f"{name} {thin}" if thin else name
    print(f"{name}: {len(table):,} candidates, {table['replica'].sum():,} replicas", flush=True)
    thinned = thin is not None or author in THIN_AUTHORS
    return table.with_columns(author=pl.lit(author), thinned=pl.lit(thinned))


def pair_table(
    folder: Path,
    name: str,
    profile: Profile,
    hosts: int,
    seed: int,
    links: bool,
    all_types: bool,
    thin: str | None = None,
) -> pl.DataFrame:
    """The pair table of a crawl that ``replicadb synth`` makes of these; ``thin`` as in
    :func:`crawl_of`.
    """
    key = hashlib.sha1(repr((profile, hosts, seed, links, all_types)).encode()).hexdigest()[:8]
    name = "_".join(filter(None, (name, key, thin)))

    def make(scratch: Path) -> pl.DataFrame:
        made = generate(scratch, hosts, profile=profile, seed=seed, links=links)
        crawl = _thin(made.crawl, thin, name)
        return detected(scratch, crawl, made.gold_csv, "cause", all_types)

    return _kept(folder, name, make)


def detected(scratch: Path, crawl: Path, gold: Path, column: str, all_types: bool) -> pl.DataFrame:
    """Features of a crawl's candidates, in the order of their names, without those that the gold's
    ``column`` calls unclear or near-replicas.
    """
    with replicadb.open(scratch / "crawl.duckdb", threads=1) as db:
        db.load(crawl, all_types=all_types, pages_only=not all_types)
        # The features that robust has, by a method that needs no prior.
        db.detect(method="paper", max_cluster_hosts=1000, assets=True, **WITHOUT_PRIOR)
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
