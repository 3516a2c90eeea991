"""Which pairs of hosts nobody could tell from what was crawled of them.

Invariant: a pair is only ever made unclear, never a replica.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

from training.generators.author_c.world import World
from training.generators.common import HTML

COMMON = 300
"""A content on more hosts than so many says nothing."""


class Crawled:
    """What was crawled, by host, content and path."""

    def __init__(self, world: World) -> None:
        self.group = {host: number for number, hosts in enumerate(world.groups) for host in hosts}
        self.translations = {site.host for site in world.sites if site.translation}
        self.contents: defaultdict[str, set[str]] = defaultdict(set)  # fingerprints by host
        self.html: defaultdict[str, set[str]] = defaultdict(set)  # those of pages
        self.paths: defaultdict[str, set[str]] = defaultdict(set)  # by host
        self.hosts: defaultdict[str, set[str]] = defaultdict(set)  # by fingerprint
        self.hosts_at: defaultdict[str, set[str]] = defaultdict(set)  # by path
        for site in world.sites:
            for path, (content, _) in site.crawled.items():
                self.contents[site.host].add(content.fingerprint)
                self.paths[site.host].add(path)
                self.hosts[content.fingerprint].add(site.host)
                self.hosts_at[path].add(site.host)
                if content.mime == HTML:
                    self.html[site.host].add(content.fingerprint)

    def only_theirs(self, things: set[str], where: dict[str, set[str]], group: int) -> int:
        """How many of the things only hosts of the group have."""
        return sum(all(self.group.get(host) == group for host in where[thing]) for thing in things)

    def shared(self) -> Counter[tuple[str, str]]:
        """How many pages two hosts have in common."""
        found: Counter[tuple[str, str]] = Counter()
        for fingerprint, hosts in self.hosts.items():
            if 1 < len(hosts) <= COMMON:
                found.update(
                    combinations(
                        sorted(host for host in hosts if fingerprint in self.html[host]), 2
                    )
                )
        return found


def settle(world: World, titles: bool) -> None:
    """Make the pairs unclear that nobody could tell, whether the titles are known or not."""
    crawled = Crawled(world)
    for hosts, cause in world.causes.items():
        if cause != "unclear" and _nothing_of_their_own(crawled, *hosts, titles):
            world.causes[hosts] = "unclear"
    for (one, other), pages in crawled.shared().items():
        group = crawled.group.get(one)
        if (one, other) in world.causes or (
            group is not None and group == crawled.group.get(other)
        ):
            continue
        if _hardly_translated(crawled, one, other, pages, titles) or _all_but_the_same(
            crawled, one, other, pages
        ):
            world.causes[one, other] = "unclear"


def _nothing_of_their_own(crawled: Crawled, one: str, other: str, titles: bool) -> bool:
    """Whether two replicas have next to nothing in common that no others have."""
    group = crawled.group[one]
    contents = crawled.only_theirs(
        crawled.contents[one] & crawled.contents[other], crawled.hosts, group
    )
    paths = crawled.only_theirs(crawled.paths[one] & crawled.paths[other], crawled.hosts_at, group)
    if contents == 0 and (paths < 5 or not titles):
        return True
    return (
        contents < 2
        and paths < 4
        and min(len(crawled.contents[one]), len(crawled.contents[other])) > 5
    )


def _hardly_translated(crawled: Crawled, one: str, other: str, pages: int, titles: bool) -> bool:
    if one not in crawled.translations or other not in crawled.translations:
        return False
    return pages >= (0.5 if titles else 0.3) * min(len(crawled.html[one]), len(crawled.html[other]))


def _all_but_the_same(crawled: Crawled, one: str, other: str, pages: int) -> bool:
    """Whether both have at most one page besides those in common, or one of them has none and they
    are not few.
    """
    least, most = sorted((len(crawled.html[one]), len(crawled.html[other])))
    return most - pages <= 1 or (least == pages and pages >= 0.3 * most)
