"""Families of hosts: what copies a site has, and the planting of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from training.generators.author_g.copies import MANNERS, copied
from training.generators.author_g.profile import Profile
from training.generators.author_g.seeding import log_whole, picks, weighted, whole
from training.generators.author_g.world import Family, Site, World


@dataclass
class Plan:
    """What is to become of one original."""

    cause: str
    copies: int = 0
    versions: int = 0
    parts: int = 0
    pages: int = 0
    """How many pages the original has; drawn as for any site if 0."""

    def hosts(self) -> int:
        """Count the hosts that are made beside the original."""
        return self.copies + self.versions + self.parts


def planned(profile: Profile, rng: np.random.Generator) -> list[Plan]:
    """Draw the families until there are as many pairs, or copies, as the profile has."""
    plans = _farms(profile, rng)
    room = int(profile.hosts * profile.most) - sum(plan.copies for plan in plans)
    left = profile.pairs
    sizes = np.arange(2, max(3, profile.largest) + 1)
    weights = (sizes - 1.0) ** -profile.tail
    while left > 0 and room > 0:
        kit = rng.random() < profile.kits
        size = log_whole(rng, 3, 60) if kit else int(sizes[picks(rng, weights, 1)[0]])
        if profile.exact:
            size = min(size, int((1 + (1 + 8 * left) ** 0.5) / 2))
        cause = "kit" if kit else weighted(rng, profile.causes)
        if cause == "www" and size > 3:
            cause = "alias"
        plan = Plan(cause, min(size - 1, room), pages=_pages(rng, cause))
        plans.append(plan)
        left -= size * (size - 1) // 2
        room -= plan.copies
    return plans + _others(profile, rng)


def _pages(rng: np.random.Generator, cause: str) -> int:
    """Draw the pages of originals that are not like any other site."""
    if cause == "kit":
        return whole(rng, 2, 10)
    if cause == "shallow":
        return log_whole(rng, 80, 500)
    return log_whole(rng, 5, 80) if cause == "scraper" and rng.random() < 0.6 else 0


def _farms(profile: Profile, rng: np.random.Generator) -> list[Plan]:
    """Draw the large groups."""
    plans: list[Plan] = []
    left = log_whole(rng, 400, 11_000)
    for _ in range(profile.farms):
        size = log_whole(rng, 10, 150)
        left -= size * (size - 1) // 2
        if left < 0 and plans:
            break
        plans.append(Plan("farm", size - 1, pages=log_whole(rng, 6, 150)))
    return plans


def _others(profile: Profile, rng: np.random.Generator) -> list[Plan]:
    """Draw versions, translations and hosts that have a part of another."""
    plans = []
    for _ in range(profile.near):
        cause = "version" if rng.random() < 0.65 else "translation"
        most = 6 if cause == "version" else 3
        copies = int(rng.random() < 0.2 and not profile.exact)
        pages = log_whole(rng, 10, 250)
        plans.append(Plan(cause, copies, versions=whole(rng, 1, most), pages=pages))
    return plans + [
        Plan("part", parts=whole(rng, 1, 2), pages=log_whole(rng, 8, 120))
        for _ in range(profile.unclear)
    ]


def plant(world: World, plan: Plan, original: int, weak: float) -> None:
    """Make the copies, versions and parts of an original."""
    family = Family([[original]], {})
    shift = float(world.rng.uniform(0.2, 0.9))
    for _ in range(plan.copies):
        _copy(world, plan, family, weak, shift)
    before = original
    for _ in range(plan.versions):
        before = _derive(world, family, before, plan.cause)
    for _ in range(plan.parts):
        _derive(world, family, original, "part")
    family.chain = plan.cause == "version"
    family.between = "unclear" if plan.parts else "near-replica"
    world.families.append(family)


def _copy(world: World, plan: Plan, family: Family, weak: float, shift: float) -> None:
    """Add one copy, mostly of the original, else of another copy."""
    rng, members = world.rng, family.classes[0]
    first = members[0]
    model = members[whole(rng, 0, len(members) - 1)] if rng.random() < 0.25 else first
    cause = plan.cause if plan.cause in MANNERS else "mirror"
    if cause in ("version", "translation"):
        cause = "mirror"
    elif len(members) > 1 and rng.random() < 0.15 and cause not in ("kit", "farm"):
        cause = "www" if rng.random() < 0.6 else "tld"
    manner = MANNERS[cause]
    host = world.names.copy(world.hosts[first], cause)
    ip = _near_ip(world, model, manner.same_ip)
    site = copied(world, world.sites[model], manner, weak, shift)
    if cause == "shallow":
        site = _cut(site, whole(rng, 4, 14))
    number = world.add(host, site, ip)
    members.append(number)
    family.causes[number] = cause


def _derive(world: World, family: Family, model: int, cause: str) -> int:
    """Add a host that is near another one, or has a part of it."""
    rng, manner = world.rng, MANNERS[cause]
    host = world.names.site() if cause == "part" else world.names.copy(world.hosts[model], cause)
    site = copied(world, world.sites[model], manner, 0.0, float(rng.uniform(0.2, 0.9)))
    number = world.add(host, site, _near_ip(world, model, manner.same_ip))
    family.classes.append([number])
    family.causes[number] = cause
    return number


def _near_ip(world: World, model: int, same: float) -> int:
    """Draw an address: the model's, one in its network, or another."""
    chance = world.rng.random()
    if chance < same:
        return world.ips[model]
    if chance < same + (1 - same) * 0.15:
        return (world.ips[model] & ~0xFF) + whole(world.rng, 1, 254)
    return world.ip()


def _cut(site: Site, count: int) -> Site:
    """Leave only the first pages of a site."""
    first = np.argsort(site.ranks, kind="stable")[:count]
    return Site(site.paths[first], site.contents[first], site.ranks[first])
