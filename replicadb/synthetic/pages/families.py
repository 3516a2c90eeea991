"""Families of generated pages: a page, its duplicates and its look-alikes, all found by one query.

Always true here: what makes two pages duplicates is written down when they are made, never measured
afterwards. ``look``
numbers what a visitor ends up seeing: content, order of the items, layout and gate (Huffman et al.
2007, section 4); ``content`` numbers the main text that stands in the fetched markup, whatever is
around it and in whatever order (Das et al. 2012; Di Iorio et al. 2003), -1 where the fetched page
has none. Pages are written one at a time, as they are read.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replicadb.synthetic.pages.generated_page import Page
from replicadb.synthetic.pages.language import phrase, voice
from replicadb.synthetic.pages.main_texts import (
    Content,
    begun_alike,
    make_content,
    shuffled,
    teaser,
    words_of,
)
from replicadb.synthetic.pages.page_noise import (
    ad_blocks,
    archived,
    framed,
    iframed,
    legal_notice,
    noise,
    session,
    stamp,
    stub,
)
from replicadb.synthetic.pages.page_sites import Edit, Site, bare, page

CAUSES = (
    "date",
    "counter",
    "advertisement",
    "legal",
    "printer",
    "mirror",
    "archive",
    "frames",
    "redirect",
)
"""Why two duplicates differ; of a pair with two causes, the later one in this list."""
LOOK_ALIKES = (
    "template",
    "pagination",
    "forum",
    "neighbour",
    "sort order",
    "other look",
    "conditional redirect",
    "login",
    "other frames",
    "other redirect",
)
"""Why two pages of a family are no duplicates; of two causes, the later one in this list."""
OF_KIND = {
    "article": ("template", "other look", "login", "conditional redirect", "other look"),
    "product": ("template", "neighbour", "conditional redirect", "login"),
    "list": ("sort order", "pagination", "pagination", "template"),
    "thread": ("forum", "forum", "template", "login"),
    "lyrics": ("other look", "other look", "other look", "template"),
    "hotel": ("other look", "other look", "template", "neighbour"),
}
KIND_SHARES = {
    "article": 0.17,
    "product": 0.17,
    "list": 0.17,
    "thread": 0.11,
    "lyrics": 0.20,
    "hotel": 0.18,
}
CAUSE_SHARES = {
    "date": 0.10,
    "counter": 0.09,
    "advertisement": 0.16,
    "legal": 0.08,
    "printer": 0.17,
    "mirror": 0.10,
    "archive": 0.10,
    "frames": 0.08,
    "redirect": 0.12,
}


class Family:
    """Makes the pages of one family; ``pages`` has them in order."""

    def __init__(
        self, rng: np.random.Generator, number: int, site: Site, topic: list[str], strangers
    ) -> None:
        self.rng, self.number, self.site, self.topic, self.strangers = (
            rng,
            number,
            site,
            topic,
            strangers,
        )
        self.pages: list[Page] = []
        self.speaker = voice(rng, site.language, topic)
        self.kind = str(rng.choice(list(KIND_SHARES), p=list(KIND_SHARES.values())))
        self.folder = f"{site.base}/{_slug(rng)}"
        self.looks = 0
        self.content = make_content(
            rng, self.speaker, self.kind, topic[:2], words_of(rng, site.links)
        )
        self.related = (
            [self._related(site, i) for i in range(2)] if rng.random() < 0.5 else ["", ""]
        )

    # what every page needs

    def fresh(self) -> int:
        """A new number for a look or a content; unique over the whole set."""
        self.looks += 1
        return self.number * 100 + self.looks

    def add(self, url: str, html: str, **known) -> Page:
        made = Page(url, self.site.ip, html, self.number, **known)
        self.pages.append(made)
        return made

    def url(self, name: str = "") -> str:
        """A new URL of the family's folder."""
        return f"{self.folder}/{name or _slug(self.rng)}-{self.number}-{len(self.pages)}.html"

    def _related(self, site: Site, i: int) -> str:
        """A page that the family's pages link to; no result of the query itself."""
        other = make_content(
            self.rng, voice(self.rng, site.language, self.topic), "article", [], 150
        )
        url = self.url("more")
        self.add(
            url,
            page(
                site,
                site.title(other.heading),
                other.html(),
                edit=noise(self.rng, site, self.topic[:2]),
            ),
            listed=False,
        )
        return f'<p><a href="{url}">{other.heading}</a></p>'

    def html(
        self,
        content: Content,
        title: str | None = None,
        edit: Edit | None = None,
        site: Site | None = None,
        related: int = 0,
    ) -> str:
        site = site or self.site
        more = self.related[related] if site is self.site else ""
        return page(
            site,
            self.title(content) if title is None else title,
            content.html() + more,
            content.description,
            content.keywords,
            edit or noise(self.rng, site, self.topic[:2]),
        )

    def title(self, content: Content) -> str:
        return self.site.title(content.heading)

    # the family

    def make(self) -> list[Page]:
        """The page itself, one to three duplicates (at times none), and one to three
        look-alikes.
        """
        rng = self.rng
        self.look, self.text = self.fresh(), self.fresh()
        self.origin = self.add(
            self.url(), self.html(self.content), look=self.look, content=self.text
        )
        causes = list(CAUSE_SHARES)
        for cause in rng.choice(
            causes,
            int(rng.choice([0, 1, 2], p=[0.2, 0.62, 0.18])),
            replace=False,
            p=list(CAUSE_SHARES.values()),
        ):
            getattr(self, f"as_{cause}")()
        ways = list(dict.fromkeys(OF_KIND[self.kind]))
        shares = np.array([OF_KIND[self.kind].count(way) for way in ways]) / len(OF_KIND[self.kind])
        for way in rng.choice(
            ways,
            min(int(rng.choice([0, 1, 2], p=[0.25, 0.6, 0.15])), len(ways)),
            replace=False,
            p=shares,
        ):
            getattr(self, "other_" + way.replace(" ", "_"))()
        made = {made.cause for made in self.pages}
        if "redirect" in made and rng.random() < 0.5:
            self.other_redirect()
        if "frames" in made and rng.random() < 0.6:
            self.other_frames()
        return self.pages

    def same(self, cause: str, url: str, html: str, **known) -> Page:
        return self.add(
            url, html, cause=cause, **({"look": self.look, "content": self.text} | known)
        )

    def counted(self, share: float) -> Content:
        """The content, in a share of cases with a counter or a date of its own in every block
        (views, days ago, in stock).
        """
        if self.rng.random() >= share:
            return self.content
        numbers = self.rng.integers(1, 2000, len(self.content.blocks)).tolist()
        blocks = zip(self.content.blocks, numbers, strict=True)
        return replace(
            self.content, blocks=tuple(block.replace("</p>", f" {n}</p>") for block, n in blocks)
        )

    def as_date(self) -> None:
        edit = noise(self.rng, self.site, self.topic[:2])
        edit.stamp = " ".join(
            stamp(self.rng, self.site) for _ in range(int(self.rng.integers(2, 6)))
        )
        self.same("date", self.url(), self.html(self.counted(0.45), edit=edit))

    def as_counter(self) -> None:
        count = int(self.rng.integers(1, 40))
        title = self.title(self.content)
        html = self.html(
            self.counted(0.45), f"({count}) {title}" if self.rng.random() < 0.3 else title
        )
        self.same(
            "counter", self.url(), session(self.rng, html) if self.rng.random() < 0.6 else html
        )

    def as_advertisement(self) -> None:
        edit = noise(self.rng, self.site, self.topic[:2])
        n = int(self.rng.integers(3, 9))
        each = max(int(self.content.words * self.rng.uniform(0.08, 0.26)) // n, 8)
        edit.ads, edit.script = ad_blocks(self.rng, self.site, n, (each, each * 2), self.topic[:2])
        self.same("advertisement", self.url(), self.html(self.content, edit=edit))

    def as_legal(self) -> None:
        edit = noise(self.rng, self.site, self.topic[:2])
        edit.notice = legal_notice(self.rng, self.site, int(self.rng.integers(60, 260)))
        self.same("legal", self.url(), self.html(self.content, edit=edit))

    def as_printer(self) -> None:
        title = self.title(self.content)
        title = [
            title,
            title,
            self.content.heading,
            f"{phrase(self.rng, self.speaker, 1)} - {title}",
        ][int(self.rng.integers(4))]
        url = self.origin.url + "?print=1" if self.rng.random() < 0.5 else self.url("print")
        self.same(
            "printer",
            url,
            bare(self.site, title, self.content.html(), noise(self.rng, self.site, self.topic[:2])),
        )

    def as_mirror(self) -> None:
        host = (
            f"mirror{self.rng.integers(1, 9)}.{self.site.host}"
            if self.rng.random() < 0.25
            else self.strangers.host()
        )
        there = lambda text: text.replace(self.site.base + "/", f"http://{host}/")
        self.same("mirror", there(self.origin.url), there(self.html(self.counted(0.3))))
        self._copy_related(there)

    def as_archive(self) -> None:
        there, html = archived(
            self.rng, self.site, self.html(self.content), self.strangers.archive()
        )
        self.same("archive", there(self.origin.url), html)
        self._copy_related(there)

    def _copy_related(self, there) -> None:
        for made in [made for made in self.pages if not made.listed and "/more-" in made.url][:2]:
            if self.rng.random() < 0.7:
                self.add(
                    there(made.url),
                    made.html.replace(self.site.base + "/", there(self.site.base + "/")),
                    listed=False,
                )

    def as_redirect(self) -> None:
        if self.rng.random() < 0.5:
            target = self.origin
        else:
            target = self.add(self.url(), self.html(self.content), listed=False)
        self._stub("redirect", target, self.look)

    def _stub(self, cause: str, target: Page, look: int, words: str | None = None) -> None:
        self.stuffing = stub(self.rng, self.site, self.speaker) if words is None else words
        title = self.title(self.content) if self.rng.random() < 0.4 else self.site.name
        way = int(self.rng.integers(3))
        moves = [
            f'<meta http-equiv="refresh" content="{self.rng.integers(0, 3)}; url={target.url}">\n',
            f'<script>location.replace("{target.url}");</script>\n',
            f'<script>window.location.href = "{target.url}";</script>\n',
        ][way]
        html = (
            "<!DOCTYPE html>\n<html>\n<head>\n<meta"
            f' charset="utf-8">\n<title>{title}</title>\n{moves}</head>\n<body>\n{self.stuffing}\n</body>\n</html>\n'
        )
        told = len(self.stuffing) > 200
        if told and not hasattr(self, "stuffed"):
            self.stuffed = self.fresh()
        self.add(
            self.url("go"),
            html,
            cause=cause if look == self.look else "",
            apart="" if look == self.look else cause,
            look=look,
            content=self.stuffed if told else -1,
            rendered=target.html,
            final_url=target.url,
        )

    def as_frames(self) -> None:
        self.framed = int(self.rng.integers(2))
        self._frames("frames", self.content, self.look)

    def _frames(self, cause: str, content: Content, look: int) -> None:
        html, rendered, frame = (iframed if self.framed else framed)(self, content)
        self.add(frame.url, frame.html, listed=False)
        self.add(
            self.url("frame"),
            html,
            cause=cause if look == self.look else "",
            apart="" if look == self.look else cause,
            look=look,
            rendered=rendered,
        )

    # look-alikes

    def apart(self, way: str, html: str, url: str = "", **known) -> None:
        self.add(
            url or self.url(),
            html,
            apart=way,
            **({"look": self.fresh(), "content": self.fresh()} | known),
        )

    def other_content(self, kind: str | None = None) -> Content:
        speaker = voice(self.rng, self.site.language, self.topic)
        return make_content(
            self.rng, speaker, kind or self.kind, self.topic[:2], max(self.content.words, 60)
        )

    def other_template(self) -> None:
        self.apart("template", self.html(self.other_content(), related=1))

    def other_neighbour(self) -> None:
        model = str(self.rng.integers(100, 999))
        own = self.other_content("product")
        table = [block for block in own.blocks if block.startswith("<table")]
        blocks = tuple(
            table[0] if block.startswith("<table") else block for block in self.content.blocks
        )
        other = replace(
            self.content,
            heading=f"{self.content.heading} {model}",
            blocks=(*teaser(own, 0.05).blocks, *blocks),
        )
        self.apart("neighbour", self.html(other, related=1), content=self.text)

    def other_sort_order(self) -> None:
        other = shuffled(self.rng, self.content)
        title = self.title(other)
        title = (
            title if self.rng.random() < 0.6 else f"{title} ({phrase(self.rng, self.speaker, 1)})"
        )
        url = (
            self.origin.url + f"?sort={_slug(self.rng)}" if self.rng.random() < 0.5 else self.url()
        )
        self.apart("sort order", self.html(other, title), url, content=self.text)

    def other_pagination(self) -> None:
        title = self.title(self.content)
        title = title if self.rng.random() < 0.6 else f"{title} - 2"
        self.apart(
            "pagination",
            self.html(
                replace(self.other_content(), heading=self.content.heading), title, related=1
            ),
            self.origin.url + "?page=2",
        )

    def other_forum(self) -> None:
        if self.rng.random() < 0.5:
            self.other_pagination()
            self.pages[-1].apart = "forum"
            return
        other = begun_alike(self.content, self.other_content(), 0.15)
        self.apart(
            "forum",
            self.html(
                other,
                (
                    self.title(self.content)
                    if self.rng.random() < 0.5
                    else self.title(self.other_content())
                ),
                related=1,
            ),
        )

    def other_login(self) -> None:
        form = (
            '<form method="post" action="/login"><input name="user"><input type="password"'
            ' name="word"><input type="submit"></form>'
        )
        shown = teaser(self.content)
        title = self.title(self.content) if self.rng.random() < 0.6 else self.site.name
        self.apart(
            "login",
            self.html(replace(shown, blocks=(*shown.blocks, form)), title),
            self.url("member"),
        )

    def other_conditional_redirect(self) -> None:
        other = begun_alike(self.content, self.other_content(), 0.3)
        edit = noise(self.rng, self.site, self.topic[:2])
        edit.script = (
            '<script>if (navigator.userAgent.indexOf("MSIE 6") >= 0) {'
            f' location.replace("{self.origin.url}"); }}</script>\n'
        )
        title = (
            self.title(self.content)
            if self.rng.random() < 0.6
            else self.title(self.other_content())
        )
        self.apart("conditional redirect", self.html(other, title, edit, related=1))

    def other_other_look(self) -> None:
        site = self.strangers.site(self.site.language, self.content.words // 14)
        content, known = self.content, {"content": self.text}
        if self.kind in ("hotel", "article") and self.rng.random() < 0.3:
            own = self.other_content()
            content, known = replace(content, blocks=(*content.blocks, *own.blocks)), {}
        self.apart(
            "other look",
            self.html(content, site.title(content.heading), site=site),
            f"{site.base}/{_slug(self.rng)}-{self.number}.html",
            **known,
        )
        self.pages[-1].ip = site.ip

    def other_redirect(self) -> None:
        other = self.add(self.url(), self.html(self.other_content(), related=1), listed=False)
        self._stub("other redirect", other, self.fresh(), self.stuffing)

    def other_frames(self) -> None:
        self._frames("other frames", self.other_content(), self.fresh())


def _slug(rng: np.random.Generator) -> str:
    letters = rng.choice(list("bcdfghklmnprstvz"), 3), rng.choice(list("aeiou"), 3)
    return "".join(a + b for a, b in zip(*letters, strict=True))
