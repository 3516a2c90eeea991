"""SQL made from the catalogue of evidence.

An SQL file marks the place with a line ``-- fill: replicadb.detection.evidence_sql.columns`` and
the loader puts there what the function returns (``store/statements.py``).
"""

from __future__ import annotations

from replicadb.detection.evidence import EVIDENCE
from replicadb.store.quoting import literal


def select_list() -> str:
    """The columns' expressions, one a line."""
    return ",\n".join(f"({piece.sql})::{piece.type} AS {piece.name}" for piece in EVIDENCE)


def columns() -> str:
    """The columns as CREATE TABLE has them behind others, one a line, each with its comma."""
    return "\n".join(f", {piece.name} {piece.type}" for piece in EVIDENCE)


def comments(relation: str) -> str:
    """COMMENT ON COLUMN statements for the columns of a table or view, one a line."""
    return "\n".join(
        f"COMMENT ON COLUMN {relation}.{piece.name} IS {literal(piece.comment)};"
        for piece in EVIDENCE
    )
