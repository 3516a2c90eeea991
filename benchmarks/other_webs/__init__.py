"""Crawls with known replicas from a generator that shares no code with ``replicadb synth``.

    from other_webs import SCENARIOS, write
    web = write(folder, "networks", seed=1)

Always true here: nothing is imported from replicadb. The same scenario and seed give the same
files, byte for byte; another seed draws other rates, sizes and columns. It began as an independent
tester's, who had not read the other generator; first it judged method robust, now it teaches the
prior (``make_prior.py``), and ``fourth_webs`` judges.
"""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import polars as pl

from other_webs.scenarios import SCENARIOS
from other_webs.world import World

__all__ = ["SCENARIOS", "OtherWeb", "write"]

SCHEMA = {
    "url": pl.String,
    "fingerprint": pl.String,
    "ip": pl.String,
    "title": pl.String,
    "length": pl.Int64,
    "links": pl.List(pl.String),
    "mime": pl.String,
    "status": pl.Int64,
}


class OtherWeb(NamedTuple):
    """What was written."""

    # crawl.parquet: url, fingerprint, and as the crawl has them ip, title, length, links, mime,
    # status
    crawl: Path
    # gold.csv: host_a, host_b, label; every pair of a group's hosts (replica), and pairs to be left
    # out (unclear)
    gold: Path
    all_types: bool  # whether it is to be loaded with every file type


def write(folder: Path, scenario: str, seed: int) -> OtherWeb:
    """Make the crawl of that scenario and seed.

    Args:
        folder: where crawl.parquet and gold.csv go; made if missing.
        scenario: a name in SCENARIOS.
        seed: everything is drawn from it and the scenario's name.
    """
    world = World(scenario, seed)
    SCENARIOS[scenario](world)
    folder.mkdir(parents=True, exist_ok=True)
    web = OtherWeb(folder / "crawl.parquet", folder / "gold.csv", world.all_types)
    _crawl(world).write_parquet(web.crawl)
    with web.gold.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("host_a", "host_b", "label"))
        rows.writerows(sorted(_pairs(world)))
    return web


def _crawl(world: World) -> pl.DataFrame:
    """Every page of every site in no order, and the columns that the crawl has."""
    rows = [
        (
            f"{site.scheme}://{site.host}{path}",
            hashlib.sha1(page.content.encode()).hexdigest(),
            site.ip,
            page.title,
            page.length,
            list(page.links),
            page.mime,
            page.status,
        )
        for site in world.sites.values()
        for path, page in site.pages.items()
    ]
    world.random.shuffle(rows)
    has = {
        "ip": world.ip,
        "title": world.titles,
        "length": world.lengths,
        "links": world.links,
        "mime": world.files,
        "status": world.status,
    }
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").select(
        name for name in SCHEMA if has.get(name, True)
    )


def _pairs(world: World) -> Iterator[tuple[str, str, str]]:
    """Pairs of replicas, and those of unclear hosts that are none; the smaller host first."""
    groups = defaultdict(list)
    for host, group in world.groups.items():
        groups[group].append(host)
    replicas = {pair for hosts in groups.values() for pair in combinations(sorted(hosts), 2)}
    unclear = {
        pair for hosts in world.unclear.values() for pair in combinations(sorted(hosts), 2)
    } - replicas
    yield from ((*pair, "replica") for pair in replicas)
    yield from ((*pair, "unclear") for pair in unclear)
