"""Crawls a world: which pages are captured, when, and what the crawler was shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

from training.generators.author_j.draw import Draw, Range
from training.generators.author_j.model import ALWAYS_OTHER, Host, Page, World
from training.generators.author_j.sites import HTML


class Row(NamedTuple):
    """One capture."""

    host: str
    path: str
    url: str
    body: str
    address: str
    when: float
    status: int
    mime: str
    length: int
    title: str
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How one crawl goes about it."""

    style: str
    share: Range
    revisits: float
    errors: float
    keeps_errors: bool
    days: int
    only_html: bool
    scale: float
    """What the share is multiplied with, so that the crawl does not get too big."""
    unrest: float
    """How much of an edit the fingerprints see."""


def crawl(world: World, plan: Plan) -> list[Row]:
    """All captures, host by host."""
    draw = Draw("crawl", world.draw.hexes(12))
    popular = tuple(world.draw.some(world.hosts, 40))
    rows: list[Row] = []
    for host in world.hosts:
        if host.redirects:
            if plan.keeps_errors:
                rows.extend(_redirected(draw, host))
        else:
            rows.extend(_Visit(draw, host, plan, popular).rows())
    return rows


def _redirected(draw: Draw, host: Host) -> list[Row]:
    """Captures of a host that sends its readers elsewhere."""
    rows = []
    for page in host.pages[: draw.heavy(1.6, 0.9, 30)]:
        body = "moved" if draw.chance(0.3) else f"moved.{host.redirects}{page.path}"
        url = f"{host.scheme}://{host.name}{page.path}"
        target = (f"http://{host.redirects}{page.path}",)
        when, address = draw.unit(), host.addresses[0]
        rows.append(Row(host.name, page.path, url, body, address, when, 301, HTML, 230, "", target))
    return rows


class _Visit:
    """The captures of one host."""

    def __init__(self, draw: Draw, host: Host, plan: Plan, popular: tuple[Host, ...]) -> None:
        self.draw, self.host, self.plan, self.popular = draw, host, plan, popular
        self.start = f"{host.scheme}://{host.name}"
        if draw.chance(0.002):
            self.start += ":8080"
        self.session = draw.pick(("sid", "PHPSESSID", "jsessionid")) if draw.chance(0.04) else ""
        self.tracked = draw.chance(0.05)
        self.indexed = draw.chance(0.15)
        self.error_rate = plan.errors * 2 * draw.unit() ** 2
        self.pace = min(max(plan.days / 60, 0.1), 6.0) * plan.unrest
        self.begin = draw.within(host.alive)
        self.whole_time = plan.days > 200 or draw.chance(0.3)

    def rows(self) -> list[Row]:
        """All of them."""
        rows = []
        for page in self._chosen():
            for _ in range(1 + self.draw.repeats(self.plan.revisits)):
                row = self._row(page)
                if row is not None:
                    rows.append(row)
        return rows

    def _chosen(self) -> list[Page]:
        """The pages that the crawler takes."""
        draw, plan = self.draw, self.plan
        pages = self.host.pages
        if plan.only_html:
            pages = [page for page in pages if page.mime == HTML]
        count = len(pages) * draw.within(plan.share) * self.host.reach * plan.scale
        count = int(count) + draw.chance(count % 1)
        if plan.style == "sample":
            far = 1 + len(pages)
            return sorted(pages, key=lambda p: draw.unit() * (0.2 + p.order / far))[:count]
        if draw.chance(0.06):
            pages = pages[1:]
        ranked = sorted(pages, key=lambda page: page.order * (0.5 + draw.unit()))
        at_least = draw.heavy(6, 0.7, 30) if plan.scale == 1.0 else 1
        return ranked[: max(count, at_least)]

    def _row(self, page: Page) -> Row | None:
        """One capture, or nothing if the page was not there at the time or its error is left."""
        draw, host, plan = self.draw, self.host, self.plan
        when = draw.within(host.alive) if self.whole_time else self.begin + 0.01 * draw.unit()
        status = 200
        if draw.chance(self.error_rate):
            status = draw.pick((404, 404, 404, 500, 503, 302, 403))
        elif page.born > 0 and page.born > when - host.lag and plan.days > 30:
            status = 404 if draw.chance(0.2) else 0
        if status != 200:
            return self._failed(page, when, status) if status and plan.keeps_errors else None
        url = self.start + self._path(page.path)
        shown = page
        if host.wall is not None and draw.chance(0.93):
            shown = host.wall
        body = self._version(shown, when)
        length = shown.size + crc32(body.encode()) % (shown.size // 20 + 1)
        address = draw.pick(host.addresses)
        links = self._links(shown) if shown.links else ()
        return Row(
            *(host.name, page.path, url, body, address, when, 200),
            *(shown.mime, length, shown.title, links),
        )

    def _version(self, page: Page, when: float) -> str:
        """The content at that time."""
        if page.edits >= ALWAYS_OTHER:
            return f"{page.body}@{self.draw.hexes(9)}"
        if not page.edits:
            return page.body
        phase = crc32(page.body.encode()) / 2**32
        return f"{page.body}@{int((when - self.host.lag + 1) * page.edits * self.pace + phase)}"

    def _path(self, path: str) -> str:
        """The path as the crawler found it."""
        draw = self.draw
        if self.session and draw.chance(0.5):
            if self.session == "jsessionid":
                bare, mark, query = path.partition("?")
                return f"{bare};jsessionid={draw.hexes(16).upper()}{mark}{query}"
            return f"{path}{'&' if '?' in path else '?'}{self.session}={draw.hexes(16)}"
        if self.tracked and draw.chance(0.1):
            return f"{path}{'&' if '?' in path else '?'}utm_source={draw.pick(('rss', 'mail'))}"
        if self.indexed and path.endswith("/") and draw.chance(0.3):
            return f"{path}index.html"
        return path

    def _failed(self, page: Page, when: float, status: int) -> Row:
        """A capture of an error."""
        draw, host = self.draw, self.host
        server = crc32(host.addresses[0].encode()) % 5
        own = f".{host.group}" if server > 2 else ""
        body = f"error.{status}.{server}{own}"
        title = f"{status} Error" if server else f"{status} Not Found"
        address = draw.pick(host.addresses)
        url, length = self.start + self._path(page.path), 300 + 7 * server
        return Row(
            *(host.name, page.path, url, body, address, when, status, HTML, length, title, ())
        )

    def _links(self, page: Page) -> tuple[str, ...]:
        """Where the page's links lead."""
        start = self.host.outward or self.start
        links = [link if "://" in link else start + link for link in page.links]
        chance = crc32(page.body.encode())
        if chance % 4 == 0:
            other = self.popular[(chance // 4) % len(self.popular)]
            links.append(f"{other.scheme}://{other.name}/")
        return tuple(links)
