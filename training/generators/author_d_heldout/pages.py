"""The pages of an original site: paths and titles as sites of its kind have them.

Invariant: the first page is the home page, no path is there twice, and there are no more
pages than asked for.
"""

from __future__ import annotations

from collections.abc import Callable

from training.generators.author_d_heldout.words import GENERIC, TYPES, titled
from training.generators.author_d_heldout.world import HTML, Page, World, distinct

ENDINGS = (".html", ".html", ".htm", ".php", "/", "/", "", ".asp", ".aspx", ".jsp")
NUMBERED = (
    "/index.php?id={}",
    "/article.php?id={}",
    "/news.php?id={}",
    "/noticia.asp?id={}",
    "/news/{}.html",
    "/view.php?page={}",
    "/node/{}",
    "/item/{}",
    "/show.aspx?id={}",
    "/p/{}",
)
FORUMS = (
    ("/viewforum.php?f={}", "/viewtopic.php?t={}"),
    ("/viewforum.php?f={}", "/viewtopic.php?f=1&t={}"),
    ("/forumdisplay.php?f={}", "/showthread.php?t={}"),
    ("/index.php?board={}.0", "/index.php?topic={}.0"),
)
"""Where a forum and a topic are."""
SECTIONS = ["politics", "sports", "economy", "world", "local", "culture", "tech", "opinion"]


class Draft:
    """The pages of one site while they are drawn."""

    def __init__(self, world: World, kind: str, size: int) -> None:
        self.world, self.size = world, size
        self.pages: list[Page] = []
        title = "Home" if world.random.random() < 0.3 else world.title(2, 4)
        self.add("/", title, 0.5 if kind in ("news", "forum", "wordpress") else 0.1)
        self.ending = world.random.choice(ENDINGS)

    @property
    def missing(self) -> int:
        return self.size - len(self.pages)

    def add(self, path: str, title: str | None, dynamic: float = 0.0, mime: str = HTML) -> None:
        self.pages.append(self.world.page(path, title, mime, dynamic=dynamic))

    def add_generic(self, most: int, ending: str | None = None) -> None:
        """Some of the pages that nearly every site has."""
        ending = self.ending if ending is None else ending
        for name in self.world.random.sample(
            GENERIC[:most], min(most, max(0, self.size - 1), self.world.random.randint(2, 7))
        ):
            self.add(f"/{name}{ending}", titled(name))

    def numbers(self, n: int) -> list[int]:
        """Numbers of records: all from 1, or with gaps, or from a large one."""
        r, x = self.world.random, self.world.random.random()
        if x < 0.5:
            return list(range(1, n + 1))
        if x < 0.8:
            return sorted(r.sample(range(1, 3 * n + 10), n))
        first = r.randint(1000, 200000)
        return sorted(r.sample(range(first, first + 20 * n), n))


def draw(world: World, kind: str, size: int) -> list[Page]:
    """The pages of a site of that kind."""
    draft = Draft(world, kind, size)
    KINDS[kind](world, draft)
    return distinct(draft.pages)[:size]


def _static(world: World, draft: Draft) -> None:
    draft.add_generic(14)
    folders = ["/"] + [f"/{world.word()}/" for _ in range(world.random.randint(0, 5))]
    while draft.missing > 0:
        slug = world.slug(1, 3)
        draft.add(world.random.choice(folders) + slug + draft.ending, titled(slug))


def _wordpress(world: World, draft: Draft) -> None:
    r = world.random
    draft.add_generic(8, "/")
    form = r.choice(("/{y}/{m:02d}/{d:02d}/{s}/", "/{y}/{m:02d}/{s}/", "/{s}/", "/?p={i}"))
    categories = [world.word() for _ in range(r.randint(2, 8))]
    for category in categories[: max(0, draft.missing // 4)]:
        draft.add(f"/category/{category}/", titled(category), 0.4)
    number = r.randint(1, 30)
    while draft.missing > 0:
        x = r.random()
        if x < 0.12:
            tag = world.word()
            draft.add(f"/tag/{tag}/", titled(tag), 0.4)
        elif x < 0.18:
            draft.add(f"/page/{len(draft.pages)}/", "Page", 0.5)
        else:
            slug = world.slug(2, 6)
            number += r.randint(1, 6)
            path = form.format(
                s=slug, i=number, y=r.randint(2006, 2022), m=r.randint(1, 12), d=r.randint(1, 28)
            )
            draft.add(path, titled(slug), 0.1)


def _numbered(world: World, draft: Draft) -> None:
    draft.add_generic(6)
    form = world.random.choice(NUMBERED)
    for number in draft.numbers(max(1, draft.missing)):
        draft.add(form.format(number), world.title(2, 7), 0.1)


def _joomla(world: World, draft: Draft) -> None:
    for number in draft.numbers(max(1, draft.size - 1)):
        place = world.random.randint(1, 80)
        path = f"/index.php?option=com_content&view=article&id={number}&Itemid={place}"
        draft.add(path, world.title(2, 6), 0.1)


def _news(world: World, draft: Draft) -> None:
    r = world.random
    sections = r.sample(SECTIONS, 4)
    for section in sections:
        draft.add(f"/{section}/", titled(section), 0.8)
    number, dated = r.randint(0, 90000), r.random() < 0.6
    while draft.missing > 0:
        slug = world.slug(4, 8)
        number += r.randint(1, 5)
        section = r.choice(sections)
        path = (
            f"/{section}/{r.randint(2008, 2022)}/{r.randint(1, 12):02d}/{slug}.html"
            if dated
            else f"/{section}/{number}"
        )
        draft.add(path, titled(slug), 0.25)


def _shop(world: World, draft: Draft) -> None:
    draft.add_generic(12)
    for _ in range(min(8, draft.size // 6)):
        category = world.word()
        draft.add(f"/category/{category}{draft.ending}", titled(category), 0.3)
    while draft.missing > 0:
        slug = world.slug(2, 5)
        path = (
            f"/product/{slug}{draft.ending}"
            if world.random.random() < 0.9
            else f"/cart?add={len(draft.pages)}"
        )
        draft.add(path, titled(slug), 0.15)


def _forum(world: World, draft: Draft) -> None:
    forum, topic = world.random.choice(FORUMS)
    draft.add("/faq.php", "Frequently Asked Questions", 0.2)
    draft.add("/search.php", "Search", 0.3)
    for number in range(1, min(9, 2 + draft.size // 10)):
        draft.add(forum.format(number), world.title(1, 3), 0.7)
    for number in draft.numbers(max(1, draft.missing)):
        draft.add(topic.format(number), world.title(2, 7), 0.5)


def _wiki(world: World, draft: Draft) -> None:
    folder = world.random.choice(("/wiki/", "/index.php/", "/index.php?title=", "/w/"))
    for name in ("Main_Page", "Help:Contents", "Special:RecentChanges", "Special:AllPages"):
        draft.add(folder + name, titled(name), 0.4)
    while draft.missing > 0:
        name = world.slug(1, 3, "_").title()
        draft.add(folder + name, titled(name), 0.15)


def _university(world: World, draft: Draft) -> None:
    r = world.random
    users = [world.word() for _ in range(2 + draft.size // 15)]
    while draft.missing > 0:
        user, x = r.choice(users), r.random()
        if x < 0.15:
            draft.add(f"/~{user}/", f"{user.title()}'s Home Page")
        elif x < 0.4:
            draft.add(
                f"/~{user}/papers/{world.word()}{r.randint(90, 122) % 100:02d}.pdf",
                None,
                mime=TYPES["pdf"],
            )
        elif x < 0.7:
            course = f"/courses/{world.word()[:3]}{r.randint(100, 599)}"
            file = r.choice(
                ("index", "syllabus", f"lecture{r.randint(1, 20)}", f"hw{r.randint(1, 9)}")
            )
            draft.add(f"{course}/{file}.html", world.title(1, 4))
        else:
            name = world.word()
            draft.add(f"/~{user}/{name}.html", titled(name))


def _gallery(world: World, draft: Draft) -> None:
    r = world.random
    albums = [world.word() for _ in range(1 + draft.size // 25)]
    prefix = r.choice(("IMG_", "DSC0", "P10", "photo"))
    while draft.missing > 0:
        picture = f"{prefix}{r.randint(1, 2500):04d}"
        draft.add(
            f"/{r.choice(albums)}/{picture}.html",
            picture if r.random() < 0.7 else world.title(1, 3),
        )


def _songs(world: World, draft: Draft) -> None:
    for artist, song in world.random.sample(world.songs, min(len(world.songs), draft.size)):
        draft.add(f"/lyrics/{artist}/{song}.html", f"{titled(artist)} - {titled(song)} Lyrics", 0.4)


def _documentation(world: World, draft: Draft) -> None:
    sections = [world.word() for _ in range(1 + draft.size // 12)]
    while draft.missing > 0:
        name = world.slug(1, 2, "_")
        draft.add(f"/{world.random.choice(sections)}/{name}.html", titled(name))


KINDS: dict[str, Callable[[World, Draft], None]] = {
    "brochure": _static,
    "html": _static,
    "wordpress": _wordpress,
    "numbered": _numbered,
    "joomla": _joomla,
    "news": _news,
    "shop": _shop,
    "forum": _forum,
    "wiki": _wiki,
    "university": _university,
    "gallery": _gallery,
    "songs": _songs,
    "documentation": _documentation,
}
"""Kinds of sites by name."""
