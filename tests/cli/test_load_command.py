"""What ``replicadb load`` says: which column became what, what a dry run would do, why nothing was
kept.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import get_args

import pytest

from replicadb.cli.help_text import EXIT_CODES
from replicadb.cli.load_command import LoadFormat
from replicadb.cli.reference_loading import loading_page
from replicadb.load.bundles import FEWEST
from replicadb.readers.formats import FORMATS

CSV = "Page URL,Digest,colour\nhttp://a.com/,x1,red\nhttp://a.com/robots.txt,x2,red\n"


def test_the_help_names_every_format():
    help = get_args(LoadFormat)[1].help.removesuffix(".").replace(" or ", ", ")
    assert tuple(name.split(" (")[0] for name in help.split(", ")) == FORMATS


@pytest.mark.slow
def test_a_dry_run_says_what_a_load_would_and_changes_nothing(cli, write):
    write("a.csv", CSV)
    dry = cli("load", "web.duckdb", "a.csv", "--dry-run")
    assert dry.code == 0 and "read 2 = kept 1" in dry.err and not Path("web.duckdb").exists()
    assert dry.err.splitlines()[-1] == "dry run: nothing was changed"
    cli("load", "web.duckdb", "a.csv")
    write("b.csv", CSV.replace("a.com", "b.com"))
    cli("load", "web.duckdb", "b.csv", "--dry-run", "--label", "b")
    tables = ("loads", "sources", "urls", "hosts", "runs")
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in tables)
    shown = cli("sql", "web.duckdb", f"SELECT {counts}", "-f", "csv").out
    assert shown.splitlines()[1] == "1,1,1,1,1"


def test_a_role_without_a_name_is_switched_off(cli, write):
    write("a.csv", "url,text\nhttp://a.com/,hello\n")
    said = cli("load", "web.duckdb", "a.csv", "--column", "content=").err
    assert "columns: url by name; not used: text" in said
    refused = cli("load", "web.duckdb", "a.csv", "--column", "content")
    assert refused.code == 2 and "is not ROLE=NAME" in refused.err


@pytest.mark.slow
def test_where_nothing_is_kept_the_commonest_reasons_are_told_and_the_exit_code_is_1(cli, write):
    rows = ["url,status,mime", "ftp://a.com/,200,text/html", "mailto:x,,", "http://a.com/1,404,"]
    rows += [f"http://b.com/{n}.png,200,image/png" for n in range(9)]
    rows += ["http://c.com/,200,text/html", "http://a.com/2,404,"]
    write("a.csv", "\n".join(rows))
    write("excluded.txt", "c.com")
    answer = cli("load", "web.duckdb", "a.csv", "--exclude-hosts", "excluded.txt", "--pages-only")
    assert answer.code == 1 and answer.err.splitlines()[-5:] == [
        "nothing was kept; the commonest reasons:",
        "  9 skipped: type image/png, such as 'http://b.com/0.png'",
        "  2 skipped: status 404, such as 'http://a.com/1'",
        "  1 rejected: scheme ftp is not http or https, such as 'ftp://a.com/'",
        "  and 2 more reasons, in the tables skips and rejects",
    ]
    assert cli("load", "web.duckdb", "a.csv").code == 0  # known


@pytest.mark.slow
def test_where_little_is_kept_reasons_are_told_too(cli, write):
    rows = ["url,mime", "http://a.com/,", *(f"http://b.com/{n},image/png" for n in range(10))]
    write("a.csv", "\n".join(rows))
    said = cli("load", "web.duckdb", "a.csv", "--pages-only")
    assert said.code == 0 and "little was kept; the commonest reasons:" in said.err
    write("b.csv", "\n".join(rows[:-1]))
    said = cli("load", "web.duckdb", "b.csv", "--label", "b", "--pages-only")
    assert "reasons" not in said.err


@pytest.mark.slow
def test_what_was_rejected_is_told_with_its_reason_and_where_no_url_is_known_with_its_file(
    cli, write, tmp_path
):
    rows = ["url,status", *(f"http://a.com/{n},200" for n in range(9)), "ftp://a.com/,200"]
    rows += [f"http://a.com/s{n},{300 + n}" for n in range(4, 18)]  # more reasons than are told
    write("a.csv", "\n".join(rows))
    cut = gzip.compress("\n".join(["url", *(f"http://b.com/{n}" for n in range(999))]).encode())
    (tmp_path / "cut.csv.gz").write_bytes(cut[:-9])
    for n in range(4):  # small files are loaded together, and that one by itself all the same
        write(f"{n}.csv", f"url\nhttp://c{n}.com/\n")
    said = cli("load", "web.duckdb", "a.csv", "cut.csv.gz", *(f"{n}.csv" for n in range(4)))
    assert said.code == 0 and "rejected 2" in said.err
    assert [line for line in said.err.splitlines() if " rejected: " in line] == [
        "  1 rejected: file ends inside a record: it is incomplete, and what follows is missing;"
        " fetch it again, in cut.csv.gz",
        "  1 rejected: scheme ftp is not http or https, such as 'ftp://a.com/'",
    ]
    assert "reasons" not in said.err and "skipped: " not in said.err


@pytest.mark.slow
def test_what_is_said_of_many_files_is_said_once_and_those_that_failed_are_counted(cli, write):
    for name in ("1.csv", "2.csv", "3.csv"):
        write(name, CSV.replace("a.com", name))
    write("bad.csv", "colour,size\nred,1\n")
    given = ("load", "web.duckdb", "1.csv", "2.csv", "3.csv")
    first = cli(*given, "bad.csv", "--content")
    assert first.code == 1 and "1.csv and 2 more: carries no content of pages" in first.err
    said = first.err.splitlines()
    for line in (
        "1.csv and 2 more: columns: Page URL as url, Digest as fingerprint by name;"
        " not used: colour",
        "machine files left out, which are no pages: robots.txt 3 (--machine-files keeps them)",
    ):
        assert said.count(line) == 1
    assert said[-1] == "1 file could not be loaded, as said above; the others were"
    again = cli(*given)
    assert again.code == 0 and again.err.splitlines() == [
        "1.csv and 2 more: loaded before, nothing changed (--force loads them again, as with other"
        " options)"
    ]


def test_a_known_file_that_is_given_another_label_is_named_and_moved_by_force(cli, write):
    write("a.csv", CSV)
    write("b.csv", CSV.replace("a.com", "b.com"))
    assert cli("load", "web.duckdb", "a.csv", "b.csv").code == 0
    again = cli("load", "web.duckdb", "a.csv", "b.csv", "--label", "a.csv").err
    assert "note: b.csv: stands under its own name, and so not in 'a.csv'; --force moves" in again
    assert again.count("stands") == 1
    assert "stands" not in cli("load", "web.duckdb", "a.csv", "b.csv").err
    moved = ("load", "web.duckdb", "a.csv", "b.csv", "--label", "may")
    assert "stands" not in cli(*moved, "--force").err + cli(*moved).err
    noted = "note: a.csv and 1 more: stands in the load 'may', and so not in 'june'"
    assert noted in cli("load", "web.duckdb", "a.csv", "b.csv", "--label", "june").err
    assert cli("sql", "web.duckdb", "SELECT name FROM loads", "-f", "csv").out == "name\nmay\n"


def test_a_page_whose_type_is_one_word_is_a_page(cli, write):
    write("a.csv", "url,digest,type\nhttp://a.com/,x1,HTML\nhttp://a.com/b,x2,jpg\n")
    assert (
        "1 of them are files other" in cli("load", "w.duckdb", "a.csv", "--column", "mime=type").err
    )


@pytest.mark.slow
def test_what_is_lost_is_said_even_when_quiet(cli, write):
    """A file of which nothing is kept, and one that is cut off; not what was merely rejected."""
    bad = cli("load", "b.duckdb", write("bad.csv", "url,digest\nht!tp://x,aa\n"), "-q")
    assert bad.code == 1 and "read 1 = kept 0" in bad.err
    lines = "url,digest\n" + "".join(f"http://a{n}.com/,{n:040x}\n" for n in range(2000))
    whole = gzip.compress(lines.encode())
    cut = cli("load", "c.duckdb", write("cut.csv.gz", whole[: len(whole) // 3]), "-q")
    assert cut.code == 0 and cut.out == "" and cut.err.count("\n") == 1
    assert cut.err.startswith("replicadb: 1 rejected: file ends inside a record")
    facts = json.loads(cli("info", "c.duckdb", "--json").out)  # as docs/reference/loading.md says
    assert facts["rejects"] == 1 == len(facts["reject_reasons"])
    assert facts["reject_reasons"][0]["reason"].startswith("file ends inside a record")
    documented = " ".join(loading_page().split())
    assert "whose reason begins with `file ends inside a record`" in documented
    assert "`rejects`" in documented and EXIT_CODES in documented
    some = write("some.csv", "url,digest\nhttp://a.com/,aa\nht!tp://x,bb\n")
    assert cli("load", "d.duckdb", some, "-q").err == ""


@pytest.mark.slow
def test_rows_without_url_are_told_by_their_file_and_no_row_at_all_as_that(cli, write, monkeypatch):
    write("a.csv", "url,digest\nhttp://a.com/,x\n,y\n")
    write("head.csv", "url,digest\n")
    said = cli("load", "web.duckdb", "a.csv", "head.csv").err
    assert "  1 rejected: no URL, in a.csv\n" in said and "note: head.csv: no row in it\n" in said
    with open("a.csv") as given:
        monkeypatch.setattr("sys.stdin", given)
        said = cli("load", "other.duckdb", "-").err
    assert "  1 rejected: no URL, in standard input\n" in said


def test_files_without_a_page_are_no_files_without_content(cli, write):
    """Of pictures alone no text is kept, in whatever form they are given."""
    pictures = "url,mime,html\nhttp://a.com/1.png,image/png,x\nhttp://a.com/2.png,image/png,y\n"
    write("pictures.csv", pictures)
    write("page.csv", "url,mime\nhttp://a.com/,text/html\n")
    said = cli("load", "web.duckdb", "pictures.csv", "page.csv", "--content")
    assert said.code == 0 and "kept 3" in said.err
    (note,) = [line for line in said.err.splitlines() if "carries no content" in line]
    assert note.startswith("note: page.csv: carries no content of pages")


def test_files_without_links_are_named_where_links_are_asked_for(cli, write):
    """HTML of a table is read for no links."""
    write("html.csv", "url,html\nhttp://a.com/,<a href='http://b.com/'>b</a>\n")
    write("linked.csv", "url,links\nhttp://c.com/,http://b.com/\nhttp://d.com/,\n")
    noted = "note: html.csv: carries no links of pages that --links reads; HTML in WARC"
    said = cli("load", "web.duckdb", "html.csv", "linked.csv", "--links").err
    assert noted in said and said.count("carries no links") == 1
    assert "carries no links" not in cli("load", "other.duckdb", "html.csv").err


def test_small_files_without_links_that_are_loaded_together_are_named_too(cli, write):
    names = [f"{n}.csv" for n in range(FEWEST)]
    for name in names:
        write(name, f"url,digest\nhttp://{name}.com/,{'a' * 40}\n")
    said = cli("load", "web.duckdb", *names, "--links", "--no-identifiers").err
    assert f"note: 0.csv and {FEWEST - 1} more: carries no links of pages" in said


def test_columns_that_no_table_was_there_for_are_noted(cli, write):
    write("a.cdxj", 'com,a)/ 20240101000000 {"url": "http://a.com/", "digest": "AAA"}\n')
    write("b.csv", "where,digest\nhttp://b.com/,BBB\n")
    noted = "note: --column says what the columns of tables are, and none of these is a table"
    assert noted in cli("load", "a.duckdb", "a.cdxj", "--column", "title=t").err
    assert noted not in cli("load", "b.duckdb", "a.cdxj", "b.csv", "--column", "url=where").err
