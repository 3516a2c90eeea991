"""``replicadb rewrite``: learn, show, apply and export."""

from __future__ import annotations

import bz2
import csv
import gzip
import io

import pytest

from replicadb.cli import rewrite_command
from replicadb.errors import DataError
from replicadb.rewrite import Rule, RuleSet
from tests.rewrite.crawls import PLANTED, table


@pytest.mark.slow
def test_the_commands_learn_show_apply_and_export(cli, write, tmp_path):
    rows = [
        (f"http://a.example{path}", f"c{i}")
        for paths in PLANTED["param"][:2]
        for i, path in enumerate(paths)
    ]
    assert cli("load", "web.duckdb", write("crawl.csv", table(rows))).code == 0
    assert "learn them first" in cli("rewrite", "show", "web.duckdb").err
    learned = cli("rewrite", "learn", "web.duckdb")
    assert learned.code == 0 and "8 duplicates saved" in learned.err and not learned.out
    theirs = "CREATE TABLE main.rewrite_rules AS SELECT 1 AS mine"
    assert cli("sql", "web.duckdb", theirs, "--write").code == 0
    assert "delete parameter zq" in cli("rewrite", "show", "web.duckdb").out
    whole = list(csv.reader(io.StringIO(cli("rewrite", "apply", "web.duckdb").out)))
    assert whole[0] == ["url", "canonical"] and len(whole) == 17
    assert cli("rewrite", "export", "web.duckdb", "rules.json").code == 0
    urls = write("urls.txt", "http://a.example/p9?id=9&zq=5\n\nhttp://b.example/\n")
    out = cli("rewrite", "apply", "rules.json", urls).out
    assert (
        out == "url,canonical\nhttp://a.example/p9?id=9&zq=5,http://a.example/p9?id=9\n"
        "http://b.example/,http://b.example/\n"
    )
    assert out == cli("rewrite", "apply", "web.duckdb", urls).out
    assert cli("rewrite", "export", "web.duckdb", "-", "--format", "nutch").out.startswith("<?xml")
    assert cli("rewrite", "export", "web.duckdb", "rules.txt").code == 2
    assert cli("rewrite", "apply", "rules.json").code == 1


def test_urls_in_any_spelling_have_the_form_of_the_database(cli, write):
    rules = Rule("param", "xn--mnchen-3ya.example", name="%C3%B6"), Rule("slash")
    write("rules.json", RuleSet(rules).text())
    given = {
        "http://münchen.example/ü?ö=1#top": "http://xn--mnchen-3ya.example/%C3%BC#top",
        "HTTP://me:pw@MÜNCHEN.example:80/x?a=1&%C3%B6": "http://xn--mnchen-3ya.example/x?a=1",
        "http://münchen.example/ü": "http://münchen.example/ü",
        "no url": "no url",
    }
    urls = write("urls.txt", "\ufeff" + "\r\n".join(given))
    answer = cli("rewrite", "apply", "rules.json", urls)
    assert dict(list(csv.reader(io.StringIO(answer.out)))[1:]) == given
    assert answer.err == "2 of 4 URLs rewritten\n"


def test_of_a_table_the_column_of_urls_is_rewritten(cli, write):
    """As sql writes it: a line as a whole is no URL, and its commas are the table's."""
    write("rules.json", RuleSet((Rule("slash"),)).text())
    want = "url,canonical\nhttp://a.example/x/,http://a.example/x\n"
    want += '"http://a.example/y,z/","http://a.example/y,z"\n'
    for name, text in {
        "a.csv": 'url\nhttp://a.example/x/\n"http://a.example/y,z/"\n',
        "b.csv": 'digest,URL\nd1,http://a.example/x/\nd2\nd3,"http://a.example/y,z/"\n',
        "c.tsv": "link\turl\nno\thttp://a.example/x/\nno\thttp://a.example/y,z/\n",
    }.items():
        answer = cli("rewrite", "apply", "rules.json", write(name, text))
        assert answer.out == want and answer.err == "2 of 2 URLs rewritten\n"
    huge = write("huge.csv", f"text,url\n{'x' * 200_000},http://a.example/x/\n")
    answer = cli("rewrite", "apply", "rules.json", huge)
    assert answer.code == 1 and "no sound table: field larger than" in answer.err


@pytest.mark.parametrize(
    "urls,said",
    [
        ("/dev/zero", "is a device"),
        ("long.txt", "long.txt: a line of more than"),
        (".", "Is a"),
        ("binary.txt", "binary.txt: binary data, no text"),
        ("cut.gz", "cut.gz: .*repair the file"),
    ],
)
def test_a_list_of_urls_is_read_in_bounded_memory(write, urls, said):
    with open(write("long.txt", "http://a.example/\n"), "a") as long:
        long.write("x" * ((1 << 20) + 100))
    with open(write("binary.txt", "http://a.example/\n"), "ab") as binary:
        binary.truncate((1 << 20) + 100)
    write("cut.gz", gzip.compress(b"http://a.example/\n" * 999)[:-9])
    with pytest.raises(DataError, match=said):
        list(rewrite_command.lines(urls))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, bytes])
def test_a_packed_list_of_urls_is_unpacked(write, pack):
    urls = write("urls.txt", pack(b"http://a.example/\r\n\r\n http://b.example/x \n"))
    assert list(rewrite_command.lines(str(urls))) == ["http://a.example/", "http://b.example/x"]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, bytes])
def test_packed_urls_on_standard_input_are_unpacked(monkeypatch, pack):
    piped = io.BufferedReader(io.BytesIO(pack(b"http://a.example/1\nhttp://a.example/2\n")))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(piped))
    assert [*rewrite_command.lines("-")] == ["http://a.example/1", "http://a.example/2"]


def test_broken_data_on_standard_input_is_said_in_one_line(monkeypatch):
    piped = io.BufferedReader(io.BytesIO(gzip.compress(b"http://a.example/\n" * 999)[:-9]))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(piped))
    with pytest.raises(DataError, match=r"standard input: .*repair the file"):
        list(rewrite_command.lines("-"))


@pytest.fixture
def learned(cli, write):
    """One rule of a host with a port, learned."""
    rows = [
        (f"http://a.example:8080{path}", f"c{i}")
        for paths in PLANTED["param"][:2]
        for i, path in enumerate(paths)
    ]
    cli("load", "web.duckdb", write("crawl.csv", table(rows)))
    return cli("rewrite", "learn", "web.duckdb")


def test_rules_are_shown_of_a_host_in_any_spelling(cli, learned):
    assert "\n1 rule; 8 of 16 URLs rewritten" in learned.err
    for host in ("a.example:8080", "A.Example:8080", "http://a.example:8080/x"):
        assert "delete parameter zq" in cli("rewrite", "show", "web.duckdb", "--host", host).out
    assert "zq" not in cli("rewrite", "show", "web.duckdb", "--host", "a.example").out
    answer = cli("rewrite", "show", "web.duckdb", "--format", "foo")
    assert answer.code == 2 and "'foo' is not one of 'table', 'csv'" in answer.err


def test_a_database_that_is_not_there_is_said_so(cli):
    answer = cli("rewrite", "apply", "none.duckdb")
    assert answer.code == 1 and "none.duckdb: no such file" in answer.err
