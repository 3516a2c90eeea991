"""Learning rewrite rules: planted ones come out, coincidences and error pages do not, and SQL tries
what the rewriter does. Odd crawls are learned from without a wrong merge.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.rewrite import Rewriter, Rule, RuleSet, rule_learning, rule_store
from replicadb.rewrite.url_forms import Forms
from tests.rewrite.crawls import (
    HOST,
    PAGES,
    PLANTED,
    PLANTED_ROWS,
    loaded,
    pages,
    rules_of,
    site,
    table,
    with_and_without,
)

BESIDE_PLANTED = [
    row
    for kind in PLANTED
    for row in (
        (f"{site(kind)}/other", f"{kind} other"),
        (f"http://beside-{site(kind)[7:]}/p1?zq=1", f"{kind} beside"),
    )
]


SCHEMES = [
    (f"{scheme}://{host}/p{i}", f"scheme{i}")
    for scheme in ("http", "https")
    for host in ("sw.example", "www.sw.example")
    for i in PAGES
] + [
    (f"{scheme}://apart.example/p{i}", f"apart {scheme}{i}")
    for scheme in ("http", "https")
    for i in PAGES
]


ONE_ERROR = [
    *[(f"http://matters.example/p?id={i}", f"matters p{i}") for i in PAGES],
    *[(f"http://matters.example/q{i}", f"matters q{i}") for i in PAGES],
    *[
        (f"http://matters.example/q{i}?v=1", "differs" if i == 3 else f"matters q{i}")
        for i in PAGES
    ],
]


NOT_FOUND = [(f"http://gone.example/p?id={i}", "not found") for i in range(50)]
NOT_FOUND += [("http://gone.example/", "gone home")]


IN_A_SECTION = with_and_without("section.example", [f"/shop/{i}" for i in PAGES], "?ref=x")
IN_A_SECTION += [
    (f"http://section.example/blog/{i}{query}", f"blog{i}{query}")
    for i in PAGES
    for query in ("", "?ref=x")
]


TOGETHER_ERR = [
    *with_and_without("two.example", pages("p"), "?a2=1"),
    *with_and_without("two.example", pages("q", 4), "?b2=1"),
    ("http://two.example/r?a2=1", "two r1"),
    ("http://two.example/r?b2=1", "two r2"),
]


TO_BLAME = [
    *with_and_without("blame.example", pages("p"), "?a3=1"),
    *with_and_without("blame.example", pages("q", 5), "?b3=1"),
    *with_and_without("blame.example", pages("s", 2), "?c3=1"),
    ("http://blame.example/r?a3=1", "blame r1"),
    ("http://blame.example/r?b3=1", "blame r2"),
]


WEAK_HASH = [
    *with_and_without("weak.example", pages("p"), "?sid=1"),
    ("http://weak.example/000012600000007-a.html", "weak one"),
    ("http://weak.example/000012800000009-a.html", "weak two"),
]


TRADED = "http://haicainjacle.co.uk/"
TRADE = [
    *[
        (
            f"{TRADED}zelasgras/pubraistal.php?{more}sasfamjem={one}&pubraistal={other}",
            f"trade{one}",
        )
        for more in ("", "b=1&")
        for one, other in ((35591, 28), (35594, 25))
    ],
    *[(f"{TRADED}q?{x}", f"trade q{i}") for i in range(4) for x in (f"b={i}&a=1", f"a=1&b={i}")],
]
"""DuckDB's hash() of the first two queries is one number."""


MIRRORS = [
    row for k in range(5) for row in with_and_without(f"m{k}.example", pages("p", 4), "?mq=7", "m")
]
OF_ONE_SOFTWARE = [
    row for k in range(5) for row in with_and_without(f"s{k}.example", pages("p", 4), "?sq=7")
]


BARE = [
    (f"http://{host}/p{i}", f"bare{i}") for host in ("w.example", "www.w.example") for i in range(6)
]
BARE += [(f"http://w.example/p{i}?w=2", f"bare{i}") for i in range(6)]
BARE += [("http://www.w.example/p1?w=2", "another"), ("http://www.w.example/p2?w=2", "more")]


MANY_VALUES = [
    *[(f"http://values.example/a?vid={i * 7919}", "values a") for i in range(6)],
    *[(f"http://values.example/{x}", f"values {x}") for x in "ab"],
    *[(f"http://choose.example/p?vid={i}", "choose not found") for i in range(6)],
    ("http://choose.example/p", "choose one"),
    ("http://choose.example/", "choose home"),
    *[(f"http://none.example/p?vid={i}", "none not found") for i in range(6)],
    ("http://none.example/", "none home"),
]


PATH_PARTS = [
    (f"http://{host}/{part}f{i}.html", f"{host}{i}")
    for host, n in (("five.example", 5), ("six.example", 6))
    for i in range(n)
    for part in ("", "beta/")
]


class Learned(NamedTuple):
    """What is learned of a crawl in which every claim has hosts, contents and names of its own."""

    path: Path
    rules: RuleSet

    def of(self, *hosts: str) -> list[Rule]:
        return [rule for rule in self.rules.rules if rule.host in hosts]

    def named(self, *names: str) -> list[Rule]:
        """Those of any host, too."""
        return [rule for rule in self.rules.rules if rule.name in names]


@pytest.fixture(scope="module")
def learned(tmp_path_factory) -> Learned:
    folder = tmp_path_factory.mktemp("learned")
    rows = [*PLANTED_ROWS, *BESIDE_PLANTED, *SCHEMES, *ONE_ERROR, *NOT_FOUND, *IN_A_SECTION]
    rows += [*TOGETHER_ERR, *TO_BLAME, *WEAK_HASH, *TRADE, *MIRRORS, *OF_ONE_SOFTWARE, *BARE]
    (folder / "crawl.csv").write_text(table([*rows, *MANY_VALUES, *PATH_PARTS]))
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        assert web.learn_rewrites()["wrong"] == 0
        rules = rule_store.rules_of(web.database)
    return Learned(folder / "web.duckdb", rules)


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_rule_is_learned_and_makes_the_copies_one(learned, kind):
    plain, copies, expected = PLANTED[kind]
    assert expected in {f"{rule.kind} {rule.name}" for rule in learned.of(site(kind)[7:])}
    rewriter = Rewriter(learned.rules)
    forms = [rewriter.canonical(f"{site(kind)}{path}") for path in copies]
    assert forms == [rewriter.canonical(f"{site(kind)}{path}") for path in plain]
    assert len(set(forms)) == len(PAGES)
    assert all(rule.errors == 0 and rule.test_errors == 0 for rule in learned.rules.rules)


def test_scheme_and_www_are_learned_where_contents_agree(learned):
    rewriter = Rewriter(learned.rules)
    assert rewriter.canonical("http://www.sw.example/p1") == "https://sw.example/p1"
    assert rewriter.canonical("http://apart.example/p1") == "http://apart.example/p1"


@pytest.mark.slow
def test_a_parameter_that_matters_is_kept_and_one_error_is_too_many_at_epsilon_0(learned):
    kept = lambda rules: [
        (rule.name, rule.errors, rule.matches)
        for rule in rules
        if rule.host in ("matters.example", None)
        and rule.name in ("id", "v")
        and rule.section is None
    ]
    assert kept(learned.rules.rules) == []
    with replicadb.open(learned.path) as web:
        assert kept(rules_of(web.database, epsilon=0.2).rules) == [("v", 1, 8)]


def test_an_error_page_at_many_urls_speaks_once(learned):
    assert learned.of("gone.example") == []
    assert Rewriter(learned.rules).canonical("http://gone.example/p?id=7").endswith("?id=7")


def test_a_rule_that_errs_on_the_host_may_hold_in_a_section(learned):
    assert {(rule.host, rule.section) for rule in learned.named("ref")} == {
        ("section.example", "shop")
    }


def test_two_rules_that_together_err_lose_the_weaker_one(learned):
    assert [(rule.kind, rule.name) for rule in learned.named("a2", "b2")] == [("param", "a2")]


def test_the_rule_to_blame_goes_and_not_the_weakest_of_the_host(learned):
    assert {rule.name for rule in learned.named("a3", "b3", "c3")} == {"a3", "c3"}


def test_paths_that_a_weak_hash_takes_for_one_cost_no_rule(learned):
    assert "sid" in {rule.name for rule in learned.of("weak.example")}


def test_two_numbers_that_trade_digits_are_two_pages(learned):
    rewriter, content = Rewriter(learned.rules), {}
    for url, of in TRADE:
        assert content.setdefault(rewriter.canonical(url), of) == of
    assert len(content) == len({of for _, of in TRADE}) == len(TRADE) - 6


def test_mirrors_of_one_site_are_one_voice(learned):
    assert {rule.host for rule in learned.named("mq")} == {f"m{k}.example" for k in range(5)}


def test_sites_that_share_software_speak_for_any_host(learned):
    rules = learned.named("sq")
    assert {(rule.kind, rule.host, rule.hosts) for rule in rules} == {("param", None, 5)}


def test_a_host_without_www_takes_over_only_what_its_own_rules_leave_apart(learned):
    """The rules of w.example would make one of two pages that www.w.example has."""
    rewriter, content = Rewriter(learned.rules), {}
    for url, of in BARE:
        assert content.setdefault(rewriter.canonical(url), of) == of


def test_one_content_at_many_values_speaks_for_a_parameter_only_where_the_address_without_it_has_it(
    learned,
):
    rules = learned.of("values.example", "choose.example", "none.example")
    rules += [rule for rule in learned.rules.rules if rule.host is None and rule.name == "vid"]
    assert [(rule.kind, rule.host, rule.name, rule.support) for rule in rules] == [
        ("param", "values.example", "vid", 2)
    ]


def test_a_path_part_needs_three_times_the_support(learned):
    rules = learned.of("five.example", "six.example")
    rules += [rule for rule in learned.rules.rules if rule.kind == "segment" and rule.host is None]
    assert {(rule.kind, rule.host) for rule in rules} == {("segment", "six.example")}


@pytest.mark.slow
def test_sql_tries_what_the_rewriter_does(web, write):
    rows = [*PLANTED_ROWS]
    rows += [
        ("http://a.example/p1?zq&&x=%2f", "n"),
        ("http://a.example/.html", "m"),
        ("http://a.example//x/", "k"),
        *((f"http://a.example/t{i}{query}", f"t{i}") for i in "abc" for query in ("", "?c&d=1")),
        ("http://a.example/ta?b=1&d=2", "b"),
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
            one_kind, names = ("param", name.split("&")) if kind == "params" else (kind, [name])
            rules = [Rule(one_kind, HOST, None, one, value, position) for one in names]
            rewriter = Rewriter(RuleSet(tuple(rules)))
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
    assert tried == set(PLANTED) | {"param_is", "params"}


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
