"""Hosts newly met, by a few of their pages: how many copies are seen to be copies.

    python -m benchmarks.accuracy.lookups [--author author_i] [--seeds 7] [--scenarios national ...]
        [--known 10]

Of each generated crawl hosts are taken out: copies of a host that stays, hosts that are
near-replicas or unclear at most, and hosts that the gold does not name, up to EACH of a sort. The
rest is loaded and detected. Then those that were taken out are looked up, by their home page and
others drawn at random. Prints a Markdown table, a row for each number of pages: the share of hosts
whose first match is flagged, by sort. ``as all``: where the pages are said to be all that the host
has. Every host has the same weight.

``--known``: of every other host that stays at most so many URLs are loaded, drawn at random; and of
the copies those count of which every replica that stays is such a host.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import replicadb
from benchmarks.measure import markdown
from replicadb.errors import DataError
from replicadb.model import Host, Model
from training.generators import AUTHORS, common

EACH = 60
SORTS = ("copies", "near-replicas", "others")
PAGES = (3, 5, 10, 30, 10**9)
"""How many pages are given, at most."""
COLUMNS = ["pages", *(f"{sort}{more}" for sort in SORTS for more in ("", ", as all"))]
PAGE = ("path", "fingerprint", "mime", "title", "length")
HOST_OF = r"^[a-z]+://([^/:?#]+)"


def taken_out(hosts: set[str], gold: pl.DataFrame, rng: np.random.Generator) -> dict[str, str]:
    """Hosts and their sort. Of every copy some replica stays."""
    both = pl.concat([gold, gold.select(host_a="host_b", host_b="host_a", label="label")])
    same = both.filter(pl.col("label") == "replica").group_by("host_a").agg(pl.col("host_b"))
    replicas = {a: set(b) & hosts for a, b in same.iter_rows() if a in hosts}
    copies: list[str] = []
    for host in map(str, rng.permutation(sorted(replicas))):
        gone = {*copies, host}
        if len(copies) < EACH and all(replicas[one] - gone for one in gone):
            copies.append(host)
    named = set(both["host_a"]) & hosts
    found = dict.fromkeys(copies, SORTS[0])
    for sort, some in zip(SORTS[1:], (named - set(replicas), hosts - named), strict=True):
        found |= dict.fromkeys(map(str, rng.permutation(sorted(some))[:EACH]), sort)
    return found


def but_of(deep: set[str], out: dict[str, str], gold: pl.DataFrame) -> dict[str, str]:
    """Those of the hosts that are out, but for copies that have a replica among these hosts."""
    both = pl.concat([gold, gold.select(host_a="host_b", host_b="host_a", label="label")])
    replicas = both.filter(pl.col("label") == "replica", pl.col("host_b").is_in([*deep]))
    found = set(replicas["host_a"])
    return {host: sort for host, sort in out.items() if sort != SORTS[0] or host not in found}


def looked_up(
    model: Model, pages: dict[str, pl.DataFrame], out: dict[str, str], rng: np.random.Generator
) -> Iterator[tuple[Any, ...]]:
    """Of each host that is out, by each number of pages: sort, pages, whether they are said to be
    all, whether the first match is flagged.
    """
    for host, sort in out.items():
        if host not in pages:
            continue
        home_first = pages[host].sort(
            pl.col("path") != "/", pl.Series(rng.random(len(pages[host])))
        )
        rows = home_first.select(PAGE).to_dicts()
        for most in PAGES:
            for complete in (False, True):
                found = model.lookup(Host(host, rows[:most], complete=complete), 1)
                yield sort, most, complete, bool(found and found[0].flagged)


def thinned(crawl: pl.DataFrame, known: int, rng: np.random.Generator) -> pl.DataFrame:
    """A crawl with at most so many rows of every other host; its column ``thin`` says which."""
    hosts = sorted(crawl["host"].drop_nulls().unique())
    thin = pl.col("host").is_in(hosts[::2])
    drawn = crawl.with_columns(thin=thin, place=pl.Series(rng.permutation(len(crawl))))
    number = pl.col("place").rank("ordinal").over("host")
    return drawn.filter(~pl.col("thin") | (number <= known)).drop("place")


def one(author: str, scenario: str, seed: int, known: int | None) -> list[tuple[Any, ...]]:
    """What :func:`looked_up` gives of one crawl; nothing of a web without replicas."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        web = common.write(AUTHORS[author], folder, scenario, seed)
        crawl = pl.read_parquet(web.crawl).with_columns(host=pl.col("url").str.extract(HOST_OF))
        gold = pl.read_csv(web.gold, infer_schema=False).select("host_a", "host_b", "label")
        out = taken_out(set(crawl["host"].drop_nulls()), gold, rng)
        away = pl.col("host").is_in(list(out))
        rest, gone = crawl.filter(~away), crawl.filter(away)
        if known is not None:
            rest = thinned(rest, known, rng)
            out = but_of(set(rest.filter(~pl.col("thin"))["host"]), out, gold)
        for name, rows in (("rest", rest), ("out", gone)):
            rows.drop("host", "thin", strict=False).write_parquet(folder / f"{name}.parquet")
        with replicadb.open(folder / "out.duckdb") as db:
            db.load(folder / "out.parquet", all_types=web.all_types)
            table = db.sql(f"SELECT host, {', '.join(PAGE)} FROM pages ORDER BY host, path")
        pages = {str(host): part for (host,), part in table.group_by("host")}
        with replicadb.open(folder / "rest.duckdb") as db:
            db.load(folder / "rest.parquet", all_types=web.all_types)
            db.detect()
            try:
                return list(looked_up(db.model(), pages, out, rng))
            except DataError:  # no candidates
                return []


def main() -> str:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--author", choices=tuple(AUTHORS), default="author_i")
    parser.add_argument("--scenarios", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[7])
    parser.add_argument("--known", type=int)
    options = parser.parse_args()
    found = [
        row
        for scenario in options.scenarios or AUTHORS[options.author].SCENARIOS
        for seed in options.seeds
        for row in one(options.author, scenario, seed, options.known)
    ]
    table = pl.DataFrame(found, ["sort", "pages", "complete", "flagged"], orient="row")
    share = {
        (sort, pages, complete): (flagged, n)
        for sort, pages, complete, flagged, n in table.group_by("sort", "pages", "complete")
        .agg(pl.col("flagged").mean(), n=pl.len())
        .iter_rows()
    }
    rows = [
        [
            f"{pages}" if pages < PAGES[-1] else "all",
            *(
                f"{share[sort, pages, complete][0]:.3f}" if (sort, pages, complete) in share else ""
                for sort in SORTS
                for complete in (False, True)
            ),
        ]
        for pages in PAGES
    ]
    counts = (
        f"{share[sort, PAGES[0], False][1]} {sort}"
        for sort in SORTS
        if (sort, PAGES[0], False) in share
    )
    return f"{markdown(COLUMNS, rows)}\n{', '.join(counts)}"


if __name__ == "__main__":
    print(main())
