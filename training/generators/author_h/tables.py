"""The captures and the gold, as the contract wants them."""

from __future__ import annotations

import datetime
from itertools import combinations

import numpy as np
import polars as pl

from training.generators.author_h.crawling import Log
from training.generators.author_h.draw import Words, mix
from training.generators.author_h.model import Host, World
from training.generators.author_h.names import ENGLISH

EPOCH = datetime.datetime(2014, 3, 1)


def _hex(keys: Words, wide: bool) -> list[str]:
    words = [mix(keys)]
    if wide:
        words.append(mix(keys ^ np.uint64(0xABCDEF)))
    text = np.column_stack(words).astype(">u8").tobytes().hex()
    width = 16 * len(words)
    return [text[i : i + width] for i in range(0, len(text), width)]


def _titles(log: Log, base: Words) -> list[str]:
    count = np.uint64(len(ENGLISH))
    ones, twos = (base % count).tolist(), (base // count % count).tolist()
    return [
        f"{ENGLISH[a].title()} {ENGLISH[b]}" + (f" - {brand}" if brand else "")
        for a, b, brand in zip(ones, twos, log.brand, strict=True)
    ]


def captures(world: World, log: Log, wide: bool) -> pl.DataFrame:
    """Make the table of captures, in the order of the crawl, with the recipe's columns."""
    keys, base, times = (np.concatenate(part) for part in (log.key, log.base, log.time))
    made: dict[str, object] = {"url": log.url, "fingerprint": _hex(keys, wide)}
    wanted = world.recipe.columns
    if "ip" in wanted:
        made["ip"] = log.ip
    if "timestamp" in wanted:
        start = EPOCH + datetime.timedelta(days=world.rng.randint(0, 4000))
        moments = np.datetime64(start, "ms") + (times * 86400).astype("timedelta64[s]")
        made["timestamp"] = pl.Series(moments).dt.strftime("%Y%m%d%H%M%S")
    if "mime" in wanted:
        made["mime"] = log.mime
        made["status"] = np.full(len(keys), 200)
    if "length" in wanted:
        bell = sum((mix(base + np.uint64(i)) >> np.uint64(40)) / 2**24 for i in range(4)) - 2
        made["length"] = (np.exp(9.2 + 1.7 * bell)).astype(np.int64) + (keys % 53).astype(np.int64)
    if "title" in wanted:
        made["title"] = _titles(log, base)
    return pl.DataFrame(made).sort("url", "timestamp" if "timestamp" in wanted else "fingerprint")


def pairs(world: World, log: Log) -> list[tuple[str, str, str, str]]:
    """List the pairs of a family and the debatable ones, of hosts that were captured."""
    caught = {
        number
        for number, mime in zip(log.host, log.mime, strict=True)
        if mime == "text/html"
    }  # fmt: skip
    hosts = [world.hosts[number] for number in sorted(caught)]
    names = {host.name for host in hosts}
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for cause, members in world.debated:
        for a, b in combinations([m for m in members if m.name in names], 2):
            found[_ordered(a, b)] = ("unclear", cause)
    families: dict[int, list[Host]] = {}
    for host in hosts:
        if host.family >= 0:
            families.setdefault(host.family, []).append(host)
    for members in families.values():
        for a, b in combinations(members, 2):
            label = "replica" if a.tag == b.tag else "near-replica"
            if a.doubt or b.doubt:
                label = "unclear"
            found[_ordered(a, b)] = (label, b.cause if b.cause != "original" else a.cause)
    return sorted((*both, *what) for both, what in found.items())


def _ordered(a: Host, b: Host) -> tuple[str, str]:
    return (a.name, b.name) if a.name < b.name else (b.name, a.name)
