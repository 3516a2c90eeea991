"""The crawl itself: which pages of each host were fetched, and with which content.

Invariant: pages are drawn set at a time (no Python loop over pages or hosts), each attribute
is a hash of what it belongs to, and rows have one total order. So the same seed gives the same
rows.
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Array, Ints, Whole
from replicadb.synthetic.crawl.draws import Hashes, mix, pick, unit, within
from replicadb.synthetic.crawl.hosts import CAUSES, Hosts
from replicadb.synthetic.crawl.paths import sections_of
from replicadb.synthetic.crawl.profiles import Profile
from replicadb.synthetic.crawl.sites import (
    ASSETS,
    COMMON,
    MAX_PAGES,
    NUMBERED,
    OWN,
    PARKING,
    PICTURE,
    SCRIPT,
    SECTION,
    SOFT404,
    Parts,
)

LEAST = 15
"""Pages that a crawl gets of a site at least, if so many are wanted: of less, nobody could say
a copy.
"""


def draw_visits(
    profile: Profile, hosts: Hosts, seed: int, urls: int | None = None
) -> dict[str, np.ndarray]:
    """How each host was crawled and how it differs from its site: arrays (h,).

    ``least`` pages are fetched of a host that has them and is no stub, half of those that have less
    than ``small``; both are less where few ``urls`` are wanted.
    """
    each = urls // len(hosts.site) if urls else MAX_PAGES
    rng = np.random.default_rng([seed, 3])
    h = len(hosts.site)
    copy = hosts.cause > 0
    label = np.array(CAUSES)[hosts.cause]
    low, high = profile.coverage
    replicated, large = hosts.hosts_of[hosts.site] > 1, hosts.hosts_of[hosts.site] > 6
    edit = profile.edits[0] + (profile.edits[1] - profile.edits[0]) * rng.random(h) ** 2
    edit = np.where(label == "franchise", 0.03 + 0.09 * rng.random(h), edit)
    prefixed = (
        copy & (rng.random(h) < profile.prefixed) & np.isin(label, ["moved", "clone", "farm"])
    )
    coverage = low + (high - low) * np.maximum(
        rng.random(h) ** profile.coverage_power, np.where(large, 0.25, 0.0)
    )
    return {
        "small": np.full(h, min(profile.small, each)),
        "least": np.full(h, min(LEAST, max(each // 3, 1))),
        "coverage": coverage,
        "stub": np.where(
            rng.random(h) < profile.stub * np.where(replicated, 0.1, 1.0),
            rng.integers(1, 4, h) * np.where(replicated, 4, 1),
            0,
        )
        * ~large,
        "edit": np.where(copy, edit, 0.0),
        "removal": np.where(copy, edit, 0.0) * 0.7,
        "moved": copy & (rng.random(h) < profile.moved) & ~np.isin(label, ["www", "load-balanced"]),
        "prefixed": prefixed | (label == "moved-prefix"),
        "added": np.where(copy & (rng.random(h) < 0.5), rng.integers(1, 8, h), 0),
    }


def fetch(
    profile: Profile,
    hosts: Hosts,
    parts: Parts,
    visits: dict[str, np.ndarray],
    seed: int,
    which: np.ndarray,
) -> dict[str, np.ndarray]:
    """The fetched pages of some hosts (``which``, ascending): host, part, page number and content
    of each, arrays (rows,).

    ``own`` is what a page is for all copies of it, ``content`` what was fetched; ``added`` are
    pages that only this host has. Breadth first: a host's pages are taken by depth, with noise of
    the site (the order of its links) and of the visit, until the visit's coverage is reached.
    """
    tag = np.uint64(seed)
    bounds = np.searchsorted(parts.site, np.arange(len(hosts.hosts_of) + 1))
    first, count = bounds[hosts.site[which]], np.diff(bounds)[hosts.site[which]]
    host_of = np.repeat(which.astype(np.int32), count)
    part_of = np.repeat(first, count) + within(count)
    n_pages = parts.pages[part_of] + np.where(
        parts.kind[part_of] == OWN, visits["added"][host_of], 0
    )
    host = np.repeat(host_of, n_pages)
    part = np.repeat(part_of, n_pages)
    page = parts.first[part] + within(n_pages)

    contents, kind = parts.contents[part], parts.kind[part]
    own = mix(contents, page)  # what the page is, for all copies of it
    kept = unit(mix(tag, 71, parts.site[part], parts.paths[part], page)) < parts.keep[part]
    removed = (page > 0) & (unit(mix(tag, 72, host, own)) < visits["removal"][host])
    if profile.static:
        # what a version lacks, the older ones lack as well
        part_of_it = mix(tag, 77, np.where(visits["age"][host] > 0, 0, host), own)
        removed |= (
            np.isin(kind, [OWN, PICTURE])
            & (page > 0)
            & (unit(part_of_it) >= visits["portion"][host])
        )
    chosen = np.flatnonzero(kept & ~removed)
    host, part, page = host[chosen], part[chosen], page[chosen]
    own, kind = own[chosen], kind[chosen]

    chosen = _breadth_first(host, part, page, own, kind, parts, visits, tag)
    host, part, page, own = host[chosen], part[chosen], page[chosen], own[chosen]
    added = page >= parts.first[part] + parts.pages[part]
    content = _contents(profile, parts, visits, tag, host, part, page, own, added)
    return {
        "host": host,
        "part": part,
        "page": page,
        "own": own,
        "content": content,
        "added": added,
    }


def _contents(
    profile: Profile,
    parts: Parts,
    visits: dict[str, np.ndarray],
    tag: np.uint64,
    host: np.ndarray,
    part: np.ndarray,
    page: np.ndarray,
    own: np.ndarray,
    added: np.ndarray,
) -> np.ndarray:
    """What was fetched of each page, (rows,) uint64: the page itself, or a version of it."""
    kind, contents = parts.kind[part], parts.contents[part]
    shared = np.isin(kind, [COMMON, SCRIPT, PARKING, SOFT404, *ASSETS])
    home = (kind == OWN) & (page == 0)
    moving = np.where(home, profile.home_dynamic, parts.dynamic[part])
    content = np.where(kind == SOFT404, mix(contents, 0), own)
    version = pick(mix(tag, 73, parts.site[part], page), 1 + pick(mix(contents, page, 5), 3))
    content = np.where(kind == COMMON, mix(content, version), content)
    differs = ~shared & ((unit(mix(own, 6)) < moving) | added)
    edited = ~shared & (kind != SECTION) & (unit(mix(tag, 74, host, own)) < visits["edit"][host])
    content = np.where(differs | edited, mix(tag, 75, own, host), content)
    if profile.empty:
        content = np.where(_empty(profile, parts, part, page, tag), mix(contents, 9), content)
    if profile.static:
        content = np.where(
            visits["reformatted"][host] & ~np.isin(kind, [SCRIPT, *ASSETS]),
            mix(tag, 78, own, host),
            content,
        )
        redone = np.isin(kind, ASSETS) & (unit(mix(tag, 79, own, host)) < visits["redone"][host])
        content = np.where(redone, mix(tag, 75, own, host), content)
    return content


def _empty(
    profile: Profile, parts: Parts, part: np.ndarray, page: np.ndarray, tag: np.uint64
) -> np.ndarray:
    """Pages that show their site's empty page, (rows,) bool; on most such sites few, on some half
    of them.
    """
    site = parts.site[part]
    share = 0.5 * unit(mix(tag, 92, site)) ** 2 * (unit(mix(tag, 93, site)) < profile.empty)
    return (
        np.isin(parts.kind[part], [OWN, NUMBERED])
        & (page > 9)
        & (unit(mix(tag, 94, site, page)) < share)
    )


def _breadth_first(
    host: Whole,
    part: Ints,
    page: Ints,
    own: Hashes,
    kind: Whole,
    parts: Parts,
    visits: dict[str, Array],
    tag: np.uint64,
) -> Ints:
    """Rows that the visits reach, (chosen,) int64, sorted by host and page order."""
    sections = sections_of(parts.paths)[part]
    depth = np.where(page <= np.where(kind == OWN, sections, 0), 1.0, 2.0 + np.log1p(page) / 4)
    depth[(page == 0)] = 0.0
    depth += 1.2 * unit(mix(own, 8)) + 0.4 * unit(mix(tag, 76, host, own))
    reached = np.bincount(host, minlength=len(visits["coverage"]))
    coverage = np.where(
        reached < visits["small"], np.maximum(visits["coverage"], 0.5), visits["coverage"]
    )
    limit = np.maximum(
        np.minimum(reached, visits["least"]), np.rint(reached * coverage).astype(np.int64)
    )
    limit = np.where(visits["stub"] > 0, np.minimum(limit, visits["stub"]), limit)
    order = np.argsort(host * 64.0 + depth, kind="stable")
    start = np.cumsum(reached) - reached
    rank = np.arange(len(host)) - start[host[order]]
    chosen: Ints = order[rank < limit[host[order]]]
    return chosen


def expected_pages(hosts: Hosts, parts: Parts, visits: dict[str, np.ndarray]) -> float:
    """About how many pages the visits will fetch, without drawing them."""
    on_site = np.bincount(parts.site, parts.pages * parts.keep, minlength=len(hosts.hosts_of))[
        hosts.site
    ]
    coverage = np.where(
        on_site < visits["small"], np.maximum(visits["coverage"], 0.5), visits["coverage"]
    )
    limit = np.maximum(np.minimum(on_site, visits["least"]), on_site * coverage)
    return float(np.where(visits["stub"] > 0, np.minimum(limit, visits["stub"]), limit).sum())
