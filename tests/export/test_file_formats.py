"""What a file's name asks for, and files that are packed: by their ending, the same bytes each
time.
"""

from __future__ import annotations

import gzip
import os
import time

import pytest
from conftest import kept_open

import replicadb
from replicadb.errors import UsageError
from replicadb.export.file_formats import ENDINGS, format_of
from replicadb.rewrite import RuleSet, crawler_rules

from .test_export import GOLDEN, ODD


@pytest.mark.parametrize(
    ("out", "wanted", "format"),
    [
        ("-", None, "csv"),
        ("-", "json", "json"),
        ("a.csv", None, "csv"),
        ("A.CSV.GZ", None, "csv"),
        ("a.b.ndjson.gz", None, "jsonl"),
        ("a.gz", "tsv", "tsv"),
        ("a.gz.parquet", None, "parquet"),
        (".gz", "csv", "csv"),
    ],
)
def test_the_ending_picks_the_format(out, wanted, format):
    assert format_of(out, wanted) == format


@pytest.mark.parametrize(
    ("out", "wanted", "said"),
    [
        ("a.gz", None, r"the ending \.gz picks no format; use one of: \.csv,.* also with \.gz$"),
        ("a.cvs.gz", None, r"the ending \.cvs\.gz picks no format \(did you mean '\.csv'\?\)"),
        ("a", None, r"the ending \(none\) picks no format"),
        ("a.parquet.gz", None, r"a\.parquet\.gz: parquet is no text, and is not packed; leave out"),
        ("a.db.gz", None, "sqlite is no text"),
        ("a.csv.gz", "parquet", "parquet is no text"),
        (
            "a.csv",
            "xlsx",
            "no format is called 'xlsx'; choose one of: table, csv, tsv, json, jsonl",
        ),
        ("-", "jsno", r"no format is called 'jsno' \(did you mean 'json' or 'jsonl'\?\)"),
    ],
)
def test_what_cannot_be_meant_is_refused(out, wanted, said):
    with pytest.raises(UsageError, match=said):
        format_of(out, wanted)


@pytest.mark.parametrize("name", ["drop.parquet", "drop.SQLite", "drop.db.gz"])
def test_a_list_that_is_a_text_gets_no_name_of_another_kind(cli, detected, tmp_path, name):
    """Nor do those of families, or rules for a crawler."""
    out = tmp_path / name
    with kept_open(detected):
        for command in (
            ("export", detected, out, "--as", "surt"),
            ("copies-of", detected, "example.com", "--as", "hosts", "-o", out),
            ("families", detected, out, "--as", "nutch-host"),
        ):
            answer = cli(*command)
            assert answer.code == 2 and "is a text, and ." in answer.err, command
    with pytest.raises(UsageError, match="heritrix is a text"):
        crawler_rules.write(RuleSet([], {}), out, "heritrix")
    assert not out.exists()


def test_who_has_said_a_format_is_not_asked_for_one(cli, detected):
    said = cli("export", detected, "a.csv.gz", "--format", "parquet").err
    assert said.endswith("is not packed; leave out .gz\n")
    assert "say --format" in cli("export", detected, "a.gz").err


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".jsonl"])
def test_a_packed_file_holds_the_bytes_of_one_that_is_not(cli, detected, tmp_path, ending):
    """Which test_export.py has, too."""
    packed = tmp_path / f"odd{ending}.gz"
    assert cli("sql", detected, ODD, "-o", packed).code == 0
    first = packed.read_bytes()
    assert gzip.decompress(first) == (GOLDEN / f"odd{ending}").read_bytes()
    assert first[3:8] == bytes(5)  # neither a name nor a time
    if ending == ".csv":
        os.utime(packed, (time.time() - 9000,) * 2)
        cli("sql", detected, ODD, "-o", tmp_path / f"other-name{ending}.gz")
        assert (tmp_path / f"other-name{ending}.gz").read_bytes() == first


def test_lists_of_tools_and_files_of_decisions_are_packed_too(cli, detected, tmp_path):
    with kept_open(detected):
        for out in ("drop.txt", "drop.txt.gz"):
            assert cli("export", detected, out, "--as", "ublock").code == 0
        assert cli("export", detected, "all.csv.gz", "--as", "cc-annotation").code == 0
        assert "./all.csv.gz" in (tmp_path / "join_all.yaml").read_text()
        for _ in range(2):
            beside = cli("export", detected, "all.parquet", "--as", "cc-annotation")
            assert "to all.parquet and join_all.parquet.yaml: " in beside.err
    assert gzip.decompress((tmp_path / "drop.txt.gz").read_bytes()) == (
        (tmp_path / "drop.txt").read_bytes()
    )
    assert "./all.parquet" in (tmp_path / "join_all.parquet.yaml").read_text()
    assert "./all.csv.gz" in (tmp_path / "join_all.yaml").read_text()
    with replicadb.open(tmp_path / "own.duckdb") as web:
        web.pin("a.example", "never")
    assert cli("label", "own.duckdb", "--export", "all.jsonl.gz").code == 0
    assert gzip.decompress((tmp_path / "all.jsonl.gz").read_bytes()).startswith(b"{")
    assert cli("label", "own.duckdb", "all.jsonl.gz").code == 0


NOT_MEANT = (
    ({"format": "xlsx"}, "no format is called 'xlsx'"),
    ({"top": 1.5}, "--top is 1.5; give a whole number"),
    ({"min_probability": "0.9"}, "--min-probability must be from 0 to 1, not '0.9'"),
    ({"min_score": "1"}, "--min-score must be a number, not '1'"),
    ({"min_score": float("nan")}, "--min-score must be a number, not nan"),
)


def test_no_file_is_written_where_an_argument_cannot_be_meant(detected, tmp_path):
    """An unknown format came out as JSON, a line a row."""
    with replicadb.open(detected, read_only=True) as web:
        for chosen, said in NOT_MEANT:
            with pytest.raises(UsageError, match=said):
                web.export(tmp_path / "out.csv", **chosen)
        with pytest.raises(UsageError, match="--check is 'few'; give a whole number of 1 or more"):
            web.check(tmp_path / "out.csv", "few")
        with pytest.raises(UsageError, match="max_error is 'few'; give a share"):
            web.families(max_error="few")
    assert not (tmp_path / "out.csv").exists()


def test_every_ending_is_one_of_a_text_or_says_that_it_is_none():
    for ending, format in ENDINGS.items():
        if format in ("parquet", "sqlite"):
            with pytest.raises(UsageError, match="leave out"):
                format_of(f"a{ending}.gz")
        else:
            assert format_of(f"a{ending}.gz") == format
