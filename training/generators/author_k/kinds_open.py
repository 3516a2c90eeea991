"""Kinds of crawls of the open web, in which copies are few among many ordinary hosts."""

from __future__ import annotations

from training.generators.author_k.crawl import Plan
from training.generators.author_k.crowd import crowd, parking, partial, phone, redesign, yearly
from training.generators.author_k.dice import Dice
from training.generators.author_k.web import COLUMNS, LEAN, RICH, Nature, Web, columns
from training.generators.common import Generated

USUAL = {
    "www_bare": 5.0,
    "second_domain": 3.0,
    "old_domain": 2.0,
    "country": 1.5,
    "secure_name": 1.0,
    "staging": 1.0,
    "typo": 0.7,
    "ip": 0.7,
    "mirror": 0.6,
    "scrape": 0.7,
    "expired": 0.3,
    "cdn": 0.5,
    "proxy": 0.3,
    "white_label": 0.4,
}
"""Why copies are on the open web."""
HASHES = {"sha1": 3.0, "md5": 1.5, "int": 1.5}


def open_web(web: Web, hosts: int, copies: float) -> Generated:
    """A web of about that many hosts; a share of them are in groups of copies."""
    dice = web.dice
    web.groups(USUAL, int(hosts * copies))
    for _ in range(int(hosts * copies * 0.12)):
        site = web.site(least=4)
        dice.pick((partial, phone, redesign, yearly))(web, site, web.open(site))
    crowd(web, hosts - len(web.hosts))
    return web.done()


def national(dice: Dice) -> Generated:
    """An ordinary crawl of the sites of a country."""
    cap = dice.pick((100, 200, 500))
    plan = Plan(
        columns(dice, COLUMNS | {"title": 0.5, "links": 0.15}),
        dice.weighted(HASHES),
        dice.between(2, 20),
        (dice.between(15, 60), 1.0, cap),
        all_types=dice.chance(0.3),
    )
    nature = Nature((dice.between(8, 30), 1.2, 800), dynamic=dice.between(0.2, 0.5))
    return open_web(Web(dice, plan, nature), dice.whole(900, 2200), dice.between(0.08, 0.22))


def broad(dice: Dice) -> Generated:
    """A broad crawl with few pages of each host."""
    plan = Plan(
        columns(dice, LEAN | {"title": 0.4, "length": 0.4, "status": 0.4}),
        dice.weighted(HASHES),
        dice.between(3, 15),
        (dice.between(2.5, 5), 0.5, dice.whole(6, 12)),
    )
    nature = Nature(
        (dice.between(8, 20), 1.2, 300), dynamic=dice.between(0.2, 0.45), sharing=(0.15, 0.35)
    )
    web = Web(dice, plan, nature)
    for _ in range(dice.whole(20, 150)):
        web.open(web.commons.default_site())
    return open_web(web, dice.whole(2400, 3800), dice.between(0.06, 0.16))


def sample(dice: Dice) -> Generated:
    """A random sample of the URLs of a large crawl."""
    take = dice.between(0.08, 0.3)
    plan = Plan(
        columns(dice, LEAN | {"title": 0.35, "length": 0.4}),
        dice.weighted(HASHES),
        dice.between(5, 30),
        (1000, 0.1, 5000),
        take,
    )
    nature = Nature(
        (dice.between(10, 25) / take, 0.9, 2500),
        dynamic=dice.between(0.15, 0.35),
        absolute=0.08,
        sharing=(0.6, 0.9),
    )
    return open_web(Web(dice, plan, nature), dice.whole(600, 1300), dice.between(0.08, 0.2))


def fronts(dice: Dice) -> Generated:
    """Front pages only."""
    plan = Plan(
        columns(dice, RICH | {"title": 0.8, "links": 0.35}),
        dice.weighted(HASHES),
        dice.between(0.3, 3),
        (1, 0.01, 1),
    )
    nature = Nature((6, 0.4, 15), dice.between(0.25, 0.5), absolute=0.1, visits=(1, 4))
    web = Web(dice, plan, nature)
    for _ in range(dice.whole(60, 250)):
        web.open(web.commons.default_site())
    for _ in range(dice.whole(2, 8)):
        parking(web, dice.size(15, 0.8, 60))
    return open_web(web, dice.whole(3450, 3850), dice.between(0.12, 0.22))


def dynamic(dice: Dice) -> Generated:
    """A crawl in which dynamic content destroys most fingerprints."""
    plan = Plan(
        columns(dice, RICH | {"links": 0.5}),
        dice.weighted(HASHES),
        dice.between(3, 25),
        (dice.between(12, 30), 0.9, 200),
    )
    nature = Nature(
        (dice.between(10, 20), 1.0, 300),
        dynamic=dice.between(0.85, 0.97),
        changing=(dice.between(0.6, 0.85), 1.0),
        absolute=dice.between(0.2, 0.4),
    )
    return open_web(Web(dice, plan, nature), dice.whole(700, 1400), dice.between(0.12, 0.25))


def archive(dice: Dice) -> Generated:
    """A web archive of two years, with several versions of most pages."""
    chosen = {"timestamp": 1.0, "status": 0.9, "mime": 0.9, "length": 0.7, "ip": 0.2}
    plan = Plan(
        columns(dice, chosen),
        dice.pick(("sha1", "sha1", "md5")),
        730.0,
        (dice.between(8, 30), 1.0, 150),
        all_types=dice.chance(0.5),
    )
    nature = Nature(
        (dice.between(8, 25), 1.1, 300),
        dynamic=dice.between(0.2, 0.4),
        visits=(1, dice.whole(4, 9)),
        revised=dice.between(0.2, 0.5),
    )
    web = Web(dice, plan, nature)
    hosts = dice.whole(600, 1300)
    for _ in range(int(hosts * dice.between(0.02, 0.05))):
        moved(web)
    return open_web(web, hosts, dice.between(0.06, 0.15))


def moved(web: Web) -> None:
    """A site that moved to another domain while the archive was made."""
    site = web.site(least=5)
    day = web.dice.between(0.2, 0.8)
    overlap = web.dice.between(0, 0.15)
    old = web.open(site, span=(0.0, min(1.0, day + overlap)))
    new = web.open(site, web.names.alias(old, "old_domain"), span=(day, 1.0))
    web.gold.relate(old, new, "replica", "moved")


def few_copies(dice: Dice) -> Generated:
    """A web with next to no copies, but with all that hosts share otherwise."""
    plan = Plan(
        columns(dice, COLUMNS | {"title": 0.4}),
        dice.weighted(HASHES),
        dice.between(2, 20),
        (dice.between(8, 25), 1.0, 200),
    )
    nature = Nature(
        (dice.between(6, 16), 1.2, 400), dynamic=dice.between(0.2, 0.5), sharing=(0.1, 0.3)
    )
    web = Web(dice, plan, nature)
    web.groups({"www_bare": 1.0, "old_domain": 1.0, "staging": 1.0}, dice.whole(4, 14))
    crowd(web, dice.whole(1000, 2400))
    return web.done()
