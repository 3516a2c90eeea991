"""Sites that have to do with each other and are no replicas: blogs of a theme, franchises, shops,
newspapers, forums, packages, rings.

Invariant: a page that they have in common is byte-identical on each; any of them may get
replicas afterwards.
"""

from __future__ import annotations

import math

from training.generators.author_c.assets import add_assets
from training.generators.author_c.paths import dated, paths
from training.generators.author_c.sites import add_most, crawl, crawl_most, fill
from training.generators.author_c.world import PLATFORMS, Content, World

THEME_PAGES = (
    ("/404.html", "Page not found"),
    ("/about/", "About"),
    ("/tags/", "Tags"),
    ("/contact/", "Contact"),
    ("/search.html", "Search"),
)
THEME_FOLDERS = ("css", "js", "assets", "img", "assets/fonts", "less", "_sass")
GENERATORS = (
    "https://jekyllrb.com/",
    "https://gohugo.io/",
    "https://hexo.io/",
    "https://wordpress.org/",
)
SHOP_PAGES = (
    ("/cart", "Your cart is empty", ["~/"]),
    ("/login", "Log in", ["~/", "~/register"]),
    ("/register", "Create account", ["~/"]),
)
FORUM_PAGES = (
    ("/faq.php", "Frequently Asked Questions"),
    ("/ucp.php?mode=terms", "Terms of use"),
    ("/ucp.php?mode=privacy", "Privacy policy"),
    ("/search.php", "Search"),
    ("/ucp.php?mode=login", "Login"),
    ("/faq.php?mode=bbcode", "BBCode guide"),
    ("/install.txt", None),
    ("/user/login", "Log in"),
    ("/user/password", "Request new password"),
)
PACKAGE_FOLDERS = ("js", "style", "style/fonts", "meta", "i", "examples")
PACKAGE_FILES = ("js", "css", "png", "woff", "eot", "svg", "txt")


def blogs(world: World, count: int) -> None:
    """One theme, its demonstration posts and pages, barely begun blogs."""
    r = world.random
    platform = r.choice([*PLATFORMS, None, None])
    credit = [f"https://github.com/{world.word()}/{world.slug(1, 2)}-theme", r.choice(GENERATORS)]
    name = world.name()
    posts = _demonstration(world, name, credit[0])
    pages = [
        (path, world.html(title, ["~/", *credit]))
        for path, title in THEME_PAGES
        if r.random() < 0.7
    ]
    endings = ("css", "js", "png", "svg", "woff", "jpg", "less")
    theme = world.library(
        f"theme {name}",
        [world.file(r.choice(THEME_FOLDERS), endings) for _ in range(r.randint(15, 80))],
    )
    mean, template = r.choice((0.8, 2, 4, 10)), world.log_normal(8.5, 0.6)
    for _ in range(count):
        site = world.named(world.name(), platform if r.random() < 0.8 else None)
        written = [dated(world, 2014, 2023, 1, 4) for _ in range(world.few(mean))]
        lists = [path for path in ("/archive/", "/feed.xml") if r.random() < 0.5] + (
            ["/page2/"] if r.random() < 0.3 else []
        )
        fill(
            world,
            site,
            ["/", *lists, *dict.fromkeys(written)],
            credit,
            {"/archive/": "Archive", "/page2/": "Page 2"},
            template,
            twice=False,
        )
        add_most(world, site, posts, 0.95 if len(written) < 3 else 0.6)
        for path, content in pages:
            if r.random() < 0.75:
                site.add(path, content)
            elif r.random() < 0.5:
                fill(world, site, [path], credit, {path: content.title}, template, twice=False)
        add_assets(world, site, len(written), theme, 0.6)
        crawl_most(world, site, 0.6, 0.5)


def _demonstration(world: World, theme: str, credit: str) -> list[tuple[str, Content]]:
    """The posts that a theme comes with."""
    r, posts = world.random, []
    for _ in range(r.randint(2, 14)):
        path = dated(world, 2013, 2020, 2, 4) + r.choice(("", ".html", "/"))
        title = world.heading(2, 5) + r.choice(("", f" | {theme}"))
        posts.append((path, world.html(title, [credit, f"http://{theme}.com/demo", "~/about/"])))
    return posts


def section(world: World, count: int) -> None:
    """Franchise, ministry, university: a common section and own pages."""
    r, size = world.random, int(math.exp(world.random.uniform(math.log(5), math.log(80))))
    folder = r.choice(
        ("/common", "/corporate", "/institucional", "/rules", "/services/central", "")
    )
    parent = f"{world.name()}.{r.choice(('edu', 'gov.br', 'com', 'ac.uk', 'org'))}"
    below, links = (
        r.random() < 0.6,
        [f"http://www.{parent}/", f"http://www.{parent}/legal", f"~{folder}/index.html"],
    )
    common = [
        (folder + path, world.html(world.heading(2, 5), links))
        for path in paths(world, r.choice(("static", "dirs", "drupal")), size)
    ]
    theme = world.library(
        f"network {parent}",
        [world.file("common", ("css", "js", "png", "gif")) for _ in range(r.randint(5, 30))],
    )
    kind, share, mu = (
        r.choice(("drupal", "static", "wp", "query", "dirs")),
        r.choice((1.0, 1.0, 0.7, 0.4)),
        r.uniform(2.3, 3.8),
    )
    together, ip = r.random() < 0.6, world.new_ip()
    titles: dict[str, str] = {}
    for _ in range(count):
        name = world.word()
        host = world.host(f"{name}.{parent}" if below else None)
        site = world.site(
            host,
            name.title(),
            r.choice((ip, world.near(ip))) if together and r.random() < 0.8 else None,
        )
        pages = max(6, size // 4, world.log_normal(mu, 0.8))
        own = paths(world, kind, min(pages, 250))
        for path in own[:6]:
            titles.setdefault(path, world.heading(1, 3))
        fill(world, site, own, [f"http://www.{parent}/"], titles)
        base = "" if r.random() < 0.8 else f"/{world.word()}"
        for path, content in common:
            if r.random() < share and path not in site.pages:
                site.add(base + path, content, base)
        add_assets(world, site, pages, theme, 0.7)
        crawl_most(world, site, 0.6, 0.4)


def shops(world: World, count: int) -> None:
    """Shops of one platform: its help pages, and one page for whatever is not found."""
    r = world.random
    platform = r.choice((None, f"{world.name()}shop.com"))
    links = ["~/", "~/cart", "https://www.paypal.com/"]
    pages = [
        (f"/help/{world.slug(1, 2)}", world.html(world.heading(1, 3), links))
        for _ in range(r.randint(4, 22))
    ]
    pages += [(path, world.html(title, links)) for path, title, links in SHOP_PAGES]
    not_found = world.html("Not found", ["~/"])
    skin = [world.file("skin", ("css", "js", "png")) for _ in range(r.randint(8, 40))]
    theme = world.library(f"shop {pages[0][0]} {count}", skin)
    for _ in range(count):
        name = world.name()
        host = world.host(name=name, platform=platform)
        site = world.site(host, name.title(), r.choice(world.ips) if r.random() < 0.5 else None)
        own = max(5, world.log_normal(2.8, 0.9))
        fill(
            world,
            site,
            paths(world, "shop", own),
            ["https://www.paypal.com/"],
            {"/about": "About us", "/contact": "Contact us"},
        )
        add_most(world, site, pages, 0.85)
        for _ in range(world.few(3)):
            site.add(f"/product/{world.slug(2, 3)}-{r.randint(1, 900)}", not_found)
        add_assets(world, site, own, theme, 1.2)
        crawl_most(world, site, 0.5, 0.4)


def news(world: World, count: int) -> None:
    """Syndicated articles: the same content, mostly at other paths."""
    r = world.random
    articles = [
        world.html(world.heading(4, 8), [f"http://www.{world.name()}.com/"])
        for _ in range(r.randint(20, 200))
    ]
    same_path = r.random() < 0.3
    places = [f"/agency/{r.randint(10000, 99999)}.html" for _ in articles]
    for _ in range(count):
        site = world.named(world.name())
        pages = max(8, world.log_normal(3.6, 0.7))
        fill(world, site, paths(world, "news", min(pages, 250)))
        category = world.word()
        for number in r.sample(
            range(len(articles)), min(len(articles), int(pages * r.uniform(0.1, 0.9)))
        ):
            path = (
                places[number]
                if same_path
                else f"/{category}/{r.randint(2015, 2022)}/{world.slug(3, 5)}"
            )
            site.add(path, articles[number])
        add_assets(world, site, pages)
        crawl_most(world, site, 0.5, 0.4)


def forum(world: World, count: int) -> None:
    """One software: the same paths, its help pages byte-identical, all else of their own."""
    r = world.random
    kind, links = r.choice(("forum", "drupal", "query")), ["~/index.php", "https://www.phpbb.com/"]
    pages = [(path, world.html(title, links)) for path, title in FORUM_PAGES]
    number = r.random()
    theme = world.library(
        f"forum {number}",
        [world.file("styles/prosilver", ("css", "js", "gif")) for _ in range(r.randint(10, 60))],
    )
    titles: dict[str, str] = {}
    for _ in range(count):
        site = world.named(world.name())
        own = paths(world, kind, min(max(8, world.log_normal(3.4, 0.9)), 400))
        for path in own:
            if "profile" in path:
                titles[path] = "Viewing profile"
            elif "viewforum" in path or path.startswith("/taxonomy"):
                titles[path] = "General discussion"
        fill(world, site, own, ["https://www.phpbb.com/"], titles)
        add_most(world, site, pages, 0.8)
        add_assets(world, site, 6, theme, 0.5)
        crawl(world, site, r.uniform(0.3, 1))


def package(world: World, count: int) -> None:
    """The same free package, documentation, tutorial or game below a folder."""
    r = world.random
    size, links = r.randint(8, 120), ["~/index.html", "~/package-list", "http://java.sun.com/"]
    pages = [
        (path, world.html(world.words(1, 3).title(), links))
        for path in paths(world, r.choice(("static", "dirs", "wiki")), size)
    ]
    if world.all_types:
        number = r.random()
        files = [
            world.file(r.choice(PACKAGE_FOLDERS), PACKAGE_FILES) for _ in range(r.randint(8, 60))
        ]
        pages += [
            (f"/{path}", content) for path, content in world.library(f"package {number}", files)
        ]
    usual = f"/{world.slug(1, 2)}"
    for _ in range(count):
        name = world.name()
        site = world.named(name, r.choice(PLATFORMS) if r.random() < 0.4 else None)
        own = max(4, int(size * r.uniform(0.4, 3)))
        fill(world, site, paths(world, r.choice(("mix", "static", "wp")), min(own, 250)))
        folder = usual
        if r.random() >= 0.6:
            folder = r.choice(
                (
                    "/docs/api",
                    "/java/doc",
                    f"/pub/{world.word()}",
                    f"/{world.word()}",
                    f"/~{world.word()}/doc",
                )
            )
        share = 1 if r.random() < 0.6 else r.uniform(0.3, 1)
        add_most(world, site, pages, share, folder)
        add_assets(world, site, own)
        crawl_most(world, site, 0.6, 0.5)


def ring(world: World, count: int) -> None:
    """Blogrolls: all link to each other."""
    r, hosts = world.random, [world.host() for _ in range(count)]
    roll = [f"http://{host}/" for host in hosts]
    members = world.html("Members of the ring", roll)
    common = r.random() < 0.5
    for host in hosts:
        site, own = world.site(host, host.split(".")[-2].title()), r.randint(4, 40)
        fill(world, site, paths(world, r.choice(("wp", "wp", "static")), own), roll)
        if common:
            site.add("/ring.html", members)
        add_assets(world, site, own)
        crawl(world, site)
