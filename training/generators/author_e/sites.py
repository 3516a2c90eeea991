"""Ordinary sites of five kinds of software, and a background of them, some of which stand under www
and without.

Invariant: a site has as many different paths as it was asked for, the home page first, and
no content of another site but boilerplate.
"""

from __future__ import annotations

from training.generators.author_e.words import BOILERPLATE, SERVICES, TITLES, USUAL_PAGES
from training.generators.author_e.world import Page, World

KINDS = ("wp", "php", "static", "shop", "blog")
MOST_CAPTURES = 26_000
"""Of the background, before its sites stay small."""


def site(world: World, count: int, kind: str | None = None, boilerplate: bool = True) -> list[Page]:
    """An original site of so many pages."""
    r, own = world.random, f"site{world.random.getrandbits(60)}"
    kind = kind or r.choice(KINDS)
    name, named = world.title(2), r.random() < 0.9
    paths = _paths(world, kind, count)
    menu = paths[1 : r.randint(3, 9)]
    outside = (f"{r.choice(SERVICES)}{own[4:9]}",) if r.random() < 0.6 else ()
    pages = []
    for k, path in enumerate(paths):
        content = _boilerplate(world, path) if boilerplate and k else None
        title = TITLES[k] if k < len(TITLES) else world.title()
        links = (*menu, *r.choices(paths, k=4), *outside) if world.mode == "rich" else ()
        pages.append(
            Page(
                path,
                own + path if content is None else content,
                f"{title} - {name}" if named else title,
                None,
                links,
            )
        )
    return pages


def _boilerplate(world: World, path: str) -> str | None:
    """What the software or the host's provider brought, now and then."""
    chance = world.random.random()
    if path == "/hello-world/" and chance < 0.5:
        return BOILERPLATE[1]
    if path == "/robots.txt" and chance < 0.6:
        return BOILERPLATE[7]
    return world.random.choice(BOILERPLATE) if chance < 0.02 else None


def _paths(world: World, kind: str, count: int) -> list[str]:
    r = world.random
    usual = list(USUAL_PAGES)
    if kind == "wp":
        usual = [f"{path}/" for path in usual if path != "/robots.txt"]
        usual += [
            "/robots.txt",
            "/feed/",
            "/wp-login.php",
            "/category/uncategorized/",
            "/author/admin/",
            "/hello-world/",
        ]
    elif kind == "static":
        usual = [*(f"{path}.html" for path in usual if path != "/robots.txt"), "/index.html"]
    elif kind == "php":
        usual = ["/index.php", *(f"/index.php?id={k}" for k in range(1, 12))]
    r.shuffle(usual)
    paths = dict.fromkeys(["/", *usual[: min(count - 1, max(1, count // 3))]])
    while len(paths) < count:
        paths[_article(world, kind, len(paths))] = None
    return list(paths)


def _article(world: World, kind: str, number: int) -> str:
    r = world.random
    match kind:
        case "wp":
            return f"/{r.randint(2015, 2026)}/{r.randint(1, 12):02d}/{world.slug(3)}/"
        case "php":
            return f"/index.php?id={number + 11}"
        case "static":
            return f"/{r.choice(('pages', 'docs', 'texts'))}/{world.slug(3)}.html"
        case "shop":
            return f"/product/{r.randint(100, 99999)}"
        case _:
            return f"/blog/{world.slug(3)}"


def fill(world: World, count: int, mu: float = 2.5, sigma: float = 1.3) -> None:
    """So many ordinary hosts, and the twins of some that differ by www alone."""
    r, captures, changes = world.random, 0, _changes(world)
    twins = set(r.sample(range(count), max(5, count // 20)))
    for k in range(count):
        pages = site(
            world, world.size(high=1500 if captures < MOST_CAPTURES else 6, mu=mu, sigma=sigma)
        )
        host = world.place(world.host(), pages, cover=r.choice((1, 1, 0.8, 0.5)))
        captures += len(world.crawled[host])
        if k in twins:
            twin = host[4:] if host.startswith("www.") else f"www.{host}"
            world.ips[twin] = world.ip(host)
            world.place(twin, pages, cover=r.choice((1, 0.9, 0.5)), change=r.choice(changes))
            world.replicas("alias", (host, twin))
        elif r.random() < 0.015:
            world.put(world.host(), "/", BOILERPLATE[r.choice((0, 9))], "Welcome")


def _changes(world: World) -> tuple[float, ...]:
    """Shares of pages in which twins differ; the same bytes are the most usual."""
    return 0, 0, world.random.uniform(0.02, 0.15), world.random.uniform(0.15, 0.5)


def background(world: World) -> None:
    """The ordinary hosts that every scenario stands among."""
    r = world.random
    fill(world, r.randint(150, 900), r.uniform(2, 2.7), r.uniform(1, 1.5))
