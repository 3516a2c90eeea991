"""Pronounceable words that nobody has seen before, and the few fixed names of pages and domain
endings that real sites have as well.

Invariant: no word that is part of a name of a host or article is the same in every web.
"""

from __future__ import annotations

from random import Random

ONSETS = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr sh sl st tr".split()
VOWELS = "a a e e i i o o u ai ea ee ie oa ou".split()
CODAS = ["", "", "", "n", "r", "l", "s", "t", "m", "nd", "rk", "st", "x"]
ENDINGS = "com com com com org net de co.uk fr nl io info com.br it es edu".split()
TITLES = (
    "Home",
    "About us",
    "Contact",
    "Privacy policy",
    "Blog",
    "News",
    "FAQ",
    "Services",
    "Products",
    "Gallery",
)
USUAL_PAGES = (
    "/about /contact /privacy-policy /robots.txt /blog /news /faq /services /login /gallery"
    " /sitemap /imprint".split()
)
BOILERPLATE = (
    "server: welcome",
    "blog system: first post",
    "blog system: sample page",
    "cookie wall",
    "",
    "panel: not found",
    "script licence",
    "robots: all allowed",
    "free licence",
    "server: default page",
    "forum: help",
    "server: no listing",
)
"""Bytes that unrelated sites have in common everywhere; the fifth are none."""
SERVICES = (
    "https://www.facebook.com/",
    "https://twitter.com/",
    "https://wordpress.org/",
    "https://www.instagram.com/",
)


def vocabulary(random: Random, size: int) -> list[str]:
    """So many different words of one to three syllables."""
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = random.choice((1, 2, 2, 2, 3))
        word = "".join(
            random.choice(ONSETS) + random.choice(VOWELS) for _ in range(syllables)
        ) + random.choice(CODAS)
        if 3 < len(word) < 12:
            words[word] = None
    return list(words)


def titled(slug: str) -> str:
    """A slug as a title."""
    return slug.replace("-", " ").replace("_", " ").strip("/ ").title()
