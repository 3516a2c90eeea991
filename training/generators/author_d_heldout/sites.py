"""An original site: its pages, what its theme and system bring, its files, its links, its address;
and pages that several sites share.

Invariant: a site that is made is in the world, and its host is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from training.generators.author_d_heldout.pages import draw
from training.generators.author_d_heldout.words import TYPES, titled
from training.generators.author_d_heldout.world import (
    HTML,
    Demonstration,
    Page,
    Site,
    Theme,
    World,
    distinct,
)

TITLES = ("{t}", "{t}", "{t} - {n}", "{n} | {t}", "{n}", "{n}: {t}")
LARGE = ("news", "forum", "wiki", "songs")
"""Kinds of sites that have twice the pages of others."""
PICTURES = ("logo", "header", "banner", "bg", "icon", "1", "2", "main")


def make(
    world: World,
    kind: str | None = None,
    size: int | None = None,
    host: str | None = None,
    theme: Theme | None = None,
    ip: str | None = None,
    *,
    themed: bool = True,
    factor: float = 1.0,
    least: int = 1,
) -> Site:
    """Put an original site into the world; what is not given is drawn.

    Args:
        themed: whether a theme may be drawn.
        factor: how much larger than others the site is on average.
        least: pages, if the size is not given.
    """
    r = world.random
    kind = kind or world.kind()
    size = size or world.size(factor * (2 if kind in LARGE else 1), least)
    pages = draw(world, kind, size)
    if themed and theme is None and r.random() < world.themed:
        theme = world.themes[world.rank(len(world.themes))]
    name = titled((host or world.slug(1, 2)).replace("www.", "").split(".")[0])
    host = world.host(host)
    title = theme.title if theme else r.choice(TITLES)
    if theme:
        pages += _pages_of_theme(world, theme)
    if world.all_types:
        pages += _files(world, size)
    pages = distinct([*pages, *_common_pages(world, kind)])
    footer = theme.footer if theme else ()
    link(world, pages, footer)
    sessions = r.uniform(0.02, 0.2) if kind == "forum" and r.random() < 0.4 else 0.0
    site = Site(
        host,
        name,
        title,
        kind,
        pages,
        footer,
        sessions,
        ip=ip or world.new_ip(),
        scheme="https" if r.random() < world.https else "http",
        cover=min(1.0, r.uniform(*world.settings.cover) * 1.05),
    )
    world.sites.append(site)
    return site


def _pages_of_theme(world: World, theme: Theme) -> Iterator[Page]:
    """What of the theme's demonstration was not taken away, and its files."""
    r = world.random
    keep = r.random() ** 2 if theme.demonstration else 0
    for page in theme.demonstration:
        if r.random() < keep:
            yield demonstrated(world, page)
    if world.all_types:
        keep = r.uniform(0.6, 1)
        for path, key, length in theme.assets:
            if r.random() < keep:
                yield world.page(
                    path,
                    None,
                    TYPES[path.rsplit(".", 1)[1]],
                    key if r.random() < 0.93 else None,
                    length,
                )


def _files(world: World, size: int) -> Iterator[Page]:
    r = world.random
    for _ in range(int(size * r.choice((0, 0.3, 0.6, 1.2, 2)) + r.randint(0, 4))):
        ending = r.choice(("jpg", "jpg", "png", "gif", "pdf", "js"))
        name = r.choice(PICTURES) if r.random() < 0.25 else world.slug(1, 2, "_")
        yield world.page(
            f"{r.choice(('/images/', '/img/', '/uploads/', '/files/'))}{name}.{ending}",
            None,
            TYPES[ending],
        )
    if r.random() < 0.3:
        yield world.page(
            "/favicon.ico",
            None,
            TYPES["ico"],
            f"favicon{r.randint(1, 6)}" if r.random() < 0.5 else None,
            1150,
        )
    if r.random() < 0.1:
        yield world.page("/css/custom.css", None, TYPES["css"], "EMPTY", 0)


def _common_pages(world: World, kind: str) -> Iterator[Page]:
    """What a site's system or provider gives to many: a read-me, help, one answer to several
    missing addresses.
    """
    r = world.random
    if kind == "wordpress" and r.random() < 0.3:
        yield world.page(
            "/readme.html", "WordPress › ReadMe", HTML, f"wp/readme.html{r.randint(1, 12)}", 7000
        )
        yield world.page(
            "/license.txt", None, TYPES["txt"], f"wp/license.txt{r.randint(1, 5)}", 7000
        )
    if kind == "forum" and r.random() < 0.5:
        yield world.page(
            "/faq.php?mode=bbcode", "BBCode guide", key=f"bbcode{r.randint(1, 4)}", length=19000
        )
    if r.random() < 0.04:
        key = f"soft404/{r.randint(1, 8)}"
        for _ in range(r.randint(1, 6)):
            yield world.page(
                f"/{world.slug(1, 2)}.html", "404 Not Found", key=key, length=1200 + len(key)
            )


def link(world: World, pages: Iterable[Page], footer: Sequence[str] = ()) -> None:
    """Link every page to the first ones, its neighbours, some other sites, and what the
    footer has.
    """
    r = world.random
    pages = [page for page in pages if page.mime == HTML]
    if not pages:
        return
    first = [page.number for page in pages[: r.randint(3, 9)]]
    favourites = [
        r.choice(world.popular) if r.random() < 0.35 else f"http://www.{world.label()}.com/"
        for _ in range(r.choice((0, 1, 3, 8)))
    ]
    for k, page in enumerate(pages):
        following = [pages[min(len(pages) - 1, k + step)].number for step in (1, 2, 3)]
        links: list[int | str] = [*first, *following, pages[int(r.random() * len(pages))].number]
        if favourites and r.random() < 0.3:
            links.append(r.choice(favourites))
        if r.random() < 0.2:
            links.append(f"http://{world.label()}.org/{world.word()}")
        page.links = (*links, *footer)


def share(
    world: World,
    sites: Iterable[Site],
    pages: Sequence[Page],
    keep: float = 1.0,
    own: float = 0.0,
    folder: str = "",
    skips: bool = False,
) -> None:
    """Put pages on sites that lack them.

    Args:
        keep: share of the pages that a site gets.
        own: share of the pages whose bytes hold the site's own name.
        folder: what stands before the path of each page.
        skips: whether each page that is kept costs a draw that decides nothing.
    """
    r = world.random
    personal = {page.number for page in pages if r.random() < own}
    for site in sites:
        there, added = {page.path for page in site.pages}, []
        for page in pages:
            if r.random() >= keep:
                continue
            page = page.clone()
            page.path = folder + page.path
            if skips:
                world.skip()
            if page.number in personal:
                page.change(f"|{site.host}", page.length + r.randint(-40, 40))
            if page.path not in there:
                there.add(page.path)
                added.append(page)
        place = 6 if r.random() < 0.5 else len(site.pages)
        site.pages[place:place] = added


def demonstrated(world: World, page: Demonstration) -> Page:
    """A theme's page on one site."""
    return world.page(
        page.path, page.title, key=page.key if page.same else None, length=page.length
    )
