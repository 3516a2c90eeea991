"""Builds the web of a profile: originals, what they share, and then the copies."""

from __future__ import annotations

import numpy as np

from training.generators.author_g import sharing
from training.generators.author_g.copies import own_site
from training.generators.author_g.families import Plan, planned, plant
from training.generators.author_g.paths import STYLES
from training.generators.author_g.profile import Profile
from training.generators.author_g.seeding import log_whole, picks, zipf_weights
from training.generators.author_g.world import World


def built(profile: Profile, rng: np.random.Generator) -> World:
    """Make the web of a profile."""
    plans = planned(profile, rng)
    world = World(rng, profile.dynamic)
    _platforms(world, profile.platforms)
    singles = max(200, profile.hosts - sum(1 + plan.hosts() for plan in plans))
    sizes = _sizes(profile, rng, plans, singles)
    origins = _originals(world, sizes[: len(plans)])
    shells = int(singles * profile.defaults), int(singles * profile.parked)
    plain = _originals(world, sizes[len(plans) : len(sizes) - sum(shells)])
    for count, parked in zip(shells, (False, True), strict=True):
        kinds = sharing.Shells(world, parked)
        for _ in range(count):
            site, ip = kinds.site(world)
            world.add(world.names.site(), site, ip)
    _share(world, profile, origins, plain)
    for original, plan in zip(origins.tolist(), plans, strict=True):
        plant(world, plan, original, profile.weak)
    return world


def _sizes(
    profile: Profile, rng: np.random.Generator, plans: list[Plan], singles: int
) -> np.ndarray:
    """Draw how many pages each original has, so that all come to the profile's URLs."""
    fixed = np.array([plan.pages for plan in plans] + [0] * singles)
    times = np.array([1 + 0.7 * plan.hosts() for plan in plans] + [1.0] * singles)
    raw = np.exp(rng.normal(0, profile.spread, len(fixed)))
    free = fixed == 0
    taken = float((fixed * times).sum())
    own = max(profile.urls * 0.25, profile.urls - taken - profile.news * len(fixed))
    scale = own / float((raw * times)[free].sum())
    most = max(30, profile.urls // 60)
    return np.where(free, np.clip(np.round(raw * scale), 1, most), fixed).astype(int)


def _originals(world: World, sizes: np.ndarray) -> np.ndarray:
    """Add sites of their own contents and give their numbers."""
    rng = world.rng
    styles = list(STYLES)
    chosen = picks(rng, np.array(list(STYLES.values())), len(sizes)).tolist()
    tenancy = rng.random(len(sizes)) < (0.9 if world.platforms else 0)
    added = []
    for size, style, tenant in zip(sizes.tolist(), chosen, tenancy.tolist(), strict=True):
        site = own_site(world, styles[style], size)
        if tenant:
            weights = zipf_weights(len(world.platforms), 1.0)
            name, ips = world.platforms[int(picks(rng, weights, 1)[0])]
            ip = ips[int(rng.integers(0, len(ips)))]
            added.append(world.add(world.names.tenant(name), site, ip))
        else:
            added.append(world.add(world.names.site(), site))
    return np.array(added, dtype=np.int64)


def _platforms(world: World, count: int) -> None:
    """Make the domains of platforms and their addresses."""
    for _ in range(count):
        ips = [int(world.rng.integers(1 << 24, 223 << 24)) for _ in range(3)]
        world.platforms.append((world.names.domain(), ips))


def _share(world: World, profile: Profile, origins: np.ndarray, plain: np.ndarray) -> None:
    """Let originals and other hosts share what they share without being copies."""
    rng = world.rng
    pool = rng.permutation(np.concatenate([origins, plain]))

    def some(hosts: np.ndarray, share: float) -> np.ndarray:
        """Draw a share of the hosts."""
        return rng.permutation(hosts)[: int(share * len(hosts))]

    sharing.lookalikes(world, some(plain, profile.lookalikes), pool)
    if profile.platforms:
        _tenants(world, pool)
    sharing.themes(world, some(pool, profile.themed))
    sharing.manuals(world, some(pool, profile.manuals))
    sharing.owners(world, some(plain, profile.owners))
    sharing.errors(world, some(pool, profile.errors))
    slopes = profile.news_slope, profile.host_slope
    sharing.articles(world, pool, profile.news, profile.news_pool, *slopes)
    groups = [rng.permutation(plain)[: log_whole(rng, 8, 70)] for _ in range(profile.networks)]
    sharing.networks(world, groups)
    sharing.aggregators(world, rng.permutation(plain)[: profile.aggregators], pool)
    _squat(world, some(plain, 0.03), pool)


def _tenants(world: World, pool: np.ndarray) -> None:
    """Give the tenants of each platform its help pages, themes and demo posts."""
    for name, _ in world.platforms:
        tenants = [host for host in pool.tolist() if world.hosts[host].endswith(f".{name}")]
        for _ in range(int(world.rng.integers(1, 4))):
            sharing.themes(world, np.array(tenants, dtype=np.int64))


def _squat(world: World, hosts: np.ndarray, models: np.ndarray) -> None:
    """Give unrelated hosts names like those of others."""
    for host in hosts.tolist():
        model = int(models[int(world.rng.integers(0, len(models)))])
        if model != host:
            world.hosts[host] = world.names.like(world.hosts[model])
