"""The scenarios: kinds of crawls by name.

Invariant: a scenario settles what it is about (whether there are addresses, titles, links,
files) before it makes a site; the world has drawn the rest. Host counts are halved where the
original ones gave more than 100,000 candidate pairs.
"""

from __future__ import annotations

from collections.abc import Callable

from training.generators.author_b import crowds
from training.generators.author_b.backgrounds import replicas, strangers
from training.generators.author_b.copies import Edits, copy, crop, make_dynamic, renamed
from training.generators.author_b.hosting import mirror_hosts, wildcard
from training.generators.author_b.sites import make
from training.generators.author_b.world import World
from training.generators.common import stripped

UNLIKE_NAMES = ("mirror", "moved", "rename", "old_and_new", "partial")
QUERIES = ("asp", "phpbb", "joomla", "shop")


def _every_type(world: World) -> None:
    world.all_types = world.files = True


def plain(world: World) -> None:
    strangers(world, 1500)
    replicas(world, 45)


def no_ip(world: World) -> None:
    world.ip = False
    plain(world)


def all_types(world: World) -> None:
    _every_type(world)
    strangers(world, 450)
    replicas(world, 40)


def rich(world: World) -> None:
    """Titles, lengths and links."""
    world.titles = world.lengths = world.links = True
    plain(world)


def few_obvious(world: World) -> None:
    """Few replicas, and hardly one that its name gives away."""
    strangers(world, 1500)
    replicas(world, 5, UNLIKE_NAMES)


def no_obvious(world: World) -> None:
    """No replicas at all."""
    strangers(world, 2000)


def dynamic(world: World) -> None:
    """Replicas whose pages differ at nearly every fetch, and strangers of the same engine that
    share some pages.
    """
    strangers(world, 1000)
    r = world.random
    for _ in range(world.count("groups", 60)):
        site, group = make(world, pages=world.size(3.8, 1.1, 15)), world.number()
        domain, kind, share = (
            stripped(world.put(site, group).host),
            r.choice(["www", "mirror", "suffix", "dev", "mirror"]),
            r.uniform(0.03, 0.1),
        )
        host = {
            "www": domain if site.host != domain else f"www.{domain}",
            "mirror": world.host(),
            "dev": f"dev.{domain}",
            "suffix": domain.split(".")[0] + r.choice([".info", ".eu", ".net"]),
        }[kind]
        twin = copy(
            world,
            site,
            host,
            Edits(changed=0.02),
            group,
            world.any_ip() if kind == "mirror" else None,
        )
        if twin is None:
            continue
        for one in (site, twin):
            make_dynamic(world, one, 1 - share * world.rate("still", 1))
        if world.happens("cropped", 0.4):
            crop(world, twin, r.uniform(0.3, 0.9))
    for _ in range(world.count("confusers", 40)):
        site = world.put(make(world, pages=world.size(3.8, 1, 15)))
        other = make(world, pages=world.size(3.8, 1, 15), cms=site.cms)
        other.pages |= r.sample(
            list(site.pages.items()),
            k=max(1, int(len(site.pages) * world.rate("shared by strangers", 0.05))),
        )
        world.put(other)


def translations(world: World) -> None:
    crowds.translated_shops(world, 700, 25, by_domain=1 - world.rate("by subdomain", 0.2, 2.5))


def subdomain_translations(world: World) -> None:
    """Translations as fr.shop.example only: none is obvious by its name."""
    crowds.translated_shops(world, 700, 25, by_domain=0)


def translations_all_types(world: World) -> None:
    _every_type(world)
    crowds.translated_shops(world, 350, 15, by_domain=1 - world.rate("by subdomain", 0.2, 2.5))


def blogs(world: World) -> None:
    crowds.blog_platforms(world, 150, 800)


def blogs_all_types(world: World) -> None:
    _every_type(world)
    crowds.blog_platforms(world, 150, 400)


def farms(world: World, rename: bool = False) -> None:
    """Groups of 6 to 51 copies under names that have nothing in common, half of the pages or more
    at other paths with ``rename``.
    """
    strangers(world, 1000)
    r = world.random
    for _ in range(world.count("farms", 12)):
        site, group = (
            make(
                world,
                pages=world.size(3.2, 0.8, 8, 300),
                noise=False,
                cms=r.choice(["wp", "static", "shop", "asp"]),
            ),
            world.number(),
        )
        world.put(site, group)
        ips = [world.new_ip() for _ in range(r.randrange(1, 6))]
        for _ in range(r.choice([5, 8, 12, 20, 35, 50])):
            path = renamed(world, world.power("renamed", r.uniform(0.6, 1))) if rename else None
            edits = Edits(
                changed=r.uniform(0, 0.3), path=path, cover=r.uniform(0.4, 1), title=world.slug(2)
            )
            copy(world, site, world.host(), edits, group, r.choice(ips))


def renamed_farms(world: World) -> None:
    farms(world, rename=True)


def docs(world: World) -> None:
    """Documentation in versions, each of which may have a mirror: whether versions are replicas is
    unclear.
    """
    strangers(world, 600)
    r = world.random
    for _ in range(world.count("projects", 25)):
        site = make(
            world,
            pages=world.size(4.2, 0.9, 25),
            cms=r.choice(["static", "jekyll", "custom"]),
            noise=False,
        )
        domain, versions = stripped(site.host), [world.put(site, world.number())]
        for k in range(1, r.randrange(2, 6)):
            edits = Edits(
                changed=r.uniform(0.3, 0.8), lost=r.uniform(0, 0.2), new=r.uniform(0.05, 0.3)
            )
            later = copy(world, versions[-1], f"v{k}.{domain}", edits, world.number())
            versions += [later] if later else []
        world.unclear[f"versions of {domain}"] += [version.host for version in versions]
        for version in versions:
            if world.happens("mirrored", 0.35, 1.7):
                host = r.choice(["mirror.", "docs.", "www2."]) + stripped(world.host())
                edits = Edits(
                    changed=r.uniform(0, 0.15), prefix=r.choice(["", "", f"/{world.slug(1)}"])
                )
                mirror = copy(
                    world, version, host, edits, world.groups[version.host], world.any_ip()
                )
                world.unclear[f"versions of {domain}"] += [mirror.host] if mirror else []


def query(world: World) -> None:
    """Pages told apart by their query: session numbers, other orders of parameters,
    other numbers.
    """
    strangers(world, 500)
    r = world.random
    for _ in range(world.count("query sites", 500)):
        world.put(make(world, cms=r.choice(QUERIES)))

    def session(path: str) -> str:
        return f"{path}&sid={r.getrandbits(128):032x}" if "?" in path else path

    def reordered(path: str) -> str:
        script, _, parameters = path.partition("?")
        shuffled = parameters.split("&")
        r.shuffle(shuffled)
        return f"{script}?{'&'.join([*shuffled, 'lang=en'])}" if parameters else path

    def shifted(path: str) -> str:
        head, _, number = path.rpartition("=")
        return f"{head}={int(number) + 1000}" if "?" in path and number.isdigit() else path

    changes = {
        "session": session,
        "sessions on both": session,
        "reordered": reordered,
        "shifted": shifted,
        "plain": None,
    }
    for _ in range(world.count("groups", 50)):
        site, group = (
            make(world, pages=world.size(3.6, 1, 8), cms=r.choice(QUERIES)),
            world.number(),
        )
        domain, kind = stripped(world.put(site, group).host), r.choice(list(changes))
        edits = Edits(changed=r.uniform(0.05, 0.5), path=changes[kind], cover=r.uniform(0.4, 1))
        copy(
            world,
            site,
            r.choice([world.host(), f"m.{domain}", f"www2.{domain}", f"loja.{domain}"]),
            edits,
            group,
        )
        if kind == "sessions on both":
            site.pages = {session(path): page for path, page in site.pages.items()}


def tiny(world: World) -> None:
    """A crawl of some dozens of hosts."""
    strangers(world, 25)
    replicas(world, 6, ["mirror", "moved", "prefix", "partial", "rename", "old_and_new", "staging"])


def archive(world: World) -> None:
    """Every status and file type is in the crawl, but detection is of pages."""
    world.files = world.status = True
    strangers(world, 900)
    replicas(world, 45)
    r = world.random
    for site in world.sites.values():
        errors = 0
        for path, page in site.pages.items():
            if world.happens("errors", 0.06):
                content = f"err{errors % 3}" if r.random() < 0.5 else page.content
                site.pages[path] = page._replace(
                    status=r.choice([404, 301, 302, 500]), content=content
                )
                errors += 1


def networks(world: World) -> None:
    crowds.agency_networks(world, 6, 1.5, section=(15, 80), agencies=(15, 60), mu=3, sd=1.2)


def one_network(world: World) -> None:
    crowds.agency_networks(world, 1, 1, section=(15, 80), agencies=(15, 60), mu=3, sd=1.2)


def light_networks(world: World) -> None:
    """Larger sites with a small section in common."""
    crowds.agency_networks(world, 6, 1.5, section=(3, 15), agencies=(10, 40), mu=3.8, sd=1.1)


def syndication(world: World) -> None:
    crowds.syndicated_networks(world)


def parked(world: World) -> None:
    crowds.parking_providers(world)


def walls(world: World) -> None:
    crowds.walled_hosts(world)


def theme_demo(world: World) -> None:
    _every_type(world)
    world.ip = False
    crowds.themed_sites(world)


def small(world: World) -> None:
    """Replicas among sites of 2 to 12 pages; strangers share one or two pages."""
    strangers(world, 1200, mu=1.6)
    r = world.random
    for _ in range(world.count("groups", 60)):
        site, group = make(world, pages=r.randrange(1, 9), noise=r.random() < 0.4), world.number()
        world.put(site, group)
        edits = Edits(
            changed=r.choice([0, 0, 0.1, 0.3]), prefix=r.choice(["", "", "", f"/{world.slug(1)}"])
        )
        copy(world, site, world.host(), edits, group, world.any_ip())


SCENARIOS: dict[str, Callable[[World], None]] = {
    scenario.__name__: scenario
    for scenario in (
        plain,
        no_ip,
        all_types,
        rich,
        few_obvious,
        no_obvious,
        dynamic,
        translations,
        subdomain_translations,
        translations_all_types,
        blogs,
        blogs_all_types,
        farms,
        renamed_farms,
        syndication,
        docs,
        parked,
        query,
        tiny,
        archive,
        networks,
        one_network,
        light_networks,
        wildcard,
        mirror_hosts,
        walls,
        small,
        theme_demo,
    )
}
"""Name: what puts the sites of such a crawl into a world."""
