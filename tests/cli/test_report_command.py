"""``replicadb report``: what it says, and its errors in one line."""

from __future__ import annotations

import pytest
from report.conftest import charts  # noqa: F401

import replicadb
from replicadb.report import drawing


@pytest.mark.slow
def test_it_says_what_it_does_and_where_the_page_is(cli, reading, tmp_path):
    answer = cli("report", reading, tmp_path / "page.html")
    assert answer.code == 0 and answer.out == ""
    assert answer.err.splitlines()[0] == "duplicates, sizes of hosts"
    assert answer.err.splitlines()[-1] == f"the page is {tmp_path / 'page.html'}, 0.1 MB"
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    again = cli("report", reading, tmp_path / "page.html", "--quiet", "--explained", 0)
    assert (again.code, again.out, again.err) == (0, "", "")


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("page.csv", 2, "the page is HTML; let its name end in .html"),
        ("nowhere/page.html", 1, "no such folder for the page; make it first"),
    ],
)
def test_a_page_that_cannot_be_is_refused_at_once(cli, reading, tmp_path, name, code, said):
    answer = cli("report", reading, tmp_path / name)
    assert answer.code == code and said in answer.err and len(answer.err.splitlines()) == 1


def test_an_empty_database_and_none_at_all(cli, tmp_path):
    replicadb.open(tmp_path / "web.duckdb").close()
    answer = cli("report", tmp_path / "web.duckdb", tmp_path / "page.html")
    assert answer.code == 1 and "nothing is loaded in it yet" in answer.err
    answer = cli("report", tmp_path / "none.duckdb", tmp_path / "page.html")
    assert answer.code == 1 and "no such database" in answer.err
    assert not (tmp_path / "page.html").exists() and not (tmp_path / "none.duckdb").exists()


def test_without_the_extra_it_says_what_to_install(cli, reading, tmp_path, monkeypatch):
    def missing():
        raise replicadb.UsageError("pip install 'replicadb[report]'")

    monkeypatch.setattr(drawing, "library", missing)
    answer = cli("report", reading, tmp_path / "page.html")
    assert answer.code == 2 and "replicadb[report]" in answer.err


@pytest.mark.slow
def test_from_python(reading, tmp_path):
    with replicadb.open(reading, read_only=True) as web:
        written = web.report(tmp_path / "page.html", pairs=2, explained=1)
        with pytest.raises(replicadb.UsageError, match="pairs is 0; give 1 or more"):
            web.report(tmp_path / "page.html", pairs=0)
    assert written == (tmp_path / "page.html").stat().st_size
