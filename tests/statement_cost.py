"""What a statement costs, in rows and joins and not in seconds: bounds hold on any machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from replicadb.store.database import Database

NESTED = {"NESTED_LOOP_JOIN", "BLOCKWISE_NL_JOIN"}
"""Joins that look at every row of one side for every row of the other."""
ROWS = ("intermediate_rows", "operator_cardinality")
"""The rows that an operator gives, as newer and older versions of DuckDB call them."""


def most_rows(db: Database, query: str, parameters: dict[str, Any] | None = None) -> int:
    """The rows that the largest operator of a query gives."""
    text = db.rows(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}", parameters)[0][1]
    return max(node.get(name, 0) for node in _nodes(json.loads(text)) for name in ROWS)


def nested_joins(
    db: Database, statement: str, parameters: dict[str, Any] | None = None
) -> set[str]:
    """The operators of a statement that are joins in nested loops."""
    text = db.rows(f"EXPLAIN (FORMAT JSON) {statement}", parameters)[0][1]
    return {node["name"].strip() for node in _nodes(json.loads(text)) if "name" in node} & NESTED


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
    for child in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(child, (dict, list)):
            yield from _nodes(child)
