"""Words, topics and sentences of generated pages, in several scripts.

Invariant: every word is random (no list of real words, names or stop words can find
anything), a language is a function of the seed and its number, and a text is a function of the
generator that draws it. Words follow Zipf's law (Zipf 1949): frequent function words, the
language's rarer words, the topic's words, which all pages that one query finds share, and a page's
own words and phrases. No Thai: its letters are so few that two neighbouring ones tell no text
apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from replicadb.arrays import Floats

SCRIPTS = (
    "latin",
    "latin",
    "latin",
    "latin",
    "latin",
    "cyrillic",
    "greek",
    "han",
    "han",
    "hangul",
    "devanagari",
    "arabic",
    "hebrew",
)
"""One language each; queries choose among them with the weights below."""
WEIGHTS = np.array([30, 12, 10, 8, 6, 7, 4, 8, 4, 4, 3, 2, 2]) / 100

CODES = {
    "latin": "en",
    "cyrillic": "ru",
    "greek": "el",
    "han": "zh",
    "hangul": "ko",
    "devanagari": "hi",
    "arabic": "ar",
    "hebrew": "he",
}

_LATIN = (
    "b c d f g h j k l m n p r s t v z br cl dr fl gr pl st tr sh ch".split(),
    "a e i o u ai ea ou".split(),
    ["", "", "", "n", "r", "s", "l", "m"],
)
_CYRILLIC = (list("бвгджзклмнпрстфхцчш"), list("аеиоуыэюя"), ["", "", "", "н", "р", "й", "т"])
_GREEK = (list("βγδζθκλμνξπρστφχψ"), list("αεηιουω"), ["", "", "ς", "ν"])
_DEVANAGARI = (
    list("कखगघचजटडतथदनपबभमयरलवशसह"),
    ["", "ा", "ि", "ी", "ु", "े", "ो"],
    ["", "", "न", "र"],
)
_ARABIC = (list("بتثجحدرزسشصطعفقكلمنهوي"), ["", "ا", "و", "ي"], [""])
_HEBREW = (list("בגדהזחטכלמנספצקרשת"), ["", "ו", "י", "א"], ["", "", "ם"])
_SYLLABLES = {
    "latin": _LATIN,
    "cyrillic": _CYRILLIC,
    "greek": _GREEK,
    "devanagari": _DEVANAGARI,
    "arabic": _ARABIC,
    "hebrew": _HEBREW,
}


@dataclass(frozen=True)
class Language:
    """A vocabulary and how its words are joined."""

    script: str
    function: np.ndarray
    """(60,) str, the most frequent words."""
    words: np.ndarray
    """(n,) str, all others."""
    space: str
    stop: str

    @property
    def code(self) -> str:
        """What ``<html lang>`` says."""
        return CODES[self.script]


@dataclass(frozen=True)
class Voice:
    """What one page talks about: entries (words and phrases) with their cumulated shares."""

    language: Language
    entries: np.ndarray
    shares: np.ndarray
    """(n,) float64, cumulated, last 1."""


@lru_cache(maxsize=1)
def languages(seed: int) -> tuple[Language, ...]:
    """One language for each of SCRIPTS."""
    return tuple(
        _language(np.random.default_rng([seed, 11, i]), script) for i, script in enumerate(SCRIPTS)
    )


def _language(rng: np.random.Generator, script: str) -> Language:
    if script in ("han", "hangul"):
        low, high, n = (0x4E00, 0x8FFF, 1500) if script == "han" else (0xAC00, 0xD7A3, 700)
        signs = np.array(
            [chr(c) for c in np.sort(rng.choice(np.arange(low, high), n, replace=False))]
        )

        def draw(k: int, length: int) -> list[str]:
            return ["".join(row) for row in rng.choice(signs, (k, length))]

        short = draw(70, 1) if script == "han" else draw(70, 1) + draw(40, 2)
        words = draw(5_500, 2) + draw(1_500, 3)
    else:
        onsets, vowels, codas = _SYLLABLES[script]

        def syllables(k: int) -> list[str]:
            chosen = (rng.choice(onsets, k), rng.choice(vowels, k), rng.choice(codas, k))
            return ["".join(part) for part in zip(*chosen, strict=True)]

        short = syllables(140)
        words = [a + b for a, b in zip(syllables(5_000), syllables(5_000), strict=True)]
        words += [a + b + c for a, b, c in zip(*(syllables(3_000) for _ in range(3)), strict=True)]

    def unique(items: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(items))

    function = unique(short)[:60]
    frequent = set(function)
    words = [word for word in unique(words) if word not in frequent]
    rng.shuffle(words)
    space, stop = {"han": ("", "。"), "devanagari": (" ", "।")}.get(script, (" ", "."))
    return Language(script, np.array(function, object), np.array(words, object), space, stop)


@cache
def _cumulated(groups: tuple[tuple[int, float, float], ...]) -> np.ndarray:
    """Cumulated shares of entries in groups, each with its size, its share and its power of Zipf's
    law; last 1.
    """
    ranked = [share / np.arange(2.0, size + 2.0) ** power for size, share, power in groups]
    shares = np.cumsum(
        np.concatenate(
            [share * one / one.sum() for (_, share, _), one in zip(groups, ranked, strict=True)]
        )
    )
    last_is_1: Floats = shares / shares[-1]
    return last_is_1


def draw_words(rng: np.random.Generator, language: Language, n: int) -> list[str]:
    """n distinct rarer words."""
    return list(language.words[rng.choice(len(language.words), n, replace=False)])


SHARES = (0.24, 0.22, 0.24, 0.30)
"""Of function words, the language's words, the topic's, and the page's own words and phrases."""


def voice(
    rng: np.random.Generator,
    language: Language,
    topic: list[str],
    shares: tuple[float, ...] = SHARES,
) -> Voice:
    """A page's way of speaking, for a topic of some words; ``shares`` as SHARES."""
    own = draw_words(rng, language, 70)
    several, taken = own + topic[:60], rng.integers(0, 70 + min(len(topic), 60), (30, 3)).tolist()
    phrases = [language.space.join(several[i] for i in row[: 2 + row[2] % 2]) for row in taken]
    mine, theirs = own + phrases, topic[2:]
    groups = [
        language.function.tolist(),
        draw_words(rng, language, 900),
        topic[:2] + [theirs[i] for i in rng.permutation(len(theirs)).tolist()],
        [mine[i] for i in rng.permutation(len(mine)).tolist()],
    ]
    cumulated = _cumulated(
        tuple(
            (len(group), share, power)
            for group, share, power in zip(groups, shares, (0.7, 0.4, 0.8, 0.6), strict=True)
        )
    )
    return Voice(
        language, np.array([entry for group in groups for entry in group], object), cumulated
    )


def sentences(rng: np.random.Generator, speaker: Voice, n: int) -> list[str]:
    """Sentences of together about n words (at least one sentence)."""
    language = speaker.language
    drawn = speaker.entries[
        np.minimum(
            np.searchsorted(speaker.shares, rng.random(max(n, 4)), side="right"),
            len(speaker.entries) - 1,
        )
    ].tolist()
    cuts = np.cumsum(rng.integers(6, 17, max(n // 6, 1) + 1))
    made, start = [], 0
    for cut in cuts.tolist():
        if start >= len(drawn):
            break
        text = language.space.join(drawn[start:cut])
        made.append(text[:1].upper() + text[1:] + language.stop)
        start = cut
    return made


def phrase(rng: np.random.Generator, speaker: Voice, n: int) -> str:
    """n words in a row, without a stop."""
    drawn = speaker.entries[
        np.minimum(
            np.searchsorted(speaker.shares, rng.random(n), side="right"), len(speaker.entries) - 1
        )
    ].tolist()
    return speaker.language.space.join(drawn)
