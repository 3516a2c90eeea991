"""``replicadb similar``: the near duplicates of one page, from the database, a file or standard
input, ranked.

Tries loaded_contents, too.
"""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from conftest import rest_slow
from page_database import with_pages

import replicadb
from replicadb.errors import UsageError
from replicadb.export import writers
from replicadb.near_duplicates import near_duplicate_run
from replicadb.near_duplicates.page_options import METHODS, PageOptions
from replicadb.near_duplicates.query_page import from_database
from replicadb.web.page_text import extract

WORDS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma"
    " tau upsilon phi chi psi omega " * 10
)
PAGES = [
    {"url": "http://a.example/1", "text": f"{WORDS}on 2024-01-01"},
    {"url": "http://b.example/1", "text": f"{WORDS}on 2024-02-02"},
    {"url": "http://c.example/1", "text": f"{WORDS.replace('alpha', 'aleph')}on 2024-02-02"},
    {"url": "http://d.example/1", "text": "Nothing of the kind stands here"},
    {"url": "http://a.example/0", "text": f"{WORDS}on 2024-01-01"},
]
WIDE = {
    "simhash": {"bits": 8},
    "rp": {"eps_rp": 0.05},
    "rp+hm": {"eps_rp": 0.05, "eps_hm": 0.05},
    "minhash": {"threshold": 0.5},
}
HTML = f"<html><head><title></title></head><body><p>{WORDS}on 2024-01-01</p></body></html>"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("similar") / "web.duckdb"
    with replicadb.open(path) as web:
        contents = [extract(page["text"]) for page in PAGES]
        with_pages(
            web.database,
            [
                page | {"text_digest": content.text_digest, "normal_digest": content.normal_digest}
                for page, content in zip(PAGES, contents, strict=True)
            ],
        )
    return path


@pytest.fixture
def path(stored, tmp_path):
    return shutil.copy(stored, tmp_path / "web.duckdb")


@pytest.fixture(scope="module")
def web(stored, tmp_path_factory):
    """A copy, opened once."""
    with replicadb.open(shutil.copy(stored, tmp_path_factory.mktemp("opened"))) as opened:
        yield opened


def test_a_page_of_the_database_has_its_equals_and_not_itself(cli, path):
    answer = cli(
        "similar", path, "http://a.example/1", "--page-method", "exact", "--format", "json"
    )
    assert (answer.code, answer.err) == (0, "")
    assert json.loads(answer.out) == [
        {"url": "http://a.example/0", "score": 1.0},
        {"url": "http://b.example/1", "score": 1.0},
    ]


def test_rows_are_ranked_by_score_then_url_and_the_database_does_not_change(cli, path):
    before = path.read_bytes()
    answer = cli(
        "similar", path, "http://A.example:80/1", "--page-method", "simhash", "--threshold", "0.875"
    )
    head, *rows = answer.out.splitlines()
    found = [(row.partition(",")[0], float(row.partition(",")[2])) for row in rows]
    assert (
        head == "url,score"
        and found == sorted(found, key=lambda row: (-row[1], row[0]))
        and len(found) > 1
    )
    assert "http://a.example/1" not in dict(found) and all(score >= 0.875 for _, score in found)
    limited = cli(
        "similar",
        path,
        "http://a.example/1",
        "--page-method",
        "simhash",
        "--threshold",
        "0.875",
        "--limit",
        "1",
    )
    assert limited.out.splitlines() == [head, rows[0]] and path.read_bytes() == before


def test_on_a_terminal_the_list_is_a_table_that_fits(cli, path, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(writers, "terminal_width", lambda: 25)
    asked = ("similar", path, "http://a.example/1", "--page-method", "exact")
    narrow = cli(*asked).out.splitlines()
    assert narrow[:3] == ["url    http://a.example/0", "score  1.0000", ""] and len(narrow) == 5
    assert cli(*asked, "--format", "csv").out.splitlines()[0] == "url,score"


@pytest.mark.slow
@pytest.mark.parametrize("method", rest_slow(METHODS, 2))
def test_the_answer_is_what_fingerprint_stores_of_the_page(web, method):
    assert web.fingerprint(method, **WIDE.get(method, {})).counts["matches"]
    for page in (PAGES[0], PAGES[2]):  # one that others equal, and one that none does
        expected = web.sql(
            """FROM (
                SELECT url_b AS url, score FROM page_matches WHERE url_a = $url AND method = $of
                UNION ALL
                SELECT url_a, score FROM page_matches WHERE url_b = $url AND method = $of)
            ORDER BY score DESC, url""",
            {"url": page["url"], "of": method},
        )
        assert web.similar(page["url"], method=method).rows() == expected.rows()


@pytest.mark.slow
def test_a_file_and_standard_input_are_pages_from_outside(cli, path, write, monkeypatch):
    page = write("page.html", HTML)
    answer = cli("similar", path, page, "--page-method", "exact")
    assert [row.partition(",")[0] for row in answer.out.splitlines()] == [
        "url",
        "http://a.example/0",
        "http://a.example/1",
        "http://b.example/1",
    ]
    with page.open() as text:
        monkeypatch.setattr(sys, "stdin", text)
        piped = cli("similar", path, "-", "--page-method", "exact")
    assert (piped.code, piped.out) == (0, answer.out)
    assert (
        cli("similar", path, write("page.txt", PAGES[0]["text"]), "--page-method", "exact").out
        == answer.out
    )


def test_it_takes_the_options_of_the_last_fingerprint(path):
    with replicadb.open(path) as web:
        assert len(web.similar("http://a.example/1", method="exact")) == 2
        web.fingerprint("exact", level="text")
        assert web.similar("http://a.example/1", method="exact")["url"].to_list() == [
            "http://a.example/0"
        ]


def test_a_stored_page_is_asked_about_with_what_was_stored(web):
    query = from_database(web.database, "", "http://a.example", "/1")
    assert query.content.terms["text"]["alpha"] == 10 and query.content.terms["url"] == {
        "a": 1,
        "example": 1,
        "1": 1,
    }
    assert (
        query.content.normal_digest
        and query.content.main_text is None
        and query.content.links == []
    )


@pytest.mark.parametrize(
    ("page", "options", "code", "said"),
    [
        ("http://nowhere.example/", (), 1, "http://nowhere.example/: no such URL in"),
        ("nowhere.html", (), 1, "nowhere.html: neither a URL nor a file that can be read"),
        ("ftp://a.example/1", (), 1, "ftp://a.example/1: neither a URL nor a file that can be"),
        ("empty.html", (), 1, "there is nothing in it"),
        ("binary.bin", (), 1, "binary.bin: binary data, no text"),
        ("http://a.example/1", ("--page-method", "magic"), 2, "'magic' is not one of 'exact'"),
        ("http://a.example/1", ("--format", "xml"), 2, "'xml' is not one of 'csv', 'json'"),
        (
            "http://a.example/1",
            ("--page-method", "exact", "--threshold", "0.5"),
            2,
            "--threshold does nothing with method exact",
        ),
        (
            "http://a.example/1",
            ("--page-method", "simhash", "--threshold", "0.5"),
            2,
            "a threshold of at least 0.875",
        ),
        ("http://a.example/1", ("--threshold", "1.5"), 2, "threshold must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_answered_is_reported_in_one_line(
    cli, path, write, page, options, code, said
):
    write("empty.html", " \n")
    write("binary.bin", bytes(range(256)) * 4)
    answer = cli("similar", path, page, *options)
    assert (answer.code, answer.out, answer.err.count("\n")) == (
        code,
        "",
        1,
    ) and said in answer.err, answer.err


def test_without_content_it_says_how_to_load_it(cli, crawled):
    answer = cli("similar", crawled, "http://example.com/", "--page-method", "exact")
    assert answer.code == 1 and "--content" in answer.err


def test_a_url_whose_content_was_not_loaded_is_told_apart(cli, path):
    with replicadb.open(path) as web:
        web.database.execute("DELETE FROM page_contents WHERE url_id = 4")
    assert (
        "its content was not loaded, or is empty;"
        in cli("similar", path, "http://d.example/1", "--page-method", "exact").err
    )


def test_a_threshold_reaches_every_page_of_that_score():
    base = PageOptions()
    for k in range(9):
        assert near_duplicate_run.reaching("simhash", base, 1 - k / 64).bits == k
    assert (
        near_duplicate_run.reaching("mwo", base, 0.6).threshold
        == near_duplicate_run.reaching("minhash", base, 0.6).threshold
        == 0.6
    )
    assert (
        near_duplicate_run.reaching("rp+hm", base, 0.75).eps_hm
        == near_duplicate_run.reaching("rp", base, 0.75).eps_rp
        == 0.25
    )
    assert near_duplicate_run.reaching("exact", base, None) is base
    with pytest.raises(UsageError):
        near_duplicate_run.reaching("mwo", base, -0.1)
