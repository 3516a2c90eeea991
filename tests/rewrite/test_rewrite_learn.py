"""Learning rewrite rules: planted ones come out, coincidences and error pages do not, and SQL tries
what the rewriter does.
"""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.rewrite import Rewriter, Rule, RuleSet, rule_learning, rule_store
from replicadb.rewrite.url_forms import Forms, agreeing

PAGES = range(8)
PLANTED = {
    "param": (
        [f"/p{i}?id={i}" for i in PAGES],
        [f"/p{i}?id={i}&zq={i * 7 + 1}" for i in PAGES],
        "param zq",
    ),
    "order": ([f"/p?a={i}&b=1" for i in PAGES], [f"/p?b=1&a={i}" for i in PAGES], "order "),
    "slash": ([f"/d/p{i}" for i in PAGES], [f"/d/p{i}/" for i in PAGES], "slash "),
    "index": ([f"/d{i}/" for i in PAGES], [f"/d{i}/start.php" for i in PAGES], "index start.php"),
    "case": ([f"/page{i}" for i in PAGES], [f"/Page{i}" for i in PAGES], "case "),
    "matrix": ([f"/p{i}" for i in PAGES], [f"/p{i};sess=x{i}" for i in PAGES], "matrix sess"),
    "segment": ([f"/p{i}/x" for i in PAGES], [f"/print/p{i}/x" for i in PAGES], "segment print"),
    "segment_like": (
        [f"/p{i}/x" for i in PAGES],
        [f"/{i}a7f3e{i}b1c/p{i}/x" for i in PAGES],
        "segment_like hex",
    ),
    "replace": (
        [f"/story/{i}" for i in PAGES],
        [f"/story_id/{i}" for i in PAGES],
        "replace story_id",
    ),
    "suffix": (
        [f"/a{i}.html" for i in PAGES],
        [f"/a{i}_print.html" for i in PAGES],
        "suffix _print",
    ),
    "extension": ([f"/a{i}" for i in PAGES], [f"/a{i}.html" for i in PAGES], "extension html"),
    "to_path": (
        [f"/story/{i}" for i in PAGES],
        [f"/story?story_id={i}" for i in PAGES],
        "to_path story_id",
    ),
    "swap": ([f"/en/news{i}" for i in PAGES], [f"/news{i}/en" for i in PAGES], "swap "),
}


def table(rows: list[tuple[str, str]]) -> str:
    return "url,fingerprint\n" + "".join(f"{url},{content}\n" for url, content in rows)


def loaded(web, write, rows: list[tuple[str, str]]):
    web.load(write("crawl.csv", table(rows)))
    return web.database


def rules_of(db, **options) -> RuleSet:
    with db.transaction():
        return rule_learning.learn(db, **options)


def site(kind: str) -> str:
    """The site on which a rule of this kind is planted, where all of them are in one crawl."""
    return f"http://{kind.replace('_', '-')}.example"


PLANTED_ROWS = [
    (f"{site(kind)}{path}", f"{kind}{i}")
    for kind, (plain, copies, _) in PLANTED.items()
    for paths in (plain, copies)
    for i, path in enumerate(paths)
]


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> RuleSet:
    """What is learned of a crawl in which every site has a rule of its own."""
    folder = tmp_path_factory.mktemp("planted")
    others = [
        row
        for kind in PLANTED
        for row in (
            (f"{site(kind)}/other", f"{kind} other"),
            (f"http://beside-{site(kind)[7:]}/p1?zq=1", f"{kind} beside"),
        )
    ]
    (folder / "crawl.csv").write_text(table([*PLANTED_ROWS, *others]))
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        return rules_of(web.database)


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_rule_is_learned_and_makes_the_copies_one(planted, kind):
    plain, copies, expected = PLANTED[kind]
    assert expected in {
        f"{rule.kind} {rule.name}" for rule in planted.rules if rule.host == site(kind)[7:]
    }
    rewriter = Rewriter(planted)
    forms = [rewriter.canonical(f"{site(kind)}{path}") for path in copies]
    assert forms == [rewriter.canonical(f"{site(kind)}{path}") for path in plain] and len(
        set(forms)
    ) == len(PAGES)
    assert all(rule.errors == 0 and rule.test_errors == 0 for rule in planted.rules)


def test_scheme_and_www_are_learned_where_contents_agree(web, write):
    rows = [
        (f"{scheme}://{host}/p{i}", f"c{i}")
        for scheme in ("http", "https")
        for host in ("a.example", "www.a.example")
        for i in PAGES
    ]
    rows += [
        (f"{scheme}://b.example/p{i}", f"{scheme}{i}")
        for scheme in ("http", "https")
        for i in PAGES
    ]
    rewriter = Rewriter(rules_of(loaded(web, write, rows)))
    assert rewriter.canonical("http://www.a.example/p1") == "https://a.example/p1"
    assert rewriter.canonical("http://b.example/p1") == "http://b.example/p1"


def test_a_parameter_that_matters_is_kept_and_one_error_is_too_many_at_epsilon_0(web, write):
    rows = [(f"http://a.example/p?id={i}", f"c{i}") for i in PAGES] + [
        (f"http://a.example/q{i}", f"q{i}") for i in PAGES
    ]
    rows += [(f"http://a.example/q{i}?v=1", "differs" if i == 3 else f"q{i}") for i in PAGES]
    db = loaded(web, write, rows)
    assert not [
        rule for rule in rules_of(db).rules if rule.name in ("id", "v") and rule.section is None
    ]
    kept = [
        rule
        for rule in rules_of(db, epsilon=0.2).rules
        if rule.name == "v" and rule.section is None
    ]
    assert [(rule.errors, rule.matches) for rule in kept] == [(1, 8)]


def test_an_error_page_at_many_urls_speaks_once(web, write):
    rows = [(f"http://a.example/p?id={i}", "not found") for i in range(50)] + [
        ("http://a.example/", "home")
    ]
    db = loaded(web, write, rows)
    assert rules_of(db).rules == ()


def test_a_rule_that_errs_on_the_host_may_hold_in_a_section(web, write):
    rows = [
        (f"http://a.example/shop/{i}{query}", f"s{i}") for i in PAGES for query in ("", "?ref=x")
    ]
    rows += [
        (f"http://a.example/blog/{i}{query}", f"b{i}{query}")
        for i in PAGES
        for query in ("", "?ref=x")
    ]
    rules = [rule for rule in rules_of(loaded(web, write, rows)).rules if rule.name == "ref"]
    assert {rule.section for rule in rules} == {"shop"}


def test_two_rules_that_together_err_lose_the_weaker_one(web, write):
    rows = [(f"http://a.example/p{i}{query}", f"c{i}") for i in PAGES for query in ("", "?a=1")]
    rows += [(f"http://a.example/q{i}{query}", f"q{i}") for i in range(4) for query in ("", "?b=1")]
    rows += [("http://a.example/r?a=1", "r1"), ("http://a.example/r?b=1", "r2")]
    rules = rules_of(loaded(web, write, rows))
    assert [rule.name for rule in rules.rules if rule.kind == "param"] == ["a"]


def test_sql_tries_what_the_rewriter_does(web, write):
    rows = [*PLANTED_ROWS]
    rows += [
        ("http://a.example/p1?zq&&x=%2f", "n"),
        ("http://a.example/.html", "m"),
        ("http://a.example//x/", "k"),
        ("http://a.example/A%2Fb/", "l"),
        ("http://a.example/a%2fB", "l"),
    ]
    rows += [
        (f"http://segment-like.example/{i}a7f3e{i}b1c/0a7f3e1b1c/z/x", f"z{i}") for i in range(3)
    ] + [("http://segment.example/print/print/x/y", "y")]
    db = loaded(web, write, rows)
    tried = set()
    with db.transaction():
        Forms(db)
        db.run("rewrite/20_rewritable_hosts")
        rule_learning.candidate_round(db, 0.9, 1)
        for candidate, kind, name, value, position in db.rows(
            "SELECT candidate, kind, name, value, position FROM rewrite_candidates"
        ):
            rewriter = Rewriter(
                RuleSet((Rule(kind, host="a.example", name=name, value=value, position=position),))
            )
            paths = db.column(
                "SELECT path FROM url_parts JOIN rewrite_candidates AS c ON c.place IN (0,"
                " url_parts.place) WHERE candidate = ?",
                [candidate],
            )
            ours = {
                db.value("SELECT form_of('http', ?)", [new])
                for path in paths
                if (new := rewriter.path("a.example", path)) != path
            }
            assert (
                set(db.column("SELECT form FROM moved WHERE candidate = ?", [candidate])) == ours
            ), (kind, name, value, position)
            tried.add(kind)
    assert tried == set(PLANTED) | {"param_is"}


def test_the_database_keeps_rules_and_forms_as_the_rewriter_has_them(web, write):
    rows = [
        (f"http://a.example{path}", f"c{i}")
        for paths in PLANTED["param"][:2]
        for i, path in enumerate(paths)
    ]
    db = loaded(web, write, rows)
    counts = web.learn_rewrites()
    assert counts["saved"] == len(PAGES) and counts["wrong"] == 0
    rewriter = web.rewriter()
    forms = db.rows("SELECT url, canonical FROM canonical_urls")
    assert forms and all(rewriter.canonical(url) == canonical for url, canonical in forms)
    assert not rule_store.stale(db)
    web.load(write("more.csv", table([("http://c.example/", "c")])))
    assert rule_store.stale(db)


def test_thresholds_that_cannot_be_meant_are_refused(web, write):
    db = loaded(web, write, [("http://a.example/", "a")])
    for options in ({"epsilon": 1.0}, {"epsilon": -0.1}, {"min_support": 0}):
        with pytest.raises(UsageError):
            rules_of(db, **options)


def test_hostile_hosts_are_learned_from_in_their_turn(web, write):
    rows = [
        ("http://one.example/", "a"),
        ("http://p.example/?" + "&".join(f"p{i}={i}" for i in range(5_000)), "a"),
        ("http://p.example/?x", "a"),
        ("http://l.example/" + "x" * 60_000, "a"),
        ("http://l.example/y", "a"),
        ("http://e.example/%zz?%=%&=", "b"),
        ("http://e.example/%zz", "b"),
    ]
    web.load(write("crawl.csv", table(rows)))
    assert web.learn_rewrites()["wrong"] == 0


def test_without_content_nothing_can_be_learned(web, write):
    web.load(write("crawl.csv", "url\nhttp://a.example/\n"))
    with pytest.raises(DataError):
        web.learn_rewrites()


def test_the_commands_learn_show_apply_and_export(cli, write, tmp_path):
    rows = [
        (f"http://a.example{path}", f"c{i}")
        for paths in PLANTED["param"][:2]
        for i, path in enumerate(paths)
    ]
    assert cli("load", "web.duckdb", write("crawl.csv", table(rows))).code == 0
    assert "learn them first" in cli("rewrite", "show", "web.duckdb").err
    learned = cli("rewrite", "learn", "web.duckdb")
    assert learned.code == 0 and "8 duplicates saved" in learned.err and not learned.out
    assert "delete parameter zq" in cli("rewrite", "show", "web.duckdb").out
    whole = list(csv.reader(io.StringIO(cli("rewrite", "apply", "web.duckdb").out)))
    assert whole[0] == ["url", "canonical"] and len(whole) == 17
    assert cli("rewrite", "export", "web.duckdb", "rules.json").code == 0
    urls = write("urls.txt", "http://a.example/p9?id=9&zq=5\n\nhttp://b.example/\n")
    out = cli("rewrite", "apply", "rules.json", urls).out
    assert (
        out
        == "url,canonical\nhttp://a.example/p9?id=9&zq=5,http://a.example/p9?id=9\nhttp://b.example/,http://b.example/\n"
    )
    assert out == cli("rewrite", "apply", "web.duckdb", urls).out
    assert cli("rewrite", "export", "web.duckdb", "-", "--format", "nutch").out.startswith("<?xml")
    assert cli("rewrite", "export", "web.duckdb", "rules.txt").code == 2
    assert cli("rewrite", "apply", "rules.json").code == 1


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


@settings(
    max_examples=15,
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


def test_paths_that_a_weak_hash_takes_for_one_cost_no_rule(web, write):
    rows = [(f"http://a.example/p{i}{query}", f"a{i}") for i in PAGES for query in ("", "?sid=1")]
    rows += [
        ("http://a.example/000012600000007-a.html", "one"),
        ("http://a.example/000012800000009-a.html", "two"),
    ]
    rules = rules_of(loaded(web, write, rows))
    assert "sid" in {rule.name for rule in rules.rules}
