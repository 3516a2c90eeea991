"""Generated pairs of pages with gold: what is a duplicate of what, and why.

Invariant: the same seed gives the same bytes; labels come from how the pages were made,
never from comparing them.

Two labels, since the papers ask two questions. ``label`` follows the instructions of Huffman et al.
(2007), section 4: what a visitor ends up seeing, in which layout. Duplicates are printer-friendly
versions on the same site, copies on mirrors and in archives, pages that differ by dates, counters,
advertisements or legal notices, and pages that lead by themselves, or by frames, to such a page. No
duplicates are the same text in another site's look, another sort order, a page behind a login, and
pages that redirect only under a condition.

``content_label`` is what Das et al. (2012) and Di Iorio et al. (2003) mean by near duplicates: the
same main text as fetched, whatever stands around it. Another sort order (Di Iorio et al., section
3), the same lyrics in another look and a product's neighbour with the same description are near
duplicates there; a stub that redirects has only its own words; and where the fetched page has no
main text (a frameset, an all but empty stub) the label is empty: nothing to judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.synthetic.pages.families import make_pages
from replicadb.synthetic.pages.family import Family
from replicadb.synthetic.pages.generated_page import Page
from replicadb.synthetic.pages.language import WEIGHTS, draw_words, languages
from replicadb.synthetic.pages.new_sites import NewSites
from replicadb.synthetic.pages.page_duplicates import CAUSES
from replicadb.synthetic.pages.page_files import PageFiles
from replicadb.synthetic.pages.page_gold import gold_pairs
from replicadb.synthetic.pages.page_links import PageLinks
from replicadb.synthetic.pages.page_look_alikes import LOOK_ALIKES

__all__ = ["CAUSES", "FORMATS", "LOOK_ALIKES", "PagesResult", "generate_pages"]

FORMATS = ("warc", "parquet")
OF_PAGE = ("url", "family", "look", "content", "cause", "apart")
"""What the gold is made of."""


@dataclass(frozen=True)
class PagesResult:
    """What was written, and how much of it."""

    pages_file: Path
    """pages.warc.gz (responses, with redirect targets and frame documents), or pages.parquet: url,
    ip, timestamp, mime, html.
    """
    rendered: Path
    """rendered.parquet: url, final_url, html; the pages that a browser shows otherwise than they
    were fetched, as it would show them.
    """
    gold_csv: Path
    """url_a, url_b, label, cause, query, content_label: every pair of pages that one query finds,
    url_a < url_b.
    """
    pages: int
    pairs: int
    duplicates: int


def generate_pages(
    folder: str | Path, pages: int = 2000, seed: int = 0, fmt: str = "warc", links: bool = False
) -> PagesResult:
    """Write pages and the gold of their pairs.

    Args:
        folder: made if missing.
        pages: about so many; the last query's pages are all written.
        seed: everything is drawn from it.
        fmt: ``warc`` or ``parquet``.
        links: pages link to earlier ones, those of one content to much the same (page_links.py).

    Raises:
        UsageError: no such format, or fewer than 20 pages.
    """
    if fmt not in FORMATS:
        raise UsageError(
            f"no such page format {fmt!r}{did_you_mean(fmt, FORMATS)}; formats are:"
            f" {', '.join(FORMATS)}"
        )
    if pages < 20:
        raise UsageError(f"{pages} pages are too few for pairs of every kind; ask for 20 or more")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    known: list[tuple[Any, ...]] = []
    linkage = PageLinks(seed) if links else None
    with PageFiles(folder, fmt, seed) as files:
        for number, query, made in _queries(seed):
            files.write(linkage.add(made, number) if linkage else made)
            known += [
                (number, query, *(getattr(page, name) for name in OF_PAGE))
                for page in made
                if page.listed
            ]
            if files.pages >= pages:
                break
    gold = gold_pairs(pl.DataFrame(known, schema=["number", "query", *OF_PAGE], orient="row"))
    gold.write_csv(folder / "gold.csv")
    return PagesResult(
        files.path,
        files.rendered_path,
        folder / "gold.csv",
        files.pages,
        len(gold),
        int((gold["label"] == "duplicate").sum()),
    )


def _queries(seed: int) -> Iterator[tuple[int, str, list[Page]]]:
    """Number, words and pages of one query after the other, without end."""
    spoken = languages(seed)
    new_sites = NewSites(seed, spoken)
    number = 0
    while True:
        rng = np.random.default_rng([seed, 21, number])
        language = spoken[int(rng.choice(len(spoken), p=WEIGHTS))]
        topic = draw_words(rng, language, 140)
        new_sites.rng = rng
        sites = [new_sites.site(language) for _ in range(2)]
        families = [
            Family(rng, number * 4 + i, sites[int(rng.integers(2))], topic, new_sites)
            for i in range(int(rng.integers(2, 4)))
        ]
        made = [page for family in families for page in make_pages(family)]
        yield number, " ".join(topic[:2]), made
        number += 1
