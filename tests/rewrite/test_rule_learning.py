"""Learning rewrite rules: planted ones come out, coincidences and error pages do not, and SQL tries
what the rewriter does. Odd crawls are learned from without a wrong merge.
"""

from __future__ import annotations

import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.rewrite import Rewriter, Rule, RuleSet, rule_learning
from replicadb.rewrite.url_forms import Forms
from tests.rewrite.crawls import HOST, PAGES, PLANTED, PLANTED_ROWS, loaded, rules_of, site, table


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_an_error_page_at_many_urls_speaks_once(web, write):
    rows = [(f"http://a.example/p?id={i}", "not found") for i in range(50)] + [
        ("http://a.example/", "home")
    ]
    db = loaded(web, write, rows)
    assert rules_of(db).rules == ()


@pytest.mark.slow
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


@pytest.mark.slow
def test_two_rules_that_together_err_lose_the_weaker_one(web, write):
    rows = [(f"http://a.example/p{i}{query}", f"c{i}") for i in PAGES for query in ("", "?a=1")]
    rows += [(f"http://a.example/q{i}{query}", f"q{i}") for i in range(4) for query in ("", "?b=1")]
    rows += [("http://a.example/r?a=1", "r1"), ("http://a.example/r?b=1", "r2")]
    rules = rules_of(loaded(web, write, rows))
    assert [rule.name for rule in rules.rules if rule.kind == "param"] == ["a"]


@pytest.mark.slow
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


@pytest.mark.slow
def test_thresholds_that_cannot_be_meant_are_refused(web, write):
    db = loaded(web, write, [("http://a.example/", "a")])
    for options in ({"epsilon": 1.0}, {"epsilon": -0.1}, {"min_support": 0}):
        with pytest.raises(UsageError):
            rules_of(db, **options)


@pytest.mark.slow
def test_without_content_nothing_can_be_learned(web, write):
    web.load(write("crawl.csv", "url\nhttp://a.example/\n"))
    with pytest.raises(DataError):
        web.learn_rewrites()


@pytest.mark.slow
def test_paths_that_a_weak_hash_takes_for_one_cost_no_rule(web, write):
    rows = [(f"http://a.example/p{i}{query}", f"a{i}") for i in PAGES for query in ("", "?sid=1")]
    rows += [
        ("http://a.example/000012600000007-a.html", "one"),
        ("http://a.example/000012800000009-a.html", "two"),
    ]
    rules = rules_of(loaded(web, write, rows))
    assert "sid" in {rule.name for rule in rules.rules}


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_mirrors_of_one_site_are_one_voice(web, write):
    pages = [(f"/p{i}{query}", f"c{i}") for i in range(4) for query in ("", "?zq=7")]
    mirrors = [(f"http://m{k}.example{path}", content) for k in range(5) for path, content in pages]
    rules = rules_of(loaded(web, write, mirrors)).rules
    assert {rule.host for rule in rules} == {f"m{k}.example" for k in range(5)}


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_rule_to_blame_goes_and_not_the_weakest_of_the_host(web, write):
    rows = [(f"http://{HOST}/p{i}{query}", f"c{i}") for i in range(8) for query in ("", "?a=1")]
    rows += [(f"http://{HOST}/q{i}{query}", f"q{i}") for i in range(5) for query in ("", "?b=1")]
    rows += [(f"http://{HOST}/s{i}{query}", f"s{i}") for i in range(2) for query in ("", "?c=1")]
    rows += [(f"http://{HOST}/r?a=1", "r1"), (f"http://{HOST}/r?b=1", "r2")]
    assert {rule.name for rule in rules_of(loaded(web, write, rows)).rules} == {"a", "c"}


@pytest.mark.slow
def test_a_host_without_www_takes_over_only_what_its_own_rules_leave_apart(web, write):
    """The rules of a.example would make one of two pages that www.a.example has."""
    rows = [(f"http://{host}/p{i}", f"c{i}") for host in (HOST, f"www.{HOST}") for i in range(6)]
    rows += [(f"http://{HOST}/p{i}?v=2", f"c{i}") for i in range(6)]
    rows += [(f"http://www.{HOST}/p1?v=2", "another"), (f"http://www.{HOST}/p2?v=2", "more")]
    loaded(web, write, rows)
    assert web.learn_rewrites()["wrong"] == 0


@pytest.mark.slow
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


@pytest.mark.slow
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
