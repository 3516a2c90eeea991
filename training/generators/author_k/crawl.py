"""A crawler: what it fetches of the sites, and the table that it writes."""

from __future__ import annotations

import hashlib
import math
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl

from training.generators.author_k.dice import Dice
from training.generators.author_k.sites import HTML, Page, Site

SCHEMA: dict[str, pl.DataType] = {
    "url": pl.String(),
    "fingerprint": pl.String(),
    "ip": pl.String(),
    "timestamp": pl.String(),
    "status": pl.Int64(),
    "mime": pl.String(),
    "length": pl.Int64(),
    "title": pl.String(),
    "links": pl.List(pl.String()),
}


@dataclass(frozen=True)
class Plan:
    """How a crawl is made."""

    columns: tuple[str, ...]
    """Besides url and fingerprint."""
    hashed: str
    """How fingerprints are written: sha1, md5 or int."""
    days: float
    """How long the crawl takes."""
    budget: tuple[float, float, int]
    """Pages taken of a host: median, spread, most."""
    take: float = 0.0
    """If more than 0, this share of all URLs is taken by chance, and budgets do not matter."""
    all_types: bool = False
    """Whether files that are not pages are kept."""


@dataclass(frozen=True)
class Visit:
    """How one host is crawled."""

    host: str
    budget: int
    start: float
    """Day on which the first fetch is."""
    address: str
    scheme: str = "https"
    frozen: float | None = None
    """Day on which the copy was taken from its original; nothing changed there since."""


class Crawl:
    """The captures of a crawl."""

    def __init__(self, dice: Dice, plan: Plan) -> None:
        self.dice = dice
        self.plan = plan
        self.rows: list[tuple] = []
        """host, path, and then the columns of ``SCHEMA``."""
        self._salt = dice.whole(0, 10**9)
        self._begin = datetime(dice.whole(2012, 2023), dice.whole(1, 12), dice.whole(1, 28))
        self._fetches = 0
        self._seen: set[tuple[str, str]] = set()

    def budget(self) -> int:
        """How many pages of a host are taken at most."""
        return self.dice.size(*self.plan.budget)

    def fetch(self, site: Site, visit: Visit) -> int:
        """Capture pages of a host; gives how many."""
        before = len(self.rows)
        day = visit.start
        for page in self._chosen(site.pages, visit.budget):
            self._capture(site, page, visit, day)
            day += self.dice.unit() * 0.003
        return len(self.rows) - before

    def redirect(self, visit: Visit, target: str, paths: Sequence[str]) -> None:
        """Capture some pages of a host that only sends the visitor to another."""
        own = self.dice.chance(0.5)
        for path in paths:
            text = f"moved {target}{path}" if own else "moved nginx"
            length = 230 + len(target) + len(path) if own else 162
            page = Page(path, 0, "301 Moved Permanently", length, status=301)
            self._write(page, visit, visit.start + self.dice.unit() * 0.01, text, path, length, ())

    def _chosen(self, pages: list[Page], budget: int) -> list[Page]:
        dice, plan = self.dice, self.plan
        if not plan.all_types and "mime" not in plan.columns:
            pages = [page for page in pages if page.mime == HTML]
        if plan.take:
            return [page for page in pages if dice.chance(plan.take)]
        if budget >= len(pages):
            return pages
        if dice.chance(0.03):
            pages = pages[1:]
        depth = dice.between(0.2, 1.2)
        ranked = sorted(
            (math.log(rank + 1) * depth - math.log(-math.log(dice.unit() * 0.999999 + 5e-7)), rank)
            if rank
            else (-99.0, 0)
            for rank in range(len(pages))
        )
        return [pages[rank] for _, rank in ranked[:budget]]

    def _capture(self, site: Site, page: Page, visit: Visit, day: float) -> None:
        known = day if visit.frozen is None else visit.frozen
        parts = [str(page.key)]
        length = page.length
        if page.period:
            version = int(known / page.period + (page.key * 2654435761 % 1000) / 1000)
            parts.append(f"v{version}")
            length += page.key * (version + 7) % 91 if version else 0
        if page.mime == HTML and page.status == 200:
            if site.absolute:
                parts.append(visit.host)
                length += (5 + page.key % 20) * len(visit.host)
            if page.changing:
                self._fetches += 1
                parts.append(f"f{self._fetches}")
                length += self.dice.whole(-site.jitter, site.jitter)
        path = page.path
        if site.sessions and self.dice.chance(0.4):
            joint = "&" if "?" in path else "?"
            path += f"{joint}{'sid' if page.key % 2 else 'PHPSESSID'}="
            path += self.dice.letters("0123456789abcdef", 16)
        root = f"{visit.scheme}://{visit.host}"
        links = tuple(link if "://" in link else root + link for link in page.links)
        self._write(page, visit, day, " ".join(parts), path, max(length, 0), links)

    def _write(
        self,
        page: Page,
        visit: Visit,
        day: float,
        text: str,
        path: str,
        length: int,
        links: tuple[str, ...],
    ) -> None:
        when = self._begin + timedelta(seconds=int(day * 86400))
        stamp = when.strftime("%Y%m%d%H%M%S")
        url = f"{visit.scheme}://{visit.host}{path}"
        dated = "timestamp" in self.plan.columns
        once = (url, stamp if dated else "")
        if once in self._seen:
            return
        self._seen.add(once)
        print_ = self._fingerprint(text)
        row = (url, print_, visit.address, stamp, page.status, page.mime, length, page.title, links)
        self.rows.append((visit.host, page.path, *row))

    def _fingerprint(self, text: str) -> str | int:
        full = hashlib.sha1(f"{self._salt} {text}".encode())
        if self.plan.hashed == "int":
            return int.from_bytes(full.digest()[:8], "big") >> 1
        if self.plan.hashed == "md5":
            return full.hexdigest()[:32]
        return b32encode(full.digest()).decode()

    def table(self) -> pl.DataFrame:
        """The captures as a table, in the order of their URLs and times."""
        rows = sorted(self.rows, key=lambda row: (row[2], row[5]))
        data = {}
        for at, (name, kind) in enumerate(SCHEMA.items(), start=2):
            if name in ("url", "fingerprint", *self.plan.columns):
                number = name == "fingerprint" and self.plan.hashed == "int"
                values = [row[at] for row in rows]
                values = [list(value) for value in values] if name == "links" else values
                data[name] = pl.Series(name, values, dtype=pl.Int64() if number else kind)
        return pl.DataFrame(data)
