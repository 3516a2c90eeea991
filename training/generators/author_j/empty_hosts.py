"""Hosts with nothing of their own: default pages, errors, walls, log-ins, parked names."""

from __future__ import annotations

from typing import NamedTuple

from training.generators.author_j.model import Page, World
from training.generators.author_j.settling import new_host, put

HTML = "text/html"


class Plain(NamedTuple):
    """What such a host shows."""

    weight: float
    title: str
    size: int
    paths: tuple[str, ...] = ("/",)
    versions: int = 1
    """How many kinds of it there are in the web."""


SHOWN = {
    "nginx": Plain(5, "Welcome to nginx!", 612),
    "apache": Plain(5, "Apache2 Default Page: It works", 10918, versions=3),
    "works": Plain(3, "", 45, ("/", "/index.html")),
    "iis": Plain(3, "IIS Windows Server", 703, versions=2),
    "panel": Plain(4, "Default Web Site Page", 4200, ("/", "/cgi-sys/defaultwebpage.cgi"), 3),
    "plesk": Plain(3, "Domain Default page", 3500, versions=2),
    "suspended": Plain(4, "Account Suspended", 7400, ("/", "/cgi-sys/suspendedpage.cgi"), 2),
    "building": Plain(5, "Under construction", 900, versions=9),
    "empty": Plain(6, "", 0, ("/", "/index.html", "/index.php")),
    "index": Plain(3, "Index of /", 480, versions=4),
    "denied": Plain(4, "403 Forbidden", 564, versions=4),
    "missing": Plain(4, "404 Not Found", 548, versions=4),
    "failing": Plain(2, "Error establishing a database connection", 2600),
    "maintenance": Plain(2, "Maintenance", 1900, versions=5),
    "soon": Plain(4, "Coming soon", 8100, versions=6),
    "parked": Plain(12, "This domain is parked", 6100, ("/", "/lander"), 5),
    "expired": Plain(4, "This domain has expired", 3300, versions=3),
    "webmail": Plain(3, "Webmail Login", 9100, ("/", "/?_task=login", "/mail/"), 2),
    "git": Plain(2, "Sign in", 12800, ("/users/sign_in", "/users/password/new", "/help")),
    "database": Plain(1, "phpMyAdmin", 8300, ("/", "/index.php", "/phpmyadmin/")),
    "router": Plain(1, "Login", 2700, ("/", "/login.htm", "/cgi-bin/luci"), 3),
    "shell": Plain(3, "App", 1800, ("/", "/login", "/home", "/dashboard", "/404"), 3),
}
WALLS = {
    "moment": ("Just a moment...", 7100),
    "attention": ("Attention Required!", 4600),
    "robot": ("Are you a robot?", 2900),
    "denied": ("Access Denied", 380),
    "cookies": ("Please enable cookies", 1500),
    "login": ("Log in", 6600),
    "age": ("Age verification", 3900),
}


def shown_pages(world: World, weights: dict[str, float]) -> list[Page]:
    """The pages of a host that shows one of those things."""
    draw = world.draw
    name = draw.weighted(weights)
    plain = SHOWN[name]
    version = draw.skewed(range(plain.versions))
    own = name in ("parked", "expired", "missing", "router") and draw.chance(0.4)
    one_body = name in ("shell", "empty", "suspended", "parked")
    pages = []
    for place, path in enumerate(plain.paths[: draw.between(1, len(plain.paths))]):
        body = f"empty.{name}.{version}{'' if one_body else f'.{place}'}"
        body = f"{body}.{world.number()}" if own else body
        pages.append(Page(path, plain.title, body, plain.size + version, HTML, 0.0, -9.0))
    return pages


def empty_hosts(world: World, count: int) -> None:
    """Hosts that show nothing but such a thing."""
    homes = {"own": 6.0, "platform": 1.0, "throwaway": 1.0, "campus": 0.5}
    weights = {name: plain.weight for name, plain in SHOWN.items()}
    for name in world.draw.some(tuple(SHOWN), 2):
        weights[name] *= world.draw.pick((3, 8, 40))
    for _ in range(count):
        new_host(world, "card", world.draw.weighted(homes), shown_pages(world, weights))


def walls(world: World, count: int) -> None:
    """Hosts that show the crawler a wall instead of most pages."""
    draw = world.draw
    for _ in range(count):
        host = world.chosen()
        if host is not None:
            name = draw.skewed(tuple(WALLS), 1.5)
            title, size = WALLS[name]
            changing = 900.0 if draw.chance(0.4) else 0.0
            version = draw.skewed(range(4))
            host.wall = Page("", title, f"wall.{name}.{version}", size + version, HTML, changing)


def soft_errors(world: World, count: int) -> None:
    """Paths that lead nowhere, but are answered like pages."""
    draw = world.draw
    for _ in range(count):
        host = world.chosen()
        if host is None:
            continue
        shared = draw.chance(0.35)
        key = draw.pick(("soft.a", "soft.b", "soft.c")) if shared else f"soft.{world.number()}"
        title = "Page not found" if shared else f"{host.title}: not found"
        put(
            world,
            host,
            [
                Page(f"/{draw.pick(host.tongue.words)}/{draw.hexes(5)}", title, key, 3100, HTML)
                for _ in range(draw.heavy(4, 1.0, 80))
            ],
        )


def traps(world: World, count: int) -> None:
    """Calendars without an end."""
    draw = world.draw
    for _ in range(count):
        host = world.chosen(("cms", "campus", "office", "listing", "card", "blog"))
        if host is None:
            continue
        start, empty = draw.pick(("/calendar", "/events/", "/termine.php")), draw.chance(0.5)
        site, first = world.number(), draw.between(1995, 2020)
        pages = []
        for month in range(draw.heavy(40, 0.9, 400)):
            when = f"{first + month // 12}-{month % 12 + 1:02}"
            body = f"trap{site}" if empty else f"trap{site}.{month}"
            title = "Calendar" if empty else f"Calendar {when}"
            pages.append(Page(f"{start}?month={when}", title, body, 7000, HTML))
        put(world, host, pages)
