"""Which pairs of hosts are replicas by plan, and of which nobody can say.

Invariant: a pair is there once, the smaller host first; replicas of which the crawl holds
nothing to tell them by are unclear.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

from training.generators.author_d_heldout.crawl import Seen
from training.generators.author_d_heldout.world import World

UNCLEAR = "unclear"


def pairs(world: World, seen: dict[str, Seen]) -> Iterator[tuple[str, str, str, str]]:
    """Every pair with its label and cause, in order."""
    unclear = {_pair(a, b) for hosts in world.unclear for a, b in combinations(hosts, 2)}
    causes = dict.fromkeys(unclear.union(_alike(seen)), UNCLEAR)
    paths = Counter(path for host in seen.values() for path in set(host.paths.values()))
    fingerprints = Counter(
        fingerprint for host in seen.values() for fingerprint in host.fingerprints
    )
    for cause, hosts in world.groups:
        common = {fingerprint for fingerprint, n in fingerprints.items() if n > len(hosts) + 10}
        for a, b in combinations(hosts, 2):
            causes[_pair(a, b)] = (
                cause if _can_be_told(world, seen[a], seen[b], paths, common) else UNCLEAR
            )
    for (a, b), cause in sorted(causes.items()):
        yield a, b, UNCLEAR if cause == UNCLEAR else "replica", cause


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def _alike(seen: dict[str, Seen]) -> Iterator[tuple[str, str]]:
    """Pairs of hosts that have mostly the same pages, though it may be that nobody
    meant them to.
    """
    hosts = defaultdict(list)
    for host, crawled in seen.items():
        for fingerprint in crawled.of_pages:
            hosts[fingerprint].append(host)
    shared = Counter(_pair(a, b) for holders in hosts.values() for a, b in combinations(holders, 2))
    for (a, b), n in shared.items():
        pages = len(seen[a].of_pages), len(seen[b].of_pages)
        if n / (sum(pages) - n) >= 0.4 or (n >= 5 and n / min(pages) >= 0.95):
            yield a, b


def _can_be_told(world: World, a: Seen, b: Seen, paths: Counter[str], common: set[str]) -> bool:
    """Whether the crawl holds anything by which a careful reader could tell that the two are
    replicas.
    """
    both = a.paths.keys() & b.paths.keys()
    if (a.fingerprints & b.fingerprints) - common and len(both) >= min(
        2, len(a.paths), len(b.paths)
    ):
        return True
    same = {number for number in both if a.paths[number] == b.paths[number]}
    rare = {
        number for number in both if paths[a.paths[number]] <= 20 and paths[b.paths[number]] <= 20
    }
    if len(rare if "title" in world.columns else rare & same) >= 3:
        return True
    return "length" in world.columns and len(same) >= 10
