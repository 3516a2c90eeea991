"""Rewriting: every kind of rule does what it says, ends, changes nothing the second time, and files
of rules say the same.
"""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.errors import DataError
from replicadb.rewrite import Rewriter, Rule, RuleSet
from replicadb.rewrite.crawler_rules import patterns_of, write
from replicadb.rewrite.rewrite_rules import problem_of, type_of

HOST = "a.example"


def rewritten(url: str, *rules: Rule) -> str:
    return Rewriter(RuleSet(rules)).canonical(url)


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


EVERY = (
    Rule("case"),
    Rule("matrix", name="s"),
    Rule("segment", name="p", position=1),
    Rule("segment_like", HOST, name="digits", position=1),
    Rule("segment_like", HOST, name="hex", position=2),
    Rule("replace", name="bb", value="a", position=1),
    Rule("swap", position=1),
    Rule("swap", position=2),
    Rule("suffix", name="-p"),
    Rule("extension", name="html", value="htm"),
    Rule("extension", name="php"),
    Rule("to_path", name="i"),
    Rule("index", name="index.htm"),
    Rule("slash"),
    Rule("param", name="s"),
    Rule("param_is", name="p", value="1"),
    Rule("order"),
    Rule("scheme", HOST),
    Rule("www", f"www.{HOST}"),
)
SEGMENTS = st.sampled_from(
    [
        "a",
        "bb",
        "p",
        "B-p",
        "x-p.html",
        "12345",
        "0a1b2c3d4e",
        "index.htm",
        "q.php",
        "",
        "c;s=1",
        "%2f",
    ]
)
ITEMS = st.sampled_from(["s=1", "p=1", "p=2", "i=7", "i=bb", "z", "a=", "=b", "s"])
URLS = st.builds(
    lambda scheme, host, path, query: (
        f"{scheme}://{host}/" + "/".join(path) + ("?" + "&".join(query) if query else "")
    ),
    st.sampled_from(["http", "https"]),
    st.sampled_from([HOST, f"www.{HOST}", "b.example"]),
    st.lists(SEGMENTS, max_size=5),
    st.lists(ITEMS, max_size=5),
)


@given(URLS, st.lists(st.sampled_from(EVERY), min_size=1, max_size=len(EVERY), unique=True))
@settings(max_examples=300, deadline=None)
def test_rewriting_again_changes_nothing(url, rules):
    once = rewritten(url, *rules)
    assert rewritten(once, *rules) == once


@given(URLS, st.sampled_from(EVERY))
@settings(max_examples=300, deadline=None)
def test_a_pattern_says_what_the_rule_says(url, rule):
    patterns = patterns_of(rule)
    if not patterns:
        assert rule.kind in ("case", "swap", "order")
        return
    form, before = url, None
    while form != before:
        before = form
        for pattern, substitution in patterns:
            form = re.sub(pattern, re.sub(r"\$(\d)", r"\\g<\1>", substitution), form)
    if rule.kind in (
        "param",
        "param_is",
        "to_path",
    ):  # a query that is left empty goes, with its question mark and odd ampersands
        assert form.rstrip("?&") == rewritten(url, rule).rstrip("?&")
    else:
        assert form == rewritten(url, rule)


def test_rules_come_back_from_their_file(tmp_path):
    rules = RuleSet(
        (
            Rule("param", HOST, "shop", name="é;", support=3, matches=7, errors=1, test_matches=2),
            Rule("slash", hosts=4),
        ),
        (("epsilon", 0.1),),
    )
    rules.save(tmp_path / "rules.json")
    assert RuleSet.load(tmp_path / "rules.json") == rules


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "no",
        '{"replicadb_rewrite_rules": 2, "rules": []}',
        '{"replicadb_rewrite_rules": 1, "rules": [{"kind": "all"}]}',
        (
            '{"replicadb_rewrite_rules": 1, "rules": [{"kind": "replace", "name": "a", "value":'
            ' "bb", "position": 1}]}'
        ),
        (
            '{"replicadb_rewrite_rules": 1, "rules": [{"kind": "segment_like", "name": ".*",'
            ' "position": 1}]}'
        ),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(tmp_path, text):
    (tmp_path / "rules.json").write_text(text)
    with pytest.raises(DataError) as error:
        RuleSet.load(tmp_path / "rules.json")
    assert "\n" not in str(error.value)


def test_a_rule_that_would_not_end_is_none():
    assert problem_of(Rule("replace", name="a", value="b", position=1)) and problem_of(
        Rule("extension", name="htm", value="html")
    )
    assert problem_of(Rule("replace", name="b", value="a", position=1)) is None


@pytest.mark.parametrize(
    ("segment", "kind"),
    [
        ("2024", "digits"),
        ("202", None),
        ("0a1b2c3d", "hex"),
        ("deadbeef", None),
        ("12345678", "digits"),
        ("Ab3_-9xyz", "token"),
        ("about-us", None),
        ("(S(abc))", "session"),
    ],
)
def test_types_of_segments(segment, kind):
    assert type_of(segment) == kind


def test_exports_are_whole_files_of_their_kind(tmp_path):
    rules = RuleSet(EVERY)
    kept, left = write(rules, tmp_path / "rules.json")
    assert (kept, left) == (len(EVERY), 0) and RuleSet.load(tmp_path / "rules.json") == rules
    kept, left = write(rules, tmp_path / "regex-normalize.xml")
    nutch = ElementTree.parse(tmp_path / "regex-normalize.xml").getroot()
    assert (kept + left, left) == (len(EVERY), 4) and nutch.tag == "regex-normalize"
    assert all(
        re.compile(rule.findtext("pattern")) and rule.findtext("substitution") for rule in nutch
    )
    write(rules, tmp_path / "beans", "heritrix")
    beans = ElementTree.parse(tmp_path / "beans").getroot()
    assert len(beans[0]) == len(nutch) and not list(tmp_path.glob("*.part"))
    assert json.loads(rules.text())["rules"][0] == {"kind": "case"}
