"""Crawls the web: which pages are taken, what they look like then, and the table of them."""

from __future__ import annotations

import numpy as np
import polars as pl

from training.generators.author_g.profile import Fetch
from training.generators.author_g.seeding import whole
from training.generators.author_g.world import World

GENERIC = ("Home", "Index of /", "Untitled Document", "Welcome", "News", "Contact", "404 Not Found")


def captured(world: World, fetch: Fetch, rng: np.random.Generator) -> tuple[pl.DataFrame, set[str]]:
    """Crawl the web; gives the captures and the hosts that occur."""
    lengths = [len(site.contents) for site in world.sites]
    hosts = np.repeat(np.arange(len(lengths)), lengths)
    contents = np.concatenate([site.contents for site in world.sites])
    ranks = np.concatenate([site.ranks for site in world.sites])
    kept = _kept(fetch, rng, hosts, ranks)
    paths = np.concatenate([site.paths for site in world.sites])[kept]
    hosts, contents = hosts[kept], contents[kept]
    secure = rng.random(len(lengths)) < rng.choice([0.0, 0.1, 0.5])
    starts = [
        f"http{'s' if s else ''}://{host}" for host, s in zip(world.hosts, secure, strict=True)
    ]
    urls = pl.Series(starts).gather(pl.Series(hosts)) + pl.Series(paths.tolist(), dtype=pl.String)
    frame = pl.DataFrame({"url": urls, "host": hosts, "content": contents})
    frame = frame.unique(subset="url", keep="first", maintain_order=True)
    frame = frame.sort("url") if rng.random() < 0.5 else frame[rng.permutation(len(frame))]
    hosts, contents = frame["host"].to_numpy(), frame["content"].to_numpy()
    changing = world.dynamic[contents] | (rng.random(len(frame)) < fetch.noise)
    columns = [frame["url"], _fingerprints(world, rng, contents, changing)]
    if fetch.ip:
        columns.append(_addresses(world, rng, hosts))
    columns += _more(world, fetch, rng, hosts, contents, changing)
    return pl.DataFrame(columns), {world.hosts[i] for i in np.unique(hosts).tolist()}


def _kept(
    fetch: Fetch, rng: np.random.Generator, hosts: np.ndarray, ranks: np.ndarray
) -> np.ndarray:
    """Choose the pages that are fetched, in the order of fetching."""
    keys = (ranks + 0.5) * np.exp(rng.normal(0, fetch.jitter, len(ranks)))
    keys[ranks == 0] *= 0.2
    order = np.lexsort((keys, hosts))
    if fetch.budget is not None:
        low, high = fetch.budget
        count = int(hosts.max()) + 1
        budgets = np.floor(np.exp(rng.uniform(np.log(low), np.log(high + 1), count)))
        sorted_hosts = hosts[order]
        first = np.searchsorted(sorted_hosts, np.arange(count))
        place = np.arange(len(order)) - first[sorted_hosts]
        order = order[place < budgets[sorted_hosts]]
    if fetch.sample < 1:
        order = order[rng.random(len(order)) < fetch.sample]
    return order


def _fingerprints(
    world: World, rng: np.random.Generator, contents: np.ndarray, changing: np.ndarray
) -> pl.Series:
    """Give equal pages equal fingerprints, and changing ones each its own."""
    ids = contents.copy()
    ids[changing] = world.contents + np.arange(int(changing.sum()))
    found, places = np.unique(ids, return_inverse=True)
    width = int(rng.choice([8, 16, 20]))
    text = rng.bytes(width * len(found)).hex()
    digests = [text[i : i + 2 * width] for i in range(0, len(text), 2 * width)]
    return pl.Series("fingerprint", digests).gather(pl.Series(places))


def _addresses(world: World, rng: np.random.Generator, hosts: np.ndarray) -> pl.Series:
    """Give each fetch its address; some hosts have two in turn."""
    ips = np.array(world.ips, dtype=np.int64)
    two = rng.random(len(ips)) < rng.choice([0.0, 0.03])
    numbers = np.where(two[hosts] & (rng.random(len(hosts)) < 0.5), ips[hosts] ^ 1, ips[hosts])
    found, places = np.unique(numbers, return_inverse=True)
    texts = [f"{n >> 24}.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in found.tolist()]
    return pl.Series("ip", texts).gather(pl.Series(places))


def _more(
    world: World,
    fetch: Fetch,
    rng: np.random.Generator,
    hosts: np.ndarray,
    contents: np.ndarray,
    changing: np.ndarray,
) -> list[pl.Series]:
    """Make the columns that only some crawls have."""
    count = len(hosts)
    made: list[pl.Series] = []
    if "timestamp" in fetch.columns:
        start = 1_150_000_000 + whole(rng, 0, 400_000_000)
        begun = rng.integers(0, 86_400 * whole(rng, 1, 40), len(world.hosts))
        seconds = start + begun[hosts] + rng.integers(0, 20_000, count)
        stamps = pl.from_epoch(pl.Series("timestamp", seconds), time_unit="s")
        made.append(stamps.dt.strftime("%Y%m%d%H%M%S"))
    if "mime" in fetch.columns:
        made.append(pl.Series("mime", ["text/html"]).gather(pl.Series(np.zeros(count, dtype=int))))
    if "status" in fetch.columns:
        made.append(pl.Series("status", np.full(count, 200, dtype=np.int64)))
    if "length" in fetch.columns:
        sizes = np.exp(rng.normal(9.2, 1.0, world.contents)).astype(np.int64) + 120
        made.append(pl.Series("length", sizes[contents] + changing * rng.integers(-9, 40, count)))
    if "title" in fetch.columns:
        made.append(_titles(world, rng, contents))
    return made


def _titles(world: World, rng: np.random.Generator, contents: np.ndarray) -> pl.Series:
    """Give contents their titles; some are so common that they say nothing."""
    found, places = np.unique(world.titles[contents], return_inverse=True)
    words = world.names.words
    drawn = rng.integers(0, len(words), (len(found), 3)).tolist()
    common = (rng.random(len(found)) < rng.uniform(0.02, 0.3)).tolist()
    texts = [
        GENERIC[c % len(GENERIC)] if plain else f"{words[a].title()} {words[b]} {words[c]}"
        for (a, b, c), plain in zip(drawn, common, strict=True)
    ]
    return pl.Series("title", texts).gather(pl.Series(places))
