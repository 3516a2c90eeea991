"""What each site is made of: a table of parts, some its own, some shared with look-alikes.

Always true here: a *site* is what replicas are copies of; all hosts of a site have its parts. A part is a run
of page numbers with a *path space* (what the paths are drawn from) and a *content space* (what the content is
drawn from). Two parts look alike on paths when they share the one, on content when they share the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.evaluation.synth.draws import fill, hand_out, mix, pick, unit
from replicadb.evaluation.synth.profiles import Profile

OWN, COMMON, TEMPLATE, NUMBERED, SECTION, POOL, SOFT404, SCRIPT, PARKING = range(9)
"""Kinds of part: a site's own pages; a template's common files; its common paths with own content; its numbered
paths with own content; a network's section; items of a content pool; soft 404s; common scripts; a parking page."""

MAX_PAGES = 6_000


@dataclass(frozen=True)
class Parts:
    """One row for each part of each site, sorted by site."""

    site: np.ndarray
    """(p,) int64."""
    kind: np.ndarray
    """(p,) int8, one of OWN ... PARKING."""
    paths: np.ndarray
    """(p,) uint64, path space."""
    contents: np.ndarray
    """(p,) uint64, content space."""
    first: np.ndarray
    """(p,) int64, number of the first page."""
    pages: np.ndarray
    """(p,) int64, how many numbers from there."""
    keep: np.ndarray
    """(p,) float64, share of those numbers that this site has."""
    dynamic: np.ndarray
    """(p,) float64, share of pages whose content differs at each fetch."""


def lognormal(rng: np.random.Generator, n: int, median: float, mean: float) -> np.ndarray:
    """(n,) page counts with that median and mean, float64, before the cut at MAX_PAGES."""
    return median * np.exp(np.sqrt(2 * np.log(mean / median)) * rng.standard_normal(n))


def build_parts(profile: Profile, seed: int, hosts_of: np.ndarray, isolated: np.ndarray, parked: np.ndarray,
                twins: np.ndarray, parked_limit: int, factor: float) -> Parts:
    """Draw every site's parts.

    Args:
        hosts_of: (s,) hosts of each site; more than one is a replica group.
        isolated: (s,) bool, sites that share nothing.
        parked: (s,) bool.
        twins: (t, 2) pairs of different sites with obvious-looking names, which get a common file.
        parked_limit: most hosts of one parking page.
        factor: on the sizes, to reach a number of URLs.
    """
    rng = np.random.default_rng([seed, 1])
    n = len(hosts_of)
    tag = np.uint64(seed)
    site = np.arange(n)
    size = lognormal(rng, n, *profile.size) * np.where(hosts_of > 1, profile.replicated_size, 1.0)
    size = np.where(isolated, lognormal(rng, n, *profile.isolated_size), size)
    low, high = profile.dynamic
    dynamic = low + (high - low) * rng.random(n)
    rows: list[tuple] = []

    def add(kind: int, sites, paths, contents, first, pages, keep=1.0, moving=0.0) -> None:
        rows.append(tuple(np.broadcast_to(x, (len(sites),)) for x in
                          (sites, np.int8(kind), paths, contents, first, pages, keep, moving)))

    social = np.flatnonzero(~isolated & ~parked & (hosts_of <= 6))
    n_social = len(social)

    # Affiliates: each network has up to three sections; the own rest is sized by the share that is shared.
    network = hand_out(rng, social, fill(rng, int(profile.affiliate * n_social), *map(int, profile.affiliate_group)), n)
    low, high = profile.affiliate_share
    share = low + (high - low) * rng.random(n)
    members = np.flatnonzero(network >= 0)
    leads = np.zeros(n, bool)
    leads[np.unique(network, return_index=True)[1]] = True
    sections = 1 + pick(mix(tag, 11, network), 3)
    borrowed = np.zeros(n)
    for section in range(3):
        space = mix(tag, 12, network, section)
        pages = np.clip((12 * factor * (1 - unit(space)) ** -0.7).astype(np.int64), 4, 300)
        takes = (network >= 0) & (section < sections) & (leads | (section == 0) | (unit(mix(space, site)) < 0.6))
        which = np.flatnonzero(takes)
        borrowed[which] += pages[which]
        add(SECTION, which, space[which], mix(space, 1)[which], 1, pages[which], 1.0, 0.05 + 0.25 * unit(mix(space, 2))[which])
    own = np.where(borrowed > 0, np.minimum(borrowed * (1 - share) / share, 1_500), size * factor)

    # Pools: a share of the pages is of the pool, under paths of the site.
    pool = hand_out(rng, social, fill(rng, int(profile.syndicated * n_social), *map(int, profile.syndicated_group)), n)
    which = np.flatnonzero(pool >= 0)
    low, high = profile.syndicated_share
    part = (low + (high - low) * rng.random(n))[which]
    items = 60 + pick(mix(tag, 21, pool[which]), 600)
    taken = np.clip(own[which] * part, 3, 0.8 * items)
    add(POOL, which, mix(tag, 22, which), mix(tag, 23, pool[which]), 1, items, taken / items)
    own[which] *= 1 - part

    # Templates: common files (versions differ), common paths, and at times numbered own pages.
    groups = fill(rng, int(profile.template * n_social), *map(int, profile.template_group))
    template = hand_out(rng, social, groups, n)
    which = np.flatnonzero(template >= 0)
    cms = mix(tag, 31, template[which])
    low, high = profile.template_paths
    add(COMMON, which, cms, mix(cms, 1), 1, 2 + pick(mix(cms, 2), 12), 0.3 + 0.6 * unit(mix(cms, 3)))
    add(TEMPLATE, which, mix(cms, 4), mix(tag, 32, which), 1, (low + (high - low) * unit(mix(cms, 5))).astype(np.int64),
        0.25 + 0.65 * unit(mix(tag, 33, which)), dynamic[which])
    numbers = unit(mix(cms, 6)) < profile.numbered
    numbered = np.zeros(n, bool)
    numbered[which[numbers]] = True
    soft = unit(mix(tag, 34, which)) < profile.soft404
    add(SOFT404, which[soft], mix(tag, 35, which[soft]), mix(cms[soft], 7), 1, 1 + pick(mix(tag, 36, which[soft]), 15))

    # Own pages; the home page is number 0.
    own = np.clip(own.astype(np.int64), 1, MAX_PAGES)
    real = np.flatnonzero(~parked)
    plain = real[~numbered[real]]
    add(OWN, plain, mix(tag, 41, plain), mix(tag, 42, plain), 0, own[plain] + 1, 1.0, dynamic[plain])
    some = np.flatnonzero(numbered)
    add(OWN, some, mix(tag, 41, some), mix(tag, 42, some), 0, own[some] // 4 + 1, 1.0, dynamic[some])
    add(NUMBERED, some, mix(tag, 31, template[some], 8), mix(tag, 43, some), 1, own[some] - own[some] // 4, 0.8, dynamic[some])

    # Scripts, and the one file that obvious-looking strangers have in common.
    script = hand_out(rng, social, fill(rng, int(profile.scripts * n_social), *map(int, profile.scripts_group)), n)
    which = np.flatnonzero(script >= 0)
    space = mix(tag, 51, script[which])
    add(SCRIPT, which, space, mix(space, 1), 1, 1 + pick(mix(space, 2), 4))
    pair = mix(tag, 52, np.repeat(np.arange(len(twins)), 2))
    add(SCRIPT, twins.ravel(), pair, mix(pair, 1), 1, 1 + pick(mix(pair, 2), 2))

    # Parking pages: the same one to three pages on every host.
    where = np.flatnonzero(parked)
    sizes = fill(rng, len(where), int(profile.parked_group[0]), parked_limit)
    lot = hand_out(rng, where, sizes, n)[where]
    space = mix(tag, 61, np.where(lot < 0, len(sizes), lot))
    add(PARKING, where, space, mix(space, 1), 0, 1 + pick(mix(space, 2), 3))

    columns = [np.concatenate(column) for column in zip(*rows)]
    order = np.argsort(columns[0], kind="stable")
    site, kind, paths, contents, first, pages, keep, moving = (column[order] for column in columns)
    return Parts(site.astype(np.int64), kind, paths.astype(np.uint64), contents.astype(np.uint64),
                 first.astype(np.int64), pages.astype(np.int64), keep.astype(float), moving.astype(float))
