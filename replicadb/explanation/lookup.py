"""What the explanations share: a detection to explain, a host by any spelling, rows as dicts."""

from __future__ import annotations

import re
from typing import Any

import duckdb

from replicadb.errors import DataError
from replicadb.store.database import Database
from replicadb.store.run_log import LAST_STAGE
from replicadb.web.urls import refanged, spellings

Row = dict[str, Any]


def need_detection(db: Database) -> None:
    """Raises DataError where nothing was detected yet."""
    if not db.value("SELECT count(*) FROM stages WHERE stage = ?", [LAST_STAGE]):
        raise DataError(
            f"{db.path}: no replicas in it yet; find them first: replicadb detect {db.path}"
        )


def known_host(db: Database, given: str) -> str:
    """The host as it is named here.

    Raises:
        DataError: there is none of that name; with the nearest ones.
    """
    given = refanged(given)
    spelled = given if given.isascii() else spellings(given)[:2][-1]
    try:
        return str(db.value("SELECT internal.host_named(?)", [spelled]))
    except duckdb.InvalidInputException as error:
        raise DataError(f"{db.path}: {str(error).partition(': ')[2]}") from error


def rows_of(db: Database, sql: str, given: Row) -> list[Row]:
    """A query's rows as dicts; of the parameters those that it names."""
    wanted = set(re.findall(r"\$([a-z_]+)", sql))
    named = {name: value for name, value in given.items() if name in wanted}
    rows: list[Row] = db.arrow(sql, named).to_pylist()
    return rows
