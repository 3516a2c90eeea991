"""Lists of hosts: those to leave out, and those with addresses; addresses in a crawl."""

from __future__ import annotations

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


def test_a_file_without_hosts_and_addresses_is_refused_before_anything_is_loaded(web, write):
    with pytest.raises(DataError, match="host"):
        web.load(
            write("a.csv", "url\nhttp://a.com/\n"), hosts=str(write("h.csv", "x,y,z\n1,2,3\n"))
        )
    assert rows(web, "SELECT count(*) FROM urls") == [(0,)]
