"""Small files loaded together hold what each loaded by itself does."""

from __future__ import annotations

import gzip
import json
import random
from datetime import datetime

import polars as pl
import pytest

import replicadb
from replicadb.load import bundles
from replicadb.store.database import Database

FILES = 10
"""In a folder."""
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


def tables_of(path, draw):
    """A folder of small tables and indexes in every format, some odd."""
    path.mkdir()
    for n in range(4 * FILES):
        kind = ("csv", "tsv", "jsonl", "parquet", "cdxj", "csv.gz", "cdx")[n % 7]
        rows = [row(draw) for _ in range(draw.randint(0 if kind == "csv" else 1, 5))]
        if draw.random() < 0.1:
            rows = [one | {"language": "en"} for one in rows]
        if draw.random() < 0.1:
            rows = [one | {"id": str(m)} for m, one in enumerate(rows)]
        table, file = pl.DataFrame(rows or {"url": []}), path / f"{n:02}.{kind}"
        plain = table.write_csv(separator="\t" if kind == "tsv" else ",")
        plain += draw.choice(("",) * 9 + ('"open,x\n', "a,b,c,d,e,f,g,h,i\n", "\n\nhttp://h1.x/z"))
        if kind == "parquet":
            if draw.random() < 0.3:
                table = table.with_columns(timestamp=pl.lit(datetime(2024, 1, 1)))
            table.write_parquet(file)
        elif kind == "jsonl":
            broken = draw.choice(("",) * 9 + ("{broken",))
            file.write_text("".join(json.dumps(one) + "\n" for one in rows) + broken)
        elif kind in ("cdxj", "cdx"):
            mime = draw.choice(("text/html",) * 9 + ("warc/revisit",))
            file.write_text(
                "".join(
                    f"x)/ 20240401000000 {json.dumps(one | {'mime': mime})}\n"
                    if kind == "cdxj"
                    else f"x)/ 20240401000000 {one['url'].replace(' ', '')} {mime} 200 -"
                    f" {one['digest'] or '-'} 99\n"
                    for one in rows
                )
            )
        else:
            data = plain.encode()
            file.write_bytes(gzip.compress(data) if kind == "csv.gz" else data)
    return path


def held(path, folders, **options):
    """All that a database holds of folders loaded one after the other, and what was told."""
    told = []
    with replicadb.open(path, threads=1) as web:
        for folder in folders:
            result = web.load(folder, **options)
            result.seconds = 0
            told.append({name: told for name, told in vars(result).items() if name != "reasons"})
            assert result.read == (result.kept + result.replaced + result.skipped + result.rejected)
        found = {name: web.database.rows(query) for name, query in HELD.items()}
        kept = web.database.value("SELECT sum(kept) FROM sources")
        assert kept == web.database.value("SELECT count(*) FROM urls")
    return found, told


@pytest.mark.slow
def test_together_as_each_by_itself(tmp_path, monkeypatch):
    draw = random.Random(1)
    folders = [folder_of(tmp_path / name, draw) for name in ("one", "two")]
    options = {"site": "host+1", "label": "both"}
    together = held(tmp_path / "together.duckdb", folders, **options)
    monkeypatch.setattr(bundles, "FEWEST", 10**9)
    alone = held(tmp_path / "alone.duckdb", folders, **options)
    for name in HELD:
        assert together[0][name] == alone[0][name], name
    for told, expected in zip(together[1], alone[1], strict=True):
        assert told == expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_tables_together_as_each_by_itself(tmp_path, monkeypatch, seed):
    draw = random.Random(seed)
    folders = [tables_of(tmp_path / "one", draw), folder_of(tmp_path / "two", draw)]
    bundled = []
    plain = bundles._stored
    monkeypatch.setattr(
        bundles, "_stored", lambda db, some, *rest: bundled.extend(some) or plain(db, some, *rest)
    )
    together = held(tmp_path / "together.duckdb", folders)
    assert {"csv", "tsv", "jsonl", "cdxj", "parquet"} <= {small.format for small in bundled}
    monkeypatch.setattr(bundles, "FEWEST", 10**9)
    alone = held(tmp_path / "alone.duckdb", folders)
    for name in HELD:
        assert together[0][name] == alone[0][name], name
    assert together[1] == alone[1]


@pytest.mark.slow
def test_a_bundle_takes_few_statements(tmp_path, monkeypatch):
    folder = folder_of(tmp_path / "one", random.Random(3))
    counted = []
    plain = Database.execute
    monkeypatch.setattr(
        Database, "execute", lambda *given, **named: counted.append(1) or plain(*given, **named)
    )
    held(tmp_path / "a.duckdb", [folder])
    few, counted[:] = len(counted), []
    monkeypatch.setattr(bundles, "FEWEST", 10**9)
    held(tmp_path / "b.duckdb", [folder])
    assert few * 2 < len(counted)


@pytest.mark.slow
def test_what_goes_wrong_in_a_bundle_costs_one_file(tmp_path, monkeypatch):
    folder = folder_of(tmp_path / "one", random.Random(4))
    expected = held(tmp_path / "a.duckdb", [folder])
    tried = []

    def broken(*_):
        tried.append(1)
        raise ValueError("odd")

    monkeypatch.setattr(bundles, "_by_source", broken)
    assert held(tmp_path / "b.duckdb", [folder])[0]["pages"] == expected[0]["pages"]
    assert tried
