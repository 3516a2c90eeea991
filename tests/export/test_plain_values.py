"""What is a number in DuckDB is one in every format: sums of whole numbers and decimals, too."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys

import duckdb
import pytest

from replicadb.export.writers import as_fits, write

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


def test_a_table_has_every_digit_and_numbers_in_lists(reader):
    table = reader.read_all()
    cells = [
        cell.strip()
        for cell in as_fits(table, sys.maxsize).splitlines()[2].split("  ")
        if cell.strip()
    ]
    assert cells[:4] == ["3", "1.5", "100000000000000000001", "[1.5, 2.0]"]
    with duckdb.connect() as con:
        rows = con.sql(f"SELECT ({-(2**127)})::HUGEINT AS h, [DATE '2026-01-31', NULL] AS d")
        line = as_fits(rows.to_arrow_table(), sys.maxsize).splitlines()[2]
    assert line == f"{-(2**127)}  ['2026-01-31', None]"


ODD = r"""SELECT ['\xAA'::BLOB, NULL] AS l, {'b': '\x01'::BLOB, 'm': MAP {'k': [1.5]}} AS o,
    MAP {1::HUGEINT: 2.5} AS m, MAP {DATE '2026-01-31': 'ab'::BLOB} AS d, NULL::MAP(INT, INT) AS e,
    TIME '01:02:03.5' AS t, NULL::TIME AS n"""
ODD_ROW = {
    "l": ["aa", None],
    "o": {"b": "01", "m": {"k": [1.5]}},
    "m": {"1": 2.5},
    "d": {"2026-01-31": "6162"},
    "e": None,
}


@pytest.mark.parametrize("ending", ["jsonl", "csv", "sqlite"])
def test_bytes_in_lists_keys_that_are_no_text_and_times_are_written(tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    with duckdb.connect() as con:
        write(con.sql(ODD).to_arrow_reader(), str(out), ending)
    if ending == "jsonl":
        found = json.loads(out.read_text())
        time, none = found.pop("t"), found.pop("n")
    else:
        if ending == "csv":
            with duckdb.connect() as con:
                rows = con.sql(f"FROM read_csv('{out}', all_varchar = true)").fetchall()
        else:
            con = sqlite3.connect(out)
            rows = con.execute("SELECT * FROM result").fetchall()
            con.close()
        ((*nested, time, none),) = rows
        found = {n: v and json.loads(v) for n, v in zip(ODD_ROW, nested, strict=True)}
    assert found == ODD_ROW
    assert time.startswith("01:02:03.5") and none is None
