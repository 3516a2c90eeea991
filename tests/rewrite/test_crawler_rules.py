"""Files of rules for crawlers: a pattern says what its rule says."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.rewrite import Rewriter, Rule, RuleSet
from replicadb.rewrite.crawler_rules import in_turn, patterns_of, write
from tests.rewrite.crawls import EVERY, URLS, rewritten


@pytest.mark.slow
@given(URLS, st.sampled_from(EVERY))
@settings(max_examples=200, deadline=None)
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
    assert form == rewritten(url, rule)


@pytest.mark.parametrize("end", ["", "#x"])
@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("?", "?"),
        ("?&", "?&"),
        ("?x=1&", "?x=1&"),
        ("?x=1&&y", "?x=1&&y"),
        ("?sid=2", ""),
        ("?sid=2&", "?"),
        ("?&sid=2", "?"),
        ("?sid&x=1&", "?x=1&"),
        ("?x=1&sid=2&y", "?x=1&y"),
        ("?x=1&&sid=2", "?x=1&"),
        ("?sid=1&x=1&sid=2", "?x=1"),
        ("?sid=1&sid=2&sid=3", ""),
        ("?sidx=1&y=sid", "?sidx=1&y=sid"),
    ],
)
def test_a_question_mark_or_ampersand_that_a_url_has_of_its_own_stays(query, left, end):
    """Patterns for a parameter took it from every URL of the host."""
    rule = Rule("param", "a.example", name="sid")
    form = f"http://a.example/p{query}{end}"
    assert rewritten(form, rule) == f"http://a.example/p{left}{end}"
    for pattern, substitution in patterns_of(rule):
        form = re.sub(pattern, re.sub(r"\$(\d)", r"\\g<\1>", substitution), form)
    assert form == f"http://a.example/p{left}{end}"


def once_through(rules, url):
    """What a crawler makes of a URL, which goes through a file of patterns once."""
    for rule in in_turn(rules.rules):
        for pattern, substitution in patterns_of(rule):
            url = re.sub(pattern, re.sub(r"\$(\d)", r"\\g<\1>", substitution), url)
    return url


@pytest.mark.parametrize(
    "path",
    [
        "/d/index.jsp;sid=7",
        "/d/index.jsp;sid=7;sid=8?ref=1",
        "/d/;sid=7?sid=1&x=1&sid=2&sid=3&ref=1",
        "/story/?id=17",
        "/a_print.html?sid=1",
        "/print/print/d/index.jsp",
    ],
)
@pytest.mark.parametrize("origin", ["http://www.a.example", "https://a.example"])
def test_a_crawler_that_goes_through_the_file_once_has_the_canonical_form(origin, path):
    """Patterns stood by the names of their kinds: index before matrix, a.example before www."""
    rules = RuleSet(
        (
            Rule("index", "a.example", name="index.jsp"),
            Rule("matrix", "a.example", name="sid"),
            Rule("param", "a.example", name="sid"),
            Rule("scheme", "a.example"),
            Rule("segment", "a.example", name="print", position=1),
            Rule("slash", "a.example"),
            Rule("suffix", "a.example", name="_print"),
            Rule("extension", "a.example", name="html"),
            Rule("to_path", "a.example", section="story", name="id"),
            Rule("scheme", "www.a.example"),
            Rule("www", "www.a.example"),
            Rule("param", name="ref"),
        )
    )
    canonical = Rewriter(rules).canonical(origin + path)
    assert once_through(rules, origin + path) == canonical
    assert canonical.startswith("https://a.example/") and "sid" not in canonical


def test_rules_of_any_host_stand_before_and_behind_a_www_rule():
    """A host's own rule may wait for one of any host, and so may that of the name without www."""
    rules = RuleSet(
        (
            Rule("matrix", name="s"),
            Rule("index", "www.a.example", name="index.php"),
            Rule("www", "www.a.example"),
            Rule("slash", "a.example"),
        )
    )
    assert once_through(rules, "http://www.a.example/d/index.php;s=1") == "http://a.example/d"


@pytest.mark.parametrize("value", ["$9", "$", "a$1b"])
def test_a_dollar_in_a_rule_is_no_group(tmp_path, value):
    """Java takes $9 for a group that is not there, and fails; with a backslash it is a dollar."""
    rules = RuleSet((Rule("replace", "a.example", name="zz-longer", value=value, position=1),))
    escaped = value.replace("$", "\\$")
    (pattern,) = patterns_of(rules.rules[0])
    assert pattern.substitution == f"$1$2/{escaped}"
    write(rules, tmp_path / "rules.xml", "nutch")
    assert ElementTree.parse(tmp_path / "rules.xml").findtext("*/substitution").endswith(escaped)
    write(rules, tmp_path / "beans", "heritrix")
    assert f"${{2}}/{escaped}${{3}}" in (tmp_path / "beans").read_text()


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
