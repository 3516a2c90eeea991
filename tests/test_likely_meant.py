"""What an error suggests where a name is not known, and that every command does so."""

from __future__ import annotations

import shlex
import shutil

import pytest

from replicadb.likely_meant import did_you_mean, did_you_mean_file


def test_the_likeliest_names_are_suggested_as_they_are_spelled():
    assert did_you_mean("papr", ["robust", "paper", "thesis"]) == " (did you mean 'paper'?)"
    assert did_you_mean("URL ", ["Url", "ip"]) == " (did you mean 'Url'?)"
    several = did_you_mean("paper-p", ["paper-nu", "paper", "paper-pu", "rp"])
    assert several == " (did you mean 'paper-pu' or 'paper'?)"
    assert did_you_mean("largest", ["oldest", "bare"]) == did_you_mean("x", []) == ""
    assert did_you_mean(None, ["robust"]) == ""


def test_files_of_the_same_folder_are_suggested(tmp_path):
    (tmp_path / "crawl.warc.gz").touch()
    meant = f" (did you mean '{tmp_path / 'crawl.warc.gz'}'?)"
    assert did_you_mean_file(tmp_path / "crawl.wrac.gz") == meant
    assert did_you_mean_file(tmp_path / "other.csv") == ""
    assert did_you_mean_file(tmp_path / "nowhere" / "crawl.warc.gz") == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("detct DB", "No such command 'detct' (did you mean 'detect'?); see replicadb --help"),
        ("pages trian DB", "No such command 'trian' (did you mean 'train'?)"),
        ("info DB --jsn", "No such option: --jsn (did you mean --json?); see replicadb info"),
        ("detect DB --method papr", "'robust', 'paper', 'thesis' (did you mean 'paper'?); see"),
        ("detect DB --reference crawls", "no load is called 'crawls' (did you mean 'crawl'?)"),
        ("detect DB --keep url", "keep cannot be 'url' (did you mean 'urls'?)"),
        ("unload DB crwl", "no load called 'crwl' (did you mean 'crawl'?)"),
        (
            "sql DB \"FROM shared_pages('exmple.com', 'other.net')\"",
            "the nearest names: example.com",
        ),
        ("sql DB 'SELECT hst FROM replicas'", 'Candidate bindings: "host_a"'),
        ("evaluate DB gold.csv --methods robst", "no method robst (did you mean 'robust'"),
        ("export DB out.cvs", "picks no format (did you mean '.csv'?)"),
        ("load DB some.csv --format cvs", "unknown format 'cvs' (did you mean 'csv'"),
        ("load DB sme.csv", "sme.csv: no such file (did you mean 'some.csv'?)"),
        (
            "load DB some.csv --column url=adress",
            "in the table (did you mean 'Address'?)",
        ),
        ("load DB some.csv --column ulr=Address", "no such column role 'ulr' (did you mean 'url'"),
        ("info wb.duckdb", "no such database (did you mean 'web.duckdb'?)"),
    ],
)
def test_every_command_says_what_was_likely_meant(cli, crawled, write, arguments, said):
    shutil.copy(crawled, "web.duckdb")
    write("some.csv", "Address,hash\nhttp://a.com/,1\n")
    write("gold.csv", "host_a,host_b\nexample.com,example.org\n")
    answer = cli(*shlex.split(arguments.replace("DB", "web.duckdb")))
    assert answer.code in (1, 2) and said in answer.err, answer.err
    assert answer.err.startswith("replicadb: ") and answer.out == ""
