"""What hosts of test crawls say of who runs them, drawn by their names."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa

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


LANGUAGES = ("de", "fr", "eng", "pt")


def language_of(host: str, path: str) -> str | None:
    """The language that a page says: of a third of the hosts none; else the host's, but for one
    page in eight, which says any or what is none.
    """
    draw = random.Random(f"language of {host}")
    if draw.random() < 0.33:
        return None
    mine, page = draw.choice(LANGUAGES), random.Random(f"{host} {path}")
    return page.choice((*LANGUAGES, "und")) if page.random() < 0.125 else mine


def say(web: replicadb.ReplicaDB) -> None:
    """Store them for every host, as if pages of two sources had been read; and languages, which are
    of nobody.
    """
    db = web.database
    rows = [
        [source, host_id, kind, value, 1]
        for host_id, host in db.rows("SELECT host_id, host FROM hosts ORDER BY host")
        for kind, values in identifiers_of(host).items()
        for value in values
        for source in ((1, 2) if len(value) % 2 else (1,))
    ]
    pages = db.rows("SELECT host_id, host, path, url_id FROM urls JOIN hosts USING (host_id)")
    spoken = Counter(
        (host_id, language_of(host, path)) for host_id, host, path in {page[:3] for page in pages}
    )
    rows += [
        [1, host_id, "language", language, n]
        for (host_id, language), n in spoken.items()
        if language
    ]
    languages = [(1, url_id, language_of(host, path)) for _, host, path, url_id in pages]
    for table, said in (("identifiers", rows), ("page_languages", languages)):
        names = [str(place) for place in range(len(said[0]))]
        columns = pa.table([pa.array(column) for column in zip(*said, strict=True)], names)
        with db.registered("said", columns):  # a row at a time took most of the tests of models
            db.execute(f"INSERT INTO internal.{table} FROM said")
