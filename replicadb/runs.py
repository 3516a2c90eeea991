"""The log of what was done to a database: the table ``runs``."""

from __future__ import annotations

import json
import time
from typing import Any

import duckdb

import replicadb
from replicadb.database import Database


def record(db: Database, command: str, started: float, settings: dict[str, Any], counts: dict[str, Any]) -> None:
    """Add one row to ``runs``. started is seconds since 1970; settings and counts are kept as JSON."""
    db.execute(
        "INSERT INTO runs SELECT coalesce(max(run_id), 0) + 1, ?, make_timestamp((? * 1000000)::BIGINT), ?, ?, ?, ?, ? FROM runs",
        [command, started, time.time() - started, replicadb.__version__, duckdb.__version__,
         json.dumps(settings), json.dumps(counts)])
