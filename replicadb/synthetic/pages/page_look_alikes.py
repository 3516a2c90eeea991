"""Look-alikes of a family's first page, one function for each way to be alike.

Invariant: a visitor ends up seeing another content, or the same in another look or order
(Huffman et al. 2007, section 4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from replicadb.synthetic.pages.family import Family, slug
from replicadb.synthetic.pages.language import phrase
from replicadb.synthetic.pages.main_texts import begun_alike, shuffled, teaser
from replicadb.synthetic.pages.page_noise import noise


def _template(family: Family) -> None:
    family.apart("template", family.html(family.other_content(), related=1))


def _neighbour(family: Family) -> None:
    model = str(family.rng.integers(100, 999))
    own = family.other_content("product")
    table = [block for block in own.blocks if block.startswith("<table")]
    blocks = tuple(
        table[0] if block.startswith("<table") else block for block in family.content.blocks
    )
    other = replace(
        family.content,
        heading=f"{family.content.heading} {model}",
        blocks=(*teaser(own, 0.05).blocks, *blocks),
    )
    family.apart("neighbour", family.html(other, related=1), content=family.text)


def _sort_order(family: Family) -> None:
    other = shuffled(family.rng, family.content)
    title = family.title(other)
    title = (
        title if family.rng.random() < 0.6 else f"{title} ({phrase(family.rng, family.speaker, 1)})"
    )
    url = (
        family.origin.url + f"?sort={slug(family.rng)}"
        if family.rng.random() < 0.5
        else family.url()
    )
    family.apart("sort order", family.html(other, title), url, content=family.text)


def _pagination(family: Family) -> None:
    title = family.title(family.content)
    title = title if family.rng.random() < 0.6 else f"{title} - 2"
    family.apart(
        "pagination",
        family.html(
            replace(family.other_content(), heading=family.content.heading), title, related=1
        ),
        family.origin.url + "?page=2",
    )


def _forum(family: Family) -> None:
    if family.rng.random() < 0.5:
        _pagination(family)
        family.pages[-1].apart = "forum"
        return
    other = begun_alike(family.content, family.other_content(), 0.15)
    family.apart(
        "forum",
        family.html(
            other,
            (
                family.title(family.content)
                if family.rng.random() < 0.5
                else family.title(family.other_content())
            ),
            related=1,
        ),
    )


def _login(family: Family) -> None:
    form = (
        '<form method="post" action="/login"><input name="user"><input type="password"'
        ' name="word"><input type="submit"></form>'
    )
    shown = teaser(family.content)
    title = family.title(family.content) if family.rng.random() < 0.6 else family.site.name
    family.apart(
        "login",
        family.html(replace(shown, blocks=(*shown.blocks, form)), title),
        family.url("member"),
    )


def _conditional_redirect(family: Family) -> None:
    other = begun_alike(family.content, family.other_content(), 0.3)
    edit = noise(family.rng, family.site, family.topic[:2])
    edit.script = (
        '<script>if (navigator.userAgent.indexOf("MSIE 6") >= 0) {'
        f' location.replace("{family.origin.url}"); }}</script>\n'
    )
    title = (
        family.title(family.content)
        if family.rng.random() < 0.6
        else family.title(family.other_content())
    )
    family.apart("conditional redirect", family.html(other, title, edit, related=1))


def _other_look(family: Family) -> None:
    site = family.new_sites.site(family.site.language, family.content.words // 14)
    content, known = family.content, {"content": family.text}
    if family.kind in ("hotel", "article") and family.rng.random() < 0.3:
        own = family.other_content()
        content, known = replace(content, blocks=(*content.blocks, *own.blocks)), {}
    family.apart(
        "other look",
        family.html(content, site.title(content.heading), site=site),
        f"{site.base}/{slug(family.rng)}-{family.number}.html",
        **known,
    )
    family.pages[-1].ip = site.ip


def _redirect(family: Family) -> None:
    other = family.add(family.url(), family.html(family.other_content(), related=1), listed=False)
    family.add_stub("other redirect", other, family.fresh(), family.stuffing)


def _frames(family: Family) -> None:
    family.add_frames("other frames", family.other_content(), family.fresh())


WAYS: dict[str, Callable[[Family], None]] = {
    "template": _template,
    "pagination": _pagination,
    "forum": _forum,
    "neighbour": _neighbour,
    "sort order": _sort_order,
    "other look": _other_look,
    "conditional redirect": _conditional_redirect,
    "login": _login,
    "other frames": _frames,
    "other redirect": _redirect,
}
"""By the way of being alike: what adds such a page to a family."""

LOOK_ALIKES = tuple(WAYS)
"""Why two pages of a family are no duplicates; of two causes, the later one in this list."""
