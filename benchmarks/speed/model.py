"""Time what a model does at crawl time: being made and opened, one pair, a batch of pairs, a new
host looked up.

Marks (2 cores): opened in less than 1 s; one pair in less than 1 ms (median) and 5 ms (99th
percentile); 1,000,000 pairs/s in batches.

    python -m benchmarks.speed.model [--hosts N] [--profile NAME] [--links] [DB]

With DB on a database that detect has run on (its model goes to a temporary file), else on a
generated crawl. In-process, one warm-up of each kind first.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb
import numpy as np
import polars as pl

import replicadb
from benchmarks.measure import markdown, reading
from replicadb.model import Host

PAIRS = 1_000
BATCH = 1_000_000
LOOKUPS = 300
MANY_PAGES = 200
"""Of a new host, so many pages at most: a crawler that has just met it has a handful."""


def main(db: Path, folder: Path) -> str:
    """A Markdown table of everything above for one database."""
    path = folder / "measured.model"
    with replicadb.open(db, read_only=True) as web:
        started = time.perf_counter()
        web.model(path)
        made = time.perf_counter() - started
    opening = _times(lambda _: replicadb.open_model(path), range(5))
    model = replicadb.open_model(path)
    with reading(db) as con:
        candidates = con.sql(
            "SELECT a.host AS host_a, b.host AS host_b FROM (SELECT a_id, b_id FROM ranking USING"
            " SAMPLE reservoir(1000000 ROWS) REPEATABLE (1)) AS r JOIN hosts AS a ON a.host_id ="
            " a_id JOIN hosts AS b ON b.host_id = b_id"
        ).to_arrow_table()
        hosts = _new_hosts(con)
    candidates = pl.from_arrow(candidates)
    draw = np.random.default_rng(1)
    places = draw.integers(0, model.n, (BATCH, 2))
    places = places[places[:, 0] != places[:, 1]]
    names = model.names.all.to_numpy(zero_copy_only=False)
    random = pl.DataFrame(
        {
            "host_a": pl.Series(names[places[:, 0]], dtype=pl.String),
            "host_b": pl.Series(names[places[:, 1]], dtype=pl.String),
        }
    )
    rows = [
        ["made", f"{made:.1f} s", f"file {path.stat().st_size / 1e6:,.0f} MB", ""],
        [
            "opened",
            f"{np.median(opening) * 1e3:.0f} ms",
            f"slowest {max(opening) * 1e3:.0f} ms",
            "1 s",
        ],
    ]
    for kind, frame in (("candidates", candidates), ("random pairs", random)):
        rows += _scoring(model, kind, frame)
    lookups = _times(model.lookup, hosts)
    rows.append(
        [
            f"lookup of a new host, {np.mean([len(host.pages) for host in hosts]):.0f} pages",
            _milliseconds(lookups, 50),
            f"99th percentile {_milliseconds(lookups, 99)}",
            "",
        ]
    )
    counts = model.header["counts"]
    return (
        f"{counts['hosts']:,} hosts, {counts['urls']:,} URLs, {counts['candidate_pairs']:,}"
        " candidate pairs\n\n" + markdown(["model", "", "", "mark"], rows)
    )


def _scoring(model: replicadb.model.Model, kind: str, frame: pl.DataFrame) -> list[list[str]]:
    """Rows of one pair at a time, and of all in one call."""
    one = _times(lambda pair: model.score_pair(*pair), frame.head(PAIRS).rows())
    model.score(frame.head(10))
    started = time.perf_counter()
    model.score(frame)
    seconds = time.perf_counter() - started
    return [
        [
            f"one pair, {kind}",
            _milliseconds(one, 50),
            f"99th percentile {_milliseconds(one, 99)}",
            "1 ms, 5 ms",
        ],
        [
            f"batch, {len(frame):,} {kind}",
            f"{len(frame) / seconds:,.0f} pairs/s",
            f"{seconds:.2f} s",
            "1,000,000",
        ],
    ]


def _new_hosts(con: duckdb.DuckDBPyConnection) -> list[Host]:
    """Hosts with pages of known ones under another name."""
    found = con.execute(
        """
        WITH met AS (
            SELECT host_id FROM host_stats WHERE n_shared_clusters > 0
            USING SAMPLE reservoir(300 ROWS) REPEATABLE (1))
        SELECT host_id, path, fingerprint_kind || ':' || fingerprint AS fingerprint, mime, title,
            length
        FROM urls SEMI JOIN met USING (host_id)
        QUALIFY row_number() OVER (PARTITION BY host_id ORDER BY path) <= $most
        ORDER BY host_id""",
        {"most": MANY_PAGES},
    ).fetchall()
    pages: dict[int, list] = {}
    for host, *page in found:
        pages.setdefault(host, []).append(page)
    return [Host(f"new-{host}.example", rows) for host, rows in pages.items()][:LOOKUPS]


def _times(do: Callable, things: Iterable) -> list[float]:
    things, seconds = list(things), []
    do(things[0])
    for thing in things:
        started = time.perf_counter()
        do(thing)
        seconds.append(time.perf_counter() - started)
    return seconds


def _milliseconds(seconds: list[float], percentile: int) -> str:
    return f"{np.percentile(seconds, percentile) * 1e3:.2f} ms"


def generated(folder: Path, hosts: int, profile: str, links: bool) -> Path:
    """A database of a generated crawl, detected."""
    from replicadb.synthetic.crawl.generate import generate

    made = generate(folder, hosts, profile=profile, links=links)
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(made.crawl, hosts=folder / "hosts.csv", all_types=profile == "themes")
        web.detect()
    return folder / "web.duckdb"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("db", nargs="?", type=Path)
    parser.add_argument("--hosts", type=int, default=4_000)
    parser.add_argument("--profile", default="ordinary")
    parser.add_argument("--links", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(
            main(
                given.db or generated(Path(scratch), given.hosts, given.profile, given.links),
                Path(scratch),
            )
        )
