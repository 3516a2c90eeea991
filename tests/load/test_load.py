"""Loading: forms of digests and times, which capture wins, counts that add up, and taking a load
out again exactly.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from web.test_machine_files import CASES as MACHINE

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.load import capture_store

SHA1 = hashlib.sha1(b"page").hexdigest()
BASE32 = base64.b32encode(bytes.fromhex(SHA1)).decode()
MD5 = hashlib.md5(b"page").hexdigest()
SHA256 = hashlib.sha256(b"page").hexdigest()


def rows(web, query: str) -> list[tuple]:
    return web.database.rows(query)


def contents(web) -> dict[str, list[tuple]]:
    """Everything that a load leaves, by name rather than by id."""
    return {
        "hosts": rows(web, "SELECT host, domain, suffix, name FROM hosts ORDER BY ALL"),
        "origins": rows(
            web,
            "SELECT origin, host_name, host FROM origins JOIN hosts USING (host_id) ORDER BY ALL",
        ),
        "urls": rows(
            web,
            """SELECT host, origin || path, fingerprint_kind, fingerprint, fetched_at, status,
                mime, length, title, user_id
                             FROM urls JOIN origins USING (origin_id)
                                 JOIN hosts ON hosts.host_id = urls.host_id ORDER BY ALL""",
        ),
        "ips": rows(
            web,
            "SELECT host, ip, net, source FROM host_ips JOIN hosts USING (host_id) JOIN sources"
            " USING (source_id) ORDER BY ALL",
        ),
        "ids": rows(
            web, "SELECT count(*) FROM host_ips WHERE host_id NOT IN (SELECT host_id FROM hosts)"
        ),
        "links": rows(
            web,
            "SELECT from_host, from_url, to_host, to_url, kind, source FROM links JOIN sources"
            " USING (source_id) ORDER BY ALL",
        ),
        "outlinks": rows(
            web,
            "SELECT host, to_host, origin, path, pages, source FROM outlinks JOIN hosts USING"
            " (host_id) JOIN sources USING (source_id) ORDER BY ALL",
        ),
        "outlinks of nobody": rows(
            web, "SELECT count(*) FROM outlinks WHERE host_id NOT IN (SELECT host_id FROM hosts)"
        ),
        "link skips": rows(
            web,
            "SELECT source, kind, reason, n FROM link_skips JOIN sources USING (source_id) ORDER"
            " BY ALL",
        ),
        "rejects": rows(
            web,
            "SELECT source, position, url, reason FROM rejects JOIN sources USING (source_id) ORDER"
            " BY ALL",
        ),
        "skips": rows(
            web, "SELECT source, reason, n FROM skips JOIN sources USING (source_id) ORDER BY ALL"
        ),
    }


def adds_up(web) -> bool:
    return not rows(web, "SELECT * FROM sources WHERE read <> kept + replaced + skipped + rejected")


# -- fingerprints
# ------------------------------------------------------------------------------------------


DIGESTS = [
    (BASE32, "sha1", SHA1),
    (f"sha1:{BASE32}", "sha1", SHA1),
    (f"SHA1:{BASE32.lower()}", "sha1", SHA1),
    (SHA1, "sha1", SHA1),
    (SHA1.upper(), "sha1", SHA1),
    (f"sha1:{SHA1}", "sha1", SHA1),
    (f"sha-1:{SHA1}", "sha1", SHA1),
    (f"urn:sha1:{BASE32}", "sha1", SHA1),
    (MD5, "md5", MD5),
    (f"md5:{MD5.upper()}", "md5", MD5),
    (SHA256, "sha256", SHA256),
    (f"sha256:{SHA256}", "sha256", SHA256),
    ("my-own-7", "other", "my-own-7"),
    ("-", None, None),
    ("", None, None),
]


def test_a_digest_takes_one_form_however_it_was_recorded(web, write):
    web.load(
        write(
            "a.csv",
            "url,digest\n"
            + "".join(f"http://a.com/{n},{recorded}\n" for n, (recorded, *_) in enumerate(DIGESTS)),
        )
    )
    found = {
        path: rest
        for path, *rest in rows(web, "SELECT path, fingerprint_kind, fingerprint FROM urls")
    }
    for n, (recorded, kind, value) in enumerate(DIGESTS):
        assert found[f"/{n}"] == [kind, value], recorded


def test_every_form_of_one_digest_meets_in_one_cluster(web, write):
    forms = [BASE32, f"sha1:{BASE32}", SHA1, f"sha1:{SHA1}", SHA1.upper()]
    web.load(
        write(
            "a.csv",
            "url,digest\n" + "".join(f"http://h{i}.com/,{form}\n" for i, form in enumerate(forms)),
        )
    )
    web.detect(method="paper")
    assert rows(web, "SELECT n_hosts FROM dup_clusters") == [(5,)]


def test_the_columns_name_tells_the_kind_of_a_bare_digest(web, write):
    web.load(write("a.csv", "url,sha1\nhttp://a.com/,ABC123\n"))
    assert rows(web, "SELECT fingerprint_kind, fingerprint FROM urls") == [("sha1", "abc123")]


def test_content_makes_the_sha1_that_archives_record(web, write):
    web.load(write("a.csv", "url,html\nhttp://a.com/,page\n"))
    assert rows(web, "SELECT fingerprint_kind, fingerprint, length FROM urls") == [
        ("sha1", SHA1, 4)
    ]


def test_kinds_that_cannot_meet_are_warned_of_with_counts(web, write):
    result = web.load(
        write(
            "a.csv",
            f"url,digest\nhttp://a.com/,{SHA1}\nhttp://a.com/2,{SHA1}\nhttp://b.com/,{MD5}\n",
        )
    )
    assert any("sha1: 2 URLs" in line and "md5: 1 URLs" in line for line in result.warnings)
    assert not web.load(write("b.csv", "url\nhttp://c.com/\n")).failed


# -- times
# -------------------------------------------------------------------------------------------------


TIMES = [
    ("20240131235959", "2024-01-31 23:59:59"),
    ("202401312359", "2024-01-31 23:59:00"),
    ("20240131", "2024-01-31 00:00:00"),
    ("202401", "2024-01-01 00:00:00"),
    ("2024", "2024-01-01 00:00:00"),
    ("20240131235959123", "2024-01-31 23:59:59"),
    ("2024-01-31T23:59:59Z", "2024-01-31 23:59:59"),
    ("2024-01-31 23:59:59", "2024-01-31 23:59:59"),
    ("2024-01-31T23:59:59+02:00", "2024-01-31 21:59:59"),
    ("2024-01-31", "2024-01-31 00:00:00"),
    ("1706745599", "2024-01-31 23:59:59"),
    ("1706745599000", "2024-01-31 23:59:59"),
    ("1706745599000000", "2024-01-31 23:59:59"),
    ("yesterday", None),
    ("20241399", None),
    ("", None),
]


def test_a_time_is_read_in_every_usual_form_as_utc(web, write):
    web.load(
        write(
            "a.csv",
            "url,timestamp\n"
            + "".join(f"http://a.com/{n},{recorded}\n" for n, (recorded, _) in enumerate(TIMES)),
        )
    )
    found = dict(rows(web, "SELECT path, strftime(fetched_at, '%Y-%m-%d %H:%M:%S') FROM urls"))
    for n, (recorded, time) in enumerate(TIMES):
        assert found[f"/{n}"] == time, recorded


def test_the_newest_capture_of_a_url_wins_whatever_the_order(web, write):
    """A site for each order; the i-th file has the i-th capture of each."""
    orders = list(itertools.permutations([("2021", "old"), ("2023", "new"), ("", "undated")]))
    web.load(
        *(
            write(
                f"{i}.csv",
                "url,digest,timestamp\n"
                + "".join(
                    f"http://a{n}.com/,{order[i][1]},{order[i][0]}\n"
                    for n, order in enumerate(orders)
                ),
            )
            for i in range(3)
        )
    )
    assert rows(web, "SELECT host, fingerprint FROM pages ORDER BY host") == [
        (f"a{n}.com", "new") for n in range(6)
    ]
    assert rows(web, "SELECT sum(kept), sum(replaced), count(*) FROM sources") == [(6, 12, 3)]


def test_between_captures_of_the_same_time_or_none_the_last_loaded_wins(web, write):
    captures = {"a.csv": ["first"], "b.csv": ["second", "third"]}
    web.load(
        *(
            write(
                name,
                "url,digest,timestamp\n"
                + "".join(
                    f"http://a.com/{time},{digest},{time}\n"
                    for time in ("", "2020")
                    for digest in digests
                ),
            )
            for name, digests in captures.items()
        )
    )
    assert rows(web, "SELECT fingerprint FROM urls") == [("third",), ("third",)]


# -- the same again
# ----------------------------------------------------------------------------------------


def test_the_same_file_again_changes_nothing_under_any_name(web, write):
    first = write("a.csv", "url,digest\nhttp://a.com/,x\nhttp://a.com/,y\nbad,z\n")
    web.load(first)
    before = (contents(web), rows(web, "FROM sources ORDER BY ALL"))
    result = web.load(first, write("copy.csv", first.read_bytes()))
    assert len(result.known) == 2 and result.read == 0
    assert (contents(web), rows(web, "FROM sources ORDER BY ALL")) == before


def test_force_loads_a_known_file_again_and_keeps_it_once(web, write):
    file = write("a.csv", "url,digest,status\nhttp://a.com/,x,200\nhttp://b.com/,y,404\n")
    web.load(file)
    result = web.load(file, force=True, all_types=True)
    assert (result.kept, result.skipped) == (2, 0)
    assert rows(web, "SELECT count(*) FROM sources") == [(1,)]


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
    with pytest.raises(DataError, match="spring"):
        web.unload("summer")


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
    max_examples=4,
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


# -- what is kept
# ------------------------------------------------------------------------------------------

MIXED = """url,status,mime,redirect
http://a.com/1,200,text/html,
http://a.com/2,200,TEXT/HTML; charset=utf-8,
http://a.com/3,,application/xhtml+xml,
http://a.com/4,200,text/plain,
http://a.com/5,200,application/pdf,
http://a.com/6,200,,
http://a.com/7,200,unk,
http://a.com/8,200,image/png,
http://a.com/9,404,text/html,
http://a.com/10,301,text/html,../moved
http://a.com/11,302,text/html,https://www.b.com
"""


def test_pages_are_kept_redirects_are_evidence_and_the_rest_is_counted(web, write):
    result = web.load(write("a.csv", MIXED), pages_only=True)
    assert (result.read, result.kept, result.skipped) == (11, 7, 4)
    assert dict(rows(web, "SELECT reason, n FROM skips")) == {
        "type image/png": 1,
        "status 404": 1,
        "redirect": 2,
    }
    assert rows(
        web, "SELECT from_host, from_url, to_host, to_url, kind FROM links ORDER BY from_url"
    ) == [
        ("a.com", "http://a.com/10", "a.com", "http://a.com/moved", "redirect"),
        ("a.com", "http://a.com/11", "www.b.com", "https://www.b.com/", "redirect"),
    ]


def test_a_file_that_is_no_page_is_kept_apart(web, write):
    result = web.load(write("a.csv", MIXED))
    assert (result.read, result.kept, result.skipped, result.assets) == (11, 8, 3, 1)
    assert "type image/png" not in dict(rows(web, "SELECT reason, n FROM skips"))
    assert len(rows(web, "FROM pages")) == 7 and (web.info()["urls"], web.info()["assets"]) == (
        7,
        1,
    )
    assert rows(web, "SELECT mime FROM urls WHERE asset") == [("image/png",)]


def test_what_a_crawler_notes_of_its_work_is_no_file(web, write):
    crawl = "url,mime\nhttp://a.com/,text/html\nhttp://a.com/dns,text/dns\n"
    assert web.load(write("a.csv", crawl)).skipped == 1


def test_all_types_keeps_the_rest_too_but_redirects_stay_evidence(web, write):
    result = web.load(write("a.csv", MIXED), all_types=True)
    assert (result.kept, result.skipped) == (9, 2)


def test_machine_files_are_no_pages_and_are_counted_by_kind(web, write):
    lines = ["url,mime,digest"] + [
        f"http://example.{i}.com{path},{mime or ''},sha1:{i}"
        for i, (path, mime, _) in enumerate(MACHINE)
    ]
    result = web.load(write("crawl.csv", "\n".join(lines)), label="left")
    kinds = Counter(kind for _, _, kind in MACHINE if kind)
    assert result.machine_files == kinds
    assert result.kept == sum(kind is None for _, _, kind in MACHINE)
    assert dict(rows(web, "SELECT reason, n FROM skips WHERE reason LIKE 'machine file: %'")) == {
        f"machine file: {kind}": n for kind, n in kinds.items()
    }


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, 3),
        ({"pages_only": True}, 2),
        ({"machine_files": True}, 4),
        ({"all_types": True}, 4),
    ],
)
def test_machine_files_are_kept_on_demand_and_with_all_types(web, write, options, kept):
    crawl = write(
        "crawl.csv",
        "url,mime\nhttp://a.com/robots.txt#top,text/plain\nhttp://a.com/sitemap,text/html\n"
        "HTTP://A.com/sitemap.xml,text/html\nhttp://a.com/favicon.ico,image/x-icon\n",
    )
    assert web.load(crawl, **options).kept == kept


def test_a_redirect_is_resolved_against_the_url_it_came_from(web, write):
    web.load(
        write(
            "a.csv",
            "url,status,location\nhttp://a.com/x/y,301,z?q=1#f\n"
            "http://a.com/x/y2,301,//b.com\nhttp://a.com/y3,301,mailto:x\n",
        )
    )
    assert rows(web, "SELECT to_url FROM links ORDER BY 1") == [
        ("http://a.com/x/z?q=1",),
        ("http://b.com/",),
    ]


@pytest.mark.parametrize(
    ("site", "hosts"),
    [
        ("host", ["a.co.uk", "blog.a.co.uk", "x.github.io"]),
        ("domain", ["a.co.uk", "x.github.io"]),
        ("host+1", ["a.co.uk", "a.co.uk/shop", "blog.a.co.uk", "x.github.io", "x.github.io/p"]),
    ],
)
def test_site_decides_what_counts_as_one_site(web, write, site, hosts):
    web.load(
        write(
            "a.csv",
            "url\nhttp://a.co.uk/\nhttp://a.co.uk/shop/1\nhttp://a.co.uk/shop\n"
            "http://a.co.uk/file?x=/y\nhttp://blog.a.co.uk/\n"
            "http://x.github.io/\nhttp://x.github.io/p/\n",
        ),
        site=site,
    )
    assert [host for (host,) in rows(web, "SELECT host FROM hosts ORDER BY host")] == hosts
    assert rows(
        web,
        "SELECT count(*) FROM pages WHERE url IN ('http://a.co.uk/shop/1',"
        " 'http://x.github.io/p/')",
    ) == [(2,)]


def test_one_database_has_one_meaning_of_site(web, write):
    web.load(write("a.csv", "url\nhttp://a.com/\n"), site="domain")
    with pytest.raises(UsageError, match="another database"):
        web.load(write("b.csv", "url\nhttp://b.com/\n"), site="host")
    web.load(write("b.csv", "url\nhttp://www.a.com/\n"))
    assert rows(web, "SELECT host FROM hosts") == [("a.com",)]


def test_excluded_hosts_are_counted_and_left_out(web, write):
    web.load(
        write("a.csv", "url\nhttp://a.com/\nhttp://B.com/\nhttp://c.com/\n"),
        exclude_hosts=str(write("x.txt", "# ads\nb.com.\n\nhttp://C.com/x # this one too\n")),
    )
    assert rows(web, "SELECT host FROM hosts") == [("a.com",)]
    assert rows(web, "SELECT reason, n FROM skips") == [("excluded host", 2)]


# -- addresses
# ---------------------------------------------------------------------------------------------


def test_a_cell_may_hold_several_addresses_and_bad_ones_are_reported(web, write):
    result = web.load(
        write("a.csv", 'url,ip\nhttp://a.com/,"1.2.3.4, 5.6.7.8;::1"\nhttp://b.com/,1.2.3\n')
    )
    assert rows(
        web, "SELECT host, ip, net FROM host_ips JOIN hosts USING (host_id) ORDER BY ALL"
    ) == [("a.com", "1.2.3.4", "1.2.3"), ("a.com", "5.6.7.8", "5.6.7"), ("a.com", "::1", "::/64")]
    assert any("'1.2.3'" in line for line in result.warnings)


def test_each_capture_of_a_url_gives_its_address(web, write):
    web.load(
        write("a.csv", "url,ip,timestamp\nhttp://a.com/,1.1.1.1,2020\nhttp://a.com/,2.2.2.2,2021\n")
    )
    assert rows(web, "SELECT ip FROM host_ips ORDER BY 1") == [("1.1.1.1",), ("2.2.2.2",)]


HOSTS = [
    "host,ip\nA.com.,1.1.1.1\na.com,::1\nb.com,2.2.2.2 3.3.3.3\nq.com,4.4.4.4\n,5.5.5.5\n",
    "hostname\tother\thost_ip\na.com\tx\t1.1.1.1\na.com\ty\t::1\nb.com\tz\t2.2.2.2|3.3.3.3\n",
    "a.com,1.1.1.1\na.com,::1\nb.com,2.2.2.2;3.3.3.3\n",
]
NAMED = [("a.com", "1.1.1.1"), ("a.com", "::1"), ("b.com", "2.2.2.2"), ("b.com", "3.3.3.3")]


def test_a_file_of_hosts_gives_addresses_however_it_is_written(web, write):
    for n, table in enumerate(HOSTS):
        web.load(hosts=str(write(f"h{n}.csv", table.replace(".com", f".{n}.com"))))
    web.load(
        write(
            "a.csv",
            "url\n" + "".join(f"http://a.{n}.com/\nhttp://b.{n}.com/\n" for n in range(len(HOSTS))),
        )
    )
    assert adds_up(web) and rows(
        web, "SELECT host, ip FROM host_ips JOIN hosts USING (host_id) ORDER BY ALL"
    ) == sorted(
        (host.replace(".com", f".{n}.com"), ip) for n in range(len(HOSTS)) for host, ip in NAMED
    )


def test_a_file_of_hosts_gives_addresses_before_or_after_the_crawl(tmp_path, write):
    crawl, hosts = (
        write("a.csv", "url\nhttp://a.com/\nhttp://b.com/\n"),
        str(write("h.csv", HOSTS[0])),
    )
    for n, calls in enumerate(
        [
            [((crawl,), {"hosts": hosts})],
            [((), {"hosts": hosts}), ((crawl,), {})],
            [((crawl,), {}), ((), {"hosts": hosts})],
        ]
    ):
        with replicadb.open(tmp_path / f"{n}.duckdb") as web:
            for files, options in calls:
                web.load(*files, **options)
            assert (
                adds_up(web)
                and rows(
                    web, "SELECT host, ip FROM host_ips JOIN hosts USING (host_id) ORDER BY ALL"
                )
                == NAMED
            )


def test_a_file_without_hosts_and_addresses_is_refused_before_anything_is_loaded(web, write):
    with pytest.raises(DataError, match="host"):
        web.load(
            write("a.csv", "url\nhttp://a.com/\n"), hosts=str(write("h.csv", "x,y,z\n1,2,3\n"))
        )
    assert rows(web, "SELECT count(*) FROM urls") == [(0,)]


# -- hosts and paths that mean harm
# ------------------------------------------------------------------------


def test_hostile_names_are_data_and_nothing_else(web, write):
    evil = [
        'http://a"b.com/"x',
        "http://x';DROP TABLE urls;--.com/",
        "http://a.com/<script>alert(1)</script>",
        "http://a.com/';DROP TABLE urls;--",
        "http://a.com/\x1b[31m",
        "http://a.com/%00",
    ]
    column = '"; drop table urls; --'
    body = f'url,"{column.replace(chr(34), chr(34) * 2)}"\n' + "".join(
        '"' + url.replace('"', '""') + '",id1\n' for url in evil
    )
    result = web.load(write("a.csv", body), columns={"id": column}, label="'; drop table urls; --")
    assert (result.kept, result.rejected) == (4, 2)
    assert set(rows(web, "SELECT user_id FROM pages")) == {("id1",)}
    assert web.unload("'; drop table urls; --") == 1


def test_nothing_to_load_is_told(web):
    with pytest.raises(replicadb.UsageError, match="nothing to load"):
        web.load()


# -- large sources, which are not copied
# -------------------------------------------------------------------


def _awkward(folder) -> list:
    """A crawl in two Parquet files and an index with revisits: URLs again, odd and impossible ones,
    other types, a bad digest.
    """
    urls = [
        "http://a.com/x",
        "http://a.com/x",
        "http://a.com/x#part",
        "HTTP://A.com:80/x",
        "http://a.com/sub/y",
        "https://b.co.uk:8080/",
        "http://b.co.uk/z",
        "ftp://c.com/",
        None,
        "http://c.com/out",
        "http://c.com/img",
        "http://www.a.com/x",
    ]
    table = {
        "url": urls,
        "digest": [
            SHA1,
            BASE32,
            None,
            "my-own",
            SHA1.upper(),
            MD5,
            "-",
            SHA1,
            SHA1,
            SHA1,
            SHA1,
            f"sha1:{BASE32}",
        ],
        "timestamp": pa.array([5, 7, 6, None, 1, 2, 3, 4, 5, 6, 7, 8], pa.timestamp("us")),
        "status": pa.array(
            [200, 200, 200, 200, 404, 200, 200, 200, 200, 301, 200, None], pa.int32()
        ),
        "mime": ["text/html"] * 10 + ["image/png", "Text/HTML; charset=x"],
        "ip": ["1.2.3.4", "1.2.3.5", None, "x"] * 3,
        "redirect": [None] * 9 + ["/in"] + [None] * 2,
    }
    pq.write_table(pa.table(table), folder / "1.parquet")
    later = {
        **table,
        "timestamp": pa.array([n * 1_000_000_000 + 999 for n in range(12)], pa.timestamp("ns")),
        "title": [f" t  {n}" for n in range(12)],
    }
    pq.write_table(pa.table(later), folder / "2.parquet")
    (folder / "3.cdxj").write_text(
        "".join(
            f'com,d)/{n} 2024010100000{n} {{"url": "http://d.com/{n % 3}", "mime": "{mime}",'
            f' "digest": "{BASE32}"}}\n'
            for n, mime in enumerate(["warc/revisit", "text/html", "warc/revisit", "image/png"])
        )
    )
    return [folder / name for name in ("1.parquet", "2.parquet", "3.cdxj")]


@pytest.mark.slow
@pytest.mark.parametrize("site", ["host", "domain", "host+1"])
def test_a_large_source_is_not_copied_and_comes_out_the_same(tmp_path, write, monkeypatch, site):
    files, excluded, found = _awkward(tmp_path), str(write("no.txt", "c.com\n")), []
    for n, rows_copied in enumerate((capture_store.COPIED_ROWS, -1)):
        monkeypatch.setattr(capture_store, "COPIED_ROWS", rows_copied)
        with replicadb.open(tmp_path / f"{n}.duckdb") as web:
            counts = [
                vars(web.load(*files, site=site, exclude_hosts=excluded)) | {"seconds": 0},
                rows(
                    web,
                    "SELECT source, read, kept, replaced, skipped, rejected FROM sources ORDER BY"
                    " source_id",
                ),
            ]
            assert adds_up(web)
            loaded, replaced = (
                contents(web),
                rows(web, "SELECT path, fetched_at, title FROM superseded ORDER BY ALL"),
            )
            web.unload(str(files[1]))
            found.append((counts, loaded, contents(web), replaced))
    assert found[0] == found[1]
    assert (
        len(found[0][1]["urls"]) >= 5
        and found[0][1]["rejects"]
        and found[0][1]["links"]
        and found[0][3]
    )


def test_times_and_numbers_of_a_parquet_file_are_as_their_texts(web, tmp_path):
    nanoseconds = [0, 1, -1, 1_704_067_200_123_456_789, -86_400_000_000_001, None]
    numbers = pa.array([200, 0, 404, 70_000, -1, None], pa.int64())
    for unit, scale in {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}.items():
        times = pa.array([n if n is None else n // scale for n in nanoseconds], pa.timestamp(unit))
        for name, typed in (("typed", True), ("text", False)):
            urls = [f"http://{name}.com/{unit}{n}" for n in range(6)]
            pq.write_table(
                pa.table(
                    {
                        "url": urls,
                        "time": times if typed else times.cast(pa.string()),
                        "status": numbers if typed else numbers.cast(pa.string()),
                        "length": numbers if typed else numbers.cast(pa.string()),
                    }
                ),
                tmp_path / f"{name}-{unit}.parquet",
            )
    web.load(*tmp_path.glob("*.parquet"), all_types=True)
    typed, text = (
        rows(
            web,
            "SELECT path, fetched_at, status, length FROM urls JOIN hosts USING (host_id) WHERE"
            f" host = '{name}.com' ORDER BY path",
        )
        for name in ("typed", "text")
    )
    assert typed == text and len(typed) == 6 * 4


def test_a_parquet_file_that_is_broken_inside_leaves_no_trace(web, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table(
            {
                "url": [f"http://a.com/{n}" for n in range(5000)],
                "digest": [hashlib.sha1(b"%d" % n).hexdigest() for n in range(5000)],
            }
        ),
        path,
    )
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 2000] = b"\xff" * 2000
    path.write_bytes(data)
    with pytest.raises(DataError, match="parquet"):
        web.load(path)
    assert (
        rows(web, "SELECT count(*) FROM urls")
        == rows(web, "SELECT count(*) FROM sources")
        == [(0,)]
    )


def test_a_file_with_an_error_of_ours_is_named_and_the_others_load(web, write, monkeypatch):
    from replicadb.readers import archives

    good = (
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://%s/\r\n"
        b"Content-Length: 1\r\n\r\n%s"
    )
    files = [write(f"{name}.warc", good % (name.encode(), name.encode())) for name in "abc"]
    read = archives.read_archive

    def fail(raw, *arguments):
        if raw.name.endswith("b.warc"):
            raise OverflowError("too large")
        return read(raw, *arguments)

    monkeypatch.setattr(archives, "read_archive", fail)
    result = web.load(*files)
    assert result.sources == 2
    assert result.failed == [f"{files[1]}: cannot be read: OverflowError: too large"]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_time_out_of_range_is_none_and_counted_and_such_a_page_is_replaced(web, write, format):
    times = ["infinity", "-infinity", "290000-01-01", "2100-01-01", "1899-12-31", "nonsense"]
    rows = [f"http://a.example/{n},{time},d{n}" for n, time in enumerate(times)]
    rows += ["http://a.example/good,2024-01-01,x", "http://a.example/none,,y"]
    path = write("odd.csv", "\n".join(["url,timestamp,digest", *rows]))
    if format == "parquet":
        path = Path("odd.parquet")
        duckdb.sql("CREATE TEMP TABLE odd AS FROM read_csv('odd.csv', all_varchar = true)")
        query = "SELECT * REPLACE (try_cast(timestamp AS TIMESTAMP) AS timestamp) FROM odd"
        duckdb.sql(f"COPY ({query}) TO '{path}'; DROP TABLE odd")
    result = web.load(path)
    n = 6 if format == "csv" else 5  # there, nonsense is NULL in the file
    assert [text for text in result.warnings if f"{n} pages have a time" in text]
    dated = "SELECT path FROM internal.urls WHERE fetched_at IS NOT NULL"
    assert web.database.column(dated) == ["/good"]
    web.load(write("later.csv", "url,timestamp,digest\nhttp://a.example/0,2024-01-01,new\n"))
    assert web.database.value("SELECT fingerprint FROM urls WHERE path = '/0'") == "new"


def test_which_of_two_contents_at_one_time_counts_does_not_depend_on_order(web, write):
    """A site for each order, a file for each place in it; 0 is a capture without a digest."""
    orders = ["".join(order) for order in itertools.permutations("012")]
    for place in range(3):
        rows = "".join(
            f"http://s{order}.example/,2024-01-01,sha1:{order[place] * 40}\n" for order in orders
        ).replace(f"sha1:{'0' * 40}", "")
        web.load(write(f"{place}.csv", "url,timestamp,digest\n" + rows), label=str(place))
    for places in (3, 2, 1):
        stored = web.database.rows("SELECT host, fingerprint FROM pages")
        assert dict(stored) == {
            f"s{order}.example": None if order[:places] == "0" else max(order[:places]) * 40
            for order in orders
        }
        web.unload(str(places - 1))


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_same_holds_within_a_file_and_without_a_time_the_last_counts(web, write, order):
    rows = "".join(f"http://x.example/{{}},{{}},sha1:{str(n) * 40}\n" for n in order)
    timed, untimed = rows.format(*["t", "2024-01-01"] * 2), rows.format(*["u", ""] * 2)
    web.load(write("both.csv", "url,timestamp,digest\n" + timed + untimed))
    found = web.database.column("SELECT fingerprint FROM urls ORDER BY path")
    assert found == ["2" * 40, str(order[1]) * 40]
