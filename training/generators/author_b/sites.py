"""An original site: pages at the paths that its content management system gives them, noise that
many sites have, and files.

Invariant: a page's content names its site and path, so that no other site has it, but for
noise and files, which are shared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from training.generators.author_b.additions import add_demonstration, add_files, add_noise
from training.generators.author_b.world import Page, Site, World
from training.generators.common import HTML

SECTIONS = """
    about contact services products news blog gallery team faq privacy terms history events links
    careers support portfolio pricing testimonials press shop store projects members calendar help
    sitemap login register search downloads resources location map staff video photos
""".split()


class Place(NamedTuple):
    """Where a page stands, before it has a content."""

    path: str
    title: str
    volatility: float = 0.1
    depth: int = 2
    mime: str = HTML


def _sections(world: World, pages: int, least: int) -> list[str]:
    return world.random.sample(SECTIONS, k=min(pages, world.random.randrange(least, 9)))


def wordpress(world: World, site: Site, pages: int) -> Iterator[Place]:
    r, name, year = world.random, site.name, world.random.randrange(2006, 2019)
    yield from (
        Place(f"/{word}/", f"{word.title()} - {name}", depth=1)
        for word in _sections(world, pages, 2)
    )
    yield Place("/feed/", name, 0.7, 1, "application/rss+xml")
    for _ in range(pages):
        kind = r.random()
        if kind < 0.6:
            slug = world.slug()
            yield Place(
                f"/{year + r.randrange(4)}/{r.randrange(1, 13):02d}/{slug}/",
                f"{slug.replace('-', ' ').capitalize()} - {name}",
                0.08,
            )
        elif kind < 0.9:
            part, volatility = ("category", 0.4) if kind < 0.75 else ("tag", 0.3)
            yield Place(f"/{part}/{world.word()}/", f"{world.word()} Archives - {name}", volatility)
        else:
            yield Place(f"/page/{r.randrange(2, max(3, pages // 5 + 3))}/", f"{name} - Page", 0.6)


def drupal(world: World, site: Site, pages: int) -> Iterator[Place]:
    r = world.random
    yield Place("/user/login", f"Log in | {site.name}", depth=1)
    yield Place("/user/password", f"Reset | {site.name}", depth=1)
    for k in range(1, pages):
        yield Place(
            f"/node/{k}" if r.random() < 0.8 else f"/taxonomy/term/{r.randrange(pages)}",
            f"{world.slug(3)} | {site.name}",
        )


def phpbb(world: World, site: Site, pages: int) -> Iterator[Place]:
    r = world.random
    for k in range(1, pages):
        kind = r.random()
        path = (
            f"/viewtopic.php?f={r.randrange(1, 8)}&t={k}"
            if kind < 0.8
            else (
                f"/viewforum.php?f={r.randrange(1, 9)}"
                if kind < 0.9
                else f"/memberlist.php?mode=viewprofile&u={k}"
            )
        )
        yield Place(path, f"{site.name} - {world.slug(3)}", 0.25)
    yield Place("/faq.php", f"{site.name} - FAQ", depth=1)
    yield Place("/ucp.php?mode=login", f"{site.name} - Login", 0.9, 1)


def static(world: World, site: Site, pages: int) -> Iterator[Place]:
    r, ending = world.random, world.random.choice([".html", ".htm", ".html", ".php"])
    yield from (
        Place(f"/{word}{ending}", word.title(), 0.03, 1) for word in _sections(world, pages, 1)
    )
    folders = [world.word() for _ in range(1 + pages // 15)]
    for _ in range(pages):
        folder = f"/{r.choice(folders)}" if r.random() < 0.7 else ""
        file = r.choice(
            [world.slug(1), world.slug(2), f"page{r.randrange(20)}", f"p{r.randrange(200):03d}"]
        )
        yield Place(
            f"{folder}/{file}{ending}", world.slug(3) if r.random() < 0.7 else site.name, 0.02
        )


def joomla(world: World, site: Site, pages: int) -> Iterator[Place]:
    r = world.random
    for k in range(1, pages):
        yield Place(
            (
                f"/index.php?option=com_content&view=article&id={k}&Itemid={r.randrange(1, 60)}"
                if r.random() < 0.6
                else f"/index.php/{world.word()}/{k}-{world.slug()}"
            ),
            world.slug(3),
        )


def shop(world: World, site: Site, pages: int) -> Iterator[Place]:
    for k in range(1, pages):
        yield Place(
            (
                f"/index.php?route=product/product&product_id={k + 27}"
                if site.number % 2
                else f"/products/{world.slug(3)}"
            ),
            f"{world.slug(3)} | {site.name}",
            0.3,
        )


def wiki(world: World, site: Site, pages: int) -> Iterator[Place]:
    for _ in range(pages):
        yield Place(
            (
                f"/wiki/{world.slug(2).replace('-', '_').title()}"
                if world.random.random() < 0.7
                else f"/index.php?title={world.slug(2).title()}&action=history"
            ),
            f"{world.slug(2)} - {site.name}",
            0.2,
        )
    yield from (
        Place(f"/wiki/{page}", f"{page} - {site.name}", depth=1)
        for page in ("Main_Page", "Special:RecentChanges", "Help:Contents")
    )


def asp(world: World, site: Site, pages: int) -> Iterator[Place]:
    r, names = world.random, ["noticia", "default", "produto", "news", "view", "detail", "pagina"]
    scripts = [r.choice(names) + r.choice([".asp", ".aspx", ".php"]) for _ in range(3)]
    for k in range(1, pages):
        yield Place(
            f"/{r.choice(scripts)}?id={k}", site.name if r.random() < 0.8 else world.slug(3), 0.12
        )


def jekyll(world: World, site: Site, pages: int) -> Iterator[Place]:
    r, year = world.random, world.random.randrange(2006, 2019)
    yield from (
        Place(f"/{word}/", f"{word.title()} | {site.name}", depth=1)
        for word in ("about", "archive", "tags")
    )
    for _ in range(pages):
        slug = world.slug()
        date = f"{year + r.randrange(4)}/{r.randrange(1, 13):02d}/{r.randrange(1, 29):02d}"
        yield Place(f"/{date}/{slug}.html", f"{slug} | {site.name}", 0.03)


def custom(world: World, site: Site, pages: int) -> Iterator[Place]:
    r, folders = world.random, [world.word() for _ in range(1 + pages // 12)]
    for _ in range(pages):
        file = r.choice([world.slug(), str(r.randrange(1000)), f"{world.slug(2)}/{world.slug(1)}"])
        yield Place(f"/{r.choice(folders)}/{file}", f"{world.slug(3)} - {site.name}")


DEMONSTRATED = ("wp", "jekyll", "drupal", "joomla", "static")
CMS: dict[str, tuple[Callable[[World, Site, int], Iterator[Place]], float]] = {
    "wp": (wordpress, 30),
    "drupal": (drupal, 6),
    "phpbb": (phpbb, 5),
    "static": (static, 18),
    "joomla": (joomla, 7),
    "shop": (shop, 6),
    "wiki": (wiki, 3),
    "asp": (asp, 8),
    "custom": (custom, 12),
    "jekyll": (jekyll, 5),
}
"""Name: its paths, and how common it is."""


def make(
    world: World,
    host: str | None = None,
    pages: int | None = None,
    cms: str | None = None,
    ip: str | None = None,
    noise: bool = True,
    files: bool | None = None,
    mu: float = 2.8,
) -> Site:
    """A site that is no copy, with about ``pages`` pages; it is not in the crawl until it is put
    there.

    Args:
        noise: pages that many sites have, too.
        files: pictures, scripts and styles; None: where the crawl has such.
        mu: of the log-normal number of pages where it is not given.
    """
    r = world.random
    cms = (
        cms or r.choices(list(CMS), world.weights("cms", [weight for _, weight in CMS.values()]))[0]
    )
    site = Site(
        host or world.host(),
        ip or world.any_ip(),
        world.slug(2).replace("-", " ").title(),
        cms,
        world.number(),
        world.theme(),
    )
    site.scheme = r.choice(["http", "https"])
    typical, pool, name = r.gauss(9.5, 0.7), world.pool(cms, site.theme), site.name
    pages = pages or world.size(mu)
    if cms in DEMONSTRATED and world.happens("barely begun", 0.2, 3.0):
        pages = max(1, int(pages * r.random() ** 2))
        add_demonstration(world, site, pool)
    home = Place("/", r.choice(["Home", name, name, f"{name} - {world.slug(2)}"]), 0.6, 0)
    for place in (home, *CMS[cms][0](world, site, pages)):
        length = max(200, int(math.exp(typical + r.gauss(0, 0.35))))
        site.add(
            place.path,
            Page(
                f"{site.number}:{place.path}",
                place.title,
                length,
                place.mime,
                world.linked(pool),
                place.volatility,
                place.depth,
            ),
        )
    if noise:
        add_noise(world, site)
    if world.files if files is None else files:
        add_files(world, site)
    return site
