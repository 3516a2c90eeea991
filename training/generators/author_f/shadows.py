"""Sites seen through other machinery: gateways and proxies; and pictures, calendars and other
traps.
"""

from dataclasses import replace

from training.generators.author_f import names
from training.generators.author_f.copying import clone, combine, source
from training.generators.author_f.model import NEAR, Page, Site, World
from training.generators.author_f.operators import everyday, sub
from training.generators.author_f.ordinary import boiler, make, month
from training.generators.author_f.publishers import translate
from training.generators.author_f.registry import scenario


@scenario(hosts=(400, 1400), all_types=True, coverage=(0.2, 0.9))
def gateways(world: World) -> None:
    """Web-to-web gateways by host suffix, by path and by language, and a cache that copies whole
    sites.
    """
    sites = [source(world, 6, 150) for _ in range(world.n(20, 70))]
    copies = []
    suffixes = [names.domain(world.rng, ("to", "net", "org")) for _ in range(world.n(1, 4))]
    for site in sites:
        seen = [site]
        for suffix in suffixes:
            if world.chance(0.35):
                host = world.rng.choice((site.host.replace(".", "-"), site.host)) + "." + suffix
                seen.append(
                    clone(
                        world,
                        site,
                        host,
                        keep=world.u(0.8, 1),
                        hosted=world.rng.choice((0, world.u(0.3, 1))),
                        hard=world.u(0, 0.3),
                        noise=world.rng.choice((None, world.u(0, 1))),
                        same_ip=0,
                    )
                )
        world.family(seen, "site seen through a host-suffix gateway")
        copies += seen
        if world.chance(0.25):
            other = translate(
                world,
                site,
                site.host.replace(".", "-") + ".translate." + suffixes[0],
                world.u(0.05, 0.2),
            )
            for one in seen:
                world.label(one, other, NEAR, "machine translation through a gateway")
            copies.append(other)
    paths = [
        path_gateway(world, world.rng.sample(sites, world.n(1, min(12, len(sites)))))
        for _ in range(world.n(2, 8))
    ]
    world.family([*paths, *copies], "gateway by path")
    everyday(world, world.n(0, 10))


def path_gateway(world: World, sites: list[Site]) -> Site:
    """One host that shows others below /http/host/; its pages carry its own bar, documents are
    untouched.
    """
    gate = combine(
        world,
        sub(world.rng.choice(("proxy", "gate", "surf")), names.domain(world.rng, world.tlds)),
        [(world.rng.choice(("/http/", "/browse/")) + site.host, site) for site in sites],
        (0.5, 1),
        own=world.n(0, 6),
    )
    for page in gate.pages:
        if page.kind == "html" and not page.fixed:
            page.rev += "@gate"
    return gate


@scenario(hosts=(400, 1200), all_types=True, drop=("ip",), coverage=(0.1, 0.8), scale=20)
def galleries_and_traps(world: World) -> None:
    """Picture sites and their copies with the same or resized pictures; stock pictures, theme demos
    and endless calendars.
    """
    stock = [(world.uid("stock"), f"stock-{i}.jpg") for i in range(world.n(40, 300))]
    for _ in range(world.n(20, 60)):
        site = source(world, 12, 300, kinds=("gallery",), median=50)
        copy = clone(
            world,
            site,
            world.rng.choice(
                (names.other_tld(world.rng, site.host), sub("photos", site.host), world.new_host())
            ),
            keep=world.u(0.75, 1),
            reskin=world.chance(0.4),
            own=world.rng.choice((0, world.u(0, 0.2))),
        )
        if world.chance(0.3):  # resized: every picture has other bytes
            for page in copy.pages:
                page.rev += "@small" if page.kind == "img" and not page.sure else ""
        world.family([site, copy], "copy of a gallery")
    for _ in range(world.n(40, 150)):
        site = make(world)
        size = max(1, len(site.pages) // world.n(4, 9))
        site.pages += [
            boiler(f"/images/{name}", root, None, "img")
            for root, name in world.rng.sample(stock, min(size, len(stock)))
        ]
    for _ in range(world.n(2, 6)):
        theme_demo(world)
    for _ in range(world.n(10, 50)):
        calendar(world, source(world, 5, 60))


def theme_demo(world: World) -> None:
    """Look-alikes: shops and blogs that kept a theme's demo pictures and demo pages."""
    demo = [
        boiler(f"/demo/image-{i}.jpg", world.uid("demo"), None, "img")
        for i in range(world.n(5, 30))
    ]
    demo += [
        boiler(f"/demo/page-{i}/", world.uid("demo"), f"Demo page {i}")
        for i in range(world.n(2, 8))
    ]
    for _ in range(world.n(5, 30)):
        make(world, "wordpress", world.n(4, 60)).pages += [
            replace(page) for page in demo if world.chance(0.7)
        ]


def calendar(world: World, site: Site) -> None:
    """A site with an endless calendar, sometimes with a copy whose calendar was crawled for other
    months.
    """

    def months() -> list[Page]:
        return [
            month(world, f"/events/?m={world.n(1990, 2040)}-{world.n(1, 12):02d}", "Events", 0.7)
            for _ in range(world.n(20, 200))
        ]

    if world.chance(0.4):
        copy = clone(world, site, names.other_tld(world.rng, site.host), keep=world.u(0.9, 1))
        copy.pages += months()
        world.family([site, copy], "copy with a calendar trap")
    site.pages += months()
