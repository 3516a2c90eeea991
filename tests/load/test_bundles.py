"""Small files loaded together hold what each loaded by itself does."""

from __future__ import annotations

import json
import random
from datetime import datetime

import polars as pl
import pyarrow as pa
import pytest

import replicadb
from replicadb.load import bundles
from replicadb.store.database import Database

pytestmark = pytest.mark.slow

FILES = 5
"""In a folder of archives."""
OPTIONS = {"site": "host+1", "label": "both"}
HELD = {
    "pages": "SELECT * FROM pages ORDER BY ALL",
    "superseded": """
        SELECT * EXCLUDE (host_id, origin_id, url_id), origin, host
        FROM superseded JOIN origins USING (origin_id) JOIN hosts ON hosts.host_id = origins.host_id
        ORDER BY ALL""",
    "sources": """
        SELECT source, format, sha256, bytes, read, kept, replaced, skipped, rejected, name
        FROM sources JOIN loads USING (load_id) ORDER BY source_id""",
    "rejects": "SELECT * FROM rejects ORDER BY ALL",
    "skips": "SELECT * FROM skips ORDER BY ALL",
    "addresses": "SELECT source_id, ip, host FROM host_ips JOIN hosts USING (host_id) ORDER BY ALL",
    "earlier captures": """
        SELECT e.* EXCLUDE (host_id, origin_id), origin, host FROM earlier_captures AS e
        JOIN origins USING (origin_id) JOIN hosts ON hosts.host_id = e.host_id ORDER BY ALL""",
    "links": "SELECT * FROM links ORDER BY ALL",
    "left out": "SELECT * FROM link_skips ORDER BY ALL",
    "ids": "SELECT * FROM meta WHERE starts_with(key, 'last_') ORDER BY key",
    "url ids": "SELECT url_id, source_id FROM urls ORDER BY ALL",
    "revisits": "SELECT * FROM revisits ORDER BY ALL",
    "said": """
        SELECT i.* EXCLUDE (host_id), host FROM host_identifiers AS i JOIN hosts USING (host_id)
        ORDER BY ALL""",
}


def record(draw, url):
    """A capture of that URL: a page, an asset, a redirect, or, seldom, a revisit."""
    day = draw.choice(("2024-01-01", "2024-01-02", "2024-01-03", "nonsense"))
    status = draw.choice(("200 OK",) * 6 + ("301 Moved", "404 None"))
    kind = draw.choice(("text/html",) * 4 + ("image/png", "application/zip"))
    to = f"Location: /to{draw.randrange(3)}\r\n" if status[0] == "3" else ""
    body = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{to}\r\ntext {draw.randrange(6)}"
    type = "revisit" if draw.random() < 0.02 else "response"
    address = draw.choice(("192.0.2.1", "192.0.2.2", "no address", ""))
    head = (
        f"WARC/1.0\r\nWARC-Type: {type}\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: {day}T00:00:00Z\r\nContent-Type: application/http\r\n"
        + (f"WARC-IP-Address: {address}\r\n" if address else "")
        + f"Content-Length: {len(body)}\r\n\r\n"
    )
    return (head + body + "\r\n\r\n").encode()


def folder_of(path, draw):
    """A folder of small files that repeat each other's URLs; some odd, some given twice."""
    path.mkdir()
    for n in range(FILES):
        urls = [
            f"http://h{draw.randrange(4)}.example/{draw.choice(('a', 'b/c', 'B/%7e', ''))}"
            for _ in range(draw.randint(0, 4))
        ]
        urls += draw.choices(("http://[::1", "https://x..y/", "no scheme"), (9, 2, 1), k=1)[: n % 2]
        data = b"".join(record(draw, url) for url in urls)
        (path / f"{n:02}.warc").write_bytes(data[: draw.choice((None,) * 9 + (50,))])
    (path / "99.warc").write_bytes((path / "01.warc").read_bytes())
    return path


def row(draw):
    """A capture as a table has it; seldom an odd one."""
    url = draw.choice(
        [f"http://h{draw.randrange(4)}.example/{draw.choice('abcd')}?q=1,2" for _ in range(40)]
        + ["no scheme", "http://[::1", "HTTP://H1.Example:80/a", "http://h1.example/robots.txt"]
    )
    return {
        "url": url,
        "digest": draw.choice([f"{n:032x}" for n in range(6)] * 5 + ["", "odd"]),
        "timestamp": draw.choice(("2024-01-01", "2024-01-02T00:00:00Z", "20240103000000", "x")),
        "ip": draw.choice(("192.0.2.1", "", "no address")),
        "status": draw.choice(("200",) * 9 + ("404",)),
        "title": draw.choice(("A title", "B, quoted", "")),
    }


KINDS = ("csv", "tsv", "jsonl", "parquet", "cdxj", "warc")
ENDS = {"csv": '"open,x\n', "tsv": "a\tb\tc\td\te\tf\tg\th\ti\n"}
"""What should not stand at the end of a table: an open quote, too many cells."""

REVISIT = {"digest": f"{5:032x}", "timestamp": "2024-01-02", "title": "Its own"}
"""Of a revisit: the content of a page, and a title that is not the page's."""


def tables_of(path, draw):
    """A folder of small tables, indexes and archives: one odd one and one plain one of each kind;
    two odd ones stand between two plain ones and two.
    """
    path.mkdir()
    for n in range(2 * len(KINDS)):
        odd, place = n % 4 > 1, n // 4 * 2 + n % 2
        kind = KINDS[place]
        rows = [row(draw) for _ in range(draw.randint(1, 4))]
        if not odd and place == 1:
            rows = [one | {"id": str(m)} for m, one in enumerate(rows)]
        if odd and kind == "cdxj":
            rows = [row(draw) | {"url": f"http://h1.example/{one}"} | REVISIT for one in "abcd"]
        write_table(path / f"{n:02}.{kind}", kind, rows, draw, odd)
    (path / "97.csv").write_bytes((path / "00.csv").read_bytes())
    (path / "98.csv").write_text("url\n")
    (path / "99.csv").write_text("url,language\nhttp://h1.example/a,en\n")
    return path


def write_table(file, kind, rows, draw, odd):
    """Those rows in a file of that kind; an odd one has more in it than it should."""
    table = pl.DataFrame(rows)
    if kind == "parquet":
        if odd:
            table = table.with_columns(timestamp=pl.lit(datetime(2024, 1, 1)))
        table.write_parquet(file)
    elif kind == "jsonl":
        file.write_text("".join(json.dumps(one) + "\n" for one in rows) + "{broken" * odd)
    elif kind == "warc":
        file.write_bytes(b"".join(record(draw, one["url"]) for one in rows))
    elif kind == "cdxj":
        mime = "warc/revisit" if odd else "text/html"
        file.write_text(
            "".join(f"x)/ 20240401000000 {json.dumps(one | {'mime': mime})}\n" for one in rows)
        )
    else:
        file.write_text(
            table.write_csv(separator="\t" if kind == "tsv" else ",") + ENDS[kind] * odd
        )


def held(path, folders, **options):
    """All that a database holds of folders loaded one after the other, and what was told."""
    results = []
    with replicadb.open(path, threads=1) as web:
        for folder in folders:
            result = web.load(folder, **options)
            result.seconds = 0
            results.append(
                {name: value for name, value in vars(result).items() if name != "reasons"}
            )
            results[-1]["pages"] = web.database.rows(HELD["pages"])
            assert result.read == (result.kept + result.replaced + result.skipped + result.rejected)
        found = {name: web.database.rows(query) for name, query in HELD.items()}
        kept = web.database.value("SELECT sum(kept) FROM sources")
        assert kept == web.database.value("SELECT count(*) FROM urls")
    return found, results


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Two folders of archives, loaded together and each file by itself: the folders, and of either
    what is held, what was told, and how many statements that took.
    """
    folder, draw, found = tmp_path_factory.mktemp("bundles"), random.Random(1), {}
    folders = [folder_of(folder / name, draw) for name in ("one", "two")]
    plain, counted = Database.execute, []

    def count(*given, **named):
        counted.append(1)
        return plain(*given, **named)

    for way, fewest in (("together", 2), ("alone", 10**9)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bundles, "FEWEST", fewest)
            patch.setattr(Database, "execute", count)
            counted.clear()
            found[way] = *held(folder / f"{way}.duckdb", folders, **OPTIONS), len(counted)
    return folders, found


def test_together_as_each_by_itself(archives):
    _, found = archives
    for name in HELD:
        assert found["together"][0][name] == found["alone"][0][name], name
    assert found["together"][1] == found["alone"][1]


def test_a_bundle_takes_few_statements(archives):
    _, found = archives
    assert found["together"][2] * 2 < found["alone"][2]


def test_what_goes_wrong_in_a_bundle_costs_one_file(archives, tmp_path, monkeypatch):
    folders, found = archives
    tried = []

    def broken(*_):
        tried.append(1)
        raise ValueError("odd")

    monkeypatch.setattr(bundles, "_by_source", broken)
    monkeypatch.setattr(bundles, "FEWEST", 2)
    pages = held(tmp_path / "web.duckdb", folders[:1], **OPTIONS)[0]["pages"]
    assert pages == found["together"][1][0]["pages"] and tried


def test_tables_together_as_each_by_itself(tmp_path, monkeypatch):
    folder = tables_of(tmp_path / "one", random.Random(1))
    bundled = []
    plain = bundles._stored
    monkeypatch.setattr(
        bundles, "_stored", lambda db, some, *rest: bundled.extend(some) or plain(db, some, *rest)
    )
    monkeypatch.setattr(bundles, "FEWEST", 2)
    together = held(tmp_path / "together.duckdb", [folder])
    assert {small.format for small in bundled} >= {"csv", "tsv", "jsonl", "cdxj", "parquet", "warc"}
    monkeypatch.setattr(bundles, "FEWEST", 10**9)
    alone = held(tmp_path / "alone.duckdb", [folder])
    for name in HELD:
        assert together[0][name] == alone[0][name], name
    assert together[1] == alone[1]


PLAIN = {"url": "http://h1.example/a", "digest": "a" * 40, "mime": "text/html"}


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ({}, True),
        ({"url": " HTTPS://h1.example/", "digest": None, "mime": None}, True),
        ({"digest": "sha1:" + "A" * 32}, True),
        ({"url": "h1.example/a"}, False),
        ({"digest": '"an-etag"'}, False),
        ({"mime": "warc/revisit"}, False),
        ({"revisit_of": "http://h1.example/b"}, False),
        ({"links": ["/b"]}, False),
        ({"canonical": "/b"}, False),
        ({"problem": "damaged"}, False),
    ],
)
def test_what_needs_other_rows_of_its_file_is_not_plain(odd, plain):
    rows = pa.Table.from_pylist([PLAIN, PLAIN | odd], bundles.COLUMNS)
    assert bundles._all_plain(rows) is plain
