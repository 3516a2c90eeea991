"""Scenarios of many hosts that have pages in common and mostly are no replicas: blogs, networks,
walls, parked domains, themes, translations.

Invariant: hosts that share what a platform, provider, agency or theme gives them are
strangers to each other; replicas are planted beside.
"""

from __future__ import annotations

import math

from training.generators.author_b.additions import add_files, add_stock
from training.generators.author_b.backgrounds import add_section, replicas, strangers
from training.generators.author_b.copies import Edits, copy
from training.generators.author_b.sites import make
from training.generators.author_b.world import TEXT, Page, Site, World
from training.generators.common import HTML, stripped

PLATFORM_PAGES = (
    ("/robots.txt", TEXT),
    ("/terms", HTML),
    ("/help", HTML),
    ("/wp-login.php", HTML),
    ("/signup", HTML),
)
AGENCIES = ["acessoainformacao", "transparencia", "institucional", "ouvidoria"]
LANGUAGES = ["fr", "it", "es", "pl", "de", "nl", "se", "com.br", "ru"]


def translated_shops(world: World, hosts: int, shops: int, by_domain: float) -> None:
    """Country sites of shops: equal paths and files, other texts. A share of them has a top-level
    domain, the rest a subdomain of the language.
    """
    strangers(world, hosts)
    r = world.random
    for _ in range(world.count("shops", shops)):
        site = world.put(
            make(world, pages=world.size(4, 1, 20), cms=r.choice(["shop", "custom", "wp"]))
        )
        domain = stripped(site.host)
        for language in r.sample(LANGUAGES, k=r.randrange(2, 6)):
            host = (
                f"www.{domain.split('.')[0]}.{language}"
                if r.random() < by_domain
                else f"{language.split('.')[-1]}.{domain}"
            )
            if host not in world.sites:
                world.put(_translation(world, site, host))
    replicas(world, 40, ["mirror", "moved", "numbered", "staging", "partial", "suffix", "www"])


def _translation(world: World, site: Site, host: str) -> Site:
    r = world.random
    twin = Site(
        host,
        site.ip if world.happens("translation beside", 0.6, 1.6) else world.any_ip(),
        site.name,
        site.cms,
        site.number,
    )
    twin.scheme = "https"
    for path, page in site.pages.items():
        if world.happens("not translated", 0.1):
            continue
        if page.mime == HTML and not world.happens("left in English", 0.04, 3):
            page = page._replace(
                content=f"{page.content}|{host}",
                title=page.title and f"{site.name} {world.slug(3)}",
                length=int((page.length or 500) * math.exp(r.gauss(0.08, 0.12))),
            )
        twin.add(path, page)
    return twin


def blog_platforms(world: World, hosts: int, blogs: int) -> None:
    """Some platforms, with so many blogs in all; few authors have a second blog."""
    strangers(world, hosts)
    platforms = world.count("platforms", 2, 1.7)
    for k in range(platforms):
        _platform(world, f"not found {k}", world.count("blogs", blogs) // platforms)


def _platform(world: World, not_found: str, blogs: int) -> None:
    r, domain, number, posts = world.random, stripped(world.host()), world.number(), []
    ips = [world.any_ip(), world.new_ip(), world.new_ip()]
    for _ in range(blogs):
        words = world.slug(r.choice([1, 2])).replace("-", "")
        name = f"{words}{r.randrange(999) if r.random() < 0.3 else ''}"
        if f"{name}.{domain}" in world.sites:
            continue
        blog = Site(f"{name}.{domain}", r.choice(ips), world.slug(2), "wp", world.number())
        gone = world.happens("blog not found", 0.12)
        if gone:
            blog.add("/", Page(f"pl{number}notfound", "Blog not found", 900, volatility=0, depth=0))
        else:
            _add_posts(world, blog, f"pl{number}", posts)
        if world.files:
            add_files(world, blog, theme=number % 7 * 10 + r.randrange(6))
            if gone:  # the platform's files are all that there is
                world.unclear[not_found].append(blog.host)
        if not gone and len(blog.pages) > 5 and world.happens("second blog", 0.05, 1.6):
            group = world.number()
            world.put(blog, group)
            host = (
                world.host()
                if r.random() < 0.5
                else f"{name}{r.choice(['2', '-blog', 'backup'])}.{domain}"
            )
            copy(
                world, blog, host, Edits(changed=r.uniform(0.05, 0.5), lost=r.random() * 0.3), group
            )
        else:
            world.put(blog)


def _add_posts(world: World, blog: Site, platform: str, posts: list[tuple[str, Page]]) -> None:
    """The platform's pages, posts of the blog's own, and rarely a post of another, taken over byte
    by byte (from ``posts``, which may get one).
    """
    r, pool = world.random, world.pool("wp", world.theme())
    blog.add(
        "/",
        Page(f"{blog.number}/", blog.name, 9000, links=world.linked(pool), volatility=0.6, depth=0),
    )
    for path, mime in PLATFORM_PAGES:
        if world.happens("platform page", 0.6, 1.5):
            blog.add(path, Page(f"{platform}{path}", path, 3000, mime, depth=1))
    if world.happens("hello world", 0.5, 1.7):
        blog.add(
            f"/2014/0{r.randrange(1, 10)}/hello-world/",
            Page(f"{platform}hello{r.randrange(6)}", "Hello world!", 4000),
        )
    if world.happens("default about", 0.5, 1.7):
        blog.add("/about/", Page(f"{platform}about{r.randrange(6)}", "About", 4000))
    for _ in range(world.size(2, 1.3, 1, 500)):
        slug = world.slug()
        blog.add(
            f"/{r.randrange(2008, 2016)}/{r.randrange(1, 13):02d}/{slug}/",
            Page(f"{blog.number}{slug}", f"{slug} | {blog.name}", 9000, links=world.linked(pool)),
        )
    if posts and world.happens("reblogs", 0.4, 1.7):
        for _ in range(r.choice([1, 1, 3])):
            blog.add(*r.choice(posts))
    if r.random() < 0.3:
        posts.append(r.choice(list(blog.pages.items())))


def agency_networks(
    world: World,
    networks: int,
    spread: float,
    section: tuple[int, int],
    agencies: tuple[int, int],
    mu: float,
    sd: float,
) -> None:
    """Agencies with a common section at equal paths and a rest of their own; replicas beside."""
    strangers(world, 600)
    r = world.random
    for k in range(world.count("networks", networks, spread)):
        number, ip, share = (
            world.number(),
            world.new_ip(),
            1 - world.rate(f"section missing {k}", 0.1, 2.5),
        )
        pages = round(r.randrange(*section) * world.rate("section", 1, 1.3))
        common = [(f"/{r.choice(AGENCIES)}/{world.slug(2)}", world.slug(3)) for _ in range(pages)]
        ending = r.choice(["gov.br", "ac.uk", "edu.br"])
        for _ in range(r.randrange(*agencies)):
            host = world.host(world.slug(1) + world.slug(1), ending)
            site = make(
                world,
                host,
                world.size(mu, sd),
                ip=ip if world.happens("agency beside", 0.5, 1.8) else None,
                noise=False,
            )
            add_section(world, site, common, f"gov{number}", share)
            world.put(site)
    replicas(world, 35)


def syndicated_networks(world: World) -> None:
    """Newspapers that take articles from one pool, at equal paths or each at its own."""
    strangers(world, 700)
    r = world.random
    for _ in range(world.count("networks", 8)):
        articles = [(world.number(), world.slug(4)) for _ in range(r.randrange(60, 600))]
        same_paths = world.happens("same paths", 0.4)
        for _ in range(r.randrange(5, 30)):
            paper = make(world, pages=world.size(4, 0.8, 20), cms="wp")
            share = world.power("syndicated", r.uniform(0.1, 0.4))
            for number, slug in r.sample(
                articles, k=int(min(len(articles) * 0.9, len(paper.pages) * share / (1 - share)))
            ):
                path = (
                    f"/2016/{number % 12 + 1:02d}/{slug}/"
                    if same_paths
                    else (
                        f"/{r.choice(['news', 'local', 'world', 'ap'])}/{slug}-{r.randrange(10**5)}"
                    )
                )
                paper.add(path, Page(f"syn{number}", slug, 6000, volatility=0.02))
            world.put(paper)
    replicas(world, 30)


def parking_providers(world: World) -> None:
    """Domains for sale, equal but for some: whether two of a provider's are replicas is unclear."""
    strangers(world, 700)
    r = world.random
    for provider in range(world.count("providers", 8)):
        ip, number = world.new_ip(), world.number()
        for _ in range(
            round(r.choice([10, 40, 100, 250]) * world.rate(f"parked {provider}", 1, 1.3))
        ):
            site = Site(
                world.host(), ip if world.happens("parked beside", 0.7, 1.4) else world.new_ip()
            )
            named = world.happens("parked page with its name", 0.2)
            site.add(
                "/",
                Page(f"park{number}{site.host if named else ''}", "Domain for sale", 3000, depth=0),
            )
            for path in ("/privacy", "/contact", "/search?q=loans") if provider % 2 else ():
                if r.random() < 0.5:
                    site.add(path, Page(f"park{number}{path}", "Domain for sale", 2000))
            world.unclear[f"provider {provider}"].append(world.put(site).host)
    replicas(world, 35)


def walled_hosts(world: World) -> None:
    """Hosts that answer at every URL with one of some wall pages: a login, a challenge, an empty
    application.
    """
    strangers(world, 700)
    r = world.random
    for k in range(world.count("walls", 25)):
        for _ in range(int(3 * r.paretovariate(0.8)) % 120 + 2):
            site = Site(world.host(), world.any_ip())
            for path in make(world, pages=world.size(2.3, 1.2), noise=False).pages:
                behind, other = (
                    world.happens("behind the wall", 0.05),
                    world.happens("another wall", 0.1),
                )
                content = (
                    f"{site.host}{path}"
                    if behind
                    else f"wall{k}b{r.randrange(3)}"
                    if other
                    else f"wall{k}"
                )
                site.add(path, Page(content, "Sign in", 2500))
            world.put(site)
    replicas(world, 35)


def themed_sites(world: World) -> None:
    """Sites made from the demonstration of a theme: its files, some of its pages left as they were,
    pages of their own.
    """
    r = world.random
    for theme in range(world.count("themes", 12)):
        demo = make(world, cms="jekyll", pages=r.randrange(5, 25), noise=False, files=False)
        add_files(world, demo, theme=100 + theme)
        world.put(demo)
        for _ in range(r.randrange(5, 20)):
            host = f"{world.word()}{world.word()}{r.randrange(999)}.github.example"
            site = make(world, host, world.size(2, 1.2), "jekyll", noise=False, files=False)
            if host in world.sites:
                continue
            for path, page in demo.pages.items():
                if (
                    world.happens("demo page left", 0.12)
                    if page.mime == HTML
                    else not world.happens("demo file dropped", 0.15)
                ):
                    site.pages[path] = page
            for k in range(r.randrange(20)):
                site.add(
                    f"/img/{world.slug(1)}{k}.jpg", Page(f"{host}{k}", None, 9999, "image/jpeg")
                )
            add_stock(world, site)
            world.put(site)
    replicas(world, 30, ["mirror", "moved", "prefix", "partial", "old_and_new", "rename"])
    strangers(world, 100)
