"""What all sites of a crawl draw from: words, hosts, addresses, links, contents that the whole web
shares, and the crawl's rates.

Invariant: everything is drawn from the scenario's name and the seed. Hosts and paths are
made of syllables; a content is a short text that stands for the bytes of a page, so that pages of
equal text have equal fingerprints.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from training.generators.common import HTML

TEXT = "text/plain"
THEMES = 80
SYLLABLES = """
    ba be bi bo bu ca ce co cu da de di do du fa fe fi fo ga ge go gu ha he hi ho ja jo ka ke ki ko
    la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po pu ra re ri ro ru sa se si so su ta te
    ti to tu va ve vi vo wa we za ze
""".split()
ENDINGS = (
    ["com"] * 40
    + ["org"] * 8
    + ["net"] * 8
    + """de fr it nl com.br org.br gov.br edu.br co.uk org.uk ac.uk edu info biz ru pl cz es se
    io""".split()
)
POPULAR = (
    "https://www.facebook.com/",
    "https://twitter.com/",
    "https://wordpress.org/",
    "https://www.google.com/maps",
    "http://www.adobe.com/products/acrobat/readstep2.html",
    "https://www.youtube.com/",
    "https://www.instagram.com/",
)
DEFAULT_PAGES = (
    ("it-works", "It works!", 45),
    ("iis", "IIS Windows Server", 703),
    ("nginx", "Welcome to nginx!", 612),
    ("cpanel", "Default Web Site Page", 163000),
    ("plesk", "Domain Default page", 3400),
    ("empty", None, 0),
    ("indexof", "Index of /", 500),
    ("suspended", "Account Suspended", 7600),
    ("cs", "Coming Soon", 2000),
    ("cfdenied", "Access denied", 4500),
    ("jsreq", "Just a moment...", 5800),
    ("godaddy", None, 300),
)


class Page(NamedTuple):
    """What a crawl gets at one URL."""

    content: str
    title: str | None = None
    length: int | None = None
    mime: str = HTML
    links: tuple[str, ...] = ()
    volatility: float = (
        0.1  # how readily its bytes differ between two fetches, relative to other pages
    )
    depth: int = 2  # clicks from the home page
    status: int = 200


class Links(NamedTuple):
    """What the pages of a site link to: some of its own, the last of them from every page, and what
    its theme has on every page.
    """

    own: list[str]
    theme: tuple[str, ...] = ()


class Site:
    """A host and its pages by path."""

    def __init__(
        self, host: str, ip: str, name: str = "", cms: str = "", number: int = 0, theme: int = 0
    ) -> None:
        self.host, self.ip, self.name, self.cms, self.number, self.theme = (
            host,
            ip,
            name,
            cms,
            number,
            theme,
        )
        self.scheme = "http"
        self.pages: dict[str, Page] = {}

    def add(self, path: str, page: Page) -> None:
        """Keep a page, unless there is one at its path."""
        self.pages.setdefault(path, page)


class World:
    """One crawl while it is made."""

    def __init__(self, scenario: str, seed: int) -> None:
        self.key = f"{scenario}-{seed}"
        self.random = r = random.Random(self.key)
        self.sites: dict[str, Site] = {}
        self.groups: dict[str, int] = {}  # of hosts that are replicas of each other
        self.unclear: defaultdict[str, list[str]] = defaultdict(
            list
        )  # hosts of which nobody can say whether they are replicas
        self.numbers = 0
        self._rates: dict[str, float] = {}
        # what the crawl has; a scenario that is about one of them sets it
        self.all_types = self.files = self.status = False
        self.ip, self.links = r.random() < 0.65, r.random() < 0.4
        self.titles, self.lengths = r.choice(
            [(False, False), (False, False), (False, True), (True, True), (True, True)]
        )
        # what the web has
        self.common_words = self.rate("common words", 0.5, 1.5)
        self.words = list(
            dict.fromkeys(
                "".join(r.choices(SYLLABLES, k=r.choice([1, 2, 2, 2, 3, 3, 4])))
                for _ in range(4000)
            )
        )
        self.known_ips: list[str] = []
        self.outside = [f"http://www.{self.word()}{self.word()}.com/" for _ in range(3000)]
        self.documents = [
            (f"pdf{k}", self.slug(3) + ".pdf", int(math.exp(r.gauss(12, 1)))) for k in range(400)
        ]
        self.stock = [
            (f"stock{k}", self.slug(2) + ".jpg", int(math.exp(r.gauss(11, 0.8))))
            for k in range(int(self.rate("stock pictures", 800, 3)))
        ]
        names = [self.slug(2) for _ in range(90)]
        self.manual = [
            (f"/manual/{language}/{name}.html", f"manual-{language}-{name}")
            for language in ("en", "de")
            for name in names
        ]
        self.robots = [f"robots{k}" for k in range(30)]

    def rate(self, name: str, usual: float, spread: float = 2.0) -> float:
        """A figure of this crawl: up to ``spread`` times more or less than usual, and the same
        whenever it is asked for.
        """
        if name not in self._rates:
            self._rates[name] = usual * spread ** random.Random(f"{self.key} {name}").uniform(-1, 1)
        return self._rates[name]

    def happens(self, name: str, usual: float, spread: float = 2.0) -> bool:
        """Whether something happens that this crawl has its own share of."""
        return self.random.random() < self.rate(name, usual, spread)

    def count(self, name: str, usual: float, spread: float = 1.4) -> int:
        """A number of this crawl, at least 1."""
        return max(1, round(self.rate(name, usual, spread)))

    def weights(self, name: str, usual: Sequence[float]) -> list[float]:
        """How much more likely this crawl makes some choices than others."""
        return [self.rate(f"{name} {k}", weight, 3.0) for k, weight in enumerate(usual)]

    def power(self, name: str, share: float) -> float:
        """A share made larger or smaller, as this crawl has it; it stays between 0 and 1."""
        return share ** self.rate(name, 1.0, 1.7)

    def number(self) -> int:
        """A number that nothing else of the crawl has."""
        self.numbers += 1
        return self.numbers

    def word(self) -> str:
        """A word: half of the time a common one."""
        r = self.random
        if r.random() < self.common_words:
            return self.words[min(len(self.words), int(r.paretovariate(0.35))) - 1]
        return self.words[r.randrange(len(self.words))]

    def slug(self, words: int | None = None) -> str:
        return "-".join(self.word() for _ in range(words or self.random.choice([1, 2, 3, 3, 4, 5])))

    def new_ip(self) -> str:
        return ".".join(str(self.random.randrange(1, 255)) for _ in range(4))

    def any_ip(self) -> str:
        """An address: often one that has sites already, or one beside it."""
        r = self.random
        if not self.known_ips or not self.happens("shared address", 0.5, 1.7):
            self.known_ips.append(self.new_ip())
            return self.known_ips[-1]
        ip = self.known_ips[int(r.random() ** 2 * len(self.known_ips))]
        if self.happens("address beside", 0.3):
            ip = f"{ip.rsplit('.', 1)[0]}.{r.randrange(1, 255)}"
            self.known_ips.append(ip)
        return ip

    def host(self, base: str | None = None, ending: str | None = None) -> str:
        """A host that is not taken: ``base`` with an ending if it can be."""
        r = self.random
        while True:
            name = base or self.word() + r.choice(["", "", "-"]) + self.word() + (
                str(r.randrange(99)) if r.random() < 0.1 else ""
            )
            host = f"{name}.{ending or r.choice(ENDINGS)}"
            if not base and self.happens("www", 0.45, 1.7):
                host = "www." + host
            if host not in self.sites:
                return host
            base = None

    def size(self, mu: float = 2.8, sd: float = 1.4, least: int = 1, most: int = 5000) -> int:
        """A log-normal number of pages, in crawls of smaller and of larger sites."""
        return max(
            least, min(most, int(math.exp(self.random.gauss(mu, sd)) * self.rate("size", 1.0, 1.5)))
        )

    def theme(self) -> int:
        """The number of a theme: a few are everywhere."""
        return (
            int(self.random.paretovariate(0.8)) % THEMES
            if self.happens("popular theme", 0.7, 1.4)
            else self.random.randrange(THEMES)
        )

    def pool(self, cms: str, theme: int) -> Links:
        """Links of a site; none in a crawl without links. Many a site links to little but its
        theme's author, its system and the usual services.
        """
        r = self.random
        if not self.links:
            return Links([])
        theme_random = random.Random(f"{self.key} links of {cms} {theme}")
        fixed = (
            *theme_random.sample(self.outside, k=theme_random.randrange(1, 6)),
            *theme_random.sample(POPULAR, k=theme_random.randrange(1, 4)),
        )
        if self.happens("few links of its own", 0.5, 1.7):
            return Links(r.sample(self.outside, k=r.randrange(3)), fixed)
        own = r.sample(self.outside, k=min(30, 2 + int(r.expovariate(0.2)))) + r.sample(
            POPULAR, k=r.randrange(1, 5)
        )
        return Links(own, fixed if self.happens("links of a theme", 0.5, 1.5) else ())

    def linked(self, pool: Links) -> tuple[str, ...]:
        """What one page of the site links to."""
        return (
            *self.random.sample(pool.own, k=self.random.randrange(max(1, min(4, len(pool.own))))),
            *pool.own[-1:],
            *pool.theme,
        )

    def put(self, site: Site, group: int | None = None) -> Site:
        """Take a site into the crawl; of a group's hosts each is a replica of the others."""
        assert site.host not in self.sites, site.host
        self.sites[site.host] = site
        if group is not None:
            self.groups[site.host] = group
        return site
