"""What hosts of test crawls say of who runs them, drawn by their names."""

from __future__ import annotations

import random

import replicadb

VALUES = {"mail": 12, "wallet": 30, "analytics": 6, "server": 3}
"""How many values of a kind there are: the fewer, the more hosts have each."""


def identifiers_of(host: str) -> dict[str, list[str]]:
    """Of a quarter of the hosts none; one value of each kind is the host's alone. One is of most.
    Kinds have values in common, which are not the same for it.
    """
    draw = random.Random(host)
    if draw.random() < 0.25:
        return {}
    said = {
        kind: sorted({f"value {draw.randrange(n)}" for _ in range(draw.randint(1, 3))})
        + [f"{kind} of {host}"] * (draw.random() < 0.2)
        for kind, n in VALUES.items()
        if draw.random() < 0.5
    }
    return said | ({"tls": ["of most"]} if draw.random() < 0.9 else {})


def say(web: replicadb.ReplicaDB) -> None:
    """Store them for every host, as if pages of two sources had been read; and languages, which are
    of nobody.
    """
    db = web.database
    rows = [
        [source, host_id, kind, value, 1]
        for host_id, host in db.rows("SELECT host_id, host FROM hosts ORDER BY host")
        for kind, values in (identifiers_of(host) | {"language": [f"l{host_id % 7}"]}).items()
        for value in values
        for source in ((1, 2) if len(value) % 2 else (1,))
    ]
    db.con.executemany("INSERT INTO internal.identifiers VALUES (?, ?, ?, ?, ?)", rows)
