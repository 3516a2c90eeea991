"""The kinds of web: what is on it, how often, and how a crawl went through it.

Each is a function of the dice: its rates come from broad ranges, so each seed is another web.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from training.generators.author_i.dice import Dice


def rates(text: str) -> dict[str, float]:
    """Weights by name, from "name weight, name weight"."""
    words = (part.split() for part in text.split(","))
    return {name: float(weight) for name, weight in words}


MIXED = rates(
    "wordpress 30, joomla 6, drupal 7, static 14, builder 10, queries 12, dotnet 4, spa 4, wiki 2, "
    "manual 1, forum 3, shop 8, news 4, depot 0.5, journal 0.5"
)
OWNERS = rates(
    "www 30, alias 20, farm 3, wildcard 4, cdn 4, staging 10, address 6, redirecting 5, "
    "files 3, mobile 3, countries 2, franchise 3, mirror 3, saved 2, moved 8, redesigned 4, "
    "edition 3, half_frozen 2, scraper 3, phishing 1, translation 3, part 1"
)
ODD = rates("unset 8, parked 0.6, fresh 3, tenant 5, sisters 1.5, platform 0.7, manual 0.7")


class Recipe(NamedTuple):
    """The rates of one web and its crawl."""

    hosts: int
    """About as many."""
    copies: float
    """Share of hosts that are made from others."""
    odd: float
    """Share of the calls for other hosts that make hosts which look alike and are unrelated."""
    pages: float
    """Median of what a site wants to have."""
    most: int
    reach: float
    """Median of the pages that the crawl takes from a host."""
    reach_most: int
    signed: float
    """Share of sites that write the name of the host into pages."""
    flux: float
    """Share of sites of which pages differ at each fetch."""
    sessions: float
    """Share of sites with a session's code in URLs."""
    mounted: float
    """Share of sites that keep a manual of others."""
    errors: float
    """Most failures, as a share of a host's captures."""
    files: float
    """Share of files that are not pages which the crawl takes."""
    days: float
    """How long a crawl takes."""
    turnover: float = 0.0
    """Share of hosts that are not there in one of two visits."""
    kinds: Mapping[str, float] = MIXED
    causes: Mapping[str, float] = OWNERS
    unrelated: Mapping[str, float] = ODD
    tlds: str = "mixed"
    sampled: bool = False
    """Whether pages are a sample of URLs, not those that a crawl finds first."""
    visits: tuple[float, ...] = (0.0,)
    """Months in which crawls end."""


def _web(rng: Dice) -> Recipe:
    """A web with nothing special about it."""
    return Recipe(
        hosts=rng.count(700, 2600),
        copies=rng.spread(0.05, 0.35),
        odd=rng.uniform(0.05, 0.3),
        pages=rng.spread(15, 140),
        most=1500,
        reach=rng.spread(12, 180),
        reach_most=rng.count(200, 2000),
        signed=rng.uniform(0.05, 0.6),
        flux=rng.spread(0.03, 0.3),
        sessions=rng.spread(0.005, 0.08),
        mounted=rng.spread(0.003, 0.04),
        errors=rng.spread(0.01, 0.2),
        files=rng.choice((0.0, 0.1, 0.4, 1.0)),
        days=rng.spread(2, 100),
    )


def _national(rng: Dice) -> Recipe:
    return _web(rng)._replace(tlds="country")


def _campus(rng: Dice) -> Recipe:
    kinds = rates(
        "homes 25, static 20, drupal 12, wordpress 14, wiki 6, manual 5, depot 5, journal 7"
    )
    causes = rates("www 25, alias 15, farm 8, wildcard 4, staging 7, address 9, mirror 18, moved 8")
    causes |= rates(
        "edition 10, half_frozen 5, redesigned 5, part 8, saved 4, files 2, redirecting 4"
    )
    web = _web(rng)._replace(tlds="learned", kinds=kinds, causes=causes)
    return web._replace(mounted=rng.spread(0.03, 0.2), pages=rng.spread(20, 60))


def _trades(rng: Dice) -> Recipe:
    kinds = rates("builder 50, wordpress 25, static 10, queries 8, shop 5, spa 3")
    causes = rates("www 25, alias 30, franchise 15, address 5, staging 6, redirecting 8, moved 6")
    causes |= rates("wildcard 4, countries 2, scraper 1, redesigned 3")
    odd = rates("unset 5, parked 1.5, fresh 5, tenant 2, sisters 7, platform 3")
    web = _web(rng)._replace(kinds=kinds, causes=causes, unrelated=odd)
    web = web._replace(hosts=rng.count(1200, 2800), odd=rng.uniform(0.1, 0.3))
    return web._replace(pages=rng.spread(8, 25), reach=rng.spread(10, 30))


def _shallow(rng: Dice) -> Recipe:
    web = _web(rng)._replace(hosts=rng.count(2200, 3000), reach=rng.spread(4, 12), reach_most=20)
    return web._replace(pages=rng.spread(8, 30), most=300)


def _sample(rng: Dice) -> Recipe:
    web = _web(rng)._replace(sampled=True, hosts=rng.count(1200, 2600))
    return web._replace(pages=rng.spread(25, 60), reach=rng.spread(6, 25))


def _two_years(rng: Dice) -> Recipe:
    causes = {**OWNERS, "moved": 30, "redesigned": 12, "half_frozen": 6, "edition": 6}
    web = _web(rng)._replace(visits=(-12.0, 0.0), causes=causes, turnover=rng.uniform(0.1, 0.4))
    web = web._replace(copies=rng.spread(0.1, 0.35), pages=rng.spread(12, 40))
    return web._replace(hosts=rng.count(700, 1800), reach=rng.spread(8, 30), days=rng.spread(2, 40))


def _restless(rng: Dice) -> Recipe:
    web = _web(rng)._replace(flux=rng.uniform(0.3, 0.9), sessions=rng.uniform(0.1, 0.5))
    return web._replace(signed=rng.uniform(0.3, 0.9), copies=rng.spread(0.1, 0.4))


def _handbooks(rng: Dice) -> Recipe:
    kinds = rates("wiki 35, manual 35, static 10, wordpress 10, homes 4, forum 4, depot 3")
    causes = rates(
        "mirror 22, fork 20, edition 14, half_frozen 8, saved 10, part 10, www 14, alias 8"
    )
    causes |= rates("scraper 6, translation 7, moved 6, staging 5, cdn 3")
    web = _web(rng)._replace(kinds=kinds, causes=causes, hosts=rng.count(600, 1500))
    web = web._replace(pages=rng.spread(30, 90), reach=rng.spread(25, 90))
    return web._replace(mounted=rng.spread(0.05, 0.25), copies=rng.spread(0.12, 0.45))


def _newsroom(rng: Dice) -> Recipe:
    kinds = rates("news 55, wordpress 25, drupal 8, forum 4, spa 3, static 4")
    causes = rates("www 25, alias 15, mobile 12, scraper 18, moved 8, cdn 8, farm 5, translation 5")
    causes |= rates("franchise 6, files 6, staging 5, mirror 4, half_frozen 3, redirecting 4")
    web = _web(rng)._replace(kinds=kinds, causes=causes, hosts=rng.count(600, 1600))
    return web._replace(pages=rng.spread(30, 70), reach=rng.spread(25, 90), signed=rng.random())


def _bazaar(rng: Dice) -> Recipe:
    kinds = rates("shop 65, wordpress 12, builder 8, queries 6, static 5, spa 4")
    causes = rates("franchise 22, alias 18, www 20, countries 10, translation 10, scraper 8")
    causes |= rates("phishing 5, staging 6, moved 6, redirecting 5, files 4, address 3")
    web = _web(rng)._replace(kinds=kinds, causes=causes, files=rng.choice((0.2, 0.6, 1.0)))
    return web._replace(hosts=rng.count(700, 1800), copies=rng.spread(0.1, 0.4))


def _impostors(rng: Dice) -> Recipe:
    causes = rates(
        "scraper 40, phishing 12, saved 15, www 10, alias 8, mirror 4, address 3, part 3"
    )
    web = _web(rng)._replace(causes=causes, tlds="free", copies=rng.spread(0.15, 0.5))
    return web._replace(signed=rng.uniform(0.2, 0.8), files=rng.choice((0.1, 0.5, 1.0)))


def _brands(rng: Dice) -> Recipe:
    causes = rates("countries 20, translation 20, www 15, alias 25, redirecting 8, mobile 5")
    causes |= rates("phishing 4, cdn 5, staging 5, moved 4, franchise 4, edition 3")
    web = _web(rng)._replace(causes=causes, copies=rng.uniform(0.3, 0.6))
    return web._replace(signed=rng.uniform(0.2, 0.9))


def _depots(rng: Dice) -> Recipe:
    kinds = rates("depot 50, manual 15, static 15, homes 8, wordpress 8, wiki 4")
    causes = rates("mirror 45, farm 8, address 8, www 10, alias 8, cdn 6, saved 3, half_frozen 5")
    causes |= rates("part 10, moved 4, wildcard 3, edition 3")
    web = _web(rng)._replace(kinds=kinds, causes=causes, hosts=rng.count(600, 1500), files=1.0)
    web = web._replace(pages=rng.spread(40, 120), reach=rng.spread(25, 90))
    return web._replace(copies=rng.spread(0.15, 0.5))


def _moved(rng: Dice) -> Recipe:
    causes = rates(
        "moved 35, redesigned 15, half_frozen 12, saved 12, redirecting 8, www 8, alias 6"
    )
    causes |= rates("edition 8, mirror 4, staging 4")
    web = _web(rng)._replace(causes=causes, copies=rng.spread(0.15, 0.4))
    return web._replace(kinds={**MIXED, "forum": 15, "static": 25, "wiki": 6})


def _lonely(rng: Dice) -> Recipe:
    web = _web(rng)._replace(copies=rng.spread(0.004, 0.03), odd=rng.uniform(0.2, 0.5))
    odd = {**ODD, "sisters": 4, "platform": 2, "fresh": 6}
    return web._replace(unrelated=odd, mounted=rng.spread(0.02, 0.15), hosts=rng.count(1000, 2800))


def _onions(rng: Dice) -> Recipe:
    kinds = rates("market 40, forum 12, wiki 8, static 25, wordpress 8, spa 3, depot 4")
    causes = rates("mirror 35, alias 15, scraper 15, phishing 15, gateway 10, saved 5, farm 1")
    odd = rates("unset 12, tenant 1, fresh 1, parked 0.5")
    web = _web(rng)._replace(kinds=kinds, causes=causes, unrelated=odd, tlds="onion")
    web = web._replace(copies=rng.uniform(0.6, 0.85), hosts=rng.count(600, 1800))
    return web._replace(flux=rng.uniform(0.05, 0.5), reach=rng.spread(10, 50))


RECIPES: dict[str, Callable[[Dice], Recipe]] = {
    "national": _national,
    "campus": _campus,
    "trades": _trades,
    "shallow": _shallow,
    "sample": _sample,
    "two_years": _two_years,
    "restless": _restless,
    "handbooks": _handbooks,
    "newsroom": _newsroom,
    "bazaar": _bazaar,
    "impostors": _impostors,
    "brands": _brands,
    "depots": _depots,
    "moved": _moved,
    "lonely": _lonely,
    "onions": _onions,
}
