"""What hosts share without being copies: installs, parked pages, themes, articles, manuals."""

from __future__ import annotations

import numpy as np

from training.generators.author_g.copies import own_site
from training.generators.author_g.seeding import log_whole, picks, whole, zipf_weights
from training.generators.author_g.world import Site, World

STATIC = 0.03
"""Share of boilerplate that changes at every fetch."""
INSTALL = ["/", "/manual/", "/icons/README.html", "/index.php", "/phpinfo.php", "/readme.html"]
PARKED = ["/", "/privacy.html", "/contact.html", "/search", "/offer.html", "/terms.html"]
BOILER = (
    "/license.html /readme.html /privacy/ /terms/ /help/ /wp-login.php /faq/ /cookies/"
    " /2009/01/hello-world/ /sample-page/ /about/ /login/ /register/ /sitemap.html"
).split()


def _texts(paths: list[str]) -> np.ndarray:
    """Give the paths as an array of objects."""
    made = np.empty(len(paths), dtype=object)
    made[:] = paths
    return made


def _weights(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw how popular each of a few kinds is."""
    return zipf_weights(count, rng.uniform(0.6, 1.5))


class Shells:
    """Kinds of hosts without contents of their own: default installs or parked domains."""

    def __init__(self, world: World, parked: bool) -> None:
        """Draw the kinds, most with one page, some with several."""
        rng = world.rng
        count = log_whole(rng, 4, 60)
        self.parked = parked
        self.weights = _weights(rng, count)
        self.paths = PARKED if parked else INSTALL
        self.kinds = []
        for _ in range(count):
            pages = min(len(self.paths), 1 + int(rng.geometric(0.5)) - 1)
            varies = rng.random(pages) < (0.3 if parked else 0.08)
            ips = [world.ip() for _ in range(whole(rng, 1, 3))]
            self.kinds.append((world.fresh(pages, STATIC), varies, ips))

    def site(self, world: World) -> tuple[Site, int | None]:
        """Make the pages of one such host and its address."""
        rng = world.rng
        contents, varies, ips = self.kinds[int(picks(rng, self.weights, 1)[0])]
        kept = rng.random(len(contents)) < 0.9
        kept[0] = True
        mine = contents.copy()
        mine[varies] = world.fresh(int(varies.sum()), STATIC, titles=contents[varies])
        paths = _texts(self.paths[: len(mine)])[kept]
        site = Site(paths, mine[kept], np.arange(int(kept.sum()), dtype=float))
        if rng.random() < 0.2:
            more = own_site(world, "static", whole(rng, 2, 12))
            site = Site(*(np.concatenate([a, b[1:]]) for a, b in zip(site, more, strict=True)))
        return site, ips[whole(rng, 0, len(ips) - 1)] if self.parked else None


def themes(world: World, hosts: np.ndarray) -> None:
    """Give the hosts boilerplate of the program that they run, by its version."""
    rng = world.rng
    count = log_whole(rng, 8, 150)
    weights = _weights(rng, count)
    kinds = []
    for _ in range(count):
        pages = whole(rng, 1, 9)
        paths = [BOILER[i] for i in rng.permutation(len(BOILER))[:pages].tolist()]
        kinds.append((paths, world.fresh(pages, STATIC)))
    late = rng.uniform(0.3, 1.2)
    for host, kind in zip(hosts.tolist(), picks(rng, weights, len(hosts)).tolist(), strict=True):
        paths, contents = kinds[kind]
        kept = np.flatnonzero(rng.random(len(paths)) < 0.7)
        world.put(host, [paths[i] for i in kept.tolist()], contents[kept], late)


def manuals(world: World, hosts: np.ndarray) -> None:
    """Put manuals on the hosts, whole or in part, of one version or another."""
    rng = world.rng
    if not len(hosts):
        return
    books = []
    for _ in range(log_whole(rng, 2, 20)):
        book = own_site(world, "static", log_whole(rng, 6, 90))
        contents = book.contents
        for _ in range(whole(rng, 1, 3)):
            changed = rng.random(len(contents)) < rng.uniform(0.1, 0.8)
            contents = contents.copy()
            contents[changed] = world.fresh(int(changed.sum()), STATIC, titles=contents[changed])
            books.append((book.paths, contents))
    weights = _weights(rng, len(books))
    for host, book in zip(hosts.tolist(), picks(rng, weights, len(hosts)).tolist(), strict=True):
        paths, contents = books[book]
        whole_book = rng.random() < 0.5
        count = len(paths) if whole_book else whole(rng, 1, len(paths))
        start = whole(rng, 0, len(paths) - count)
        folder = ("/manual", "/docs", "/doc/html", f"/{world.names.word()}")[whole(rng, 0, 3)]
        chosen = [folder + path for path in paths[start : start + count].tolist()]
        world.put(host, chosen, contents[start : start + count])


def articles(
    world: World, hosts: np.ndarray, mean: float, pool: int, slope: float, host_slope: float
) -> None:
    """Spread articles over hosts; some articles and some hosts are far more popular."""
    rng = world.rng
    events = int(mean * len(hosts))
    if not events or not len(hosts):
        return
    contents = world.fresh(pool, STATIC + 0.3 * world.dynamic_rate)
    which = picks(rng, zipf_weights(pool, slope, rng.uniform(0, 20)), events)
    eager = zipf_weights(len(hosts), host_slope, rng.uniform(1, 60))
    where = rng.permutation(len(hosts))[picks(rng, eager, events)]
    both = np.unique(where * np.int64(pool) + which)
    where, which = both // pool, both % pool
    edges = np.flatnonzero(np.diff(where)) + 1
    words = world.names.words
    slugs = [f"{words[a]}-{words[b]}" for a, b in rng.integers(0, len(words), (pool, 2)).tolist()]
    same = rng.random() < 0.5
    for one in np.split(which, edges):
        host = int(hosts[where[0]])
        where = where[len(one) :]
        folder = ("/news/", "/press/", "/articles/", f"/{world.names.word()}/")[whole(rng, 0, 3)]
        if same or rng.random() < 0.4:
            paths = [f"{folder}{slugs[i]}.html" for i in one.tolist()]
        else:
            start = whole(rng, 1, 9000)
            paths = [f"{folder}{start + i}" for i in range(len(one))]
        world.put(host, paths, contents[one])


def owners(world: World, hosts: np.ndarray) -> None:
    """Make groups of hosts of one owner that share some pages and mostly an address."""
    rng = world.rng
    at = 0
    while at + 1 < len(hosts):
        size = min(2 + int(rng.pareto(1.3)), 14)
        group = hosts[at : at + size].tolist()
        at += size
        contents = world.fresh(min(40, 1 + int(rng.pareto(0.9) * 2)), STATIC)
        together = rng.random() < 0.65
        take = rng.uniform(0.3, 1)
        names = [f"/{world.names.word()}.html" for _ in contents]
        for host in group:
            kept = np.flatnonzero(rng.random(len(contents)) < take)
            world.put(host, [names[i] for i in kept.tolist()], contents[kept])
            if together:
                world.ips[host] = world.ips[group[0]]


def errors(world: World, hosts: np.ndarray) -> None:
    """Put one error page of the hosting company at several paths of the hosts."""
    rng = world.rng
    contents = world.fresh(log_whole(rng, 5, 80), STATIC)
    chosen = picks(rng, _weights(rng, len(contents)), len(hosts)).tolist()
    for host, content in zip(hosts.tolist(), chosen, strict=True):
        count = min(25, 1 + int(rng.pareto(1.0)))
        paths = [f"/{world.names.word()}/{i}" for i in range(count)]
        world.put(host, paths, np.full(count, contents[content]))


def aggregators(world: World, hosts: np.ndarray, sources: np.ndarray) -> None:
    """Let hosts copy single pages of hundreds of others."""
    rng = world.rng
    for host in hosts.tolist():
        taken = []
        for other in rng.choice(sources, min(len(sources), log_whole(rng, 40, 500))).tolist():
            contents = world.sites[other].contents
            count = 1 if rng.random() < 0.85 else whole(rng, 2, 6)
            taken.append(contents[rng.integers(0, len(contents), count)])
        all_taken = np.unique(np.concatenate(taken))
        folder = f"/{world.names.word()}/"
        world.put(host, [f"{folder}{i}" for i in range(len(all_taken))], all_taken)


def networks(world: World, groups: list[np.ndarray]) -> None:
    """Make networks of blogs in which each article is on a few of the blogs."""
    rng = world.rng
    for group in groups:
        mean = rng.uniform(1, 8)
        pool = max(3, int(len(group) * mean / rng.uniform(2, 8)))
        articles(world, group, mean, pool, rng.uniform(0, 0.8), rng.uniform(0, 0.6))


def lookalikes(world: World, hosts: np.ndarray, models: np.ndarray) -> None:
    """Let hosts have the paths and titles of another, with contents of their own."""
    rng = world.rng
    for host, model in zip(hosts.tolist(), rng.choice(models, len(hosts)).tolist(), strict=True):
        site = world.sites[model]
        count = max(1, int(len(site.paths) * rng.uniform(0.4, 1)))
        contents = world.fresh(count, titles=site.contents[:count])
        equal = rng.integers(0, count, min(count, int(rng.pareto(1.0))))
        contents[equal] = site.contents[equal]
        world.sites[host] = Site(site.paths[:count], contents, site.ranks[:count])
        if rng.random() < 0.6:
            world.hosts[host] = world.names.like(world.hosts[model])
        if rng.random() < 0.3:
            world.ips[host] = world.ips[model]
