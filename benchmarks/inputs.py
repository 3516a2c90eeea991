"""Inputs of the benchmarks, made once and kept: in the folder that REPLICADB_BENCHMARKS names, else
in the system's temporary one.

Invariant: the same arguments give the same files (everything is seeded).
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(
    os.environ.get("REPLICADB_BENCHMARKS") or Path(tempfile.gettempdir()) / "replicadb-benchmarks"
)

PAPER_URLS, PAPER_HOSTS = 30_000_000, 583_411
"""The paper's collection (section 4.1.1)."""

MILLION = "parked"
"""Profile of the crawl of about a million candidate pairs."""


def help_or_go_on(about: str | None) -> None:
    """Print what a benchmark is and end, where somebody asks for help rather than for its run."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(about)
        sys.exit()


def million(quick: bool = False) -> Path:
    """A crawl with about 1,000,000 candidate pairs (so many hosts were found by trial), or a small
    one.
    """
    return made("crawl", hosts(quick), None, MILLION)


def hosts(quick: bool = False) -> int:
    """Hosts of :func:`million`."""
    return 2_000 if quick else 18_000


def dense(quick: bool = False) -> Path:
    """A crawl of about 1,000,000 candidate pairs in the paper's proportions: 52 URLs a host, 3.6
    pairs a URL (published: 51, 3.7).

    Pairs grow faster than hosts, so in a crawl this small the most common contents have to be on
    most of the hosts that share any (``common``, found by trial).
    """
    return (
        made("crawl", 800, 41_000, "paper@8") if quick else made("crawl", 5_400, 278_000, "paper@8")
    )


def paper_sized(urls: int, profile: str = "paper") -> Path:
    """A crawl of so many URLs and, in proportion, as many hosts as the paper's collection has."""
    return made("crawl", round(urls * PAPER_HOSTS / PAPER_URLS), urls, profile)


def made(kind: str, *arguments: object) -> Path:
    """The file of :func:`crawl`, :func:`table`, :func:`text` or :func:`warc`, made elsewhere; empty
    strings stand for None.
    """
    command = [sys.executable, __file__, kind, *("" if a is None else str(a) for a in arguments)]
    return Path(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    )


def crawl(hosts: int, urls: int | None, profile: str, seed: int = 0) -> Path:
    """A generated crawl as one Parquet file, gold.csv beside it; profile ``paper@0.1`` is ``paper``
    with ``common`` = 0.1.
    """
    folder = ROOT / f"{profile}-{hosts}-{urls or 'own'}-{seed}"
    path = folder / "crawl.parquet"
    if not path.is_file():
        from dataclasses import replace

        from replicadb.synthetic.crawl.generate import PROFILES, generate

        name, _, common = profile.partition("@")
        rates = replace(PROFILES[name], common=float(common)) if common else name
        part = folder.with_name(folder.name + ".part")
        generate(part, hosts=hosts, urls=urls, profile=rates, seed=seed)
        part.rename(folder)
    return path


def table(rows: int, seed: int = 0) -> Path:
    """Exactly so many rows of a generated crawl, as Parquet."""
    path = ROOT / f"rows-{rows}-{seed}.parquet"
    if not path.is_file():
        import polars as pl

        frame = pl.read_parquet(crawl(max(rows // 50, 20), int(rows * 1.06), "ordinary", seed))
        assert len(frame) >= rows, f"the generator gave {len(frame):,} rows"
        frame.head(rows).write_parquet(path, compression="zstd")
    return path


def text(rows: int, format: str, seed: int = 0) -> Path:
    """The same rows as ``csv``, ``jsonl``, or ``cdxj`` with digests in base32, as Common Crawl's
    index has them.
    """
    path = ROOT / f"rows-{rows}-{seed}.{format}"
    if path.is_file():
        return path
    import base64

    import polars as pl

    frame, part = pl.read_parquet(table(rows, seed)), path.with_suffix(".part")
    if format == "csv":
        frame.write_csv(part)
    elif format == "jsonl":
        frame.write_ndjson(part)
    else:
        digests = (
            base64.b32encode(bytes.fromhex(digest)).decode() if digest else "-"
            for digest in frame["fingerprint"]
        )
        with open(part, "w", encoding="utf-8") as lines:
            for url, mime, digest in zip(frame["url"], frame["mime"], digests, strict=True):
                lines.write(
                    f'{url.split("/")[2]} 20240101120000 {{"url": "{url}", "mime": "{mime}",'
                    f' "status": "200", "digest": "{digest}", "length": "1234", "offset": "5678",'
                    ' "filename": "crawl.warc.gz"}\n'
                )
    part.rename(path)
    return path


def warc(records: int) -> Path:
    """Response records of 1 to 8 KB of HTML, gzip by record as crawlers write them, a fifth of them
    copies.
    """
    path = ROOT / f"records-{records}-0.warc.gz"
    if path.is_file():
        return path
    import numpy as np
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghiklmnoprstu"), 7)) for _ in range(2_000)]
    ROOT.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".part"), "wb") as handle:
        writer = WARCWriter(handle, gzip=True)
        for i in range(records):
            page = np.random.default_rng([0, i if rng.random() > 0.2 else i % 50])
            text = " ".join(
                words[k] for k in page.integers(0, len(words), page.integers(120, 1_000))
            )
            headers = StatusAndHeaders(
                "200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1"
            )
            writer.write_record(
                writer.create_warc_record(
                    f"http://site{i % 400}.example.com/{words[i % 97]}/{i}.html",
                    "response",
                    http_headers=headers,
                    payload=io.BytesIO(
                        f"<html><head><title>{i % 50}</title></head>"
                        f"<body><p>{text}</p></body></html>".encode()
                    ),
                    warc_headers_dict={
                        "WARC-Date": "2024-01-01T00:00:00Z",
                        "WARC-IP-Address": f"192.0.2.{i % 200 + 1}",
                    },
                )
            )
    path.with_suffix(".part").rename(path)
    return path


def main(kind: str, *arguments: str) -> None:
    function = {"crawl": crawl, "table": table, "text": text, "warc": warc}[kind]
    print(function(*(int(a) if a.isdigit() else a or None for a in arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
