"""Sites as their owners made them, before a crawler sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from training.generators.author_k.dice import Dice
from training.generators.author_k.names import Names

FIELD = re.compile(r"\{(\w)\}")
HTML = "text/html"


class Page(NamedTuple):
    """A page or file of a site."""

    path: str
    key: int
    """Which content it has: pages with the same key have the same."""
    title: str
    length: int
    mime: str = HTML
    status: int = 200
    changing: bool = False
    """Whether each fetch gets other bytes (adverts, counters, tokens)."""
    period: float = 0.0
    """After how many days its owner changes it; 0 is never."""
    links: tuple[str, ...] = ()
    """Paths on the same host, or whole URLs."""


@dataclass
class Site:
    """A site; the front page is the first page."""

    name: str
    tongue: str
    """Its language."""
    pages: list[Page] = field(default_factory=list)
    absolute: bool = False
    """Whether the pages name their host, so that the same page has other bytes elsewhere."""
    sessions: bool = False
    """Whether some URLs get a session number."""
    jitter: int = 0
    """By how many bytes the length of a changing page differs from fetch to fetch."""


class Style(NamedTuple):
    """How the software of a site names its pages."""

    fixed: tuple[str, ...]
    made: dict[str, float]
    """Patterns of paths, and how often each is used."""
    lists: tuple[str, ...] = ()
    """Which patterns are lists, which change when something is added."""


STYLES: dict[str, Style] = {
    "wordpress": Style(
        ("/about/", "/contact/"),
        {"/{y}/{m}/{s}/": 6, "/category/{w}/": 1, "/tag/{w}/": 1, "/page/{n}/": 1, "/{w}/": 1},
        ("/category/{w}/", "/tag/{w}/", "/page/{n}/"),
    ),
    "flat_blog": Style(
        ("/about/", "/contact/", "/privacy-policy/"),
        {"/{s}/": 7, "/category/{w}/": 1, "/author/{w}/": 0.3, "/page/{n}/": 1},
        ("/category/{w}/", "/author/{w}/", "/page/{n}/"),
    ),
    "static": Style(
        ("/contact.html", "/about.html"),
        {"/{w}.html": 4, "/{w}/{v}.html": 3, "/{w}/": 1, "/{s}.htm": 1},
    ),
    "php": Style(
        ("/index.php?id=1", "/index.php?id=2", "/index.php?id=3"),
        {"/index.php?id={n}": 4, "/{w}.php": 2, "/{w}.php?id={i}": 4, "/?page={w}": 1},
    ),
    "shop": Style(
        ("/cart", "/terms", "/contact"),
        {"/{w}/": 1, "/{w}/{s}": 4, "/{w}/{s}-{i}.html": 4, "/{w}/?page={n}": 0.5},
        ("/{w}/", "/{w}/?page={n}"),
    ),
    "shop_ids": Style(
        ("/cart", "/login", "/help"),
        {"/c/{w}": 1, "/p/{i}": 6, "/p/{i}/{s}": 3, "/brand/{w}": 0.5},
        ("/c/{w}", "/brand/{w}"),
    ),
    "forum": Style(
        ("/faq.php", "/memberlist.php", "/ucp.php?mode=login"),
        {"/viewtopic.php?f={n}&t={i}": 8, "/viewforum.php?f={n}": 1, "/profile.php?u={i}": 1},
        ("/viewforum.php?f={n}",),
    ),
    "wiki": Style(
        ("/wiki/Main_Page", "/wiki/Special:RecentChanges"),
        {"/wiki/{T}": 8, "/wiki/Talk:{T}": 1, "/wiki/Category:{w}": 1},
    ),
    "nodes": Style(
        ("/user/login", "/node?page=1", "/contact"),
        {"/node/{n}": 5, "/{w}/{s}": 3, "/taxonomy/term/{n}": 1},
        ("/taxonomy/term/{n}",),
    ),
    "aspx": Style(
        ("/Default.aspx", "/Kontakt.aspx"),
        {"/{w}.aspx": 2, "/{w}/{v}.aspx": 3, "/Default.aspx?tabid={n}": 3},
    ),
    "news": Style(
        ("/rss", "/archive", "/search"),
        {"/{w}/{y}/{m}/{s}-{i}": 6, "/{w}/{s}.html": 3, "/{w}": 0.5, "/{w}?page={n}": 0.5},
        ("/{w}", "/{w}?page={n}"),
    ),
    "docs": Style(
        ("/genindex.html", "/search.html", "/license.html"),
        {"/{w}/{s}.html": 5, "/api/{w}.{v}.html": 4, "/guide/{w}.html": 1},
    ),
    "office": Style(
        ("/sitemap", "/accessibility", "/contacts"),
        {"/{w}/{v}/{s}": 4, "/{w}/{v}": 2, "/documents/{i}": 2, "/news/{s}": 2},
    ),
    "single": Style((), {"/{w}": 1}),
}
USUAL = {
    "wordpress": 20.0,
    "flat_blog": 14.0,
    "static": 16.0,
    "php": 9.0,
    "shop": 9.0,
    "shop_ids": 4.0,
    "forum": 4.0,
    "wiki": 1.5,
    "nodes": 7.0,
    "aspx": 5.0,
    "news": 4.0,
    "office": 4.0,
    "single": 5.0,
}
"""How common the styles are on the open web."""
HOMES = ("/index.html", "/index.php", "/home", "/default.htm", "/en/")


class Habits(NamedTuple):
    """What is usual for sites of a crawl."""

    dynamic: float
    """Share of sites with pages that change with each fetch."""
    changing: tuple[float, float]
    """Of such a site, the share of its pages that do, from and to."""
    absolute: float
    """Share of sites whose pages name their host."""
    revised: float
    """Share of pages that are changed now and then, apart from lists."""
    linked: bool
    """Whether links are wanted."""


class Builder:
    """Makes sites."""

    def __init__(self, dice: Dice, names: Names, habits: Habits) -> None:
        self.dice = dice
        self.names = names
        self.habits = habits
        self._keys = 0

    def key(self) -> int:
        """A content that no page had before."""
        self._keys += 1
        return self._keys

    def site(self, size: int, style: str | None = None, name: str | None = None) -> Site:
        """A new site of about that many pages, with contents of its own."""
        dice = self.dice
        style = style or dice.weighted(USUAL)
        if style == "single":
            size = min(size, 2)
        tongue = self.names.tongue()
        site = Site((name or self.names.brand()).replace("-", " ").title(), tongue)
        site.absolute = dice.chance(self.habits.absolute)
        site.sessions = style in ("forum", "php", "shop_ids") and dice.chance(0.25)
        site.jitter = dice.pick((0, 0, 2, 30, 300))
        dynamic = dice.chance(self.habits.dynamic)
        share = dice.between(*self.habits.changing) if dynamic else 0.0
        front = Page("/", self.key(), self._front_title(site), dice.size(14000, 0.8, 400000))
        front = front._replace(
            changing=dice.chance(min(1.0, share * 1.3)),
            period=dice.between(0.5, 60) if dice.chance(0.35) else 0.0,
        )
        site.pages = [front]
        self.extend(site, size - 1, style, share)
        if size > 4 and dice.chance(0.25):
            site.pages.insert(2, front._replace(path=dice.pick(HOMES)))
        self._wall(site)
        if self.habits.linked:
            self._link(site)
        return site

    def _front_title(self, site: Site) -> str:
        form = self.dice.unit()
        if form < 0.5:
            return site.name
        if form < 0.8:
            return f"{site.name} - {' '.join(self.names.topic(tongue=site.tongue))}"
        if form < 0.92:
            return f"Home | {site.name}"
        return self.dice.pick(("Home", "Untitled Document", "Index", "Welcome", ""))

    def _wall(self, site: Site) -> None:
        """In a few sites, show one page at many addresses: a login, or the shell of a program."""
        form = self.dice.unit()
        if form > 0.08:
            return
        front = site.pages[0]
        share = 1.0 if form < 0.03 else self.dice.between(0.1, 0.6)
        wall = front if form < 0.03 else front._replace(key=self.key(), title="Login", period=0.0)
        site.pages = [
            wall._replace(path=page.path) if at and self.dice.chance(share) else page
            for at, page in enumerate(site.pages)
        ]

    def extend(self, site: Site, count: int, style: str, share: float = 0.0) -> None:
        """Add pages of that style."""
        dice, form = self.dice, STYLES[style]
        have = {page.path for page in site.pages}
        usual = site.pages[0].length if site.pages else 9000
        ending = dice.pick((" | ", " - ", " – ", ": ")) + site.name if dice.chance(0.65) else ""
        one_title = dice.chance(0.12)
        for number in range(count):
            topic = self.names.topic(tongue=site.tongue)
            fixed = number < len(form.fixed)
            pattern = form.fixed[number] if fixed else dice.weighted(form.made)
            path = FIELD.sub(lambda found, topic=topic: self._filled(found[1], topic), pattern)
            if path in have:
                continue
            have.add(path)
            words = re.sub(r"\W+|html?$|php|aspx", " ", path).split() if fixed else topic
            title = site.name if one_title else " ".join(words).capitalize() + ending
            listed = pattern in form.lists
            page = Page(path, self.key(), title, int(usual * dice.between(0.4, 1.6)) + 200)
            period = dice.between(1, 40) if listed and dice.chance(0.7) else 0.0
            if not listed and dice.chance(self.habits.revised):
                period = dice.between(20, 1200)
            site.pages.append(page._replace(changing=dice.chance(share), period=period))

    def _filled(self, letter: str, topic: list[str]) -> str:
        dice = self.dice
        if letter == "s":
            return "-".join(topic)
        if letter == "w":
            return topic[0]
        if letter == "v":
            return topic[-1]
        if letter == "T":
            return "_".join(topic).capitalize()
        if letter == "y":
            return str(dice.whole(2009, 2023))
        if letter == "m":
            return f"{dice.whole(1, 12):02d}"
        if letter == "n":
            return str(dice.early(range(1, 200)))
        return str(int(10 ** dice.between(1.5, 6)))

    def _link(self, site: Site) -> None:
        dice = self.dice
        menu = [page.path for page in site.pages[: dice.whole(2, 6)]]
        abroad = [f"https://{self.names.brand()}.com/" for _ in range(dice.whole(0, 3))]
        paths = [page.path for page in site.pages]
        linked = []
        for page in site.pages:
            inner = [dice.pick(paths) for _ in range(dice.whole(0, 4))]
            outer = [dice.pick(abroad)] if abroad and dice.chance(0.3) else []
            linked.append(page._replace(links=tuple(dict.fromkeys(menu + inner + outer))))
        site.pages = linked
