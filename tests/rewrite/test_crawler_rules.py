"""Files of rules for crawlers: a pattern says what its rule says."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.rewrite import Rule, RuleSet
from replicadb.rewrite.crawler_rules import patterns_of, write
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
