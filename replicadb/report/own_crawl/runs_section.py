"""Settings of the last detection, versions, and what was done to the database.

Invariant: settings and counts are shown as they stand in the run log.
"""

from __future__ import annotations

import json
from typing import Any

from replicadb.report import table_html
from replicadb.report.safe_text import esc, seconds

Row = dict[str, Any]
LONGEST = 2_000
"""Characters of a run's settings."""


def runs_section(inventory: Row, runs: list[Row]) -> str:
    """The settings of the last detection, and the run log."""
    detection = inventory["detection"]
    out = ""
    if detection:
        settings = [(name, _value(value)) for name, value in detection["settings"].items()]
        out += f"<h3>Settings of the last detection</h3>\n{table_html.pairs(settings)}"
    rows = [
        [
            esc(run["run_id"]),
            f"<code>{esc(run['command'])}</code>",
            esc(run["started"]),
            esc(seconds(run["seconds"])),
            esc(f"{run['version']}, DuckDB {run['duckdb']}"),
            _json(run["settings"]),
            _json(run["counts"]),
        ]
        for run in runs
    ]
    head = ["run", "command", "begun (UTC)", "took", "replicadb", "settings", "counts"]
    return out + table_html.table(
        "What was done to this database, the last first", head, rows, numbers=9, kind="runs"
    )


def _value(value: Any) -> str:
    return "not set" if value is None else str(value)


def _json(values: Row) -> str:
    """What is set, in a cell that opens."""
    given = {name: value for name, value in values.items() if value not in (None, False, [], "")}
    if not given:
        return ""
    text = json.dumps(given, ensure_ascii=False, default=str)
    return f"<details><summary>show</summary><code>{esc(text, LONGEST)}</code></details>"
