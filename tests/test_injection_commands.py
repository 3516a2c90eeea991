"""Every command that shows what a crawl or a person wrote, against all hostile values at once: in
titles, ids, labels, notes, names of runs.
"""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

import replicadb
from tests.test_injection import VALUES, obeyed

A, B = "www.first.example", "second.example"
ALL = " ".join(VALUES.values())
RUN = "<script>alert(1)</script> 'a' \"b\" `c` =1+1 $1 %s {0} [red]x[/red] \\"
"""A run's name has to be printable, and of a hundred characters."""
COMMANDS = {
    "explain": ("explain", "DB", A, B),
    "copies-of": ("copies-of", "DB", A, "--all"),
    "watch": ("watch", "DB", A),
    "recheck": ("recheck", "DB", "-"),
    "runs": ("runs", "DB"),
    "diff": ("diff", "DB", RUN),
    "info": ("info", "DB"),
    "label --list": ("label", "DB", "--list"),
    "docs": ("docs", "DB"),
    "pages": ("sql", "DB", "FROM pages"),
    "evidence": ("sql", "DB", f"FROM evidence_of('{A}', '{B}')"),
    "a run that is not there": ("diff", "DB", ALL),
    "a host that is not there": ("explain", "DB", A, ALL),
    **{
        f"{words[0]}: a host not there that is no UTF-8": (words[0], "DB", *words[1:], "\udcff")
        for words in (("explain", A), ("copies-of",), ("watch",), ("label", "--keep"))
    },
    "a load that is not there": ("unload", "DB", ALL + "none"),
}


def crawl_of(values):
    """Two hosts with the same pages, a page for each value, and a third host."""
    lines = []
    for host in (A, B, "third.example"):
        for n, value in enumerate(values):
            row = {
                "url": f"http://{host}/{quote(value) or 'none'}",
                "digest": f"{n:040x}" if host != "third.example" else f"{n + 99:040x}",
                "title": value,
                "id": value,
            }
            lines.append(json.dumps(row) + "\n")
    return "".join(lines)


@pytest.fixture(scope="module")
def hostile_web(tmp_path_factory):
    """The database; it is shared, and what `watch` remembers changes nothing here."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "crawl.jsonl").write_text(crawl_of(list(VALUES.values())))
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "crawl.jsonl", label=ALL, columns={"id": "id", "title": "title"})
        web.decide(A, B, True, note=ALL)
        web.detect(name=RUN)
    return folder / "web.duckdb"


def given(name, database):
    return [database if word == "DB" else word for word in COMMANDS[name]]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_obeys_nothing(cli, hostile_web, name):
    answer = cli(*given(name, hostile_web))
    expected = int("not there" in name)
    assert answer.code == expected and (answer.out or answer.err)
    assert "REPLICADB_DEBUG" not in answer.err
    assert not obeyed(answer.out + answer.err)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["explain", "copies-of", "watch"])
def test_json_gives_back_the_very_values(cli, hostile_web, name):
    answer = cli(*given(name, hostile_web), "--json")
    assert answer.code == 0 and not obeyed(answer.out.replace("\t", ""))
    json.loads(answer.out)


def test_csv_and_jsonl_give_back_the_very_values(cli, hostile_web):
    query = f"SELECT title FROM pages WHERE host = '{A}'"
    out = cli("sql", hostile_web, query, "-f", "csv").out
    titles = [row[0] for row in csv.reader(io.StringIO(out, newline=""))][1:]
    lines = cli("sql", hostile_web, query, "-f", "jsonl").out.split("\n")
    assert sorted(titles) == sorted(json.loads(line)["title"] for line in lines if line)
    assert VALUES["script"] in titles and VALUES["statement"] in titles


def test_decisions_come_back(cli, hostile_web, tmp_path):
    assert cli("label", hostile_web, "--export", tmp_path / "d.csv").code == 0
    with open(tmp_path / "d.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["note"] == ALL


class Elements(HTMLParser):
    """What stands in each element, and all names of attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: set[tuple[str, str]] = set()
        self.attributes: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        self.texts.add((self.open[-1] if self.open else "", data))


@pytest.mark.slow
def test_the_report_has_no_element_of_theirs(hostile_web, tmp_path):
    with replicadb.open(hostile_web, read_only=True, threads=1) as web:
        web.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    found = Elements(page)
    assert "alert(1)" in page and "onmouseover" in page  # they are shown
    assert ("script", "alert(1)") not in found.texts and ("b", "bold") not in found.texts
    assert "onmouseover" not in found.attributes and "script" in found.open
    assert ("script", "alert(1)") in Elements("<script>alert(1)</script>").texts


def test_what_a_review_shows(hostile_web, cli, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("s\nq\n"))
    answer = cli("review", hostile_web, "--terminal")
    assert not obeyed(answer.out + answer.err)
