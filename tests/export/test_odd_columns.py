"""Columns that Polars lacks or panics at are text, in every format."""

from __future__ import annotations

import json
import sys
from functools import cache

import duckdb
import pyarrow as pa
import pytest

from replicadb.export.odd_columns import own_names, readable, with_every_digit
from replicadb.export.writers import as_fits, as_frame, write


@cache
def connected() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def arrow(query: str) -> pa.Table:
    return connected().sql(query).to_arrow_table()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("DATE 'infinity'", "infinity"),
        ("TIMESTAMP '-infinity'", "-infinity"),
        ("TIMESTAMP '290000-01-01'", "290000-01-01 00:00:00"),
        ("TIMESTAMPTZ 'infinity'", "infinity"),
        ("INTERVAL 1 DAY", "1 day"),
        ("union_value(k := 3)", "3"),
        ("[INTERVAL 1 DAY]", "[1 day]"),
        ("{'a': [DATE 'infinity']}", "{'a': [infinity]}"),
        ("{'a': 1}::VARIANT", "{'a': 1}"),
        ("[1::VARIANT]", "[1]"),
        ("'POINT(0 0)'::GEOMETRY", "POINT (0 0)"),
        ("12345678901234567890123456789012345678901234567890::BIGNUM", "1234567890" * 5),
    ],
)
def test_an_odd_value_is_text(value, text):
    table = arrow(f"SELECT {value} AS x, 1 AS n UNION ALL SELECT NULL, 2 ORDER BY n")
    assert as_frame(table)["x"].to_list() == [text, None]
    assert as_frame(table.to_batches()[0])["x"][0] == text


def test_a_number_without_a_type_in_arrow_is_text_with_every_digit(web):
    most = 2**128 - 1
    query = (
        "SELECT ($most::VARCHAR)::UHUGEINT - n::UHUGEINT AS u, n AS n, n AS n, [5::UHUGEINT] AS l"
        " FROM range(2) AS r(n) ORDER BY n DESC"
    )
    frame = web.sql(query, {"most": str(most)})
    assert frame.rows() == [(str(most - n), n, n, "[5]") for n in (1, 0)]
    relation = connected().sql("SELECT 1::HUGEINT AS h, [1] AS l")
    assert with_every_digit(relation) is relation


def test_ordinary_columns_pass_as_they_are():
    table = arrow("SELECT DATE '0001-01-01' AS a, TIMESTAMP '9999-12-31 23:59:59' AS b, [1] AS c")
    assert readable(table) is table


def test_no_name_stands_twice():
    assert own_names(["id", "id", "id_1", "id"]) == ["id", "id_2", "id_1", "id_3"]
    frame = as_frame(arrow("SELECT 1 AS id, 2 AS id"))
    assert frame.to_dicts() == [{"id": 1, "id_1": 2}]


@pytest.mark.parametrize("more", ["", ", [1] AS l, 1.50::DECIMAL(9, 2) AS m"])
def test_a_table_is_the_same_by_polars_and_without(more):
    """With a type that takes Polars and without one."""
    table = arrow(
        "SELECT 1::TINYINT AS a, 18446744073709551615::UBIGINT AS b, 0.1::FLOAT AS c, 1e-9 AS d,"
        " 'nan'::DOUBLE AS e, true AS f, 'x\n' AS g, DATE '0001-01-01' AS h, 2 AS a, DATE"
        f" 'infinity' AS i, TIMESTAMP '9999-12-31 23:59:59.5' AS j{more}"
        f" UNION ALL SELECT {', '.join(['NULL'] * (11 + more.count('AS')))}"
    )
    for rows in (table, table.slice(0, 0)):
        for width in (sys.maxsize, 10):
            assert as_fits(rows, width) == as_fits(as_frame(rows), width)


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "sqlite", "parquet"])
def test_every_format_takes_them(tmp_path, ending):
    query = "SELECT 1 AS id, 2 AS id, DATE 'infinity' AS d, INTERVAL 1 DAY AS i"
    out = tmp_path / f"out.{ending}"
    assert write(arrow(query).to_reader(), str(out), ending) == 1
    if ending == "jsonl":
        assert json.loads(out.read_text()) == {"id": 1, "id_1": 2, "d": "infinity", "i": "1 day"}


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "sqlite", "parquet", "table"])
@pytest.mark.parametrize("rows", [0, 1])
def test_a_type_of_which_arrow_makes_no_empty_column_is_text(tmp_path, ending, rows):
    query = f"SELECT union_value(k := 'a value') AS u, 1 AS n LIMIT {rows}"
    out = tmp_path / f"out.{ending}"
    assert write(arrow(query).to_reader(), str(out), ending) == rows
    assert (b"a value" in out.read_bytes()) == (rows == 1)
