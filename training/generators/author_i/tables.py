"""Captures as a table, and the pairs as gold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations

import polars as pl

from training.generators.author_i.crawl import Capture
from training.generators.author_i.dice import Dice, digest
from training.generators.author_i.model import Host, cause, label
from training.generators.author_i.recipes import Recipe
from training.generators.author_i.world import World
from training.generators.common import HTML, stripped

END = datetime(2026, 1, 31, 12, tzinfo=UTC)
_EVERYWHERE = ("/", "/robots.txt", "/favicon.ico", "/index.html", "/index.php")
OPTIONAL = ("ip", "timestamp", "status", "mime", "length", "title", "links")


def columns(rng: Dice, recipe: Recipe) -> list[str]:
    """Which columns a crawl has: many have few. Only crawls put together always say when."""
    way = rng.random()
    if way < 0.4:
        some = {"ip", "length", "mime"}
    elif way < 0.6:
        some = set(OPTIONAL)
    else:
        some = {name for name in OPTIONAL if rng.chance(0.6)}
    if recipe.tlds == "onion":
        some.discard("ip")
    if len(recipe.visits) > 1:
        some.add("timestamp")
    return ["url", "fingerprint", *(name for name in OPTIONAL if name in some)]


def kept(rng: Dice, captures: list[Capture], names: list[str]) -> list[Capture]:
    """The captures that the crawl's owner keeps: without a status, mostly only pages."""
    if "status" in names or rng.chance(0.25):
        return captures
    return [row for row in captures if row.status == 200]


def frame(rng: Dice, captures: list[Capture], names: list[str]) -> pl.DataFrame:
    """The captures with those columns, by host or in order of time."""
    if rng.chance(0.5):
        captures = sorted(captures, key=lambda row: (row.second, row.host, row.path))
    style = rng.choice(("base32", "hex", "md5"))
    known: dict[str, str] = {}
    for row in captures:
        if row.body not in known:
            known[row.body] = digest(row.body, style)
    made: dict[str, Callable[[], pl.Series | list[str]]] = {
        "url": lambda: [f"{row.scheme}://{row.host}{row.path}" for row in captures],
        "fingerprint": lambda: [known[row.body] for row in captures],
        "timestamp": lambda: [_time(row.second) for row in captures],
        "title": lambda: pl.Series([row.title or None for row in captures], dtype=pl.String),
        "links": lambda: _lists([row.links for row in captures]),
    }
    whole = {name: [getattr(row, name) for row in captures] for name in names if name not in made}
    return pl.DataFrame({name: made[name]() if name in made else whole[name] for name in names})


def _lists(rows: list[tuple[str, ...]]) -> pl.Series:
    """A column of lists; no URL has a new line in it."""
    return pl.Series(["\n".join(row) for row in rows], dtype=pl.String).str.extract_all(r"[^\n]+")


def _time(second: int) -> str:
    return (END + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


def pairs(
    world: World, captures: list[Capture], titles: bool, all_types: bool
) -> list[tuple[str, ...]]:
    """The gold, in order."""
    crawled = {row.host for row in captures}
    made: dict[tuple[str, str], tuple[str, str]] = {}
    families: dict[int, list[Host]] = defaultdict(list)
    holders: dict[int, list[Host]] = defaultdict(list)
    for host in world.hosts:
        if host.name in crawled:
            families[host.site.root].append(host)
            for root in host.guests:
                holders[root].append(host)
    for root, larger in holders.items():
        for host in larger:
            for home in families.get(root, []):
                made[_ordered(host, home)] = ("unclear", "part")
    for group, why in world.unclear:
        for a, b in combinations([host for host in group if host.name in crawled], 2):
            made[_ordered(a, b)] = ("unclear", why)
    families = {root: family for root, family in families.items() if len(family) > 1}
    traces = _traces(captures, {h.name for f in families.values() for h in f}, titles, all_types)
    for family in families.values():
        seen = _connected(family, traces)
        for a, b in combinations(family, 2):
            said = label(a, b)
            chained = seen[a.name] == seen[b.name]
            if chained and traces[a.name].isdisjoint(traces[b.name]):
                said = "unclear"
            if said == "unclear" or chained:
                made[_ordered(a, b)] = (said, cause(a, b))
    return [(*names, *said) for names, said in sorted(made.items())]


def _ordered(a: Host, b: Host) -> tuple[str, str]:
    return (a.name, b.name) if a.name < b.name else (b.name, a.name)


def _traces(
    captures: list[Capture], names: set[str], titles: bool, all_types: bool
) -> dict[str, set[str]]:
    """Of each host, its contents, paths that not everybody has, and titles if the crawl has any."""
    traces: dict[str, set[str]] = defaultdict(set)
    for row in captures:
        if row.host in names and row.status == 200 and (all_types or row.mime == HTML):
            found = traces[row.host]
            found.add("content " + row.body)
            found.add("host " + stripped(row.host))
            if row.path not in _EVERYWHERE:
                found.add("path " + row.path)
            if titles and row.title:
                found.add("title " + row.title)
    return traces


def _connected(family: list[Host], traces: dict[str, set[str]]) -> dict[str, int]:
    """A number for each host: the same if a chain of hosts that share traces is between them."""
    number = {host.name: place for place, host in enumerate(family)}
    first: dict[str, str] = {}
    for host in family:
        for trace in sorted(traces.get(host.name, ())):
            other = number[first.setdefault(trace, host.name)]
            own = number[host.name]
            if own != other:
                number = {name: other if n == own else n for name, n in number.items()}
    return number
