"""Small tables that people give, CSV or Parquet: gold, pairs, lists. All cells are texts."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from replicadb.errors import DataError, UsageError
from replicadb.given_file import is_parquet
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.store.quoting import file_name


def table_as_text(db: Database, path: str | Path) -> pa.Table:
    """The cells of a Parquet file, or of a CSV with a header, in their order.

    Raises:
        DataError: it cannot be read as one.
    """
    packed = is_parquet(path)
    scan = (
        "SELECT COLUMNS(*)::VARCHAR FROM read_parquet($path)"
        if packed
        else "FROM read_csv($path, header = true, all_varchar = true)"
    )
    try:
        with db.in_order():
            return db.con.sql(scan, params={"path": file_name(path)}).to_arrow_table()
    except UsageError:  # closed
        raise
    except duckdb.Error as error:
        kind = "Parquet" if packed else "CSV"
        raise DataError(
            f"{path}: not a {kind} file that can be read: {first_line(error)}"
        ) from error
