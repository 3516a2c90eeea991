"""Lists of hosts: those to leave out, and those with addresses; addresses in a crawl."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.errors import DataError

from .loaded import adds_up, rows


@pytest.fixture(scope="module")
def addressed(tmp_path_factory):
    """A crawl with addresses, some hosts of which are left out, and what the load said."""
    folder = tmp_path_factory.mktemp("addresses")
    (folder / "a.csv").write_text(
        'url,ip,timestamp\nhttp://a.com/,"1.2.3.4, 5.6.7.8;::1",\nhttp://d.com/,1.2.3,\n'
        "http://B.com/,,\nhttp://c.com/,,\n"
        "http://e.com/,1.1.1.1,2020\nhttp://e.com/,2.2.2.2,2021\n"
    )
    (folder / "x.txt").write_text("# ads\nb.com.\n\nhttp://C.com/x # this one too\n")
    with replicadb.open(":memory:") as web:
        yield web, web.load(folder / "a.csv", exclude_hosts=str(folder / "x.txt"))


@pytest.mark.slow
def test_excluded_hosts_are_counted_and_left_out(addressed):
    web, _ = addressed
    assert web.database.column("SELECT host FROM hosts ORDER BY 1") == ["a.com", "d.com", "e.com"]
    assert rows(web, "SELECT reason, n FROM skips") == [("excluded host", 2)]


LISTED = "host;why\nB.example;x\n*.example;y\nnot a host;\nq.example;z\n"
SAID = [
    "2 of 4 lines of x.csv are no host names: '*.example', 'not a host'",
    "1 of 4 lines of x.csv names no host of these files: q.example",
]


def test_a_list_of_any_table_excludes_and_what_did_nothing_is_said(web, write):
    """Of many small files that are loaded together; the next test has few."""
    files = 4
    write("x.csv", LISTED)
    for n in range(files):
        write(f"{n}.csv", f"url\nhttp://a.example/{n}\nhttp://b.example/{n}\n")
    given = [f"{n}.csv" for n in range(files)]
    tried = web.load(*given, exclude_hosts="x.csv", dry_run=True)
    assert tried.warnings[:2] == SAID
    result = web.load(*given, exclude_hosts="x.csv")
    assert result.warnings[:2] == SAID and result.skipped == files
    assert rows(web, "SELECT host FROM hosts") == [("a.example",)]
    assert web.load(*given, exclude_hosts="x.csv").warnings[:2] == [SAID[0], result.warnings[-1]]


def test_excluded_hosts_of_different_files_are_all_met(web, write):
    crawls = [write(f"{n}.csv", f"url\nhttp://{n}.example/\n") for n in "ab"]
    write("x.txt", "a.example\nb.example\n")
    result = web.load(*crawls, exclude_hosts="x.txt")
    assert not any("x.txt" in note for note in result.warnings)
    write("x.txt", "# none\n")
    again = web.load(*crawls, exclude_hosts="x.txt", force=True)
    assert "no host name in x.txt" in again.warnings and again.kept == 2
    with pytest.raises(DataError, match=r"y\.txt: no such file"):
        web.load(*crawls, exclude_hosts="y.txt")


def test_the_hosts_of_an_export_are_left_out_and_a_list_without_hosts_is_refused(web, write):
    crawl = write("c.csv", "url\nhttp://a.example/\nhttp://b.example/\n")
    pq.write_table(pa.table({"host": ["a.example"], "rank": [1]}), "drop.parquet")
    assert web.load(crawl, exclude_hosts="drop.parquet").skipped == 1
    assert rows(web, "SELECT host FROM hosts") == [("b.example",)]
    write("x.txt", "not a host\n*.example\n")
    said = "x.txt: of 2 lines none is the name of a host, as 'not a host'; give a host a line"
    with pytest.raises(DataError, match=said):
        web.load(crawl, exclude_hosts="x.txt", force=True)


def addresses(web, host: str) -> list[tuple]:
    return web.database.rows(
        "SELECT ip, net FROM host_ips JOIN hosts USING (host_id) WHERE host = ? ORDER BY ALL",
        [host],
    )


@pytest.mark.slow
def test_a_cell_may_hold_several_addresses_and_bad_ones_are_reported(addressed):
    web, result = addressed
    assert addresses(web, "a.com") == [
        ("1.2.3.4", "1.2.3"),
        ("5.6.7.8", "5.6.7"),
        ("::1", "::/64"),
    ]
    assert addresses(web, "d.com") == [] and any("'1.2.3'" in line for line in result.warnings)


@pytest.mark.slow
def test_each_capture_of_a_url_gives_its_address(addressed):
    assert addresses(addressed[0], "e.com") == [("1.1.1.1", "1.1.1"), ("2.2.2.2", "2.2.2")]


HOSTS = [
    "host,ip\nA.com.,1.1.1.1\na.com,::1\nb.com,2.2.2.2 3.3.3.3\nq.com,4.4.4.4\n,5.5.5.5\n",
    "hostname\tother\thost_ip\na.com\tx\t1.1.1.1\na.com\ty\t::1\nb.com\tz\t2.2.2.2|3.3.3.3\n",
    "a.com,1.1.1.1\na.com,::1\nb.com,2.2.2.2;3.3.3.3\n",
]
NAMED = [("a.com", "1.1.1.1"), ("a.com", "::1"), ("b.com", "2.2.2.2"), ("b.com", "3.3.3.3")]


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """A database of a crawl for each of HOSTS, all of which came before it; and, of the first of
    them, of one crawl together with it and one before it. Numbers tell their hosts apart.
    """
    folder = tmp_path_factory.mktemp("hosts")

    def hosts(n: int, of: str = HOSTS[0]) -> dict[str, str]:
        (folder / f"h{n}.csv").write_text(of.replace(".com", f".{n}.com"))
        return {"hosts": str(folder / f"h{n}.csv")}

    def crawl(*numbers: int):
        path = folder / f"{numbers[0]}.csv"
        urls = "".join(f"http://a.{n}.com/\nhttp://b.{n}.com/\n" for n in numbers)
        path.write_text(f"url\n{urls}")
        return path

    with replicadb.open(":memory:") as web:
        for n, table in enumerate(HOSTS):
            web.load(**hosts(n, table))
        web.load(crawl(0, 1, 2))
        web.load(crawl(3), **hosts(3))
        web.load(crawl(4))
        web.load(**hosts(4))
        assert adds_up(web)
        yield web


def named(web, n: int) -> list[tuple]:
    return [
        (host.replace(f".{n}.com", ".com"), ip)
        for host, ip in rows(
            web, "SELECT host, ip FROM host_ips JOIN hosts USING (host_id) ORDER BY ALL"
        )
        if f".{n}." in host
    ]


@pytest.mark.slow
def test_a_file_of_hosts_gives_addresses_however_it_is_written(listed):
    assert [named(listed, n) for n in range(3)] == [NAMED] * 3


@pytest.mark.slow
def test_a_file_of_hosts_gives_addresses_with_before_or_after_the_crawl(listed):
    assert [named(listed, n) for n in (0, 3, 4)] == [NAMED] * 3


def test_rows_of_hosts_that_are_not_used_are_said(web, write):
    write("a.csv", "url\nhttp://a.example/\n")
    write(
        "h.csv", "host;ip\na.example;1.1.1.1\n*.example;1.1.1.1\nb.example;x\nq.example;2.2.2.2\n"
    )
    result = web.load("a.csv", hosts="h.csv")
    assert result.warnings[0] == (
        "--hosts: 2 of 4 rows of h.csv name no host or no IP address, as '*.example 1.1.1.1'"
    )
    assert "--hosts: 1 of its hosts has no page here; its addresses" in " ".join(result.warnings)
    assert addresses(web, "a.example") == [("1.1.1.1", "1.1.1")]


def test_a_file_without_hosts_and_addresses_is_refused_before_anything_is_loaded(web, write):
    with pytest.raises(DataError, match="host"):
        web.load(
            write("a.csv", "url\nhttp://a.com/\n"), hosts=str(write("h.csv", "x,y,z\n1,2,3\n"))
        )
    assert rows(web, "SELECT count(*) FROM urls") == [(0,)]
