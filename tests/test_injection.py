"""Every sink against every hostile value: what comes from a crawl, a file or a person stays text.

A terminal obeys nothing; files of data give back the very value; pages have no element of it; SQL
takes it for a value.

Tries csv_text, too.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sqlite3
import sys
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import polars as pl
import pytest

import replicadb
from replicadb.cli import messages
from replicadb.cli.info_text import info_text
from replicadb.export import writers
from replicadb.export.list_formats import BY_NAME
from replicadb.export.tool_lists import ToolList
from replicadb.load.load_options import LoadResult
from replicadb.report.safe_text import esc
from replicadb.rewrite import Rule, RuleSet
from replicadb.rewrite.crawler_rules import write as write_rules
from replicadb.short_table import short_table
from tests.export.list_readers import READERS

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
    assert not obeyed(err) and err.count("\n") == 6


@hostile
def test_an_error_is_one_line(cli, value):
    for arguments in (("info", value), ("--" + value,)):
        answer = cli(*arguments)
        assert answer.code in (1, 2) and not obeyed(answer.err) and answer.err.count("\n") == 1


@pytest.mark.parametrize("part", range(3))
def test_an_error_about_a_source_is_one_line(cli, part):
    """Of several values at once, as many as a name of a file may have characters."""
    value = " ".join(list(VALUES.values())[part::3])
    answer = cli("load", "web.duckdb", value)
    assert answer.code == 1 and not obeyed(answer.err) and answer.err.count("\n") == 1


@hostile
def test_a_table_on_the_terminal(value):
    table = writers.as_fits(pl.DataFrame({value: [value, None]}), sys.maxsize)
    assert not obeyed(table) and table.count("\n") == 4


@pytest.fixture(scope="module")
def facts(web):
    return web.info()


@hostile
def test_info(capfd, facts, value):
    facts = facts | {"loads": [dict.fromkeys(("read", "kept", "replaced"), 0)]}
    facts["loads"][0] |= {"name": value, "skipped": 0, "rejected": 0, "files": 1}
    messages.show(info_text(facts))
    assert not obeyed(capfd.readouterr().out)


def named(value: str) -> str:
    """A file of that name. Its digest is of the common form: such files load together."""
    name = value.replace("/", "|") + ".csv"
    column, digest = value.replace(chr(34), chr(34) * 2), "a" * 40
    with open(name, "w") as file:
        file.write(f'url,digest,"{column}"\nhttp://a.com/,{digest},x\n')
    return os.path.join(".", name)


@pytest.mark.slow
def test_labels(cli):
    label = " ".join(VALUES.values())
    loaded = cli("load", "web.duckdb", named("a"), "--label", label)
    shown = cli("info", "web.duckdb")
    assert loaded.code == shown.code == 0 and not obeyed(loaded.err + shown.out)
    assert "alert(1)" in shown.out and cli("unload", "web.duckdb", "--", label).code == 0


@pytest.mark.slow
def test_names_of_files(cli):
    names = [named(value) for value in VALUES.values()]
    loaded = cli("load", "web.duckdb", *names)
    shown = cli("info", "web.duckdb")
    assert shown.code == 0 and not obeyed(loaded.err + shown.out)
    for name in names[:2]:
        assert cli("unload", "web.duckdb", "--", name).code == loaded.code == 0


# -- files of data


def query(web, value):
    return web.database.con.sql("SELECT $v AS v, 1 AS n", params={"v": value}).to_arrow_reader()


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "parquet", "sqlite"])
def test_files_give_back_the_very_value(web, format):
    for number, value in enumerate(VALUES.values()):
        path = Path(f"{number}.{format}")
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
            with contextlib.closing(sqlite3.connect(path)) as con:
                assert con.execute("SELECT v FROM result").fetchall() == [(value,)]


@pytest.mark.parametrize("format", ["json", "nutch", "heritrix"])
def test_rules_for_crawlers(format):
    for value in VALUES.values():
        value = "".join(c for c in value if c.isprintable())
        rules = RuleSet((Rule("param_is", "a.example", name="p", value=value),))
        write_rules(rules, Path("rules"), format)
        if format == "json":
            assert RuleSet.load(Path("rules")) == rules
        else:
            tags = {one.tag.rpartition("}")[2] for one in ElementTree.parse("rules").iter()}
            assert tags <= {
                *("regex-normalize", "regex", "pattern", "substitution"),
                *("beans", "list", "bean", "property"),
            }, value


# -- lists for other tools


KEPT = "kept.example"


@pytest.fixture(scope="module")
def hostile_hosts():
    """A database of dropped hosts that bear hostile names, one that has a plain name and a kept one
    with a hostile name, and one with plain names, whatever way such names would come in.
    """
    with replicadb.open(":memory:") as web:
        db = web.database
        with db.transaction():
            db.execute("INSERT INTO stages (stage) VALUES ('70_replica_groups')")
            db.execute("INSERT INTO sources (source_id) VALUES (1)")
            names = [*VALUES.values(), "plain.example", "good.example", KEPT]
            for number, name in enumerate(names):
                db.execute("INSERT INTO hosts (host_id, host) VALUES (?, ?)", [number, name])
                db.execute(
                    "INSERT INTO origins VALUES (?, ?, ?, ?)",
                    [number, f"http://{name}", name, number],
                )
                db.execute(
                    """INSERT INTO urls BY NAME SELECT $n AS url_id, $n AS host_id,
                    $n AS origin_id, '/' AS path, 'sha1' AS fingerprint_kind, 'a' AS fingerprint,
                    $name AS user_id, 1 AS source_id""",
                    {"n": number, "name": name},
                )
                db.execute("INSERT INTO host_stats (host_id, n_urls) VALUES (?, 1)", [number])
            last, odd = len(names) - 1, names.index(VALUES["backslash"])
            for number in range(last):
                keeps = odd if names[number] == "plain.example" else last
                db.execute(
                    """INSERT INTO members (group_id, host_id, canonical_id, rank, score)
                    VALUES (1, $n, $keep, $n, 1)""",
                    {"n": number + (number == keeps), "keep": keeps},
                )
        yield web


@pytest.mark.parametrize("name", READERS)
def test_a_list_for_another_tool(hostile_hosts, tmp_path, name):
    made = hostile_hosts.export_list(tmp_path / "list", name)
    text = (tmp_path / "list").read_bytes().decode()
    assert not obeyed(text)
    said = READERS[name](text)
    assert said("http://good.example/")
    for url in ("http://kept.example/", "http://evil.example/", "http://example.com/", "a"):
        assert said(url) is None
    any_name = name in ("nutch-regex", "outbackcdx")  # they can say any printable one
    assert ("plain" in text) == (any_name or not BY_NAME[name].says_kept), "it goes for an odd host"
    assert any_name or sum(n for n, _ in made.left_out.values()) >= 20


@pytest.mark.slow
def test_a_table_of_urls_gives_back_the_very_value(hostile_hosts, tmp_path):
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        hostile_hosts.export_list(tmp_path / f"urls.{ending}", "urls")
    found = pl.read_parquet(tmp_path / "urls.parquet")
    assert set(VALUES.values()) <= set(found["host"]) and set(found["host"]) == set(found["id"])
    text = io.StringIO((tmp_path / "urls.csv").read_bytes().decode(), newline="")
    assert [row[2] for row in csv.reader(text)][1:] == found["host"].to_list()


@pytest.mark.parametrize("part", range(4))
def test_the_name_of_an_annotation_in_its_yaml(hostile_hosts, tmp_path, part):
    """Every name is written as JSON, whatever is in it: some at once."""
    yaml = pytest.importorskip("yaml")
    name = " ".join(list(VALUES.values())[part::4]).replace("/", "|") + ".parquet"
    made = hostile_hosts.export_list(tmp_path / name, "cc-annotation")
    join = yaml.safe_load(Path(made.files[1]).read_text())
    assert join["table"]["source"] == {"url": f"./{name}", "format": "parquet"}
    keys = pl.read_parquet((tmp_path / name).read_bytes())["surt_host_name"].to_list()
    assert keys == ["example,good", "example,kept"]


@hostile
def test_what_is_said_of_a_list(capfd, value):
    made = ToolList("hosts", [value], left_out={value: (1, value)})
    for line in made.lines():
        messages.say(line)
    assert not obeyed(capfd.readouterr().err)


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


@pytest.mark.parametrize("part", range(3))
def test_sql_takes_it_for_a_value(web, part):
    value = " ".join(list(VALUES.values())[part::3])
    assert web.database.value("SELECT count(*) FROM pages WHERE host = $v", {"v": value}) == 0
    for macro in ("evidence_of", "shared_pages"):
        with pytest.raises(duckdb.InvalidInputException, match=r"^Invalid Input Error: no host "):
            web.database.value(f"SELECT count(*) FROM {macro}('x', $v)", {"v": value})


@pytest.mark.slow
def test_a_column_of_that_name(web, write):
    names = ("quotes", "statement", "backslash", "line break")
    name = " ".join(VALUES[name] for name in names).replace("\n", " ").replace("\r", " ")
    head = f'url,"{name.replace(chr(34), chr(34) * 2)}"\n'
    web.load(write("a.csv", head + "http://a.com/,mine\n"), columns={"id": name})
    assert web.database.column("SELECT user_id FROM pages") == ["mine"]
