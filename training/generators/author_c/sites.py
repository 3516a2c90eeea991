"""A site's own pages, and what of a site is crawled.

Invariant: each page that is made for a site has a content that no other site has yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from training.generators.author_c.assets import add_assets
from training.generators.author_c.paths import paths
from training.generators.author_c.world import ENDINGS, Content, Page, Site, World
from training.generators.common import HTML

POPULAR = [
    "https://www.facebook.com/",
    "https://twitter.com/",
    "https://www.youtube.com/",
    "https://www.google.com/",
    "https://github.com/",
    "https://en.wikipedia.org/wiki/Main_Page",
    "https://www.instagram.com/",
    "https://wordpress.org/",
    "https://www.linkedin.com/",
    "https://jquery.com/",
]
TITLES = ("{page} - {site}", "{page} - {site}", "{site} | {page}", "{page}", "{site}", "")


def fill(
    world: World,
    site: Site,
    own: Sequence[str],
    footer: Iterable[str] = (),
    titles: Mapping[str, str] | None = None,
    template: int | None = None,
    twice: bool = True,
) -> None:
    """Make a site's own pages.

    Args:
        world: the crawl.
        site: gets the pages.
        own: their paths.
        footer: links that every page has.
        titles: of paths whose title is not drawn.
        template: bytes that all pages have in common; drawn if missing.
        twice: whether some pages may stand at a second path.
    """
    r, titles = world.random, titles or {}
    style = r.choice(TITLES)
    root = site.root if r.random() < 0.2 else "~"
    menu = [root + path for path in own[: r.randint(2, 7)]]
    always = [
        r.choice(POPULAR) + (site.name if r.random() < 0.6 else "") for _ in range(r.randint(0, 4))
    ] + list(footer)
    others = [
        f"{other.root}/" for other in r.sample(world.sites, min(len(world.sites), r.randint(0, 4)))
    ]
    template = template or world.log_normal(8.3, 0.8)
    for path in own:
        title = titles[path] if path in titles else world.heading(1, 6)
        title = (
            style.format(page=site.name if path in ("/", "/index.html") else title, site=site.name)
            if style
            else None
        )
        links = menu + [root + r.choice(own) for _ in range(r.randint(0, 6))] + always
        if others and r.random() < 0.15:
            links.append(r.choice(others))
        if r.random() < 0.1:
            links.append(f"http://{world.name()}.{r.choice(ENDINGS)}/{world.slug()}")
        site.pages[path] = Page(
            world.content(HTML, title, template + world.log_normal(7.3, 1), links)
        )
    site.own += len(own)
    if twice:
        _add_again(world, site, own)


def _add_again(world: World, site: Site, own: Sequence[str]) -> None:
    """The home page at its file's name, pages to be printed."""
    r = world.random
    if "/" in site.pages and r.random() < 0.2:
        site.add("/index" + r.choice((".html", ".php")), *site.pages["/"])
    if r.random() < 0.07:
        for path in r.sample(own, min(len(own), 5)):
            site.add(f"{path}{'&' if '?' in path else '?'}print=1", *site.pages[path])


def add_most(
    world: World, site: Site, pages: Iterable[tuple[str, Content]], share: float, base: str = ""
) -> None:
    """That share of pages that several sites have, below a folder."""
    for path, content in pages:
        if world.random.random() < share:
            site.add(base + path, content, base)


def ordinary(
    world: World, kind: str, count: int, host: str | None = None, name: str | None = None
) -> Site:
    """A site of so many pages that belongs to nobody else."""
    name = name or world.name()
    site = world.site(host or world.host(name=name), name.replace("-", " ").title())
    fill(world, site, paths(world, kind, count))
    add_assets(world, site, count)
    return site


def crawl(world: World, site: Site, share: float = 1.0) -> None:
    """Leave that share of a site's pages, any of them or rather the first, and mostly the home
    page.
    """
    r, pages = world.random, list(site.pages.items())
    if share < 1:
        count = max(1, round(len(pages) * share))
        if r.choice(("random", "random", "top")) == "top":
            kept = sorted(
                place
                for _, place in sorted(
                    (place * r.uniform(0.3, 1), place) for place in range(len(pages))
                )[:count]
            )
        else:
            kept = sorted(r.sample(range(len(pages)), count))
            if r.random() < 0.9 and 0 not in kept:
                kept.insert(0, 0)
        pages = [pages[place] for place in kept]
    site.crawled = dict(pages)
    world.urls += len(site.crawled)


def crawl_most(world: World, site: Site, whole: float, least: float) -> None:
    """Crawl all of a site, with that chance, or at least that share of it."""
    crawl(world, site, 1.0 if world.random.random() < whole else world.random.uniform(least, 1))
