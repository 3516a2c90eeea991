"""What all sites of a crawl draw from: words, hosts, addresses, contents, libraries of files.

Invariant: everything is drawn from the scenario's name and the seed, in one sequence. No two
contents that are made have the same fingerprint; pages are equal where they have one content. No
two sites have the same host.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from training.generators.common import HTML

SYLLABLES = """
    ba be bi bo bu ca co cu da de di do du fa fe fi fo ga ge go gu ha he hi ho ja jo ka ke ki ko la
    le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to
    tu va ve vi vo wa we za ze zo tra pre sto bra cla gri ven tor mar lin ser
""".split()
ENGLISH = """
    news guide review history project water city music school travel garden health family summer
    winter report data energy book market river house light service history people design code paper
    house art food wine bike hotel event team club photo green open free new best local world sea
    mountain coffee bread stone metal glass law tax work job care child women art film game
""".split()
ENDINGS = (
    ["com"] * 12
    + ["org"] * 5
    + ["net"] * 4
    + """de de fr it es com.br com.br gov.br org.br co.uk co.uk ru io info edu jp com.au nl pl
    pt""".split()
)
PLATFORMS = ["github.io", "blogspot.com", "wordpress.com", "gitlab.io", "netlify.app", "tumblr.com"]
SCHEMES = ("http", "https")
MIMES = {
    "js": "text/javascript",
    "css": "text/css",
    "png": "image/png",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
    "eot": "application/vnd.ms-fontobject",
    "jpg": "image/jpeg",
    "txt": "text/plain",
    "ico": "image/vnd.microsoft.icon",
}


class Content(NamedTuple):
    """What a crawl gets, wherever it stands. A link that begins with ~ leads to a page of the same
    site.
    """

    fingerprint: str
    mime: str
    title: str | None
    length: int
    links: tuple[str, ...]


class Page(NamedTuple):
    """A content at a path of a site."""

    content: Content
    base: str = ""  # the folder that links to pages of the same site start from


class Site:
    """A host and its pages by path."""

    def __init__(self, host: str, name: str, scheme: str, ip: str) -> None:
        self.host, self.name, self.scheme, self.ip = host, name, scheme, ip
        self.pages: dict[str, Page] = {}  # all of them
        self.crawled: dict[str, Page] = {}  # those that were crawled
        self.own = 0  # how many pages were made for it, rather than given to it
        self.grouped = False  # whether it has replicas
        self.translation = False

    @property
    def root(self) -> str:
        return f"{self.scheme}://{self.host}"

    def add(self, path: str, content: Content, base: str = "") -> None:
        """Keep a page, unless there is one at its path."""
        self.pages.setdefault(path, Page(content, base))


class World:
    """One crawl while it is made."""

    def __init__(self, scenario: str, seed: int, all_types: bool) -> None:
        self.key = f"{scenario}/{seed}"
        self.random = r = random.Random(f"third2/{self.key}")  # another text makes other crawls
        self.all_types = all_types
        self.sites: list[Site] = []
        self.candidates: list[Site] = []  # sites of networks that may get replicas
        self.causes: dict[
            tuple[str, str], str
        ] = {}  # of pairs of hosts: how the replicas came about, or "unclear"
        self.groups: list[list[str]] = []  # hosts that are replicas of each other
        self.urls = 0
        self._contents = 0
        self._hosts: set[str] = set()
        self._libraries: dict[str, list[tuple[str, Content]]] = {}
        self._words = ENGLISH + [
            "".join(r.choice(SYLLABLES) for _ in range(r.choice((2, 2, 3, 3, 4))))
            for _ in range(2500)
        ]
        self.ips = [self.new_ip() for _ in range(r.randint(15, 60))]
        self._platform_ips = {
            platform: [self.new_ip() for _ in range(r.randint(1, 5))] for platform in PLATFORMS
        }
        self.hosting = {
            "same": r.uniform(0.1, 1.5),
            "near": r.uniform(0.1, 1),
            "any": r.uniform(0.3, 2),
        }  # of replicas
        self.from_networks = r.uniform(
            0.6, 1.4
        )  # how much more often than elsewhere replicas are of sites of networks

    def weighted(self, weights: Mapping[str, float]) -> str:
        """One of the names, by weight."""
        return self.random.choices(list(weights), list(weights.values()))[0]

    def log_normal(self, mu: float, sigma: float) -> int:
        return int(self.random.lognormvariate(mu, sigma))

    def few(self, mean: float) -> int:
        """A number that is often 0."""
        return int(self.random.expovariate(1 / mean))

    def new_ip(self) -> str:
        r = self.random
        return f"{r.randint(11, 220)}.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 254)}"

    def near(self, ip: str) -> str:
        """An address beside that one."""
        return f"{ip.rsplit('.', 1)[0]}.{self.random.randint(1, 254)}"

    def ip(self, host: str) -> str:
        """An address of the host's platform, of a shared server or one beside it, or one of the
        host's own.
        """
        r, kind, domain = self.random, self.random.random(), host.partition(".")[2]
        for platform, ips in self._platform_ips.items():
            if domain.endswith(platform):
                return r.choice(ips)
        if domain.endswith("shop.com"):
            self._platform_ips[domain] = [self.new_ip() for _ in range(r.randint(1, 3))]
            return self._platform_ips[domain][0]
        if kind < 0.35:
            return self.ips[min(int(r.expovariate(1 / 8)), len(self.ips) - 1)]
        if kind < 0.5:
            return self.near(r.choice(self.ips))
        return self.new_ip()

    def word(self) -> str:
        return self._words[int(len(self._words) * self.random.random() ** 2)]

    def words(self, least: int, most: int) -> str:
        return " ".join(self.word() for _ in range(self.random.randint(least, most)))

    def heading(self, least: int, most: int) -> str:
        """A title in words, without the site's name."""
        return self.words(least, most).capitalize()

    def slug(self, least: int = 1, most: int = 4) -> str:
        return self.words(least, most).replace(" ", "-")

    def name(self) -> str:
        """A site's name as it stands in a host."""
        r = self.random
        return r.choice(
            (
                self.word() + self.word(),
                "".join(r.choice(SYLLABLES) for _ in range(3)),
                f"{self.word()}-{self.word()}",
                f"{self.word()}{r.randint(1, 99)}",
            )
        )

    def host(
        self, wanted: str | None = None, name: str | None = None, platform: str | None = None
    ) -> str:
        """The host that is wanted if it is free; else one of that name if there is one;
        else any.
        """
        host, r = wanted, self.random
        while host is None or host in self._hosts:
            label, name = name or self.name(), None
            if platform:
                host = f"{label}.{platform}"
                continue
            host = f"{label}.{r.choice(ENDINGS)}"
            if r.random() < 0.45:
                host = f"www.{host}"
            elif r.random() < 0.1:
                host = f"{self.word()}.{host}"
        self._hosts.add(host)
        return host

    def content(
        self,
        mime: str,
        title: str | None = None,
        length: int | None = None,
        links: Iterable[str] = (),
    ) -> Content:
        """A new content, of any length unless one is given."""
        self._contents += 1
        fingerprint = hashlib.sha1(f"{self.key}/{self._contents}".encode()).hexdigest()
        return Content(
            fingerprint,
            mime,
            title,
            self.log_normal(9, 1) if length is None else length,
            tuple(links),
        )

    def html(self, title: str | None, links: Iterable[str]) -> Content:
        """The content of a page that several sites have."""
        return self.content(HTML, title, None, links)

    def variant(
        self,
        content: Content,
        most: int,
        hosts: tuple[str, str] | None = None,
        title: str | None = None,
    ) -> Content:
        """Other bytes, up to so many more or fewer; links to the first host lead to the second."""
        links = content.links
        if hosts:
            links = tuple(link.replace(*hosts) for link in links)
        length = max(40, content.length + self.random.randint(-most, most))
        return self.content(content.mime, content.title if title is None else title, length, links)

    def file(self, folder: str, endings: Sequence[str]) -> str:
        """A path below a folder."""
        return f"{folder}/{self.slug(1, 2)}.{self.random.choice(endings)}"

    def library(self, name: str, paths: Iterable[str]) -> list[tuple[str, Content]]:
        """Files that sites have in common, by path: those that were made when the name was first
        asked for.
        """
        if name not in self._libraries:
            mimes = (
                (path, MIMES.get(path.rsplit(".", 1)[-1], "application/octet-stream"))
                for path in paths
            )
            self._libraries[name] = [
                (path, self.content(mime, None, self.log_normal(9.5, 1.3))) for path, mime in mimes
            ]
        return self._libraries[name]

    def site(self, host: str, name: str, ip: str | None = None) -> Site:
        """Take a site without pages into the crawl."""
        site = Site(host, name, self.random.choice(SCHEMES), ip or self.ip(host))
        self.sites.append(site)
        return site

    def named(self, name: str, platform: str | None = None) -> Site:
        """Take a site without pages into the crawl, at a host of its name."""
        return self.site(self.host(name=name, platform=platform), name.title())

    def mark_unclear(self, sites: Iterable[Site]) -> None:
        """Nobody can say whether any two of them are replicas."""
        for one, other in combinations(sites, 2):
            self.causes[pair(one.host, other.host)] = "unclear"


def pair(one: str, other: str) -> tuple[str, str]:
    """Two hosts, the smaller first."""
    return (one, other) if one < other else (other, one)
