"""Added to a site's own pages: a theme's demonstration, noise that many sites have, files."""

from __future__ import annotations

import math
import random

from training.generators.author_b.world import TEXT, Links, Page, Site, World

THEME_FILES = (
    ("css", "text/css"),
    ("js", "application/javascript"),
    ("png", "image/png"),
    ("woff", "font/woff"),
)
STYLE_FOLDERS = ["/static", "/css", "/js", "/assets"]


def add_demonstration(world: World, site: Site, pool: Links) -> None:
    """The pages that a theme comes with, which sites that are barely begun still have."""
    theme_random = random.Random(f"{world.key} pages of {site.cms} {site.theme}")
    for k in range(theme_random.randrange(2, 12)):
        path, length = (
            (
                f"/2015/0{1 + k % 9}/{theme_random.randrange(10**6)}/"
                if site.cms == "wp"
                else f"/demo/{theme_random.randrange(10**6)}.html"
            ),
            theme_random.randrange(2000, 30000),
        )
        changed = world.happens("demonstration touched", 0.1, 2.5)
        content = f"{site.number}demo{k}" if changed else f"demo {site.cms} {site.theme} {k}"
        site.add(path, Page(content, f"Demo {k}", length, links=pool.theme, volatility=0.02))


def add_noise(world: World, site: Site) -> None:
    """Pages that many sites have: robots.txt, missing pages answered by one page, licences,
    manuals, documents.
    """
    r = world.random
    if world.happens("robots", 0.35):
        site.add(
            "/robots.txt",
            Page(
                r.choice(world.robots) if r.random() < 0.8 else f"{site.number}rob",
                None,
                120,
                TEXT,
                volatility=0.02,
                depth=0,
            ),
        )
    if world.happens("soft 404", 0.15):
        content = (
            f"soft{r.randrange(15)}"
            if world.happens("common soft 404", 0.3)
            else f"{site.number}:soft"
        )
        for _ in range(r.randrange(1, 12)):
            site.add(f"/{world.slug(2)}", Page(content, "Not found", 900, volatility=0.02))
    if world.happens("licence", 0.05):
        site.add("/license.txt", Page(f"gpl{r.randrange(4)}", None, 19935, TEXT, volatility=0))
    if world.happens("manual", 0.01):
        add_manual(site, r.sample(world.manual, k=r.randrange(5, 90)))
    if world.happens("documents", 0.12):
        year = r.randrange(2006, 2019)
        for _ in range(1 + int(r.expovariate(0.4))):
            content, file, length = world.documents[int(r.random() ** 2 * len(world.documents))]
            folder = (
                f"/wp-content/uploads/{year}/{r.randrange(1, 13):02d}/"
                if site.cms == "wp"
                else r.choice(["/docs/", "/files/", "/pdf/", "/"])
            )
            site.add(
                folder + (file if r.random() < 0.7 else world.slug(2) + ".pdf"),
                Page(content, None, length, "application/pdf", volatility=0),
            )


def add_manual(site: Site, pages: list[tuple[str, str]]) -> None:
    """Pages of the web server's manual, which any host may carry."""
    for path, content in pages:
        site.add(path, Page(content, content, 9000 + len(content), volatility=0))


def add_files(world: World, site: Site, theme: int | None = None) -> None:
    """Files of a theme, libraries, stock pictures, pictures of the site's own, an icon."""
    r, own = (
        world.random,
        int(len(site.pages) * world.random.random() * world.rate("own pictures", 1.5)),
    )
    theme = site.theme if theme is None else theme
    folder = {
        "wp": f"/wp-content/themes/t{theme}",
        "drupal": f"/sites/all/themes/t{theme}",
        "phpbb": "/styles/prosilver",
        "jekyll": "/assets",
    }.get(site.cms) or r.choice(STYLE_FOLDERS)
    for k in range(4 + theme % 25):
        ending, mime = THEME_FILES[k % 4]
        content = (
            f"{site.number}th{k}"
            if world.happens("theme touched", 0.07, 2.5)
            else f"th{theme}-{site.cms}-{k}"
        )
        site.add(
            f"{folder}/f{k}.{ending}",
            Page(content, None, 1000 + theme * 37 % 900 + k * 100, mime, volatility=0.02),
        )
    for _ in range(r.randrange(1, 7)):
        version = int(r.paretovariate(0.8)) % 40
        path = (
            f"/wp-includes/js/jquery/jquery.js?ver={version}"
            if site.cms == "wp"
            else f"/js/jquery-{version}.min.js"
        )
        site.add(
            path,
            Page(f"jq{version}", None, 90000 + version, "application/javascript", volatility=0),
        )
    add_stock(world, site)
    for k in range(min(own, 800)):
        file = r.choice(
            [world.slug(2), f"img_{r.randrange(9999):04d}", "logo", "header"]
        ) + r.choice([".jpg", ".png", ".gif"])
        page = Page(
            f"{site.number}img{k}",
            None,
            int(math.exp(r.gauss(10, 1))),
            "image/jpeg",
            volatility=0.02,
        )
        site.add(r.choice(["/images/", "/img/", "/wp-content/uploads/2015/06/"]) + file, page)
    common = world.happens("common icon", 0.4, 1.7)
    site.add(
        "/favicon.ico",
        Page(
            f"fav{r.randrange(40)}" if common else f"{site.number}fav",
            None,
            1150,
            "image/x-icon",
            volatility=0,
        ),
    )


def add_stock(world: World, site: Site) -> None:
    """Stock pictures that sites use which have nothing to do with each other: a few are everywhere,
    most are rare.
    """
    r = world.random
    if not world.happens("stock users", 0.35):
        return
    folder, keeps_name = (
        r.choice(["/images/", "/img/", "/wp-content/uploads/2015/06/", "/media/"]),
        r.random() < 0.6,
    )
    for _ in range(1 + int(r.expovariate(1 / world.rate("stock on a site", 4)))):
        popular = world.happens("popular stock", 0.5, 1.5)
        content, file, length = world.stock[
            (
                (int(r.paretovariate(0.6)) - 1) % len(world.stock)
                if popular
                else r.randrange(len(world.stock))
            )
        ]
        site.add(
            folder + (file if keeps_name else f"{world.slug(2)}.jpg"),
            Page(content, None, length, "image/jpeg", volatility=0),
        )
