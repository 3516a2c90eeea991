"""The page of tables: what a fresh database says of its own tables, views, macros and columns."""

from __future__ import annotations

import tempfile
from pathlib import Path

import replicadb
from replicadb.cli.docs_command import dictionary
from replicadb.cli.markdown import MADE_BY, paragraph, plain, table
from replicadb.detection.evidence import EVIDENCE

ABOUT = """
`FROM descriptions` says the same of the file at hand. Names that end in `_id` are keys of the table
of that name.

What a person wants first stands in the schema `main`: `SHOW TABLES` shows it. The rest is written
with its schema: `details` for what stands behind the replicas, `history` for what was run,
`page_level` for single pages, `internal` for what only stages and views read. `replicadb sql` and
Python find the names without a schema, too. A DuckDB shell names
what you meant, and finds it after the last query of `start_here`.
"""
TITLES = {"view": "Views", "macro": "Table macros", "table": "Tables"}


def tables_page() -> str:
    """Every table, view and macro with its columns, then the pieces of evidence, as Markdown."""
    with (
        tempfile.TemporaryDirectory() as folder,
        replicadb.open(Path(folder) / "fresh.duckdb") as db,
    ):
        rows = dictionary(db.database, internals=True)
    described = [(row["kind"], row["name"], row["column_name"], row["comment"]) for row in rows]
    parts = ["# Tables", MADE_BY, paragraph(ABOUT)]
    for kind, title in TITLES.items():
        parts.append(f"## {title}")
        for _, name, _, comment in [row for row in described if row[0] == kind]:
            columns = [
                (f"`{column}`", text)
                for what, of, column, text in described
                if (what, of) == ("column", name)
            ]
            parts += [f"### {name}", paragraph(plain(comment))]
            parts += [table(("column", "what it is"), columns)] if columns else []
    return "\n\n".join([*parts, *_evidence()]) + "\n"


def _evidence() -> list[str]:
    """The catalogue of evidence, a row a piece."""
    rows = [
        (f"`{piece.name}`", piece.group, piece.definition, piece.null, ", ".join(piece.used_by))
        for piece in EVIDENCE
    ]
    head = ("piece", "group", "definition", "NULL", "weighed by")
    about = "The columns of `pair_features`: how alike two hosts are, each in one respect."
    return ["## Evidence", about, table(head, rows)]
