"""How a site is copied: which pages, how much they changed, and what they are called."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from training.generators.author_g.paths import paths_of, renamed
from training.generators.author_g.seeding import weighted
from training.generators.author_g.world import Site, World

SAME, FOLDER, ENDING, NEW = "same", "folder", "ending", "new"


class Manner(NamedTuple):
    """How copies of one cause are made."""

    cover: tuple[float, float]
    drift: tuple[float, float]
    own: float
    """Chance of pages of its own."""
    same_ip: float
    rename: dict[str, float]
    select: dict[str, float]
    """Which pages are left: at random, a section, or the first ones."""


ANY = {"random": 1.0}
MANNERS = {
    "www": Manner((0.9, 1), (0, 0.06), 0.05, 0.95, {SAME: 1}, ANY),
    "tld": Manner((0.8, 1), (0, 0.15), 0.1, 0.8, {SAME: 1}, ANY),
    "alias": Manner((0.7, 1), (0, 0.1), 0.15, 0.9, {SAME: 0.9, FOLDER: 0.1}, ANY),
    "moved": Manner(
        (0.4, 0.98),
        (0.05, 0.5),
        0.6,
        0.25,
        {SAME: 0.6, ENDING: 0.2, NEW: 0.2},
        {"random": 0.6, "section": 0.4},
    ),
    "mirror": Manner(
        (0.25, 1),
        (0, 0.25),
        0.3,
        0.05,
        {SAME: 0.55, FOLDER: 0.4, ENDING: 0.05},
        {"random": 0.5, "section": 0.3, "first": 0.2},
    ),
    "shallow": Manner((0.95, 1), (0, 0.1), 0.0, 0.1, {SAME: 0.7, FOLDER: 0.3}, {"first": 1.0}),
    "frozen": Manner(
        (0.25, 0.85), (0.1, 0.7), 0.3, 0.4, {SAME: 0.7, FOLDER: 0.3}, {"random": 0.5, "first": 0.5}
    ),
    "scraper": Manner(
        (0.3, 0.9),
        (0.05, 0.5),
        0.6,
        0.05,
        {SAME: 0.3, NEW: 0.5, ENDING: 0.2},
        {"random": 0.7, "section": 0.2, "first": 0.1},
    ),
    "kit": Manner((0.6, 1), (0, 0.25), 0.2, 0.1, {SAME: 0.6, FOLDER: 0.4}, ANY),
    "farm": Manner(
        (0.15, 1),
        (0, 0.4),
        0.4,
        0.3,
        {SAME: 0.6, NEW: 0.4},
        {"random": 0.7, "section": 0.2, "first": 0.1},
    ),
    "version": Manner((0.5, 1), (0.15, 0.7), 0.8, 0.6, {SAME: 0.7, FOLDER: 0.3}, ANY),
    "translation": Manner((0.6, 1), (0.35, 0.85), 0.5, 0.7, {SAME: 0.8, NEW: 0.2}, ANY),
    "part": Manner(
        (0.04, 0.2), (0, 0.3), 1.0, 0.1, {SAME: 0.4, FOLDER: 0.6}, {"section": 0.6, "random": 0.4}
    ),
}


def own_site(world: World, style: str, count: int) -> Site:
    """Make a site of its own contents, with a few pages that repeat others of the site."""
    paths = paths_of(world.rng, style, count, world.names.words)
    contents = world.fresh(count)[: len(paths)]
    if count > 4 and world.rng.random() < 0.4:
        again = world.rng.random(len(paths)) < world.rng.uniform(0.005, 0.25)
        again[0] = False
        contents[again] = contents[world.rng.integers(0, len(paths), int(again.sum()))]
    return Site(paths, contents, np.arange(len(paths), dtype=float))


def copied(world: World, site: Site, manner: Manner, weak: float, shift: float = 0.5) -> Site:
    """Copy a site.

    Args:
        weak: over 0 makes copies with fewer and more changed pages.
        shift: 0 to 1, where in the manner's range the coverage lies about.
    """
    rng = world.rng
    low, high = manner.cover
    place = np.clip(rng.normal(shift, 0.3), 0, 1) ** (1 + weak)
    kept = _kept(rng, site, low + (high - low) * place, weighted(rng, manner.select))
    paths = renamed(rng, site.paths[kept], weighted(rng, manner.rename), world.names.words)
    contents = site.contents[kept].copy()
    drift = 1 - (1 - rng.uniform(*manner.drift)) ** (1 + weak)
    changed = rng.random(len(contents)) < drift
    contents[changed] = world.fresh(int(changed.sum()), titles=contents[changed])
    ranks = site.ranks[kept] * np.exp(rng.normal(0, 0.1, len(kept)))
    made = Site(paths, contents, ranks)
    if rng.random() < manner.own:
        made = _with_own(world, made)
    return made


def _kept(rng: np.random.Generator, site: Site, cover: float, select: str) -> np.ndarray:
    """Choose which pages the copy has; at least one."""
    count = len(site.paths)
    wanted = max(1, min(count, round(cover * count)))
    order = np.argsort(site.ranks, kind="stable")
    if select == "first":
        kept = order[:wanted]
    elif select == "section":
        start = int(rng.integers(0, count - wanted + 1))
        kept = order[start : start + wanted]
    else:
        kept = np.sort(rng.permutation(count)[:wanted])
    if rng.random() < 0.85 and 0 not in kept:
        kept = np.concatenate([[0], kept[1:]])
    return kept


def _with_own(world: World, site: Site) -> Site:
    """Add pages that the original has not."""
    rng = world.rng
    share = rng.uniform(0.02, 0.8) ** 1.5
    count = 1 + int(share * len(site.paths))
    own = own_site(world, "static" if rng.random() < 0.6 else "node", count)
    replace_root = rng.random() < 0.3
    keep = site.paths != "/" if replace_root else np.ones(len(site.paths), dtype=bool)
    extra = slice(0 if replace_root else 1, None)
    return Site(
        np.concatenate([site.paths[keep], own.paths[extra]]),
        np.concatenate([site.contents[keep], own.contents[extra]]),
        np.concatenate([site.ranks[keep], own.ranks[extra]]),
    )
