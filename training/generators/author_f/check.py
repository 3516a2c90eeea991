"""Writes every scenario for seeds 1 to 3, checks it and makes a table of it.

python -m training.generators.author_f.check TABLE.txt
"""

import collections
import hashlib
import itertools
import pathlib
import sys
import tempfile
import time

import polars as pl

from training.generators import author_f
from training.generators.author_f import SCENARIOS, build
from training.generators.author_f.crawling import fingerprint
from training.generators.author_f.model import World, judge
from training.generators.common import GeneratedCrawl, write


def shared_pairs(crawl: pl.DataFrame, gold: pl.DataFrame) -> pl.Series:
    """For every gold pair, whether the two hosts have a fingerprint in common."""
    prints = {host[0]: set(rows["fingerprint"]) for host, rows in crawl.group_by("host")}
    pairs = gold.select("host_a", "host_b").iter_rows()
    return pl.Series(
        [not prints.get(a, set()).isdisjoint(prints.get(b, set())) for a, b in pairs],
        dtype=pl.Boolean,
    )


def content_only(crawl: pl.DataFrame, world: World) -> pl.DataFrame:
    """Good captures without default, legal, library and parking pages."""
    boiler = {
        "sha1:" + fingerprint(site, page, "")
        for site in world.sites
        for page in site.pages
        if page.boiler
    }
    return crawl.filter(pl.col("status") == 200, ~pl.col("fingerprint").is_in(list(boiler)))


def unanswered(world: World) -> list[tuple[str, str]]:
    """Pairs the gold leaves out although their whole sites share much; there should be none."""
    says, holders = {site.host: site.roots() for site in world.sites}, collections.defaultdict(list)
    for host, roots in says.items():
        for root in roots:
            holders[root].append(host)
    pairs = {
        tuple(sorted(pair))
        for hosts in holders.values()
        for pair in itertools.combinations(hosts, 2)
    }
    return [
        pair for pair in sorted(pairs - world.gold.keys()) if judge(says[pair[0]], says[pair[1]])
    ]


def lookalikes(crawl: pl.DataFrame, gold: pl.DataFrame) -> int:
    """How many pairs outside the gold share at least two fingerprints of good captures."""
    held = crawl.filter(pl.col("status") == 200).select("host", "fingerprint").unique()
    held = held.filter(pl.len().over("fingerprint").is_between(2, 600))
    pairs = (
        held.join(held, on="fingerprint")
        .filter(pl.col("host") < pl.col("host_right"))
        .group_by("host", "host_right")
        .len()
    )
    pairs = pairs.filter(pl.col("len") > 1)
    return len(
        pairs.join(gold, left_on=("host", "host_right"), right_on=("host_a", "host_b"), how="anti")
    )


def inspect(web: GeneratedCrawl, world: World, name: str, seed: int, seconds: float) -> str:
    """Assert what must hold of one crawl and return its line of the table."""
    crawl = pl.read_parquet(web.crawl).with_columns(
        host=pl.col("url").str.extract(r"^https?://([^/?]+)")
    )
    gold = pl.read_csv(web.gold)
    hosts, pairs = set(crawl["host"]), list(gold.select("host_a", "host_b").iter_rows())
    assert None not in hosts and crawl["url"].is_unique().all()
    assert len(pairs) == len(set(pairs)) and all(a < b for a, b in pairs), (
        "pair twice or out of order"
    )
    assert {h for pair in pairs for h in pair} <= hosts, "gold host not in the crawl"
    assert not {h for h in hosts if "www." + h in hosts}, "www twin"
    if "length" in crawl.columns:
        assert crawl.group_by("fingerprint").agg(n=pl.col("length").n_unique())["n"].max() == 1, (
            "one content, two lengths"
        )
    if "title" in crawl.columns:
        assert crawl.group_by("fingerprint").agg(n=pl.col("title").n_unique())["n"].max() == 1, (
            "one content, two titles"
        )
    assert not unanswered(world), f"related pairs without an answer: {unanswered(world)[:5]}"
    gold = gold.with_columns(
        any=shared_pairs(crawl, gold), shared=shared_pairs(content_only(crawl, world), gold)
    )
    count = {
        label: gold.filter(pl.col("label") == label)
        for label in ("replica", "near-replica", "unclear")
    }
    replicas = count["replica"]
    return (
        f"{name:20} {seed:4} {len(hosts):6} {len(crawl):7} {len(replicas):8}"
        f" {len(count['near-replica']):6} {len(count['unclear']):8} {replicas['any'].sum():7}"
        f" {replicas['shared'].sum():7} {100 * (replicas['shared'].mean() or 0):6.1f}%"
        f" {lookalikes(crawl, gold):7} {seconds:6.1f}s"
    )


def main(target: pathlib.Path) -> None:
    """Check all scenarios and save the table."""
    head = (
        f"{'scenario':20} {'seed':>4} {'hosts':>6} {'urls':>7} {'replicas':>8} {'near':>6}"
        f" {'unclear':>8} {'anyfp':>7} {'content':>7} {'share':>7} {'others':>7} {'time':>7}"
    )
    lines = [head]
    print(head, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in SCENARIOS:
            for seed in (1, 2, 3):
                start = time.time()
                web = write(author_f, pathlib.Path(folder, "a"), name, seed)
                lines.append(inspect(web, build(name, seed), name, seed, time.time() - start))
                print(lines[-1], flush=True)
                if seed == 1:
                    again = write(author_f, pathlib.Path(folder, "b"), name, seed)
                    assert all(
                        hashlib.sha1(x.read_bytes()).digest()
                        == hashlib.sha1(y.read_bytes()).digest()
                        for x, y in zip(web[:2], again[:2], strict=True)
                    ), f"{name}: not deterministic"
    target.write_text(
        "\n".join(lines)
        + "\ndeterministic, pairs unique, gold hosts in the crawl, no related pair unanswered:"
        " checked\nanyfp: replica pairs sharing any fingerprint; content, share: not counting"
        " errors and boilerplate\nothers: pairs outside the gold that share two or more"
        " fingerprints of good captures\n"
    )


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
