"""A family of generated pages: a page, and what its duplicates and look-alikes have of it.

Invariant: what makes two pages duplicates is written down when they are made, never measured
afterwards. ``look`` numbers what a visitor ends up seeing: content, order of the items, layout and
gate (Huffman et al. 2007, section 4). ``content`` numbers the main text that stands in the fetched
markup, whatever is around it and in whatever order (Das et al. 2012; Di Iorio et al. 2003); it is
-1 where the fetched page has none. Pages are written one at a time, as they are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.synthetic.pages.generated_page import Page
from replicadb.synthetic.pages.language import voice
from replicadb.synthetic.pages.main_texts import Content, make_content, words_of
from replicadb.synthetic.pages.new_sites import NewSites
from replicadb.synthetic.pages.page_noise import noise, stub
from replicadb.synthetic.pages.page_sites import Edit, Site, page

KIND_SHARES = {
    "article": 0.17,
    "product": 0.17,
    "list": 0.17,
    "thread": 0.11,
    "lyrics": 0.20,
    "hotel": 0.18,
}
"""Kinds of main text."""


class Family:
    """The pages of one family, in order (``pages``), and what they have in common."""

    def __init__(
        self,
        rng: np.random.Generator,
        number: int,
        site: Site,
        topic: list[str],
        new_sites: NewSites,
    ) -> None:
        self.rng, self.number, self.site = rng, number, site
        self.topic, self.new_sites = topic, new_sites
        self.pages: list[Page] = []
        self.speaker = voice(rng, site.language, topic)
        self.kind = str(rng.choice(list(KIND_SHARES), p=list(KIND_SHARES.values())))
        self.folder = f"{site.base}/{slug(rng)}"
        self.numbered = 0
        self.stuffing = ""
        """What the last page that leads elsewhere shows."""
        self.stuffed: int | None = None
        """The content of such pages that show much."""
        self.in_line = 0
        """1 where the family's frames are inline frames."""
        self.content = make_content(
            rng, self.speaker, self.kind, topic[:2], words_of(rng, site.links)
        )
        linked = rng.random() < 0.5
        self.related = [self._related() if linked else "" for _ in range(2)]

    def fresh(self) -> int:
        """A new number for a look or a content; unique over the whole set."""
        self.numbered += 1
        return self.number * 100 + self.numbered

    def add(self, url: str, html: str, **known: Any) -> Page:
        """A new page; ``known`` are further fields of :class:`Page`."""
        made = Page(url, self.site.ip, html, self.number, **known)
        self.pages.append(made)
        return made

    def url(self, name: str = "") -> str:
        """A new URL of the family's folder."""
        return f"{self.folder}/{name or slug(self.rng)}-{self.number}-{len(self.pages)}.html"

    def _related(self) -> str:
        """A page that the family's pages link to; no result of the query itself."""
        speaker = voice(self.rng, self.site.language, self.topic)
        other = make_content(self.rng, speaker, "article", [], 150)
        url = self.url("more")
        edit = noise(self.rng, self.site, self.topic[:2])
        self.add(url, page(self.site, self.title(other), other.html(), edit=edit), listed=False)
        return f'<p><a href="{url}">{other.heading}</a></p>'

    def html(
        self,
        content: Content,
        title: str | None = None,
        edit: Edit | None = None,
        site: Site | None = None,
        related: int = 0,
    ) -> str:
        """A page around a content; ``related`` is the linked page that it ends with."""
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
        """The title of a page of the site about a content."""
        return self.site.title(content.heading)

    def add_origin(self) -> None:
        """The page that the others are duplicates or look-alikes of."""
        self.look, self.text = self.fresh(), self.fresh()
        url = self.url()  # drawn before the page
        self.origin = self.add(url, self.html(self.content), look=self.look, content=self.text)

    def same(self, cause: str, url: str, html: str, **known: Any) -> Page:
        """A duplicate of the family's first page."""
        return self.add(
            url, html, cause=cause, **({"look": self.look, "content": self.text} | known)
        )

    def apart(self, way: str, html: str, url: str = "", **known: Any) -> None:
        """A look-alike of the family's first page."""
        self.add(
            url or self.url(),
            html,
            apart=way,
            **({"look": self.fresh(), "content": self.fresh()} | known),
        )

    def other_content(self, kind: str | None = None) -> Content:
        """Another content on the same topic."""
        speaker = voice(self.rng, self.site.language, self.topic)
        return make_content(
            self.rng, speaker, kind or self.kind, self.topic[:2], max(self.content.words, 60)
        )

    def add_stub(self, cause: str, target: Page, look: int, words: str | None = None) -> None:
        """A page that leads to another one by itself."""
        self.stuffing = stub(self.rng, self.speaker) if words is None else words
        title = self.title(self.content) if self.rng.random() < 0.4 else self.site.name
        way = int(self.rng.integers(3))
        moves = [
            f'<meta http-equiv="refresh" content="{self.rng.integers(0, 3)}; url={target.url}">\n',
            f'<script>location.replace("{target.url}");</script>\n',
            f'<script>window.location.href = "{target.url}";</script>\n',
        ][way]
        html = (
            f'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"{moves}</head>\n<body>\n{self.stuffing}\n</body>\n</html>\n"
        )
        has_text = len(self.stuffing) > 200
        if has_text and self.stuffed is None:
            self.stuffed = self.fresh()
        self.add(
            self.url("go"),
            html,
            cause=cause if look == self.look else "",
            apart="" if look == self.look else cause,
            look=look,
            content=self.stuffed if has_text else -1,
            rendered=target.html,
            final_url=target.url,
        )

    def add_frames(self, cause: str, content: Content, look: int) -> None:
        """A page that shows a content in a frame."""
        html, rendered, frame = (self._iframed if self.in_line else self._framed)(content)
        self.add(frame.url, frame.html, listed=False)
        self.add(
            self.url("frame"),
            html,
            cause=cause if look == self.look else "",
            apart="" if look == self.look else cause,
            look=look,
            rendered=rendered,
        )

    def _iframed(self, content: Content) -> tuple[str, str, Page]:
        """A page of the site whose main text stands in an inline frame: fetched, rendered, and the
        frame's document.
        """
        site, inner = self.site, self.url("inner")
        edit = noise(self.rng, site, self.topic[:2])
        fetched = page(
            site,
            self.title(self.content),
            f'<iframe src="{inner}" width="100%" height="900"></iframe>',
            edit=edit,
        )
        head = f'<html><head><meta charset="utf-8"><title>{content.heading}</title></head>'
        document = f"{head}<body>{content.html()}</body></html>"
        rendered = page(site, self.title(self.content), f"<div>{content.html()}</div>", edit=edit)
        return fetched, rendered, Page(inner, site.ip, document, self.number)

    def _framed(self, content: Content) -> tuple[str, str, Page]:
        """A frameset whose one frame has the whole page: fetched, rendered, and the frame's
        document.
        """
        site, inner = self.site, self.url("inner")
        title = self.title(self.content)
        document = self.html(content)
        head = (
            f'<html lang="{site.language.code}">\n'
            f'<head><meta charset="utf-8"><title>{title}</title></head>\n'
        )
        fetched = (
            f'{head}<frameset rows="100%,*"><frame src="{inner}" name="main">'
            f"<noframes><body><p>{site.name}</p></body></noframes></frameset></html>\n"
        )
        body = document.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
        rendered = f"{head}<body><div>{body}</div></body></html>\n"
        return fetched, rendered, Page(inner, site.ip, document, self.number)


def slug(rng: np.random.Generator) -> str:
    """A made-up name of six letters."""
    letters = rng.choice(list("bcdfghklmnprstvz"), 3), rng.choice(list("aeiou"), 3)
    return "".join(a + b for a, b in zip(*letters, strict=True))
