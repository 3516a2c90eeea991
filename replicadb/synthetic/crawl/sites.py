"""What each site is made of: a table of parts, some its own, some shared with look-alikes.

Invariant: a *site* is what replicas are copies of; all hosts of a site have its parts. A
part is a run of page numbers with a *path space* (what the paths are drawn from) and a *content
space* (what the content is drawn from). Two parts look alike on paths when they share the one, on
content when they share the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Array, Floats, Ints, Values
from replicadb.synthetic.crawl.draws import assign_groups, group_sizes, mix, pick, unit
from replicadb.synthetic.crawl.hosts import Hosts
from replicadb.synthetic.crawl.profiles import Profile

(
    OWN,
    COMMON,
    TEMPLATE,
    NUMBERED,
    SECTION,
    POOL,
    SOFT404,
    SCRIPT,
    PARKING,
    DEMO,
    THEME,
    LIBRARY,
    PICTURE,
) = range(13)
"""Kinds of part: a site's own pages; a template's common files; its common paths with own content;
its numbered paths with own content; a network's section; items of a content pool; soft 404s; common
scripts; a parking page; a theme's demo posts; its files that are no pages; a library's files; a
site's own pictures.
"""

ASSETS = (THEME, LIBRARY, PICTURE)
"""Kinds whose files are no pages."""

MAX_PAGES = 6_000
COMMON_CONTENTS = 200
PUBLISHED_HOSTS = 583_411  # of the collection whose counts profile paper has


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


def lognormal(rng: np.random.Generator, n: int, median: float, mean: float) -> Floats:
    """(n,) page counts with that median and mean, float64, before the cut at MAX_PAGES."""
    sizes: Floats = median * np.exp(np.sqrt(2 * np.log(mean / median)) * rng.standard_normal(n))
    return sizes


def build_parts(profile: Profile, seed: int, hosts: Hosts, factor: float) -> Parts:
    """Draw every site's parts.

    Args:
        hosts: of each site, more than one of a replica group; twins get a common file.
        factor: on the sizes, to reach a number of URLs.
    """
    draft = Draft(profile, seed, hosts, hosts.parked, factor)
    draft.affiliates(factor)
    draft.pools()
    template, numbered = draft.templates()
    draft.own_pages(template, numbered)
    draft.scripts(hosts.twins)
    draft.parking(len(hosts.site))
    draft.common()
    return draft.parts()


class Draft:
    """Parts under way: one method for each way to be alike, each drawing its members from the
    social sites.
    """

    def __init__(
        self, profile: Profile, seed: int, hosts: Hosts, parked: np.ndarray, factor: float
    ) -> None:
        hosts_of, isolated = hosts.hosts_of, hosts.isolated
        self.profile, self.tag = profile, np.uint64(seed)
        self.rng = np.random.default_rng([seed, 1])
        self.n = len(hosts_of)
        self.parked, self.replicated = parked, hosts_of > 1
        # farms and franchises are on their own
        self.social = np.flatnonzero(~isolated & ~parked & (hosts_of <= 6))
        size = lognormal(self.rng, self.n, *profile.size) * np.where(
            hosts_of > 1, profile.replicated_size, 1.0
        )
        size = np.where(isolated, lognormal(self.rng, self.n, *profile.isolated_size), size)
        self.own = size * factor  # pages that are the site's alone, float64
        self.dynamic = self.between(profile.dynamic)
        large = hosts_of > 6  # a farm's or a franchise's site is no card of five pages
        self.own = np.where(
            large, np.maximum(self.own, profile.farm_pages * min(factor, 1.0)), self.own
        )
        self.dynamic = np.where(large, np.minimum(self.dynamic, 0.12), self.dynamic)
        self.rows: list[tuple[Array, ...]] = []

    def between(self, limits: tuple[float, float]) -> np.ndarray:
        return limits[0] + (limits[1] - limits[0]) * self.rng.random(self.n)

    def groups(self, share: float, limits: tuple[float, float]) -> np.ndarray:
        """(s,) int64, each site's group, or -1; so large a share of the social sites is in one."""
        sizes = group_sizes(self.rng, int(share * len(self.social)), int(limits[0]), int(limits[1]))
        return assign_groups(self.rng, self.social, sizes, self.n)

    def add(
        self,
        kind: int,
        sites: Ints,
        paths: Values,
        contents: Values,
        first: Values,
        pages: Values,
        keep: Values = 1.0,
        dynamic: Values = 0.0,
    ) -> None:
        """One part for each of the sites, (k,); what is a number holds for all."""
        self.rows.append(
            tuple(
                np.broadcast_to(column, (len(sites),))
                for column in (sites, np.int8(kind), paths, contents, first, pages, keep, dynamic)
            )
        )

    def affiliates(self, factor: float) -> None:
        """A network has up to three sections; its lead has all, others some. The own rest is sized
        by the share.
        """
        network = self.groups(self.profile.affiliate, self.profile.affiliate_group)
        share = self.between(self.profile.affiliate_share)
        leads = np.zeros(self.n, bool)
        leads[np.unique(network, return_index=True)[1]] = True
        sections = 1 + pick(mix(self.tag, 11, network), 3)
        borrowed = np.zeros(self.n)
        for section in range(3):
            space = mix(self.tag, 12, network, section)
            pages = np.clip(
                (self.profile.affiliate_section * factor * (1 - unit(space)) ** -0.7).astype(
                    np.int64
                ),
                4,
                300,
            )
            wants = leads | (section == 0) | (unit(mix(space, np.arange(self.n))) < 0.6)
            which = np.flatnonzero((network >= 0) & (section < sections) & wants)
            borrowed[which] += pages[which]
            space, pages = space[which], pages[which]
            self.add(
                SECTION,
                which,
                space,
                mix(space, 1),
                1,
                pages,
                1.0,
                0.05 + 0.25 * unit(mix(space, 2)),
            )
        self.own = np.where(
            borrowed > 0, np.minimum(borrowed * (1 - share) / share, 1_500), self.own
        )

    def pools(self) -> None:
        """A share of the pages is a pool's content, under paths of the site."""
        pool = self.groups(self.profile.syndicated, self.profile.syndicated_group)
        which = np.flatnonzero(pool >= 0)
        share = self.between(self.profile.syndicated_share)[which]
        items = 60 + pick(mix(self.tag, 21, pool[which]), 600)
        taken = np.clip(self.own[which] * share, 3, 0.8 * items)
        self.add(
            POOL,
            which,
            mix(self.tag, 22, which),
            mix(self.tag, 23, pool[which]),
            1,
            items,
            taken / items,
        )
        self.own[which] *= 1 - share

    def templates(self) -> tuple[np.ndarray, np.ndarray]:
        """Common files (versions differ), common paths with own content, soft 404s.

        Returns:
            Each site's template, (s,) int64 or -1, and whether it numbers the site's pages, (s,)
            bool.
        """
        template = self.groups(self.profile.template, self.profile.template_group)
        which = np.flatnonzero(template >= 0)
        cms = mix(self.tag, 31, template[which])
        low, high = self.profile.template_paths
        common_paths = (low + (high - low) * unit(mix(cms, 5))).astype(np.int64)
        self.add(
            COMMON,
            which,
            cms,
            mix(cms, 1),
            1,
            2 + pick(mix(cms, 2), 12),
            0.3 + 0.6 * unit(mix(cms, 3)),
        )
        self.add(
            TEMPLATE,
            which,
            mix(cms, 4),
            mix(self.tag, 32, which),
            1,
            common_paths,
            0.25 + 0.65 * unit(mix(self.tag, 33, which)),
            self.dynamic[which],
        )
        soft = unit(mix(self.tag, 34, which)) < self.profile.soft404
        some = which[soft]
        self.add(
            SOFT404,
            some,
            mix(self.tag, 35, some),
            mix(cms[soft], 7),
            1,
            1 + pick(mix(self.tag, 36, some), 15),
        )
        numbered = np.zeros(self.n, bool)
        numbered[which] = unit(mix(cms, 6)) < self.profile.numbered
        return template, numbered

    def own_pages(self, template: np.ndarray, numbered: np.ndarray) -> None:
        """Own content, under own paths or three quarters of it under the template's numbers; 0 is
        the home page.
        """
        most = np.where(self.replicated, min(self.profile.replicated_most, MAX_PAGES), MAX_PAGES)
        pages = np.clip(self.own.astype(np.int64), 1, most)
        under_number = np.where(numbered, pages - pages // 4, 0)
        real = np.flatnonzero(~self.parked)
        self.add(
            OWN,
            real,
            mix(self.tag, 41, real),
            mix(self.tag, 42, real),
            0,
            (pages - under_number)[real] + 1,
            1.0,
            self.dynamic[real],
        )
        some = np.flatnonzero(numbered)
        self.add(
            NUMBERED,
            some,
            mix(mix(self.tag, 31, template[some]), 8),
            mix(self.tag, 43, some),
            1,
            under_number[some],
            0.8,
            self.dynamic[some],
        )

    def scripts(self, twins: np.ndarray) -> None:
        """Common files at their usual paths, and the one or two that unrelated sites of alike names
        have in common.
        """
        script = self.groups(self.profile.scripts, self.profile.scripts_group)
        which = np.flatnonzero(script >= 0)
        space = mix(self.tag, 51, script[which])
        self.add(SCRIPT, which, space, mix(space, 1), 1, 1 + pick(mix(space, 2), 4))
        pair = mix(self.tag, 52, np.repeat(np.arange(len(twins)), 2))
        self.add(SCRIPT, twins.ravel(), pair, mix(pair, 1), 1, 1 + pick(mix(pair, 2), 2))

    def parking(self, hosts: int) -> None:
        """The same one to three pages on every host of a lot; the largest lots grow with the hosts
        of the crawl.
        """
        where = np.flatnonzero(self.parked)
        low, high = self.profile.parked_group
        limit = int(min(max(low, high * max(hosts / 4000, 0.25)), 3_000))
        sizes = group_sizes(self.rng, len(where), int(low), limit)
        lot = assign_groups(self.rng, where, sizes, self.n)[where]
        space = mix(self.tag, 61, np.where(lot < 0, len(sizes), lot))
        self.add(PARKING, where, space, mix(space, 1), 0, 1 + pick(mix(space, 2), 3))

    def common(self) -> None:
        """What unrelated sites by the thousand show: every other content at one path, the others
        anywhere.
        """
        share = self.profile.common * min(self.n / PUBLISHED_HOSTS, 1.0) ** 0.5
        for k in range(COMMON_CONTENTS if share else 0):
            members = self.rng.permutation(self.social)[
                : int(share * len(self.social) / (k + 1) ** 0.9)
            ]
            space = mix(self.tag, 81, k)
            paths = space if k % 2 else mix(space, members)
            self.add(PARKING, members, paths, mix(space, 1), 1, 1)  # a page, not a script

    def parts(self) -> Parts:
        """The table of parts, by site."""
        columns = [np.concatenate(column) for column in zip(*self.rows, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        types = "int64 int8 uint64 uint64 int64 int64 float64 float64".split()
        return Parts(*(column[order].astype(t) for column, t in zip(columns, types, strict=True)))
