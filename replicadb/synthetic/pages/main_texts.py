"""Main texts of generated pages: articles, products, lists, forum threads, song lyrics and hotels.

Invariant: a content is drawn once and then only arranged (sorted, cut, put behind another's
beginning), so that two pages with the same content have the same words in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from replicadb.synthetic.pages.language import Voice, phrase, sentences


@dataclass(frozen=True)
class Content:
    """What a page is about, before a site is put around it."""

    kind: str
    heading: str
    blocks: tuple[str, ...]
    """Markup; items of a list, posts of a thread and paragraphs of the others, one each."""
    description: str
    keywords: str
    words: int
    """About how many the blocks have together."""

    def html(self, blocks: tuple[str, ...] | None = None) -> str:
        """The main text as markup."""
        chosen = self.blocks if blocks is None else blocks
        return "\n".join([f"<h1>{self.heading}</h1>", *chosen])


def words_of(rng: np.random.Generator, links: int) -> int:
    """Length of a main text in words: median 420, 100 to 2,400; longer on sites with long menus,
    but for one page in fifty.
    """
    if rng.random() < 0.02:
        return int(rng.integers(100, 160))
    return int(np.clip(420 * np.exp(0.6 * rng.standard_normal()), max(130, 10 * links), 2400))


def make_content(
    rng: np.random.Generator, speaker: Voice, kind: str, query: list[str], n: int
) -> Content:
    """A content of a kind; the query's words stand in its first block and its heading or its
    description.
    """
    space = speaker.language.space
    wanted = space.join(query)
    heading = phrase(rng, speaker, int(rng.integers(2, 5)))
    heading = space.join([*query[:1], heading]) if rng.random() < 0.6 else heading
    heading = heading[:1].upper() + heading[1:]
    made = _MAKERS[kind](rng, speaker, n, wanted)
    described, keyed = rng.random(2) < (0.5, 0.4)
    description = sentences(rng, speaker, 14)[0] if described else ""
    keywords = ", ".join([*query, phrase(rng, speaker, 2)]) if keyed else ""
    return Content(kind, heading, tuple(made), description, keywords, n)


def _with(wanted: str, text: str, speaker: Voice) -> str:
    return f"{wanted}{speaker.language.space}{text}" if wanted else text


def _paragraphs(rng: np.random.Generator, speaker: Voice, n: int) -> list[str]:
    made = sentences(rng, speaker, n)
    cuts = np.cumsum(rng.integers(2, 7, len(made)))
    starts = [0, *cuts[cuts < len(made)].tolist()]
    return [" ".join(made[a:b]) for a, b in zip(starts, [*starts[1:], len(made)], strict=True)]


def _article(rng: np.random.Generator, speaker: Voice, n: int, wanted: str) -> list[str]:
    texts = _paragraphs(rng, speaker, n)
    texts[0] = _with(wanted, texts[0], speaker)
    return [
        (f"<h2>{phrase(rng, speaker, 3)}</h2>\n" if i and rng.random() < 0.25 else "")
        + f"<p>{text}</p>"
        for i, text in enumerate(texts)
    ]


def _product(rng: np.random.Generator, speaker: Voice, n: int, wanted: str) -> list[str]:
    rows = "".join(
        f"<tr><th>{phrase(rng, speaker, 1)}</th><td>{phrase(rng, speaker, 2)}"
        f" {rng.integers(1, 900)}</td></tr>"
        for _ in range(int(rng.integers(5, 14)))
    )
    texts = _paragraphs(rng, speaker, n)
    texts[0] = _with(wanted, texts[0], speaker)
    return (
        [f"<p>{text}</p>" for text in texts[:2]]
        + [f"<table>{rows}</table>"]
        + [f"<p>{text}</p>" for text in texts[2:]]
    )


def _list(rng: np.random.Generator, speaker: Voice, n: int, wanted: str) -> list[str]:
    items = int(np.clip(n // 18, 8, 60))

    def name() -> str:
        return _with(wanted, "", speaker) if rng.random() < 0.3 else ""

    return [
        f"<div><b>{name()}{phrase(rng, speaker, 2)}</b>"
        f" <span>{rng.integers(100, 9999) / 10}</span>"
        f"<p>{' '.join(sentences(rng, speaker, int(rng.integers(9, 20))))}</p></div>"
        for _ in range(items)
    ]


def _thread(rng: np.random.Generator, speaker: Voice, n: int, wanted: str) -> list[str]:
    members = [phrase(rng, speaker, 1) + str(rng.integers(1, 99)) for _ in range(8)]
    posts: list[str] = []
    while n > 0 or len(posts) < 4:
        length = int(rng.integers(15, 90))
        text = " ".join(sentences(rng, speaker, length))
        text = _with(wanted, text, speaker) if not posts or rng.random() < 0.3 else text
        posts.append(
            f"<div><b>{members[int(rng.integers(8))]}</b> <i>{date(rng)}</i><p>{text}</p></div>"
        )
        n -= length
    return posts


def _lyrics(rng: np.random.Generator, speaker: Voice, n: int, wanted: str) -> list[str]:

    def line() -> str:
        return phrase(rng, speaker, int(rng.integers(4, 9)))

    def verse() -> str:
        return "<br>\n".join(line() for _ in range(int(rng.integers(4, 7))))

    chorus = _with(wanted, verse(), speaker)
    made = []
    for _ in range(int(np.clip(n // 55, 2, 8))):
        made += [f"<p>{verse()}</p>", f"<p>{chorus}</p>"]
    return made


def _hotel(rng: np.random.Generator, speaker: Voice, n: int, wanted: str) -> list[str]:
    facts = "".join(f"<li>{phrase(rng, speaker, 2)}</li>" for _ in range(int(rng.integers(5, 12))))
    texts = _paragraphs(rng, speaker, n)
    texts[0] = _with(wanted, texts[0], speaker)
    return [f"<p>{text}</p>" for text in texts] + [f"<ul>{facts}</ul>"]


_MAKERS = {
    "article": _article,
    "product": _product,
    "list": _list,
    "thread": _thread,
    "lyrics": _lyrics,
    "hotel": _hotel,
}


def date(rng: np.random.Generator) -> str:
    """A date and time."""
    day, month, hour, minute = rng.integers([1, 1, 0, 0], [29, 13, 24, 60]).tolist()
    return f"{2004 + int(rng.integers(9))}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}"


def shuffled(rng: np.random.Generator, content: Content) -> Content:
    """The same items in another order."""
    return replace(
        content, blocks=tuple(content.blocks[i] for i in rng.permutation(len(content.blocks)))
    )


def begun_alike(content: Content, other: Content, share: float) -> Content:
    """The other content behind the beginning of this one, whole blocks of about a share of the
    text.
    """
    sizes = np.cumsum([len(block) for block in content.blocks])
    kept = int((sizes <= max(share * sizes[-1], sizes[0])).sum())
    return replace(
        other, blocks=(*content.blocks[:kept], *other.blocks[: max(len(other.blocks) - kept, 1)])
    )


def teaser(content: Content, share: float = 0.15) -> Content:
    """The beginning of the text, without markup."""
    text = " ".join(re.sub(r"<[^>]*>", " ", " ".join(content.blocks)).split())
    return replace(
        content, kind="article", blocks=(f"<p>{text[: int(len(text) * share)]} ...</p>",)
    )
