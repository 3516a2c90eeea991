"""The paths of a site's own pages, as its software makes them.

Invariant: the paths of a site are all different and begin with a slash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from training.generators.author_c.world import World

SECTIONS = """
    about contact faq privacy terms links sitemap team news gallery products services archive search
    login
""".split()
MIXED = ("wp", "drupal", "query", "static", "wiki", "dirs")


@dataclass
class Software:
    """What makes a site's paths, and those that it has made."""

    ending: str
    categories: list[str]
    parameter: str
    script: str
    made: list[str]
    number: int = 0  # of the next page


def paths(world: World, kind: str, count: int) -> list[str]:
    """So many paths or a few more, the home page first."""
    r = world.random
    if kind == "mix":
        kind = r.choice(MIXED)
    ending = r.choice((".html", ".html", ".htm", ".php", "", "/"))
    made = ["/" if r.random() < 0.9 else "/index.html"]
    made += [
        f"/{section}{ending}"
        for section in r.sample(SECTIONS, min(max(0, count // 4), r.randint(1, 8)))
    ]
    categories = [world.slug(1, 2) for _ in range(r.randint(2, 8))]
    parameter = r.choice(("id", "id", "p", "page", "article", "item"))
    script = r.choice(("/index.php", "/view.php", "/show.asp", "/page.php"))
    software = Software(ending, categories, parameter, script, made)
    seen, gap = set(made), r.choice((1, 1, 2, 3, 9))
    while len(made) < count:
        software.number += r.randint(1, gap)
        path = KINDS[kind](world, software)
        if path in seen:
            software.number += 1
        else:
            seen.add(path)
            made.append(path)
    return made


def dated(world: World, first: int, last: int, least: int, most: int) -> str:
    """A post of a day between two years, of so many words."""
    r = world.random
    date = f"{r.randint(first, last)}/{r.randint(1, 12):02d}/{r.randint(1, 28):02d}"
    return f"/{date}/{world.slug(least, most)}"


def _wordpress(world: World, software: Software) -> str:
    r = world.random
    part = r.random()
    if part < 0.75:
        return f"/{r.randint(2006, 2023)}/{r.randint(1, 12):02d}/{world.slug()}/"
    if part < 0.82:
        return f"/category/{r.choice(software.categories)}/"
    return f"/page/{len(software.made) // 5 + 2}/" if part < 0.9 else f"/tag/{world.word()}/"


def _drupal(world: World, software: Software) -> str:
    r = world.random
    return f"/node/{software.number}" if r.random() < 0.85 else f"/taxonomy/term/{r.randint(1, 60)}"


def _query(world: World, software: Software) -> str:
    r = world.random
    category = "" if r.random() < 0.8 else f"cat={r.randint(1, 40)}&"
    return f"{software.script}?{category}{software.parameter}={software.number}"


def _forum(world: World, software: Software) -> str:
    r = world.random
    part = r.random()
    if part < 0.7:
        return f"/viewtopic.php?t={software.number}{'' if part < 0.6 else '&start=15'}"
    return (
        f"/viewforum.php?f={r.randint(1, 40)}"
        if part < 0.85
        else f"/memberlist.php?mode=viewprofile&u={software.number}"
    )


def _wiki(world: World, software: Software) -> str:
    return f"/wiki/{world.slug(1, 3).replace('-', '_').title()}"


def _static(world: World, software: Software) -> str:
    r = world.random
    if r.random() < 0.5:
        return f"/{world.slug(1, 2)}{r.choice(('.html', '.htm'))}"
    category = r.choice(software.categories)
    name = r.choice((world.slug(1, 2), "index", f"page{r.randint(1, 30)}"))
    return f"/{category}/{name}.html"


def _shop(world: World, software: Software) -> str:
    r = world.random
    return (
        f"/product/{world.slug(2, 4)}-{software.number}"
        if r.random() < 0.8
        else f"/category/{r.choice(software.categories)}?page={r.randint(1, 9)}"
    )


def _news(world: World, software: Software) -> str:
    r = world.random
    section = f"{r.choice(software.categories)}/{r.randint(2012, 2022)}/{r.randint(1, 12):02d}"
    return f"/{section}/{world.slug(3, 6)}{software.ending.removesuffix('/')}"


def _folders(world: World, software: Software) -> str:
    r = world.random
    if r.random() < 0.6:
        folder = f"{r.choice(software.categories)}/{world.slug(1, 2)}"
        return f"/{folder}/{world.slug(1, 2)}{software.ending}"
    return f"/{r.choice(software.categories)}/{world.slug(1, 3)}{software.ending}"


KINDS: dict[str, Callable[[World, Software], str]] = {
    "wp": _wordpress,
    "drupal": _drupal,
    "query": _query,
    "forum": _forum,
    "wiki": _wiki,
    "static": _static,
    "shop": _shop,
    "news": _news,
    "dirs": _folders,
}
"""Name of a software: what makes its next path, which may be one that it has made already."""
