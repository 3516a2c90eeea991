"""Small crawls in every format, and what a database holds of them, as digests of bytes.

Always true here: nothing in a digest hangs on the time, on ids or on the order of loads.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

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


def sha(data: bytes) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(data).hexdigest()


def differing(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    """The names under which two digests differ."""
    return sorted(name for name in expected if found.get(name) != expected[name])
