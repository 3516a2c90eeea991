"""Small crawls in every format, and what a database holds of them, as digests of bytes.

Invariant: nothing in a digest hangs on the time, on ids or on the order of loads.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import zipfile
from pathlib import Path

import duckdb
import polars as pl

import replicadb
from replicadb.errors import DataError
from replicadb.synthetic.crawl.generate import generate

HOSTS = 60
EXPORTS = ("hosts", "pairs", "groups")
STORED = {
    "pages": "FROM pages SELECT * EXCLUDE (source) ORDER BY ALL",
    "skips": "SELECT reason, sum(n)::BIGINT AS n FROM skips GROUP BY reason ORDER BY ALL",
    "rejects": "SELECT position, url, reason FROM rejects ORDER BY ALL",
    "addresses": "SELECT DISTINCT host, ip FROM host_ips JOIN hosts USING (host_id) ORDER BY ALL",
    "links": "SELECT DISTINCT from_url, to_url, kind FROM links ORDER BY ALL",
    "texts": "SELECT text_digest, length FROM page_contents ORDER BY ALL",
    "decisions": "FROM details.given_decisions SELECT * EXCLUDE (decided_at) ORDER BY ALL",
    "runs": "FROM history.run_pairs ORDER BY ALL",
    "near duplicates": "FROM page_level.near_duplicates ORDER BY ALL",
    "rules": "SELECT kind, host, section, name, value, position FROM rewrite_rules ORDER BY ALL",
}


def rows(folder: Path, hosts: int = HOSTS, seed: int = 3) -> pl.DataFrame:
    """The rows of a generated crawl: url, fingerprint, timestamp and more."""
    made = generate(folder / "made", hosts, hosts * 12, "demo", seed=seed, content=True)
    return pl.read_parquet(made.crawl)


def write_formats(folder: Path, table: pl.DataFrame) -> dict[str, Path]:
    """The rows dealt out to a file of each format; the path by its name."""
    parts = [table[n::7] for n in range(7)]
    plain = table.drop("html")
    paths = {
        name: folder / name
        for name in ("a.csv", "b.tsv", "c.jsonl", "d.parquet", "e.warc.gz", "f.cdxj", "g.arc")
    }
    plain[0::7].write_csv(paths["a.csv"])
    plain[1::7].write_csv(paths["b.tsv"], separator="\t")
    plain[2::7].write_ndjson(paths["c.jsonl"])
    parts[3].write_parquet(paths["d.parquet"])
    captures = [list(part.select("url", "html").iter_rows()) for part in (parts[4], parts[6])]
    paths["e.warc.gz"].write_bytes(
        b"".join(gzip.compress(warc_record(*row), mtime=0) for row in captures[0])
    )
    paths["f.cdxj"].write_bytes(b"".join(cdxj_line(row) for row in parts[5].iter_rows(named=True)))
    paths["g.arc"].write_bytes(ARC_HEAD + b"".join(arc_record(*row) for row in captures[1]))
    return paths


ARC_HEAD = (
    b"filedesc://g.arc 0.0.0.0 20240101000000 text/plain 76\n1 0 test\n"
    b"URL IP-address Archive-date Content-type Archive-length\n\n\n\n\n\n\n\n\n\n\n\n"
)


def http(html: str | None) -> bytes:
    """An answer with that page."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + (html or "<p>none").encode()


def warc_record(url: str, html: str | None) -> bytes:
    """A response record."""
    block = http(html)
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2024-03-01T00:00:00Z\r\nContent-Type: application/http\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def arc_record(url: str, html: str | None) -> bytes:
    """A record of ARC version 1."""
    block = http(html)
    return f"{url} 192.0.2.1 20240301000000 text/html {len(block)}\n".encode() + block + b"\n"


def cdxj_line(row: dict[str, object]) -> bytes:
    """A line of a capture index; every fifth is a revisit."""
    digest = hashlib.sha1(str(row["fingerprint"]).encode(), usedforsecurity=False).hexdigest()
    mime = "warc/revisit" if int(digest[:4], 16) % 5 == 0 else "text/html"
    about = {"url": row["url"], "mime": mime, "status": "200", "digest": row["fingerprint"]}
    return f"x)/ 20240401000000 {json.dumps(about)}\n".encode()


def digest(database: Path) -> dict[str, str]:
    """By name, SHA-256 of what is exported and of what is stored."""
    found, out = {}, database.with_suffix(".csv")
    with replicadb.open(database, read_only=True, threads=1) as web:
        for name, query in STORED.items():
            found[name] = sha(web.sql(query).write_csv().encode())
        for what in EXPORTS:
            try:
                web.export(out, what, unflagged=what == "pairs")
                found[what] = sha(out.read_bytes())
            except DataError:  # nothing is detected yet
                found[what] = "none"
    return found


def tables(database: Path) -> dict[str, str]:
    """By name, SHA-256 of the rows of every table of a file, times and ids too."""
    with duckdb.connect(str(database), read_only=True) as con:
        names = con.execute("SELECT schema_name || '.' || table_name FROM duckdb_tables()")
        return {
            name: sha(repr(con.execute(f"FROM {name} ORDER BY ALL").fetchall()).encode())
            for (name,) in names.fetchall()
        }


def sha(data: bytes) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(data).hexdigest()


def differing(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """The names under which two digests differ."""
    return sorted(name for name in expected if found.get(name) != expected[name])


def write_more(folder: Path, table: pl.DataFrame) -> list[str]:
    """Files of the formats that :func:`write_formats` leaves out; their names."""
    urls = [str(url) for url in table["url"].to_list()]
    digests = [hashlib.sha1(url.encode(), usedforsecurity=False) for url in urls]
    write_archives(folder, list(table.select("url", "html")[:30].iter_rows()))
    made = {
        "h.wat": wat(table[:40]),
        "i.crawl.log": "".join(
            f"2024-03-02T00:00:00.000Z 200 99 {url} L - text/html #001 20240302000000000+10 sha1:"
            f"{digest.hexdigest()} - -\n"
            for url, digest in zip(urls[:30], digests[:30], strict=True)
        ).encode(),
        "k.cdx": b" CDX N b a m s k r M S V g\n"
        + b"".join(
            b"- 20240302000000 %s text/html 200 %s - - 10 0 x.warc.gz\n"
            % (url.encode(), base64.b32encode(digest.digest()))
            for url, digest in zip(urls[30:60], digests[30:60], strict=True)
        ),
    }
    for name, data in made.items():
        (folder / name).write_bytes(data)
    return [*made, "j.wacz", "l.wet"]


def write_campaign(folder: Path, hosts: int) -> dict[str, object]:
    """Files of all formats, a folder of small ones, and decisions; their names, and two hosts on
    which is decided.
    """
    table = rows(folder, hosts)
    names = [path.name for path in write_formats(folder, table).values()]
    names += write_more(folder, table)
    here = sorted({url.split("/")[2].split(":")[0] for url in table["url"].to_list()})
    (folder / "hosts.csv").write_text(
        "".join(["host,ip\n", *(f"{host},192.0.2.{n}\n" for n, host in enumerate(here[:200]))])
    )
    (folder / "decisions.csv").write_text(
        f"host_a,host_b,label\n{here[0]},{here[1]},no replica\n{here[2]},{here[3]},replica\n"
    )
    (folder / "tiny").mkdir()
    for n, (url, html) in enumerate(table.select("url", "html")[:8].iter_rows()):
        (folder / "tiny" / f"{n}.warc").write_bytes(warc_record(f"{url}?{n}", html))
    files = [*names, "hosts.csv", "decisions.csv", "tiny"]
    return {"files": files, "decided": f"{here[0]},{here[1]}"}


def write_archives(folder: Path, pages: list[tuple[str, str | None]]) -> None:
    """Two pages of three in a WACZ, the others' text in a WET file."""
    records = [warc_record(f"{url}?archived", html) for url, html in pages]
    with zipfile.ZipFile(folder / "j.wacz", "w", zipfile.ZIP_DEFLATED) as package:
        for name, some in (("a.warc", records[0::3]), ("b.warc", records[1::3])):
            package.writestr(zipfile.ZipInfo(f"archive/{name}"), b"".join(some))
    texts = (record.replace(b"Type: response", b"Type: conversion") for record in records[2::3])
    (folder / "l.wet").write_bytes(b"".join(texts))


def wat(table: pl.DataFrame) -> bytes:
    """A WAT file of the rows."""
    records = []
    for address, title in table.select("url", "fingerprint").iter_rows():
        head = {"WARC-Type": "response", "WARC-Target-URI": address, "WARC-Date": "2024-01-01"}
        links = [{"path": "A@/href", "url": "/x"}]
        html = {"Head": {"Title": title}, "Links": links}
        http = {"Response-Message": {"Status": "200"}, "HTML-Metadata": html}
        envelope = {
            "WARC-Header-Metadata": head,
            "Payload-Metadata": {"HTTP-Response-Metadata": http},
        }
        body = json.dumps({"Envelope": envelope}).encode()
        records.append(
            b"WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: %s\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
            % (address.encode(), len(body), body)
        )
    return b"".join(records)
