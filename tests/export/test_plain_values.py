"""What is a number in DuckDB is one in every format: sums of whole numbers and decimals, too."""

from __future__ import annotations

import csv
import json
import sqlite3

import duckdb
import pytest

from replicadb.export.writers import write

QUERY = """SELECT sum(n) AS s, 1.5 AS d, 100000000000000000001::HUGEINT AS h,
    NULL::DECIMAL(9, 2) AS e, [1.5, 2] AS l, {'a': sum(n), 'b': [[2::HUGEINT]]} AS o,
    12345678901234567890::UBIGINT AS u, 'ab'::BLOB AS b
    FROM range(3) AS r(n)"""
NESTED = {"l": [1.5, 2.0], "o": {"a": 3, "b": [[2]]}}
ROW = {
    "s": 3,
    "d": 1.5,
    "h": 100000000000000000001,
    "e": None,
    **NESTED,
    "u": 12345678901234567890,
    "b": "6162",
}


@pytest.fixture
def reader():
    with duckdb.connect() as con:
        yield con.sql(QUERY).to_arrow_reader()


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_json_has_numbers(reader, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    assert write(reader, str(out), ending) == 1
    found = json.loads(out.read_text())
    assert (found[0] if ending == "json" else found) == ROW


def test_csv_has_numbers_in_its_json_too(reader, tmp_path):
    write(reader, str(tmp_path / "out.csv"), "csv")
    with open(tmp_path / "out.csv", newline="") as file:
        (found,) = csv.DictReader(file)
    assert (found["s"], found["d"], found["h"]) == ("3", "1.5", "100000000000000000001")
    assert {name: json.loads(found[name]) for name in NESTED} == NESTED


def test_sqlite_takes_them(reader, tmp_path):
    write(reader, str(tmp_path / "out.sqlite"), "sqlite")
    con = sqlite3.connect(tmp_path / "out.sqlite")
    (row,) = con.execute("SELECT s, d, h, e, l, typeof(s), typeof(d), u FROM result")
    con.close()
    assert row == (3, 1.5, 1e20, None, "[1.5, 2.0]", "integer", "real", 12345678901234567890.0)
