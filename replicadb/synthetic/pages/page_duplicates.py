"""Duplicates of a family's first page, one function for each cause.

Invariant: a visitor ends up seeing the same content in the same look (Huffman et al. 2007,
section 4); dates, counters, advertisements and notices are no content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from replicadb.synthetic.pages.family import Family
from replicadb.synthetic.pages.language import phrase
from replicadb.synthetic.pages.main_texts import Content
from replicadb.synthetic.pages.page_noise import (
    ad_blocks,
    archived,
    legal_notice,
    noise,
    session,
    stamp,
)
from replicadb.synthetic.pages.page_sites import bare


def _counted(family: Family, share: float) -> Content:
    """The content, in a share of cases with a counter or a date of its own in every block
    (views, days ago, in stock).
    """
    if family.rng.random() >= share:
        return family.content
    numbers = family.rng.integers(1, 2000, len(family.content.blocks)).tolist()
    blocks = zip(family.content.blocks, numbers, strict=True)
    return replace(
        family.content, blocks=tuple(block.replace("</p>", f" {n}</p>") for block, n in blocks)
    )


def _date(family: Family) -> None:
    edit = noise(family.rng, family.site, family.topic[:2])
    edit.stamp = " ".join(
        stamp(family.rng, family.site) for _ in range(int(family.rng.integers(2, 6)))
    )
    family.same("date", family.url(), family.html(_counted(family, 0.45), edit=edit))


def _counter(family: Family) -> None:
    count = int(family.rng.integers(1, 40))
    title = family.title(family.content)
    html = family.html(
        _counted(family, 0.45), f"({count}) {title}" if family.rng.random() < 0.3 else title
    )
    family.same(
        "counter", family.url(), session(family.rng, html) if family.rng.random() < 0.6 else html
    )


def _advertisement(family: Family) -> None:
    edit = noise(family.rng, family.site, family.topic[:2])
    n = int(family.rng.integers(3, 9))
    each = max(int(family.content.words * family.rng.uniform(0.08, 0.26)) // n, 8)
    edit.ads, edit.script = ad_blocks(
        family.rng, family.site, n, (each, each * 2), family.topic[:2]
    )
    family.same("advertisement", family.url(), family.html(family.content, edit=edit))


def _legal(family: Family) -> None:
    edit = noise(family.rng, family.site, family.topic[:2])
    edit.notice = legal_notice(family.rng, family.site, int(family.rng.integers(60, 260)))
    family.same("legal", family.url(), family.html(family.content, edit=edit))


def _printer(family: Family) -> None:
    title = family.title(family.content)
    prefixed = f"{phrase(family.rng, family.speaker, 1)} - {title}"
    title = [title, title, family.content.heading, prefixed][int(family.rng.integers(4))]
    url = family.origin.url + "?print=1" if family.rng.random() < 0.5 else family.url("print")
    edit = noise(family.rng, family.site, family.topic[:2])
    family.same("printer", url, bare(family.site, title, family.content.html(), edit))


def _mirror(family: Family) -> None:
    host = (
        f"mirror{family.rng.integers(1, 9)}.{family.site.host}"
        if family.rng.random() < 0.25
        else family.new_sites.host()
    )

    def there(text: str) -> str:
        return text.replace(family.site.base + "/", f"http://{host}/")

    family.same("mirror", there(family.origin.url), there(family.html(_counted(family, 0.3))))
    _copy_related(family, there)


def _archive(family: Family) -> None:
    there, html = archived(
        family.rng, family.site, family.html(family.content), family.new_sites.archive()
    )
    family.same("archive", there(family.origin.url), html)
    _copy_related(family, there)


def _copy_related(family: Family, there: Callable[[str], str]) -> None:
    for made in [made for made in family.pages if not made.listed and "/more-" in made.url][:2]:
        if family.rng.random() < 0.7:
            family.add(
                there(made.url),
                made.html.replace(family.site.base + "/", there(family.site.base + "/")),
                listed=False,
            )


def _redirect(family: Family) -> None:
    if family.rng.random() < 0.5:
        target = family.origin
    else:
        target = family.add(family.url(), family.html(family.content), listed=False)
    family.add_stub("redirect", target, family.look)


def _frames(family: Family) -> None:
    family.in_line = int(family.rng.integers(2))
    family.add_frames("frames", family.content, family.look)


DUPLICATES: dict[str, tuple[float, Callable[[Family], None]]] = {
    "date": (0.10, _date),
    "counter": (0.09, _counter),
    "advertisement": (0.16, _advertisement),
    "legal": (0.08, _legal),
    "printer": (0.17, _printer),
    "mirror": (0.10, _mirror),
    "archive": (0.10, _archive),
    "frames": (0.08, _frames),
    "redirect": (0.12, _redirect),
}
"""By cause: its share of the duplicates, and what adds one to a family."""

CAUSES = tuple(DUPLICATES)
"""Why two duplicates differ; of a pair with two causes, the later one in this list."""
