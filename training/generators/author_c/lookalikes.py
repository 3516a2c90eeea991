"""Sites that look like replicas: translations, versions of a documentation, parked domains, default
pages, names that differ in the suffix.

Invariant: of parked domains, bare default pages and versions of a documentation nobody can
say whether they are replicas.
"""

from __future__ import annotations

from training.generators.author_c.assets import add_assets
from training.generators.author_c.paths import paths
from training.generators.author_c.sites import crawl, crawl_most, fill, ordinary
from training.generators.author_c.world import Page, Site, World
from training.generators.common import HTML

LANGUAGES = ["de", "fr", "es", "it", "pt", "nl", "ru", "pl", "jp", "cn", "tr", "se"]
DEFAULT_TITLES = (
    "Apache2 Ubuntu Default Page: It works",
    "Welcome to nginx!",
    "IIS Windows Server",
    "Index of /",
)


def translation(world: World, count: int) -> None:
    """The same paths and pictures, other text; a few pages, or a share that differs, are not
    translated.
    """
    r, languages, name = world.random, world.random.sample(LANGUAGES, count), world.name()
    naming, kind = (
        r.choice(("sub", "tld", "tld", "fork")),
        r.choice(("static", "dirs", "query", "wiki", "drupal", "wp")),
    )
    size = max(6, world.log_normal(3.4, 0.8))
    base, pictures = Site(f"www.{name}.org", name.title(), "http", ""), Site("", "", "http", "")
    own = paths(world, kind, min(size, 300))
    share = r.choice((0, 0.03, 0.1, 0.25))
    common = [path for path in own if r.random() < share]
    add_assets(world, pictures, size, None, 1.5)
    fill(world, base, own, twice=False)
    under_way = r.random() < 0.3
    for language in languages:
        www = "www." if r.random() < 0.3 else ""
        if naming == "fork":
            host = world.host(name=f"{name}-{language}", platform="github.io")
        else:
            host = world.host(
                f"{language}.{name}.org" if naming == "sub" else f"{www}{name}.{language}"
            )
        site = world.site(host, name.title())
        site.translation = True
        mine = [path for path in own if path not in common and r.random() < 0.93]
        _translate(world, site, base, mine, under_way)
        for path in common:
            site.add(path, *base.pages[path])
        site.pages.update(
            (path, picture) for path, picture in pictures.pages.items() if r.random() < 0.97
        )
        if world.all_types and r.random() < 0.5:
            add_assets(world, site, 4, None, 0.5)
        crawl_most(world, site, 0.6, 0.4)


def _translate(world: World, site: Site, base: Site, mine: list[str], under_way: bool) -> None:
    """Give a translation its own texts, which link as the original does; while it is under way, not
    at all paths.
    """
    r = world.random
    if under_way:
        done = r.uniform(0.5, 1)
        translated = [path for path in mine if r.random() < done] or mine
        site.pages.update((path, base.pages[path]) for path in mine if path not in translated)
        mine = translated
    factor = r.uniform(0.8, 1.4)
    fill(world, site, mine, twice=False)
    for path in mine:
        original = base.pages[path].content
        length = int(original.length * factor) + r.randint(0, 200)
        site.pages[path] = Page(
            site.pages[path].content._replace(length=length, links=original.links)
        )


def parked(world: World, count: int) -> None:
    """Domains for sale at one provider."""
    r, ip, sites = world.random, world.new_ip(), []
    lander = [
        (
            path,
            world.html(
                "This domain may be for sale", ["https://www.parkingcrew.example/", "~/privacy"]
            ),
        )
        for path in ("/", "/privacy", "/lander", "/contact-owner")[: r.randint(1, 4)]
    ]
    named = r.random() < 0.5
    for _ in range(count):
        site = world.site(world.host(), "", ip if r.random() < 0.7 else world.near(ip))
        for path, content in lander:
            site.add(
                path,
                world.variant(content, 20, title=site.host) if named and path == "/" else content,
            )
        crawl(world, site)
        sites.append(site)
    world.mark_unclear(sites)


def default(world: World, count: int) -> None:
    """A server's default page, its manual, and one page for whatever is not found."""
    r, bare = world.random, []
    home = world.content(HTML, r.choice(DEFAULT_TITLES), 10918, ["http://httpd.apache.org/docs/"])
    not_found = world.html("Page not found", ["~/"])
    manual = {
        f"/manual/{name}.html": Page(
            world.html(f"{name.title()} - Server manual", ["~/manual/index.html"])
        )
        for name in ("index", "install", "mod", "vhosts", "faq", "ssl")
    }
    for _ in range(count):
        kind = r.random()
        is_bare = kind < 0.25
        site = world.site(world.host(), world.word().title())
        site.add("/", home)
        if is_bare:
            bare.append(site)
        else:
            own = paths(world, r.choice(("mix", "static", "query")), r.randint(3, 40))
            fill(world, site, [path for path in own if path != "/"])
            add_assets(world, site, 5)
        if kind > 0.8 or (is_bare and r.random() < 0.3):
            site.pages.update(manual)
        if r.random() < 0.5 and not is_bare:
            for path in paths(world, r.choice(("static", "drupal", "query")), r.randint(2, 12)):
                site.add(path, not_found)
        crawl(world, site)
    world.mark_unclear(bare)


def docs(world: World, count: int) -> None:
    """Documentation of several versions."""
    r, name, sites = world.random, world.name(), []
    own = paths(world, r.choice(("static", "dirs")), r.randint(15, 150))
    current = Site(f"docs.{name}.org", name.title(), "https", "")
    fill(world, current, own, twice=False)
    add_assets(world, current, len(own), None, 0.4)
    changed = r.uniform(0.1, 0.6)
    for version in range(count):
        hosts = (
            f"v{version + 1}.{name}.org",
            f"docs{version}.{name}.io",
            f"{name}-{version + 1}.readthedocs.io",
        )
        site = world.site(world.host(r.choice(hosts)), name.title())
        if version:
            for path, (content, base) in current.pages.items():
                if r.random() < changed:
                    current.pages[path] = Page(world.variant(content, 900), base)
        folder = f"/{version + 1}.0" if r.random() < 0.3 else ""
        site.pages = {
            folder + path: Page(page.content, folder)
            for path, page in current.pages.items()
            if r.random() < 0.95
        }
        crawl_most(world, site, 0.7, 0.5)
        sites.append(site)
    world.mark_unclear(sites)


def suffix(world: World, count: int) -> None:
    """Names that differ in the suffix only, and nothing in common."""
    for _ in range(count):
        name = world.name()
        for ending in world.random.sample(["com", "de", "com.br", "org", "net", "it"], 2):
            pages = max(3, world.log_normal(2.5, 0.8))
            crawl(world, ordinary(world, "mix", pages, world.host(f"{name}.{ending}"), name))
