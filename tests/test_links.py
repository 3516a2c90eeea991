"""Links: what pages link to in one normal form, counted once a page; canonical links; what is no link is counted, never lost."""

from __future__ import annotations

import json
from urllib.parse import urljoin

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import replicadb
from replicadb.readers.urls import parse_url


def rows(web, query: str) -> list[tuple]:
    return web.database.rows(query)


def outlinks(web) -> list[tuple]:
    """(site, target site, target, pages), in order."""
    return rows(web, "SELECT host, to_host, origin || path, pages FROM outlinks JOIN hosts USING (host_id) ORDER BY ALL")


def targets(web) -> list[str]:
    return [url for _, _, url, _ in outlinks(web)]


def left_out(web, kind: str = "link") -> dict[str, int]:
    return dict(rows(web, f"SELECT reason, sum(n)::INTEGER FROM link_skips WHERE kind = '{kind}' GROUP BY 1"))


@pytest.fixture
def pages(web, tmp_path):
    """Loads pages (url, links, ...) from Parquet and returns the database."""
    def load(*given: dict, **options):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(pa.Table.from_pylist(list(given)), path)
        web.last = web.load(path, **options)
        return web
    return load


# -- one normal form ---------------------------------------------------------------------------------------

TARGETS = [
    ("http://b.com/x", "http://b.com/x"), ("http://B.com", "http://b.com/"), ("HTTP://b.com:80/x#part", "http://b.com/x"),
    ("https://b.com:443/", "https://b.com/"), ("//b.com/x", "http://b.com/x"), ("\\\\b.com\\x", "http://b.com/x"), ("/\\b.com/x", "http://b.com/x"),
    ("/x", "http://a.com/x"), ("\\x", "http://a.com/x"), ("y", "http://a.com/d/e/y"), ("./y", "http://a.com/d/e/y"), ("../y", "http://a.com/d/y"),
    ("../../y", "http://a.com/y"), ("../../../../y", "http://a.com/y"), ("../y/../z", "http://a.com/d/z"), ("..", "http://a.com/d/"), (".", "http://a.com/d/e/"),
    ("../", "http://a.com/d/"), ("?q=2", "http://a.com/d/e/p?q=2"), ("y?u=http://c.com/", "http://a.com/d/e/y?u=http://c.com/"), (" \n/x\t ", "http://a.com/x"),
    ("http://münchen.de/ä", "http://xn--mnchen-3ya.de/%C3%A4"), ("http://user:pw@b.com/", "http://b.com/"), ("http://b.com\\x\\y", "http://b.com/x/y"),
    ("http://b.com/%2e%2e/x", "http://b.com/x"), ("a b", "http://a.com/d/e/a%20b"), ("http://b.com/<script>", "http://b.com/%3Cscript%3E"),
    ("x:y" * 3, None), ("mailto:a@b.com", None), ("JavaScript:void(0)", None), ("data:text/html,hi", None), ("tel:1", None), ("", None), ("#top", None),
    (" ", None), ("http://", None), ("http://b.com:99999/", None), ("http://x y.com/", None), ("http://b.com/\x00", None), ("\x00", None), ("[object Object]", None),
    ('{"a": 1}', None), ("<a href=x>", None), ("http://b.com/" + "x" * 70_000, None), ("x" * 1_000_000, None), ("http://b..com/", None),
]


@pytest.mark.parametrize(("href", "target"), TARGETS, ids=[repr(href[:20]) for href, _ in TARGETS])
def test_a_link_is_resolved_against_its_page_or_counted_as_left_out(pages, href, target):
    web = pages({"url": "http://a.com/d/e/p?q=1", "links": [href]})
    assert targets(web) == ([target] if target else [])
    assert sum(left_out(web).values()) == (0 if target else 1)
    assert web.last.links == {"redirect": 0, "canonical": 0, "link": int(bool(target)), "left_out": int(not target)}
