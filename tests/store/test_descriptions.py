"""Everything in the file describes itself, in plain DuckDB, before detection and after it."""

from __future__ import annotations

import re

import duckdb
import pytest
from conftest import rest_slow

from replicadb.store import schema
from replicadb.store.statements import statements

MACROS = {"shared_pages", "pages_to_fetch", "projected_training_set", "evidence_of"}
UNEXPLAINED = {"superseded", "page_urls", "pair_features", "non_replicas"}
"""Tables and a view whose columns are those of urls, and of the view candidate_pairs."""
IDS = re.compile(r".*_id$")


@pytest.fixture(scope="module", params=rest_slow(["robust", "empty", "loaded", "paper"], quick=2))
def shell(request):
    names = {"robust": "detected_robust", "empty": "_empty", "loaded": "crawled"}
    path = request.getfixturevalue(names.get(request.param, "detected"))
    with duckdb.connect(str(path), read_only=True) as con:
        yield con


def described(con: duckdb.DuckDBPyConnection) -> dict[tuple, str]:
    return {
        row[:3]: row[3]
        for row in con.execute(
            "SELECT kind, name, column_name, comment FROM descriptions"
        ).fetchall()
    }


def views(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Every view by its name, and how a query spells it."""
    return dict(
        con.execute(
            "SELECT view_name, schema_name || '.' || view_name FROM duckdb_views()"
            " WHERE NOT internal"
        ).fetchall()
    )


def test_every_view_and_each_of_its_columns_is_described(shell):
    found = described(shell)
    assert len(views(shell)) >= 11
    for view, spelled in views(shell).items():
        assert found["view", view, None]
        for column, *_ in shell.execute(f"DESCRIBE {spelled}").fetchall():
            assert view in UNEXPLAINED or found["column", view, column]


def test_every_macro_is_described_with_its_columns(shell):
    found = described(shell)
    assert {name for kind, name, _ in found if kind == "macro"} == MACROS
    for macro in MACROS:
        for column, *_ in shell.execute(f"DESCRIBE SELECT * FROM {macro}('a', 'b')").fetchall():
            assert column in found["macro", macro, None]


def test_every_table_is_described_and_its_columns_but_ids(shell):
    found = described(shell)
    for table, column in shell.execute(
        """SELECT table_name, column_name FROM duckdb_columns()
            WHERE NOT internal AND table_name NOT IN (FROM duckdb_views() SELECT view_name)"""
    ).fetchall():
        assert found["table", table, None]
        assert ("column", table, column) in found or table in UNEXPLAINED or IDS.match(column), (
            f"{table}.{column}"
        )


@pytest.mark.slow
def test_a_column_that_can_be_null_says_what_null_means(shell):
    found = described(shell)
    for view, spelled in views(shell).items():
        columns = [row[0] for row in shell.execute(f"DESCRIBE {spelled}").fetchall()]
        holes = shell.execute(
            f"SELECT {', '.join(f'count(*) - count({column})' for column in columns)}"
            f" FROM {spelled}"
        ).fetchone()
        for column, missing in zip(columns, holes, strict=True):
            assert not missing or view in UNEXPLAINED or "NULL" in found["column", view, column], (
                f"{view}.{column}"
            )


def test_descriptions_are_sentences_that_name_no_file_outside_of_the_database(shell):
    for key, comment in described(shell).items():
        assert (
            comment == comment.strip()
            and comment[-1] in ".;)"
            and "METHOD" not in comment
            and ".md" not in comment
        ), key


def test_no_comment_stands_where_a_detection_loses_it():
    """Tables that detect makes anew carry their comments where they are made."""
    made_anew = set(schema.results())
    apart = "".join(text for stem in schema.VIEWS for text in statements(stem).values())
    commented = set(re.findall(r"COMMENT ON COLUMN (\w+)\.", apart))
    assert made_anew and commented and not made_anew & commented
