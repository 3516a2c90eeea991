"""Static sites on themes: what a crawl of published repositories looks like when every file type is
kept.

Invariant: a theme's files are the same on all of its sites but for versions and a few files
that a site has made its own; own pages and own pictures are a site's alone. Translations, and sites
started from another's repository, are no replicas. Shares are those seen among a few hundred
labelled pairs of such sites.
"""

from __future__ import annotations

import numpy as np

from replicadb.arrays import Bools, Ints
from replicadb.synthetic.crawl.draws import assign_groups, group_sizes, mix, pick, unit
from replicadb.synthetic.crawl.hosts import CAUSES, FORKS, Hosts
from replicadb.synthetic.crawl.profiles import Profile
from replicadb.synthetic.crawl.sites import (
    DEMO,
    LIBRARY,
    OWN,
    PICTURE,
    TEMPLATE,
    THEME,
    Draft,
    Parts,
)

MOST_FILES = 150
"""Own pages, and again own pictures, of the largest site."""


def build_theme_parts(profile: Profile, seed: int, hosts: Hosts, factor: float) -> Parts:
    """Draw every site's parts; arguments as of :func:`sites.build_parts`. Nothing is parked."""
    draft = _ThemeDraft(profile, seed, hosts, factor)
    draft.files_of_themes()
    draft.libraries()
    draft.own_files()
    draft.remains()
    draft.scripts(hosts.twins)
    return draft.parts()


class _ThemeDraft(Draft):
    """Sites and their themes; ``like`` is the site whose pictures and files a translation has, else
    the site itself.
    """

    def __init__(self, profile: Profile, seed: int, hosts: Hosts, factor: float) -> None:
        super().__init__(profile, seed, hosts, np.zeros_like(hosts.parked), factor)
        hosts_of = hosts.hosts_of
        self.factor, self.all = factor, np.arange(self.n)
        single = self.rng.permutation(np.flatnonzero(hosts_of == 1))
        split = int(profile.translation * len(single))
        self.like = self._first_of_group(single[:split], 5)
        self.start = self._first_of_group(
            single[split : split + int(profile.started_from * len(single))], 4
        )
        themes = group_sizes(
            self.rng, int(profile.template * self.n), *map(int, profile.template_group)
        )
        theme = assign_groups(self.rng, self.all, themes, self.n)
        theme = np.where(theme < 0, len(themes) + self.all, theme)[self.start][self.like]
        self.theme = mix(self.tag, 201, theme)
        versions = 1 + pick(mix(self.theme, 1), 4)
        self.version = (unit(mix(self.tag, 202, self.all)) ** 0.7 * versions).astype(np.int64)[
            self.start
        ][self.like]
        most = MOST_FILES * max(1.0, factor)
        self.own = np.clip(self.own, np.where(hosts_of > 1, 2, 1), most)[self.like]
        self.begun = begun(profile, self.tag, hosts_of)
        self.own = np.where(self.begun, 1 + pick(mix(self.tag, 217, self.all), 3), self.own)
        ratio = np.exp(0.8 * self.rng.standard_normal(self.n) - 0.3)
        self.pictures = np.clip(self.own * ratio, np.where(hosts_of > 1, 3, 0), most).astype(
            np.int64
        )[self.like]
        self.pictures[self.begun] = np.minimum(self.pictures, 1)[self.begun]

    def _first_of_group(self, members: np.ndarray, high: int) -> np.ndarray:
        """(s,) the first site of each one's group, of 2 to ``high``; the site itself where it is in
        none.
        """
        sizes = group_sizes(self.rng, len(members), 2, high)
        group = assign_groups(self.rng, members, sizes, self.n)
        first = np.full(len(sizes), self.n)
        np.minimum.at(first, group[group >= 0], np.flatnonzero(group >= 0))
        return np.where(group >= 0, first[group] if len(sizes) else self.all, self.all)

    def files_of_themes(self) -> None:
        """Files that never change, files of the version, files made one's own; listings and demo
        posts.
        """
        theme, own = self.theme, mix(self.tag, 203, self.like[self.start])
        files = np.clip(2 * 80 ** unit(mix(theme, 2)) * self.factor, 2, 1_000)
        changing = (files * (0.08 + 0.40 * unit(mix(theme, 3)))).astype(np.int64)
        stable = np.maximum(files.astype(np.int64) - changing, 1)
        paths, keep = mix(theme, 4), 0.95 + 0.05 * unit(mix(self.tag, 205, self.like))
        self.add(THEME, self.all, paths, mix(theme, 5), 1, stable, keep)
        self.add(THEME, self.all, paths, mix(theme, 6, self.version), 1 + stable, changing, keep)
        self.add(THEME, self.all, paths, own, 1 + stable + changing, 1 + pick(mix(theme, 13), 4))
        self.add(
            TEMPLATE,
            self.all,
            mix(theme, 7),
            mix(self.tag, 204, self.all),
            1,
            1 + pick(mix(theme, 14), 8),
            0.85,
            self.dynamic,
        )
        left = np.flatnonzero(
            unit(mix(self.tag, 206, self.like))
            < np.where(self.begun, 0.9, 0.25 + 0.7 * unit(mix(theme, 15)))
        )
        as_is = unit(mix(theme[left], 9)) < 0.65  # else the site's name is on them
        self.add(
            DEMO,
            left,
            mix(theme[left], 8),
            np.where(as_is, mix(theme[left], 10), mix(self.tag, 207, left)),
            1,
            1 + pick(mix(theme[left], 11), 9),
            0.8,
        )

    def libraries(self) -> None:
        """Up to three libraries come with a theme, one more with some sites; each is on a hundred
        sites at most.
        """
        many = max(4, self.n // 25)
        for slot in range(4):
            owner = self.theme if slot < 3 else mix(self.tag, 208, self.like)
            which = np.flatnonzero(unit(mix(owner, 21, slot)) < (0.5, 0.4, 0.3, 0.12)[slot])
            library = mix(self.tag, 209, pick(mix(owner[which], 22, slot), many))
            at_usual = unit(mix(owner[which], 23, slot)) < 0.5
            self.add(
                LIBRARY,
                which,
                np.where(at_usual, mix(library, 1), mix(library, 2, owner[which])),
                mix(library, 3),
                1,
                1 + (30 * unit(mix(library, 4)) ** 2.5).astype(np.int64),
            )

    def own_files(self) -> None:
        """Pages and pictures; a translation has its original's pictures, and its own pages at the
        same paths.
        """
        translated = self.like != self.all
        pages = np.maximum(self.own.astype(np.int64), 2)
        whole = np.where(translated, 0.85 + 0.15 * unit(mix(self.tag, 210, self.all)), 1.0)
        self.add(
            OWN,
            self.all,
            mix(self.tag, 41, self.like),
            mix(self.tag, 42, self.all),
            0,
            pages,
            whole,
            self.dynamic,
        )
        some = np.flatnonzero(self.pictures > 0)
        picture = self.like[some]
        self.add(
            PICTURE,
            some,
            mix(self.tag, 211, picture),
            mix(self.tag, 212, picture),
            1,
            self.pictures[some],
        )

    def remains(self) -> None:
        """What is left of the repository that a site started from: pictures, and at most a page in
        eight.
        """
        which = np.flatnonzero(self.start != self.all)
        origin = self.start[which]
        left = 0.2 + 0.6 * unit(mix(self.tag, 213, which))
        self.add(
            PICTURE,
            which,
            mix(self.tag, 211, origin),
            mix(self.tag, 212, origin),
            1,
            self.pictures[origin],
            left,
        )
        pages = np.minimum(
            np.minimum(pick(mix(self.tag, 214, which), 4), self.own[which] // 8),
            self.own[origin] // 8,
        )
        self.add(OWN, which, mix(self.tag, 41, origin), mix(self.tag, 42, origin), 2, pages)


def begun(profile: Profile, tag: np.uint64, hosts_of: Ints) -> Bools:
    """(s,) the sites that hardly go beyond their theme."""
    few = unit(mix(tag, 216, np.arange(len(hosts_of)))) < profile.begun
    hardly: Bools = few & (hosts_of == 1)
    return hardly


def theme_visits(
    profile: Profile, hosts: Hosts, visits: dict[str, np.ndarray], seed: int
) -> dict[str, np.ndarray]:
    """How copies of static sites differ from their site, by their cause; adds to ``visits``, arrays
    (h,).

    ``named`` are hosts whose prefix is the project's name, not one of their own; ``portion`` is the
    share of pages and pictures that a partial mirror or an older version has; ``reformatted``
    copies differ at every page, not in pictures and links; ``age`` is how far a version is from the
    first (0 none, 1 years), ``redone`` the share of its pictures and files that were replaced
    since.
    """
    rng = np.random.default_rng([seed, 7])
    h = len(hosts.site)
    label = np.array(CAUSES)[hosts.cause]
    fork, draw, stale = np.isin(label, FORKS), rng.random(h), label == "stale"
    version, partial = label == "version", label == "partial"
    age = np.where(version, 0.15 + 0.85 * draw, 0.0)
    edit = np.select(
        [stale, partial, version, fork],
        [0.06 + 0.88 * draw**2, 0.05 * draw, age**0.3, 0.0],
        visits["edit"],
    )
    project = rng.random(h) < np.where(fork, profile.prefixed, 0.35)
    added, named, whole = rng.random((3, h))
    return visits | {
        "edit": edit,
        "removal": np.where(stale, 0.15 * edit, np.where(fork, 0.0, 0.7 * edit)),
        "added": np.where(fork & (added < 0.8) & ~stale, 0, np.minimum(visits["added"], 3)),
        "prefixed": np.where(
            np.isin(label, ["www", "suffix"]), False, project | (label == "fork-prefix")
        ),
        "named": named < np.where(hosts.cause > 0, 0.4, 1.0),
        "portion": np.select(
            [partial, version], [0.30 + 0.45 * whole, 1 - 0.55 * age * whole], 1.0
        ),
        "age": age,
        "redone": 0.4 * age * unit(mix(np.uint64(seed), 215, np.arange(h))) ** 2,
        "reformatted": label == "reformatted",
    }
