"""After a further load of known hosts only the pairs of changed hosts are made anew, and the result
is that of a fresh database.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.detection import blocking, incremental
from replicadb.settings import WEIGHT_SCALE, Settings

from .changes import CHANGES, again, hosts_of, pairs_found, rows_of, write
from .crawls import only_pairs, stopping_at
from .drawn_crawl import draw_rows

LATER = "20230101000000"
EITHER = {"candidates": "either", "min_shared": 2, "max_cluster_hosts": 30, "path_max_hosts": 40}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> Path:
    """A folder with crawl.parquet, of links, titles, assets and addresses; loaded.duckdb, loaded
    from it and never detected; and web.duckdb, with its candidate pairs.
    """
    folder = tmp_path_factory.mktemp("kept")
    write(folder / "crawl.parquet", draw_rows(11, n_hosts=40))
    with replicadb.open(folder / "loaded.duckdb") as web:
        web.load(folder / "crawl.parquet", all_types=True)
    with replicadb.open(shutil.copy(folder / "loaded.duckdb", folder / "web.duckdb")) as web:
        only_pairs(web)
    return folder


@pytest.fixture(scope="module")
def new_page(crawl, tmp_path_factory) -> Path:
    """A folder with web.duckdb after a load of pages of the first host: some fetched again without
    a change, and one that nobody else has; and rows.parquet, that load.
    """
    folder, host = tmp_path_factory.mktemp("more"), hosts_of(crawl)[0]
    page = rows_of(crawl, host, 1)[0] | {
        "url": f"http://{host}/nobody/else/has/this-long-path",
        "fingerprint": "cd" * 20,
        "title": None,
        "links": None,
        "canonical": None,
        "ip": None,
        "mime": "text/html",
    }
    rows = [row | {"timestamp": LATER} for row in [page, *rows_of(crawl, host, 20)]]
    write(folder / "rows.parquet", rows)
    with replicadb.open(shutil.copy(crawl / "web.duckdb", folder)) as web:
        web.load(folder / "rows.parquet", all_types=True)
    return folder


@pytest.fixture(scope="module")
def stopped(crawl, tmp_path_factory) -> Path:
    """A folder with stopped.duckdb: after a load a detection stopped in stage 10, and another in
    stage 20, while pairs wait; and after one more, of the label later, one in stage 10. And
    loaded.duckdb, with the same loads and never detected.
    """
    folder, hosts, loads = tmp_path_factory.mktemp("stopped"), hosts_of(crawl), {}
    for label, n in (("first", 3), ("later", 4)):
        change = {"fingerprint": f"{n}d" * 20, "timestamp": f"202{n}0101000000"}
        rows = [row | change for row in rows_of(crawl, hosts[n], 3)]
        loads[label] = write(folder / f"{n}.parquet", rows)
    with (
        pytest.MonkeyPatch.context() as patch,
        replicadb.open(shutil.copy(crawl / "web.duckdb", folder / "stopped.duckdb")) as web,
    ):
        patch.setattr(incremental, "WORTH", 1)
        web.load(loads["first"], all_types=True, label="first")
        stop_in("10_dup_clusters", web)
        stop_in("20_pair_features", web)
        assert web.database.value("SELECT count(*) FROM pair_features") == 0  # they wait elsewhere
        web.load(loads["later"], all_types=True, label="later")
        stop_in("10_dup_clusters", web)
    with replicadb.open(shutil.copy(crawl / "loaded.duckdb", folder)) as web:
        for label, load in loads.items():
            web.load(load, all_types=True, label=label)
    return folder


def stop_in(stage: str, web) -> None:
    """A detection that is stopped when that stage has done its work."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        stopping_at(stage, KeyboardInterrupt, patch)
        only_pairs(web)


SAID = """INSERT INTO internal.identifiers
    SELECT 1, host_id, 'mail', 'a@b.net', 1 FROM hosts WHERE host IN ('{}', '{}')"""
TOGETHER = [
    [
        *("contents turned", "links exchanged", "address that another has", "title"),
        *("unknown content", "title that another has", "lengths turned", "new page", "content"),
    ],
    [
        *("type", "length", "canonical link", "titles turned", "page at a path that another has"),
        *("content that another has", "address", "titles exchanged", "links", "pages exchanged"),
    ],
]
"""Changes of different hosts, made in one load: pairs with the many others show a missed one."""


def test_every_change_is_made():
    assert sorted(itertools.chain(*TOGETHER)) == sorted(CHANGES)


@pytest.mark.slow
@pytest.mark.parametrize("changes", TOGETHER, ids=", ".join)
def test_whatever_changes_the_result_is_that_of_a_fresh_database(
    crawl, tmp_path, monkeypatch, changes
):
    """The first with what comes of the pairs, the other among candidates of either kind, of which
    two say another thing of who runs them.
    """
    whole = changes == TOGETHER[0]
    monkeypatch.setattr(incremental, "WORTH", 1)
    monkeypatch.setattr(blocking, "SLICE_ROWS", blocking.SLICE_ROWS if whole else 3_000)
    hosts = hosts_of(crawl)
    rows = [
        row | {"timestamp": LATER}
        for change, first, other in zip(changes, hosts, reversed(hosts), strict=False)
        for row in CHANGES[change](rows_of(crawl, first, 4), rows_of(crawl, other, 4))
    ]
    later = write(tmp_path / "later.parquet", rows)
    settings = {"whole": True} if whole else EITHER | {"said": SAID.format(*hosts[20:22])}
    counts, grown, fresh = again(crawl, tmp_path, later, **settings)
    assert grown == fresh
    assert 0 < counts["changed_hosts"] <= 44


NOT_OF_PAIRS = {
    "place",
    "host_id",
    "host_rank",
    "cluster_id",
    "below",
    "df",
    "www_of",
    "name_id",
    "suffix_id",
    "family",
    "edition",
    "ip",
    "net",
}
"""Columns that order and number, or hang on the names of the hosts and on
sql/detect/24_incremental's part about addresses.
"""


@pytest.mark.slow
def test_every_column_that_pairs_are_made_of_is_in_the_digest(crawl, tmp_path):
    """One value at a time is put to another: the digest of the hosts whose row it is has to be
    another, of no other host.
    """
    with (
        replicadb.open(shutil.copy(crawl / "web.duckdb", tmp_path)) as web,
        web.database.transaction(),
    ):
        db = web.database
        blocking.every_host(db)
        blocking.prepare(
            db,
            {
                "scale": WEIGHT_SCALE,
                "cap": 0,
                "candidates": "either",
                "min_shared": 1,
                "path_max_hosts": 1000,
                "non_replicas": False,
                "most_addresses": 50,
                "country_sites": 4,
            },
        )
        before, tried = digests(db), 0
        for table in (
            "cluster_keys",
            "path_keys",
            "tail_keys",
            "tokens",
            "directed_pairs",
            "host_norms",
        ):
            hosts = "a, b" if table == "directed_pairs" else "place"
            for column in (
                set(db.column(f"SELECT column_name FROM (DESCRIBE {table})"))
                - NOT_OF_PAIRS
                - set(hosts.split(", "))
            ):
                row, value = db.rows(
                    f"SELECT rowid, {column} FROM {table} ORDER BY {column} IS NULL, rowid LIMIT 1"
                )[0]
                set_to = f"UPDATE {table} SET {column} = $value WHERE rowid = $row"
                db.execute(
                    set_to,
                    {
                        "value": not value if isinstance(value, bool) else (value or 0) + 1,
                        "row": row,
                    },
                )
                moved = {place for place, digest in digests(db).items() if digest != before[place]}
                assert moved == set(
                    db.rows(f"SELECT {hosts} FROM {table} WHERE rowid = $row", {"row": row})[0]
                ), (table, column)
                db.execute(set_to, {"value": value, "row": row})
                tried += 1
        assert tried > 30 and digests(db) == before
        db.execute("UPDATE host_ips SET ip = '192.0.2.222' WHERE rowid = 0")
        assert digests(db) != before


def digests(db) -> dict[int, int]:
    db.run("detect/24_incremental", only="digests")
    return dict(db.rows("SELECT place, digest FROM digests JOIN compared_hosts USING (host_id)"))


@pytest.mark.slow
def test_only_pairs_of_changed_hosts_are_made_anew_and_none_without_a_change(
    crawl, new_page, tmp_path
):
    """A page that nobody else has comes to one host: that is touched, and those that it links to.
    Rows of others are the very rows, which a mark shows. Pages fetched again without a change
    touch nothing.
    """
    host = hosts_of(crawl)[0]
    with replicadb.open(shutil.copy(new_page / "web.duckdb", tmp_path)) as web:
        db = web.database
        db.execute("UPDATE pair_features SET nmatch = 0.123")
        assert 1 <= only_pairs(web)["changed_hosts"] < 12
        marked = (
            "SELECT count(*) FROM pair_features JOIN hosts ON host_id IN (a_id, b_id) WHERE host ="
            " $host AND (nmatch = 0.123::FLOAT) = $marked"
        )
        assert (
            db.value(marked, {"host": host, "marked": True})
            == 0
            < db.value(marked, {"host": host, "marked": False})
        )
        assert db.value("SELECT count(*) FROM pair_features WHERE nmatch = 0.123::FLOAT") > 100
        before = pairs_found(web)
        again = pl.read_parquet(new_page / "rows.parquet").with_columns(
            timestamp=pl.lit("20240101000000")
        )
        again.write_parquet(tmp_path / "again.parquet")
        web.load(tmp_path / "again.parquet", all_types=True)
        assert only_pairs(web)["changed_hosts"] == 0
        assert pairs_found(web) == before and before


@pytest.mark.slow
def test_stopped_in_between_the_next_detection_goes_on_also_after_more_loads(
    stopped, tmp_path, monkeypatch
):
    monkeypatch.setattr(incremental, "WORTH", 1)
    with replicadb.open(shutil.copy(stopped / "stopped.duckdb", tmp_path)) as web:
        assert 2 <= only_pairs(web)["changed_hosts"] < 40
        grown = pairs_found(web)
    with replicadb.open(shutil.copy(stopped / "loaded.duckdb", tmp_path)) as web:
        only_pairs(web)
        assert pairs_found(web) == grown


@pytest.mark.slow
def test_what_pairs_hang_on_is_part_of_what_they_are_kept_for(crawl):
    changes = [
        *({"min_shared": 2}, {"reference": "later"}, {"max_cluster_hosts": 5}, {"assets": False}),
        *({"path_max_hosts": 3}, {"candidates": "either"}, {"clusters": "exact"}),
    ]
    with replicadb.open(crawl / "loaded.duckdb", read_only=True) as web:
        bases = [
            incremental._basis(web.database, Settings(**change)) for change in ({}, {}, *changes)
        ]
    assert bases[0] == bases[1] and len(set(bases[1:])) == len(bases) - 1


@pytest.mark.slow
def test_pairs_of_other_settings_are_not_kept(stopped, tmp_path, monkeypatch):
    """They wait since a detection with the old settings was stopped."""
    settings = {"min_shared": 2}
    monkeypatch.setattr(incremental, "WORTH", 1)
    with replicadb.open(shutil.copy(stopped / "stopped.duckdb", tmp_path)) as web:
        assert "changed_hosts" not in only_pairs(web, **settings)
        grown = pairs_found(web)
        assert (
            web.database.column(
                "SELECT table_name FROM duckdb_tables() WHERE table_name = 'kept_pairs'"
            )
            == []
        )
    with replicadb.open(shutil.copy(stopped / "loaded.duckdb", tmp_path)) as web:
        only_pairs(web, **settings)
        assert pairs_found(web) == grown and grown


@pytest.mark.slow
def test_a_host_that_comes_or_goes_changes_every_rarity_and_nothing_is_kept(crawl, tmp_path):
    rows = rows_of(crawl, hosts_of(crawl)[0], 3)
    new = write(
        tmp_path / "new.parquet",
        [
            row | {"url": row["url"].replace(row["url"].split("/")[2], "a-new-host.com")}
            for row in rows
        ],
    )
    with replicadb.open(shutil.copy(crawl / "web.duckdb", tmp_path)) as web:
        before = pairs_found(web)
        web.load(new, all_types=True, label="new")
        assert "changed_hosts" not in only_pairs(web) and pairs_found(web) != before
        web.unload("new")
        assert "changed_hosts" not in only_pairs(web) and pairs_found(web) == before


MADE = {
    "index": "CREATE INDEX mine ON pair_features (a_id)",
    "trigger": "CREATE TRIGGER mine AFTER INSERT ON internal.pair_features FOR EACH STATEMENT"
    " INSERT INTO internal.pins DEFAULT VALUES",
    "view of that name": "CREATE VIEW internal.kept_pairs AS SELECT 'mine' AS whose",
    "table of that name": "CREATE TABLE kept_pairs AS SELECT 'mine' AS whose",
}
"""A table with an index or trigger cannot be renamed; what has the name that pairs wait under
is not ours.
"""


@pytest.mark.slow
def test_pairs_beside_what_somebody_made_do_not_wait(web):
    for made in MADE.values():
        assert incremental._movable(web.database)
        web.database.execute("BEGIN")
        web.database.execute(made)
        assert not incremental._movable(web.database), made
        web.database.execute("ROLLBACK")


@pytest.mark.slow
def test_what_somebody_made_in_the_file_does_not_stop_a_detection(new_page, tmp_path):
    with replicadb.open(shutil.copy(new_page / "web.duckdb", tmp_path)) as web:
        for made in ("trigger", "table of that name"):
            web.database.execute(MADE[made])
        assert "changed_hosts" not in only_pairs(web) and pairs_found(web)
        assert web.database.rows("FROM kept_pairs") == [("mine",)]
