"""Crawls of made-up webs whose website copies are known.

Each kind of web is like one that a crawler finds: a country's sites, a broad crawl, a sample of
URLs, front pages only, a web archive, manuals and their mirrors, hosting platforms, parked domains,
phishing kits, link farms, hidden services, universities and offices, news, shops. Most hosts are
unrelated (except on the onion web). Unrelated hosts still share contents: error pages, default
pages, licences, legal texts, agency articles, product pages, platform help. Copies come about as on
the real web: www and bare names, old and second domains, countries, misspelt names, IP addresses,
staging hosts, mirrors, CDN names, scraped sites, kits, farms. They differ by edits, missing parts,
renamed paths, other crawl depth, other days, counters and adverts.

What gold means: ``replica`` is the same site with the same content, also if a part of it was
changed or is missing; all pairs within a group of copies are listed. ``near-replica`` is another
version, edition, fork or variant. ``unclear`` is a translation, a region or brand, a part of a site
elsewhere, a redirect, a phone edition, a redesign, or a planted copy of which this crawl shows no
trace: no content, no title and fewer than three paths that are rare elsewhere. Pairs that are not
listed are unrelated.

The author wrote from knowledge of the web and read nothing of the project but the interface
(``common.py``).
"""

from __future__ import annotations

from collections.abc import Callable

from training.generators.author_k.dice import Dice
from training.generators.author_k.kinds_bodies import campus, manuals, news, onion, shops
from training.generators.author_k.kinds_open import (
    archive,
    broad,
    dynamic,
    few_copies,
    fronts,
    national,
    sample,
)
from training.generators.author_k.kinds_platforms import farms, hosting, kits, parked
from training.generators.common import Generated

KINDS: dict[str, Callable[[Dice], Generated]] = {
    "national": national,
    "broad": broad,
    "url_sample": sample,
    "front_pages": fronts,
    "dynamic": dynamic,
    "archive": archive,
    "manuals": manuals,
    "hosting": hosting,
    "parked": parked,
    "kits": kits,
    "farms": farms,
    "onion": onion,
    "campus": campus,
    "news": news,
    "shops": shops,
    "few_copies": few_copies,
}
SCENARIOS = tuple(KINDS)


def generate(scenario: str, seed: int) -> Generated:
    """A crawl of that kind; another seed draws other rates, sizes, names and columns."""
    return KINDS[scenario](Dice(f"author_k {scenario}", seed))
