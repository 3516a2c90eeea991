"""Small crawls, detected once each, and their models."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import polars as pl
import pytest
from who_runs import say

import replicadb
from replicadb.synthetic.crawl.generate import generate

from .crawls import CASES, as_host

SIZES = {
    "ordinary": (230, 5_300),
    "shared-hosting": (120, 3_000),
    "themes": (45, 900),
    "parked": (80, 2_000),
}
"""Hosts and URLs of the crawl of a profile; of the ordinary one hosts are held out."""


@pytest.fixture(scope="session")
def crawl(tmp_path_factory):
    """crawl.parquet, hosts.csv and gold.csv of a profile, made once."""
    made: dict[str, Path] = {}

    def make(profile: str) -> Path:
        if profile not in made:
            made[profile] = tmp_path_factory.mktemp(profile)
            links = profile != "parked"
            generate(made[profile], *SIZES[profile], profile=profile, seed=9, links=links)
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
                say(db)
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


@pytest.fixture(scope="session")
def by_case(loaded, tmp_path_factory):
    """A database of a profile's crawl, detected by the settings of CASES, and its model; do not
    change them.
    """
    made: dict[str, tuple] = {}

    def make(profile: str) -> tuple:
        if profile not in made:
            path = tmp_path_factory.mktemp("case") / "web.duckdb"
            shutil.copy(loaded(profile), path)
            db = opened.enter_context(replicadb.open(path))
            db.detect(**CASES[profile])
            made[profile] = db, db.model()
        return made[profile]

    with contextlib.ExitStack() as opened:
        yield make


@pytest.fixture(scope="session")
def held_out(crawl, ordinary, tmp_path_factory):
    """Hosts taken out of the ordinary crawl, and the model of what is left."""
    folder, path = crawl("ordinary"), tmp_path_factory.mktemp("held") / "web.duckdb"
    gold = pl.read_csv(folder / "gold.csv")
    names = (
        sorted(set(gold["host_a"].head(60)))[::4]
        + sorted(
            set(ordinary[0].sql("SELECT host FROM hosts")["host"])
            - set(gold["host_a"])
            - set(gold["host_b"])
        )[:8]
    )
    crawl = pl.read_parquet(folder / "crawl.parquet")
    crawl.filter(~pl.col("url").str.split("/").list.get(2).is_in(names)).write_parquet(
        path.with_name("left.parquet")
    )
    with replicadb.open(path) as db:
        db.load(path.with_name("left.parquet"), hosts=folder / "hosts.csv")
        say(db)
        db.detect()
        yield [as_host(folder, name) for name in names], db.model(), gold


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The model of three hosts."""
    folder = tmp_path_factory.mktemp("tiny")
    rows = (
        [("a.com", f"/p{i}", f"{i:040x}") for i in range(6)]
        + [("b.com", f"/p{i}", f"{i:040x}") for i in range(4, 9)]
        + [("c.com", "/x/y", "c" * 40)]
    )
    (folder / "crawl.csv").write_text(
        "url,digest\n"
        + "".join(f"http://{host}{path},sha1:{digest}\n" for host, path, digest in rows)
    )
    with replicadb.open(folder / "tiny.duckdb") as db:
        db.load(folder / "crawl.csv")
        db.detect()
        return db.model()


@pytest.fixture(scope="session")
def edited(tmp_path_factory):
    """A crawl whose every page has an edit of its own, detected on clusters by minhash, and its
    model.
    """
    folder = tmp_path_factory.mktemp("edited")
    crawl = generate(folder / "crawl", 60, 1200, "demo", seed=4, content=True, page_edits="small")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(crawl.crawl, content=True)
        web.fingerprint("minhash")
        web.detect(clusters="minhash")
        yield web, web.model()
