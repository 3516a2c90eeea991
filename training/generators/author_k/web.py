"""A web that is being made: its hosts, the crawl of it and what is known of the copies."""

from __future__ import annotations

from typing import NamedTuple

from training.generators.author_k.commons import Commons
from training.generators.author_k.copies import CHANGES, Change, copied, leaking, relabelled
from training.generators.author_k.crawl import Crawl, Plan, Visit
from training.generators.author_k.dice import Dice
from training.generators.author_k.gold import Gold
from training.generators.author_k.names import Names
from training.generators.author_k.sites import Builder, Habits, Site
from training.generators.author_k.words import TONGUES
from training.generators.common import Generated


class Nature(NamedTuple):
    """What is usual on a web, apart from what its kind is about."""

    sizes: tuple[float, float, int]
    """Pages of a site: median, spread, most."""
    dynamic: float = 0.35
    changing: tuple[float, float] = (0.1, 0.9)
    absolute: float = 0.12
    sharing: tuple[float, float] = (0.12, 0.3)
    """Share of hosts with contents that many hosts have, from and to."""
    visits: tuple[int, int] = (1, 1)
    """How often a host is crawled, from and to."""
    revised: float = 0.05
    """Share of pages that are changed now and then."""


COLUMNS = {"ip": 0.75, "timestamp": 0.6, "status": 0.6, "mime": 0.6, "length": 0.55}
RICH = COLUMNS | {"title": 1.0, "length": 0.9, "links": 0.4}
LEAN = {"ip": 0.5, "timestamp": 0.15}
"""Columns of crawls, and how often each is there."""


def columns(dice: Dice, chances: dict[str, float]) -> tuple[str, ...]:
    """The columns that a crawl has besides url and fingerprint."""
    return tuple(name for name, share in chances.items() if dice.chance(share))


class Web:
    """One crawl while it is made."""

    def __init__(self, dice: Dice, plan: Plan, nature: Nature) -> None:
        self.dice = dice
        self.plan = plan
        self.nature = nature
        first = dice.pick(tuple(TONGUES))
        self.names = Names(dice, (first, dice.pick(("en", "de")), *TONGUES))
        linked = "links" in plan.columns
        habits = Habits(nature.dynamic, nature.changing, nature.absolute, nature.revised, linked)
        self.builder = Builder(dice, self.names, habits)
        files = plan.all_types or "mime" in plan.columns
        self.commons = Commons(dice, self.builder, files)
        self.sharing = dice.between(*nature.sharing)
        self.crawl = Crawl(dice, plan)
        self.gold = Gold()
        self.hosts: list[str] = []
        self._pool = [self.names.address() for _ in range(60)]

    def site(self, style: str | None = None, name: str | None = None, least: int = 1) -> Site:
        """A new site, with the shared contents that its server may have."""
        size = max(least, self.dice.size(*self.nature.sizes))
        site = self.builder.site(size, style, name)
        self.commons.add(site, self.sharing)
        return site

    def open(
        self,
        site: Site,
        host: str | None = None,
        address: str | None = None,
        frozen: float | None = None,
        span: tuple[float, float] = (0.0, 1.0),
    ) -> str:
        """Put a site online and crawl it; a span is a part of the time of the crawl."""
        dice, days = self.dice, self.plan.days
        host = host or self.names.domain(site.name.lower().replace(" ", "-"))
        bare_address = host.replace(".", "").isdigit()
        address = host if bare_address else address or self.address()
        plain = host.endswith(".onion") or dice.chance(0.2)
        visits = dice.whole(*self.nature.visits)
        budget = self.crawl.budget()
        starts = sorted(dice.between(*span) * days for _ in range(visits))
        for start in starts:
            scheme = "http" if plain or (visits > 1 and dice.chance(0.3)) else "https"
            limit = max(1, int(budget * dice.between(0.5, 1.5))) if visits > 1 else budget
            self.crawl.fetch(site, Visit(host, limit, start, address, scheme, frozen))
        self.hosts.append(host)
        return host

    def address(self) -> str:
        """An internet address: one of a large hoster, or one of its own."""
        if self.dice.chance(0.4):
            return self.dice.early(self._pool, 2)
        return self.names.address()

    def copy(self, site: Site, host: str, address: str, cause: str) -> tuple[str, Site]:
        """Put a copy of the site of the host online; gives the new host, and what it has."""
        other = self.names.alias(host, cause)
        changed = self.changed(site, host, CHANGES[cause])
        if cause == "white_label":
            changed = relabelled(self.builder, changed, 0.3)
        near = self.dice.chance(CHANGES[cause].same_address)
        place = address if near else self.names.address()
        old = self.dice.chance(CHANGES[cause].frozen)
        frozen = -self.dice.between(5, 300) if old else None
        self.open(changed, other, place, frozen)
        return other, changed

    def changed(self, site: Site, host: str, change: Change) -> Site:
        """The site as a copy has it."""
        changed = copied(self.builder, site, change)
        return leaking(changed, host) if self.dice.chance(change.leaking) else changed

    def group(self, causes: dict[str, float], count: int, site: Site | None = None) -> list[str]:
        """A site and that many copies of it; gives the hosts, the original first."""
        site = site or self.site(least=self.dice.whole(1, 12))
        address = self.address()
        host = self.open(site, address=address)
        members = [(host, "original")]
        for _ in range(count):
            cause = self.dice.weighted(causes)
            members.append((self.copy(site, host, address, cause)[0], cause))
        self.gold.group(members)
        return [member for member, _ in members]

    def groups(self, causes: dict[str, float], hosts: int) -> None:
        """Groups of copies, mostly pairs, until about that many hosts are in them."""
        made = 0
        while made < hosts:
            made += len(self.group(causes, self.dice.pick((1, 1, 1, 1, 1, 2, 2, 3, 5))))

    def redirecting(self, host: str) -> None:
        """Another name of the host that only sends visitors there."""
        if "status" not in self.plan.columns:
            return
        other = self.names.alias(host, self.dice.pick(("www_bare", "second_domain", "country")))
        start = self.dice.unit() * self.plan.days
        visit = Visit(other, 9, start, self.address(), "http")
        paths = ["/"] + [f"/{self.names.word()}" for _ in range(self.dice.pick((0, 0, 1, 3)))]
        self.crawl.redirect(visit, f"https://{host}", paths)
        self.gold.relate(host, other, "unclear", "redirect")

    def done(self) -> Generated:
        """The crawl and its gold."""
        pairs = self.gold.rows(self.crawl.rows, self.plan.columns)
        return Generated(self.crawl.table(), pairs, self.plan.all_types)
