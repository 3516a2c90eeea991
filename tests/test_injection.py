"""Every sink against every hostile value: what comes from a crawl, a file or a person stays text.

A terminal obeys nothing; files of data give back the very value; pages have no element of it; SQL
takes it for a value.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import duckdb
import polars as pl
import pytest

import replicadb
from replicadb.cli import messages
from replicadb.cli.info_text import info_text
from replicadb.export import writers
from replicadb.load.load_options import LoadResult
from replicadb.report.safe_text import esc
from replicadb.rewrite import Rule, RuleSet
from replicadb.rewrite.crawler_rules import write as write_rules
from replicadb.short_table import short_table
from tests.conftest import rest_slow

VALUES = {
    "html": "<b>bold</b>",
    "script": "</script><script>alert(1)</script>",
    "attribute": "\" onmouseover='alert(1)' x=\"",
    "formula": "=cmd|' /C calc'!A0",
    "formula with a sign": "@SUM(1+1)*cmd|' /C calc'!A0",
    "colour": "\x1b[31mred",
    "title of the terminal": "\x1b]0;owned\x07",
    "single byte escape": "\x9b31m",
    "from right to left": "a\u202egpj.exe",
    "isolate": "a\u2066b\u2069",
    "zero width": "exam\u200bple.com",
    "line break": "one\nreplicadb: two",
    "carriage return": "one\rtwo",
    "line separator": "one\u2028two\u0085three",
    "quotes": 'it\'s "quoted" `so`',
    "statement": "'; DROP TABLE urls; --",
    "backslash": "a\\nb\\",
    "dollar": "$1 ${HOME} $(id)",
    "percent": "%s %n {0} {name}",
    "markup of rich": "[red]text[/red]",
}
OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that a terminal obeys, or that are not seen."""
hostile = pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
few = pytest.mark.parametrize("value", rest_slow(VALUES.values()), ids=VALUES.keys())
"""For tests that load a file."""


@pytest.fixture(scope="module")
def web():
    with replicadb.open(":memory:") as opened:
        yield opened


def obeyed(text: str) -> list[str]:
    """What of a text of several lines a terminal would obey."""
    return [c for c in text if unicodedata.category(c) in OBEYED and c != "\n"]


# -- the terminal


@hostile
def test_standard_error(capfd, value):
    messages.say(value)
    result = LoadResult(failed=[value], warnings=[value], known=[value], columns={value: [value]})
    messages.tell_load(result, quiet=False)
    err = capfd.readouterr().err
    assert not obeyed(err) and err.count("\n") == 5


@few
def test_an_error_is_one_line(cli, value):
    for arguments in (("info", value), ("load", "web.duckdb", value), ("--" + value,)):
        answer = cli(*arguments)
        assert answer.code in (1, 2) and not obeyed(answer.err) and answer.err.count("\n") == 1


@hostile
def test_a_table_on_the_terminal(value):
    table = writers.as_table(pl.DataFrame({value: [value, None]}))
    assert not obeyed(table) and table.count("\n") == 4


@hostile
def test_info(capfd, web, value):
    facts = web.info() | {"loads": [dict.fromkeys(("read", "kept", "replaced"), 0)]}
    facts["loads"][0] |= {"name": value, "skipped": 0, "rejected": 0, "files": 1}
    messages.show(info_text(facts))
    assert not obeyed(capfd.readouterr().out)


@few
def test_names_of_files_and_labels(cli, value):
    name = value.replace("/", "|") + ".csv"
    with open(name, "w") as file:
        file.write(f'url,digest,"{value.replace(chr(34), chr(34) * 2)}"\nhttp://a.com/,aa,x\n')
    loaded = cli("load", "web.duckdb", os.path.join(".", name), "--label", value)
    shown = cli("info", "web.duckdb")
    assert shown.code == 0 and not obeyed(loaded.err + shown.out)
    if loaded.code == 0:
        assert cli("unload", "web.duckdb", "--", value).code == 0


# -- files of data


def query(web, value):
    return web.database.con.sql("SELECT $v AS v, 1 AS n", params={"v": value}).to_arrow_reader()


@hostile
@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "parquet", "sqlite"])
def test_files_give_back_the_very_value(web, tmp_path, value, format):
    path = tmp_path / f"out.{format}"
    writers.write(query(web, value), str(path), format)
    if format in ("csv", "tsv"):
        text = io.StringIO(path.read_bytes().decode(), newline="")
        rows = list(csv.reader(text, delimiter="," if format == "csv" else "\t"))
        assert rows == [["v", "n"], [value, "1"]]
    elif format == "json":
        assert json.loads(path.read_bytes()) == [{"v": value, "n": 1}]
    elif format == "jsonl":
        assert json.loads(path.read_bytes()) == {"v": value, "n": 1}
        assert path.read_bytes().count(b"\n") == 1
    elif format == "parquet":
        assert pl.read_parquet(path)["v"].to_list() == [value]
    else:
        with sqlite3.connect(path) as con:
            assert con.execute("SELECT v FROM result").fetchall() == [(value,)]


@hostile
@pytest.mark.parametrize("format", ["json", "nutch", "heritrix"])
def test_rules_for_crawlers(tmp_path, value, format):
    value = "".join(c for c in value if c.isprintable())
    rules = RuleSet((Rule("param_is", "a.example", name="p", value=value),))
    write_rules(rules, tmp_path / "rules", format)
    if format == "json":
        assert RuleSet.load(tmp_path / "rules") == rules
    else:
        tags = {one.tag.rpartition("}")[2] for one in ElementTree.parse(tmp_path / "rules").iter()}
        assert tags <= {
            *("regex-normalize", "regex", "pattern", "substitution"),
            *("beans", "list", "bean", "property"),
        }


# -- pages


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[tuple[str, ...]] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.add((tag, *(name for name, _ in attributes)))


@hostile
def test_html(value):
    assert Tags(f'<p title="{esc(value)}">{esc(value)}</p>').found == {("p", "title")}
    plain = short_table("title", [("name", "value")], ["note"])
    assert Tags(short_table(value, [(value, value)], [value])).found == Tags(plain).found


# -- SQL


@hostile
def test_sql_takes_it_for_a_value(web, value):
    assert web.database.value("SELECT count(*) FROM pages WHERE host = $v", {"v": value}) == 0
    for macro in ("evidence_of", "shared_pages"):
        with pytest.raises(duckdb.InvalidInputException, match=r"^Invalid Input Error: no host "):
            web.database.value(f"SELECT count(*) FROM {macro}('x', $v)", {"v": value})


@few
def test_a_column_of_that_name(web, write, value):
    name = value.replace("\n", " ").replace("\r", " ")
    head = f'url,"{name.replace(chr(34), chr(34) * 2)}"\n'
    web.load(write("a.csv", head + "http://a.com/,mine\n"), columns={"id": name})
    assert web.database.column("SELECT user_id FROM pages") == ["mine"]
    web.unload(str(write("a.csv", "")))
