"""Forms of URLs as rules come and go, and rules that err together."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replicadb.rewrite import Rewriter, Rule, RuleSet
from replicadb.rewrite.url_forms import Forms, agreeing, pattern_of
from tests.rewrite.crawls import HOST, PAGES, loaded


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as con:
        yield con


def matches(con, path: str, pattern: str) -> bool:
    return con.execute("SELECT regexp_matches(?, ?)", [path, pattern]).fetchall()[0][0]


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
def test_rules_of_any_host_are_tried_on_every_path_that_they_change(con, rule, path):
    rewriter = Rewriter(RuleSet((rule,)))
    assert rewriter.path(HOST, path) != path
    assert matches(con, path, pattern_of([rule]))


def test_thousands_of_rules_of_any_host_make_one_short_pattern(con):
    rules = [Rule("param", name=f"p{i}") for i in range(5_000)] + [
        Rule("matrix", name=f"m{i}") for i in range(400)
    ]
    assert len(pattern_of(rules)) < 20
    for path, found in (("/a?p4999=1", True), ("/a;m7=1", True), ("/a", False)):
        assert matches(con, path, pattern_of(rules)) is found
    assert pattern_of([]) is None


PATHS = [
    "/",
    "/a",
    "/a/",
    "/A",
    "/a;s=1",
    "/a/index.html",
    "/index.html;s=1",
    "/a?x=1&y=2",
    "/a?y=2&x=1",
    "/a?x=1",
    "/b/a?z=3",
    "/b/a/?x=1&z=3",
    "/p.php?f=index.html",
    "/b/b/z",
]


MANY = [
    Rule(kind, host=host, name=name, position=position)
    for host in (None, "a.example", "b.example")
    for kind, name, position in (
        ("slash", "", 0),
        ("case", "", 0),
        ("matrix", "s", 0),
        ("index", "index.html", 0),
        ("param", "x", 0),
        ("param", "z", 0),
        ("order", "", 0),
        ("swap", "", 1),
        ("segment", "b", 1),
        ("segment", "a", 2),
        ("to_path", "f", 0),
    )
]
MANY += [
    Rule("www", host="www.a.example"),
    Rule("www", host="www.www.a.example"),
    Rule("scheme", host="a.example"),
]


@pytest.mark.slow
@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    database=None,
)
@given(st.lists(st.sets(st.integers(0, len(MANY) - 1)), min_size=1, max_size=4))
def test_forms_given_step_by_step_are_those_given_at_once(web, write, steps):
    if not web.database.value("SELECT count(*) FROM urls"):
        loaded(
            web,
            write,
            [
                (f"http://{host}{path}", path)
                for host in (
                    "a.example",
                    "www.a.example",
                    "www.www.a.example",
                    "b.example",
                    "c.example",
                )
                for path in PATHS
            ],
        )
    tables = ("FROM rewritten ORDER BY ALL", "FROM host_changes ORDER BY ALL")
    forms, before = Forms(web.database), None
    for step in steps:
        forms.give([MANY[i] for i in sorted(step, reverse=len(step) % 2 == 1)])
        reformed = set(web.database.column("FROM reformed"))
        after = [web.database.rows(table) for table in tables]
        if before:
            of_origin = dict(web.database.rows("SELECT url_id, origin_id FROM urls"))
            assert reformed == {of_origin[url] for url, _ in set(before[0]) ^ set(after[0])} | {
                origin for origin, _ in set(before[1]) ^ set(after[1])
            }
        before = after
    Forms(web.database).give([MANY[i] for i in sorted(steps[-1])])
    assert before == [web.database.rows(table) for table in tables]


@pytest.mark.slow
def test_a_rule_that_was_needless_comes_back_where_the_one_of_any_host_has_to_go(web, write):
    rows = [
        (f"http://{host}.example/p{i}{query}", f"{host}{i}")
        for host in "abcd"
        for i in PAGES
        for query in ("", "?sid=1")
    ]
    rows += [
        ("http://e.example/p?sid=1", "one"),
        ("http://e.example/p?sid=2", "two"),
        ("http://e.example/q", "q"),
        ("http://e.example/q?o=1", "q"),
        ("http://e.example/r?o=1", "r"),
        ("http://e.example/r", "r"),
    ]
    db = loaded(web, write, rows)
    forms = Forms(db)
    anywhere, own = (
        Rule("param", name="sid", support=32),
        [Rule("param", host=f"{host}.example", name="sid", support=8) for host in "abcd"],
    )
    pool = agreeing(forms, {rule.key: rule for rule in [anywhere, *own]}, 0.0)
    assert (
        sorted(rule.host for rule in forms.rules) == [f"{host}.example" for host in "abcd"]
        and anywhere.key not in pool
    )
    assert db.value("SELECT count(*) FROM rewritten") == 4 * len(PAGES)


@pytest.mark.slow
def test_no_form_of_a_site_is_mixed_whatever_rules_on_scheme_and_host_had_to_go(web, write):
    db = loaded(
        web,
        write,
        [
            ("http://h.example/x", "1"),
            ("https://h.example/x", "2"),
            ("http://www.h.example/x", "3"),
        ],
    )
    for first, second, third in ((0, 0, 9), (1, 0, 10), (5, 6, 1), (3, 9, 2)):
        forms = Forms(db)
        rules = [
            Rule("scheme", host="h.example", support=first),
            Rule("scheme", host="www.h.example", support=second),
            Rule("www", host="www.h.example", support=third),
        ]
        agreeing(forms, {rule.key: rule for rule in rules}, 0.0)
        rewriter = Rewriter(RuleSet(forms.rules))
        assert (
            len(
                {
                    rewriter.canonical(url)
                    for url in (
                        "http://h.example/x",
                        "https://h.example/x",
                        "http://www.h.example/x",
                    )
                }
            )
            == 3
        )
