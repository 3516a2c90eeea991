"""Links between generated pages, so that what pages link to says something of them.

Invariant: pages of one content link to the same pages but for a fifth of their links, which each
draws anew (what is popular today); pages of other content, however alike, link to others. Targets
are earlier pages of the set. Why: the RP + HM paper (2003), section 2.2, tells pages apart by what
they link to.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replicadb.synthetic.pages.generated_page import Page

POOL, LEAST, MOST = 400, 4, 9
"""Pages that can be linked to, the newest ones; fewest and most links of a page."""
OWN = 0.2
"""Share of links that each page draws for itself."""


class PageLinks:
    """Adds links to the pages of one query after the other."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.pool: list[str] = []

    def add(self, made: list[Page], number: int) -> list[Page]:
        """The pages of a query with their links; the first query's have next to none."""
        rng = np.random.default_rng([self.seed, 31, number])
        linked = [self._with_links(page, rng) for page in made]
        self.pool = [*self.pool, *(page.url for page in made)][-POOL:]
        return linked

    def _with_links(self, page: Page, rng: np.random.Generator) -> Page:
        if not self.pool or page.content < 0 or "</body>" not in page.html:
            return page
        of_content = np.random.default_rng([self.seed, 32, page.content])
        n = int(of_content.integers(LEAST, MOST + 1))
        places = of_content.integers(len(self.pool), size=n)
        places = np.where(rng.random(n) < OWN, rng.integers(len(self.pool), size=n), places)
        items = "".join(_item(self.pool[i]) for i in dict.fromkeys(places.tolist()))
        begun, end, rest = page.html.rpartition("</body>")
        return replace(page, html=f"{begun}<ul>{items}</ul>\n{end}{rest}")


def _item(url: str) -> str:
    """A link; its text is made of the target's address."""
    words = url.rpartition("/")[2].partition("-")[0].partition(".")[0]
    return f'<li><a href="{url}">{words}</a></li>'
