"""The scenarios: what web each is, and how it is crawled. Rates are drawn by seed."""

from __future__ import annotations

import random
from collections.abc import Callable

from training.generators.author_h.draw import between
from training.generators.author_h.model import Recipe

RICH = ("ip", "timestamp", "mime", "length", "title")
ENGINES = {"blog": 3.0, "ids": 2.5, "static": 3.0, "shop": 1.5, "wiki": 0.5, "news": 0.8}
COUNTRIES = "pt cz hu cl gr ro fi no sk ee lt hr si is".split()
GLOBAL = {
    "com": 5.0, "org": 1.3, "net": 1.2, "info": 0.6, "de": 0.8, "co.uk": 0.6, "ru": 0.5, "io": 0.3
}  # fmt: skip
CHEAP = {"com": 2, "xyz": 2, "top": 2, "online": 1.5, "site": 1.2, "shop": 1, "info": 1, "ru": 0.8}
WEB = {
    "www-alias": 1.0, "dns-alias": 4.0, "staging": 2.0, "domain-move": 2.5, "rsync-mirror": 1.0,
    "httrack": 0.8, "scraper": 0.7, "proxy-clone": 0.4, "white-label": 0.8, "translation": 1.0,
    "other-year": 0.4, "version": 0.5,
}  # fmt: skip


def _base(rng: random.Random, copies: tuple[float, float] = (0.02, 0.1)) -> Recipe:
    """Draw a web of middling rates, that scenarios then change."""
    return Recipe(
        hosts=rng.randint(2000, 5000),
        copies=between(rng, *copies),
        mechanisms={k: w * rng.lognormvariate(0, 0.6) for k, w in WEB.items()},
        engines={k: w * rng.lognormvariate(0, 0.4) for k, w in ENGINES.items()},
        endings=dict(GLOBAL),
        size=between(rng, 25, 60),
        spread=rng.uniform(0.8, 1.4),
        jitter=between(rng, 0.1, 1.2),
        window=between(rng, 1, 40),
        nonce=(rng.uniform(0.3, 1), rng.uniform(3, 9)),
        restless=rng.uniform(0.05, 0.3),
        group=rng.uniform(1.2, 2.2),
        dead=rng.uniform(0.03, 0.15),
        engine_files=rng.uniform(0.1, 0.5),
        legal=rng.uniform(0.1, 0.5),
        syndicated=between(rng, 0.1, 1.0),
        manuals=between(rng, 0.005, 0.06),
        articles=rng.randint(500, 4000),
        chains=rng.randint(0, 4),
        networks=rng.randint(1, 8),
        manual_hosts=rng.randint(0, 3),
    )


def _national(rng: random.Random) -> Recipe:
    made = _base(rng)
    made.endings = {rng.choice(COUNTRIES): 8.0, "com": 1.0, "eu": 0.3, "org": 0.3}
    made.budget = (5, rng.randint(80, 300))
    return made


def _archive(rng: random.Random) -> Recipe:
    made = _base(rng, (0.04, 0.2))
    made.engines = {"static": 3, "manual": 3, "wiki": 1, "ids": 1, "blog": 1}
    made.endings = {"org": 3, "com": 2, "net": 1, "ac.uk": 0.5, "edu": 1, "de": 1}
    made.mechanisms = {
        "rsync-mirror": 4, "httrack": 2, "other-year": 2, "version": 3, "dns-alias": 1.5,
        "domain-move": 1, "translation": 0.7,
    }  # fmt: skip
    made.manuals, made.manual_hosts = rng.uniform(0.08, 0.35), rng.randint(3, 12)
    made.policy, made.budget = "random", (5, rng.randint(60, 150))
    made.columns, made.largest = RICH, 30
    return made


def _platforms(rng: random.Random) -> Recipe:
    made = _base(rng, (0.003, 0.025))
    made.engines = {"blog": 5, "shop": 4, "static": 0.5, "news": 0.5}
    made.platform, made.restless = rng.uniform(0.4, 0.85), rng.uniform(0.15, 0.5)
    made.legal, made.engine_files = rng.uniform(0.4, 0.8), rng.uniform(0.4, 0.8)
    made.budget = (6, rng.randint(50, 150))
    return made


def _phishing(rng: random.Random) -> Recipe:
    made = _base(rng, (0.06, 0.25))
    made.endings = dict(CHEAP)
    made.mechanisms = {
        "scraper": 3, "proxy-clone": 4, "httrack": 2, "dns-alias": 1, "white-label": 0.7,
        "domain-move": 0.6,
    }  # fmt: skip
    made.kits, made.farms = rng.randint(5, 20), (rng.randint(1, 6), 8, 50)
    made.blocking, made.dead = rng.uniform(0.02, 0.12), rng.uniform(0.1, 0.3)
    made.budget, made.columns = (4, rng.randint(50, 150)), RICH
    made.largest, made.group = 40, rng.uniform(0.9, 1.5)
    return made


def _few(rng: random.Random) -> Recipe:
    made = _base(rng)
    made.hosts, made.budget = rng.randint(4000, 5000), (3, 25)
    made.syndicated, made.jitter = rng.uniform(0.1, 0.4), rng.uniform(0.05, 0.6)
    return made


def _noisy(rng: random.Random) -> Recipe:
    made = _base(rng, (0.03, 0.12))
    made.nonce = (rng.uniform(4, 14), rng.uniform(0.8, 2))
    made.restless, made.settled = rng.uniform(0.3, 0.7), rng.uniform(0.6, 0.95)
    made.budget, made.columns = (10, rng.randint(80, 200)), RICH
    return made


def _shared(rng: random.Random) -> Recipe:
    made = _base(rng)
    made.syndicated, made.articles = rng.uniform(0.9, 3), rng.randint(800, 8000)
    made.strays, made.networks = rng.uniform(0.2, 0.6), rng.randint(5, 20)
    made.chains, made.budget = rng.randint(2, 8), (8, rng.randint(80, 200))
    return made


def _samples(rng: random.Random) -> Recipe:
    made = _base(rng, (0.03, 0.1))
    made.hosts, made.size = rng.randint(3000, 5000), between(rng, 80, 160)
    made.policy, made.budget = "sample", (12, 60)
    made.endings = {**GLOBAL, rng.choice(COUNTRIES): 4}
    return made


def _homes(rng: random.Random) -> Recipe:
    made = _base(rng, (0.03, 0.12))
    made.hosts, made.policy = rng.randint(3500, 5000), "home"
    made.visits, made.gap = (rng.randint(5, 7), rng.randint(8, 11)), between(rng, 5, 60)
    made.dead, made.blocking = rng.uniform(0.12, 0.35), rng.uniform(0.02, 0.08)
    made.columns = RICH
    return made


def _farms(rng: random.Random) -> Recipe:
    made = _base(rng, (0.01, 0.05))
    made.farms = (rng.randint(4, 14), rng.randint(10, 30), rng.randint(60, 200))
    made.endings = {**GLOBAL, **CHEAP}
    made.policy = rng.choice(("random", "breadth"))
    made.budget = (4, rng.randint(60, 120))
    return made


def _onion(rng: random.Random) -> Recipe:
    made = _base(rng, (0.35, 0.55))
    made.hosts = rng.randint(2000, 3600)
    made.engines = {"market": 3, "static": 2, "ids": 1.5, "wiki": 0.4, "blog": 1, "shop": 1}
    made.mechanisms = {"onion-mirror": 3, "onion-clone": 4, "other-year": 0.3, "version": 0.4}
    made.farms, made.onion = (rng.randint(2, 6), 20, 150), True
    made.group, made.largest = rng.uniform(0.7, 1.2), 90
    made.size, made.columns = between(rng, 12, 35), tuple(c for c in RICH if c != "ip")
    made.blocking = rng.uniform(0.02, 0.08)
    return made


def _none(rng: random.Random) -> Recipe:
    made = _base(rng)
    made.copies = rng.choice((0.0, 0.0005, 0.001, 0.002))
    made.networks, made.siblings = rng.randint(4, 20), rng.uniform(0.05, 0.15)
    made.budget = (5, rng.randint(80, 200))
    return made


def _dates(rng: random.Random) -> Recipe:
    made = _national(rng)
    made.mechanisms["domain-move"] = 6.0
    made.visits, made.gap = (1, 2), between(rng, 60, 500)
    made.budget, made.columns = (5, rng.randint(60, 150)), RICH
    return made


RECIPES: dict[str, Callable[[random.Random], Recipe]] = {
    "national_web": _national,
    "manual_archive": _archive,
    "blog_shop_platforms": _platforms,
    "spam_phishing": _phishing,
    "few_pages": _few,
    "noisy_web": _noisy,
    "random_sharing": _shared,
    "url_samples": _samples,
    "home_pages": _homes,
    "partial_farms": _farms,
    "onion_dense": _onion,
    "nearly_none": _none,
    "two_dates": _dates,
}
