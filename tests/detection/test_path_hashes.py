"""Paths are compared by number within a detection: different ones need different numbers, also
where they look alike.
"""

from __future__ import annotations

import duckdb
import pytest

from replicadb.store.statements import statements


@pytest.mark.parametrize(
    "path",
    [
        "'/article.php?a=' || i // 777 || '&b=' || i % 777",
        "'/p' || i % 1000 || '?id=' || i // 1000 || '&zq=' || i * 7 + 1",
        "'/0000' || printf('%03d', i // 1000) || '/0000' || printf('%03d', i % 1000) || '-a.html'",
    ],
)
def test_different_paths_have_different_numbers(path):
    with duckdb.connect() as con:
        con.execute(statements("functions/10_hashes")["hash64"])
        assert con.execute(
            f"SELECT count(DISTINCT s) - count(DISTINCT hash64(s)) FROM (SELECT {path} AS s FROM"
            " range(100_000) AS t(i))"
        ).fetchall() == [(0,)]
