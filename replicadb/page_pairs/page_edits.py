"""Copies of a page with the edits that duplicates have, and with those that make another page of
it.

Invariant: an edit takes words only from the page and from a second page of the same crawl,
so edited pages look like that crawl; the same generator of random numbers gives the same edits.
Which edits leave a duplicate follows the instructions that Huffman et al. (SIGIR 2007, section 4)
gave to their judges.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from replicadb.page_constants import PAGE_PAIRS

DUPLICATES = ("numbers", "advertisement", "notice", "printer", "title")
"""Edits that leave a duplicate: dates and counters, a block from elsewhere, blocks at the end, the
main text alone, a longer title.
"""
OTHERS = ("order", "look")
"""Edits that make another page: the same blocks in another order; the main text in another page's
surroundings.
"""
FEWEST_BLOCKS = PAGE_PAIRS.fewest_blocks
LONG_LINE, RUN = PAGE_PAIRS.long_line, PAGE_PAIRS.run
_NUMBER = re.compile(r"\b\d+\b")


class Source(NamedTuple):
    """What an edit needs of a page."""

    title: str | None
    text: str
    main_text: str
    body: str
    length: int
    headings: str | None


def edited(
    page: Source, other: Source, kinds: list[str], random: np.random.Generator
) -> Source | None:
    """The page after the edits, one after the other; None where one cannot be made (too few
    blocks).
    """
    for kind in kinds:
        changed = _EDITS[kind](page, other, random)
        if changed is None:
            return None
        page = changed
    return page


def stub(page: Source, other: Source, random: np.random.Generator) -> Source:
    """What is fetched of a page that only a browser shows (a redirect by script, a frameset): a few
    words, and one of the two titles.
    """
    words = "\n".join(_blocks(other.text)[: int(random.integers(0, 3))])
    title = page.title if random.random() < 0.5 else other.title
    body = f"<html><head><title>{title or ''}</title></head><body><p>{words}</p></body></html>"
    return Source(title, words, words, body, len(body), None)


def _numbers(page: Source, other: Source, random: np.random.Generator) -> Source | None:
    seen = list(dict.fromkeys(_NUMBER.findall(page.text)))
    if not seen:
        return None
    swaps = {
        one: "".join(random.choice(list("0123456789"), len(one)))
        for one in seen
        if random.random() < 0.5
    }
    return page._replace(
        text=_digits(page.text, swaps),
        body=_digits(page.body, swaps),
        main_text=_digits(page.main_text, swaps),
    )


def _digits(text: str, swaps: dict[str, str]) -> str:
    return _NUMBER.sub(lambda m: swaps.get(m[0], m[0]), text)


def _advertisement(page: Source, other: Source, random: np.random.Generator) -> Source | None:
    return _with_blocks(page, other, random, anywhere=True)


def _notice(page: Source, other: Source, random: np.random.Generator) -> Source | None:
    return _with_blocks(page, other, random, anywhere=False)


def _with_blocks(
    page: Source, other: Source, random: np.random.Generator, anywhere: bool
) -> Source | None:
    """One to eight neighbouring blocks of the other page put in, each no more than a third of the
    page's own text.
    """
    own, theirs = _blocks(page.text), _blocks(other.text)
    if len(own) < 2 or not theirs:
        return None
    start = int(random.integers(len(theirs)))
    taken = [
        block[: max(len(page.text) // 3, 1)]
        for block in theirs[start : start + int(random.integers(1, 9))]
    ]
    at = int(random.integers(1, len(own))) if anywhere else len(own)
    markup = "".join(f"<div>{block}</div>" for block in taken)
    cut = page.body.find(
        "<", int(random.integers(max(page.length, 1))) if anywhere else page.length
    )
    whole = page.length <= len(
        page.body
    )  # else the body is the markup's beginning, and most edits lie behind it
    body = (
        page.body[:cut] + markup + page.body[cut:]
        if cut >= 0
        else page.body + markup
        if whole
        else page.body
    )
    return page._replace(
        text="\n".join([*own[:at], *taken, *own[at:]]), body=body, length=page.length + len(markup)
    )


def _printer(page: Source, other: Source, random: np.random.Generator) -> Source | None:
    """The main text with a heading, nothing around."""
    main = _blocks(page.main_text)
    if len(main) < 2 or len(main) == len(_blocks(page.text)):
        return None
    body = (
        f"<html><head><title>{page.title or ''}</title></head><body>"
        + "".join(f"<p>{block}</p>" for block in main)
        + "</body></html>"
    )
    headings = [line for line in _blocks(page.headings or "") if line in main]
    return page._replace(
        text="\n".join(main), body=body, length=len(body), headings="\n".join(headings) or None
    )


def _title(page: Source, other: Source, random: np.random.Generator) -> Source | None:
    words = (other.title or "").split()
    return (
        page._replace(title=f"{page.title} - {words[int(random.integers(len(words)))]}")
        if page.title and words
        else None
    )


def _order(page: Source, other: Source, random: np.random.Generator) -> Source | None:
    """The blocks of the main text shuffled, in the text and where they stand in the markup."""
    own = _blocks(page.text)
    places = [i for i, block in enumerate(own) if block in set(_blocks(page.main_text))]
    if len(places) < FEWEST_BLOCKS:
        return None
    places = places[1:]  # what comes first is the heading
    mixed = random.permutation(places).tolist()
    body = page.body
    for i, (place, source) in enumerate(zip(places, mixed, strict=True)):
        body = (
            body.replace(own[place], f"\x00{i}\x00{own[source]}\x00", 1)
            if own[place] != own[source]
            else body
        )
    body = re.sub("\x00\\d*", "", body)
    text = own.copy()
    for place, source in zip(places, mixed, strict=True):
        text[place] = own[source]
    return page._replace(text="\n".join(text), body=body)


def _look(page: Source, other: Source, random: np.random.Generator) -> Source | None:
    """The other page with this one's main text and title."""
    main, theirs = _blocks(page.main_text), _blocks(other.text)
    around = [block for block in theirs if block not in set(_blocks(other.main_text))]
    if len(main) < 2 or len(around) < 2:
        return None
    at = int(random.integers(1, len(around)))
    markup = "".join(f"<p>{block}</p>" for block in main)
    cut = max(other.body.find("<", len(other.body) // 3), 0)
    return Source(
        page.title if random.random() < 0.5 else other.title,
        "\n".join([*around[:at], *main, *around[at:]]),
        page.main_text,
        other.body[:cut] + markup + other.body[cut:],
        max(other.length + len(markup) - len(other.main_text), 1),
        page.headings,
    )


def _blocks(text: str) -> list[str]:
    """Its lines; of a text in very few lines, runs of RUN words."""
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    if len(lines) < FEWEST_BLOCKS and len(text) > LONG_LINE * max(len(lines), 1):
        words = text.split()
        return [" ".join(words[i : i + RUN]) for i in range(0, len(words), RUN)]
    return lines


_EDITS = {
    "numbers": _numbers,
    "advertisement": _advertisement,
    "notice": _notice,
    "printer": _printer,
    "title": _title,
    "order": _order,
    "look": _look,
}
