"""All that unrelated hosts have in common, by name; and crowds of hosts made after one pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from training.generators.author_j import empty_hosts, taken_texts
from training.generators.author_j.model import World
from training.generators.author_j.settling import new_host, put
from training.generators.author_j.sites import HTML, Page, pages_of
from training.generators.author_j.words import TONGUES, slug, title


def tenants(world: World, count: int) -> None:
    """Customers of one platform: own contents, but the platform's help, log-in and errors."""
    draw = world.draw
    for _ in range(count):
        platform = f"{draw.skewed(world.platforms)}"
        key, kind = f"tenant{world.number()}", draw.weighted(world.mixture.kinds)
        paths = draw.some(("/login", "/help/faq", "/help/start", "/terms", "/signup", "/404"), 4)
        shared = [
            Page(path, f"{platform} {path[1:]}", f"{key}{path}", 5000 + place, HTML)
            for place, path in enumerate(paths)
        ]
        for _ in range(draw.heavy(25, 0.8, 250, 5)):
            size = draw.heavy(5, 1.0, 120, 1)
            tongue = TONGUES[draw.weighted(world.mixture.tongues)]
            pages = pages_of(world, tongue, kind, size, title(draw, tongue), 0)
            host = new_host(world, kind, "platform", pages)
            if host is not None:
                put(world, host, draw.some(shared, draw.between(0, len(shared))))


def doorways(world: World, count: int) -> None:
    """Hosts of one spammer with texts spun from the same words; each has its own."""
    draw = world.draw
    for _ in range(count):
        key, address = f"door{world.number()}", world.addresses.single()
        tongue = TONGUES[draw.weighted(world.mixture.tongues)]
        names = [title(draw, tongue) for _ in range(draw.between(40, 300))]
        paths = draw.pick(("/{}", "/{}.html", "/?q={}"))
        shared = [
            Page(f"/{name}", name, f"{key}.{name}", 2500, HTML)
            for name in ("contact", "about", "dmca", "privacy")
        ]
        for _ in range(draw.heavy(50, 0.7, 260, 8)):
            chosen = draw.some(names, draw.heavy(10, 0.7, 60, 2))
            each = world.number()
            pages = [
                Page(paths.format(slug(name)), name, f"{key}.{each}.{place}", 8000, HTML)
                for place, name in enumerate(chosen)
            ]
            pages[0] = replace(pages[0], path="/")
            host = new_host(world, "listing", "throwaway", pages)
            if host is not None:
                host.addresses = (address,) if draw.chance(0.5) else host.addresses
                put(world, host, draw.some(shared, draw.between(0, 2)))


ALIKE: dict[str, Callable[[World, int], None]] = {
    "tenants": tenants,
    "doorways": doorways,
    "syndicated": taken_texts.syndicated,
    "goods": taken_texts.goods,
    "agency": taken_texts.agency,
    "laws": taken_texts.laws,
    "manuals": taken_texts.manuals,
    "encyclopaedia": taken_texts.encyclopaedia,
    "papers": taken_texts.papers,
    "soft": empty_hosts.soft_errors,
    "traps": empty_hosts.traps,
    "aggregators": taken_texts.aggregators,
    "empty": empty_hosts.empty_hosts,
    "walls": empty_hosts.walls,
}
"""What unrelated hosts have in common, and how so much of it is put into the world."""
LATE = ("aggregators", "empty", "walls", "soft")
"""What comes after sites were copied, so that copies do not have it."""
