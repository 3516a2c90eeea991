"""Author c: crawls with known replicas, by a tester who had read neither ``replicadb synth`` nor
author b.

    from training.generators import author_c, common
    web = common.write(author_c, folder, "networks", seed=1)

It teaches the prior.
"""

from __future__ import annotations

import json

import polars as pl

from training.generators.author_c.crawls import build
from training.generators.author_c.scenario import Known
from training.generators.author_c.scenarios import SCENARIOS
from training.generators.author_c.world import Site, World
from training.generators.common import HTML, Generated

__all__ = ["SCENARIOS", "generate"]


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


def generate(scenario: str, seed: int) -> Generated:
    """The crawl of that scenario and seed, by URL."""
    world = build(scenario, seed)
    captures = _crawl(world, SCENARIOS[scenario].known)
    pairs = [
        (*hosts, "unclear" if cause == "unclear" else "replica", cause)
        for hosts, cause in sorted(world.causes.items())
    ]
    return Generated(captures, pairs, world.all_types)


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
