"""A load taken out leaves no trace. It brings back what it had replaced: test_capture_store.py."""

from __future__ import annotations

import itertools
import random

import pytest

import replicadb
from replicadb.errors import DataError

from .loaded import adds_up, contents, rows


def test_unload_of_nothing_known_names_what_there_is(web, write):
    web.load(write("a.csv", "url\nhttp://a.com/\n"), label="spring")
    with pytest.raises(DataError, match=r"there are: spring$"):
        web.unload("summer")
    for n in range(11):
        write(f"{n:02}", f"url\nhttp://a.com/{n}\n")
    web.load(*(f"{n:02}" for n in range(11)), format="csv")
    with pytest.raises(DataError, match=r"spring, 00, 01, .*, 08 and 2 more \(info has them\)$"):
        web.unload("summer")


@pytest.mark.slow
def test_ids_of_hosts_that_left_are_never_given_again(web, write):
    web.load(write("a.csv", "url\nhttp://a.com/\nhttp://b.com/\n"), label="a")
    gone = {host_id for (host_id,) in rows(web, "SELECT host_id FROM hosts")}
    web.unload("a")
    web.load(write("b.csv", "url,ip\nhttp://c.com/,1.1.1.1\nhttp://a.com/,\n"))
    assert not gone & {host_id for (host_id,) in rows(web, "SELECT host_id FROM hosts")}


URLS = [
    f"http://{host}.com{path}"
    for host in ("a", "www.a", "b", "c", "A")
    for path in ("/", "", "/x", "/y?1")
]
CELLS = (
    URLS * 2 + ["", "bad", "ftp://a.com/", "http://b.com:99999/"],
    ["", "1.1.1.1", "1.1.1.1 2.2.2.2", "::1", "nonsense"],
    ["", "d1", "d2"],
    ["", "2020", "2021"],
    ["", "200", "200", "301", "404"],
    ["", "text/html", "text/html", "image/png"],
    ["", "/x", "http://c.com/"],
    ["", "/x /x#f ../y", "http://C.com/ mailto:a@b.c", "//b.com:8080/"],
    ["", "/", "http://www.a.com/", "x:y"],
)
"""What stands in the columns of a table, drawn for each of its rows."""


def as_csv(table) -> str:
    return "url,ip,digest,timestamp,status,mime,redirect,links,canonical,n\n" + "".join(
        f"{','.join(row)},{n}\n" for n, row in enumerate(table)
    )


@pytest.mark.slow
def test_whatever_is_loaded_counts_add_up_and_a_load_leaves_no_trace(tmp_path):
    """Other draws: ``python -m benchmarks.reliability.determinism``."""
    draw, names = random.Random(3), []
    for n in range(3):
        table = [[draw.choice(cells) for cells in CELLS] for _ in range(24)]
        names.append(tmp_path / f"{n}.csv")
        names[-1].write_text(as_csv([*table, [f"http://only{n}.com/", *[""] * 8]]))
    names.insert(1, tmp_path / "hosts.csv")
    names[1].write_text("host,ip\na.com,7.7.7.7\nwww.a.com,8.8.8.8 9.9.9.9\nonly0.com,6.6.6.6\n")
    leaving = names[2], names[1]

    def loaded(files) -> replicadb.ReplicaDB:
        web = replicadb.open(tmp_path / f"{len(files)}.duckdb", threads=1)
        for named, group in itertools.groupby(files, key=lambda file: file.name == "hosts.csv"):
            given = list(group)
            web.load(hosts=str(given[0])) if named else web.load(*given)
        assert adds_up(web)
        assert rows(web, "SELECT coalesce(sum(kept), 0) FROM sources") == rows(
            web, "SELECT count(*) FROM urls"
        )
        return web

    with loaded(names) as web, loaded([name for name in names if name not in leaving]) as fresh:
        for name in leaving:
            web.unload(str(name))
        assert contents(web) == contents(fresh)
        tables = web.database.column(
            "SELECT schema_name || '.' || table_name FROM duckdb_tables() SEMI JOIN (FROM"
            " duckdb_columns() WHERE column_name = 'source_id') USING (database_name, schema_name,"
            " table_name) WHERE database_name = current_database()"
        )
        left = "SELECT count(*) FROM {} WHERE source_id NOT IN (FROM sources SELECT source_id)"
        assert [name for name in tables if web.database.value(left.format(name))] == []
        assert len(tables) > 12
