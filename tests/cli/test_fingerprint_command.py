"""``replicadb fingerprint``: runs a method once, stores its matches and clusters, refuses what does
nothing.

Tries near_duplicate_run, page_options and registry, too.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import shutil

import pytest
from page_database import with_pages

import replicadb
from replicadb.cli.fingerprint_command import fingerprint
from replicadb.errors import DataError, LimitError, UsageError
from replicadb.near_duplicates import near_duplicate_run
from replicadb.near_duplicates.page_options import METHODS, PageOptions
from replicadb.settings import CHOICES

TEXT = "The quick brown fox jumps over the lazy dog near the river bank and rests there"
PAGES = [
    {"url": "http://a.example/1", "text": f"{TEXT} on 2024-01-01"},
    {"url": "http://b.example/1", "text": f"{TEXT} on 2024-02-02"},
    {"url": "http://c.example/1", "text": f"{TEXT} on 2024-02-02"},
    {"url": "http://d.example/1", "text": "Nothing of the kind stands here"},
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    with replicadb.open(tmp_path_factory.mktemp("stored") / "web.duckdb") as web:
        with_pages(web.database, PAGES)
    return web.database.path


@pytest.fixture
def path(stored, tmp_path):
    """The path of a database of the pages."""
    return shutil.copy(stored, tmp_path)


@pytest.fixture
def loaded(path):
    """The same, opened."""
    with replicadb.open(path) as web:
        yield web


def matches(web) -> list[tuple]:
    return web.sql(
        "SELECT url_a[8:8] || url_b[8:8], method, score FROM page_matches ORDER BY ALL"
    ).rows()


def test_the_command_finds_pages_that_differ_by_a_date_and_says_so(cli, path):
    answer = cli("fingerprint", path, "--page-method", "exact")
    assert (
        (answer.code, answer.out)
        == (
            0,
            "",
        )
        and "3 matches between 3 pages; 1 cluster of 3 pages, 3 in the largest, 0 cut off"
        in answer.err
    )
    assert answer.err.startswith("exact: pages 4")
    with replicadb.open(path) as web:
        assert matches(web) == [("ab", "exact", 1.0), ("ac", "exact", 1.0), ("bc", "exact", 1.0)]
        assert web.sql(
            "SELECT url, centre_url, score FROM near_duplicates ORDER BY url"
        ).rows() == [(f"http://{name}.example/1", "http://a.example/1", 1.0) for name in "abc"]
        row = web.sql("SELECT method, options, counts FROM fingerprints").rows()[0]
        assert (
            row[0] == "exact"
            and json.loads(row[1]) == {"level": "normalised", "chains": False}
            and json.loads(row[2])["matches"] == 3
        )


@pytest.mark.slow
def test_a_second_run_does_nothing_and_another_option_runs_again(cli, path):
    assert cli("fingerprint", path, "--page-method", "exact").code == 0
    again = cli(
        "fingerprint",
        path,
        "--page-method",
        "exact",
        "--level",
        "normalised",
        "--max-pairs",
        "1000",
    )
    assert "nothing to do" in again.err and "3 matches" in again.err
    assert (
        "1 match between 2 pages"
        in cli("fingerprint", path, "--page-method", "exact", "--level", "text").err
    )
    with replicadb.open(path) as web:
        assert matches(web) == [("bc", "exact", 1.0)]
        assert web.sql("SELECT count(*) FROM runs WHERE command = 'fingerprint'").item() == 2


def test_quiet_says_nothing(cli, path):
    assert cli("fingerprint", path, "--page-method", "exact", "--quiet") == (0, "", "")


@pytest.mark.slow
def test_other_methods_results_stay_and_pages_that_come_make_both_stale(loaded):
    assert loaded.fingerprint("exact").ran and loaded.fingerprint("simhash", bits=8).ran
    assert {method for _, method, _ in matches(loaded)} == {"exact", "simhash"}
    loaded.fingerprint("exact", level="raw")
    assert [row for row in matches(loaded) if row[1] == "exact"] == [("bc", "exact", 1.0)] and {
        row[1] for row in matches(loaded)
    } == {"exact", "simhash"}
    assert [run["up_to_date"] for run in loaded.info()["page_methods"]] == [True, True]
    with_pages(loaded.database, [{"url": "http://e.example/1", "text": TEXT}])
    assert [run["up_to_date"] for run in loaded.info()["page_methods"]] == [
        False,
        False,
    ] and loaded.info()["page_contents"] == 5
    assert loaded.fingerprint("exact").ran


def test_info_tells_of_the_methods_that_ran(cli, path):
    cli("fingerprint", path, "--page-method", "exact")
    printed = cli("info", path).out
    assert (
        "pages with content: 4" in printed and "exact: 3 matches, 1 cluster of 3 pages" in printed
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--page-method", "exact", "--bits", "3"),
            "--bits belongs to method simhash and does nothing with method exact",
        ),
        (("--page-method", "simhash", "--level", "raw"), "--level belongs to method exact"),
        (("--page-method", "rp", "--eps-hm", "0.1"), "--eps-hm belongs to method rp+hm"),
        (("--page-method", "exact", "--exact"), "--exact belongs to method mwo"),
        (
            ("--page-method", "simhash", "--threshold", "0.9"),
            "--threshold belongs to method minhash and mwo",
        ),
        (
            ("--page-method", "magic"),
            "'magic' is not one of 'exact', 'simhash', 'minhash', 'rp', 'rp+hm', 'mwo'",
        ),
        (("--page-method", "simhash", "--bits", "9"), "bits must lie between 0 and 8"),
        (("--page-method", "minhash", "--seed", "-1"), "seed must lie between 0 and"),
        (("--page-method", "exact", "--level", "deep"), "'deep' is not one of 'raw', 'text'"),
        (
            ("--page-method", "simhash", "--stop-words", "nowhere.txt"),
            "stop words nowhere.txt: cannot be read: No such file or directory\n",
        ),
        ((), "--page-method"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(cli, path, options, said):
    answer = cli("fingerprint", path, *options)
    assert (answer.code, answer.out, answer.err.count("\n")) == (
        2,
        "",
        1,
    ) and said in answer.err, answer.err


def test_python_refuses_an_option_of_another_method_but_takes_a_run_s_own(loaded):
    with pytest.raises(UsageError, match="bits belongs to method simhash"):
        loaded.fingerprint("exact", bits=5)
    assert loaded.fingerprint("exact", bits=3, level="text").ran  # a default says nothing
    assert not loaded.fingerprint("exact", **loaded.info()["page_methods"][0]["options"]).ran


def test_a_crawl_without_content_is_told_how_to_load_it(cli, crawled):
    answer = cli("fingerprint", crawled, "--page-method", "exact")
    assert answer.code == 1 and "--content" in answer.err and answer.err.count("\n") == 1


def test_more_matches_than_the_limit_change_nothing(loaded):
    loaded.fingerprint("exact", level="text")
    with pytest.raises(LimitError):
        loaded.fingerprint("exact", max_pairs=2)
    assert (
        matches(loaded) == [("bc", "exact", 1.0)]
        and not loaded.fingerprint("exact", level="text").ran
    )


def test_a_run_that_fails_leaves_what_was_there(loaded, monkeypatch):
    loaded.fingerprint("exact", level="text")

    def breaks(db, options, query=None):
        raise DataError("broken")

    monkeypatch.setattr(near_duplicate_run, "finder", lambda method: breaks)
    with pytest.raises(DataError, match="broken"):
        loaded.fingerprint("exact")
    assert matches(loaded) == [("bc", "exact", 1.0)]


@pytest.mark.slow
def test_stop_words_count_by_what_stands_in_the_file(loaded, write):
    words = write("stop.txt", "the over")
    assert (
        loaded.fingerprint("simhash", stop_words=str(words)).ran
        and not loaded.fingerprint("simhash", stop_words=str(words)).ran
    )
    words.write_text("the over near")
    assert loaded.fingerprint("simhash", stop_words=str(words)).ran
    words.unlink()
    assert loaded.info()["page_methods"][0]["up_to_date"] is False


def test_chains_keep_components_whole(loaded, monkeypatch):
    def chain(db, options, query=None):
        db.execute(
            "CREATE OR REPLACE TEMP TABLE found AS SELECT i AS a_id, i + 1 AS b_id, 0.5::DOUBLE AS"
            " score FROM range(1, 4) AS t(i)"
        )
        return {}

    monkeypatch.setattr(near_duplicate_run, "finder", lambda method: chain)
    assert loaded.fingerprint("simhash").counts["cut_off"] == 1
    assert loaded.fingerprint("simhash", chains=True).counts["cut_off"] == 0
    assert loaded.sql("SELECT score FROM page_clusters ORDER BY url_id").to_series().to_list() == [
        0.5,
        1.0,
        0.5,
        None,
    ]


def test_no_temporary_table_stays(loaded):
    before = loaded.database.column("SELECT table_name FROM duckdb_tables() WHERE temporary")
    loaded.fingerprint("simhash")
    loaded.similar("http://a.example/1", method="simhash")
    assert (
        loaded.database.column("SELECT table_name FROM duckdb_tables() WHERE temporary") == before
    )


def test_every_option_is_the_command_s_and_belongs_to_a_method():
    names = {item.name for item in dataclasses.fields(PageOptions)}
    assert names == {name for method in METHODS for name in near_duplicate_run.READS[method]} | {
        *near_duplicate_run.CLUSTERS,
        *near_duplicate_run.LIMITS,
    }
    assert names <= set(inspect.signature(fingerprint).parameters)
    assert tuple(near_duplicate_run.READS) == METHODS == CHOICES["clusters"]


def test_without_a_method_all_of_them_are_named(cli, path):
    answer = cli("fingerprint", path)
    assert (
        answer.code == 2 and "--page-method: exact, simhash, minhash, rp, rp+hm, mwo" in answer.err
    )
    printed = cli("fingerprint", path, "-m", "rp", "--eps-rp", "7").err
    assert "eps-rp must lie between 0 and 1" in printed
    answer = cli("similar", path, "http://d.example/1")
    assert (
        answer.code == 0 and answer.out == "url,score\n" and "try a lower --threshold" in answer.err
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-m", "exact"), "no page of the database is that near; try another --page-method\n"),
        (("-n", "0"), ""),
    ],
    ids=str,
)
def test_where_nothing_is_near_no_option_is_named_that_would_not_help(cli, path, options, said):
    answer = cli("similar", path, "http://d.example/1", *options)
    assert (answer.out, answer.err) == ("url,score\n", said)


@pytest.mark.slow
def test_detect_compares_near_duplicates_unasked_and_none_when_told_so(cli, path):
    printed = cli("detect", path).err
    assert printed.startswith("near duplicates: pages 4") and "near contents 3" in printed
    printed = cli("detect", path, "--clusters", "none").err
    assert "near" not in printed.partition("note:")[0]
