"""What hosts of test crawls say of who runs them, drawn by their names."""

from __future__ import annotations

import random

import replicadb

VALUES = {"mail": 12, "wallet": 30, "analytics": 6, "server": 3}
"""How many values of a kind there are: the fewer, the more hosts have each."""


def identifiers_of(host: str) -> dict[str, list[str]]:
    """Of a quarter of the hosts none; one value of each kind is the host's alone."""
    draw = random.Random(host)
    if draw.random() < 0.25:
        return {}
    return {
        kind: sorted({f"{kind} {draw.randrange(n)}" for _ in range(draw.randint(1, 3))})
        + [f"{kind} of {host}"] * (draw.random() < 0.2)
        for kind, n in VALUES.items()
        if draw.random() < 0.5
    }


def say(web: replicadb.ReplicaDB) -> None:
    """Store them for every host, as if pages had been read; and a language, which is of nobody."""
    db = web.database
    rows = [
        [1, host_id, kind, value, 1]
        for host_id, host in db.rows("SELECT host_id, host FROM hosts ORDER BY host")
        for kind, values in (identifiers_of(host) | {"language": ["en"]}).items()
        for value in values
    ]
    db.con.executemany("INSERT INTO internal.identifiers VALUES (?, ?, ?, ?, ?)", rows)
