"""Kinds of webs that platforms and spammers make: hosting, parking, kits and farms."""

from __future__ import annotations

from training.generators.author_k.copies import CHANGES, placed
from training.generators.author_k.crawl import Plan
from training.generators.author_k.crowd import crowd, parking
from training.generators.author_k.dice import Dice
from training.generators.author_k.kinds_open import HASHES, USUAL
from training.generators.author_k.names import HEX
from training.generators.author_k.sites import Page, Site
from training.generators.author_k.web import COLUMNS, LEAN, RICH, Nature, Web, columns
from training.generators.common import Generated

FREE = ("000webhostapp.com", "weebly.com", "blogspot.com", "github.io", "web.app", "wixsite.com")
LURES = ("secure", "login", "account", "verify", "update", "support", "service", "online", "id")
STEPS = ("login", "verify", "card", "sms", "confirm", "done", "details", "otp", "loading", "mail")
FILES = {
    "/css/style.css": "text/css",
    "/js/main.js": "application/javascript",
    "/img/logo.png": "image/png",
}


def hosting(dice: Dice) -> Generated:
    """Platforms of blogs and shops: shared themes, default pages and help, few copies."""
    plan = Plan(
        columns(dice, COLUMNS | {"title": 0.5, "links": 0.1}),
        dice.weighted(HASHES),
        dice.between(2, 20),
        (dice.between(6, 15), 0.9, 100),
    )
    nature = Nature((dice.between(6, 14), 1.1, 200), dynamic=dice.between(0.3, 0.6))
    web = Web(dice, plan, nature)
    hosts = dice.whole(1200, 2600)
    platforms = [web.names.domain(www=0) for _ in range(dice.whole(2, 4))]
    for domain in platforms:
        style = dice.pick(("wordpress", "flat_blog", "shop", "shop_ids"))
        _platform(web, domain, style, int(hosts * dice.between(0.15, 0.3)))
    web.groups(USUAL, int(hosts * dice.between(0.01, 0.03)))
    crowd(web, max(hosts - len(web.hosts), 100))
    return web.done()


def _platform(web: Web, domain: str, style: str, count: int) -> None:
    """Sites of the customers of one platform, under its domain."""
    dice = web.dice
    key = web.builder.key
    paths = ("/help", "/terms-of-service", "/login", "/report-abuse", "/hello-world/", "/theme")
    pool = [
        Page(path, key(), path[1:].title().strip("/"), dice.whole(2000, 20000))
        for path in paths
        for _ in range(8 if path in ("/hello-world/", "/theme") else 3)
    ]
    gone = Page("/", key(), "This site is no longer available", 3100)
    address = web.names.address()
    rate = dice.between(0.05, 0.15)
    causes = {"second_domain": 2.0, "renamed_blog": 1.5, "scrape": 0.2, "old_domain": 0.5}
    for _ in range(count):
        brand = web.names.brand()
        if dice.chance(0.02):
            site = Site("", "en", [gone])
        else:
            site = web.site(style, brand)
            taken = {page.path for page in site.pages}
            more = [p for p in pool if dice.chance(rate / 6) and p.path not in taken]
            site.pages[1:1] = list({page.path: page for page in more}.values())
        host = web.open(site, web.names.free(f"{brand}.{domain}"), address)
        if len(site.pages) > 3 and dice.chance(0.02):
            cause = dice.weighted(causes)
            web.gold.relate(host, web.copy(site, host, address, cause)[0], "replica", cause)


def parked(dice: Dice) -> Generated:
    """Parked domains and default server pages, between ordinary hosts."""
    plan = Plan(
        columns(dice, LEAN | {"title": 0.5, "status": 0.5, "length": 0.5, "mime": 0.3}),
        dice.weighted(HASHES),
        dice.between(1, 10),
        (dice.between(5, 12), 0.9, 60),
    )
    nature = Nature((dice.between(6, 14), 1.0, 100), dynamic=dice.between(0.2, 0.45))
    web = Web(dice, plan, nature)
    hosts = dice.whole(1300, 2800)
    left = hosts * dice.between(0.25, 0.45)
    while left > 0:
        count = dice.size(12, 1.0, 90)
        parking(web, count)
        left -= count
    for _ in range(dice.whole(30, 90)):
        web.open(web.commons.default_site())
    web.groups(USUAL, int(hosts * dice.between(0.08, 0.16)))
    crowd(web, max(hosts - len(web.hosts), 100))
    return web.done()


def kits(dice: Dice) -> Generated:
    """Phishing kits, clones and scraped sites: small, partial, with renamed paths."""
    plan = Plan(
        columns(dice, COLUMNS | {"title": 0.6, "ip": 0.9}),
        dice.weighted(HASHES),
        dice.between(5, 60),
        (dice.between(6, 14), 0.7, 60),
        all_types=dice.chance(0.5),
    )
    nature = Nature((dice.between(6, 12), 1.0, 120), dynamic=dice.between(0.2, 0.45))
    web = Web(dice, plan, nature)
    hosts = dice.whole(800, 1800)
    most = hosts * dice.between(0.15, 0.3)
    while len(web.hosts) < most:
        _kit(web)
    web.groups({"scrape": 3.0, "typo": 1.0, "expired": 1.0, "proxy": 0.5}, int(hosts * 0.08))
    crowd(web, hosts - len(web.hosts))
    return web.done()


def _kit(web: Web) -> None:
    """A kit that imitates a login, and the hosts on which it was unpacked."""
    dice, builder = web.dice, web.builder
    bank = web.site("office", least=8)
    bank.absolute = False
    real = web.open(bank)
    ending = dice.pick((".php", ".html", ".php", ""))
    steps = dice.some(STEPS, dice.whole(2, 8))
    front = bank.pages[0]._replace(key=builder.key(), period=0.0)
    kit = Site(bank.name, bank.tongue, [front], jitter=dice.pick((0, 8, 40)))
    for step in steps:
        title = dice.pick((bank.name, f"{bank.name} - {step.title()}", step.title()))
        page = Page(f"/{step}{ending}", builder.key(), title, dice.whole(1500, 40000))
        kit.pages.append(page._replace(changing=dice.chance(0.25)))
    if web.commons.files:
        for path, mime in FILES.items():
            kit.pages.append(Page(path, builder.key(), "", dice.whole(900, 90000), mime))
    imitators: list[str] = []
    for _ in range(dice.size(4, 0.8, 25)):
        copy = web.changed(kit, real, CHANGES["kit"])
        if dice.chance(0.35):
            folder = "/" + dice.letters(HEX, dice.whole(4, 12))
            copy.pages = placed(copy.pages, folder)
        imitators.append(web.open(copy, _lure(web, bank.name), web.address()))
    web.gold.group([(host, "kit") for host in imitators])
    web.gold.cross([real], imitators, "unclear", "imitated")
    users = list(imitators)
    for _ in range(dice.pick((0, 0, 1, 2))):
        hacked = web.site(least=3)
        hacked.pages += placed(kit.pages, f"/wp-content/{dice.letters(HEX, 5)}")
        users.append(web.open(hacked))
        web.gold.cross(users[-1:], users, "unclear", "hacked")


def _lure(web: Web, name: str) -> str:
    """A host name under which a kit poses as the company."""
    dice = web.dice
    brand = name.lower().replace(" ", "")
    lure = dice.pick(LURES)
    form = dice.unit()
    if form < 0.3:
        return web.names.free(f"{brand}-{lure}.{web.names.ending()}")
    if form < 0.5:
        return web.names.free(f"{lure}-{brand}.{dice.pick(FREE)}")
    if form < 0.65:
        return web.names.free(f"{dice.letters('abcdefghijklmnop', 9)}.{dice.pick(FREE)}")
    if form < 0.75:
        return web.names.free(web.names.address())
    return web.names.domain(www=0.2)


def farms(dice: Dice) -> Generated:
    """Networks of spam sites made of shared pools of texts, some of them copied whole."""
    plan = Plan(
        columns(dice, RICH | {"title": 0.6, "links": 0.6}),
        dice.weighted(HASHES),
        dice.between(2, 15),
        (dice.between(10, 25), 0.7, 90),
    )
    nature = Nature((dice.between(8, 16), 1.0, 200), dynamic=dice.between(0.2, 0.4))
    web = Web(dice, plan, nature)
    hosts = dice.whole(900, 2000)
    spam = hosts * dice.between(0.2, 0.4)
    while len(web.hosts) < spam:
        _network(web, dice.size(25, 0.6, 90))
    web.groups(USUAL, int(hosts * 0.05))
    crowd(web, hosts - len(web.hosts))
    return web.done()


def _network(web: Web, count: int) -> None:
    """Spam sites of one owner, each with texts out of the same pool."""
    dice, builder = web.dice, web.builder
    pool = builder.site(dice.whole(150, 900), dice.pick(("flat_blog", "static"))).pages[1:]
    dense = dice.chance(0.15)
    count = min(count, 10) if dense else count
    share = dice.between(0.6, 0.9) if dense else min(dice.between(0.03, 0.3), 60 / len(pool))
    pool = dice.some(pool, 40) if dense else pool
    spun = dice.chance(0.2) and not dense
    moved = dice.chance(0.5)
    partners = [web.names.domain(www=0) for _ in range(count)]
    hosts: list[list[str]] = []
    for host in partners:
        site = Site(host.split(".")[0].title(), "en", jitter=dice.pick((0, 50)))
        site.pages = [Page("/", builder.key(), site.name, dice.whole(3000, 30000))]
        for text in dice.some(pool, int(len(pool) * share * dice.between(0.6, 1.3))):
            path = f"/{'-'.join(web.names.topic())}.html" if moved else text.path
            page = text._replace(path=path, changing=False, period=0.0)
            linked = tuple(f"https://{dice.pick(partners)}/" for _ in range(dice.whole(0, 4)))
            key = builder.key() if spun else text.key
            site.pages.append(page._replace(key=key, links=("/", *linked)))
        address = web.address()
        names = [web.open(site, host, address)]
        if dice.chance(0.08):
            copies = dice.size(2, 0.8, 12)
            names += [web.copy(site, host, address, "farm")[0] for _ in range(copies)]
        web.gold.group([(name, "farm") for name in names])
        hosts.append(names)
    if dense:
        everyone = [name for names in hosts for name in names]
        web.gold.cross(everyone, everyone, "unclear", "same_pool")
