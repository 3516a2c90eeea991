"""How copies come about: mirroring, editing, re-templating, renaming, combining sites under one
host.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from training.generators.author_f import names
from training.generators.author_f.model import Page, Site, World, full_title
from training.generators.author_f.ordinary import draw_coverage, heavy, item, make

Rename = Callable[[str], str]


def mark(world: World, site: Site) -> None:
    """Choose the few stable pages that the crawler will meet on the site and on its copies."""
    if site.marked or not world.evidence:
        return
    site.marked = True
    if world.chance(0.04):
        return
    able = [
        p
        for p in site.pages
        if p.kind in ("html", "pdf", "txt") and not p.boiler and p.root[:4] != "wire"
    ]
    rest = [p for p in able if p.path != "/"] or able
    for page in world.rng.sample(rest, min(len(rest), world.n(1, 4))):
        page.sure, page.fixed, page.noisy = True, True, False


def copied(
    world: World,
    page: Page,
    host: str,
    edit: float,
    noise: float | None,
    hosted: float,
    rename: Rename | None,
) -> Page:
    """A page under another host; the arguments are those of :func:`clone`."""
    rng, page = world.rng, replace(page)
    if rename and page.path != "/":
        page.path = rename(page.path)
    if not page.sure and not page.boiler:
        if rng.random() < edit:
            page.rev = world.uid("e")
        if page.kind == "html" and rng.random() < hosted:
            page.rev += "@" + host
        if noise is not None and page.kind == "html" and not page.fixed:
            page.noisy = rng.random() < noise
    return page


def clone(
    world: World,
    source: Site,
    host: str,
    *,
    keep: float = 1.0,
    edit: float = 0.0,
    own: float = 0.0,
    noise: float | None = None,
    reskin: bool = False,
    hosted: float = 0.0,
    rename: Rename | None = None,
    hard: float = 0.0,
    stale: bool = False,
    brand: str | None = None,
    same_ip: float = 0.5,
    own_folder: str = "",
) -> Site:
    """A copy of a site under another host.

    keep: share of pages kept (the oldest if stale); edit: share edited; own: pages of its own per
    page of the source; noise: share of pages whose bytes differ at each fetch; reskin: another
    template; hosted: share of pages with the host name in their bytes; hard: share of inner links
    naming the source.
    """
    mark(world, source)
    rng, last = world.rng, len(source.pages) * keep
    pages = []
    for index, page in enumerate(source.pages):
        gone = index >= last if stale else rng.random() >= keep
        if not gone or not index or page.sure:
            pages.append(copied(world, page, host, edit, noise, hosted, rename))
    for _ in range(round(own * len(source.pages))):
        title = names.phrase(rng)
        pages.append(
            item(world, f"{own_folder}/{names.slug(title)}" + rng.choice((".html", "", "/")), title)
        )
    pages = list({page.path: page for page in pages}.values())
    return world.add(
        Site(
            world.claim(host),
            pages,
            world.uid("skin") if reskin else source.skin,
            brand if brand and reskin else source.brand,
            source.ip if world.chance(same_ip) else world.new_ip(),
            rng.choice((source.scheme, "http", "https")),
            draw_coverage(world),
            world.u(0.15, 1),
            (source.host, hard) if hard else None,
            source.session,
            marked=True,
        )
    )


def combine(
    world: World,
    host: str,
    parts: Sequence[tuple[str, Site]],
    keep: tuple[float, float] = (0.8, 1.0),
    own: int = 0,
) -> Site:
    """One host that carries several sites, each below a path of its own."""
    brand = names.phrase(world.rng, 1, 2)
    pages = [Page("/", world.uid(), brand, boiler=True)]
    for prefix, site in parts:
        mark(world, site)
        share = world.u(*keep)
        pages += [
            placed(page, site, prefix) for page in site.pages if page.sure or world.chance(share)
        ]
    pages += [item(world, f"/{names.slug(names.phrase(world.rng))}.html") for _ in range(own)]
    pages = list({page.path: page for page in pages}.values())
    return world.add(
        Site(
            world.claim(host),
            pages,
            world.uid("skin"),
            brand,
            world.new_ip(),
            "http",
            draw_coverage(world),
            world.u(0.3, 1),
            marked=True,
        )
    )


def placed(page: Page, site: Site, prefix: str) -> Page:
    """A page with the bytes it has on its site, to stand on another host."""
    return replace(
        page, path=prefix + page.path, title=full_title(site, page), skin=page.skin or site.dress
    )


def source(
    world: World,
    low: int = 6,
    high: int = 250,
    kinds: Sequence[str] = ("static", "wordpress", "numbered", "shop", "wiki"),
    median: float | None = None,
    host: str | None = None,
) -> Site:
    """An ordinary site worth copying."""
    size = heavy(world, median or world.scale * 1.6, low=low, high=high)
    return make(world, world.rng.choice(list(kinds)), size, host)


def prefixed(prefix: str) -> Rename:
    """Everything moves below a folder."""
    return lambda path: prefix + path


def extension(new: str) -> Rename:
    """.html becomes .php, a folder, nothing ..."""

    def rename(path: str) -> str:
        stem, mark_, query = path.partition("?")
        if re.search(r"\.(pdf|txt|jpe?g|png|css|js)$", stem, re.I):
            return path
        return re.sub(r"(\.\w{2,5}|/)?$", "", stem) + new + mark_ + query

    return rename


def recased(path: str) -> str:
    """A move from a server that ignores case."""
    return re.sub(r"(^|[/\-_])([a-z])", lambda m: m[1] + m[2].upper(), path)


def underscored(path: str) -> str:
    """Hyphens become underscores."""
    return path.replace("-", "_")


def renumbered(world: World) -> Rename:
    """Slugs become ids of a new system; documents move to an upload folder."""
    form = world.rng.choice(("/node/{}", "/index.php?id={}", "/page/{}", "/content/view/{}/"))
    start = world.n(1, 3000)

    def rename(path: str) -> str:
        nonlocal start
        start += 1
        if re.search(r"\.(pdf|txt|jpe?g|png|css|js)$", path, re.I):
            return "/sites/default/files/" + path.rpartition("/")[2]
        return form.format(start)

    return rename


def reslugged(path: str) -> str:
    """Query addresses become speaking ones: /article.php?id=7 -> /article/id-7."""
    stem, mark_, query = path.partition("?")
    return (
        re.sub(r"\.\w{2,5}$", "", stem) + "/" + re.sub(r"[=&]", "-", query)
        if mark_
        else "/site" + path
    )


def any_rename(world: World) -> Rename:
    """One of the ways a migration changes addresses."""
    return world.rng.choice(
        (
            prefixed("/" + names.word(world.rng)),
            extension(world.rng.choice((".php", "/", "", ".aspx", ".html"))),
            recased,
            underscored,
            renumbered(world),
            reslugged,
        )
    )
