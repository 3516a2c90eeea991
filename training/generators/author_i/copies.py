"""Hosts on which a site is shown again by others, at other times, or in other words."""

from __future__ import annotations

from training.generators.author_i import renaming
from training.generators.author_i.model import Host
from training.generators.author_i.names import COUNTRIES, below, cut
from training.generators.author_i.twins import TWINS
from training.generators.author_i.world import World


def _own_pages(world: World, host: Host, most: int) -> None:
    """Add pages that only this host has: imprints, advertising, lists."""
    for number in range(world.rng.randint(0, most)):
        slug = world.names.slug(1, 3)
        page = host.pages[0]._replace(
            path=f"/{slug}.html", body=f"own/{host.name}/{number}", title=slug.replace("-", " ")
        )
        host.pages.insert(world.rng.randint(1, len(host.pages)), page)


def mirror(world: World, of: Host) -> None:
    """Mirrors by agreement: byte for byte, some behind, some not complete."""
    rng = world.rng
    for number in range(1 + rng.rank(9)):
        brand, word = cut(of.name)[0], world.names.word()
        if cut(of.name)[1] == "onion":
            name = world.names.onion()
        elif rng.chance(0.5):
            name = world.names.free(
                f"mirror{number or ''}.{world.names.brand()}.{rng.choice(COUNTRIES)}"
            )
        else:
            name = world.names.free(f"{brand}.{word}.{rng.choice(world.names.tlds)}")
        host = world.view(of, name, "mirror", keep=min(1, rng.uniform(0.5, 1.3)))
        host.lag += rng.choice((0, 0.03, 0.3, 3, 12)) * rng.random()
        host.flux = 0 if rng.chance(0.7) else of.flux


def saved(world: World, of: Host) -> None:
    """A copy that someone saved with a program and put up: renamed, frozen."""
    rng = world.rng
    rename = renaming.saved if rng.chance(0.7) else renaming.prefixed("/" + of.name)
    name = world.names.other_domain(of.name)
    host = world.view(of, name, "saved", keep=rng.uniform(0.3, 1), rename=rename)
    host.frozen = -rng.spread(0.1, 24)
    host.flux = 0


def moved(world: World, of: Host) -> None:
    """The old domain still stands, as it was on the day of the move."""
    rng = world.rng
    name = world.names.other_domain(of.name)
    rename = renaming.some(rng, name) if rng.chance(0.2) else None
    host = world.view(of, name, "moved", keep=rng.uniform(0.6, 1.2), rename=rename)
    host.frozen = -rng.spread(0.5, 30)
    host.stamp = name if rng.chance(0.6) else of.stamp
    if rng.chance(0.3):
        host.alive = (float("-inf"), -rng.uniform(0, 11))


def redesigned(world: World, of: Host) -> None:
    """The old domain shows the site before it was made anew: files are the same, pages not."""
    rng = world.rng
    site = world.edition(of.site, rng.uniform(0.5, 0.9))
    host = world.view(of, world.names.other_domain(of.name), "redesigned", site=site)
    host.frozen = -rng.spread(6, 60)
    host.stamp = host.name


def edition(world: World, of: Host) -> None:
    """The site of other years, each on its host: conferences, festivals, releases."""
    rng = world.rng
    label, tld = cut(of.name)
    for year in rng.sample(range(2014, 2026), rng.count(1, 6)):
        site = world.edition(of.site, rng.uniform(0.15, 0.8))
        name = f"{year}.{label}.{tld}" if rng.chance(0.5) else f"{label}{year}.{tld}"
        host = world.view(of, world.names.free(name), "edition", of.ip, site=site)
        host.stamp = host.name


def half_frozen(world: World, of: Host) -> None:
    """An archive of the site that someone still mends here and there."""
    rng = world.rng
    site = world.edition(of.site, rng.uniform(0.2, 0.6))
    label = rng.choice(("archive", "old", "legacy", "alt"))
    host = world.view(of, world.names.free(below(of.name, label)), "half-frozen", site=site)
    host.frozen = -rng.spread(3, 60)
    host.flux = 0


def fork(world: World, of: Host) -> None:
    """Others went on with the contents: a wiki, a manual, a forum."""
    rng, brand = world.rng, world.names.brand()
    site = world.edition(of.site, rng.uniform(0.1, 0.7))
    site.brand = brand
    host = world.view(of, world.names.host(brand), "fork", site=site)
    host.brand, host.stamp = brand, host.name
    _own_pages(world, host, len(host.pages) // 3 + 1)


def scraper(world: World, of: Host) -> None:
    """Taken by a program and shown among advertising, under paths of its own or the same."""
    rng = world.rng
    brand = world.names.brand()
    name = world.names.other_domain(of.name) if rng.chance(0.4) else world.names.host(brand)
    rename = renaming.some(rng, name) if rng.chance(0.6) else None
    host = world.view(of, name, "scraper", keep=rng.uniform(0.2, 1), rename=rename)
    host.wrapped = name if rng.chance(0.6) else of.wrapped
    host.brand = brand if rng.chance(0.5) else of.brand
    host.frozen = -rng.spread(0.1, 12)
    if rng.chance(0.3):
        host.pages = [page for page in host.pages if page.mime == "text/html"] or host.pages
    if rng.chance(0.4):
        host.base = of.name
    _own_pages(world, host, 6)


def phishing(world: World, of: Host) -> None:
    """A few pages of a bank or shop, from one kit on many hosts."""
    rng = world.rng
    folder = "/" + rng.choice(("secure", "login", "account/verify", world.names.code(6)))
    keep = rng.uniform(0.1, 0.5)
    kit = None
    for _ in range(rng.count(1, 12)):
        name = world.names.other_domain(of.name)
        if kit is None or rng.chance(0.1):
            rename = renaming.prefixed(folder) if rng.chance(0.6) else renaming.flat
            kit = world.view(of, name, "phishing", keep=keep, rename=rename)
            kit.pages = kit.pages[: rng.randint(3, 25)]
            kit.frozen = -rng.spread(0.1, 20)
            kit.wrapped = name if rng.chance(0.4) else of.wrapped
            kit.base = of.name if rng.chance(0.5) else ""
        else:
            world.view(kit, name, "phishing")


def translation(world: World, of: Host) -> None:
    """The same site in other languages, each on its host: unclear."""
    rng = world.rng
    label = cut(of.name)[0]
    for tld in rng.sample(COUNTRIES, rng.count(1, 8)):
        site = world.edition(of.site, 1, tld)
        host = world.view(of, world.names.free(f"{label}.{tld}"), "translation", of.ip, site=site)
        host.stamp = host.name
        if rng.chance(0.3):
            TWINS["www"](world, host)


def gateway(world: World, of: Host) -> None:
    """A gateway that shows a site of a hidden network, or a blocked one, to all."""
    rng = world.rng
    for suffix in rng.sample(
        ("onion.to.example-gate", "pet", "ly", "proxy-gate"), rng.randint(1, 3)
    ):
        name = world.names.free(f"{of.name.replace('.onion', '')}.onion.{suffix}.com")
        host = world.view(of, name, "gateway", rng.choice(world.network.cdn), rng.uniform(0.5, 1))
        host.wrapped = suffix if rng.chance(0.3) else of.wrapped


def part(world: World, of: Host) -> None:
    """A folder of a larger, unrelated site holds a copy: unclear."""
    rng = world.rng
    larger = rng.choice(world.hosts)
    if larger.site.root != of.site.root and of.site.root not in larger.guests:
        folder = "/" + rng.choice(("mirror", "mirrors", "docs", "pub", "archive")) + "/" + of.brand
        taken = of.pages[: rng.tail(30, 300)]
        larger.pages += [page._replace(path=folder + page.path) for page in taken]
        larger.guests.append(of.site.root)


COPIES = {
    **TWINS,
    "mirror": mirror,
    "saved": saved,
    "moved": moved,
    "redesigned": redesigned,
    "edition": edition,
    "half_frozen": half_frozen,
    "fork": fork,
    "scraper": scraper,
    "phishing": phishing,
    "translation": translation,
    "gateway": gateway,
    "part": part,
}
