"""Hosts that look like others and are not: they share programs, owners, texts, or emptiness."""

from __future__ import annotations

from dataclasses import replace

from training.generators.author_i.model import Host, Page, Site
from training.generators.author_i.names import below
from training.generators.author_i.stock import CSS, JS, named, shared
from training.generators.author_i.world import World
from training.generators.common import HTML


def _bare(world: World, kind: str, pages: list[Page], name: str = "", ip: str = "") -> Host:
    """A host with these pages and no more."""
    world.roots += 1
    brand = world.names.brand()
    site = Site(world.roots, brand, kind, pages)
    return world.add(site, name or world.names.host(brand), ip or world.network.any())


def unset(world: World) -> None:
    """A server with the page that it came with."""
    pages = [world.stock.front(), *world.stock.root_files()]
    if world.rng.chance(0.3):
        pages.append(named("/icons/logo.png", f"icons/{world.rng.rank(4)}", 3300))
    _bare(world, "unset", pages)


def parked(world: World) -> None:
    """Domains of one seller of domains, with the seller's pages: unclear."""
    rng = world.rng
    key, ip = f"parking/{world.roots}", world.network.own()
    written = rng.chance(0.5)
    group: list[Host] = []
    for _ in range(rng.count(3, 30)):
        own = f"{key}/{len(group)}" if written else key
        pages = [shared("/", own, HTML, 2500, "This domain is for sale")]
        pages.append(named("/parking.js", f"{key}/js", 8000))
        pages += [
            shared(f"/{p}", key, HTML, 2500) for p in rng.sample(("lander", "offer", "ads"), 2)
        ]
        group.append(_bare(world, "parked", pages, ip=ip))
    world.unclear.append((group, "parked"))


def fresh(world: World) -> None:
    """A blog on the day that it was installed: the program's example pages."""
    release = world.rng.rank(6)
    key = f"s{world.roots}fresh"
    pages = [
        Page("/", f"{key}/0", size=9000, title="Just another site"),
        Page("/2024/01/01/hello-world/", f"{key}/1", size=9900, title="Hello world!"),
        Page("/sample-page/", f"{key}/2", size=9700, title="Sample Page"),
        Page("/category/uncategorized/", f"{key}/3", size=8800, title="Uncategorized"),
    ]
    pages += [
        named(f"/wp-content/themes/first/{path}", f"first/{release}/{path}", 15000)
        for path in ("style.css", "js/navigation.js", "images/header.jpg")
    ]
    _bare(world, "fresh", pages)


def tenant(world: World) -> None:
    """The login to a program that many have: mail, lists, code, tickets."""
    rng = world.rng
    program = rng.rank(8)
    key = f"s{world.roots}tenant"
    pages = [Page("/", f"{key}/0", size=5300, title="Login")]
    pages.append(Page("/?_task=login", f"{key}/1", size=5300, title="Login"))
    for number in range(3 + program):
        path = f"/skins/{number}.{('css', 'js')[number % 2]}"
        mime = (CSS, JS)[number % 2]
        pages.append(shared(path, f"tenant/{program}/{number}", mime, 7000 + 900 * number))
    label = rng.choice(("webmail", "mail", "git", "tickets", "cloud", "lists"))
    name = world.names.free(below(rng.choice(world.hosts).name, label))
    _bare(world, "tenant", pages, name)


def sisters(world: World) -> None:
    """Sites that one agency made for customers of one trade: one frame, other contents."""
    rng = world.rng
    model, _ = world.site(rng.choice(("wordpress", "queries", "builder", "static")), "model")
    common, ip = rng.uniform(0.05, 0.35), world.network.any()
    trade, same_names = world.names.word(), rng.chance(0.5)
    fixed = {page.path for page in model.pages if page.stock or rng.chance(common)}
    for number in range(rng.count(2, 14)):
        mark = f"!{number}"
        pages = [
            page
            if page.path in fixed and page.path != "/"
            else page._replace(body=page.body + mark)
            for page in model.pages
            if page.path in fixed or rng.chance(0.8)
        ]
        world.roots += 1
        brand = f"{trade}-{world.names.word()}" if same_names else world.names.brand()
        site = replace(model, root=world.roots, brand=brand, pages=pages)
        world.add(site, world.names.host(brand), ip if rng.chance(0.7) else world.network.any())


def platform(world: World) -> None:
    """Members of a platform: names below its domain, its frame, their own texts."""
    rng = world.rng
    domain = f"{world.names.brand()}.{rng.choice(world.names.tlds)}"
    ips = [world.network.own() for _ in range(rng.randint(1, 3))]
    key = f"platform/{world.roots}"
    frame = [
        named(f"/static/{n}.{e}", f"{key}/{n}", 20000) for n, e in enumerate(("css", "js", "png"))
    ]
    frame.append(shared("/terms", f"{key}/terms", HTML, 12000, "Terms"))
    kind = rng.choice(("wordpress", "spa", "static", "shop"))
    for _ in range(rng.count(3, 20)):
        brand = world.names.word()
        site, guests = world.site(kind, brand)
        site.pages += frame
        world.add(site, world.names.free(f"{brand}.{domain}"), rng.choice(ips), guests)


def home_of_manual(world: World) -> None:
    """The program whose manual others keep; a copy of it elsewhere is not unrelated."""
    rng, stock = world.rng, world.stock
    number = rng.rank(len(stock.manuals))
    root = -number - 1
    if all(host.site.root != root for host in world.hosts):
        brand = world.names.brand()
        pages = stock.guest("", number)
        pages = [page._replace(path="/") if not n else page for n, page in enumerate(pages)]
        site = Site(root, brand, "manual", pages)
        world.add(site, world.names.host(brand), world.network.any())


UNRELATED = {
    "unset": unset,
    "parked": parked,
    "fresh": fresh,
    "tenant": tenant,
    "sisters": sisters,
    "platform": platform,
    "manual": home_of_manual,
}
