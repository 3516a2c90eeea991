"""What the reference takes of a URL, a name, a type and a number."""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import Any

import duckdb
from who_runs import language_of

from replicadb.web.digests import hash64

from .drawn_crawl import PAGES

SCALE = 2**20
CAP, PATH_MAX = 9, 12  # small, so that the small crawl has clusters and paths beyond both
HASHES = duckdb.connect()


def tenths(value: float) -> float:
    """A share in tenths, rounded down; one within single precision of a tenth is that."""
    return int(value * 10 + 1e-6) / 10


def levenshtein(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        left, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            left, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, left + (x != y))
    return row[-1]


def scaled(value: float) -> int:
    return round(value * SCALE)


def rarities(having: dict, n: int) -> dict:
    """Weights by idf of what at most PATH_MAX of n hosts have."""
    df = Counter(x for things in having.values() for x in things)
    return {x: scaled(1 + log(n / d)) for x, d in df.items() if d <= PATH_MAX}


def exclusivities(having: dict) -> dict:
    """The same by inverse pair frequency."""
    df = Counter(x for things in having.values() for x in things)
    return {x: SCALE // max(d - 1, 1) for x, d in df.items() if d <= PATH_MAX}


def is_page(row: dict) -> bool:
    return row["mime"] is None or row["mime"] in PAGES


def duckdb_hash(text: str) -> int:
    return HASHES.execute("SELECT hash(?::VARCHAR)", [text]).fetchall()[0][0]


def host_of(url: str) -> str:
    return url.split("/")[2]


def segment_of(path: str) -> str:
    """The last segment with its slash, where one stands at the end."""
    end = path.rstrip("/") if path.endswith("/") and not path.endswith("//") else path
    return end.rsplit("/", 1)[-1] + path[len(end) :]


def tail_of(path: str) -> str:
    """The segment, numbers by themselves of up to four digits in all as 0."""
    tail = segment_of(path)
    return (
        re.sub(r"\b[0-9]+\b", "0", tail, flags=re.ASCII)
        if sum(c in "0123456789" for c in tail) <= 4
        else tail
    )


def alike(of: Any, a: str, b: str, agree: bool) -> dict[str, float | None]:
    """What names and networks say of two hosts that share pages and mostly agree."""
    found = of.papers_features(a, b, [])
    return {
        "names_alike": tenths(found["nmatch"]) if agree else None,
        "network_alike": found["ip3"] if agree else None,
    }


def known_pages(a: int, b: int, shared: list) -> int | None:
    """Of two hosts of which so many distinct pages are known, by the pages that they share."""
    return ((a + b) // 2 if len(shared) > 1 else min(a, b)) if shared else None


def parts(title: str | None) -> list[str]:
    """What stands between the separators of a title."""
    return re.split(r"\s*[|»·•]\s*|\s+[-–—]+\s+|:\s+", (title or "").lower().strip(" "))


def names_of(rows: list[dict], host: str) -> Counter:
    """The parts of a host's titles that stand at two paths or more, by how many titles have them;
    of titles of two parts or more.
    """
    titled = [(parts(r["title"]), r["path"]) for r in rows if r["host"] == host and r["title"]]
    several = [(part, path) for cut, path in titled if len(cut) > 1 for part in cut if part]
    at = {part: {path for other, path in several if other == part} for part, _ in several}
    return Counter(part for part, _ in several if len(at[part]) > 1)


def bare_title(title: str | None, names: Counter) -> str | None:
    """A title without the part that the most titles have, of equals the last; None: it has none."""
    cut = parts(title)
    found = max(((names[part], n) for n, part in enumerate(cut) if names[part]), default=None)
    if found is None or len(cut) < 2:
        return None
    return "|".join(part for n, part in enumerate(cut) if n != found[1])


def titles_of(urls: list[dict], names: Counter) -> dict[str, str | None]:
    """Of all URLs at one path of a host: the title, the title without the site's name, and the
    language.
    """
    language = language_of(urls[0]["host"], urls[0]["path"])
    titles = {u["title"].lower() for u in urls if u["title"]}
    bare = {bare_title(u["title"], names) for u in urls if u["title"]} - {None}
    return {
        "title": max(titles, key=hash64, default=None),
        "bare_title": max(bare, key=hash64, default=None),
        "language": None if language == "und" else language,
    }


def same_title(x: dict, y: dict) -> bool:
    """Whether two pages have one title, or one without the names of their sites."""
    bare = x["bare_title"]
    return x["title"] == y["title"] or (bare is not None and bare == y["bare_title"])


def one_language(differ: list[tuple[dict, dict]], *sites: dict[str, dict]) -> float | None:
    """same_language of two hosts: from pages that differ at equal tails, and all their pages."""
    said = [(x["language"], y["language"]) for x, y in differ]
    said = [x == y for x, y in said if x and y and len(x) == len(y)]
    main = of_mains(*([page["language"] for page in site.values()] for site in sites))
    if main is None and not said:
        return None
    return (sum(said) + 2 * (0.5 if main is None else main)) / (len(said) + 2)


def of_mains(*pages: list[str | None]) -> float | None:
    """How surely two hosts are in one language, from the languages of their pages."""
    mains, shares = [], []
    for codes in pages:
        known = Counter(code for code in codes if code)
        if not known:
            return None
        most = max(known, key=lambda code: (known[code], code))
        mains.append(most)
        shares.append(known[most] / (sum(known.values()) + 1))
    if len(mains[0]) != len(mains[1]):
        return None
    sure = max(min(shares), 0.5)
    return sure if mains[0] == mains[1] else 1 - sure
