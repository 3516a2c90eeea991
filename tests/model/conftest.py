"""Small generated crawls, detected once each."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.model import Host
from replicadb.synthetic.crawl.generate import generate
from replicadb.web.urls import join

HOSTS, FEWER = (
    260,
    150,
)  # of the ordinary crawl, of which hosts are held out; and of the other profiles


@pytest.fixture(scope="session")
def crawl(tmp_path_factory):
    """crawl.parquet, hosts.csv and gold.csv of a profile, made once."""
    made: dict[str, Path] = {}

    def make(profile: str) -> Path:
        if profile not in made:
            made[profile] = tmp_path_factory.mktemp(profile)
            generate(
                made[profile],
                HOSTS if profile == "ordinary" else FEWER,
                profile=profile,
                seed=9,
                links=profile != "parked",
            )
        return made[profile]

    return make


@pytest.fixture(scope="session")
def loaded(crawl, tmp_path_factory):
    """A database of a profile's crawl, loaded; do not change it."""
    made: dict[str, Path] = {}

    def make(profile: str) -> Path:
        if profile not in made:
            folder, made[profile] = crawl(profile), tmp_path_factory.mktemp("db") / "web.duckdb"
            with replicadb.open(made[profile]) as db:
                db.load(
                    folder / "crawl.parquet",
                    hosts=folder / "hosts.csv",
                    all_types=profile == "themes",
                )
        return made[profile]

    return make


@pytest.fixture(scope="session")
def ordinary(loaded, tmp_path_factory):
    """A database of the ordinary crawl with links, detected by two threads, and its model; do not
    change them.
    """
    path = tmp_path_factory.mktemp("ordinary") / "web.duckdb"
    path.write_bytes(loaded("ordinary").read_bytes())
    with replicadb.open(path, threads=2) as db:
        db.detect()
        yield db, db.model()


def as_host(folder: Path, name: str) -> Host:
    """A host of a generated crawl as a stranger, with all that the crawl says of it."""
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
            "links": [join(row["url"], link) for link in json.loads(row.get("links") or "[]")],
        }
        for row in crawl.to_dicts()
    ]
    return Host(name, pages, ips)
