"""A crawler goes through the web and writes down what it got."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

from training.generators.author_i.dice import fraction
from training.generators.author_i.model import Host, Page
from training.generators.author_i.world import World
from training.generators.common import HTML

MONTH = 2_630_000
"""Seconds."""
AT_MOST = 145_000


class Capture(NamedTuple):
    """What was got at one URL at one time. Its status is 200, or says why there is no page."""

    host: str
    path: str
    scheme: str
    body: str
    ip: str
    second: int
    """From the end of the last crawl: below 0."""
    status: int
    mime: str
    length: int
    title: str
    links: tuple[str, ...]


class Crawler:
    """One crawl, or some, of a web."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = world.rng
        self.recipe = world.recipe
        self.again = self.rng.choice((0.0, 0.0, 0.01, 0.05))
        """Share of pages that are fetched twice in one crawl."""

    def run(self) -> list[Capture]:
        """All captures, host by host."""
        self._budgets()
        captures: list[Capture] = []
        for month in self.recipe.visits:
            for host in self.world.hosts:
                if host.alive[0] <= month <= host.alive[1]:
                    captures.extend(self._host(host, month))
        return captures

    def _budgets(self) -> None:
        rng, recipe, hosts = self.rng, self.recipe, self.world.hosts
        for host in hosts:
            host.budget = rng.tail(recipe.reach, recipe.reach_most)
        total = sum(min(host.budget, len(host.pages)) for host in hosts) * len(recipe.visits)
        share = min(1.0, AT_MOST / total)
        for host in hosts:
            host.budget = max(1, round(host.budget * share))

    def _host(self, host: Host, month: float) -> Iterator[Capture]:
        """Fetch from a host what the budget allows."""
        rng, recipe = self.rng, self.recipe
        start = month - 0.06 - rng.random() * recipe.days / 30.4
        delay = rng.spread(1, 90) / MONTH
        taken = self._found(host, host.clock(start))
        if host.redirect:
            taken = taken[: rng.randint(1, 6)]
        failing = rng.random() * recipe.errors if rng.chance(0.6) else 0.0
        for number, page in enumerate(taken):
            now = min(month, start + number * delay)
            yield self._fetch(host, page, now)
            if rng.chance(self.again):
                yield self._fetch(host, page, min(month, now + rng.random() * 0.2))
            if rng.chance(failing):
                yield self._failure(host, now)

    def _found(self, host: Host, clock: float) -> list[Page]:
        """The pages that are there at that time and that the crawler comes to."""
        rng, recipe = self.rng, self.recipe
        salt = f"{host.name}f" if recipe.sampled else "f"
        pages = [
            page
            for page in host.pages
            if page.born <= clock
            and (page.mime == HTML or fraction(page.path + salt) < recipe.files)
        ]
        if not recipe.sampled:
            loose = rng.spread(0.01, 0.6) * len(pages)
            order = sorted((place + rng.random() * loose, place) for place in range(len(pages)))
            return [pages[place] for _, place in order[: host.budget]]
        return rng.sample(pages, min(len(pages), host.budget))

    def _fetch(self, host: Host, page: Page, month: float) -> Capture:
        rng = self.rng
        scheme = rng.choice(host.schemes)
        path = page.path
        session = page.mime == HTML and fraction(f"{host.site.root}sid") < self.recipe.sessions
        if session and rng.chance(0.4):
            path += f"{'&' if '?' in path else '?'}sid={self.world.names.code(12)}"
        second = int(month * MONTH)
        if host.redirect or (len(host.schemes) == 2 and scheme == "http" and rng.chance(0.3)):
            own = fraction(host.ip + "r") < 0.5
            body = f"moved/{host.redirect or host.name}{path}" if own else "moved"
            size = 230 + len(path) if own else 162
            title = "301 Moved Permanently"
            return self._capture(host, path, scheme, body, second, 301, HTML, size, title, ())
        body = host.sent(page, month, f"{len(path)}{rng.getrandbits(48)}")
        length = page.size
        if body != page.body:
            length += crc32(body.encode()) % (page.size // 25 + 2)
        title, links = self._title(host, page), self._links(host, page, scheme)
        return self._capture(host, path, scheme, body, second, 200, page.mime, length, title, links)

    def _failure(self, host: Host, month: float) -> Capture:
        """A page that is not there, or a server that does not want."""
        error = self.world.stock.error(host.ip)
        own = fraction(f"{host.site.root}e") < 0.4
        body = f"s{host.site.root}/error" if own else error.body
        size = 6200 if own else error.size
        status = self.rng.choice((404, 404, 404, 404, 403, 500, 503))
        path = f"/{self.world.names.slug(1, 3)}"
        scheme = self.rng.choice(host.schemes)
        second = int(month * MONTH)
        return self._capture(host, path, scheme, body, second, status, HTML, size, error.title, ())

    def _capture(
        self,
        host: Host,
        path: str,
        scheme: str,
        body: str,
        second: int,
        status: int,
        mime: str,
        length: int,
        title: str,
        links: tuple[str, ...],
    ) -> Capture:
        return Capture(
            host.name, path, scheme, body, host.ip, second, status, mime, length, title, links
        )

    @staticmethod
    def _title(host: Host, page: Page) -> str:
        if page.mime != HTML:
            return ""
        with_brand = not page.stock and fraction(f"{host.site.root}t") < 0.6
        return f"{page.title} - {host.brand}" if with_brand else page.title

    @staticmethod
    def _links(host: Host, page: Page, scheme: str) -> tuple[str, ...]:
        base = f"{scheme}://{host.base or host.name}"
        way = str if host.base else host.rename
        return tuple(link if link.startswith("http") else base + way(link) for link in page.links)
