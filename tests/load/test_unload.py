"""A load taken out leaves no trace, and brings back what it had replaced."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import replicadb
from replicadb.errors import DataError

from .loaded import adds_up, contents, rows


@pytest.mark.slow
def test_unload_brings_back_what_was_replaced(web, write):
    web.load(write("a.csv", "url,digest,timestamp\nhttp://a.com/,old,2020\n"), label="old")
    web.load(
        write("b.csv", "url,digest,timestamp\nhttp://a.com/,new,2021\nhttp://b.com/,x,2021\n"),
        label="new",
    )
    assert web.unload("new") == 1
    assert rows(web, "SELECT host, fingerprint FROM pages") == [("a.com", "old")]


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


URLS = st.builds(
    "http://{}.com{}".format,
    st.sampled_from(["a", "www.a", "b", "c", "A"]),
    st.sampled_from(["/", "", "/x", "/y?1"]),
)
ROW = st.tuples(
    st.one_of(URLS, st.sampled_from(["", "bad", "ftp://a.com/", "http://b.com:99999/"])),
    st.sampled_from(["", "1.1.1.1", "1.1.1.1 2.2.2.2", "::1", "nonsense"]),
    st.sampled_from(["", "d1", "d2"]),
    st.sampled_from(["", "2020", "2021"]),
    st.sampled_from(["", "200", "301", "404"]),
    st.sampled_from(["", "text/html", "image/png"]),
    st.sampled_from(["", "/x", "http://c.com/"]),
    st.sampled_from(["", "/x /x#f ../y", "http://C.com/ mailto:a@b.c", "//b.com:8080/"]),
    st.sampled_from(["", "/", "http://www.a.com/", "x:y"]),
)
TABLE = st.lists(ROW, min_size=4, max_size=16)


def as_csv(table) -> str:
    return "url,ip,digest,timestamp,status,mime,redirect,links,canonical,n\n" + "".join(
        f"{','.join(row)},{n}\n" for n, row in enumerate(table)
    )


@pytest.mark.slow
@settings(
    max_examples=2,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(tables=st.lists(TABLE, min_size=3, max_size=3), data=st.data(), hosts=st.booleans())
def test_whatever_is_loaded_counts_add_up_and_a_load_leaves_no_trace(
    tmp_path_factory, tables, data, hosts
):
    folder = tmp_path_factory.mktemp("loads")
    names = []
    for n, table in enumerate(tables):
        names.append(folder / f"{n}.csv")
        names[-1].write_text(
            as_csv([*table, (f"http://only{n}.com/", "", "", "", "", "", "", "", "")])
        )
    if hosts:
        names.insert(data.draw(st.integers(0, len(names))), folder / "hosts.csv")
        (folder / "hosts.csv").write_text(
            "host,ip\na.com,7.7.7.7\nwww.a.com,8.8.8.8 9.9.9.9\nonly0.com,6.6.6.6\n"
        )
    leaving = data.draw(st.sampled_from(names))

    def loaded(files) -> replicadb.ReplicaDB:
        web = replicadb.open(folder / f"{len(files)}.duckdb", threads=1)
        for named, group in itertools.groupby(files, key=lambda file: file.name == "hosts.csv"):
            given = list(group)
            web.load(hosts=str(given[0])) if named else web.load(*given)
        assert adds_up(web)
        assert rows(web, "SELECT coalesce(sum(kept), 0) FROM sources") == rows(
            web, "SELECT count(*) FROM urls"
        )
        return web

    with loaded(names) as web, loaded([name for name in names if name != leaving]) as fresh:
        web.unload(str(leaving))
        assert contents(web) == contents(fresh)


@pytest.mark.slow
def test_detection_after_an_unload_is_the_same_as_without_that_load(tmp_path, write):
    pages = [
        f"http://{host}.com/{page},{page}-{v},{v}"
        for host in ("a", "www.a", "b")
        for page in range(4)
        for v in (2020, 2021)
    ]
    parts = [
        write(f"{i}.csv", "url,digest,timestamp\n" + "\n".join(pages[i::3]) + "\n")
        for i in range(3)
    ]
    found = []
    for n, (load, unload) in enumerate([((0, 1, 2), 1), ((0, 2), None)]):
        with replicadb.open(tmp_path / f"{n}.duckdb") as web:
            web.load(*(parts[i] for i in load))
            if unload is not None:
                web.detect(method="paper")
                web.unload(str(parts[unload]))
            web.detect(method="paper")
            found.append(web.replicas().rows())
    assert found[0] == found[1] and found[0]
