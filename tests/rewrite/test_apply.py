"""Rewriting: every kind of rule does what it says, ends, and changes nothing the second time."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.rewrite import Rewriter, Rule, RuleSet
from tests.rewrite.crawls import EVERY, HOST, URLS, rewritten


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        (Rule("param", HOST, name="sid"), "/x?sid=1&p=2", "/x?p=2"),
        (Rule("param", HOST, name="sid"), "/x?sid=1", "/x"),
        (Rule("param", HOST, name="sid"), "/x?p=2&sid", "/x?p=2"),
        (Rule("param", HOST, name="sid"), "/x?asid=1&sid2=4", "/x?asid=1&sid2=4"),
        (Rule("param_is", HOST, name="page", value="1"), "/x?page=1&page=12", "/x?page=12"),
        (Rule("order", HOST), "/x?b=2&a=1&a=0", "/x?a=0&a=1&b=2"),
        (Rule("slash", HOST), "/x//?q", "/x?q"),
        (Rule("slash", HOST), "/", "/"),
        (Rule("index", HOST, name="index.html"), "/d/index.html?q=1", "/d/?q=1"),
        (Rule("index", HOST, name="index.html"), "/d/myindex.html", "/d/myindex.html"),
        (Rule("case", HOST), "/A/b%2FC?Q=X", "/a/b%2fc?Q=X"),
        (Rule("matrix", HOST, name="jsessionid"), "/a;jsessionid=12/b;x=1?q", "/a/b;x=1?q"),
        (Rule("segment", HOST, name="print", position=1), "/print/a/b", "/a/b"),
        (Rule("segment", HOST, name="print", position=1), "/a/print/b", "/a/print/b"),
        (Rule("segment", HOST, name="print", position=1), "/print", "/print"),
        (Rule("segment_like", HOST, name="hex", position=2), "/s/0a1b2c3d4e/page", "/s/page"),
        (
            Rule("segment_like", HOST, name="hex", position=2),
            "/s/deadbeef/page",
            "/s/deadbeef/page",
        ),
        (
            Rule("replace", HOST, name="story_id", value="story", position=1),
            "/story_id/5",
            "/story/5",
        ),
        (Rule("swap", HOST, position=1), "/news/en/x", "/en/news/x"),
        (Rule("suffix", HOST, name="_print"), "/a/story_print.html", "/a/story.html"),
        (Rule("suffix", HOST, name="_print"), "/a/_print.html", "/a/_print.html"),
        (Rule("extension", HOST, name="html", value="htm"), "/a.html?x", "/a.htm?x"),
        (Rule("extension", HOST, name="html"), "/a.html", "/a"),
        (Rule("extension", HOST, name="html"), "/d/.html", "/d/.html"),
        (Rule("to_path", HOST, name="story_id"), "/story?story_id=17", "/story/17"),
        (Rule("to_path", HOST, name="id"), "/story?id=a%2Fb", "/story?id=a%2Fb"),
        (Rule("param", HOST, "shop", name="ref"), "/shop/x?ref=1", "/shop/x"),
        (Rule("param", HOST, "shop", name="ref"), "/blog/x?ref=1", "/blog/x?ref=1"),
    ],
)
def test_a_rule_does_what_it_says(rule, before, after):
    assert rewritten(f"http://{HOST}{before}", rule) == f"http://{HOST}{after}"
    assert rewritten(f"http://{HOST}{after}", rule) == f"http://{HOST}{after}"
    assert rewritten(f"http://b.example{before}", rule) == f"http://b.example{before}"


def test_rules_on_scheme_and_host_lead_to_the_rules_of_the_host_that_is_left():
    rules = Rule("scheme", HOST), Rule("www", f"www.{HOST}"), Rule("param", HOST, name="sid")
    assert rewritten(f"http://www.{HOST}/x?sid=1", *rules) == f"https://{HOST}/x"


@pytest.mark.parametrize("origin", [f"HTTP://{HOST}", "http://A.Example", f"http://{HOST}:80"])
def test_rules_of_a_host_are_for_it_however_it_is_written(origin):
    rules = Rule("scheme", HOST), Rule("param", HOST, name="sid")
    assert rewritten(f"{origin}/X?sid=1", *rules) == f"https://{HOST}/X"
    by_hand = Rule("param", HOST.upper(), name="sid")
    assert rewritten(f"{origin}/X?sid=1", by_hand) == f"http://{HOST}/X"
    other = origin.lower().replace("a.ex", "b.ex") + ":8080/X?sid=1"
    assert rewritten(other, *rules) == other


def test_a_rule_of_any_host_holds_on_hosts_of_their_own_rules_too():
    rules = Rule("slash"), Rule("param", HOST, name="sid")
    assert rewritten(f"http://{HOST}/x/?sid=1", *rules) == f"http://{HOST}/x"
    assert rewritten("http://other.example/x/?sid=1", *rules) == "http://other.example/x?sid=1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "no url",
        "mailto:a@b",
        "http://",
        "http://a.example",
        "http://a.example?x=1",
        "http://a.example/%zz%",
        "http://a.example/?&&=&a",
        "http://a.example/" + "x" * 2_000_000,
        "http://a.example/?" + "&".join(f"p{i}={i}" for i in range(10_000)),
    ],
)
def test_odd_urls_come_back_whole(url):
    assert rewritten(url, Rule("slash", "b.example")) == url
    once = rewritten(url, *EVERY)
    assert rewritten(once, *EVERY) == once


@pytest.mark.slow
def test_urls_made_to_need_endless_rounds_stay_as_they_are_and_cost_little():
    rewriter = Rewriter(
        RuleSet(
            (
                Rule("index", name="i.htm"),
                Rule("slash"),
                Rule("suffix", name="_p"),
                Rule("segment", HOST, name="s", position=1),
                Rule("segment_like", HOST, name="digits", position=1),
                Rule("swap", HOST, position=1),
            )
        )
    )
    deep = f"http://{HOST}" + "/i.htm" * 100_000
    assert rewriter.canonical(deep) == deep
    assert rewriter.canonical(f"http://{HOST}" + "/s" * 100_000 + "/x") == f"http://{HOST}/x"
    assert rewriter.canonical(f"http://{HOST}" + "/2024" * 100_000 + "/x") == f"http://{HOST}/x"
    assert rewriter.canonical(f"http://{HOST}/x" + "_p" * 500_000) == f"http://{HOST}/x"
    assert (
        rewriter.canonical(f"http://{HOST}/" + "y" * 1_000_000 + "/")
        == f"http://{HOST}/" + "y" * 1_000_000
    )


def test_ten_thousand_parameters_lose_the_one_that_a_rule_names():
    items = [f"p{i}={i}" for i in range(10_000)]
    rewriter = Rewriter(RuleSet((Rule("param", name="p77"),)))
    assert rewriter.canonical(
        f"http://{HOST}/?" + "&".join(items)
    ) == f"http://{HOST}/?" + "&".join(items[:77] + items[78:])


@pytest.mark.slow
@given(URLS, st.lists(st.sampled_from(EVERY), min_size=1, max_size=len(EVERY), unique=True))
@settings(max_examples=120, deadline=None)
def test_rewriting_again_changes_nothing(url, rules):
    once = rewritten(url, *rules)
    assert rewritten(once, *rules) == once


def test_the_applier_needs_the_standard_library_alone():
    libraries = {"duckdb", "numpy", "pyarrow", "polars", "typer"}
    code = (
        "import sys; from replicadb.rewrite import Rewriter, RuleSet;"
        f" print({libraries!r} & {{*sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


def test_a_fragment_stays_behind_what_is_rewritten():
    rewriter = Rewriter(
        RuleSet((Rule("order", host="a.com"), Rule("param", name="sid", host="a.com")))
    )
    cases = {
        "http://a.com/p?z=1&a=2#sec-3": "http://a.com/p?a=2&z=1#sec-3",
        "http://a.com/s?sid=q#x": "http://a.com/s#x",
        "http://a.com/#/route?b=1&a=2": "http://a.com/#/route?b=1&a=2",
        "http://a.com/p?b=1#": "http://a.com/p?b=1#",
    }
    assert {url: rewriter.canonical(url) for url in cases} == cases
    assert all(rewriter.canonical(url) == url for url in cases.values())
