"""Crawls of an imagined web with known replicas, by author J.

A web here is made before it is crawled. Sites run on engines (blogs, shops, forums, offices,
manuals and so on), each with its own scheme of paths and titles; they live on own domains, on
platforms, campuses and throwaway names, at crowded or lonely addresses. Sites are copied for some
twenty reasons: www and bare names, aliases, countries, moves, relaunches on a new engine, mirrors,
staging, saved dumps, cheats, kits, revived names, farms. Copies differ as real ones do: some pages
have other contents, paths are renamed, the copy is older or a part. Beside them stand hosts that
share contents without being the same site: default pages, parked names, walls, agencies' kits,
feeds of goods, agencies' news, manuals, licences, platforms' help. A crawler then takes a part of
all that at its own times, and pages change meanwhile.

Gold: hosts of one group are replicas if the crawl shows any trace of it, that is a content, a path
or a title that at most three families of sites have, or many paths; otherwise it is unclear.
Editions, forks, relics of other years and versions of kits are near-replicas. Translations, parts,
brands, regions, light versions, merged sites, parked names of one seller, and honest sites with a
cheat's kit inside are unclear, and so are two that are close to the same third. A pair with a host
that only redirects is unclear. Whatever is not listed is unrelated, however much it shares.

This author read nothing of the project but this package's shape.
"""

from __future__ import annotations

from training.generators.author_j.building import WEBS, build
from training.generators.common import Generated

SCENARIOS: tuple[str, ...] = tuple(WEBS)
"""The kinds of web."""


def generate(scenario: str, seed: int) -> Generated:
    """The crawl of that scenario and seed; the same two always give the same."""
    return build(scenario, seed)
