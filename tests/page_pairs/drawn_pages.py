"""Pages that differ in what signals are made of, and pairs of them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np

VOCABULARY = [f"word{i}" for i in range(300)]


def pages(seed=0, n=14):
    random = np.random.default_rng(seed)
    made = []
    for i in range(n):
        text = [" ".join(random.choice(VOCABULARY, 12)) for _ in range(8)]
        for host, more in (
            ("www.a.com", []),
            (f"b{i % 3}.a.com", ["an advertisement of today"]),
            ("c.org", text[:4][::-1]),
        ):
            made.append(
                {
                    "url": f"http://{host}/page{i}?x={i}",
                    "title": f"Page {i}" if i % 4 else None,
                    "text": "\n".join((text if host != "c.org" else text[::-1]) + more),
                    "headings": f"Heading {i}\nMenu" if i % 5 else None,
                    "body": f"<html><p>{'<p>'.join(text + more)}</html>",
                    "length": 900 + 40 * len(more),
                }
            )
    return made


def slow_blocks(a, b):
    x, y = (Counter(line for line in text.split("\n") if line) for text in (a, b))
    return 1 - sum(len(t) * n for t, n in (x & y).items()) / sum(
        len(t) * n for t, n in (x | y).items()
    )


def slow_order(a, b):
    """Of the lines that both have (the second of a line is another than the first), the weight of
    those that do not keep their neighbour.
    """

    def numbered(text):
        lines = [line for line in text.split("\n") if line]
        return [(line, lines[:i].count(line)) for i, line in enumerate(lines)]

    x, y = numbered(a), numbered(b)
    sides = [
        list(pairwise([item for item in mine if item in theirs]))
        for mine, theirs in ((x, y), (y, x))
    ]
    weigh = lambda found: sum(len(p[0]) + len(q[0]) for p, q in found)
    return (
        1 - weigh(set(sides[0]) & set(sides[1])) / max(map(weigh, sides))
        if any(sides)
        else math.nan
    )
