"""Targets of the campaign fuzz beside crawls: gold, decisions, pairs of pages, models as they are
and forged, and what sql writes.

Invariant: a sound input is taken, and a value that sql writes is read back as it was.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

import polars as pl

import replicadb
from benchmarks.reliability.campaign import Failed
from replicadb.decisions.decision_files import decision_rows
from replicadb.evaluation.gold_file import read_table
from replicadb.export import writers
from replicadb.model import open_model
from replicadb.model.model_file import ALIGN, FORMAT, MAGIC, START
from replicadb.page_pairs.pair_list import read_pairs

Use = Callable[[bytes, Path], str]
GOLD = b"host_a,host_b,label\na.example,b.example,replica\nwww.a.example,c.example,no replica\n"
DECISIONS = (
    GOLD.replace(b"label\n", b"label,note\n").replace(b"replica\n", b'replica,"a note, quoted"\n'),
    b'{"host_a": "a.example", "host_b": "b.example", "label": "yes", "note": "x"}\n'
    b'{"host_a": "c.example", "label": "keep"}\n',
)
PAIRS = b"url_a,url_b,label\nhttp://a.example/,http://b.example/x,yes\na.example,c.example,no\n"
NUMBERS = (
    *(struct.pack("<q", n) for n in (-1, 2**31 - 1, 2**63 - 1, -(2**63), 10**9)),
    *(struct.pack("<d", x) for x in (math.nan, math.inf, -1e308, 5e-324)),
)
"""What stands in the arrays of a forged model."""
VALUES = (b"=1+1", b"a,b;c\td", b'quoted "text"', "ä\u2028\u202e".encode(), b"line\r\nbreak", b"")


def targets(folder: Path, web: replicadb.ReplicaDB, table: pl.DataFrame) -> dict[str, object]:
    """By name, sound inputs and what is done with a mutated one.

    Args:
        folder: for files.
        web: an empty database.
        table: rows of a crawl, to make a model of.
    """
    table.drop("html").write_parquet(folder / "model.parquet")
    with replicadb.open(folder / "model.duckdb", threads=1) as other:
        other.load(folder / "model.parquet")
        other.detect()
        other.model(folder / "sound.model")
    model = (folder / "sound.model").read_bytes()
    header, body = parts(model)
    names = sorted({url.split("/")[2] for url in table["url"].to_list()})[:3]

    def gold(data: bytes, path: Path) -> str:
        path.write_bytes(data)
        read_table(web.database, path)
        return "kept"

    def decisions(data: bytes, path: Path) -> str:
        path.write_bytes(data)
        return "kept" if decision_rows(path).num_rows else "nothing in it"

    def forged(data: bytes, path: Path) -> str:
        path.write_bytes(data)
        open_model(path).score([("a.example", "b.example")])
        return "kept"

    def resealed(data: bytes, path: Path) -> str:
        path.write_bytes(sealed(data, body))
        found = open_model(path)
        for other in (*names[1:], "b.example"):
            found.score([(names[0], other)])
        return "kept"

    def pairs(data: bytes, path: Path) -> str:
        path.write_bytes(data)
        return "kept" if len(read_pairs(web.database, path).url_a) else "nothing in it"

    def written(data: bytes, path: Path) -> str:
        text = data.decode("utf-8", "replace")
        for format in ("json", "jsonl", "csv"):
            found = web.database.con.sql("SELECT $v AS v", params={"v": text}).to_arrow_reader()
            writers.write(found, str(path), format)
            if _read(path, format) != text:
                raise Failed(f"{format} gives back {_read(path, format)!r}")
        return "kept"

    return {
        "gold": ([GOLD], gold),
        "decisions": (list(DECISIONS), decisions),
        "model": ([model], forged),
        "forged model": ([header], resealed),
        "pairs": ([PAIRS], pairs),
        "sql output": (list(VALUES), written),
    }


def parts(model: bytes) -> tuple[bytes, bytes]:
    """The header of a model, in JSON, and the arrays behind it."""
    length = START.unpack(model[: START.size])[3]
    end = START.size + length
    return model[START.size : end], model[-(-end // ALIGN) * ALIGN :]


def sealed(header: bytes, body: bytes) -> bytes:
    """A model of that header whose checksums are right, a few numbers of its arrays changed, as
    follows from the header; a forged one.
    """
    draw, arrays = random.Random(header), bytearray(body)
    for _ in range(draw.choice((0, 0, 1, 5))):
        at = draw.randrange(0, len(arrays) - 8, 8)
        arrays[at : at + 8] = draw.choice(NUMBERS)
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        told = dict(json.loads(header))
        told["sha256"] = hashlib.sha256(arrays).hexdigest()
        header = json.dumps(told).encode()
    first = START.pack(MAGIC, FORMAT, 0, len(header), hashlib.sha256(header).digest()) + header
    return first + bytes(-len(first) % ALIGN) + bytes(arrays)


def _read(path: Path, format: str) -> str:
    if format == "csv":
        before = csv.field_size_limit(1 << 30)  # Python's own is 131,072 characters
        try:
            return list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))[1][0]
        finally:
            csv.field_size_limit(before)
    rows = json.loads(path.read_bytes())
    return str((rows[0] if format == "json" else rows)["v"])
