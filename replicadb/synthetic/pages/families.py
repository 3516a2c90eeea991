"""The pages of a family: which duplicates and look-alikes it has."""

from __future__ import annotations

from replicadb.synthetic.pages.family import Family
from replicadb.synthetic.pages.generated_page import Page
from replicadb.synthetic.pages.page_duplicates import CAUSES, DUPLICATES
from replicadb.synthetic.pages.page_look_alikes import WAYS

OF_KIND = {
    "article": ("template", "other look", "login", "conditional redirect", "other look"),
    "product": ("template", "neighbour", "conditional redirect", "login"),
    "list": ("sort order", "pagination", "pagination", "template"),
    "thread": ("forum", "forum", "template", "login"),
    "lyrics": ("other look", "other look", "other look", "template"),
    "hotel": ("other look", "other look", "template", "neighbour"),
}
"""Ways of being alike that each kind of main text can have, the common ones named twice."""


def make_pages(family: Family) -> list[Page]:
    """The page itself, one to three duplicates (at times none), and one to three look-alikes."""
    rng = family.rng
    family.add_origin()
    n_duplicates = int(rng.choice([0, 1, 2], p=[0.2, 0.62, 0.18]))
    shares = [share for share, _ in DUPLICATES.values()]
    for cause in rng.choice(CAUSES, n_duplicates, replace=False, p=shares):
        DUPLICATES[cause][1](family)
    of_kind = OF_KIND[family.kind]
    ways = list(dict.fromkeys(of_kind))
    shares = [of_kind.count(way) / len(of_kind) for way in ways]
    n_ways = min(int(rng.choice([0, 1, 2], p=[0.25, 0.6, 0.15])), len(ways))
    for way in rng.choice(ways, n_ways, replace=False, p=shares):
        WAYS[way](family)
    made = {page.cause for page in family.pages}
    if "redirect" in made and rng.random() < 0.5:
        WAYS["other redirect"](family)
    if "frames" in made and rng.random() < 0.6:
        WAYS["other frames"](family)
    return family.pages
