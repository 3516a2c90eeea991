"""What the crawler brought home."""

import datetime
import hashlib
import math
import zlib

import polars as pl

from training.generators.author_f import names
from training.generators.author_f.model import Page, Site, World, full_title

MIME = {
    "html": "text/html",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "img": "image/jpeg",
    "css": "text/css",
    "js": "application/javascript",
}
SPREAD = {"html": 3000, "pdf": 250_000, "txt": 1500, "img": 60_000, "css": 9000, "js": 40_000}
SCHEMA = {
    "url": pl.String,
    "fingerprint": pl.String,
    "ip": pl.String,
    "timestamp": pl.String,
    "status": pl.Int64,
    "mime": pl.String,
    "length": pl.Int64,
    "title": pl.String,
    "links": pl.List(pl.String),
}
SERVERS = (
    "apache-2.2",
    "apache-2.4",
    "nginx-1.10",
    "nginx-1.18",
    "iis-7",
    "iis-10",
    "cloudfront",
    "litespeed",
)


def chosen(world: World, site: Site) -> list[tuple[int, Page]]:
    """The pages fetched: home first, then by depth blurred with chance, up to the
    site's coverage.
    """
    rng = world.rng
    pages = [
        (i, p)
        for i, p in enumerate(site.pages)
        if world.all_types or p.kind in ("html", "pdf", "txt")
    ]
    count = max(1, math.ceil(site.coverage * len(pages)))
    ranked = sorted(
        pages,
        key=lambda pair: (
            (1 - site.wander) * pair[0] / len(site.pages)
            + site.wander * rng.random()
            - (0.5 if pair[0] == 0 else 0)
        ),
    )
    return ranked[:count] + [
        pair for pair in ranked[count:] if pair[1].sure and rng.random() < 0.985
    ]


def fingerprint(site: Site, page: Page, nonce: str) -> str:
    """Equal iff the bytes are: same content, same revision, same template, no nonce."""
    skin = "" if page.fixed else page.skin or site.dress
    return hashlib.sha1(f"{page.root}|{page.rev}|{skin}|{nonce}".encode()).hexdigest()


def length(site: Site, page: Page, print_: str) -> int:
    """A length that depends on the bytes only: content first, then template, then small change."""
    draw = zlib.crc32(page.root.encode()) / 2**32
    size = 200 + SPREAD[page.kind] * -math.log(1 - 0.999 * draw)
    skin = 0 if page.fixed else zlib.crc32((page.skin or site.dress).encode()) % 6000
    change = int(print_[:2], 16) // 8 if page.rev or page.noisy else 0
    return int(size) + skin + change


def links(world: World, site: Site, index: int, page: Page) -> list[str]:
    """Menu, neighbours and children, and whatever leads away."""
    total = len(site.pages)
    wanted = dict.fromkeys(
        [*range(min(5, total)), index - 1, index + 1, 2 * index + 1, 2 * index + 2, 3 * index + 1]
    )
    found = []
    for i in wanted:
        if 0 <= i < total and site.pages[i].kind not in ("css", "js"):
            hard = (
                site.hard and (zlib.crc32(site.pages[i].root.encode()) % 1000) / 1000 < site.hard[1]
            )
            found.append(
                f"{site.scheme}://{site.hard[0] if hard else site.host}{site.pages[i].path}"
            )
    seed = zlib.crc32(page.root.encode())
    if seed % 5 == 0:
        found.append(f"https://{world.sites[seed % len(world.sites)].host}/")
    if seed % 7 == 0:
        found.append(
            ("https://www.facebook.com/", "https://twitter.com/", "https://wordpress.org/")[
                seed % 3
            ]
        )
    return found + list(page.out)


def rows(
    world: World, site: Site, start: datetime.datetime, errors: float, mixed: bool
) -> list[tuple]:
    """All captures of one host."""
    rng, clock, found = world.rng, start, []
    for index, page in chosen(world, site):
        clock += datetime.timedelta(seconds=rng.randint(1, 90))
        nonce = f"{site.host}{page.path}{rng.random()}" if page.noisy else ""
        print_ = fingerprint(site, page, nonce)
        path = page.path
        if site.session and page.kind == "html" and rng.random() < 0.7:
            path += ("&" if "?" in path else "?") + f"{site.session}={rng.getrandbits(64):016x}"
        scheme = "http" if mixed and rng.random() < 0.1 else site.scheme
        found.append(
            (
                f"{scheme}://{site.host}{path}",
                "sha1:" + print_,
                site.ip,
                f"{clock:%Y%m%d%H%M%S}",
                page.status,
                MIME[page.kind],
                length(site, page, print_),
                full_title(site, page),
                links(world, site, index, page) if page.kind == "html" else None,
            )
        )
    server = SERVERS[zlib.crc32(site.skin.encode()) % len(SERVERS)]
    for _ in range(sum(rng.random() < errors for _ in range(len(found)))):
        status = rng.choices((404, 301, 302, 403, 500, 503), (6, 4, 2, 1, 1, 1))[0]
        print_ = hashlib.sha1(f"{server}{status}".encode()).hexdigest()
        path = "/" + names.slug(names.phrase(rng)) if status == 404 else "/" + names.word(rng)
        found.append(
            (
                f"{site.scheme}://{site.host}{path}",
                "sha1:" + print_,
                site.ip,
                f"{clock:%Y%m%d%H%M%S}",
                status,
                "text/html",
                150 + int(print_[:2], 16),
                f"{status} {server}",
                [],
            )
        )
    return found


def captures(world: World, errors: float, drop: tuple[str, ...]) -> pl.DataFrame:
    """The whole crawl as a table, one row per address."""
    rng = world.rng
    begin = datetime.datetime(rng.randint(2006, 2024), rng.randint(1, 12), rng.randint(1, 28))
    days, mixed, found = rng.choice((3, 14, 60, 300)), rng.random() < 0.4, []
    for site in world.sites:
        start = begin + datetime.timedelta(seconds=rng.randrange(days * 86400))
        found += rows(world, site, start, rng.random() * errors, mixed and rng.random() < 0.5)
    rng.shuffle(found)
    table = pl.DataFrame(list(zip(*found, strict=True)), schema=SCHEMA, orient="col")
    return table.unique("url", keep="first", maintain_order=True).drop(drop)
