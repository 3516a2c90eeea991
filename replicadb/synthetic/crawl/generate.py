"""A generated crawl with known replicas: the same seed gives the same files, byte for byte.

Invariant: gold.csv holds every pair of hosts that were planted as copies of each other, and
no other; whether a crawl of them differs from look-alikes is decided by the rates of a
:class:`Profile`. Causes and look-alikes follow the paper §1 and docs/method.md#causes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.synthetic.crawl import bodies
from replicadb.synthetic.crawl.bodies import Bodies
from replicadb.synthetic.crawl.crawl_file import CrawlFile
from replicadb.synthetic.crawl.draws import mix, pick
from replicadb.synthetic.crawl.frames import to_frame
from replicadb.synthetic.crawl.hosts import CAUSES, Hosts, build_hosts
from replicadb.synthetic.crawl.paths import urls_of_a_page
from replicadb.synthetic.crawl.profiles import PROFILES, Profile
from replicadb.synthetic.crawl.pseudo_names import words
from replicadb.synthetic.crawl.redirects import redirect_rows
from replicadb.synthetic.crawl.sites import Parts, build_parts
from replicadb.synthetic.crawl.synthetic_links import Links
from replicadb.synthetic.crawl.themes import build_theme_parts, theme_visits
from replicadb.synthetic.crawl.titles import Titles
from replicadb.synthetic.crawl.visits import draw_visits, expected_pages, fetch
from replicadb.synthetic.crawl.web import Web
from replicadb.under_way import each

__all__ = ["PROFILES", "Profile", "SynthResult", "generate"]

FORMATS = ("parquet", "csv")

MOST = 1_000_000_000

LAST_SEED = 2**64 - 1
"""Draws are by 64-bit hashes of the seed."""

ROWS_AT_A_TIME = 2_000_000
"""Expected pages; larger crawls are made in pieces, so that memory does not grow with them."""


@dataclass(frozen=True)
class SynthResult:
    """What was written, and how much of it."""

    crawl: Path
    """The crawl: url, ip, fingerprint, timestamp, status, mime, length; with links also links (a
    JSON list of URLs, null for what is no page), canonical, title and redirect (null but in rows of
    status 301 and 302, which have no fingerprint); with content also html, whose digest is the
    fingerprint and whose bytes are the length.
    """
    hosts_csv: Path
    """host, ip: the known addresses."""
    gold_csv: Path
    """host_a, host_b, cause, label (replica, or near-replica for versions of one site from other
    years): every pair of a replica group, host_a < host_b in byte order.
    """
    hosts: int
    urls: int
    replica_pairs: int
    """Rows of gold_csv; some of them share no fingerprint in the crawl."""
    replica_groups: int
    url_gold: Path
    """further_url, duplicate_of, kind: every further URL of a page of the same host, and how it was
    made (session, tracking, print, slash, index, order).
    """
    further_urls: int
    """Rows of url_gold."""


def generate(
    folder: str | Path,
    hosts: int,
    urls: int | None = None,
    profile: str | Profile = "ordinary",
    seed: int = 0,
    fmt: str = "parquet",
    links: bool = False,
    content: bool = False,
    page_edits: str = "none",
) -> SynthResult:
    """Write a crawl with planted replicas.

    Args:
        folder: of the four files, made if missing.
        hosts: exactly so many hosts.
        urls: about so many URLs (within a few per cent); None leaves the profile's sizes as they
            are.
        profile: a name in PROFILES, or a Profile.
        seed: everything is drawn from it.
        fmt: ``parquet`` or ``csv``, of the crawl.
        links: four columns more (links, canonical, title, redirect), and rows of redirects.
        content: a column html more; pages of equal content have equal html.
        page_edits: ``small`` adds a date, a counter, a banner or an advertisement to every page, so
            that no two are the same to the byte; all other columns but fingerprint and length stay.

    Raises:
        UsageError: no such profile or format, fewer than 20 hosts, or a seed of more than 64 bits;
            edits without content.
    """
    _refuse(hosts, urls, profile, seed, fmt, content, page_edits)
    rates = PROFILES[profile] if isinstance(profile, str) else profile
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    plan = build_hosts(rates, hosts, seed)
    web = _draw_web(rates, plan, urls, seed)
    gold = gold_pairs(plan)

    crawl = folder / f"crawl.{fmt}"
    with CrawlFile(crawl, fmt) as file, CrawlFile(folder / "url_gold.csv", "csv") as further:
        frames = _frames(web, seed, links, page_edits if content else None, further.write)
        for frame in each("writing", frames, "parts"):
            file.write(frame)
    addresses = pl.DataFrame({"host": plan.name, "ip": plan.ip}).drop_nulls().sort("host")
    addresses.write_csv(folder / "hosts.csv")
    gold.write_csv(folder / "gold.csv")
    return SynthResult(
        crawl=crawl,
        hosts_csv=folder / "hosts.csv",
        gold_csv=folder / "gold.csv",
        hosts=hosts,
        urls=file.rows,
        replica_pairs=len(gold),
        replica_groups=int((plan.hosts_of > 1).sum()),
        url_gold=further.path,
        further_urls=further.rows,
    )


def _refuse(
    hosts: int,
    urls: int | None,
    profile: str | Profile,
    seed: int,
    fmt: str,
    content: bool,
    page_edits: str,
) -> None:
    """Refuse what cannot be generated; arguments and errors as of :func:`generate`."""
    if isinstance(profile, str) and profile not in PROFILES:
        raise UsageError(
            f"no such profile {profile!r}{did_you_mean(profile, PROFILES)}; profiles are:"
            f" {', '.join(PROFILES)}"
        )
    if fmt not in FORMATS:
        raise UsageError(
            f"no such crawl format {fmt!r}{did_you_mean(fmt, FORMATS)}; formats are:"
            f" {', '.join(FORMATS)}"
        )
    if page_edits not in bodies.EDITS:
        raise UsageError(
            f"no such page edits {page_edits!r}{did_you_mean(page_edits, bodies.EDITS)}; there are:"
            f" {', '.join(bodies.EDITS)}"
        )
    if page_edits != "none" and not content:
        raise UsageError("page edits change the pages' markup; ask for content, too")
    if hosts < 20:
        raise UsageError(f"{hosts} hosts are too few for a crawl with groups; ask for 20 or more")
    if not 0 <= seed <= LAST_SEED:
        raise UsageError(f"the seed is {seed}; give 0 to {LAST_SEED}")
    if max(hosts, urls or 0) > MOST:
        raise UsageError(f"at most {MOST:,} hosts and URLs can be generated")


def _frames(
    web: Web,
    seed: int,
    links: bool,
    page_edits: str | None,
    planted: Callable[[pl.DataFrame], None],
) -> Iterator[pl.DataFrame]:
    """The crawl some hosts at a time, those of a time span of the crawl; drawn by hash, so that no
    group stands together.

    With page_edits (not None) the pages' markup, and frames of some thousand rows. ``planted`` gets
    the further URLs of pages.
    """
    n = max(1, int(np.ceil(expected_pages(web.hosts, web.parts, web.visits) / ROWS_AT_A_TIME)))
    turn = pick(mix(np.uint64(seed), 95, np.arange(len(web.hosts.site))), n)
    titles = Titles(web) if links or page_edits else None
    made = Links(web, seed) if links else None
    markup = Bodies(web, titles, page_edits) if titles and page_edits else None

    def columns(pages: dict[str, np.ndarray]) -> dict[str, pl.Series]:
        more: dict[str, pl.Series] = {}
        if made and titles:
            more["links"] = made.out_links(pages)
            more["canonical"] = made.canonicals(pages)
            more["title"] = titles.of(pages)
        return more | (markup.columns(pages) if markup else {})

    for i in range(n):
        which = np.flatnonzero(turn == i)
        rows = fetch(web.profile, web.hosts, web.parts, web.visits, seed, which)
        redirects = redirect_rows(made, which, (i, n)) if made else None
        frame = to_frame(web, rows, (i, n), columns, redirects, planted)
        if markup is None:
            yield frame
        else:
            yield from map(markup.fill, frame.iter_slices(bodies.ROWS_AT_A_TIME))


def _draw_web(rates: Profile, plan: Hosts, urls: int | None, seed: int) -> Web:
    """The web of the planned hosts, and how each of them was crawled."""
    visits = draw_visits(rates, plan, seed, urls)
    if rates.static:
        visits = theme_visits(rates, plan, visits, seed)
    parts = _sized_parts(rates, plan, visits, urls, seed)
    vocabulary = words(np.random.default_rng([seed, 4]), 9_000)
    return Web(rates, plan, parts, visits, vocabulary, seed)


def _sized_parts(
    rates: Profile, plan: Hosts, visits: dict[str, np.ndarray], urls: int | None, seed: int
) -> Parts:
    """The sites' parts, sizes scaled so that about ``urls`` pages are fetched; where sites cannot
    be so small, less of them is crawled.
    """
    build = build_theme_parts if rates.static else build_parts
    each = urls_of_a_page(rates)

    def missed(parts: Parts) -> float:
        return urls / (each * expected_pages(plan, parts, visits)) if urls else 1.0

    factor = 1.0
    for _ in range(10 if urls else 1):
        parts = build(rates, seed, plan, factor)
        ratio = missed(parts)
        if abs(ratio - 1) < 0.01:
            return parts
        factor *= ratio
    while (ratio := missed(parts)) < 0.97 and visits["coverage"].max() > 0.001:
        visits["coverage"] = visits["coverage"] * ratio
        visits["small"] = np.zeros_like(visits["small"])
        visits["least"] = np.ones_like(visits["least"])
    return parts


def gold_pairs(plan: Hosts) -> pl.DataFrame:
    """All pairs within a replica group: host_a, host_b, cause, label, sorted. What another year's
    version is like is a near-replica.
    """
    rows = pl.DataFrame({"site": plan.site, "host": plan.name, "cause": plan.cause}).filter(
        pl.Series(plan.hosts_of[plan.site] > 1)
    )
    pairs = rows.join(rows, on="site", suffix="_b").filter(pl.col("host") < pl.col("host_b"))
    return (
        pairs.select(
            pl.col("host").alias("host_a"),
            "host_b",
            cause=pl.Series(CAUSES).gather(
                pairs.select(pl.max_horizontal("cause", "cause_b")).to_series()
            ),
        )
        .with_columns(
            label=pl.when(cause="version").then(pl.lit("near-replica")).otherwise(pl.lit("replica"))
        )
        .sort("host_a", "host_b")
    )
