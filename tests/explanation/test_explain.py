"""Why two hosts are replicas, or are none: every number is that of the stored ranking.

Tries lookup, rule_votes and words, too.
"""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest
from conftest import rest_slow
from statement_cost import most_rows

import replicadb
from replicadb.detection.evidence import EVIDENCE
from replicadb.errors import DataError, UsageError
from replicadb.explanation.lookup import known_host, known_hosts
from replicadb.explanation.words import phrase, probability
from replicadb.store.statements import statements


@pytest.fixture(scope="module", params=rest_slow(["robust", "paper"]))
def web(request):
    """The crawl, detected by one method after the other, open to read."""
    return request.getfixturevalue(f"by_{request.param}")


@pytest.fixture(scope="module")
def found(web):
    """What is said of a and b, asked in the other order and in another spelling."""
    return web.explain("HTTPS://B-Books.net:443/x", "a-books.com.", pages=1)


def ranked(web, a: str, b: str) -> dict:
    return web.sql("SELECT * FROM replicas WHERE host_a = ? AND host_b = ?", [a, b]).to_dicts()[0]


def test_its_place_is_that_of_the_ranking(request, web, found):
    row, place = ranked(web, "a-books.com", "b-books.net"), found["place"]
    assert (found["a"]["host"], found["b"]["host"]) == ("a-books.com", "b-books.net")
    assert found["verdict"].startswith("a-books.com and b-books.net ")
    assert found["method"] == request.node.callspec.params["web"]
    for name in ("rank", "probability", "flagged", "score", "pu_score", "nu_score", "dominates"):
        assert place[name] == row[name]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_each_value_is_the_candidate_s_and_its_place_among_all(web, found):
    row = ranked(web, "a-books.com", "b-books.net")
    every = web.sql("SELECT * FROM candidate_pairs")
    for piece in found["evidence"]:
        name, value = piece["feature"], row[piece["feature"]]
        assert piece["value"] == value
        if value is not None:
            known = every[name].drop_nulls()
            assert piece["below"] == pytest.approx((known < value).mean())


def test_contributions_neighbours_and_the_constant_are_the_strength(found):
    if found["method"] == "paper":
        assert {piece["contribution"] for piece in found["evidence"]} == {None}
        return
    added = sum(piece["contribution"] or 0 for piece in found["evidence"])
    added += found["neighbours"]["added"] if found["neighbours"] else 0
    assert added + found["constant"] == pytest.approx(found["place"]["strength"], abs=1e-3)
    sizes = [abs(piece["contribution"] or 0) for piece in found["evidence"]]
    assert sizes == sorted(sizes, reverse=True)


def test_rules_of_method_paper_give_the_stored_likelihoods(found):
    if found["method"] == "robust":
        assert found["rules"] is None
        return
    for data, score in (("PU", "pu_score"), ("NU", "nu_score")):
        one = found["rules"][data]
        assert 1 - one["alpha"] == pytest.approx(found["place"][score])
        mean = {
            label: [r["confidence"] for r in one["rules"] if r["label"] == label]
            for label in ("replica", "no replica")
        }
        for_it, against = (sum(values) / len(values) if values else 0 for values in mean.values())
        assert for_it / (for_it + against) == pytest.approx(found["place"][score])
        assert 0 <= one["moved_in"] <= one["passes"]


def test_pages_are_those_that_match_and_those_that_should(found):
    pages = found["pages"]
    assert pages["shared"]["n"] == 18 and len(pages["shared"]["first"]) == 1
    first = pages["shared"]["first"][0]
    assert first["url_a"] == "http://a-books.com/story-0/part-0.html" and first["same_path"] is True
    assert first["hosts_with_it"] == 2, "the rarest come first"
    assert pages["differing"]["n"] == 2
    assert pages["differing"]["first"][0]["url_b"] == "http://b-books.net/story-3/part-3.html"


@pytest.mark.slow
def test_what_becomes_of_the_two_is_told(web, found):
    fates = {fate["host"]: fate["canonical_host"] for fate in found["groups"]}
    dropped = dict(web.database.rows("SELECT host, canonical_host FROM flagged_hosts"))
    assert {h: k for h, k in fates.items() if h != k} == {
        h: k for h, k in dropped.items() if h in ("a-books.com", "b-books.net")
    }


def test_a_pair_that_was_no_candidate_is_explained_and_said_to_be_none(web):
    found = web.explain("a-books.com", "own3.org")
    assert found["place"] is None and found["evidence"] == [] and found["rules"] is None
    assert found["pages"]["shared"] == {"n": 0, "first": []}
    assert found["verdict"] == (
        "a-books.com and own3.org were no candidates: detection did not compare them, since they"
        " share no content"
    )


def why(web, a: str, b: str) -> str:
    return web.explain(a, b, pages=0)["verdict"].partition("did not compare them, since ")[2]


@pytest.mark.slow
def test_why_two_are_no_candidates_goes_by_the_settings(copied, tmp_path, write):
    late = write("late.csv", "url,digest\nhttp://late.com/0.html,p0\n")
    with replicadb.open(shutil.copy(copied, tmp_path), threads=1) as web:
        web.detect(method="thesis", reference="old", min_shared=2, max_cluster_hosts=4)
        alone = "of the load old, and it compared with that alone"
        assert why(web, "a.com", "b.org") == f"both are {alone}"
        assert why(web, "c.net", "d.de") == f"neither is {alone}"
        found = web.explain("a.com", "c.net")
        assert (found["not_compared"], found["method"]) == (None, "thesis")
        asked = "they share 1 content, and it asked for 2 (--min-shared)"
        assert why(web, "f.com", "g.com") == asked
        assert why(web, "a.com", "e.com") == (
            "the content that they share stands on more than 4 hosts (--max-cluster-hosts)"
        )
        web.load(late, label="late")
        assert why(web, "a.com", "late.com") == (
            "it had nothing of late.com, which came later or has no page"
        )


@pytest.mark.slow
def test_how_many_pages_there_are_does_not_hang_on_how_many_are_shown(by_robust):
    none, all_ = (by_robust.explain("a.com", "b.org", pages=n)["pages"]["shared"] for n in (0, 9))
    assert none == {"n": 9, "first": []} and (all_["n"], len(all_["first"])) == (9, 9)


@pytest.mark.slow
def test_a_path_differs_once_however_many_origins_and_not_where_any_two_agree(by_robust):
    found = by_robust.explain("one.example", "two.example")["pages"]
    assert (found["shared"]["n"], found["differing"]["n"]) == (3, 5)


@pytest.mark.slow
def test_near_duplicates_at_one_path_do_not_differ(by_robust):
    found = by_robust.explain("near.example", "alike.example")["pages"]
    assert (found["shared"]["n"], found["differing"]["n"]) == (8, 0)


@pytest.mark.slow
def test_one_content_at_many_urls_and_one_path_at_many_ports_make_no_more_rows(by_robust):
    """Each with each they would be 90,000."""
    pages = by_robust.explain("left.example", "right.example")["pages"]
    assert (pages["shared"]["n"], pages["differing"]["n"]) == (309, 1)
    assert len({row["url_a"] for row in pages["shared"]["first"]}) == 5
    ids = dict(by_robust.database.rows("SELECT host, host_id FROM hosts"))
    given = {"a": "left.example", "b": "right.example", "pages": 5}
    given |= {"low": ids["left.example"], "high": ids["right.example"]}
    sql = statements("explain/10_pair")
    for name, names in (("shared", "a b pages"), ("differing", "low high pages")):
        asked = {key: given[key] for key in names.split()}
        assert most_rows(by_robust.database, sql[name], asked) < 2_000, name


@pytest.mark.slow
def test_a_path_differs_once_and_not_where_any_two_origins_agree(by_robust):
    found = by_robust.explain("a.net", "b.net")["pages"]["differing"]
    assert found == {
        "n": 1,
        "first": [
            {
                "url_a": "http://a.net/1",
                "url_b": "http://b.net/1",
                "title_a": "long",
                "title_b": "other",
                "length_a": 9,
                "length_b": 7,
            }
        ],
    }


def test_an_empty_name_is_refused_as_such(web):
    for given in ("", " "):
        with pytest.raises(UsageError, match="an empty host name"):
            web.copies_of(given)


def test_many_names_are_found_in_any_spelling_and_those_that_are_not_there_are_left(web):
    given = ["HTTPS://B-Books.net:443/x", "own3[.]org", "a-books.com.", "never-met.example", ""]
    given.append("//B-Books.net/")
    assert known_hosts(web.database, given) == {
        "HTTPS://B-Books.net:443/x": "b-books.net",
        "//B-Books.net/": "b-books.net",
        "own3[.]org": "own3.org",
        "a-books.com.": "a-books.com",
    }
    assert known_hosts(web.database, []) == {}
    assert all(
        known_host(web.database, name) == host
        for name, host in known_hosts(web.database, given).items()
    )


def test_a_probability_never_reads_as_certain():
    assert [probability(p) for p in (1.0, 0.99995, 0.99994, 0.5, 0.00005, 0.00004, 0.0)] == [
        "above 0.9999",
        "above 0.9999",
        "0.9999",
        "0.5000",
        "0.0001",
        "below 0.0001",
        "below 0.0001",
    ]


def test_an_unknown_host_is_an_error_with_the_nearest_names(web):
    with pytest.raises(DataError, match=r"no host a-boks.com here; the nearest names: a-books.com"):
        web.explain("a-boks.com", "b-books.net")


@pytest.mark.slow
def test_the_nearest_name_of_all_differs_in_www_alone(web):
    for given, nearest in (
        ("crispbonfire.net", "www.crispbonfire.net"),
        ("www.bare.org", "bare.org"),
        ("www3.crimson.net", "www2.crimson.net"),
    ):
        with pytest.raises(DataError, match=rf"the nearest names: {nearest}"):
            web.copies_of(given)
        with pytest.raises(DataError, match=rf"the nearest names: {nearest}"):
            web.decide(given, "a-books.com", True)


@pytest.mark.parametrize(
    ("a", "b", "pages"), [("a-books.com", "A-BOOKS.com", 5), ("a-books.com", "b-books.net", -1)]
)
def test_one_host_twice_and_less_than_no_page_are_refused(web, a, b, pages):
    with pytest.raises(UsageError):
        web.explain(a, b, pages=pages)


def test_without_a_detection_it_is_said_what_to_do(crawled):
    with (
        replicadb.open(crawled, read_only=True) as web,
        pytest.raises(DataError, match="find them first: replicadb detect"),
    ):
        web.explain("example.com", "example.org")


def test_every_piece_of_evidence_has_its_words():
    for piece in EVIDENCE:
        assert piece.in_words(0.5) != piece.phrase and piece.in_words(None).count("unknown") == 1
    assert (
        phrase("agreement", 0.75) == "same content where paths are the same: 0.75 (0.5 = unknown)"
    )
    assert phrase("linked", None).endswith("unknown (no links of either are loaded)")


def test_titles_that_too_many_hosts_have_are_not_said_to_be_none(tmp_path):
    """Pages with their titles stood below ``a host has none``."""
    rows = [
        {"url": f"http://{host}/{n}", "digest": f"p{n}", "title": f"Part {n}"}
        for host in ("a.com", "b.net", "c.org")
        for n in range(4)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(tmp_path / "web.duckdb", threads=1) as web:
        web.load(tmp_path / "c.parquet")
        web.detect(path_max_hosts=2)
        found = str(web.explain("a.com", "b.net"))
    assert "titles in common: unknown (a host has none that few enough hosts have)" in found
