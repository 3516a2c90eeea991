"""Rules: those that cannot be are refused in one line, files of them say the same."""

from __future__ import annotations

import json

import pytest

from replicadb.errors import DataError
from replicadb.rewrite import Rewriter, Rule, RuleSet
from replicadb.rewrite.rewrite_rules import problem_of, type_of
from tests.rewrite.crawls import HOST


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
        "[" * 100_000,
        json.dumps({"replicadb_rewrite_rules": 1, "rules": [{"kind": "swap", "position": 10**19}]}),
        json.dumps(
            {
                "replicadb_rewrite_rules": 1,
                "rules": [{"kind": "www", "host": "www." * 70 + "a.example"}],
            }
        ),
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
    "rule",
    [
        Rule("param", HOST),
        Rule("param_is", HOST, value="1"),
        Rule("param", name="a&b"),
        Rule("param", name="a=b"),
        Rule("to_path", HOST, name="a=b"),
        Rule("matrix", name="a;b"),
        Rule("suffix", name="e"),
        Rule("suffix", HOST, name="1_print"),
        Rule("segment_like", name="token", position=1),
        Rule("segment_like", HOST, name="[^/]*", position=1),
        Rule("segment", HOST, name="a", position=0),
        Rule("index", name=""),
        Rule("segment", HOST, name="a/b", position=1),
        Rule("replace", HOST, name="a", value="a", position=1),
        Rule("www", HOST),
        Rule("everything", HOST),
        Rule("param", HOST, name=5),
        Rule("param", [HOST], name="a"),
        Rule("swap", HOST, position=True),
        Rule("swap", HOST, position="1"),
        Rule("param", HOST, None, None),
        Rule("param", HOST, "shop/new", name="a"),
        Rule("replace", HOST, name="abc", value="..", position=1),
    ],
)
def test_rules_that_would_make_one_of_all_or_cannot_be_are_refused_in_one_line(tmp_path, rule):
    assert problem_of(rule)
    with pytest.raises(DataError):
        Rewriter(RuleSet((rule,)))
    (tmp_path / "rules.json").write_text(
        json.dumps({"replicadb_rewrite_rules": 1, "rules": [rule.__dict__]})
    )
    with pytest.raises(DataError) as error:
        RuleSet.load(tmp_path / "rules.json")
    assert "\n" not in str(error.value)


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


def test_a_rule_says_what_becomes_of_what():
    assert str(Rule("www", "www.a.example")) == "host www.a.example -> a.example"
    assert str(Rule("extension", name="html")) == "extension html -> none"
    assert str(Rule("extension", name="html", value="htm")) == "extension html -> htm"
