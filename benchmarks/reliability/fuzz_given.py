"""Targets of the campaign fuzz beside crawls: gold, decisions, models, and what sql writes.

Always true here: a sound input is taken, and a value that sql writes is read back as it was.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

import replicadb
from benchmarks.reliability.campaign import Failed
from replicadb.decisions.decision_files import decision_rows
from replicadb.evaluation.gold_file import read_table
from replicadb.export import writers
from replicadb.model import open_model

Use = Callable[[bytes, Path], str]
GOLD = b"host_a,host_b,label\na.example,b.example,replica\nwww.a.example,c.example,no replica\n"
DECISIONS = (
    GOLD.replace(b"label\n", b"label,note\n").replace(b"replica\n", b'replica,"a note, quoted"\n'),
    b'{"host_a": "a.example", "host_b": "b.example", "label": "yes", "note": "x"}\n'
    b'{"host_a": "c.example", "label": "keep"}\n',
)
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
        "sql output": (list(VALUES), written),
    }


def _read(path: Path, format: str) -> str:
    if format == "csv":
        return list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))[1][0]
    rows = json.loads(path.read_bytes())
    return str((rows[0] if format == "json" else rows)["v"])
