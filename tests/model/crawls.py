"""Crawls of a size at which every kind of evidence counts, and hosts taken out of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
from who_runs import identifiers_of, language_of

from replicadb.model import Host
from replicadb.web.urls import join

CASES = {
    "themes": {},
    "shared-hosting": {"evidence": "five", "candidates": "path"},
    "parked": {
        "candidates": "either",
        "max_cluster_hosts": 8,
        "path_max_hosts": 12,
        "min_shared": 2,
        "min_probability": 0.2,
    },
}
"""Settings of a detection by the profile of its crawl."""


def sparse_farm(folder, left_out: str | None = None) -> Path:
    """A farm of 60 sites of which 15 % were crawled and one of eight sites with most of 30 pages
    each, in a web of 300 sites; the rows of one host are left out.
    """
    draw = np.random.default_rng(1)
    rows = [
        {"url": f"http://farm{i}.example/{p}", "digest": f"sha1:{p + 1:040x}"}
        for i in range(60)
        for p in range(40)
        if draw.random() < 0.15
    ]
    rows += [
        {"url": f"http://farm{i}.example/licence{k}", "digest": f"sha1:{k + 100:040x}"}
        for i in range(60)
        for k in range(2)
    ]
    rows += [
        {"url": f"http://few{i}.com/{p}", "digest": f"sha1:{p + 50_000:040x}"}
        for i in range(8)
        for p in range(30)
        if (p * 7 + i * 3) % 10 < 6
    ]
    rows += [
        {"url": f"http://own{i}.example/{p}", "digest": f"sha1:{10_000 + i * 10 + p:040x}"}
        for i in range(300)
        for p in range(5)
    ]
    pl.DataFrame([row for row in rows if row["url"].split("/")[2] != left_out]).write_parquet(
        folder / "crawl.parquet"
    )
    return folder / "crawl.parquet"


def as_host(folder: Path, name: str) -> Host:
    """A host of a generated crawl as a new one, with all that the crawl says of it."""
    crawl = pl.read_parquet(folder / "crawl.parquet").filter(
        (pl.col("url").str.split("/").list.get(2) == name) & (pl.col("status") == 200)
    )
    ips = pl.read_csv(folder / "hosts.csv").filter(pl.col("host") == name)["ip"].to_list()
    pages = [
        {
            "path": "/" + row["url"].split("/", 3)[3],
            "fingerprint": row["fingerprint"],
            "mime": row["mime"],
            "length": row["length"],
            "title": row.get("title"),
            "canonical": row.get("canonical"),
            "language": language_of(name, "/" + row["url"].split("/", 3)[3]),
            "links": [join(row["url"], link) for link in json.loads(row.get("links") or "[]")],
        }
        for row in crawl.to_dicts()
    ]
    return Host(name, pages, ips, identifiers_of(name), complete=True)
