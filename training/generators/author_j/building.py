"""Builds the world of a scenario, has it crawled, and returns captures and gold."""

from __future__ import annotations

from training.generators.author_j.addresses import Addresses
from training.generators.author_j.alike import ALIKE, LATE
from training.generators.author_j.closeness import add_close
from training.generators.author_j.crawling import Plan, crawl
from training.generators.author_j.crowded_webs import CROWDED
from training.generators.author_j.draw import Draw
from training.generators.author_j.general_webs import GENERAL
from training.generators.author_j.gold import pairs
from training.generators.author_j.mixture import Mixture
from training.generators.author_j.model import World
from training.generators.author_j.reasons import COPIES
from training.generators.author_j.settling import add_copies, new_host
from training.generators.author_j.special_webs import SPECIAL
from training.generators.author_j.table import COLUMNS, table
from training.generators.author_j.words import STARTS, invented
from training.generators.common import Generated

WEBS: dict[str, Mixture] = {**GENERAL, **SPECIAL, **CROWDED}
"""The scenarios and what they are a mixture of."""
BASE_KINDS = {"kit": ("kit", "kit", "kit", "static"), "farm": ("listing", "blog", "shop", "static")}


def _world(draw: Draw, mixture: Mixture, with_links: bool) -> World:
    """A world with platforms and campuses, but no site."""
    restless = draw.unit() ** 2 * 0.4
    text_rate = draw.pick((0.25, 0.6, 0.85, 1.0))
    world = World(draw, mixture, Addresses(draw), with_links, restless, text_rate)
    shops = ("{}.com", "{}blogs.com", "{}.net", "{}app.io", "my{}.com", "{}-host.com", "{}.site")
    for _ in range(draw.between(3, 9)):
        world.platforms.append(draw.pick(shops).format(invented(draw)))
    schools = ("{}.edu", "{}.ac.uk", "uni-{}.de", "univ-{}.fr", "cs.{}.edu", "tu-{}.de")
    for _ in range(draw.between(8, 36)):
        name = draw.pick(STARTS) + invented(draw)
        world.campuses.append(draw.pick(schools).format(name))
    return world


def _settle(world: World) -> None:
    """The sites before any is copied."""
    draw, mixture = world.draw, world.mixture
    median, spread, most = mixture.pages
    median *= 0.6 + 0.9 * draw.unit()
    for _ in range(draw.between(*mixture.sites)):
        kind = draw.weighted(mixture.kinds)
        size = draw.heavy(median, spread, most)
        if kind == "card":
            size = min(size, draw.between(2, 9))
        new_host(world, kind, draw.weighted(mixture.homes), size=size)


def _copy(world: World) -> None:
    """The replicas, in mixed order, so that copies are copied, too."""
    draw = world.draw
    rate = 0.6 + 0.8 * draw.unit()
    todo = [
        cause
        for cause, (few, most) in world.mixture.copies.items()
        for _ in range(int(draw.between(few, most) * rate + 0.5))
    ]
    for cause in draw.some(todo, len(todo)):
        copying = COPIES[cause]
        if cause in BASE_KINDS:
            kind = draw.pick(BASE_KINDS[cause])
            size = draw.heavy(6 if cause == "kit" else 16, 0.8, 150, 3)
            host = new_host(world, kind, "throwaway", size=size)
            if host is not None:
                host.cause = cause
                for page in host.pages:
                    page.edits = min(page.edits, 0.4)
        else:
            host = world.chosen(copying.kinds, copying.least)
        if host is not None:
            add_copies(world, host, copying, cause)


def _share_contents(world: World, late: bool) -> None:
    """What unrelated hosts have in common; some of it after copying."""
    for name, (few, most) in world.mixture.alike.items():
        if (name in LATE) == late:
            ALIKE[name](world, world.draw.between(few, most))


def _plan(world: World, columns: tuple[str, ...], all_types: bool) -> Plan:
    """How this crawl goes about it."""
    draw, mixture = world.draw, world.mixture
    style = draw.weighted(mixture.styles)
    revisits = draw.within(mixture.revisits)
    middle = 0.65 * sum(mixture.share) / 2
    likely = sum(len(host.pages) for host in world.hosts) * middle / (1 - revisits)
    return Plan(
        style,
        mixture.share,
        revisits,
        draw.within(mixture.errors),
        "status" in columns or draw.chance(0.15),
        draw.between(*mixture.days),
        not all_types and draw.chance(0.7),
        min(1.0, mixture.most_rows / max(likely, 1)),
        draw.pick((0.05, 0.2, 0.5, 1.0)),
    )


def build(scenario: str, seed: int) -> Generated:
    """The crawl of that scenario and seed."""
    mixture = WEBS[scenario]
    draw = Draw("author_j", scenario, seed)
    columns = COLUMNS[draw.weighted(mixture.columns)]
    all_types = draw.chance(mixture.all_types)
    world = _world(draw, mixture, "links" in columns)
    _settle(world)
    _share_contents(world, late=False)
    _copy(world)
    for cause, (few, most) in mixture.close.items():
        for _ in range(draw.between(few, most)):
            add_close(world, cause)
    _share_contents(world, late=True)
    plan = _plan(world, columns, all_types)
    rows = crawl(world, plan)
    captures = table(draw, rows, mixture, columns, plan.days)
    return Generated(captures, pairs(world, rows, "title" in columns), all_types)
