"""Files of rules for crawlers: a pattern says what its rule says."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.rewrite import RuleSet
from replicadb.rewrite.crawler_rules import patterns_of, write
from tests.rewrite.crawls import EVERY, URLS, rewritten


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
