"""Small CSV files that people write: gold, labels, lists. All cells are texts."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from replicadb.errors import DataError, UsageError
from replicadb.store.connecting import first_line
from replicadb.store.database import Database
from replicadb.store.quoting import file_name


def csv_as_text(db: Database, path: str | Path) -> pa.Table:
    """The cells of a CSV with a header, in their order.

    Raises:
        DataError: it cannot be read as one.
    """
    try:
        with db.in_order():
            return db.con.sql(
                "FROM read_csv($path, header = true, all_varchar = true)",
                params={"path": file_name(path)},
            ).to_arrow_table()
    except UsageError:  # closed
        raise
    except duckdb.Error as error:
        raise DataError(f"{path}: not a CSV file that can be read: {first_line(error)}") from error
