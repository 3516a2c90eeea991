"""A web while it is being made: its sites, and its hosts, each a view of a site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from training.generators.author_i.dice import Dice, fraction
from training.generators.author_i.draft import Draft
from training.generators.author_i.engines import ENGINES
from training.generators.author_i.engines_large import LARGE
from training.generators.author_i.model import Host, Page, Site
from training.generators.author_i.names import Names
from training.generators.author_i.network import Network
from training.generators.author_i.recipes import Recipe
from training.generators.author_i.renaming import Rename
from training.generators.author_i.stock import Stock
from training.generators.common import HTML

PROGRAMS = {**ENGINES, **LARGE}


class World:
    """All that there is, crawled or not."""

    def __init__(self, rng: Dice, recipe: Recipe) -> None:
        self.rng = rng
        self.recipe = recipe
        self.names = Names(rng, recipe.tlds)
        self.stock = Stock(rng, self.names)
        self.network = Network(rng, recipe.hosts)
        self.hosts: list[Host] = []
        self.unclear: list[tuple[list[Host], str]] = []
        """Groups of hosts without content of their own, and why they look alike."""
        self.roots = 0

    def site(self, kind: str, brand: str) -> tuple[Site, list[int]]:
        """A new site, and the roots of the manuals in it."""
        rng, recipe = self.rng, self.recipe
        self.roots += 1
        want = rng.tail(recipe.pages, recipe.most, 1.2)
        draft = Draft(rng, self.names, self.stock, f"s{self.roots}", want)
        draft.outside = [f"http://{host.name}/" for host in self.hosts[-3:]]
        PROGRAMS[kind](draft)
        draft.take(self.stock.root_files())
        if rng.chance(recipe.mounted):
            draft.mount(rng.choice(("/manual", "/docs", "/doc", "/help")))
        signed = rng.choice((0.05, 0.3, 1.0)) if rng.chance(recipe.signed) else 0.0
        flux = rng.spread(0.05, 1) if rng.chance(recipe.flux) else 0.0
        made = Site(self.roots, brand, kind, draft.done(), signed, flux)
        return made, [-number - 1 for number in sorted(draft.manuals)]

    def add(self, site: Site, name: str, ip: str, guests: Sequence[int] = ()) -> Host:
        """A host that shows a site as it is."""
        host = Host(name, ip, site, list(site.pages), name, site.brand, flux=site.flux)
        host.guests = list(guests)
        host.schemes = self.rng.choice((("https",), ("https",), ("http",), ("http", "https")))
        self.hosts.append(host)
        return host

    def ordinary(self) -> Host:
        """A site on a host of its own."""
        kind = self.rng.weighed(self.recipe.kinds)
        brand = self.names.brand()
        site, guests = self.site(kind, brand)
        return self.add(site, self.names.host(brand), self.network.any(), guests)

    def view(
        self,
        of: Host,
        name: str,
        cause: str,
        ip: str = "",
        keep: float = 1.0,
        rename: Rename | None = None,
        site: Site | None = None,
    ) -> Host:
        """A host that shows what another shows, or another edition of it.

        Args:
            ip: its address; any, without.
            keep: share of pages that are there.
            rename: from paths there to paths here.
            site: the edition, if another.
        """
        pages = of.pages if site is None else site.pages
        before = of.rename if site is None else str
        if rename is not None:
            pages = [page._replace(path=rename(page.path)) for page in pages]
        host = replace(
            of,
            name=name,
            ip=ip or self.network.any(),
            site=site or of.site,
            pages=self._cut(pages, keep),
            cause=cause,
            guests=list(of.guests) if site is None else [],
            rename=before if rename is None else lambda path: rename(before(path)),
        )
        host.schemes = of.schemes if ip == of.ip else self.rng.choice((("https",), ("http",)))
        self.hosts.append(host)
        return host

    def _cut(self, pages: list[Page], keep: float) -> list[Page]:
        """A share of the pages: the first, some, or some folders; the first page always."""
        if keep >= 1:
            return list(pages)
        way, salt = self.rng.random(), self.names.code()
        if way < 0.3:
            return pages[: max(2, round(len(pages) * keep))]
        if way < 0.75:
            return [page for page in pages if self.rng.chance(keep)] or pages[:1]
        folders = [page.path.strip("/").split("/")[0][:12] for page in pages]
        kept = zip(pages, folders, strict=True)
        return [page for page, folder in kept if fraction(salt + folder) < keep] or pages[:1]

    def edition(self, site: Site, changed: float, language: str = "") -> Site:
        """The site of another year, or in another language: that share of pages is new."""
        pages: list[Page] = []
        mark = f"{language or 'e'}{self.names.code(4)}"
        for page in site.pages:
            own = not page.stock or site.root < 0
            other = page.mime == HTML if language else fraction(page.body + mark) < changed
            new = own and other
            title = self.names.slug(2, 5).replace("-", " ") if new and language else page.title
            body = f"{page.body}!{mark}" if new else page.body
            late = -inf if page.born == -inf else page.born / 2
            pages.append(page._replace(body=body, title=title, born=late if new else page.born))
        number = site.edition if language else site.edition + self.rng.randrange(1, 10**6)
        language = f"{site.language}{language}"
        return replace(site, pages=pages, edition=number, language=language)
