"""What the tests of tables have in common: the rows that most of them have, and what was loaded."""

from __future__ import annotations

TWO = [("http://a.com/", "x1"), ("http://b.com/", "x2")]


def pages(web) -> list[tuple]:
    return web.database.rows("SELECT url, fingerprint FROM pages ORDER BY ALL")


def rejects(web) -> list[tuple]:
    return web.database.rows("SELECT position, url, reason FROM rejects ORDER BY ALL")
