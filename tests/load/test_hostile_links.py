"""Links that mean harm are data and nothing else, however many and long."""

from __future__ import annotations

import pytest

from .linked import left_out, targets
from .loaded import rows


@pytest.mark.slow
def test_a_hundred_thousand_links_on_one_page_and_a_link_of_a_megabyte(pages):
    odd = (
        [f"HTTP://b.com/{n}" for n in range(50_000)]
        + [f"http://b.com/{n}" for n in range(50_000)]
        + ["http://b.com/" + "y" * 1_000_000]
    )
    web = pages({"url": "http://a.com/", "links": odd})
    assert rows(web, "SELECT count(*), sum(pages)::INTEGER FROM outlinks") == [(50_000, 50_000)]
    assert left_out(web) == {"on its page before": 50_000, "URL too long": 1}


@pytest.mark.slow
def test_hostile_links_are_data_and_nothing_else(pages):
    evil = [
        "http://x';DROP TABLE urls;--.com/",
        "http://b.com/';DROP TABLE outlinks;--",
        'http://a"b.com/',
        "http://<b>.com/",
        "http://b.com/\x1b[31m",
        "http://b.com/\u202e",
        "!no URL",
        "!scheme mailto",
        "\\\\\\\\",
        "http:\\\\b.com",
        "//",
        "///",
        "http://user:%00@b.com/",
        "http://b.com/%00",
        "h" * 70_000 + ":",
    ]
    web = pages({"url": "http://a.com/", "links": evil})
    found = web.last.links
    assert found["link"] + found["left_out"] == len(evil)
    assert rows(
        web,
        "SELECT count(*) FROM outlinks WHERE regexp_matches(origin || path, '[<> \\x00-\\x1f]')",
    ) == [(0,)]
    assert {"http://a.com/!no%20URL", "http://b.com/"} <= set(targets(web)) or {
        "http://a.com/!no URL"
    } <= set(targets(web))
    assert len(rows(web, "SELECT DISTINCT reason FROM link_skips")) < 8


def test_many_made_up_schemes_are_one_reason(pages):
    web = pages({"url": "http://a.com/", "links": [f"x{n}:y" for n in range(100)]})
    assert sum(left_out(web).values()) == 100 and len(left_out(web)) == 2
