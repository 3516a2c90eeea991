"""Contents that unrelated sites took from the same place."""

from __future__ import annotations

from dataclasses import replace

from training.generators.author_j.draw import Draw
from training.generators.author_j.model import Host, Page, World
from training.generators.author_j.settling import new_host, put
from training.generators.author_j.sites import HTML, pages_of, type_of
from training.generators.author_j.words import TONGUES, slug, title

PATHS = (
    *("/{slug}", "/{slug}/", "/{slug}.html", "/news/{id}", "/?p={id}", "/{y}/{m}/{slug}/"),
    *("/article.php?id={id}", "/news/{slug}-{id}", "/index.php?id={id}"),
)


def _own_paths(draw: Draw, pages: list[Page], style: str) -> list[Page]:
    """The pages under paths as the host has them."""
    start = draw.between(1, 90_000)
    made = []
    for place, page in enumerate(pages):
        words = {
            "slug": slug(page.title) or f"t{place}",
            "id": start + place * 7 + draw.below(7),
            "y": draw.between(2005, 2023),
            "m": f"{draw.between(1, 12):02}",
        }
        made.append(replace(page, path=style.format_map(words), links=()))
    return made


def _own_looks(world: World, pages: list[Page], rate: float) -> list[Page]:
    """The pages, most with the site's own frame around where fingerprints see it."""
    mark = world.number()
    return [
        page if world.draw.chance(rate) else replace(page, body=f"{page.body}~{mark}")
        for page in pages
    ]


def _pool(world: World, count: int, edits: float = 0.0) -> list[Page]:
    """Texts that go round."""
    draw = world.draw
    tongue = TONGUES[draw.weighted(world.mixture.tongues)]
    key = f"pool{world.number()}"
    return [
        Page("", title(draw, tongue), f"{key}.{place}", draw.heavy(9000, 0.6, 90_000), HTML, edits)
        for place in range(count)
    ]


def _hosts(world: World, kinds: tuple[str, ...], count: int) -> list[Host]:
    """Different hosts of those kinds."""
    fitting = [h for h in world.hosts if h.kind in kinds and h.wall is None and len(h.pages) > 1]
    return world.draw.some(fitting, min(count, len(fitting)))


def syndicated(world: World, count: int) -> None:
    """Agencies, press offices and guest writers whose texts many print."""
    draw = world.draw
    for _ in range(count):
        pool = _pool(world, draw.heavy(60, 0.8, 400, 5))
        for host in _hosts(world, ("news", "blog", "listing"), draw.heavy(12, 0.8, 90, 2)):
            texts = draw.some(pool, draw.heavy(len(pool) / 6, 0.9, len(pool)))
            texts = _own_looks(world, texts, world.text_rate)
            put(world, host, _own_paths(draw, texts, draw.pick(PATHS)))


def goods(world: World, count: int) -> None:
    """Feeds of goods that shops take over as they are."""
    draw = world.draw
    for _ in range(count):
        pool = _pool(world, draw.heavy(120, 0.8, 900, 10), 0.6)
        one_platform = draw.chance(0.55)
        named = _own_paths(draw, pool, draw.pick(PATHS[:3]))
        for host in _hosts(world, ("shop",), draw.heavy(9, 0.8, 60, 2)):
            some = draw.some(named, draw.heavy(len(pool) / 5, 0.9, len(pool)))
            some = _own_looks(world, some, world.text_rate)
            put(world, host, some if one_platform else _own_paths(draw, some, draw.pick(PATHS)))


def agency(world: World, count: int) -> None:
    """Kits of an agency or a theme: the same pages on all its customers' sites."""
    draw = world.draw
    for _ in range(count):
        kit = _pool(world, draw.heavy(5, 0.8, 40, 2))
        kit = _own_paths(draw, kit, draw.pick(PATHS[:3]))
        kinds = ("blog", "card", "cms", "shop", "static")
        for host in _hosts(world, kinds, draw.heavy(8, 0.9, 120, 2)):
            share = draw.between(1, len(kit))
            put(world, host, _own_looks(world, draw.some(kit, share), 0.85))
            if draw.chance(0.4):
                host.addresses = (world.addresses.crowded[0],)


def laws(world: World, count: int) -> None:
    """Licences, terms and notices that everyone copies."""
    draw = world.draw
    names = ("LICENSE.txt", "license.html", "privacy", "cookies", "terms.html", "hello-world/")
    names += ("sample-page/", "readme.html", "disclaimer", "gpl.txt", "shipping", "sitemap")
    for name in names:
        path = f"/{name}"
        words = name.partition(".")[0].rstrip("/").replace("-", " ").capitalize()
        for host in draw.some(world.hosts, draw.heavy(max(count / 3, 2), 0.6, count, 2)):
            version = draw.skewed(range(8), 3.0)
            mime = type_of(path)
            text = words if mime == HTML else ""
            put(world, host, [Page(path, text, f"law.{name}.{version}", 9000 + version, mime)])


def manuals(world: World, count: int) -> None:
    """Manuals that come with software and lie on many machines."""
    draw = world.draw
    for _ in range(count):
        pages = pages_of(world, TONGUES["en"], "manual", draw.heavy(70, 0.9, 700, 8), "Manual")
        pages = [replace(page, edits=0.0, born=-9.0) for page in pages]
        usual = draw.pick(("/manual", "/doc", "/docs/api", "/help", ""))
        kinds = ("campus", "static", "files", "office", "manual", "wiki")
        for host in _hosts(world, kinds, draw.heavy(7, 0.8, 60, 2)):
            own = draw.pick((f"/~{draw.letters(5)}", f"/{draw.pick(host.tongue.words)}"))
            start = usual if draw.chance(0.6) else own + usual
            part = draw.some(pages, draw.heavy(len(pages) / 3, 0.9, len(pages)))
            put(world, host, [replace(p, path=start + p.path, links=()) for p in part])


def encyclopaedia(world: World, count: int) -> None:
    """Articles of a free encyclopaedia, mirrored in part by whoever likes."""
    draw = world.draw
    pool = _pool(world, 600, 0.3)
    for host in _hosts(world, ("wiki", "listing", "static", "blog", "cms"), count):
        some = draw.some(pool, draw.heavy(12, 1.2, 300))
        style = draw.pick(("/wiki/{slug}", "/en/{slug}", "/{slug}.html", "/topic/{slug}"))
        put(world, host, _own_paths(draw, _own_looks(world, some, world.text_rate), style))


def aggregators(world: World, count: int) -> None:
    """Sites that print a few pages of each of many others."""
    draw = world.draw
    for _ in range(count):
        host = new_host(world, "listing", "own", size=draw.between(3, 20))
        sources = _hosts(world, ("news", "blog", "shop", "forum"), draw.heavy(15, 0.7, 60, 4))
        for source in sources if host else ():
            few = draw.between(1, max(len(source.pages) // 10, 1))
            some = [page for page in draw.some(source.pages, few) if page.path != "/"]
            pages = _own_paths(draw, _own_looks(world, some, world.text_rate), draw.pick(PATHS))
            put(world, host, pages)


def papers(world: World, count: int) -> None:
    """Papers and leaflets that lie on several hosts."""
    draw = world.draw
    for _ in range(count):
        path = f"/{draw.pick(('docs', 'files', 'pdf', 'papers'))}/{draw.letters(7)}.pdf"
        page = Page(path, "", f"paper{world.number()}", draw.heavy(3e5, 0.9, 9_000_000), "")
        page.mime = type_of(path)
        for host in draw.some(world.hosts, draw.heavy(3, 0.6, 25, 2)):
            own = f"/{draw.letters(5)}.pdf"
            put(world, host, [page if draw.chance(0.5) else replace(page, path=own)])
