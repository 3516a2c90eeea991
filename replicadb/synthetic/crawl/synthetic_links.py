"""Out-links and canonical links of the generated pages.

Invariant: links are functions of what they stand on, so nothing depends on how many pages
are made at a time. Links of a page's text follow its content, whoever has it (copies, also dynamic
ones; lyrics; a network's sections); navigation names the own host, in some copies the one they were
copied from; credits are a template's. Links are no oracle: popular targets, credits and owners'
links join hosts that are no replicas, and some canonical links are wrong.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl
import pyarrow as pa

from replicadb.synthetic.crawl.draws import mix, pick, unit, within
from replicadb.synthetic.crawl.hosts import CAUSES, FORKS
from replicadb.synthetic.crawl.link_targets import LinkTargets
from replicadb.synthetic.crawl.sites import COMMON, NUMBERED, OWN, SECTION, THEME
from replicadb.synthetic.crawl.themes import begun
from replicadb.synthetic.crawl.web import Web

NAVIGATION = 4
"""Most section pages that a host's every page links to."""

_NAMES_ORIGINAL = {
    "www": 0.30,
    "suffix": 0.25,
    "load-balanced": 0.30,
    "moved": 0.30,
    "clone": 0.35,
    "moved-prefix": 0.3,
} | dict.fromkeys(FORKS, 0.2)
_CANONICAL = {
    "www": 0.50,
    "suffix": 0.40,
    "load-balanced": 0.45,
    "moved": 0.35,
    "clone": 0.15,
    "moved-prefix": 0.3,
} | dict.fromkeys(FORKS, 0.25)
_SISTERS = {"franchise": 0.5, "farm": 0.5}


Found = tuple[np.ndarray, pl.Series]
"""Rows, (n,) int, and a URL that each of them links to, String (n,)."""


class Links(LinkTargets):
    """The links of a web; what is the same for all pages of a host is made once."""

    def __init__(self, web: Web, seed: int) -> None:
        rng = np.random.default_rng([seed, 6])
        super().__init__(web, rng)
        sites = len(self.hosts.hosts_of)
        self.bounds = np.searchsorted(self.parts.site, np.arange(sites + 1))
        self.label = np.array(CAUSES)[self.hosts.cause]
        self.owner = self._owners(rng, sites)
        self.begun = begun(web.profile, self.tag, self.hosts.hosts_of)

    def _owners(self, rng: np.random.Generator, sites: int) -> np.ndarray:
        """(s,) the other site of the same owner, -1 for none: a shop and its blog are no replicas,
        and link.
        """
        several = rng.permutation(sites)[: sites // 20 * 2].reshape(-1, 2)
        other = np.full(sites, -1, np.int64)
        other[several[:, 0]], other[several[:, 1]] = several[:, 1], several[:, 0]
        return other

    @cached_property
    def design(self) -> np.ndarray:
        """(s,) uint64, each site's template or theme; the site itself where it has none."""
        space = mix(self.tag, 399, np.arange(len(self.hosts.hosts_of)))
        which = np.flatnonzero(np.isin(self.parts.kind, [COMMON, THEME]))[::-1]
        space[self.parts.site[which]] = self.parts.paths[which]
        return space

    @cached_property
    def lead_part(self) -> np.ndarray:
        """(p,) for parts that are a network's section, that part of the network's lead; else the
        part itself.
        """
        lead = np.arange(len(self.parts.site))
        which = np.flatnonzero(self.parts.kind == SECTION)
        _, first, inverse = np.unique(
            self.parts.paths[which], return_index=True, return_inverse=True
        )
        lead[which] = which[first][inverse]
        return lead

    @cached_property
    def named(self) -> np.ndarray:
        """(h,) the host that a host's internal links name: its own, or the one it was
        copied from.
        """
        rate = np.zeros(len(CAUSES))
        rate[[CAUSES.index(c) for c in _NAMES_ORIGINAL]] = list(_NAMES_ORIGINAL.values())
        own = np.arange(len(self.label))
        leaks = unit(mix(self.tag, 301, own)) < rate[self.hosts.cause]
        return np.where(leaks, self.first_host[self.hosts.site], own)

    @cached_property
    def every_page(self) -> pl.Series:
        """What all pages of a host link to, ready to be joined: home and sections, blogroll, owner,
        credits. String (h,).
        """
        h, site = np.arange(len(self.label)), self.hosts.site
        tag, static = self.tag, self.web.static
        part = self.own_part[site]
        has = np.flatnonzero(part >= 0)
        count = np.minimum(self.parts.pages[part[has]], 1 + NAVIGATION)
        host, page = np.repeat(has, count), within(count)
        near = [(host, self.urls(self.named[host], part[host], page))]
        share, inside = (0.15, 0.1) if static else (0.25, 0.4)
        for slot in range(3):  # a blogroll, copied with the site
            roll = h[(unit(mix(tag, 311, site, slot)) < share) & ~self.begun[site]]
            near.append((roll, self.targets(mix(tag, 312, site[roll], slot), inside)))
        credits = h[unit(mix(tag, 313, site)) < 0.85]
        for slot in range(4):
            some = credits[unit(mix(self.design[site[credits]], 314, slot)) < 0.6]
            near.append((some, self.targets(mix(self.design[site[some]], 315, slot), 0.0)))
        owned = h[(self.owner[site] >= 0) & (unit(mix(tag, 316, h)) < 0.7)]
        near.append((owned, self.homes(self.first_host[self.owner[site[owned]]])))
        near += self._sisters()
        return joined(len(h), near)

    def _sisters(self) -> list[Found]:
        """Franchises and farms link to some of their own, in a ring."""
        order = np.lexsort((np.arange(len(self.label)), self.hosts.site))
        site = self.hosts.site[order]
        size = self.hosts.hosts_of[site]
        start = np.searchsorted(site, site)
        cause = np.zeros(len(self.hosts.hosts_of), np.int64)
        np.maximum.at(cause, self.hosts.site, self.hosts.cause)
        rate = np.array([_SISTERS.get(c, 0.0) for c in CAUSES])[cause[site]]
        linked = np.flatnonzero((size > 1) & (unit(mix(self.tag, 317, site)) < rate))
        found = []
        for step in (1, 2, 5):
            some = linked[size[linked] > step]
            other = start[some] + (some - start[some] + step) % size[some]
            found.append((order[some], self.homes(order[other])))
        return found

    def out_links(self, rows: dict[str, np.ndarray]) -> pl.Series:
        """Each row's out-links as a JSON list of URLs, null for what is no page. String (n,)."""
        pages = np.flatnonzero(self.web.is_page(rows["part"], rows["page"]))
        host, part, page = (rows[x][pages] for x in ("host", "part", "page"))
        own, content = rows["own"][pages], rows["content"][pages]
        of_text = self._external(host, part, page, own, content)
        found = [self._internal(host, part, own), of_text, self._to_leads(host, part, page)]
        body = joined(len(pages), found)
        text = (
            pl.DataFrame({"every": self.every_page.gather(host), "body": body})
            .select(
                pl.concat_str(
                    pl.lit("["),
                    "every",
                    pl.when((pl.col("every") != "") & (pl.col("body") != ""))
                    .then(pl.lit(", "))
                    .otherwise(pl.lit("")),
                    "body",
                    pl.lit("]"),
                )
            )
            .to_series()
        )
        place = np.full(len(rows["host"]), len(pages), np.int64)
        place[pages] = np.arange(len(pages))
        return text.extend(pl.Series([None], dtype=pl.String)).gather(place)

    def _internal(self, host: np.ndarray, part: np.ndarray, own: np.ndarray) -> Found:
        """One to three other pages of the same part of the site; a cloned page may name the
        original's host.
        """
        count = np.where(self.parts.pages[part] > 3, 1 + pick(mix(own, 321), 3), 0)
        row = np.repeat(np.arange(len(host)), count)
        h = mix(own[row], 322, within(count))
        at = part[row]
        page = self.parts.first[at] + pick(h, self.parts.pages[at])
        there = (
            unit(mix(self.tag, 71, self.parts.site[at], self.parts.paths[at], page))
            < self.parts.keep[at]
        )
        row, at, page = row[there], at[there], page[there]
        half = (self.label[host[row]] != "clone") | (
            unit(mix(self.tag, 323, host[row], page)) < 0.5
        )
        return row, self.urls(np.where(half, self.named[host[row]], host[row]), at, page)

    def _external(
        self,
        host: np.ndarray,
        part: np.ndarray,
        page: np.ndarray,
        own: np.ndarray,
        content: np.ndarray,
    ) -> Found:
        """Links of the text, by what the page is; where a fetch or an edit changed it, one in ten
        is another, of a version up to eight in ten.

        Some sites link to nobody from their own pages, so that what a theme's pages link to is all
        they have in common. On static sites a fifth to nearly all are as in the page's
        translations, which stand at the same path.
        """
        web, static = self.web, self.web.static
        count = np.minimum((-2.2 * np.log1p(-0.999 * unit(mix(own, 331)))).astype(np.int64), 12)
        silent = (unit(mix(self.parts.contents, 338)) < (0.35 if static else 0.15)) | self.begun[
            self.parts.site
        ]
        quiet = np.isin(self.parts.kind, [OWN, NUMBERED]) & silent
        count = np.where(quiet[part], 0, count)
        row, slot = np.repeat(np.arange(len(own)), count), within(count)
        changed = (content != own) & ~(web.visits["reformatted"][host] if static else False)
        rate = 0.1 + 0.7 * web.visits["age"][host[row]] if static else 0.1
        other = changed[row] & (unit(mix(content[row], 332, slot)) < rate)
        h = np.where(other, mix(content[row], 333, slot), mix(own[row], 334, slot))
        if static:
            at_path = mix(self.parts.paths[part], page, 335)[row]
            share = 0.2 + 0.75 * unit(mix(self.parts.paths[part], 339))[row]
            as_translated = ~other & (unit(mix(at_path, 336, slot)) < share)
            h = np.where(as_translated, mix(at_path, 337, slot), h)
        return row, self.targets(h, 0.02 if static else 0.12)

    def _to_leads(self, host: np.ndarray, part: np.ndarray, page: np.ndarray) -> Found:
        """Pages of a network's section link to the same page of its lead, or to its home page."""
        row = np.flatnonzero(
            (self.parts.kind[part] == SECTION) & (unit(mix(self.tag, 341, host, page)) < 0.7)
        )
        lead = self.lead_part[part[row]]
        to = self.first_host[self.parts.site[lead]]
        page = np.where(unit(mix(self.tag, 342, host[row], page[row])) < 0.5, page[row], 0)
        home = np.where(page == 0, np.maximum(self.own_part[self.parts.site[lead]], 0), lead)
        return row, self.urls(to, home, page)

    def canonicals(self, rows: dict[str, np.ndarray]) -> pl.Series:
        """Each row's canonical URL, null for none. String (n,).

        Most name the page itself; copies of some causes, and pages of a network's section, at times
        the original; 2 % of the sites name their home page everywhere, 2 % of the hosts an
        unrelated site of the same template or theme.
        """
        host, part, page = rows["host"], rows["part"], rows["page"]
        tag, site = self.tag, self.hosts.site[host]
        has = self.web.is_page(part, page) & (unit(mix(tag, 351, site)) < 0.5)
        which = np.flatnonzero(has)
        host, part, page, site = host[which], part[which], page[which], site[which]
        added = rows["added"][which]
        rate = np.array([_CANONICAL.get(c, 0.0) for c in CAUSES])[self.hosts.cause[host]]
        to = np.where(~added & (unit(mix(tag, 352, host)) < rate), self.first_host[site], host)
        lead = self.lead_part[part]
        credited = (lead != part) & (unit(mix(self.parts.paths[part], 353)) < 0.4)
        to = np.where(credited, self.first_host[self.parts.site[lead]], to)
        part = np.where(credited, lead, part)
        url = self.web.heads.gather(to) + self.web.paths(to, part, page, added & (to == host))
        everywhere = unit(mix(tag, 354, site)) < 0.02
        wrong = unit(mix(tag, 355, host)) < 0.02
        _, like, inverse = np.unique(self.design, return_index=True, return_inverse=True)
        unrelated = self.first_host[like[inverse[site]]]
        home = self.homes(np.where(wrong, unrelated, host))
        url = (
            pl.DataFrame({"url": url, "home": home, "odd": everywhere | wrong})
            .select(pl.when("odd").then("home").otherwise("url"))
            .to_series()
        )
        place = np.full(len(has), len(which), np.int64)
        place[which] = np.arange(len(which))
        return url.extend(pl.Series([None], dtype=pl.String)).gather(place)


def joined(n: int, found: list[Found]) -> pl.Series:
    """URLs of each of 0 ... n - 1 in quotation marks with commas between them, in the order found.
    String (n,).
    """
    row = np.concatenate([rows for rows, _ in found])
    url = pl.concat([urls for _, urls in found])
    order = np.argsort(row, kind="stable")
    ends = np.r_[0, np.cumsum(np.bincount(row, minlength=n))]
    lists = pa.LargeListArray.from_arrays(
        pa.array(ends, pa.int64()), url.gather(order).to_arrow().cast(pa.large_string())
    )
    text = pl.Series(pl.from_arrow(lists)).list.join('", "')
    return (
        pl.DataFrame({"t": text})
        .select(
            pl.when(pl.col("t") != "")
            .then(pl.concat_str(pl.lit('"'), "t", pl.lit('"')))
            .otherwise(pl.lit(""))
        )
        .to_series()
    )
