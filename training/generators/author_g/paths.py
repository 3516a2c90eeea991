"""Paths of the pages of a site, in the order in which a crawler meets them."""

from __future__ import annotations

import numpy as np

ABOUT = "about contact news links products services map faq impressum gallery history".split()
STYLES = {
    "blog": 0.24,
    "static": 0.3,
    "query": 0.14,
    "forum": 0.05,
    "wiki": 0.05,
    "shop": 0.1,
    "node": 0.12,
}


def paths_of(rng: np.random.Generator, style: str, count: int, words: list[str]) -> np.ndarray:
    """Make the paths of a site of that many pages; the first is the root."""
    made = ["/"]
    if count > 1:
        ending = {"static": ".html", "query": ".php", "shop": ".aspx"}.get(style, "/")
        fixed = rng.permutation(len(ABOUT))[: max(1, min(len(ABOUT), count // 4))]
        made += [f"/{ABOUT[i]}{ending}" for i in fixed.tolist()]
        made += _deep(rng, style, max(0, count - len(made)), words)
    paths = np.empty(min(count, len(made)), dtype=object)
    paths[:] = made[:count]
    return paths


def _deep(rng: np.random.Generator, style: str, count: int, words: list[str]) -> list[str]:
    """Make the paths below the first ones."""
    first = rng.integers(0, len(words), count).tolist()
    second = rng.integers(0, len(words), count).tolist()
    start = 1 if rng.random() < 0.5 else int(rng.integers(1, 5000))
    step = int(rng.integers(1, 4))
    numbers = range(start, start + step * count, step)
    if style == "blog":
        days = rng.integers(0, 96, count).tolist()
        return [
            f"/{2004 + d // 12}/{d % 12 + 1:02d}/{words[a]}-{words[b]}/"
            for d, a, b in zip(days, first, second, strict=True)
        ]
    if style in ("static", "wiki"):
        return _named(rng, style, first, second, words)
    pattern = _pattern(rng, style)
    if style == "shop":
        return [f"{pattern}{n}-{words[a]}" for n, a in zip(numbers, first, strict=True)]
    return [f"{pattern}{n}" for n in numbers]


def _named(
    rng: np.random.Generator, style: str, first: list[int], second: list[int], words: list[str]
) -> list[str]:
    """Make paths of words alone."""
    if style == "wiki":
        pairs = zip(first, second, strict=True)
        return [f"/wiki/{words[a].capitalize()}_{words[b]}" for a, b in pairs]
    folders = [words[i] for i in rng.integers(0, len(words), 2 + len(first) // 12).tolist()]
    chosen = np.sort(rng.integers(0, len(folders), len(first))).tolist()
    ending = (".html", ".htm", ".php", ".shtml")[int(rng.integers(0, 4))]
    three = zip(chosen, first, second, strict=True)
    if rng.random() < 0.5:
        return [f"/{folders[c]}/{words[a]}{b % 40}{ending}" for c, a, b in three]
    return [f"/{folders[c]}/{words[a]}/{words[b]}{ending}" for c, a, b in three]


def _pattern(rng: np.random.Generator, style: str) -> str:
    """Draw what stands before a page's number."""
    patterns = {
        "query": (
            "/index.php?option=com_content&view=article&id=",
            "/show.asp?id=",
            "/index.php?page=",
            "/article.php?id=",
        ),
        "forum": ("/viewtopic.php?t=", "/showthread.php?t=", "/index.php?topic="),
        "shop": ("/product/", "/catalog/item-", "/p/"),
        "node": ("/node/", "/content/", "/article/"),
    }[style]
    return patterns[int(rng.integers(0, len(patterns)))]


def renamed(rng: np.random.Generator, paths: np.ndarray, how: str, words: list[str]) -> np.ndarray:
    """Give the paths as a copy has them: the same, below a folder, other endings or all new."""
    if how == "same":
        return paths
    made = np.empty(len(paths), dtype=object)
    if how == "folder":
        folder = f"/{words[int(rng.integers(0, len(words)))]}"
        made[:] = [folder + path for path in paths.tolist()]
    elif how == "ending":
        new = (".php", ".html", ".htm", "/")[int(rng.integers(0, 4))]
        made[:] = [_ended(path, new) for path in paths.tolist()]
    else:
        style = ("static", "query", "blog", "node")[int(rng.integers(0, 4))]
        fresh = ["/", *_deep(rng, style, len(paths), words)]
        root = paths == "/"
        made[:] = fresh[1:]
        made[root] = "/"
    return made


def _ended(path: str, ending: str) -> str:
    """Put another ending on a path that has one."""
    for old in (".html", ".htm", ".php", ".aspx", ".shtml"):
        if path.endswith(old):
            return path.removesuffix(old) + ending
    return path
