"""What nearly every scenario has: strangers, which share some pages at most, and replicas of many
kinds.
"""

from __future__ import annotations

from collections.abc import Sequence

from training.generators.author_b.additions import add_manual
from training.generators.author_b.copies import Edits, copy, crop, renamed, with_ending
from training.generators.author_b.sites import make
from training.generators.author_b.world import DEFAULT_PAGES, TEXT, Page, Site, World
from training.generators.common import stripped

PARTS = ["www", "blog", "shop", "support", "docs", "forum", "jobs", "portal", "webmail", "intranet"]
LEGAL = ["/privacy", "/terms", "/imprint", "/cookies", "/accessibility", "/404"]


def strangers(world: World, usual: int, mu: float = 2.8) -> None:
    """About so many times a host that is nobody's replica, or a few that belong together."""
    kinds = {_default_host: 6, _organisation: 4, _manual_host: 1, _franchise: 1, _ordinary: 88}
    weights = world.weights("strangers", list(kinds.values()))
    for _ in range(world.count("strangers", usual)):
        world.random.choices(list(kinds), weights)[0](world, mu)


def _ordinary(world: World, mu: float) -> None:
    world.put(make(world, mu=mu))


def _default_host(world: World, mu: float) -> None:
    """A web server's default page, or another placeholder."""
    r = world.random
    content, title, length = DEFAULT_PAGES[int(r.random() ** 1.5 * len(DEFAULT_PAGES))]
    site = Site(world.host(), world.any_ip())
    site.add("/", Page(content, title, length, depth=0))
    if r.random() < 0.3:
        site.add("/index.html", Page(content, title, length))
    if r.random() < 0.2:
        site.add("/robots.txt", Page(r.choice(world.robots), None, 100, TEXT))
    world.put(site)


def _organisation(world: World, mu: float) -> None:
    """Hosts of one organisation: the same legal pages and robots.txt, at one address or several."""
    r, domain, ip, number = world.random, stripped(world.host()), world.any_ip(), world.number()
    for part in r.sample(PARTS, k=r.randrange(2, 6)):
        host = f"{part}.{domain}"
        if host in world.sites:
            continue
        site = make(world, host, ip=ip if r.random() < 0.7 else None, mu=mu)
        for path in r.sample(LEGAL, k=r.randrange(5)):
            site.add(path, Page(f"org{number}{path}", path.strip("/"), 5000, volatility=0.02))
        if r.random() < 0.5:
            site.add("/robots.txt", Page(f"org{number}rob", None, 99, TEXT))
        world.put(site)


def _manual_host(world: World, mu: float) -> None:
    """The web server's manual and nearly nothing else: whether two of them are replicas
    is unclear.
    """
    site = make(world, pages=world.random.randrange(1, 8))
    add_manual(site, world.manual[: world.random.randrange(20, 180)])
    world.unclear["manual"].append(world.put(site).host)


def _franchise(world: World, mu: float) -> None:
    """Hosts with a section in common and the rest of their own."""
    r, number = world.random, world.number()
    section = [(f"/info/{world.slug(2)}", world.slug(3)) for _ in range(r.randrange(5, 40))]
    for _ in range(r.randrange(3, 12)):
        site = make(world, pages=world.size(2.5, 1))
        add_section(world, site, section, f"fr{number}", 0.85)
        world.put(site)


def add_section(
    world: World, site: Site, section: Sequence[tuple[str, str]], name: str, share: float
) -> None:
    """Most pages of a section that several hosts have."""
    for path, title in section:
        if world.random.random() < share:
            site.add(path, Page(f"{name}{path}", title, 7000, volatility=0.02))


def replicas(world: World, usual: int, kinds: Sequence[str] | None = None) -> None:
    """About so many groups of replicas, each of a kind."""
    kinds = list(kinds or KINDS)
    weights = world.weights("replicas", [2 if kind == "www" else 1 for kind in kinds])
    for _ in range(world.count("groups", usual)):
        site, group = make(world, pages=world.size(3.2, 1.3, 4)), world.number()
        world.put(site, group)
        KINDS[world.random.choices(kinds, weights)[0]](world, site, group)


def _www(world: World, site: Site, group: int) -> None:
    """With www. and without, each crawled in part."""
    r, domain = world.random, stripped(site.host)
    edits = Edits(
        changed=r.random() * 0.2,
        cover=r.uniform(0.3, 1),
        order=r.choice(["random", "breadth-first"]),
    )
    copy(world, site, domain if site.host != domain else f"www.{domain}", edits, group)
    crop(world, site, r.uniform(0.4, 1))


def _suffix(world: World, site: Site, group: int) -> None:
    """The same name below other top-level domains."""
    r, domain = world.random, stripped(site.host)
    endings = [
        ending
        for ending in ("com", "net", "org", "info", "de", "co.uk", "com.br", "eu")
        if not domain.endswith(f".{ending}")
    ]
    for ending in r.sample(endings, k=r.randrange(1, 4)):
        host = f"{'www.' if r.random() < 0.5 else ''}{domain.split('.')[0]}.{ending}"
        copy(world, site, host, Edits(changed=r.random() * 0.25, cover=r.uniform(0.4, 1)), group)


def _staging(world: World, site: Site, group: int) -> None:
    r = world.random
    host = f"{r.choice(['dev', 'staging', 'test', 'beta', 'new', 'old'])}.{stripped(site.host)}"
    edits = Edits(changed=r.uniform(0.05, 0.5), lost=r.random() * 0.2, new=r.random() * 0.2)
    copy(world, site, host, edits, group, site.ip if r.random() < 0.6 else world.any_ip())


def _mirror(world: World, site: Site, group: int) -> None:
    r = world.random
    for _ in range(r.randrange(1, 4)):
        edits = Edits(changed=r.uniform(0.1, 0.6), lost=r.random() * 0.15, new=r.random() * 0.2)
        copy(world, site, world.host(), edits, group, world.any_ip())


def _moved(world: World, site: Site, group: int) -> None:
    """At a new name, which is in its titles, and much has come and gone since."""
    r = world.random
    edits = Edits(
        changed=r.uniform(0.05, 0.4),
        new=r.random() * 0.4,
        lost=r.random() * 0.3,
        title=world.slug(2).title(),
    )
    copy(world, site, world.host(), edits, group, world.any_ip())


def _prefix(world: World, site: Site, group: int) -> None:
    """Below a folder of another host."""
    r = world.random
    host = f"{r.choice(['mirror', 'web', 'users', 'www2'])}.{stripped(world.host())}"
    edits = Edits(
        changed=r.uniform(0, 0.4), prefix="/" + r.choice(["~", "pub/", ""]) + world.slug(1)
    )
    copy(world, site, host, edits, group, world.any_ip())


def _partial(world: World, site: Site, group: int, order: str = "random") -> None:
    """Both crawled in small part."""
    r = world.random
    host = world.host() if r.random() < 0.6 else f"m.{stripped(site.host)}"
    copy(
        world,
        site,
        host,
        Edits(changed=r.random() * 0.2, cover=r.uniform(0.15, 0.6), order=order),
        group,
        world.any_ip(),
    )
    crop(world, site, r.uniform(0.15, 0.6), order)


def _partial_breadth(world: World, site: Site, group: int) -> None:
    _partial(world, site, group, "breadth-first")


def _ending(world: World, site: Site, group: int) -> None:
    """All files of one ending have another."""
    r = world.random
    old, new = r.choice(
        [(".html", ".htm"), (".html", ""), ("/", ".html"), ("/", ""), (".php", ".html")]
    )
    copy(
        world,
        site,
        world.host(),
        Edits(changed=r.random() * 0.4, path=with_ending(old, new)),
        group,
        world.any_ip(),
    )


def _old_and_new(world: World, site: Site, group: int) -> None:
    """Years apart."""
    r = world.random
    edits = Edits(changed=r.uniform(0.4, 0.85), new=r.random(), lost=r.random() * 0.5)
    copy(world, site, world.host(), edits, group, world.any_ip())


def _numbered(world: World, site: Site, group: int) -> None:
    r = world.random
    for k in r.sample(range(1, 9), k=r.randrange(1, 6)):
        copy(
            world,
            site,
            f"www{k}.{stripped(site.host)}",
            Edits(changed=r.random() * 0.3, cover=r.uniform(0.2, 1)),
            group,
        )


def _rename(world: World, site: Site, group: int) -> None:
    """The same pages at other paths."""
    r = world.random
    edits = Edits(changed=r.random() * 0.2, path=renamed(world, r.uniform(0.5, 1)))
    copy(world, site, world.host(), edits, group, world.any_ip())


def _address(world: World, site: Site, group: int) -> None:
    """Crawled at its bare address, too."""
    r = world.random
    copy(world, site, site.ip, Edits(changed=r.random() * 0.2, cover=r.uniform(0.3, 1)), group)


KINDS = {
    "www": _www,
    "suffix": _suffix,
    "staging": _staging,
    "mirror": _mirror,
    "moved": _moved,
    "prefix": _prefix,
    "partial": _partial,
    "partial_breadth": _partial_breadth,
    "ending": _ending,
    "old_and_new": _old_and_new,
    "numbered": _numbered,
    "rename": _rename,
    "address": _address,
}
"""Kinds of replicas by name."""
