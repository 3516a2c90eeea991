"""What the reference takes of a URL, a name, a type and a number."""

from __future__ import annotations

import duckdb

from .drawn_crawl import PAGES

SCALE = 2**20


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


def is_page(row: dict) -> bool:
    return row["mime"] is None or row["mime"] in PAGES


def duckdb_hash(text: str) -> int:
    return duckdb.execute("SELECT hash(?::VARCHAR)", [text]).fetchall()[0][0]


def host_of(url: str) -> str:
    return url.split("/")[2]
