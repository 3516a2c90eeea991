"""A Python function over the distinct strings of a query, a batch at a time, as a table."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from replicadb.store.database import Database

BATCH = 50_000  # distinct strings at a time, to bound memory


def map_distinct(
    db: Database,
    query: str,
    table: str,
    columns: tuple[str, ...],
    function: Callable[[str], tuple[str | None, ...]],
    parameters: dict[str, int] | None = None,
) -> None:
    """Make the temporary table ``table``: the query's distinct strings, and what the function says
    of each.
    """
    with db.temporary(keep=(table,)):
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} ({', '.join(f'{c} VARCHAR' for c in columns)})"
        )
        db.execute("CREATE OR REPLACE TEMP TABLE map_queue (n BIGINT, key VARCHAR)")
        db.execute(
            f"INSERT INTO map_queue SELECT row_number() OVER () - 1, * FROM ({query})", parameters
        )
        for start in range(0, db.value("SELECT count(*) FROM map_queue"), BATCH):
            keys = db.arrow(
                "SELECT key FROM map_queue WHERE n >= $start AND n < $stop",
                {"start": start, "stop": start + BATCH},
            )
            rows = [(key, *function(key)) for key in keys.column(0).to_pylist()]
            batch = pa.table(
                [pa.array(values, pa.string()) for values in zip(*rows, strict=True)],
                names=list(columns),
            )
            with db.registered("mapped_batch", batch):
                db.execute(f"INSERT INTO {table} FROM mapped_batch")
