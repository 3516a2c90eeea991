"""Rewriting meets what a hostile web or a careless hand gives it: it refuses in one line, or leaves
URLs as they are; it never merges by accident.
"""

from __future__ import annotations

import json

import pytest

from replicadb.errors import DataError
from replicadb.rewrite import Rewriter, Rule, RuleSet, rule_learning
from replicadb.rewrite.rewrite_rules import problem_of
from replicadb.rewrite.url_forms import pattern_of

HOST = "a.example"


def loaded(web, write, rows):
    web.load(
        write(
            "crawl.csv",
            "url,fingerprint\n" + "".join(f'"{url}",{content}\n' for url, content in rows),
        )
    )
    return web.database


def rules_of(db, **options) -> RuleSet:
    with db.transaction():
        return rule_learning.learn(db, **options)


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


EMPTY = [
    ("http://e.example/?&", "a"),
    ("http://e.example/", "a"),
    ("http://e.example/b?&", "b"),
    ("http://e.example/b", "b"),
]
NAMELESS = [
    ("http://n.example/b?=1", "b"),
    ("http://n.example/b?=2", "b"),
    ("http://n.example/c?=1", "c"),
    ("http://n.example/c?=2", "c"),
]
NO_PERCENT_ENCODING = [
    (f"http://z.example/%zz{i}%{q}", f"{i}") for i in range(3) for q in ("", "?%E9=%", "?%E9=%00")
]
LONGER_IN_BYTES = [(f"http://b.example/éé/{i}", f"{i}") for i in range(3)] + [
    (f"http://b.example/abc/{i}", f"{i}") for i in range(3)
]
AS_LONG_AS_A_LOAD_TAKES = [(f"http://m.example/{'x' * 60_000}?s={i}", "m") for i in range(3)]
FIVE_THOUSAND_PARAMETERS = [
    (f"http://p.example/{i}?" + "&".join(f"p{k}={k}" for k in range(5_000)) + q, f"{i}")
    for i in range(3)
    for q in ("", "&s=1")
]


@pytest.mark.parametrize(
    "rows",
    [
        [("http://one.example/", "a")],
        [
            *EMPTY,
            *NAMELESS,
            *NO_PERCENT_ENCODING,
            *LONGER_IN_BYTES,
            *AS_LONG_AS_A_LOAD_TAKES,
            *FIVE_THOUSAND_PARAMETERS,
        ],
    ],
    ids=["one URL", "hosts of every oddity"],
)
def test_hosts_of_odd_urls_are_learned_from_without_a_wrong_merge(web, write, rows):
    loaded(web, write, rows)
    counts = web.learn_rewrites(min_support=1)
    assert counts["wrong"] == 0
    rewriter = web.rewriter()
    assert all(
        rewriter.canonical(form) == form
        for form in map(rewriter.canonical, (url for url, _ in rows))
    )


def test_two_numbers_that_trade_digits_are_two_pages(web, write):
    """DuckDB's hash() of these two is one number."""
    pages = [
        "pubraistal.php?sasfamjem=35591&pubraistal=28",
        "pubraistal.php?sasfamjem=35594&pubraistal=25",
    ]
    rows = [
        (f"http://haicainjacle.co.uk/zelasgras/{page}", f"c{i}") for i, page in enumerate(pages)
    ]
    rows += [
        (f"http://haicainjacle.co.uk/zelasgras/{page.replace('?', '?b=1&')}", f"c{i}")
        for i, page in enumerate(pages)
    ]
    rows += [
        (f"http://haicainjacle.co.uk/q?{x}", f"q{i}")
        for i in range(4)
        for x in (f"b={i}&a=1", f"a=1&b={i}")
    ]
    loaded(web, write, rows)
    counts = web.learn_rewrites()
    assert (counts["saved"], counts["wrong"]) == (6, 0)


def test_mirrors_of_one_site_are_one_voice(web, write):
    pages = [(f"/p{i}{query}", f"c{i}") for i in range(4) for query in ("", "?zq=7")]
    mirrors = [(f"http://m{k}.example{path}", content) for k in range(5) for path, content in pages]
    rules = rules_of(loaded(web, write, mirrors)).rules
    assert {rule.host for rule in rules} == {f"m{k}.example" for k in range(5)}


def test_sites_that_share_software_speak_for_any_host(web, write):
    sites = [
        (f"http://s{k}.example/p{i}{query}", f"{k}-{i}")
        for k in range(5)
        for i in range(4)
        for query in ("", "?zq=7")
    ]
    rules = rules_of(loaded(web, write, sites)).rules
    assert {(rule.kind, rule.host, rule.hosts) for rule in rules if rule.name == "zq"} == {
        ("param", None, 5)
    }


def test_the_rule_to_blame_goes_and_not_the_weakest_of_the_host(web, write):
    rows = [(f"http://{HOST}/p{i}{query}", f"c{i}") for i in range(8) for query in ("", "?a=1")]
    rows += [(f"http://{HOST}/q{i}{query}", f"q{i}") for i in range(5) for query in ("", "?b=1")]
    rows += [(f"http://{HOST}/s{i}{query}", f"s{i}") for i in range(2) for query in ("", "?c=1")]
    rows += [(f"http://{HOST}/r?a=1", "r1"), (f"http://{HOST}/r?b=1", "r2")]
    assert {rule.name for rule in rules_of(loaded(web, write, rows)).rules} == {"a", "c"}


def test_a_host_without_www_takes_over_only_what_its_own_rules_leave_apart(web, write):
    """The rules of a.example would make one of two pages that www.a.example has."""
    rows = [(f"http://{host}/p{i}", f"c{i}") for host in (HOST, f"www.{HOST}") for i in range(6)]
    rows += [(f"http://{HOST}/p{i}?v=2", f"c{i}") for i in range(6)]
    rows += [(f"http://www.{HOST}/p1?v=2", "another"), (f"http://www.{HOST}/p2?v=2", "more")]
    loaded(web, write, rows)
    assert web.learn_rewrites()["wrong"] == 0


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        (Rule("slash"), "/a/?x"),
        (Rule("order"), "/?b&a"),
        (Rule("case"), "/A"),
        (Rule("index", name="i+.h"), "/d/i+.h?x"),
        (Rule("extension", name="html"), "/a.html"),
        (Rule("suffix", name="-p"), "/a-p.html"),
        (Rule("matrix", name="s"), "/a;s=1"),
        (Rule("param", name="é"), "/?é=1"),
        (Rule("param_is", name="a", value="1"), "/?b&a=1"),
        (Rule("to_path", name="i"), "/s?i=4"),
        (Rule("segment", name="p", position=1), "/p/x"),
        (Rule("replace", name="bb", value="a", position=2), "/x/bb"),
        (Rule("swap", position=1), "/b/a"),
    ],
)
def test_rules_of_any_host_are_tried_on_every_path_that_they_change(web, rule, path):
    rewriter = Rewriter(RuleSet((rule,)))
    assert rewriter.path(HOST, path) != path
    assert web.database.value("SELECT regexp_matches(?, ?)", [path, pattern_of([rule])])


def test_one_content_at_many_values_speaks_for_a_parameter_only_where_the_address_without_it_has_it(
    web, write
):
    rows = [(f"http://s.example/a?sid={i * 7919}", "a") for i in range(6)] + [
        ("http://s.example/a", "a"),
        ("http://s.example/b", "b"),
    ]
    rows += [(f"http://e.example/p?id={i}", "not found") for i in range(6)] + [
        ("http://e.example/p", "choose one"),
        ("http://e.example/", "home"),
    ]
    rows += [(f"http://n.example/p?id={i}", "not found") for i in range(6)] + [
        ("http://n.example/", "home")
    ]
    rules = rules_of(loaded(web, write, rows)).rules
    assert [(rule.kind, rule.host, rule.name, rule.support) for rule in rules] == [
        ("param", "s.example", "sid", 2)
    ]


def test_a_path_part_needs_three_times_the_support(web, write):
    rows = [
        (f"http://{host}/{part}f{i}.js", f"{host}{i}")
        for host, n in (("two.example", 5), ("six.example", 6))
        for i in range(n)
        for part in ("", "beta/")
    ]
    assert {(rule.kind, rule.host) for rule in rules_of(loaded(web, write, rows)).rules} == {
        ("segment", "six.example")
    }


def test_thousands_of_rules_of_any_host_make_one_short_pattern(web):
    rules = [Rule("param", name=f"p{i}") for i in range(5_000)] + [
        Rule("matrix", name=f"m{i}") for i in range(400)
    ]
    assert len(pattern_of(rules)) < 20
    for path, found in (("/a?p4999=1", True), ("/a;m7=1", True), ("/a", False)):
        assert web.database.value("SELECT regexp_matches(?, ?)", [path, pattern_of(rules)]) is found
    assert pattern_of([]) is None
