"""Kinds of webs that institutions, publishers and companies make, and the onion web."""

from __future__ import annotations

from training.generators.author_k.copies import CHANGES, Change, copied, relabelled
from training.generators.author_k.crawl import Plan
from training.generators.author_k.crowd import crowd, partial, phone, yearly
from training.generators.author_k.dice import Dice
from training.generators.author_k.kinds_open import HASHES, USUAL
from training.generators.author_k.names import ENDINGS
from training.generators.author_k.sites import Page, Site
from training.generators.author_k.web import COLUMNS, LEAN, Nature, Web, columns
from training.generators.common import Generated

UNITS = """cs math physics chemistry biology law medicine arts history economics library sport
press alumni jobs music theology education civil electro forestry nursing it hr finance archive
museum press-office projects conference summer-school intranet wiki moodle repository geo""".split()


def onion(dice: Dice) -> Generated:
    """Hidden services: most hosts are copies of few sites."""
    plan = Plan(
        columns(dice, {"timestamp": 0.5, "status": 0.4, "title": 0.6, "length": 0.5}),
        dice.weighted(HASHES),
        dice.between(1, 20),
        (dice.between(12, 40), 0.8, 120),
    )
    nature = Nature(
        (dice.between(12, 28), 0.9, 160),
        dynamic=dice.between(0.25, 0.5),
        absolute=dice.between(0.1, 0.25),
        sharing=(0.2, 0.4),
    )
    web = Web(dice, plan, nature)
    hosts = dice.whole(400, 1200)
    copies = hosts * dice.between(0.6, 0.85)
    greatest = dice.whole(60, 130)
    while len(web.hosts) < copies:
        _hidden(web, min(dice.size(7, 1.3, greatest), int(copies - len(web.hosts)) + 1))
    for _ in range(dice.whole(1, 3)):
        hoster = Site(
            "", "en", [Page("/", web.builder.key(), "Free hosting", dice.whole(900, 9000))]
        )
        for _ in range(dice.whole(5, int(hosts * 0.05))):
            web.open(hoster, web.names.onion())
    while len(web.hosts) < hosts:
        site = web.commons.default_site() if dice.chance(0.3) else web.site()
        web.open(site, web.names.onion())
    return web.done()


def _hidden(web: Web, count: int) -> None:
    """A hidden site under many names, and at times a variant of it by another fraud."""
    dice = web.dice
    site = web.site(
        dice.pick(("php", "static", "shop_ids", "forum", "single", "flat_blog")), None, 2
    )
    site.absolute = site.absolute and (count < 20 or dice.chance(0.3))
    hosts = [web.open(web.changed(site, "", CHANGES["onion"]), web.names.onion())]
    for _ in range(count - 1):
        hosts.append(web.open(web.changed(site, hosts[0], CHANGES["onion"]), web.names.onion()))
    web.gold.group([(host, "onion") for host in hosts])
    if dice.chance(0.12):
        variant = relabelled(web.builder, site, dice.between(0.3, 0.8))
        others = [web.open(variant, web.names.onion()) for _ in range(dice.whole(1, 4))]
        web.gold.group([(host, "onion") for host in others])
        web.gold.cross(hosts, others, "near-replica", "variant")


def manuals(dice: Dice) -> Generated:
    """Manuals and software: mirrors, versions, translations and forks."""
    plan = Plan(
        columns(dice, COLUMNS | {"title": 0.5, "links": 0.15}),
        dice.weighted(HASHES),
        dice.between(3, 40),
        (dice.between(25, 90), 0.9, 400),
        all_types=True,
    )
    nature = Nature((dice.between(15, 40), 1.1, 600), dynamic=dice.between(0.1, 0.3), absolute=0.06)
    web = Web(dice, plan, nature)
    hosts = dice.whole(500, 1100)
    projects: list[tuple[Site, str]] = []
    while len(web.hosts) < hosts * 0.25:
        projects.append(_project(web))
    helps = [Page("/help-doc.html", web.builder.key(), "API Help", 8700 + at) for at in range(8)]
    for _ in range(int(hosts * 0.2)):
        site = web.site("docs")
        if dice.chance(0.12):
            site.pages.insert(1, dice.early(helps))
        web.open(site)
    for _ in range(dice.whole(2, 6)):
        _collection(web, projects)
    web.groups(USUAL, int(hosts * 0.04))
    crowd(web, hosts - len(web.hosts))
    return web.done()


def _project(web: Web) -> tuple[Site, str]:
    """A project, its mirrors, and what became of it elsewhere."""
    dice = web.dice
    name = web.names.brand()
    site = web.site("docs", name, dice.whole(12, 60))
    for _ in range(dice.whole(0, 6)):
        path = f"/download/{name}-{dice.whole(0, 9)}.{dice.whole(0, 30)}.tar.gz"
        size = dice.size(4e6, 1, 10**9)
        site.pages.append(Page(path, web.builder.key(), "", size, "application/gzip"))
    causes = {"mirror": 5.0, "www_bare": 1.0, "cdn": 0.6, "old_domain": 0.5, "ip": 0.2}
    first = web.group(causes, dice.pick((0, 1, 1, 2, 4, 8)), site)
    bare = first[0].removeprefix("www.")
    for other, kind in (("version", "v{n}."), ("version", "{n}.docs."), ("fork", "")):
        if not dice.chance(0.35):
            continue
        changed = web.changed(site, first[0], CHANGES[other])
        host = web.names.free(kind.format(n=dice.whole(1, 9)) + bare) if kind else None
        second = [web.open(changed, host)]
        if dice.chance(0.3):
            second.append(web.copy(changed, second[0], web.address(), "mirror")[0])
            web.gold.group([(host, "mirror") for host in second])
        web.gold.cross(first, second, "near-replica", other)
        first += second
    for tongue in dice.some(("de", "fr", "ja", "es", "ru", "zh"), dice.pick((0, 0, 0, 1, 2))):
        foreign = copied(web.builder, site, Change(missing=0.4))
        share = dice.between(0.7, 1.0)
        foreign.pages = [
            page._replace(key=web.builder.key(), title=web.names.word().title())
            if dice.chance(share)
            else page
            for page in foreign.pages
        ]
        host = web.open(foreign, web.names.free(f"{tongue}.{bare}"))
        web.gold.cross(first, [host], "unclear", "translation")
        first.append(host)
    return site, first[0]


def _collection(web: Web, projects: list[tuple[Site, str]]) -> None:
    """A server that mirrors several projects in folders, and its copies."""
    chosen = web.dice.some(projects, web.dice.whole(2, 5))
    index = Site("Mirror", "en", [Page("/", web.builder.key(), "Index of /", 3000, changing=True)])
    for site, _ in chosen:
        name = site.name.lower().replace(" ", "-")
        index.pages += [page._replace(path=f"/{name}{page.path}") for page in site.pages]
    hosts = web.group({"mirror": 3.0, "www_bare": 1.0}, web.dice.pick((0, 1, 1, 2)), index)
    for _, original in chosen:
        web.gold.cross(hosts, web.gold.relatives(original), "unclear", "collection")


def campus(dice: Dice) -> Generated:
    """Universities and offices with departments under many names."""
    plan = Plan(
        columns(dice, COLUMNS | {"title": 0.5, "links": 0.2}),
        dice.weighted(HASHES),
        dice.between(3, 30),
        (dice.between(12, 30), 1.0, 200),
        all_types=dice.chance(0.3),
    )
    nature = Nature((dice.between(10, 20), 1.1, 400), dynamic=dice.between(0.2, 0.45))
    web = Web(dice, plan, nature)
    hosts = dice.whole(700, 1500)
    share = dice.between(0.35, 0.55)
    while len(web.hosts) < hosts * share:
        _institution(web)
    crowd(web, hosts - len(web.hosts))
    return web.done()


def _institution(web: Web) -> None:
    """A university or office: its main site, its departments and their other names."""
    dice, builder = web.dice, web.builder
    domain = f"{dice.pick(('uni', 'tu', 'gov', 'min', 'city', 'u'))}-{web.names.brand()}"
    domain += dice.pick((".edu", ".ac.at", ".gov", ".cz", ".de", ".ac.uk"))
    names = ("login", "accessibility", "emergency", "imprint", "policy", "cas/login", "map", "logo")
    common = [
        Page(f"/{name}", builder.key(), name.title(), dice.whole(900, 40000)) for name in names
    ]
    rate = dice.between(0.04, 0.25)
    causes = {"www_bare": 4.0, "server_name": 3.0, "ip": 0.6, "old_domain": 0.6, "secure_name": 1.0}
    aliased = dice.between(0.12, 0.35)
    for unit in ["", *dice.some(UNITS, dice.whole(6, 30))]:
        site = web.site(dice.pick(("office", "nodes", "static", "php", "aspx", "wordpress")), unit)
        have = {page.path for page in site.pages}
        site.pages[1:1] = [p for p in common if dice.chance(rate) and p.path not in have]
        host = web.names.free(f"{dice.pick(('www.', '', ''))}{unit}{'.' if unit else ''}{domain}")
        address = web.address()
        members = [(web.open(site, host, address), "original")]
        count = dice.pick((1, 1, 1, 2, 3, 5)) if dice.chance(aliased if unit else 0.8) else 0
        for _ in range(count):
            cause = dice.weighted(causes if unit else {"www_bare": 1.0, "old_domain": 1.0})
            members.append((web.copy(site, host, address, cause)[0], cause))
        if not unit and dice.chance(0.3):
            for _ in range(dice.whole(2, 6)):
                known = web.names.alias(f"any.{domain}", "server_name")
                members.append((web.open(site, known, address), "wildcard"))
        web.gold.group(members)
        if len(site.pages) > 5 and dice.chance(0.08):
            dice.pick((partial, partial, yearly))(web, site, host)


def news(dice: Dice) -> Generated:
    """News: syndicated articles, regional editions, aggregators and scraped copies."""
    plan = Plan(
        columns(dice, COLUMNS | {"title": 0.6, "links": 0.1}),
        dice.weighted(HASHES),
        dice.between(1, 10),
        (dice.between(20, 45), 0.8, 200),
    )
    nature = Nature((dice.between(18, 40), 0.9, 400), dynamic=dice.between(0.3, 0.6))
    web = Web(dice, plan, nature)
    hosts = dice.whole(500, 1200)
    wire = web.builder.site(dice.whole(300, 900), "news").pages[1:]
    papers = hosts * dice.between(0.2, 0.35)
    while len(web.hosts) < papers:
        _publisher(web, wire)
    for _ in range(dice.whole(8, 25)):
        aggregator = web.site("flat_blog")
        web.open(_with(web, aggregator, wire, dice.whole(5, 80)))
    causes = USUAL | {"scrape": 4.0, "expired": 1.0, "country": 2.5}
    web.groups(causes, int(hosts * dice.between(0.08, 0.15)))
    crowd(web, hosts - len(web.hosts))
    return web.done()


def _with(web: Web, site: Site, wire: list[Page], count: int) -> Site:
    """The site with that many agency articles, under paths of its own or those of the agency."""
    have = {page.path for page in site.pages}
    same = web.dice.chance(0.5)
    for article in web.dice.some(wire, count):
        slug = "-".join(web.names.topic())
        path = article.path if same else f"/wire/{slug}-{article.key}"
        title = article.title.split(" - ")[0].split(" | ")[0]
        if path not in have:
            have.add(path)
            page = article._replace(path=path, title=title, period=0.0, links=())
            site.pages.insert(web.dice.whole(1, len(site.pages)), page)
    return site


def _publisher(web: Web, wire: list[Page]) -> None:
    """Papers of one publisher; some are editions of one paper."""
    dice = web.dice
    pool = web.builder.site(dice.whole(80, 250), "news").pages[1:]
    for _ in range(dice.whole(1, 14)):
        site = web.site("news", least=15)
        size = len(site.pages)
        _with(web, site, pool, int(size * dice.between(0.0, 0.4)))
        if dice.chance(0.4):
            _with(web, site, wire, int(size * dice.between(0.0, 0.25)))
        host = web.open(site)
        if dice.chance(0.08):
            phone(web, site, host)
        elif dice.chance(0.12):
            editions = [host] + [
                web.open(web.changed(site, host, CHANGES["edition"]))
                for _ in range(dice.whole(1, 3))
            ]
            web.gold.cross(editions, editions, "near-replica", "edition")
        elif dice.chance(0.12):
            cause = dice.weighted(USUAL)
            copy, _ = web.copy(site, host, web.address(), cause)
            web.gold.relate(host, copy, "replica", cause)


def shops(dice: Dice) -> Generated:
    """Shops of companies in many countries, tongues and brands, and shops with the same goods."""
    plan = Plan(
        columns(dice, LEAN | {"title": 0.6, "length": 0.5, "links": 0.15, "status": 0.3}),
        dice.weighted(HASHES),
        dice.between(2, 20),
        (dice.between(15, 40), 0.8, 250),
    )
    nature = Nature(
        (dice.between(12, 30), 1.0, 400), dynamic=dice.between(0.25, 0.5), sharing=(0.15, 0.3)
    )
    web = Web(dice, plan, nature)
    hosts = dice.whole(700, 1600)
    sheets = web.builder.site(dice.whole(50, 160), "shop").pages[1:]
    companies = hosts * dice.between(0.15, 0.3)
    while len(web.hosts) < companies:
        _company(web)
    for _ in range(int(hosts * dice.between(0.15, 0.3))):
        site = web.site(dice.pick(("shop", "shop_ids")), least=4)
        if dice.chance(0.5):
            _with(web, site, sheets, max(1, int(len(site.pages) * dice.between(0.02, 0.3))))
        web.open(site)
    causes = {"white_label": 2.0, "country": 2.0, "second_domain": 2.0, "www_bare": 3.0, "cdn": 0.5}
    web.groups(causes | {"scrape": 0.7, "typo": 1.0}, int(hosts * dice.between(0.05, 0.12)))
    crowd(web, hosts - len(web.hosts))
    return web.done()


def _company(web: Web) -> None:
    """Shops of one company: a group of the same for each tongue, and brands."""
    dice = web.dice
    brand = web.names.brand()
    base = web.site(dice.pick(("shop", "shop_ids")), brand, 10)
    earlier: list[str] = []
    for number in range(dice.whole(1, 5)):
        site = base
        if number and dice.chance(0.3):
            site = relabelled(web.builder, base, dice.between(0.5, 0.95))
        elif number:
            site = web.changed(base, earlier[0], CHANGES["region"])
        members = []
        for _ in range(dice.pick((1, 1, 1, 2, 2, 3, 4))):
            named = f"{site.name.lower().replace(' ', '-')}.{dice.pick(ENDINGS)}"
            host = web.names.free(dice.pick(("www.", "", "shop.")) + named)
            changed = site if not members else web.changed(site, earlier[-1], CHANGES["country"])
            members.append((web.open(changed, host), "country"))
            earlier.append(host)
        hosts = [host for host, _ in members]
        web.gold.group(members)
        web.gold.cross(hosts, earlier, "unclear", "region")
