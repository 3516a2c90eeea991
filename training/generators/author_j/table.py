"""Writes captures as a table, with the columns that a crawl of its kind has."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import polars as pl

from training.generators.author_j.crawling import Row
from training.generators.author_j.draw import Draw
from training.generators.author_j.mixture import Mixture

COLUMNS = {
    "bare": ("ip",),
    "index": ("timestamp", "status", "mime", "length"),
    "titles": ("ip", "title"),
    "dated": ("ip", "timestamp", "status"),
    "sized": ("ip", "mime", "length", "title"),
    "linked": ("ip", "links"),
    "rich": ("ip", "timestamp", "status", "mime", "length", "title", "links"),
    "looked-at": ("ip", "status", "title", "length"),
}
"""Beside url and fingerprint."""


def _digest(form: str) -> Callable[[str], str]:
    if form == "md5":
        return lambda body: hashlib.md5(body.encode()).hexdigest()
    if form == "short":
        return lambda body: hashlib.sha256(body.encode()).hexdigest()[:16]
    start = "sha1:" if form == "named" else ""
    return lambda body: start + base64.b32encode(hashlib.sha1(body.encode()).digest()).decode()


def _times(draw: Draw, rows: list[Row], mixture: Mixture, days: int) -> list[str]:
    year = draw.between(mixture.years[0], mixture.years[1])
    first = datetime(year, draw.between(1, 12), draw.between(1, 28), tzinfo=UTC)
    return [(first + timedelta(days=days * row.when)).strftime("%Y%m%d%H%M%S") for row in rows]


def _ordered(rows: list[Row], order: str) -> list[Row]:
    if order == "url":
        return sorted(rows, key=lambda row: (row.url, row.when))
    if order == "time":
        return sorted(rows, key=lambda row: (row.when, row.url))
    return rows


def table(
    draw: Draw, rows: list[Row], mixture: Mixture, columns: tuple[str, ...], days: int
) -> pl.DataFrame:
    """The captures in the order of the crawl or of its URLs."""
    rows = _ordered(rows, draw.pick(("url", "time", "host")))
    digest = _digest(draw.pick(("named", "plain", "md5", "short", "plain")))
    digests = {body: digest(body) for body in dict.fromkeys(row.body for row in rows)}
    data: dict[str, list] = {
        "url": [row.url for row in rows],
        "fingerprint": [digests[row.body] for row in rows],
    }
    types = {"url": pl.String, "fingerprint": pl.String}
    as_records = draw.chance(0.4)
    unknown = 0.03 * draw.unit() if draw.chance(0.25) else 0.0
    for name in columns:
        if name == "ip":
            data[name] = [None if draw.chance(unknown) else row.address for row in rows]
        elif name == "timestamp":
            data[name] = _times(draw, rows, mixture, days)
        elif name == "status":
            data[name] = [row.status for row in rows]
        elif name == "mime":
            data[name] = [row.mime for row in rows]
        elif name == "length":
            more = 380 if as_records else 0
            data[name] = [row.length + (more + draw.below(40) if more else 0) for row in rows]
        elif name == "title":
            data[name] = [row.title or None for row in rows]
        else:
            data[name] = [list(row.links) for row in rows]
        types[name] = {"status": pl.Int64, "length": pl.Int64, "links": pl.List(pl.String)}.get(
            name, pl.String
        )
    if "links" in data and draw.chance(0.4):
        data["links"] = [json.dumps(links) for links in data["links"]]
        types["links"] = pl.String
    return pl.DataFrame(data, schema=types)
