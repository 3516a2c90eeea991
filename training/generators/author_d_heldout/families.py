"""Sites that belong together and are no replicas, or nobody can say: of one brand, state, owner,
portal, project, or in other languages.

Invariant: a crowd is made of about so many sites or families of sites, and what is no
replica is in no group.
"""

from __future__ import annotations

from training.generators.author_d_heldout.copies import Edits, copy, original
from training.generators.author_d_heldout.names import first_label, label, other_name
from training.generators.author_d_heldout.sites import make, share
from training.generators.author_d_heldout.words import (
    CITIES,
    ENDING_OF_LANGUAGE,
    GENERIC,
    LANGUAGES,
    WORDS,
    titled,
)
from training.generators.author_d_heldout.world import Page, Site, World, distinct
from training.generators.common import HTML, stripped

STATES = ("gov.br", "gov.uk", "gob.mx", "gov.pl", "edu", "ac.at")
LEGAL = ("imprint", "privacy", "legal", "our-company", "agb", "contact-form")


def franchises(world: World, n: int) -> None:
    """A brand in several cities: common pages, which may hold the city's name, and own ones."""
    r, brand, by_subdomain = world.random, world.label(), world.random.random() < 0.5
    size = r.randint(5, 25)
    folder = r.choice(("/services/", "/about/", "/products/", "/info/", "/"))
    slugs = dict.fromkeys(world.slug(1, 3) for _ in range(size))
    pages = [world.page(f"{folder}{slug}.html", titled(slug)) for slug in slugs]
    theme, ip = world.theme(), world.new_ip()
    personal = r.choice((0, 0.3, 0.8))
    fixed = [(f"/{name}.html", name.title()) for name in GENERIC[: r.randint(2, 8)]]
    branches = []
    for city in r.sample(CITIES, min(n, len(CITIES))):
        site = make(
            world,
            r.choice(("html", "brochure", "numbered")),
            r.randint(4, 40),
            f"{city}.{brand}.com" if by_subdomain else f"www.{brand}-{city}.com",
            theme,
            ip if r.random() < 0.7 else None,
        )
        there = {page.path for page in site.pages}
        site.pages += [world.page(path, title) for path, title in fixed if path not in there]
        site.name = f"{brand.title()} {city.title()}"
        share(world, [site], pages, keep=r.uniform(0.6, 1))
        branches.append(site)
    if personal:
        _name_branches(world, branches, {page.number for page in pages if r.random() < personal})


def _name_branches(world: World, branches: list[Site], personal: set[int]) -> None:
    """Let those pages differ in their bytes from branch to branch."""
    for site in branches:
        for page in site.pages:
            if page.number in personal:
                page.change(f"|{site.host}", page.length + world.random.randint(-30, 30))


def ministries(world: World, n: int) -> None:
    """Of one state: the same duties to inform, and pages of their own."""
    r, ending = world.random, world.random.choice(STATES)
    theme, parent = world.theme(), world.word()
    pages = [
        world.page(f"/access-to-information/{world.slug(1, 3)}", world.title(1, 4))
        for _ in range(r.randint(6, 30))
    ]
    pages += [world.page(f"/{name}", name.title()) for name in r.sample(GENERIC, 6)]
    members = [
        make(
            world,
            r.choice(("news", "numbered", "numbered", "brochure", "joomla")),
            world.size(1.5, 8),
            f"www.{world.word()}.{ending}"
            if r.random() < 0.7
            else f"{world.word()}.{parent}.{ending}",
            theme,
        )
        for _ in range(n)
    ]
    share(world, members, pages, keep=r.uniform(0.5, 0.95), own=r.uniform(0.2, 0.9))


def translations(world: World, n: int) -> None:
    """The same addresses and files, or other addresses as well, and other texts."""
    r = world.random
    for _ in range(n):
        site = original(world, least=8)
        domain, by_subdomain = stripped(site.host), r.random() < 0.6
        untranslated, other_paths = r.choice((0, 0, 0.05, 0.15, 0.25)), r.random() < 0.3
        for language in r.sample(LANGUAGES, r.choice((1, 1, 2, 4))):
            host = (
                f"{language}.{domain}"
                if by_subdomain
                else f"www.{label(domain)}.{ENDING_OF_LANGUAGE.get(language, language)}"
            )
            twin = copy(world, site, host, Edits(same_address=0.85))
            for page in twin.pages:
                if page.mime == HTML and r.random() >= untranslated:
                    _translate(world, page, language, other_paths)
            twin.pages = distinct(twin.pages)


def _translate(world: World, page: Page, language: str, other_paths: bool) -> None:
    page.change(f"/{language}", int(page.length * world.random.uniform(0.8, 1.3)))
    page.title = world.title(2, 5)
    if other_paths and page.path != "/":
        page.path = f"/{world.slug(1, 3)}"


def namesakes(world: World, n: int) -> None:
    """One name below two endings, with www and without, or subdomains of one owner: different
    sites.
    """
    r = world.random
    for _ in range(n):
        site = make(world)
        host = other_name(
            world, site.host, r.choice(("ending", "ending", "ending", "subdomain", "typing error"))
        )
        twin = make(
            world,
            kind=site.kind if r.random() < 0.5 else None,
            host=host,
            ip=world.ip_near(site.ip, 0.3),
        )
        if r.random() < 0.3:
            share(world, [twin], site.pages[1:3])


def owners(world: World, n: int) -> None:
    """Several sites of one owner: one address, links to each other, a few common pages."""
    r = world.random
    for _ in range(n):
        size, ip, theme = r.randint(2, 6), world.new_ip(), world.theme()
        family = [make(world, theme=theme, ip=ip) for _ in range(size)]
        share(
            world,
            family,
            [
                world.page(f"/{name}.html", name.title())
                for name in r.sample(LEGAL, r.randint(1, 4))
            ],
        )
        home_pages = tuple(f"http://{site.host}/" for site in family)
        for site in family:
            for page in site.pages:
                if page.mime == HTML:
                    page.links += home_pages


def city_editions(world: World, n: int) -> None:
    """Local editions of one portal: help pages alike, contents their own."""
    r, domain = world.random, f"{world.label()}.com"
    ip, theme = world.new_ip(), world.theme()
    help_pages = [
        world.page(f"/help/{world.word()}", world.title(1, 3)) for _ in range(r.randint(4, 15))
    ]
    fixed = [(f"/{word}/", word.title()) for word in r.sample(WORDS, r.randint(5, 30))]
    for city in r.sample(CITIES, min(n, len(CITIES))):
        site = make(world, "numbered", r.randint(5, 80), f"{city}.{domain}", theme, ip)
        site.pages += [world.page(path, title, dynamic=0.5) for path, title in fixed]
        site.name = city.title()
        share(world, [site], help_pages, keep=0.8)
        site.pages = distinct(site.pages)


def versions(world: World, n: int) -> None:
    """Documentation in versions: whether they are replicas is unclear."""
    r = world.random
    for _ in range(n):
        site = original(world, kind="documentation", least=20, factor=2)
        domain, hosts = stripped(site.host), [site.host]
        for k in range(1, 1 + r.choice((1, 2, 3))):
            host = r.choice((f"v{k}.{domain}", f"docs{k}.{domain}", f"{k}-x.docs.{domain}"))
            edits = Edits(
                stale=r.uniform(0.2, 0.9),
                lost=r.uniform(0.05, 0.3),
                new=r.uniform(0.05, 0.3),
                same_address=0.9,
            )
            hosts.append(copy(world, site, host, edits).host)
        world.unclear.append(hosts)


def excerpts(world: World, n: int) -> None:
    """A site that took over a part of another: no replica when little, unclear when much."""
    r = world.random
    for _ in range(n):
        site = original(world, least=15)
        taker = make(world, site.kind, factor=1.3, least=8)
        part = r.uniform(0.05, 0.8)
        share(world, [taker], site.pages[1:], keep=part)
        if part > 0.25:
            world.unclear.append([site.host, taker.host])


def archive_servers(world: World, n: int) -> None:
    """Servers that carry many projects: what they are to a project, and to each other, is a matter
    of taste.
    """
    r = world.random
    projects = [original(world, kind="documentation", least=10) for _ in range(r.randint(3, 8))]
    servers = []
    for _ in range(n):
        name = world.word()
        server = make(
            world,
            "html",
            r.randint(1, 5),
            r.choice(
                (
                    f"ftp.{name}.edu",
                    f"mirror.{name}.net",
                    f"mirrors.{name}.org",
                    f"ftp.{name}.ac.jp",
                )
            ),
        )
        for project in r.sample(projects, r.randint(2, len(projects))):
            folder = f"/pub/{first_label(project.host)}"
            share(world, [server], project.pages, keep=r.uniform(0.6, 1), folder=folder)
            world.unclear.append([project.host, server.host])
        servers.append(server.host)
    world.unclear.append(servers)
