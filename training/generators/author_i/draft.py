"""A site while its pages are being written."""

from __future__ import annotations

from math import inf

from training.generators.author_i.dice import Dice
from training.generators.author_i.model import Page
from training.generators.author_i.names import Names
from training.generators.author_i.stock import JPEG, SIZES, Stock
from training.generators.common import HTML


class Draft:
    """The pages of a site so far. What comes first is what a crawler finds first."""

    def __init__(self, rng: Dice, names: Names, stock: Stock, key: str, want: int) -> None:
        self.rng, self.names, self.stock = rng, names, stock
        self.key = key
        self.want = want
        self.age = rng.tail(40, 240)
        self.pace = rng.spread(0.1, 40)
        """Months between two changes of the site's common frame: menus, lists of news."""
        self.pages: list[Page] = []
        self.outside: list[str] = []
        self.manuals: set[int] = set()

    def add(
        self, path: str, title: str = "", mime: str = HTML, own: bool = False, late: bool = False
    ) -> str:
        """Write a page.

        Args:
            own: whether it changes on its own, often.
            late: whether it came some time after the site began.
        """
        rng = self.rng
        size = rng.tail(SIZES.get(mime, 5000), 40 * SIZES.get(mime, 5000), 0.8)
        period = inf
        if mime == HTML:
            period = self.pace * rng.spread(0.2, 1) if own else self.pace * rng.spread(1, 20)
            period = inf if period > 60 else period
        elif rng.chance(0.03):
            period = rng.spread(6, 60)
        born = -rng.random() * self.age if late else -inf
        body = f"{self.key}/{len(self.pages)}"
        self.pages.append(Page(path, body, mime, size, title, (), period, born))
        return path

    def text(self, path: str, late: bool = True) -> str:
        """Write an HTML page with a title of some words."""
        return self.add(path, self.names.slug(2, 6).replace("-", " ").capitalize(), late=late)

    def picture(self, path: str) -> str:
        """Put up a picture: the site's own, or at times one from an agency."""
        if self.rng.chance(0.12):
            self.pages.append(self.stock.photo(path))
            return path
        return self.add(path, mime=JPEG, late=True)

    def take(self, pages: list[Page]) -> None:
        """Put up what others made."""
        self.pages.extend(pages)

    def mount(self, folder: str) -> None:
        """Put up a manual that many have, below a folder."""
        number = self.rng.rank(len(self.stock.manuals))
        self.manuals.add(number)
        self.take(self.stock.guest(folder, number))

    def scripts(self, folder: str, low: int = 1, high: int = 6) -> None:
        """Put up some libraries."""
        self.take([self.stock.library(folder) for _ in range(self.rng.randint(low, high))])

    def done(self) -> list[Page]:
        """All pages, each path once, linked."""
        unique = {page.path: page for page in reversed(self.pages)}
        pages = [page for page in reversed(unique.values()) if not page.path.startswith("//")]
        texts = [page.path for page in pages if page.mime == HTML]
        files = [page.path for page in pages if page.mime != HTML]
        menu = tuple(texts[: self.rng.randint(3, 8)])
        return [self._linked(page, menu, texts, files) for page in pages]

    def _linked(
        self, page: Page, menu: tuple[str, ...], texts: list[str], files: list[str]
    ) -> Page:
        rng = self.rng
        if page.mime != HTML or page.stock:
            return page
        some = [rng.choice(texts) for _ in range(rng.randrange(4))]
        some += [rng.choice(files) for _ in range(rng.randrange(3)) if files]
        if self.outside and rng.chance(0.3):
            some.append(rng.choice(self.outside))
        return page._replace(links=menu + tuple(some))
