"""Trade and trickery: white-label shops, franchises, site builders, spam farms, typo-squats."""

from dataclasses import replace

from training.generators.author_f import names
from training.generators.author_f.copying import clone, source
from training.generators.author_f.model import REPLICA, UNCLEAR, Page, Site, World
from training.generators.author_f.operators import agency, alias, everyday
from training.generators.author_f.ordinary import boiler, item, make, parked
from training.generators.author_f.registry import scenario


def stocked(
    world: World, host: str | None, kind: str, goods: list[Page], own: int, same_skin: str = ""
) -> Site:
    """A shop with the given goods and a number of pages of its own."""
    site = make(world, kind, max(1, own), host)
    site.skin = same_skin or site.skin
    site.pages += [replace(page) for page in goods]
    return site


@scenario(hosts=(600, 1800), all_types=True, coverage=(0.2, 0.9))
def white_label_shops(world: World) -> None:
    """One catalogue under many brands: bare affiliates, shops with own goods beside, and tenants of
    one platform.
    """
    for _ in range(world.n(2, 6)):
        catalogue = source(world, 60, 400, kinds=("shop",), median=140)
        affiliates = [
            clone(
                world,
                catalogue,
                world.new_host(),
                reskin=True,
                brand=names.phrase(world.rng, 1, 2),
                keep=world.u(0.88, 1),
                own=world.u(0, 0.06),
                noise=world.rng.choice((None, world.u(0, 1))),
                same_ip=0.6,
            )
            for _ in range(world.n(3, 14))
        ]
        goods = [page for page in catalogue.pages if not page.boiler and page.path != "/"]
        labels = []
        for _ in range(world.n(3, 16)):
            share = world.u(0.2, 0.9)
            part = [page for page in goods if world.chance(share)]
            labels.append(stocked(world, None, "shop", part, round(len(part) * world.u(0.1, 1.5))))
        world.family(
            [catalogue, *affiliates, *labels], "white-label or affiliate shop of one catalogue"
        )
    for _ in range(world.n(3, 10)):
        tenants(world)
    everyday(world, world.n(3, 15))


def tenants(world: World) -> None:
    """Look-alikes: shops on one platform with own goods, the supplier's data sheets and the
    platform's pages.
    """
    skin, ip = world.uid("skin"), world.new_ip()
    sheets = [
        item(world, f"/datasheets/{names.slug(names.phrase(world.rng))}.pdf", None, "pdf")
        for _ in range(world.n(5, 40))
    ]
    pages = [
        boiler(f"/{name}", world.uid("platform"), name.capitalize())
        for name in ("help", "returns", "payment", "cookies", "about-the-platform")
    ]
    for _ in range(world.n(5, 40)):
        own = world.n(8, 120)
        site = stocked(
            world,
            None,
            "shop",
            pages + world.rng.sample(sheets, min(len(sheets), own // 8)),
            own,
            skin,
        )
        site.ip = ip


@scenario(hosts=(600, 2000), coverage=(0.3, 1))
def franchises(world: World) -> None:
    """Chains whose local sites share the head office's pages and have an imprint, staff and news of
    their own.
    """
    for _ in range(world.n(5, 18)):
        head, local = source(world, 6, 60, kinds=("static",), median=18), world.u(0.05, 1.5)
        stem, fixed_bytes = names.bare(head.host), world.chance(0.5)
        group = []
        for city in world.rng.sample(names.CITIES, world.n(3, 25)):
            site = clone(
                world,
                head,
                world.rng.choice(
                    (f"{city}.{stem}", f"www.{stem.partition('.')[0]}-{city}.{world.tlds[0]}")
                ),
                keep=world.u(0.85, 1),
                own=world.u(0.6, 1.4) * local,
                hosted=0 if fixed_bytes else world.u(0.2, 1),
                same_ip=0.8,
            )
            for page in world.rng.sample(
                site.pages, max(1, len(site.pages) // 12)
            ):  # local imprint, local home
                page.root, page.sure = world.uid(), False
            group.append(site)
            if world.chance(0.15):
                group.append(alias(world, site))
                world.family([site, group[-1]], "second name of a local branch")
        world.family([head, *group], "local sites of a chain", {REPLICA: UNCLEAR})
    for _ in range(world.n(0, 4)):
        agency(world, world.n(10, 40))


@scenario(hosts=(2500, 5000), coverage=(0.5, 1), scale=5, errors=0.05)
def site_builders(world: World) -> None:
    """One- to five-page firms from a few site builders; unedited sample pages everywhere; some
    firms own several names.
    """
    for _ in range(world.n(3, 8)):
        skin, ips = world.uid("skin"), [names.address(world.rng) for _ in range(3)]
        samples = [
            boiler(f"/{name}", world.uid("sample"), name.capitalize())
            for name in ("about", "services", "gallery", "blog", "cookie-policy", "terms")
        ]
        for _ in range(world.n(100, 300)):
            site = make(world, "business", world.n(1, 5))
            site.skin, site.ip = skin, world.rng.choice(ips)
            menu = {page.path: page for page in site.pages}
            menu.update({page.path: page for page in samples if world.chance(0.15)})
            site.pages = list(menu.values())
            if world.chance(0.05):
                twins = [
                    alias(world, site, hosted=world.rng.choice((0, 0.3)))
                    for _ in range(world.rng.choice((1, 1, 1, 2, 3)))
                ]
                world.family([site, *twins], "second name of a small firm")
    one_pagers(world)


def one_pagers(world: World) -> None:
    """Firms with one page each, seen under two names; and business cards that differ in a phone
    number only.
    """
    for _ in range(world.n(10, 40)):
        site = make(world, "business", 0)
        site.pages = site.pages[:1]
        site.pages[0].noisy = False
        world.family(
            [site, clone(world, site, names.other_tld(world.rng, site.host))],
            "one-page firm under two names",
        )
    for _ in range(world.n(20, 80)):
        card = make(world, "business", 0)
        card.skin, card.pages = "card", [Page("/", world.uid(), "Business card")]


@scenario(hosts=(500, 1600), drop=("ip",), coverage=(0.3, 1))
def spam_farms(world: World) -> None:
    """Doorways with generated text (no copies), farms with byte-identical pages (copies), pools of
    reused text.
    """
    for _ in range(world.n(3, 9)):
        doorways(world, world.n(15, 100))
    for _ in range(world.n(1, 5)):
        first = source(world, 3, 40, kinds=("static", "numbered"), median=10)
        farm = [
            clone(
                world,
                first,
                world.new_host(),
                keep=world.rng.choice((1, world.u(0.85, 1))),
                own=world.rng.choice((0, world.u(0, 0.1))),
                same_ip=0.5,
            )
            for _ in range(world.n(5, 45))
        ]
        world.family([first, *farm], "link farm of identical pages")
    for _ in range(world.n(1, 4)):
        pool = [
            item(world, f"/{names.slug(names.phrase(world.rng))}.html", None)
            for _ in range(world.n(60, 500))
        ]
        for page in pool:
            page.fixed = True
        skin, farm = world.uid("skin"), []
        for _ in range(world.n(8, 50)):
            farm.append(
                stocked(world, None, "business", world.rng.sample(pool, world.n(8, 50)), 1, skin)
            )
        world.family(farm, "spam drawn from one pool of texts")
    everyday(world, world.n(5, 25))


def doorways(world: World, count: int) -> None:
    """Look-alikes: the same addresses and titles, text spun for each host, links among
    each other.
    """
    titles = [names.phrase(world.rng, 2, 4) for _ in range(world.n(5, 60))]
    skin, landing, sites = (
        world.uid("skin"),
        boiler("/go.html", world.uid("landing"), "Redirecting"),
        [],
    )
    for _ in range(count):
        site = make(world, "business", 1)
        site.skin = skin
        site.pages += [item(world, f"/{names.slug(title)}.html", title) for title in titles]
        site.pages += [replace(landing)] if world.chance(0.6) else []
        sites.append(site)
    for site in sites:
        for page in site.pages[:6]:
            page.out = tuple(
                f"http://{other.host}/" for other in world.rng.sample(sites, min(4, len(sites)))
            )


@scenario(hosts=(500, 1600), coverage=(0.25, 1))
def typo_squats(world: World) -> None:
    """Misspelt names with a clone that has pages injected; or parked, or with a phishing front page
    only.
    """
    for _ in range(world.n(15, 45)):
        site = source(world, 6, 150, kinds=("static", "shop", "wordpress", "numbered"))
        group, baits = [site], []
        for _ in range(world.rng.choice((1, 2, 3, 6))):
            how, host = world.rng.random(), names.typo(world.rng, site.host)
            if how < 0.55:
                group.append(
                    clone(
                        world,
                        site,
                        host,
                        keep=world.u(0.6, 1),
                        own=world.u(0.02, 0.6),
                        same_ip=0.1,
                        own_folder=world.rng.choice(
                            ("", "/pharmacy", "/wp-includes/css", "/promo")
                        ),
                        noise=world.rng.choice((None, None, world.u(0, 1))),
                        hard=world.rng.choice((0, world.u(0, 0.6))),
                    )
                )
            elif how < 0.85:
                parked(world, host).pages[0].title = site.brand
            else:
                baits.append(phishing(world, site, host))
        for i, bait in enumerate(baits):
            for other in [*group, *baits[:i]]:
                world.label(other, bait, UNCLEAR, "phishing front page")
        world.family(group, "typo-squat clone with injected pages")
    everyday(world, world.n(0, 8))


def phishing(world: World, site: Site, host: str) -> Site:
    """The front page and a login form, copied; a reader may call that a copy or not."""
    pages = [replace(page, noisy=False, sure=False) for page in site.pages[: world.n(1, 2)]] + [
        item(world, "/login.php", "Login")
    ]
    return world.add(Site(world.claim(host), pages, site.skin, site.brand, world.new_ip(), "https"))
