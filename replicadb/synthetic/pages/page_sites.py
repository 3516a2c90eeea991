"""Sites of generated pages: a design (style sheet, scripts, order of the blocks), a menu, a footer,
and the page around a main text.

Invariant: two pages of one site have the same head, menu and footer but for what an
:class:`Edit` changes; sites have designs and menus of their own. Scripts only define functions, so
that a browser that runs them shows what stands in the markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from replicadb.synthetic.pages.language import Language, draw_words, phrase, sentences, voice

ROLES = {
    "main": ["content", "main", "article", "post", "maincontent"],
    "menu": ["nav", "menu", "navigation", "topnav"],
    "item": ["item", "entry", "row"],
    "link": ["link", "lnk", "button"],
    "side": ["sidebar", "aside", "widget"],
    "foot": ["footer", "bottom", "legal"],
    "text": ["text", "para", "copy"],
    "ad": ["ad", "ads", "sponsor", "promo", "adbox"],
    "head": ["header", "masthead", "branding"],
    "wrap": ["page", "body", "layout"],
}
"""What designers call the blocks of a page; each design adds something of its own."""


@dataclass(frozen=True)
class Site:
    """What all pages of a site have."""

    host: str
    ip: str
    language: Language
    name: str
    head: str
    """Style sheets and scripts, as they stand in the head."""
    before: str
    """Header and menu; links start with the host's URL."""
    after: str
    """Footer."""
    side: str
    """Sidebar, at the left (before the main text) or right."""
    left: bool
    names: dict[str, str] = field(repr=False)
    """Class names of the blocks."""
    links: int
    """In the menu; a measure of the boilerplate."""
    titles: str
    """How titles are made: ``plain``, ``suffix``, ``prefix`` or ``fixed`` (one title for the whole
    site).
    """

    @property
    def base(self) -> str:
        return f"http://{self.host}"

    def title(self, words: str) -> str:
        """The title of a page about some words."""
        return {
            "plain": words,
            "suffix": f"{words} - {self.name}",
            "prefix": f"{self.name}: {words}",
            "fixed": self.name,
        }[self.titles]


@dataclass
class Edit:
    """What differs between two fetches or copies of one page and is no part of its content."""

    script: str = ""
    """Further scripts in the head."""
    ads: list[str] = field(default_factory=list)
    """Blocks of advertisement, put before, within and after the main text."""
    notice: str = ""
    """Legal notice in the footer."""
    stamp: str = ""
    """Date, time and counters, in words."""


def make_site(rng: np.random.Generator, language: Language, host: str, links: int) -> Site:
    """A site of its own look.

    Args:
        links: in the menu; the sidebar and the footer go with them.
    """
    ident = _Names(rng)
    names = {block: f"{rng.choice(words)} {ident()}" for block, words in ROLES.items()}
    speaker = voice(rng, language, draw_words(rng, language, 40), (0.1, 0.4, 0.25, 0.25))

    def item() -> str:
        return (
            f'<li class="{names["item"]}"><a href="http://{host}/{ident()}/{ident()}.html"'
            f' class="{names["link"]}"'
            f' id="{ident()}">{phrase(rng, speaker, int(rng.integers(1, 3)))}</a></li>'
        )

    name = phrase(rng, speaker, 2).title()
    menu = "\n".join(item() for _ in range(links))
    side = "\n".join(item() for _ in range(max(links // 4, 3)))
    notice = " ".join(sentences(rng, speaker, 12 + links))
    logo = (
        f'<div class="{names["head"]}" id="{ident()}"><a href="http://{host}/"><img'
        f' src="/{ident()}.png" alt=""></a><span>{name}</span></div>'
    )
    return Site(
        host,
        ".".join(str(x) for x in [10, *rng.integers(1, 255, 3)]),
        language,
        name,
        head=_head(rng, ident, names),
        before=f'{logo}\n<nav class="{names["menu"]}" id="{ident()}"><ul>\n{menu}\n</ul></nav>',
        after=f'<footer class="{names["foot"]}"><p>{notice}</p><p>&copy; {name}</p>\n</footer>',
        side=f'<aside class="{names["side"]}"><ul>\n{side}\n</ul></aside>',
        left=bool(rng.random() < 0.5),
        names=names,
        links=links,
        titles=str(rng.choice(["plain", "suffix", "prefix", "fixed"], p=[0.33, 0.43, 0.17, 0.07])),
    )


class _Names:
    """Identifiers of a design: two or three syllables."""

    def __init__(self, rng: np.random.Generator) -> None:
        parts = [
            "box",
            "col",
            "top",
            "sub",
            "ttl",
            "cnt",
            "pan",
            "row",
            "ico",
            "tab",
            "wid",
            "map",
            "fix",
            "grd",
            "mod",
            "blk",
            "grp",
            "lst",
        ]
        self.all: list[str] = [
            "".join(pair)
            for pair in rng.choice(parts + [chr(c) + "x" for c in range(97, 123)], (400, 2))
        ]
        self.drawn: Iterator[int] = iter(rng.integers(len(self.all), size=4000).tolist())

    def __call__(self) -> str:
        return self.all[next(self.drawn)]


def _head(rng: np.random.Generator, ident: _Names, names: dict[str, str]) -> str:
    """Style sheet and scripts of a design, 4 to 22 KB; most have some in files of their own
    instead.
    """
    share = rng.random() ** 1.5
    rules = "\n".join(
        f".{name.split()[1]} .{ident()} {{ margin: {a}px {b}px; padding: {c}px; color: #{d:06x}; "
        f"background: #{e:06x} url(/{ident()}.png) no-repeat; width: {a * 9}px; }}"
        for name in names.values()
        for a, b, c, d, e in rng.integers(
            0, [40, 40, 20, 1 << 24, 1 << 24], (int(3 + 7 * share), 5)
        )
    )
    functions = "\n".join(
        f"function {ident()}{ident()}({ident()}) {{\n  var e ="
        f" document.getElementById('{ident()}');\n  if (e && e.className != '{ident()}') {{"
        f" e.className = '{ident()} {ident()}'; e.style.width = {n} + 'px'; }}\n  return {m};\n}}"
        for n, m in rng.integers(0, 5000, (int(12 + 75 * share), 2))
    )
    files = "\n".join(
        f'<link rel="stylesheet" href="/{ident()}/{ident()}.css"><script'
        f' src="/{ident()}/{ident()}.js"></script>'
        for _ in range(int(rng.integers(1, 8)))
    )
    return (
        f'{files}\n<style type="text/css">\n{rules}\n</style>\n<script'
        f' type="text/javascript">\n{functions}\n</script>'
    )


def page(
    site: Site,
    title: str,
    main: str,
    description: str = "",
    keywords: str = "",
    edit: Edit | None = None,
) -> str:
    """A whole page of a site: its main text with everything around it."""
    edit = edit or Edit()
    ads = [f'<div class="{site.names["ad"]}">{ad}</div>' for ad in edit.ads]
    third = max(len(ads) // 3, 1)
    body = main.replace("<p>", f'<p class="{site.names["text"]}">')
    stamp = f'<p class="{site.names["item"]}">{edit.stamp}</p>' if edit.stamp else ""
    before, within = "".join(ads[:third]), "".join(ads[third : 2 * third])
    main_class = site.names["main"]
    middle = (
        f'<div class="{main_class}" id="{main_class.split()[0]}">\n'
        f"{before}{body}\n{within}{stamp}</div>"
    )
    around = [site.side, middle] if site.left else [middle, site.side]
    meta = "".join(
        f'<meta name="{name}" content="{text}">\n'
        for name, text in (("description", description), ("keywords", keywords))
        if text
    )
    footer = (
        site.after.replace("</footer>", f"<p>{edit.notice}</p></footer>")
        if edit.notice
        else site.after
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{site.language.code}">\n<head>\n<meta'
        f' charset="utf-8">\n<title>{title}</title>\n'
        f"{meta}{site.head}\n{edit.script}</head>\n"
        f'<body class="{site.names["wrap"]}">\n{site.before}\n{around[0]}\n{around[1]}\n'
        f"{''.join(ads[2 * third :])}{footer}\n</body>\n</html>\n"
    )


def bare(site: Site, title: str, main: str, edit: Edit | None = None) -> str:
    """The printer-friendly version: the main text, the site's name, hardly any markup."""
    stamp = f"<p>{edit.stamp}</p>" if edit and edit.stamp else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{site.language.code}">\n<head><meta'
        f' charset="utf-8"><title>{title}</title>\n<style>body {{ font-family: serif; width: 40em;'
        f" }}</style></head>\n<body><p>{site.name}</p>\n{main}\n{stamp}<hr><p>&copy; {site.name} -"
        f" {site.base}/</p></body></html>\n"
    )
