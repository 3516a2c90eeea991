"""Which pairs are replicas, decided by how the world was made and by what the crawl shows of it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product

from training.generators.author_j.crawling import Row
from training.generators.author_j.model import Host, World

REPLICA, NEAR, UNCLEAR = "replica", "near-replica", "unclear"
FRONT = ("", "/", "/index.html", "/index.php")
FEW_FAMILIES = 3
"""A content, path or title that more families have says nothing of a pair."""


def _families(world: World) -> dict[int, int]:
    """Of each group, the number of its family: the groups that are tied to one another."""
    family = {group: group for group in world.groups}
    members = {group: [group] for group in world.groups}
    for tie in world.ties:
        one, other = family[tie.one], family[tie.other]
        if one != other:
            for group in members[other]:
                family[group] = one
            members[one].extend(members.pop(other))
    return family


class _Traces:
    """What the captures show of each host, and how usual that is."""

    def __init__(self, world: World, rows: list[Row], with_titles: bool) -> None:
        self.shown: dict[str, dict[str, None]] = {}
        self.captured = dict.fromkeys(row.host for row in rows)
        for row in rows:
            if row.status == 200:
                mine = self.shown.setdefault(row.host, {})
                mine[f"content {row.body}"] = None
                if row.path not in FRONT:
                    mine[f"path {row.path}"] = None
                if with_titles and row.title:
                    mine[f"title {row.title}"] = None
        self.family = _families(world)
        self.families: dict[str, set[int]] = {}
        for name, mine in self.shown.items():
            group = self.family[world.names[name].group]
            for item in mine:
                self.families.setdefault(item, set()).add(group)

    def tell(self, one: Host, other: Host) -> bool:
        """Whether the crawl shows that the two have to do with each other."""
        mine, others = self.shown.get(one.name, {}), self.shown.get(other.name, {})
        if len(mine) > len(others):
            mine, others = others, mine
        common = [item for item in mine if item in others]
        if any(len(self.families[item]) <= FEW_FAMILIES for item in common):
            return True
        paths = sum(item.startswith("path ") for item in common)
        all_paths = sum(item.startswith("path ") for item in mine)
        return paths >= 8 and paths >= 0.6 * all_paths


def _pair(one: Host, other: Host) -> tuple[str, str]:
    return (one.name, other.name) if one.name < other.name else (other.name, one.name)


def _cause(one: Host, other: Host) -> str:
    """Why the two are there, as far as the pair tells it."""
    if one.name.removeprefix("www.") == other.name.removeprefix("www."):
        return "www"
    causes = [cause for cause in (other.cause, one.cause) if cause]
    return next((cause for cause in causes if cause != "www"), "same-site")


def _of_group(
    hosts: list[Host], traces: _Traces, loose: str | None
) -> Iterable[tuple[tuple[str, str], tuple[str, str]]]:
    """The pairs within a group, with label and cause."""
    for one, other in combinations(hosts, 2):
        cause = loose or _cause(one, other)
        sure = loose is None and traces.tell(one, other)
        yield _pair(one, other), (REPLICA if sure else UNCLEAR, cause)


def _kin(seen: dict[int, list[Host]], traces: _Traces) -> Iterable[tuple[str, str]]:
    """Pairs of hosts that are close to the same third site and show it."""
    families: dict[int, list[Host]] = {}
    for group, hosts in seen.items():
        families.setdefault(traces.family[group], []).extend(hosts)
    for hosts in families.values():
        for one, other in combinations(hosts, 2):
            if one.group != other.group and traces.tell(one, other):
                yield _pair(one, other)


def pairs(world: World, rows: list[Row], with_titles: bool) -> list[tuple[str, str, str, str]]:
    """The gold of the crawl: host_a, host_b, label, cause, in order."""
    traces = _Traces(world, rows, with_titles)
    seen = {
        group: [host for host in hosts if host.name in traces.captured]
        for group, hosts in world.groups.items()
    }
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for group, hosts in seen.items():
        found.update(_of_group(hosts, traces, world.loose.get(group)))
    for tie in world.ties:
        for one, other in product(seen.get(tie.one, ()), seen.get(tie.other, ())):
            label = tie.label
            if label == NEAR and not traces.tell(one, other):
                label = UNCLEAR
            pair = _pair(one, other)
            if pair not in found or (label == NEAR and found[pair][0] == UNCLEAR):
                found[pair] = (label, tie.cause)
    for pair in _kin(seen, traces):
        found.setdefault(pair, (UNCLEAR, "kin"))
    return [(*pair, *found[pair]) for pair in sorted(found)]
