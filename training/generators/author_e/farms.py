"""Farms: one site on many hosts, whole or in part, with a home page of each host's own, as a kit,
or under any name of a domain.

Invariant: the farms of a web have at most MOST_PAIRS pairs.
"""

from __future__ import annotations

import math

from training.generators.author_e.sites import KINDS, site
from training.generators.author_e.world import Page, World

MOST_PAIRS = 20_000


def _farms(world: World, low: float, high: float, pages: tuple[int, int]) -> None:
    """One to four farms of one kind of software or several, which may have boilerplate
    in common.
    """
    r, left, captures = world.random, MOST_PAIRS, 30_000
    common, one_kind = r.choice((0, 0, 1, 2, 4)), r.choice(KINDS) if r.random() < 0.5 else None
    for _ in range(r.randint(1, 4)):
        most = min(250, int(math.sqrt(2 * left)))
        if most < 10:
            return
        count, size = world.between(10, most), world.between(*pages)
        size = max(pages[0], min(size, captures // count))
        its = site(world, size, one_kind, boilerplate=r.random() < 0.5)
        its = [
            page._replace(content=f"farm boilerplate {k}")
            if 1 <= k <= common and k < size // 3
            else page
            for k, page in enumerate(its)
        ]
        cover, keep_first = r.uniform(low, high), r.random() < 0.7
        hosts = [world.host() for _ in range(count)]
        for host in hosts:
            world.place(host, its, cover=cover, keep_first=keep_first)
        world.replicas("farm", hosts)
        left -= count * (count - 1) // 2
        captures -= int(count * size * cover)


def farms_complete(world: World) -> None:
    """Every host of a farm was crawled whole."""
    _farms(world, 1, 1, (3, 60))


def farms_partial(world: World) -> None:
    """Of every host of a farm another part was crawled."""
    _farms(world, 0.3, 0.95, (10, 60))


def doorways(world: World) -> None:
    """Farms in which each host has a home page and title of its own, and all else in common."""
    r = world.random
    for _ in range(r.randint(1, 3)):
        pages, cover, hosts = (
            site(world, world.between(8, 45)),
            r.uniform(0.5, 1),
            [world.host() for _ in range(world.between(10, 110))],
        )
        for host in hosts:
            world.put(host, "/", f"home of {host}", host)
            world.place(host, pages[1:], cover=cover, keep_first=False)
        world.replicas("doorway", hosts)


def wildcard(world: World) -> None:
    """Domains that give the same site under whatever name is asked for; few pages of each name were
    crawled.
    """
    r = world.random
    for _ in range(r.randint(1, 3)):
        pages, domain, most = (
            site(world, world.between(12, 60)),
            world.name("com"),
            r.randint(3, 14),
        )
        address = world.new_ip()
        hosts = [f"{r.getrandbits(28):07x}.{domain}" for _ in range(world.between(10, 110))]
        for host in hosts:
            world.ips[host] = address
            world.place(host, pages, most=most)
        world.replicas("wildcard", hosts)


def phishing(world: World) -> None:
    """A kit on many hosts of its own, and in a folder of ordinary sites that were broken into."""
    r = world.random
    bank = f"https://{world.name('com')}/"
    paths = [
        "/",
        "/login.php",
        *(f"/{word}.php" for word in r.sample(world.words, r.randint(2, 8))),
    ]
    kit = [
        Page(path, f"{bank} kit {path}", "Sign in to your account", None, ("/login.php", bank))
        for path in paths
    ]
    hosts = [
        f"{r.choice(('secure', 'login', 'my', 'verify'))}-{world.host(www=False)}"
        for _ in range(world.between(12, 150))
    ]
    least = r.uniform(0.4, 1)
    for host in hosts:
        world.place(host, kit, cover=r.choice((1, least)))
    world.replicas("kit", hosts)
    for _ in range(r.randint(2, 20)):
        host = world.host()
        world.place(host, site(world, world.size(5, 200, 3)))
        world.place(host, kit, prefix=f"/wp-content/uploads/{world.word()}")
