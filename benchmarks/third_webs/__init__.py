"""Crawls with known replicas: a third hand's idea of the web, by an independent tester who had read
neither ``replicadb synth`` nor ``other_webs``.

    from third_webs import SCENARIOS, write
    web = write(folder, "networks", seed=1)

Always true here: nothing is imported from replicadb. The same scenario and seed give the same
files; another seed draws other sizes, names and habits. It teaches the prior that robust begins
with (``make_prior.py``); what judges robust are other webs, which taught it nothing.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
from other_webs import OtherWeb
from other_webs.world import HTML

from third_webs.crawls import build
from third_webs.scenarios import SCENARIOS, Known
from third_webs.world import Site, World

__all__ = ["SCENARIOS", "OtherWeb", "write"]

SCHEMA = {
    "url": pl.String,
    "ip": pl.String,
    "fingerprint": pl.String,
    "length": pl.Int64,
    "mime": pl.String,
    "title": pl.String,
    "links": pl.String,
    "status": pl.Int64,
}


def write(folder: Path, scenario: str, seed: int) -> OtherWeb:
    """Make the crawl of that scenario and seed.

    Args:
        folder: where crawl.parquet and gold.csv go; made if missing. Beside a pair's label,
            gold.csv has its cause.
        scenario: a name in SCENARIOS.
        seed: everything is drawn from it and the scenario's name.
    """
    world = build(scenario, seed)
    folder.mkdir(parents=True, exist_ok=True)
    web = OtherWeb(folder / "crawl.parquet", folder / "gold.csv", world.all_types)
    _crawl(world, SCENARIOS[scenario].known).write_parquet(web.crawl)
    with web.gold.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("host_a", "host_b", "label", "cause"))
        rows.writerows(
            (*hosts, "unclear" if cause == "unclear" else "replica", cause)
            for hosts, cause in sorted(world.causes.items())
        )
    return web


def _crawl(world: World, known: Known) -> pl.DataFrame:
    """Every page that was crawled, by URL, and the columns that are known."""
    r, rows = world.random, []
    part = r.uniform(0.2, 0.5)
    without_ip = {"all": 0.0, "part": part, "none": 1.0}[known.ips]
    for site in world.sites:
        ip = None if r.random() < without_ip else site.ip
        for path, (content, base) in site.crawled.items():
            links = (
                json.dumps(_links(site, base, content.links))
                if known.links and content.mime == HTML
                else None
            )
            rows.append(
                (
                    site.root + path,
                    ip,
                    content.fingerprint,
                    content.length,
                    content.mime,
                    content.title,
                    links,
                    200,
                )
            )
    has = {
        "ip": known.ips != "none",
        "length": known.lengths,
        "mime": known.mimes,
        "title": known.titles,
        "links": known.links,
    }
    return (
        pl.DataFrame(rows, schema=SCHEMA, orient="row")
        .select(name for name in SCHEMA if has.get(name, True))
        .sort("url")
    )


def _links(site: Site, base: str, links: tuple[str, ...]) -> list[str]:
    """Links as they are on the site."""
    return [
        f"{site.root}{base}{link[1:]}" if link.startswith("~") else link
        for link in dict.fromkeys(links)
    ]
