"""Makes the pages of a site by filling the lines of its engine's scheme."""

from __future__ import annotations

from collections.abc import Iterator

from training.generators.author_j.draw import Draw
from training.generators.author_j.layouts import ENGINES, Line
from training.generators.author_j.model import ALWAYS_OTHER, Page, World
from training.generators.author_j.words import PEOPLE, Tongue, slug, title

TYPES = {
    "pdf": "application/pdf",
    "jpg": "image/jpeg",
    "js": "application/javascript",
    "css": "text/css",
    "txt": "text/plain",
    "xml": "application/rss+xml",
    "gz": "application/gzip",
}
SIZES = {"application/pdf": 240_000, "image/jpeg": 60_000, "application/gzip": 900_000}
HTML = "text/html"
RANGES = {"k": (1, 8, "{}"), "j": (0, 5, "{}"), "m": (1, 12, "{:02}"), "d": (1, 28, "{:02}")}
"""Numbers that are filled in: lowest, highest, and how they are written."""


def type_of(path: str) -> str:
    """The type of a file as its ending tells."""
    ending = path.partition("?")[0].rpartition(".")[2].lower()
    return TYPES.get(ending, HTML)


def size_of(draw: Draw, mime: str) -> int:
    """How long a file of the type is."""
    return draw.heavy(SIZES.get(mime, 14_000), 0.8, 9_000_000, 90)


class _Filler:
    """The words that one site fills into its lines."""

    def __init__(self, draw: Draw, tongue: Tongue, name: str) -> None:
        self.draw, self.tongue, self.name = draw, tongue, name
        self.sections = draw.some(tongue.words, draw.between(3, 9))
        self.people = [draw.pick(PEOPLE) for _ in range(draw.between(1, 12))]
        self.next_id = draw.heavy(60, 2.2, 900_000)
        self.step = draw.skewed((1, 2, 5, 30))
        self.years = sorted((draw.between(1998, 2023), draw.between(2005, 2024)))
        self.counts: dict[str, int] = {}
        self.fixed = {
            "name": name,
            "about": tongue.about,
            "contact": tongue.contact,
            "privacy": tongue.privacy,
            "news": tongue.news,
        }

    def fill(self, line: Line) -> tuple[str, str]:
        """A path and a title."""
        self.next_id += 1 + self.draw.below(self.step * 2)
        self.counts[line.path] = self.counts.get(line.path, 0) + 1
        words: dict[str, object] = {}
        for field in line.fields:
            words[field] = self._word(field, line, words)
        return line.path.format_map(words), line.title.format_map(words)

    def _word(self, field: str, line: Line, words: dict[str, object]) -> object:
        """What is filled in for the name."""
        draw = self.draw
        if field in ("title", "slug", "wiki"):
            if "title" not in words:
                words["title"] = title(draw, self.tongue)
            text = str(words["title"])
            return {"title": text, "slug": slug(text), "wiki": text.replace(" ", "_")}[field]
        if field in ("sec", "sub"):
            return draw.pick(self.sections)
        if field == "word":
            return draw.pick(self.tongue.words)
        if field == "n":
            return self.counts[line.path]
        if field == "y":
            return draw.between(self.years[0], self.years[1])
        if field in RANGES:
            low, high, form = RANGES[field]
            return form.format(draw.between(low, high))
        if field == "hex":
            return draw.hexes(8)
        if field == "cls":
            return "".join(draw.pick(self.tongue.words).title() for _ in "ab")
        return draw.pick(self.people) if field == "user" else self.fixed.get(field, self.next_id)


def _filled(draw: Draw, filler: _Filler, lines: tuple[Line, ...], count: int) -> Iterator[tuple]:
    """Paths, titles and edits of the site's pages, the ones near the front page first."""
    seen: set[str] = set()
    for line in lines:
        if not line.weight and len(seen) < count:
            path, name = filler.fill(line)
            seen.add(path)
            yield path, name, line.edits
    weights = {line: line.weight for line in lines if line.weight}
    for _ in range(3 * count):
        if len(seen) >= count:
            return
        line = draw.weighted(weights)
        path, name = filler.fill(line)
        if path not in seen:
            seen.add(path)
            yield path, name, line.edits


def _title_style(draw: Draw, name: str) -> tuple[str, str]:
    """What stands before and after a page's own title."""
    luck = draw.unit()
    if luck < 0.4:
        return "", draw.pick((" - ", " | ", " \u2013 ")) + name
    if luck < 0.65:
        return name + draw.pick((": ", " \u00bb ", " - ")), ""
    return "", ""


def pages_of(
    world: World, tongue: Tongue, kind: str, count: int, name: str, dialect: int | None = None
) -> list[Page]:
    """The pages of a new site, in about the order in which a crawler finds them."""
    draw = world.draw
    dialects = ENGINES[kind]
    lines = dialects[draw.below(len(dialects)) if dialect is None else dialect]
    before, after = _title_style(draw, name)
    restless = draw.chance(world.restless)
    lone_title = draw.chance(0.06)
    repeated = draw.skewed((0.0, 0.02, 0.05, 0.2))
    site = world.number()
    pages: list[Page] = []
    for path, own, often in _filled(draw, _Filler(draw, tongue, name), lines, count):
        mime = type_of(path)
        if pages and draw.chance(repeated):
            twin = draw.pick(pages)
            if twin.mime == mime:
                pages.append(_like(twin, path, float(len(pages))))
                continue
        html = mime == HTML
        shown = (name if lone_title or own == name else f"{before}{own}{after}") if html else ""
        edits = ALWAYS_OTHER if restless and html else often * (0.3 + 1.4 * draw.unit())
        born = draw.within((-4.0, 1.0)) if path != "/" else -9.0
        body = f"s{site}.{len(pages)}"
        pages.append(
            Page(path, shown, body, size_of(draw, mime), mime, edits, born, (), float(len(pages)))
        )
    if world.with_links:
        link(draw, pages)
    return pages


def _like(page: Page, path: str, order: float) -> Page:
    """The same content at another path."""
    return Page(
        *(path, page.title, page.body, page.size, page.mime, page.edits, page.born), order=order
    )


def link(draw: Draw, pages: list[Page]) -> None:
    """Give the pages a menu and links to others."""
    menu = [page.path for page in pages[: draw.between(2, 6)]]
    for place, page in enumerate(pages):
        if page.mime != HTML:
            continue
        near = [
            pages[min(max(place + draw.between(-3, 12), 0), len(pages) - 1)].path
            for _ in range(draw.between(1, 6))
        ]
        page.links = tuple(dict.fromkeys(menu + near))
