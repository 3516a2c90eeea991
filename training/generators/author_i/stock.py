"""What unrelated hosts share: libraries, themes, default pages, manuals, articles, feeds."""

from __future__ import annotations

from training.generators.author_i.dice import Dice, fraction
from training.generators.author_i.model import Page
from training.generators.author_i.names import Names

CSS, JS, PLAIN, FEED = "text/css", "application/javascript", "text/plain", "application/rss+xml"
JPEG, PNG, GIF, PDF = "image/jpeg", "image/png", "image/gif", "application/pdf"
ZIP, GZIP, FONT = "application/zip", "application/gzip", "font/woff2"
SIZES = {
    "text/html": 14000,
    CSS: 18000,
    JS: 40000,
    PLAIN: 2500,
    FEED: 9000,
    JPEG: 70000,
    PNG: 12000,
    GIF: 3000,
    PDF: 350000,
    ZIP: 2000000,
    GZIP: 900000,
    FONT: 24000,
}
ENDINGS = {"css": CSS, "js": JS, "jpg": JPEG, "png": PNG, "gif": GIF, "woff2": FONT, "pdf": PDF}
DEFAULTS = (
    ("Apache2 Ubuntu Default Page: It works", 10918),
    ("Welcome to nginx!", 612),
    ("IIS Windows Server", 703),
    ("", 0),
    ("Index of /", 380),
    ("Default Web Site Page", 1200),
    ("Plesk default page", 4100),
    ("Coming soon", 900),
    ("Under construction", 500),
    ("Account suspended", 7600),
)
ERRORS = (
    ("404 Not Found", 153),
    ("404 Not Found", 162),
    ("404 Not Found", 315),
    ("Error 404 (Not Found)!!1", 1561),
    ("Page not found", 1245),
    ("", 0),
)


def shared(path: str, body: str, mime: str, size: int, title: str = "") -> Page:
    """A page whose bytes are the same wherever it is."""
    return Page(path, body, mime, size, title, stock=True)


def named(path: str, body: str, size: int) -> Page:
    """A file of the type that its ending says, the same wherever it is."""
    ending = path.split("?")[0].rsplit(".", 1)[-1]
    return shared(path, body, ENDINGS.get(ending, PLAIN), size)


class Stock:
    """The commons of one web; what is first in a list is the most popular."""

    def __init__(self, rng: Dice, names: Names) -> None:
        self.rng = rng
        self.names = names
        self.themes: dict[str, list[list[tuple[str, int]]]] = {}
        self.libraries = [(names.word(), rng.count(1, 12)) for _ in range(rng.randint(20, 70))]
        self.manuals = [self._manual(number) for number in range(rng.randint(8, 25))]
        self.articles = [self._article(number) for number in range(rng.randint(100, 600))]
        self.feeds = [self._feed(number) for number in range(rng.randint(4, 12))]
        self.photos = rng.randint(300, 3000)
        self.robots = rng.randint(3, 9)

    def _manual(self, number: int) -> list[Page]:
        rng, name = self.rng, self.names.word()
        pages = [shared("index.html", f"manual/{number}/0", "text/html", 6000, f"{name} manual")]
        for page in range(1, rng.tail(35, 250)):
            slug = self.names.slug(1, 2)
            title = f"{slug.replace('-', ' ')} - {name} manual"
            size = rng.tail(9000, 90000)
            pages.append(
                shared(f"{slug}-{page}.html", f"manual/{number}/{page}", "text/html", size, title)
            )
        return pages

    def _article(self, number: int) -> tuple[str, str, int]:
        slug = self.names.slug(4, 8)
        return slug, slug.replace("-", " ").capitalize(), number

    def _feed(self, number: int) -> list[tuple[str, str]]:
        goods = range(self.rng.tail(150, 900))
        return [(self.names.slug(2, 4), f"feed/{number}/{thing}") for thing in goods]

    def library(self, folder: str) -> Page:
        """A script that thousands of sites have, of one of its releases."""
        place = self.rng.rank(len(self.libraries))
        name, releases = self.libraries[place]
        release = self.rng.rank(releases)
        end = f"?ver={release}" if self.rng.chance(0.3) else ""
        return named(f"{folder}/{name}.min.js{end}", f"lib/{place}/{release}", 9000 + 777 * place)

    def theme(self, engine: str, folder: str) -> list[Page]:
        """The files of a theme of the engine, below the folder with its name."""
        rng = self.rng
        if engine not in self.themes:
            self.themes[engine] = [self._theme() for _ in range(rng.count(8, 80))]
        place = rng.rank(len(self.themes[engine]))
        files = self.themes[engine][place]
        release = rng.rank(3)
        return [
            named(f"{folder}/theme{place}/{path}", f"theme/{engine}/{place}/{path}/{release}", size)
            for path, size in files
        ]

    def _theme(self) -> list[tuple[str, int]]:
        rng, word = self.rng, self.names.word
        files = [("style.css", rng.tail(20000, 200000)), ("js/main.js", rng.tail(8000, 90000))]
        for _ in range(rng.tail(6, 30)):
            ending = rng.choice(("css", "js", "png", "png", "gif", "jpg", "woff2"))
            files.append(
                (f"{rng.choice(('img', 'css', 'js'))}/{word()}.{ending}", rng.tail(5000, 90000))
            )
        return files

    def photo(self, path: str) -> Page:
        """A picture that agencies sell to many."""
        number = self.rng.rank(self.photos)
        return shared(path, f"photo/{number}", JPEG, 40000 + 31 * number)

    def front(self) -> Page:
        """The page of a server that nobody has set up."""
        place = self.rng.rank(len(DEFAULTS))
        title, size = DEFAULTS[place]
        return shared("/", f"default/{place}" if size else "", "text/html", size, title)

    def error(self, ip: str) -> Page:
        """What the server at an address says of what it has not."""
        place = int(len(ERRORS) * fraction(ip))
        title, size = ERRORS[place]
        return shared("", f"error/{place}" if size else "", "text/html", size, title)

    def root_files(self) -> list[Page]:
        """robots.txt and favicon.ico as a program brings them."""
        rng, made = self.rng, []
        if rng.chance(0.4):
            made.append(shared("/robots.txt", f"robots/{rng.rank(self.robots)}", PLAIN, 67))
        if rng.chance(0.3):
            made.append(shared("/favicon.ico", f"icon/{rng.rank(12)}", "image/x-icon", 1150))
        return made

    def guest(self, folder: str, number: int) -> list[Page]:
        """A manual below a folder."""
        return [page._replace(path=f"{folder}/{page.path}") for page in self.manuals[number]]
