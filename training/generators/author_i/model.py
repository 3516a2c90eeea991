"""What there is: pages, sites, hosts that show views of sites, and what two views are to another.

A body is a text that stands for bytes: equal texts, equal bytes. What a host sends for a page is
the page's body, with its version at that time and with what the host writes into it.
Months count from the last day of the crawl: -12 is a year before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from training.generators.author_i.dice import fraction
from training.generators.common import HTML


class Page(NamedTuple):
    """A resource of a site."""

    path: str
    body: str
    mime: str = HTML
    size: int = 5000
    """Bytes, about."""
    title: str = ""
    links: tuple[str, ...] = ()
    """Paths of the same site, or whole URLs."""
    period: float = inf
    """Months between two versions."""
    born: float = -inf
    """The month it appeared in."""
    stock: bool = False
    """Whether these bytes come from elsewhere, and no host writes into them."""


@dataclass(slots=True)
class Site:
    """A body of pages. Of one root, there may be editions and languages."""

    root: int
    brand: str
    kind: str
    pages: list[Page]
    signed: float = 0.0
    """Share of HTML pages into which the program writes the name of the host."""
    flux: float = 0.0
    """Share of HTML pages that differ at each fetch."""
    edition: int = 0
    language: str = ""


@dataclass(slots=True)
class Host:
    """A host: a view of a site, as it is or changed."""

    name: str
    ip: str
    site: Site
    pages: list[Page]
    stamp: str
    """The host's name that stands in signed pages."""
    brand: str = ""
    cause: str = "original"
    wrapped: str = ""
    """What is written into each HTML page, if anything is."""
    flux: float = 0.0
    frozen: float = inf
    """The month since which nothing changes."""
    lag: float = 0.0
    """Months that it is behind."""
    weak: bool = False
    """Whether it shows too little of the site to be called its copy."""
    guests: list[int] = field(default_factory=list)
    """Roots of other sites that a part of it shows."""
    rename: Callable[[str], str] = str
    base: str = ""
    """The host that links name, if not this one."""
    redirect: str = ""
    """The host to which all is redirected."""
    alive: tuple[float, float] = (-inf, inf)
    schemes: tuple[str, ...] = ("http",)
    budget: int = 0

    def clock(self, month: float) -> float:
        """The month whose versions this host shows in a month."""
        return min(month - self.lag, self.frozen)

    def sent(self, page: Page, month: float, nonce: str) -> str:
        """The body that the host sends for one of its pages."""
        body = page.body
        if page.period < inf:
            body += f"~{int(self.clock(month) / page.period + fraction(body) + 1e4)}"
        if page.stock or page.mime != HTML:
            return body
        if self.wrapped:
            body += f"|{self.wrapped}"
        elif fraction(page.body + "s") < self.site.signed:
            body += f"@{self.stamp}"
        return f"{body}#{nonce}" if fraction(page.body + "f") < self.flux else body


def label(a: Host, b: Host) -> str:
    """What two hosts that mainly show sites of one root are to each other."""
    if a.weak or b.weak or a.site.language != b.site.language:
        return "unclear"
    return "replica" if a.site.edition == b.site.edition else "near-replica"


def cause(a: Host, b: Host) -> str:
    """Why: the causes of the two, without the original's."""
    both = sorted({a.cause, b.cause} - {"original"})
    return "+".join(both) or "original"
