"""Settles new hosts in the world: names by where they live, groups, and pages put on hosts."""

from __future__ import annotations

from dataclasses import replace

from training.generators.author_j import names
from training.generators.author_j.copying import Copying, copy_of
from training.generators.author_j.model import Host, Page, World
from training.generators.author_j.sites import pages_of
from training.generators.author_j.words import TONGUES, Tongue, site_name, slug

OFFICES = ("ministry", "agency", "council", "court", "tax", "health", "stats", "office", "police")


def home_name(world: World, home: str, tongue: Tongue) -> str:
    """A name for a site that lives there."""
    draw = world.draw
    if home == "platform":
        return names.tenant(draw, tongue, world.platforms)
    if home == "campus":
        campus = draw.skewed(world.campuses, 1.4)
        start = draw.pick((draw.pick(tongue.words), draw.letters(3), "www", "people", "library"))
        return f"{start}.{campus}"
    if home == "state":
        land = {"en": "gov.uk", "fr": "gouv.fr", "es": "gob.es", "cs": "gov.cz"}
        ending = land.get(tongue.code, f"bund.{tongue.suffixes[0]}")
        middle = draw.pick((draw.pick(tongue.words), slug(site_name(draw, tongue))))
        start = draw.pick(("www.", "", f"{draw.pick(OFFICES)}.", f"{draw.pick(OFFICES)}-"))
        return f"{start}{middle}.{ending}"
    if home == "throwaway":
        return names.throwaway(draw, tongue)
    return names.own(draw, tongue)


def new_host(
    world: World, kind: str, home: str, pages: list[Page] | None = None, size: int = 0
) -> Host | None:
    """A new site of a group of its own; nothing if no name is free."""
    draw = world.draw
    tongue = TONGUES[draw.weighted(world.mixture.tongues)]
    name = world.free_name(lambda: home_name(world, home, tongue))
    if name is None:
        return None
    title = site_name(draw, tongue)
    if pages is None:
        pages = pages_of(world, tongue, kind, size, title)
    addresses = world.addresses.of_host()
    if home == "platform":
        platform = name.partition(".")[2]
        addresses = world.addresses.edges[sum(platform.encode()) % 3][:2]
        addresses = tuple(addresses)
    host = Host(name, kind, tongue, title, pages, addresses, world.number())
    host.scheme = "https" if draw.chance(0.5) else "http"
    host.reach = draw.within((0.3, 1.0))
    return world.add(host)


def put(world: World, host: Host, pages: list[Page]) -> None:
    """Put more pages on the host, where the path is free, somewhere among its own."""
    taken = {page.path for page in host.pages}
    far = max(len(host.pages), 2)
    for page in pages:
        if page.path not in taken:
            taken.add(page.path)
            host.pages.append(replace(page, order=1 + world.draw.unit() * far))
    host.pages.sort(key=lambda page: page.order)


def add_copies(world: World, host: Host, copying: Copying, cause: str) -> None:
    """Add copies of the host to its group, as long as there may be more pairs."""
    few, most, again = copying.many
    count = few + world.draw.repeats(again, most - few)
    for _ in range(count):
        if world.replica_pairs() + len(world.groups[host.group]) > world.mixture.most_pairs:
            return
        name = world.free_name(lambda: copying.naming(world, host))
        if name is not None:
            copy_of(world, host, copying, name, host.group, cause)
