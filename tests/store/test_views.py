"""The views and macros: in a stock DuckDB shell, without replicadb, before and after detection, and
right.
"""

from __future__ import annotations

import csv
import io
import itertools
import random
from collections import defaultdict
from urllib.parse import urlsplit

import duckdb
import polars as pl
import pytest
from conftest import CRAWL

import replicadb

FIRST = {
    "start_here",
    "descriptions",
    "replicas",
    "flagged_hosts",
    "held_hosts",
    "replica_groups",
    "copies",
    "pages",
    "hosts",
    "sources",
    "skips",
    "rejects",
}
FURTHER = {
    "details": {
        "candidate_pairs",
        "obvious_replicas",
        "inter_site_duplicates",
        "intra_site_duplicates",
        "skipped_clusters",
        "mass_copies",
        "given_decisions",
        "rule_supports",
        "site_identifiers",
        "shared_identifiers",
        "em_history",
    },
    "history": {"loads", "runs", "named_runs", "run_hosts", "run_pairs"},
    "page_level": {"page_matches", "near_duplicates", "canonical_urls"},
}
PAGES = [
    (urlsplit(row["url"]), row["url"], row["digest"].removeprefix("sha1:"))
    for row in csv.DictReader(io.StringIO(CRAWL))
]


@pytest.fixture(scope="module")
def shells(_empty, crawled, detected):
    """Plain read-only connections: to a database with nothing, with a crawl only, and with a
    detection.
    """
    paths = {"empty": _empty, "loaded": crawled, "detected": detected}
    config = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    opened = {
        name: duckdb.connect(str(path), read_only=True, config=config)
        for name, path in paths.items()
    }
    yield opened
    for con in opened.values():
        con.close()


def by_content() -> dict[str, dict[str, list]]:
    found: dict[str, dict[str, list]] = defaultdict(lambda: defaultdict(list))
    for parts, url, digest in PAGES:
        found[digest][parts.hostname].append(url)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("state", ["empty", "loaded", "detected"])
def test_every_view_works_in_a_stock_shell(shells, state):
    con = shells[state]
    views = con.execute(
        "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    assert {name for (name,) in con.execute("SHOW TABLES").fetchall()} == FIRST
    for schema, name in views:
        con.execute(f'SELECT * FROM {schema}."{name}"').fetchall()


def test_what_else_people_ask_for_stands_in_schemas_and_no_name_in_two(shells):
    con = shells["detected"].cursor()
    named = con.execute(
        "SELECT schema_name, name FROM descriptions WHERE kind IN ('table', 'view')"
    ).fetchall()
    assert len({name for _, name in named}) == len(named)
    found = {schema: {name for place, name in named if place == schema} for schema in FURTHER}
    assert found == FURTHER
    for name in ("loads", "given_decisions", "page_matches"):
        with pytest.raises(duckdb.Error, match=rf'Did you mean "(.*, )?\w+\.{name}"'):
            con.execute(f"FROM {name}")
    con.execute(con.execute("SELECT last(query ORDER BY place) FROM start_here").fetchone()[0])
    for name in set().union(*FURTHER.values()):
        con.execute(f"FROM {name}").fetchall()


def test_a_name_without_its_schema_is_found_by_sql_and_from_python(detected):
    with replicadb.open(detected, read_only=True) as web:
        for name in set().union(*FURTHER.values()):
            assert web.sql(f"FROM {name} LIMIT 1").columns


MACROS = ["shared_pages", "projected_training_set", "evidence_of"]


@pytest.mark.parametrize("state", ["loaded", "detected"])
@pytest.mark.parametrize("macro", MACROS)
def test_every_macro_works_in_a_stock_shell(shells, state, macro):
    shells[state].execute(f"SELECT * FROM {macro}('example.com', 'www.example.com')").fetchall()
    assert shells[state].execute(
        f"SELECT * FROM {macro}('alone.net', 'example.com')"
    ).fetchall() in ([],)


@pytest.mark.parametrize("macro", MACROS)
def test_a_host_that_is_not_there_is_an_error_with_the_nearest_names(shells, macro):
    for given in ("exmple.com", "https://exmple.com/x"):
        with pytest.raises(duckdb.Error, match=r"no host .*; the nearest names: example\.com"):
            shells["detected"].execute(f"FROM {macro}('www.example.com', $1)", [given]).fetchall()
    with pytest.raises(duckdb.Error, match="nearest names: none"):
        shells["empty"].execute(f"FROM {macro}('a.example', 'b.example')").fetchall()


@pytest.mark.parametrize(
    "given",
    [
        "EXAMPLE.com",
        "http://example.com",
        "https://user@Example.com:8443/a?b#c",
        " example.com. ",
        "//example.com/",
        "hxxps://Example[.]com",
    ],
)
def test_a_host_is_found_in_any_spelling(shells, given):
    def pages(name: str) -> list[tuple]:
        query = "FROM shared_pages($1, 'www.example.com') ORDER BY ALL"
        return shells["loaded"].execute(query, [name]).fetchall()

    assert pages(given) == pages("example.com") and len(pages(given)) == 3


@pytest.mark.slow
def test_a_site_with_a_path_segment_is_found_by_url(tmp_path):
    with replicadb.open(tmp_path / "web.duckdb") as web:
        (tmp_path / "crawl.csv").write_text(
            "url,digest\nhttp://a.net/Blog/x,1\nhttp://a.net/shop/x,1\n"
            "http://xn--bcher-kva.de/k/x,1\n"
        )
        web.load(tmp_path / "crawl.csv", site="host+1")
        query = "SELECT url_a, url_b FROM shared_pages('{}', 'http://A.net/Blog/x/y')"
        assert web.sql(query.format("a.net/shop")).height == 1
        assert web.sql(query.format("https://Bücher.de/k/x")).rows() == [
            ("http://xn--bcher-kva.de/k/x", "http://a.net/Blog/x")
        ]
        with pytest.raises(replicadb.DataError, match=r"no host a\.net/nothing here"):
            web.sql(query.format("a.net/nothing"))


def test_pages_are_the_crawl(shells):
    assert sorted(
        shells["loaded"].execute("SELECT url, fingerprint FROM pages").fetchall()
    ) == sorted((url, digest) for _, url, digest in PAGES)


def test_intra_site_duplicates_are_contents_that_one_host_has_at_several_urls(shells):
    expected = sorted(
        (host, len(urls), digest)
        for digest, hosts in by_content().items()
        for host, urls in hosts.items()
        if len(urls) > 1
    )
    assert (
        sorted(
            shells["detected"]
            .execute("SELECT host, urls, fingerprint FROM details.intra_site_duplicates")
            .fetchall()
        )
        == expected
    )
    assert expected == [("example.com", 2, "ab")]


def test_inter_site_duplicates_are_contents_that_several_hosts_have(shells):
    expected = sorted(
        (digest, len(hosts), sum(map(len, hosts.values())), host, len(urls))
        for digest, hosts in by_content().items()
        if len(hosts) > 1
        for host, urls in hosts.items()
    )
    found = (
        shells["detected"]
        .execute(
            "SELECT fingerprint, hosts, urls, host, urls_of_host FROM details.inter_site_duplicates"
        )
        .fetchall()
    )
    assert sorted(found) == expected and expected


def test_candidate_pairs_are_the_hosts_that_share_content(shells):
    shared = defaultdict(int)
    for hosts in by_content().values():
        for pair in itertools.combinations(sorted(hosts), 2):
            shared[pair] += 1
    found = (
        shells["detected"]
        .execute("SELECT host_a, host_b, shared FROM details.candidate_pairs")
        .fetchall()
    )
    assert {(a, b): n for a, b, n in found} == shared
    ranked = (
        shells["detected"].execute("SELECT host_a, host_b FROM replicas ORDER BY rank").fetchall()
    )
    assert sorted(ranked) == sorted(shared)


def test_obvious_replicas_differ_in_www_or_in_their_suffix(shells):
    assert sorted(
        shells["detected"]
        .execute("SELECT host_a, host_b, why FROM details.obvious_replicas")
        .fetchall()
    ) == [
        ("example.com", "example.org", "suffix"),
        ("example.com", "www.example.com", "www"),
        ("example.org", "www.example.com", "www and suffix"),
    ]


def one_to_one(mine: list, theirs: list) -> list[tuple]:
    """The slow reference: URLs of one content, by path and URL; equal paths first, then in turn."""
    mine, theirs, found = sorted(mine), sorted(theirs), []
    for path, url in list(mine):
        if other := next((pair for pair in theirs if pair[0] == path), None):
            found.append((url, other[1], True))
            mine.remove((path, url))
            theirs.remove(other)
    return found + [(url, other, False) for (_, url), (_, other) in zip(mine, theirs, strict=False)]


def test_shared_pages_has_a_row_for_each_page_that_stands_on_both(tmp_path):
    draw, rows = random.Random(5), set()
    for host, origins in (("a.com", 3), ("b.com", 2)):
        for _ in range(120):
            path = f"/{draw.randrange(12)}"
            rows.add((f"http://{host}:{8000 + draw.randrange(origins)}{path}", path, host))
    held = [(*row, f"c{draw.randrange(6)}") for row in sorted(rows)]
    lines = [f"{url},{content}" for url, _, _, content in held]
    (tmp_path / "c.csv").write_text("\n".join(["url,digest", *lines, ""]))
    expected = []
    for content in {row[-1] for row in held}:
        mine, theirs = (
            [(path, url) for url, path, host, of in held if (host, of) == (name, content)]
            for name in ("a.com", "b.com")
        )
        expected += one_to_one(mine, theirs)
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "c.csv")
        query = "SELECT url_a, url_b, same_path FROM shared_pages('{}', '{}')"
        assert sorted(web.sql(query.format("a.com", "b.com")).rows()) == sorted(expected)
        turned = web.sql(query.format("b.com", "a.com")).rows()
    assert sorted((b, a, same) for a, b, same in turned) == sorted(expected)
    assert {same for *_, same in expected} == {True, False}


def test_shared_pages_says_what_and_on_how_many_hosts(shells):
    contents = by_content()
    expected = sorted(
        (digest, len(hosts))
        for digest, hosts in contents.items()
        for _ in range(min(len(hosts["example.com"]), len(hosts["www.example.com"])))
    )
    found = (
        shells["detected"]
        .execute(
            "SELECT fingerprint, hosts_with_it FROM shared_pages('example.com', 'www.example.com')"
        )
        .fetchall()
    )
    assert sorted(found) == expected and len(expected) == 3


@pytest.mark.slow
def test_a_projected_training_set_holds_the_examples_that_share_a_bin_with_the_pair(shells):
    con, names = shells["detected"], ["ndist", "nmatch", "ip4", "ip3", "fullpath"]
    examples = con.execute(
        f"""SELECT a.host, b.host, {", ".join(names)}, label FROM internal.pair_patterns
            JOIN internal.patterns USING (pattern_id)
        JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS b ON b.host_id = b_id"""
    ).fetchall()
    for a, b, *bins, _ in examples:
        expected = []
        for x, y, *other, label in examples:
            projected = [
                theirs if theirs == mine else None for theirs, mine in zip(other, bins, strict=True)
            ]
            if any(value is not None for value in projected):
                expected.append((x, y, *projected, label))
        found = con.execute("SELECT * FROM projected_training_set($1, $2)", [a, b]).fetchall()
        assert sorted(map(repr, found)) == sorted(map(repr, expected))
        assert sorted(
            map(
                repr, con.execute("SELECT * FROM projected_training_set($1, $2)", [b, a]).fetchall()
            )
        ) == sorted(map(repr, expected))


def test_rule_supports_count_the_examples_that_have_the_bins(shells):
    con, names = shells["detected"], ["ndist", "nmatch", "ip4", "ip3", "fullpath"]
    patterns = con.execute(
        f"SELECT {', '.join(names)}, obvious_replicas, unlabelled, obvious_non_replicas FROM"
        " internal.patterns"
    ).fetchall()
    expected = {}
    for chosen in itertools.chain.from_iterable(
        itertools.combinations(range(5), n) for n in range(1, 6)
    ):
        for pattern in patterns:
            key = tuple(pattern[i] if i in chosen else None for i in range(5))
            old = expected.get(key, (0, 0, 0))
            expected[key] = tuple(x + y for x, y in zip(old, pattern[5:], strict=True))
    found = con.execute(
        f"SELECT {', '.join(names)}, obvious_replicas, unlabelled, obvious_non_replicas FROM"
        " details.rule_supports"
    ).fetchall()
    assert {row[:5]: row[5:] for row in found} == expected and len(found) == len(expected)


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Three pairs of hosts that stand to each other alike, and one of a whole and a half copy."""
    folder = tmp_path_factory.mktemp("copies")
    rows = [
        f"http://{site}.{end}/{page},{address},{site}-{page},Page {page} of {site}"
        for site in ("one", "two", "six")
        for end, address in (("com", "10.0.0.1"), ("org", "10.0.0.2"))
        for page in range(20)
    ]
    rows += [f"http://big.net/{page},10.0.0.3,big-{page}," for page in range(40)]
    rows += [f"http://part.net/x{page},10.0.0.4,big-{page}," for page in range(20)]
    rows += [f"http://part.net/own{page},10.0.0.4,own-{page}," for page in range(20)]
    (folder / "crawl.csv").write_text("url,ip,digest,title\n" + "\n".join(rows) + "\n")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.csv")
        web.detect(min_probability=0.0001)
        yield web


@pytest.mark.slow
def test_pairs_that_tie_have_one_score_and_places_of_their_own(copies):
    pairs = copies.replicas()
    tied = pairs.filter(pairs["host_a"].is_in(["one.com", "two.com", "six.com"]))
    assert tied.height == 3 and tied["score"].n_unique() == tied["strength"].n_unique() == 1
    assert tied["rank"].to_list() == [1, 2, 3]
    assert tied["score"][0] == (pairs.height - 3) / pairs.height


def test_flagged_hosts_and_groups_have_the_probability_of_their_pairs(copies):
    of_pair = {
        frozenset(row[:2]): row[2:]
        for row in copies.replicas().select("host_a", "host_b", "probability", "rank").rows()
    }
    flagged = copies.flagged_hosts()
    assert flagged.columns[:5] == ["host", "canonical_host", "probability", "group_id", "why"]
    assert flagged["rank"].is_sorted() and flagged.height == 4
    for row in flagged.iter_rows(named=True):
        pair = frozenset((row["host"], row["canonical_host"]))
        assert of_pair[pair] == (row["probability"], row["rank"])
    weakest = dict(flagged.group_by("group_id").agg(pl.col("probability").min()).rows())
    assert dict(copies.groups().select("group_id", "probability").rows()) == weakest


def test_a_flagged_host_says_why_in_words(copies):
    why = dict(copies.flagged_hosts().select("host", "why").rows())
    assert why["one.org"] == (
        "20 of 20 URLs with its content, at the same paths, names alike but for www or suffix,"
        " same titles"
    )
    assert why["part.net"] == "20 of 40 URLs with its content"
