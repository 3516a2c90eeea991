"""The ids of sources, loads, hosts, origins and URLs: rising, and never given out twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from replicadb.load.load_options import COUNTS
from replicadb.store.arrow import put_values
from replicadb.store.database import Database


def last_id(db: Database, what: str) -> int:
    """The highest id given out so far to a source, host, origin or url; ids of what is gone never
    come back.
    """
    return int(db.value("SELECT value FROM meta WHERE key = ?", [f"last_{what}"]) or 0)


def remember(db: Database, last: dict[str, int]) -> None:
    """Keep the highest ids given out; inside a transaction."""
    put_values(db, "meta", {f"last_{what}": str(value) for what, value in last.items()})


def next_source(db: Database) -> int:
    """A source id that no source ever had, not even one that was taken out."""
    remember(db, {"source": (last := last_id(db, "source")) + 1})
    return last + 1


def insert_source(
    db: Database,
    source_id: int,
    load_id: int,
    name: str,
    format: str,
    digest: str,
    size: int,
    seconds: float,
    counts: Mapping[str, Any],
) -> None:
    """Write down that a source was loaded.

    Args:
        digest: its SHA-256, in hex. size: its bytes. counts: COUNTS by name, and others.
    """
    numbers = [counts[name] for name in COUNTS]
    db.execute(
        "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, now()::TIMESTAMP, ?, ?, ?, ?, ?, ?)",
        [source_id, load_id, name, format, digest, size, seconds, *numbers],
    )


def load_of(db: Database, label: str) -> int:
    """The id of the load of that label, made if there is none."""
    known = db.value("SELECT load_id FROM loads WHERE name = ?", [label])
    if known is None:
        known = (db.value("SELECT max(load_id) FROM loads") or 0) + 1
        db.execute(
            "INSERT INTO loads (load_id, name, loaded_at) VALUES (?, ?, now()::TIMESTAMP)",
            [known, label],
        )
    return int(known)


def loads_of(db: Database, labels: list[str]) -> dict[str, int]:
    """The ids of the loads of those labels, made in their order where there are none."""
    query = "SELECT name, load_id FROM loads WHERE list_contains($labels::VARCHAR[], name)"
    found = dict(db.rows(query, {"labels": labels}))
    new = [label for label in dict.fromkeys(labels) if label not in found]
    last = db.value("SELECT max(load_id) FROM loads") or 0
    made = {label: last + number for number, label in enumerate(new, 1)}
    table = pa.table({"load_id": list(made.values()), "name": list(made)})
    with db.registered("new_loads", table):
        db.execute(
            "INSERT INTO loads BY NAME"
            " SELECT load_id, name, now()::TIMESTAMP AS loaded_at FROM new_loads"
        )
    return found | made


def label_of(db: Database, source_id: int) -> str | None:
    """The label of a source's load."""
    label: str | None = db.value(
        "SELECT name FROM loads JOIN sources USING (load_id) WHERE source_id = ?", [source_id]
    )
    return label
