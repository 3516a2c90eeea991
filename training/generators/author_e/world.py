"""What a web is drawn from and put into: words, names, addresses; captures by host; groups of
copies and of hosts nobody can judge.

Invariant: equal contents have equal fingerprints, lengths and titles, and everything is
drawn in one sequence from the scenario's name and the seed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from random import Random
from statistics import NormalDist
from typing import NamedTuple

from training.generators.author_e.words import ENDINGS, titled, vocabulary

HTML, PDF, TEXT = "text/html", "application/pdf", "text/plain"
TYPES = {
    "jpg": "image/jpeg",
    "png": "image/png",
    "js": "application/javascript",
    "css": "text/css",
    "pdf": PDF,
}
NOW, OLD = (20260210, 20260228), (20240101, 20240128)
"""First and last day of a crawl, and of one long before."""
LENGTHS = NormalDist(9.6, 0.8)
"""Of the logarithm of a page's length."""


class Page(NamedTuple):
    """A page of a site before it stands on a host; its content is a name for its bytes."""

    path: str
    content: str
    title: str | None = None
    length: int | None = None
    links: tuple[str, ...] = ()  # paths of the site, and URLs
    mime: str = HTML


class Bytes(NamedTuple):
    """What goes with a content wherever it stands."""

    fingerprint: str
    length: int
    title: str


class Capture(NamedTuple):
    """A page as it was crawled."""

    content: str
    timestamp: str
    mime: str
    links: tuple[str, ...]


class Group(NamedTuple):
    """Hosts that are copies of each other."""

    cause: str
    hosts: list[str]


class World:
    """One web while it is made."""

    def __init__(self, scenario: str, seed: int) -> None:
        self.random = r = Random(f"fifth/{scenario}/{seed}")
        self.mode = r.choice(("plain", "rich", "bare"))
        self.all_types = False
        self.words = vocabulary(r, r.randint(150, 400))
        self.crawled: dict[str, dict[str, Capture]] = {}
        self.contents: dict[str, Bytes] = {}
        self.groups: list[Group] = []
        self.unclear: list[Sequence[str]] = []  # every two hosts of each are arguable
        self.names: set[str] = set()
        self.labels: set[str] = set()  # that stand under several endings
        self.ips: dict[str, str] = {}
        self.schemes: dict[str, str] = {}
        self.hosting = [self.new_ip() for _ in range(r.randint(5, 60))]
        self.hosted, self.https, self.www = (
            r.uniform(0.1, 0.6),
            r.uniform(0.5, 1),
            r.uniform(0.2, 0.8),
        )

    # -- drawing

    def between(self, low: int, high: int) -> int:
        """A whole number, small ones more often than large ones."""
        return min(high, int(math.exp(self.random.uniform(math.log(low), math.log(high + 1)))))

    def size(self, low: int = 1, high: int = 1500, mu: float = 2.5, sigma: float = 1.3) -> int:
        """Of a site, in pages; a few are very large."""
        return max(low, min(high, int(self.random.lognormvariate(mu, sigma))))

    def word(self) -> str:
        return self.random.choice(self.words)

    def slug(self, count: int, separator: str = "-") -> str:
        return separator.join(self.random.sample(self.words, count))

    def title(self, count: int = 3) -> str:
        return titled(self.slug(count))

    def new_ip(self) -> str:
        return ".".join(str(self.random.randint(1, 254)) for _ in range(4))

    def name(self, ending: str | None = None) -> str:
        """A domain that is not taken."""
        r = self.random
        while True:
            number = str(r.randint(1, 99)) if r.random() < 0.15 else ""
            joint = r.choice(("", "-"))
            label = joint.join(r.sample(self.words, r.choice((1, 2, 2, 2, 3)))) + number
            name = f"{label}.{ending or r.choice(ENDINGS)}"
            if name not in self.names and label not in self.labels:
                self.names.add(name)
                return name

    def label(self) -> str:
        """What comes before the ending of a domain, and is taken under none."""
        while True:
            label = self.slug(2, self.random.choice(("", "-")))
            if label not in self.labels and not any(
                name.startswith(f"{label}.") for name in self.names
            ):
                self.labels.add(label)
                return label

    def host(self, ending: str | None = None, www: bool | None = None) -> str:
        """A host name that is not taken, with www or not."""
        www = self.random.random() < self.www if www is None else www
        return f"{'www.' if www else ''}{self.name(ending)}"

    def ip(self, host: str) -> str:
        if host not in self.ips:
            self.ips[host] = (
                self.random.choice(self.hosting)
                if self.random.random() < self.hosted
                else self.new_ip()
            )
        return self.ips[host]

    def root(self, host: str) -> str:
        """Scheme and host."""
        if host not in self.schemes:
            self.schemes[host] = "https" if self.random.random() < self.https else "http"
        return f"{self.schemes[host]}://{host}"

    # -- putting

    def add(self, host: str, page: Page, prefix: str = "", when: tuple[int, int] = NOW) -> None:
        """Crawl a page at a host."""
        r, root = self.random, self.root(host)
        if page.content not in self.contents:
            fingerprint = hashlib.sha1(page.content.encode()).hexdigest()
            drawn = int(math.exp(LENGTHS.inv_cdf((int(fingerprint[:8], 16) + 0.5) / 2**32)))
            title = (
                page.title if page.title is not None else self.title() if page.mime == HTML else ""
            )
            self.contents[page.content] = Bytes(
                fingerprint, page.length or drawn if page.content else 0, title
            )
        links: tuple[str, ...] = ()
        if self.mode == "rich" and page.mime == HTML:
            links = tuple(
                dict.fromkeys(
                    f"{root}{prefix}{link}" if link.startswith("/") else link for link in page.links
                )
            )
        timestamp = (
            f"{r.randint(*when)}{r.randint(0, 23):02d}{r.randint(0, 59):02d}{r.randint(0, 59):02d}"
        )
        self.crawled.setdefault(host, {})[f"{root}{prefix}{page.path}"] = Capture(
            page.content, timestamp, page.mime, links
        )

    def put(
        self, host: str, path: str, content: str, title: str | None = None, mime: str = HTML
    ) -> None:
        """Crawl a page that is given by its path and content."""
        self.add(host, Page(path, content, title, None, ("/",), mime))

    def place(
        self,
        host: str,
        pages: Sequence[Page],
        cover: float = 1.0,
        change: float = 0.0,
        most: int | None = None,
        prefix: str = "",
        when: tuple[int, int] = NOW,
        keep_first: bool = True,
    ) -> str:
        """Crawl a site at a host.

        Args:
            cover: share of the pages that is crawled; at least one is.
            change: share of the pages whose bytes differ here.
            most: pages that are crawled at most.
            prefix: what stands before each path.
            keep_first: whether the first page is crawled in any case.
        """
        r = self.random
        if cover < 1:
            pages = [
                page
                for k, page in enumerate(pages)
                if (keep_first and k == 0) or r.random() < cover
            ] or [r.choice(pages)]
        if most and most < len(pages):
            pages = (
                [pages[0], *r.sample(pages[1:], most - 1)] if keep_first else r.sample(pages, most)
            )
        for page in pages:
            if page.mime == HTML and r.random() < change:
                length = page.length and int(page.length * r.uniform(0.97, 1.04))
                page = page._replace(content=f"{page.content}|{host}{r.random()}", length=length)
            self.add(host, page, prefix, when)
        return host

    def replicas(self, cause: str, hosts: Iterable[str]) -> None:
        """Say that the hosts are copies of each other."""
        self.groups.append(Group(cause, list(hosts)))

    def limit(self, most: int) -> None:
        """Forget all but so many captures of each host, the first and any others."""
        for host, captures in self.crawled.items():
            if len(captures) > most:
                urls = list(captures)
                kept = [urls[0], *self.random.sample(urls[1:], most - 1)]
                self.crawled[host] = {url: captures[url] for url in kept}
