"""How the programs behind sites name their pages, and how copying programs rename them."""

from __future__ import annotations

import re

from training.generators.author_h.draw import mix_one
from training.generators.author_h.model import Part, Site
from training.generators.author_h.names import ENGLISH

COUNT = len(ENGLISH)
COMMON = "about contact news products services team history links gallery faq events".split()
PACKAGES = "util io net core lang text image web model event sql xml test auth cache".split()
CHAPTERS = "install tutorial reference api howto faq release config plugins appendix".split()
KIT = """/ /login.php /verify.php /card.php /sms.php /done.php /index.html /signin.html /step2.php
/loading.html /error.php /mobile.html""".split()
ENTRY = "/ /login /register /search /faq /rules /pgp /about /vendors /canary".split()


def slug(code: int, words: int) -> str:
    """Make the readable end of an address from a number."""
    out = []
    for _ in range(words):
        out.append(ENGLISH[code % COUNT])
        code //= COUNT
    return "-".join(out)


def _blog(site: Site, page: int, code: int) -> str:
    year, month = 2008 + code % 17, code // 17 % 12 + 1
    if page <= site.sections:
        return f"/category/{slug(site.seed >> page % 32, 1)}/" if page % 3 else f"/page/{page + 1}/"
    shape = site.seed % 4
    if shape == 0:
        return f"/?p={page * 3 + site.seed % 7}"
    if shape == 1:
        return f"/{slug(code, 3)}/"
    if shape == 2:
        return f"/{year}/{month:02d}/{slug(code, 3)}.html"
    return f"/{year}/{month:02d}/{code // 204 % 28 + 1:02d}/{slug(code >> 16, 3)}/"


def _ids(site: Site, page: int, code: int) -> str:
    shape = site.seed % 6
    group = page % site.sections
    return (
        f"/index.php?option=com_content&view=article&id={page}&Itemid={group}",
        f"/node/{page}",
        f"/index.php?id={page}",
        f"/Default.aspx?tabid={page + 30}",
        f"/article.asp?id={page}",
        f"/viewtopic.php?f={group + 1}&t={page}",
    )[shape]


def _shop(site: Site, page: int, code: int) -> str:
    shape = site.seed % 4
    if page <= site.sections:
        return f"/collections/{slug(code, 1)}" if shape < 2 else f"/category-{page}.html"
    return (
        f"/products/{slug(code, 3)}",
        f"/collections/{slug(site.seed >> page % 9, 1)}/products/{slug(code, 2)}",
        f"/index.php?route=product/product&product_id={page + 27}",
        f"/{page}-{slug(code, 2)}.html",
    )[shape]


def _static(site: Site, page: int, code: int) -> str:
    ending = (".html", ".htm", ".php", ".shtml")[site.seed % 4]
    if page <= min(6, site.sections):
        return f"/{COMMON[(page + site.seed) % len(COMMON)]}{ending}"
    folder = slug(site.seed >> (page % site.sections) % 40, 1)
    if site.seed >> 3 & 1:
        return f"/{folder}/{slug(code, 1)}{page % 40}{ending}"
    return f"/{folder}/{slug(code, 2)}{page}{ending}"


def _manual(site: Site, page: int, code: int) -> str:
    group = page % site.sections
    if site.seed & 1:
        name = "".join(part.title() for part in slug(code, 2).split("-"))
        return f"/org/{slug(site.seed, 1)}/{PACKAGES[group % len(PACKAGES)]}/{name}{page}.html"
    if page <= site.sections:
        return f"/{CHAPTERS[page % len(CHAPTERS)]}{page // len(CHAPTERS) or ''}.html"
    return f"/{CHAPTERS[group % len(CHAPTERS)]}/{slug(code, 2)}-{page}.html"


def _wiki(site: Site, page: int, code: int) -> str:
    title = "_".join(part.title() for part in slug(code, 2).split("-"))
    base = ("/wiki/", "/index.php/", "/index.php?title=")[site.seed % 3]
    return f"{base}Category:{title}" if page <= site.sections else f"{base}{title}_{page}"


def _news(site: Site, page: int, code: int) -> str:
    folder = slug(site.seed >> (page % site.sections) % 40, 1)
    if page <= site.sections:
        return f"/{folder}{page}/"
    return (
        f"/{folder}/{2018 + code % 7}/{code // 7 % 12 + 1:02d}/{slug(code >> 9, 4)}-{page + 7000}"
    )


def _market(site: Site, page: int, code: int) -> str:
    if page < len(ENTRY):
        return ENTRY[page]
    if page % 5 == 0:
        return f"/category/{page // 5}"
    return f"/listing/{code % 99991}" if site.seed & 1 else f"/item.php?id={page}"


def _kit(site: Site, page: int, code: int) -> str:
    return KIT[page] if page < len(KIT) else f"/assets/{slug(code, 1)}{page}.html"


MAKERS = {
    "blog": _blog,
    "ids": _ids,
    "shop": _shop,
    "static": _static,
    "manual": _manual,
    "wiki": _wiki,
    "news": _news,
    "market": _market,
    "kit": _kit,
}


def path_of(site: Site, page: int) -> str:
    """Name a page as the site's own program does."""
    if page == 0:
        return "/"
    return MAKERS[site.engine](site, page, mix_one(site.seed + page * 7919))


def _flat(path: str) -> str:
    """Name a page as an offline browser stores it."""
    if path.endswith("/"):
        return path + "index.html"
    bare, mark, query = path.partition("?")
    bare = re.sub(r"\.(php|aspx?|shtml|htm)$", "", bare).removesuffix(".html")
    if mark:
        bare += f"{mix_one(sum(ord(c) * 31**i for i, c in enumerate(query))) & 0xFFFF:04x}"
    return bare + ".html"


def renamed(path: str, part: Part) -> str:
    """Name a page as the host that copied it does."""
    kind = part.rewrite
    if kind == "same":
        return path
    if kind == "prefix":
        return part.prefix + path
    if kind == "flat":
        return part.prefix + _flat(path)
    if kind == "lower":
        return path.lower().removesuffix("/") or "/"
    if path == "/":
        return path
    code = mix_one(sum(ord(c) * 131**i for i, c in enumerate(path + part.prefix)))
    return f"/{slug(code, 2)}-{code % 100000}.html"
