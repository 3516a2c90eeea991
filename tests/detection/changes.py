"""Pages of a crawl fetched again and changed in every way that a detection may mind; what it finds
after such loads, and what a fresh database finds.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from functools import cache
from pathlib import Path

import polars as pl

import replicadb

from .crawls import only_pairs


def write(path: Path, rows: list[dict]) -> Path:
    pl.DataFrame(rows, infer_schema_length=None).drop(
        "scheme", "host", "path", strict=False
    ).write_parquet(path)
    return path


def rows_of(crawl: Path, host: str, n: int) -> list[dict]:
    """Some pages of a host, to be fetched again."""
    return [dict(row) for row in rows_by_host(crawl).get(host, [])[:n]]


@cache
def rows_by_host(crawl: Path) -> dict[str, list[dict]]:
    found = defaultdict(list)
    for row in pl.read_parquet(crawl / "crawl.parquet").sort("url", maintain_order=True).to_dicts():
        if row["status"] == "200" and row["fingerprint"]:
            found[row["url"].split("/")[2]].append(row)
    return found


@cache
def hosts_of(crawl: Path) -> list[str]:
    with replicadb.open(crawl / "web.duckdb", read_only=True) as web:
        return web.database.column(
            "SELECT host FROM hosts JOIN host_stats USING (host_id) WHERE n_shared_clusters > 3"
            " ORDER BY host"
        )


def found(web: replicadb.ReplicaDB) -> list[tuple]:
    """The ranking."""
    return web.database.rows("SELECT * EXCLUDE (rank), rank FROM replicas ORDER BY rank")


def pairs_found(web: replicadb.ReplicaDB) -> list[tuple]:
    """The candidate pairs with all of their features, which later stages go by."""
    return web.database.rows("FROM candidate_pairs ORDER BY host_a, host_b")


def again(
    crawl: Path, folder: Path, later: Path, whole: bool = False, said: str = "", **settings
) -> tuple[dict, list[tuple], list[tuple]]:
    """Counts of the detection after a later load; what it found; and what a fresh database finds
    after the same: the candidate pairs, or with ``whole`` the ranking that comes of them. ``said``
    is a statement that changes more.
    """
    look = found if whole else pairs_found

    def detect(web) -> dict:
        return only_pairs(web, 5 if whole else 2, **settings)

    with replicadb.open(shutil.copy(crawl / "web.duckdb", folder / "grown.duckdb")) as web:
        only_pairs(web, **settings)
        web.load(later, all_types=True)
        web.database.con.execute(said)
        counts = detect(web)
        assert (
            web.database.column(
                "SELECT table_name FROM duckdb_tables() WHERE table_name = 'kept_pairs'"
            )
            == []
        )
        grown = look(web)
    with replicadb.open(shutil.copy(crawl / "loaded.duckdb", folder / "fresh.duckdb")) as web:
        web.load(later, all_types=True)
        web.database.con.execute(said)
        detect(web)
        return counts, grown, look(web)


def each(change):
    """A change of every page, given the pages and those of another host."""
    return lambda rows, others: [
        row | change(row, other) for row, other in zip(rows, others, strict=False)
    ]


def turned(*columns: str):
    """Pages change places: each has of the one behind it what stands in these columns. No norm of
    the host is another then.
    """
    return lambda rows, _: [
        row | {column: other[column] for column in columns}
        for row, other in zip(rows, rows[1:] + rows[:1], strict=True)
    ]


def exchanged(*columns: str):
    """Pages of two hosts, each with what the other had."""
    return lambda rows, others: [
        row | {column: other[column] for column in columns}
        for mine, its in zip(rows, others, strict=False)
        for row, other in ((mine, its), (its, mine))
    ]


CHANGES = {
    "content": each(lambda row, other: {"fingerprint": "ab" * 20}),
    "content that another has": each(lambda row, other: {"fingerprint": other["fingerprint"]}),
    "unknown content": each(lambda row, other: {"fingerprint": None}),
    "title": each(lambda row, other: {"title": "Another title"}),
    "title that another has": each(lambda row, other: {"title": other["title"] or "Home"}),
    "length": each(lambda row, other: {"length": 77}),
    "type": each(lambda row, other: {"mime": "image/png"}),
    "address": each(lambda row, other: {"ip": "192.0.2.77"}),
    "address that another has": each(lambda row, other: {"ip": other["ip"] or "192.0.1.1"}),
    "links": each(lambda row, other: {"links": ["http://somewhere.else.net/", other["url"]]}),
    "canonical link": each(lambda row, other: {"canonical": other["url"]}),
    "new page": each(lambda row, other: {"url": row["url"] + "x"}),
    "page at a path that another has": each(
        lambda row, other: {
            "url": "/".join(row["url"].split("/")[:3] + other["url"].split("/")[3:])
        }
    ),
    "contents turned": turned("fingerprint", "mime"),
    "titles turned": turned("title"),
    "lengths turned": turned("length"),
    "pages exchanged": exchanged("fingerprint", "mime", "title", "length"),
    "titles exchanged": exchanged("title"),
    "links exchanged": exchanged("links", "canonical"),
}
