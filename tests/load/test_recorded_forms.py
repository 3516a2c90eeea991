"""Forms of digests and times: one is stored, however it was recorded."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb

from .loaded import BASE32, MD5, SHA1, SHA256, rows

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
    ("1706745599.75", "2024-01-31 23:59:59"),
    ("999999999.0", "2001-09-09 01:46:39"),
    ("1706745599000.0", "2024-01-31 23:59:59"),
    ("20240131235959.0", "2024-01-31 23:59:59"),
    ("20241399235959.0", None),
    ("Wed Jan 31 23:59:59 UTC 2024", "2024-01-31 23:59:59"),
    ("Wed Jan 31 20:59:59 GMT-03:00 2024", "2024-01-31 23:59:59"),
    ("Thu Feb 01 05:29:59 GMT+05:30 2024", "2024-01-31 23:59:59"),
    ("Wed Jan 31 18:59:59 EST 2024", "2024-01-31 23:59:59"),
    ("Thu Feb 01 00:59:59 CET 2024", "2024-01-31 23:59:59"),
    ("Wed Jan 31 23:59:59 IST 2024", "2024-01-31 23:59:59"),  # India, Israel or Ireland: as UTC
    ("Wed Jan 32 23:59:59 GMT+99:99 2024", None),
    ("Wed, 31 Jan 2024 23:59:59 GMT", "2024-01-31 23:59:59"),
    ("Thu, 1 Feb 2024 01:29:59 +0130", "2024-01-31 23:59:59"),
    ("Wed, 31 Jan 2024 18:59:59 -0500", "2024-01-31 23:59:59"),
    ("Wed, 32 Jan 2024 23:59:59 GMT", None),
    ("2024-01-31 23:59:59 +0000 UTC", "2024-01-31 23:59:59"),
    ("2024-02-01 01:29:59.123456789 +0130 +0130 m=+1.2", "2024-01-31 23:59:59"),
    ("2024-01-31 18:59:59 -0500", "2024-01-31 23:59:59"),
    ("2024-01-32 23:59:59 +0000 UTC", None),
    ("yesterday", None),
    ("20241399", None),
    ("", None),
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A database of DIGESTS and TIMES: the n-th digest at d<n>.com, the n-th time at t.com/<n>."""
    path = tmp_path_factory.mktemp("recorded") / "a.csv"
    path.write_text(
        "url,digest,timestamp\n"
        + "".join(f"http://d{n}.com/,{digest},\n" for n, (digest, *_) in enumerate(DIGESTS))
        + "".join(f'http://t.com/{n},,"{time}"\n' for n, (time, _) in enumerate(TIMES))
    )
    with replicadb.open(":memory:") as web:
        web.load(path)
        yield web


def test_a_digest_takes_one_form_however_it_was_recorded(recorded):
    query = "SELECT host, fingerprint_kind, fingerprint FROM urls JOIN hosts USING (host_id)"
    found = {host: rest for host, *rest in rows(recorded, query)}
    for n, (digest, kind, value) in enumerate(DIGESTS):
        assert found[f"d{n}.com"] == [kind, value], digest


def test_the_columns_name_tells_the_kind_of_a_bare_digest(web, write):
    web.load(write("a.csv", "url,sha1\nhttp://a.com/,ABC123\n"))
    assert rows(web, "SELECT fingerprint_kind, fingerprint FROM urls") == [("sha1", "abc123")]


def test_of_httpx_map_of_digests_in_csv_the_best_one_of_the_body_counts(web, write):
    """Those of the headers have the time: no two pages are equal by them."""
    cells = (
        f"map[body_md5:{MD5} body_mmh3:-12 body_sha256:{SHA256} header_md5:{MD5}]",
        f"map[body_md5:{MD5} body_simhash:98 header_sha256:{SHA256}]",
        f"map[header_md5:{MD5} body_sha1:{SHA1}]",
        f"map[body_simhash:98 header_md5:{MD5}]",
        "map[]",
        "my-own-7",
    )
    lines = (f"https://d{n}.com/,{cell}\n" for n, cell in enumerate(cells))
    web.load(write("httpx.csv", "url,hash\n" + "".join(lines)))
    found = rows(
        web,
        "SELECT fingerprint_kind, fingerprint FROM urls JOIN hosts USING (host_id) ORDER BY host",
    )
    assert found == [
        ("sha256", SHA256),
        ("md5", MD5),
        ("sha1", SHA1),
        (None, None),
        (None, None),
        ("other", "my-own-7"),
    ]


def test_content_makes_the_sha1_that_archives_record(web, write):
    web.load(write("a.csv", "url,html\nhttp://a.com/,page\n"))
    assert rows(web, "SELECT fingerprint_kind, fingerprint, length FROM urls") == [
        ("sha1", SHA1, 4)
    ]


def test_a_time_is_read_in_every_usual_form_as_utc(recorded):
    query = """SELECT path, strftime(fetched_at, '%Y-%m-%d %H:%M:%S')
        FROM urls JOIN hosts USING (host_id) WHERE host = 't.com'"""
    found = dict(rows(recorded, query))
    for n, (text, time) in enumerate(TIMES):
        assert found[f"/{n}"] == time, text


@pytest.mark.slow
def test_times_and_numbers_of_a_parquet_file_are_as_their_texts(web, tmp_path):
    nanoseconds = [0, 1, -1, 1_704_067_200_123_456_789, -86_400_000_000_001, None]
    numbers = pa.array([200, 0, 404, 70_000, -1, None], pa.int64())
    texts = []
    for unit, scale in {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}.items():
        times = pa.array([n if n is None else n // scale for n in nanoseconds], pa.timestamp(unit))
        columns = {"time": times, "status": numbers, "length": numbers}
        urls = [f"http://typed.com/{unit}{n}" for n in range(6)]
        pq.write_table(pa.table({"url": urls, **columns}), tmp_path / f"{unit}.parquet")
        urls = [url.replace("typed", "text") for url in urls]
        cast = {name: column.cast(pa.string()) for name, column in columns.items()}
        texts.append(pa.table({"url": urls, **cast}))
    pq.write_table(pa.concat_tables(texts), tmp_path / "text.parquet")
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


@pytest.mark.slow
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_time_out_of_range_is_none_and_counted_and_such_a_page_is_replaced(web, write, format):
    times = ["infinity", "-infinity", "290000-01-01", "2100-01-01", "1899-12-31", "nonsense"]
    rows = [f"http://a.example/{n},{time},d{n}" for n, time in enumerate(times)]
    rows += ["http://a.example/good,2024-01-01,x", "http://a.example/none,,y"]
    path = write("odd.csv", "\n".join(["url,timestamp,digest", *rows]))
    if format == "parquet":
        path = Path("odd.parquet")
        with duckdb.connect() as con:
            con.execute("CREATE TABLE odd AS FROM read_csv('odd.csv', all_varchar = true)")
            query = "SELECT * REPLACE (try_cast(timestamp AS TIMESTAMP) AS timestamp) FROM odd"
            con.execute(f"COPY ({query}) TO '{path}'")
    result = web.load(path)
    n = 6 if format == "csv" else 5  # there, nonsense is NULL in the file
    assert [text for text in result.warnings if f"{n} pages have a time" in text]
    dated = "SELECT path FROM internal.urls WHERE fetched_at IS NOT NULL"
    assert web.database.column(dated) == ["/good"]
    web.load(write("later.csv", "url,timestamp,digest\nhttp://a.example/0,2024-01-01,new\n"))
    assert web.database.value("SELECT fingerprint FROM urls WHERE path = '/0'") == "new"
