"""What all sites of a web draw from: words, names, addresses, themes; and the sites, their groups,
and the pairs that are unclear.

Invariant: everything is drawn from the scenario's name and the seed, in one sequence: a draw
more or less, or in another place, changes all that follows. A page's key stands for its bytes:
pages of equal keys have equal fingerprints.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from training.generators.author_d_heldout.words import (
    COUNTRY_ENDINGS,
    GENERIC_ENDINGS,
    LIBRARIES,
    SERVICES,
    SYLLABLES,
    WORDS,
    titled,
)
from training.generators.common import HTML

ORDINARY = {
    "brochure": 5,
    "wordpress": 4,
    "numbered": 2,
    "joomla": 1,
    "news": 1,
    "shop": 1,
    "forum": 0.7,
    "wiki": 0.4,
    "university": 0.4,
    "gallery": 0.5,
    "html": 2,
}
"""How often sites of a kind are made in an ordinary web."""
SUBDOMAINS = ("blog", "shop", "news", "wiki", "forum", "en", "my", "web", "info")
ADDITIONS = ("online", "shop", "web", "net", "group", "s", "24", "blog", "info", "club")
TITLES = ("{t} - {n}", "{t} | {n}", "{n} - {t}", "{t}", "{n} » {t}", "{n}")


@dataclass(frozen=True)
class Settings:
    """What a scenario settles about its web; the world draws the rest."""

    # of ip length mime title links: what the crawl knows besides url, fingerprint and status
    columns: str = ""
    all_types: bool = False
    cover: tuple[float, float] = (0.5, 1.0)  # share of a site's pages that is crawled
    size: float = 18  # the median number of pages
    spread: float = 1.2  # of the logarithm of the number of pages
    most: int = 700  # pages of a site
    kinds: dict[str, float] = field(default_factory=lambda: ORDINARY)
    shallow: bool = False  # whether pages are crawled in hardly any order
    networks: int = 60  # address ranges
    themes: int = 25
    themed: float = 0.45  # share of sites that have a theme
    large_farms: bool = False


@dataclass
class Page:
    """A page or file of a site."""

    number: int  # the same for a page and its copies
    path: str
    key: str
    length: int
    mime: str
    title: str | None
    dynamic: float = 0.0  # how readily its bytes differ on a copy
    links: tuple[int | str, ...] = ()  # numbers of pages, and URLs of other sites

    def clone(self) -> Page:
        return dataclasses.replace(self)

    def change(self, mark: str, length: int) -> None:
        """Give it other bytes, told by the mark."""
        self.key += mark
        self.length = length


@dataclass
class Site:
    """A host with its pages."""

    host: str
    name: str
    title: str  # how its pages are titled: {t} is the page's own title, {n} the site's name
    kind: str
    pages: list[Page]
    footer: tuple[str, ...] = ()  # URLs that every page links to
    sessions: float = 0.0  # share of pages that were also crawled with a session number
    target: Site | None = None  # what a copy's links lead to, if not to itself
    ip: str = ""
    scheme: str = "http"
    cover: float = 1.0  # share of its pages that is crawled


class Asset(NamedTuple):
    """A file of a theme."""

    path: str
    key: str
    length: int


class Demonstration(NamedTuple):
    """A page that a theme comes with."""

    path: str
    title: str
    key: str
    length: int
    same: bool  # whether its bytes are the same on every site


class Theme(NamedTuple):
    """What sites of one design have in common."""

    assets: list[Asset]
    demonstration: list[Demonstration]
    footer: tuple[str, ...]
    title: str
    frame: int  # bytes of a page before anything is on it


class Group(NamedTuple):
    """Hosts that are replicas of each other."""

    cause: str
    hosts: list[str]


class World:
    """One web while it is made."""

    def __init__(self, scenario: str, seed: int, settings: Settings) -> None:
        self.random = r = Random(f"fourth/{scenario}/{seed}")
        self.settings = settings
        self.columns, self.all_types = set(settings.columns.split()), settings.all_types
        self.median, self.spread = (
            settings.size * r.uniform(0.75, 1.3),
            settings.spread * r.uniform(0.85, 1.15),
        )
        self.kinds = {kind: weight * r.uniform(0.5, 1.6) for kind, weight in settings.kinds.items()}
        self.order = (
            Random(f"sp{seed}").uniform(0, 0.6) if settings.shallow else r.uniform(0, 2)
        )  # how far pages are crawled in their order
        self.same_address = 0.6 * r.uniform(0.6, 1.3)  # of a copy and its original
        self.https = r.uniform(0.1, 0.8)
        self.skew = r.uniform(1.0, 2.5)  # of addresses to the first networks
        self.networks = [
            f"{r.randint(12, 220)}.{r.randint(0, 255)}.{r.randint(0, 255)}."
            for _ in range(settings.networks)
        ]
        self.themed = settings.themed * r.uniform(0.7, 1.3)
        self.sites: list[Site] = []
        self.hosts: set[str] = set()
        self.groups: list[Group] = []
        self.unclear: list[
            list[str]
        ] = []  # hosts of which nobody can say whether they are replicas
        self.reuse = 0.1  # how often the original of a group is a site that is there already
        self.pages = 0  # made so far
        self.words = r.sample(WORDS, len(WORDS)) + [
            "".join(r.choice(SYLLABLES) for _ in range(r.choice((2, 3, 3, 4)))) for _ in range(3500)
        ]
        self.popular: list[str] = []  # URLs; the first themes are older than they
        self.themes = [self.theme() for _ in range(settings.themes)]
        self.songs = [(self.slug(1, 2), self.slug(1, 4)) for _ in range(1500)]
        self.popular = [f"http://www.{self.label()}.com/" for _ in range(60)] + list(SERVICES)

    def rank(self, n: int) -> int:
        """A number below n: the smaller, the likelier."""
        q = 15 if n > 200 else 2
        return min(n - 1, int(q * (n / q + 1) ** self.random.random() - q))

    def word(self) -> str:
        return self.words[self.rank(len(self.words))]

    def slug(self, least: int = 2, most: int = 5, separator: str = "-") -> str:
        """At least and at most so many words."""
        return separator.join(self.word() for _ in range(self.random.randint(least, most)))

    def title(self, least: int, most: int) -> str:
        """A title of at least and at most so many words."""
        return self.slug(least, most, " ").title()

    def label(self) -> str:
        """The part of a domain before its ending."""
        x = self.random.random()
        if x < 0.5:
            return self.word() + self.word()
        if x < 0.7:
            return f"{self.word()}-{self.word()}"
        if x < 0.9:
            return self.word() + self.random.choice(ADDITIONS)
        return self.word() + self.word() + self.word()

    def host(self, wanted: str | None = None) -> str:
        """A host that is not taken: the wanted one or one like it, if there is one."""
        for attempt in range(50):
            if wanted and attempt == 0:
                host = wanted
            elif wanted and attempt < 5:
                host = wanted.replace(".", f"{self.random.randint(2, 99)}.", 1)
            else:
                host = self._any_host()
            if host not in self.hosts:
                self.hosts.add(host)
                return host
        raise RuntimeError("every host is taken")

    def _any_host(self) -> str:
        r, x = self.random, self.random.random()
        ending = r.choice(GENERIC_ENDINGS if r.random() < 0.6 else COUNTRY_ENDINGS)
        domain = f"{self.label()}.{ending}"
        if x < 0.5:
            return f"www.{domain}"
        return (
            f"{r.choice((*SUBDOMAINS, self.word(), self.word()))}.{domain}" if x < 0.62 else domain
        )

    def new_ip(self) -> str:
        r = self.random
        network = self.networks[int(len(self.networks) * r.random() ** self.skew)]
        return network + str(1 + int(250 * r.random() ** 2.5))

    def ip_near(self, ip: str, same: float | None = None) -> str:
        """The same address with that chance, or one beside it, or any."""
        same, x = self.same_address if same is None else same, self.random.random()
        if x < same:
            return ip
        return (
            f"{ip.rsplit('.', 1)[0]}.{self.random.randint(1, 250)}"
            if x < same + 0.1
            else self.new_ip()
        )

    def size(self, factor: float = 1.0, least: int = 1) -> int:
        """A log-normal number of pages."""
        return max(
            least,
            min(
                self.settings.most,
                int(self.random.lognormvariate(math.log(self.median * factor), self.spread)),
            ),
        )

    def kind(self) -> str:
        """A kind of site, as often as this web has it."""
        return self.random.choices(list(self.kinds), list(self.kinds.values()))[0]

    def page(
        self,
        path: str,
        title: str | None,
        mime: str = HTML,
        key: str | None = None,
        length: int | None = None,
        dynamic: float = 0.0,
    ) -> Page:
        """A page that no other site has unless a key is given."""
        self.pages += 1
        if length is None:
            length = int(self.random.lognormvariate(9.2 if mime == HTML else 9.6, 0.9))
        return Page(self.pages, path, key or f"k{self.pages}", length, mime, title, dynamic)

    def theme(self) -> Theme:
        """A new theme: libraries that others have, too, and files and pages of its own."""
        r = self.random
        name = f"t{r.random():.9f}"
        folder = r.choice(
            (
                "/",
                "/assets/",
                "/static/",
                f"/wp-content/themes/{self.word()}/",
                f"/templates/{self.word()}/",
                "/theme/",
            )
        )
        assets = [
            Asset(folder + file, f"lib/{file}/{r.randint(1, 4)}", r.randint(2000, 120000))
            for file in r.sample(LIBRARIES, r.randint(2, 12))
        ]
        for _ in range(r.choice((3, 6, 10, 25, 50))):
            ending = r.choice(("png", "png", "svg", "gif", "css", "js", "jpg"))
            path = (
                folder
                + {"css": "css/", "js": "js/"}.get(ending, "img/")
                + f"{self.word()}.{ending}"
            )
            assets.append(Asset(path, f"{name}/{path}", int(r.lognormvariate(8, 1.2))))
        return Theme(
            assets,
            self._demonstration(name),
            self._footer(),
            r.choice(TITLES),
            r.randint(1500, 12000),
        )

    def _demonstration(self, theme: str) -> list[Demonstration]:
        r, pages = self.random, []
        form = r.choice(("/{}/{}.html", "/{}/{}/", "/blog/{}-{}/"))
        for k in range(r.choice((0, 1, 2, 4, 8, 14))):
            date = f"{r.randint(2010, 2020)}/{r.randint(1, 12):02d}/{r.randint(1, 28):02d}"
            slug = self.slug(2, 4) if k else "hello-world"
            pages.append(
                Demonstration(
                    form.format(date, slug),
                    titled(slug),
                    f"{theme}/demo{k}",
                    r.randint(3000, 15000),
                    r.random() < 0.6,
                )
            )
        return pages

    def _footer(self) -> tuple[str, ...]:
        if self.popular:
            return f"http://{self.label()}.com/themes/{self.word()}", *self.random.sample(
                self.popular, self.random.randint(0, 5)
            )
        return (
            f"http://www.{self.label()}.com/",
            f"https://www.facebook.com/{self.word()}",
            "http://wordpress.org/",
        )

    def skip(self) -> None:
        """A draw that decides nothing; the webs were first made with it."""
        self.random.random()

    def add_group(self, cause: str, sites: Iterable[Site]) -> None:
        """Sites that are replicas of each other."""
        self.groups.append(Group(cause, [site.host for site in sites]))


def distinct(pages: Iterable[Page]) -> list[Page]:
    """The first page at every path."""
    first: dict[str, Page] = {}
    for page in pages:
        first.setdefault(page.path, page)
    return list(first.values())
