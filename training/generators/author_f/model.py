"""Pages, sites and the world that holds them with the planted answers.

A page's `root` names *what it says*; what its bytes are also depends on `rev` (an edit, or the host
name written into the page), on the site's `skin` (template) unless the page is `fixed`, and on a
nonce if it is `noisy`.  Gold is judged on roots of whole sites; a detector sees fingerprints of a
sample.
"""

import itertools
import random
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from training.generators.author_f import names

REPLICA, NEAR, UNCLEAR = "replica", "near-replica", "unclear"


@dataclass(slots=True)
class Page:
    """One address of a site."""

    path: str
    root: str
    title: str | None = None
    kind: str = "html"  # html, pdf, txt, img, css, js
    rev: str = ""
    fixed: bool = False  # bytes do not depend on the site's skin
    noisy: bool = False  # bytes differ at every fetch
    boiler: bool = False  # says nothing about this site: default, legal, library, error page
    sure: bool = False  # the crawler all but surely fetches it
    status: int = 200
    out: tuple[str, ...] = ()
    skin: str = ""  # template it brought from elsewhere; then its title is already complete


@dataclass(slots=True)
class Site:
    """One host with everything it serves."""

    host: str
    pages: list[Page]
    skin: str
    brand: str
    ip: str | None = None
    scheme: str = "https"
    coverage: float = 1.0
    wander: float = 0.5  # 0: breadth-first crawl, 1: random pages
    hard: tuple[str, float] | None = None  # (host, share): inner links that still name another host
    session: str | None = None  # name of the session parameter in its URLs
    empty: str = ""  # template name if the host holds nothing but that default page
    marked: bool = False

    @property
    def dress(self) -> str:
        """What the site puts around its content: template and name."""
        return f"{self.skin}/{self.brand}"

    def roots(self) -> set[str]:
        """What the site says, without boilerplate."""
        return {page.root for page in self.pages if not page.boiler}


def full_title(site: Site, page: Page) -> str | None:
    """The page's title, with the site's name on half of the sites."""
    if page.kind != "html" or page.title is None:
        return None
    suffix = zlib.crc32(site.skin.encode()) % 4
    return (
        page.title
        if page.fixed or page.skin or suffix > 1
        else page.title + (" | ", " - ")[suffix] + site.brand
    )


def judge(first: set[str], second: set[str]) -> str | None:
    """What a careful human who has both entire sites would call the pair, by shared content."""
    if not first or not second:
        return None
    common = len(first & second)
    inside, jaccard = common / min(len(first), len(second)), common / len(first | second)
    if inside >= 0.86:
        return REPLICA if jaccard >= 0.5 else UNCLEAR if jaccard >= 0.15 else None
    if inside >= 0.72 and jaccard >= 0.4:
        return UNCLEAR
    if inside >= 0.4:
        return NEAR if jaccard >= 0.2 else UNCLEAR if jaccard >= 0.1 else None
    return UNCLEAR if inside >= 0.22 and jaccard >= 0.1 else None


@dataclass
class World:
    """The crawl under construction: its dice, its sites, its answers."""

    rng: random.Random
    all_types: bool
    coverage: tuple[float, float]
    evidence: bool
    scale: float  # median size of ordinary sites
    tlds: tuple[str, ...]
    sites: list[Site] = field(default_factory=list)
    gold: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    wire: list[tuple[str, str, bool]] = field(default_factory=list)
    ips: list[str] = field(default_factory=list)
    counter: itertools.count = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.wire = [
            (self.uid("wire"), names.phrase(self.rng, 3, 8), self.rng.random() < 0.4)
            for _ in range(self.rng.randint(30, 200))
        ]
        self.ips = [names.address(self.rng) for _ in range(self.rng.randint(20, 150))]

    def uid(self, prefix: str = "r") -> str:
        """A fresh content name."""
        return f"{prefix}{next(self.counter)}"

    def n(self, low: int, high: int) -> int:
        """A whole number between low and high, both included."""
        return self.rng.randint(low, max(low, high))

    def u(self, low: float, high: float) -> float:
        """A real number between low and high."""
        return self.rng.uniform(low, high)

    def chance(self, share: float) -> bool:
        """True with the given probability."""
        return self.rng.random() < share

    def claim(self, host: str) -> str:
        """Reserve a host name, changing it if it (or its www twin) is taken."""
        host, trial = host.lower(), host.lower()
        while names.bare(trial) in self.taken or len(names.bare(trial).split(".")[0]) == 0:
            head, _, rest = host.partition(".")
            trial = (
                f"www.{self.n(2, 999)}{rest}" if head == "www" else f"{head}{self.n(2, 999)}.{rest}"
            )
        self.taken.add(names.bare(trial))
        return trial

    def new_host(self) -> str:
        """A fresh host, mostly with www."""
        return self.claim(("www." if self.chance(0.6) else "") + names.domain(self.rng, self.tlds))

    def new_ip(self) -> str | None:
        """Shared hosting (a few addresses carry many hosts), an address of its own, or unknown."""
        if self.chance(0.03):
            return None
        return (
            self.ips[int(len(self.ips) * self.rng.random() ** 2)]
            if self.chance(0.6)
            else names.address(self.rng)
        )

    def add(self, site: Site) -> Site:
        """Put a finished site into the crawl."""
        self.sites.append(site)
        return site

    def label(self, one: Site, two: Site, label: str, cause: str) -> None:
        """Answer for one pair; an answer given earlier stays."""
        if one.host != two.host:
            self.gold.setdefault(tuple(sorted((one.host, two.host))), (label, cause))

    def family(
        self,
        sites: Iterable[Site],
        cause: str,
        soften: dict[str, str | None]
        | Callable[[Site, Site, str | None], str | None]
        | None = None,
    ) -> None:
        """Judge every pair of related sites; `soften` restates the judgement for the situation."""
        says = [(site, site.roots()) for site in sites]
        for (one, first), (two, second) in itertools.combinations(says, 2):
            label = judge(first, second)
            if callable(soften):
                label = soften(one, two, label)
            elif soften:
                label = soften.get(label, label)
            if label:
                self.label(one, two, label, cause)
