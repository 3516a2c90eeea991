"""Strangers that look alike: by a theme, a platform, a provider, a feed, a counter, or what they
write about.

Invariant: a crowd is made of about so many sites; none is in a group, and of parked domains
and default pages nobody can say what they are.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from training.generators.author_d_heldout.pages import draw
from training.generators.author_d_heldout.sites import demonstrated, link, make, share
from training.generators.author_d_heldout.words import GENERIC, titled
from training.generators.author_d_heldout.world import (
    Demonstration,
    Page,
    Site,
    World,
)
from training.generators.common import HTML

DEFAULT_PAGES = (
    "apache2 ubuntu",
    "apache2 ubuntu",
    "iis7",
    "nginx",
    "it works",
    "cpanel suspended",
    "plesk",
    "directadmin",
    "coming soon",
)
COUNTERS = (
    "/article.php?id={}",
    "/news/{}.html",
    "/node/{}",
    "/index.php?id={}",
    "/?p={}",
    "/content/view/{}/2/",
    "/item.asp?id={}",
)
PLATFORM_PAGES = (
    ("/help", "Help"),
    ("/tos", "Terms"),
    ("/abuse", "Report abuse"),
    ("/signup", "Create your page"),
)
LEGAL = ("privacy-policy", "terms", "faq", "cookie-policy", "accessibility")


class Article(NamedTuple):
    """What an agency sends to its papers."""

    slug: str
    title: str
    key: str
    length: int
    number: int


def themed(world: World, n: int) -> None:
    """Sites of one theme, some of which still have its demonstration."""
    r, theme = world.random, world.theme()
    if not theme.demonstration:
        pages = [
            Demonstration(
                f"/2015/0{k}/01/{world.slug()}/",
                world.title(2, 4),
                f"dm{r.random()}",
                r.randint(3000, 9000),
                same=True,
            )
            for k in range(1, r.randint(3, 8))
        ]
        theme = theme._replace(demonstration=pages)
    for _ in range(n):
        size = r.choice((1, 1, 2, 3, 5, 8, 15, 40)) + r.randint(0, 3)
        site = make(world, r.choice(("wordpress", "html", "brochure")), size, theme=theme)
        if r.random() < 0.5:
            share(world, [site], [demonstrated(world, page) for page in theme.demonstration])


def forks(world: World, n: int) -> None:
    """Blogs forked from another's, whose posts were not all taken away."""
    r = world.random
    blog = make(world, "wordpress", r.randint(15, 60), theme=world.theme())
    for _ in range(n):
        fork = make(world, "wordpress", r.choice((2, 4, 8, 20, 40)), themed=False)
        fork.title = blog.title
        share(
            world, [fork], [page for page in blog.pages if page.path != "/"], keep=r.random() ** 2
        )


def parked(world: World, n: int) -> None:
    """Domains of one parking provider."""
    r, provider = world.random, world.word()
    ips = [world.new_ip() for _ in range(r.randint(1, 3))]
    same, more = r.random() < 0.6, r.randint(0, 4)
    pages = [world.page("/", None, length=r.randint(900, 20000))]
    pages += [
        world.page(
            f"/{r.choice(('search', 'privacy', 'results', 'contact', 'buy'))}{k}.php",
            "Related links",
        )
        for k in range(more)
    ]
    hosts = []
    for _ in range(n):
        host = world.host()
        site = Site(host, "", "{t}", "parked", [], ip=r.choice(ips))
        for page in pages[: 1 + r.randint(0, more)]:
            page = page.clone()
            page.links = (
                f"http://www.{provider}parking.com/",
                f"http://www.{provider}parking.com/buy",
            )
            page.title = page.title or ("This domain is for sale" if same else host)
            if not same:
                page.change(host, page.length + len(host))
            site.pages.append(page)
        world.sites.append(site)
        hosts.append(host)
    world.unclear.append(hosts)


def default_pages(world: World, n: int) -> None:
    """A web server's default page and hardly anything else."""
    r, hosts = world.random, defaultdict(list)
    for _ in range(n):
        name = r.choice(DEFAULT_PAGES)
        site = Site(
            world.host(), "", "{t}", "default", [_default_page(world, "/", name)], ip=world.new_ip()
        )
        if r.random() < 0.25:
            site.pages.append(_default_page(world, "/index.html", name))
        if r.random() < 0.15:
            site.pages.append(world.page(f"/{world.slug(1, 2)}/", world.title(1, 3)))
        world.sites.append(site)
        hosts[name].append(site.host)
    world.unclear += hosts.values()


def _default_page(world: World, path: str, name: str) -> Page:
    return world.page(path, name.title(), key=f"default/{name}", length=300 + 131 * len(name))


def syndicated(world: World, n: int) -> None:
    """Articles of one agency in many papers: the same titles and often addresses; the same bytes
    rarely, for each paper has its frame.
    """
    r, articles = world.random, []
    for k in range(r.randint(30, 200)):
        slug = world.slug(4, 8)
        articles.append(
            Article(slug, titled(slug), f"wire{r.random()}", r.randint(4000, 20000), 700000 + k * 3)
        )
    chains = [world.theme() for _ in range(max(1, n // 8))]
    all_numbered = r.random() < 0.5
    for _ in range(n):
        chain = r.choice(chains) if r.random() < 0.6 else None
        site = make(world, "news", world.size(2, 10), theme=chain)
        same, part, numbered = r.random() < 0.25, r.uniform(0.02, 0.3), r.random() < 0.5
        there = {page.path for page in site.pages}
        for slug, title, key, length, number in articles:
            if r.random() >= part:
                continue
            path = (
                f"/wire/{number}/{slug}"
                if all_numbered or numbered
                else f"/world/{r.randint(2015, 2021)}/{slug}.html"
            )
            if path not in there:
                site.pages.append(
                    world.page(
                        path,
                        title,
                        key=key if same else None,
                        length=length + (0 if same else r.randint(100, 5000)),
                    )
                )


def counters(world: World, n: int) -> None:
    """Pages at the same numbers."""
    r, form = world.random, world.random.choice(COUNTERS)
    for _ in range(n):
        site, count = make(world, "html", 3), r.randint(20, 150)
        site.pages += [
            world.page(
                form.format(k), world.title(2, 7) if r.random() < 0.95 else "Untitled Document"
            )
            for k in range(1, count)
        ]
        link(world, site.pages, site.footer)


def forums(world: World, n: int) -> None:
    """Of few systems, and so of few forms of addresses."""
    for _ in range(n):
        make(world, "forum", factor=1.5)


def manuals(world: World, n: int) -> None:
    """Hosts that carry one manual, in one version or several; some hold little else."""
    r = world.random
    manual, folder = (
        draw(world, "documentation", r.randint(25, 120))[1:],
        r.choice(("/manual", "/doc", "/javadoc", "/api", "/man")),
    )
    for page in manual:
        page.length = r.randint(2000, 30000)
    link(world, manual)
    versions = r.randint(1, 3)
    for _ in range(n):
        site = make(world, size=r.choice((3, 8, 20, 60, 120)) + r.randint(0, 9))
        version = r.randint(1, versions)
        pages = [page.clone() for page in manual]
        for page in pages:
            if version > 1 and page.number % 3 < version:
                page.change(f"v{version}", page.length + 31 * version)
        share(world, [site], pages, keep=r.choice((1, 0.9, 0.4)), folder=folder, skips=True)


def blogrolls(world: World, n: int) -> None:
    """Blogs that link to the same blogs on every page."""
    r = world.random
    blogs = [f"http://{world.label()}.blogspot.com/" for _ in range(r.randint(8, 25))]
    for _ in range(n):
        for page in make(
            world, "wordpress", host=world.label() + r.choice((".blogspot.com", ".wordpress.com"))
        ).pages:
            if page.mime == HTML:
                page.links += tuple(r.sample(blogs, 6))


def platforms(world: World, n: int) -> None:
    """Users' sites on one platform: one theme, some fixed pages, mostly one address."""
    r = world.random
    domain = r.choice(
        (
            "blogspot.com",
            "tumblr.com",
            "livejournal.com",
            "over-blog.com",
            f"{world.word()}pages.net",
        )
    )
    ip, theme = world.new_ip(), world.theme()
    pages = [world.page(path, title) for path, title in PLATFORM_PAGES]
    members = [
        make(
            world,
            r.choice(("wordpress", "html")),
            r.choice((1, 2, 4, 10, 25, 60)),
            f"{world.label()}.{domain}",
            theme,
            ip if r.random() < 0.8 else None,
        )
        for _ in range(n)
    ]
    share(world, members, pages, keep=0.3)


def built(world: World, n: int) -> None:
    """Small businesses' sites made with one builder: the same addresses and legal texts, few pages
    of their own.
    """
    r, theme = world.random, world.theme()
    ips = [world.new_ip() for _ in range(3)]
    ending = r.choice(("", ".html", "/"))
    legal = [
        world.page(f"/{name}{ending}", titled(name), length=r.randint(4000, 9000)) for name in LEGAL
    ]
    for _ in range(n):
        site = make(world, "brochure", 1, theme=theme, ip=r.choice(ips))
        there = {page.path for page in site.pages}
        for name in r.sample(GENERIC, r.randint(3, 10)):
            if f"/{name}{ending}" not in there:
                site.pages.append(
                    world.page(
                        f"/{name}{ending}",
                        name.title(),
                        length=theme.frame + int(r.lognormvariate(7, 0.6)),
                    )
                )
        link(world, site.pages, theme.footer)
        share(world, [site], legal, keep=r.choice((0, 0.4, 0.8)), own=r.choice((0, 0.5)))


def wiki_copies(world: World, n: int) -> None:
    """Wikis that took articles from a large one."""
    r, large = world.random, make(world, "wiki", world.random.randint(150, 350))
    articles = [
        page
        for page in large.pages
        if ":" not in page.path
        and page.path != "/"
        and "Main_Page" not in page.path
        and page.mime == HTML
    ]
    for _ in range(n):
        site = make(world, "wiki", factor=1.2, least=15)
        count = min(len(articles), int(len(site.pages) * r.choice((0.03, 0.1, 0.2, 0.35))))
        there = {page.path for page in site.pages}
        for page in r.sample(articles, count):
            if page.path in there:
                continue
            page = page.clone()
            if r.random() < 0.8:
                page.change(f"|{site.host}", int(page.length * r.uniform(0.8, 1.2)))
            site.pages.append(page)


def lyrics(world: World, n: int) -> None:
    """The same songs, hardly one of the same bytes."""
    r = world.random
    for _ in range(n):
        site, folder = (
            make(world, "songs", r.randint(20, 220)),
            r.choice(("/lyrics/", "/lyrics/", "/songs/", "/l/", "/")),
        )
        for page in site.pages:
            if page.path.startswith("/lyrics/"):
                if r.random() < 0.01:
                    page.key = f"lyr{page.path}"
                page.path = folder + page.path.removeprefix("/lyrics/")
