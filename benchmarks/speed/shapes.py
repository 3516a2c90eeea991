"""Crawls of awkward shapes as Parquet: what costs too much where a program pairs, groups or hashes
carelessly.

Invariant: the same arguments give the same file; every row is one URL with fingerprint,
address and time.

    python -m benchmarks.speed.shapes FOLDER [SHAPE ...] [--rows N]

Without names, all shapes. Prints one path a line.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import duckdb

_COLUMNS = """{url} AS url, {ip} AS ip, {fingerprint} AS fingerprint,
    make_timestamp(1704067200000000 + i * 1000) AS "timestamp", 200::SMALLINT AS status,
    'text/html' AS mime, 1000 + i % 9000 AS length"""
_OWN = "md5('own' || i)"  # a fingerprint that no other row has
_NET = "concat_ws('.', 10 + {n} // 4194304 % 100, {n} // 16384 % 256, {n} // 64 % 256, {n} % 64)"


def _shape(url: str, fingerprint: str = _OWN, host: str = "i") -> str:
    return (
        "SELECT "
        + _COLUMNS.format(url=url, ip=_NET.format(n=f"({host})"), fingerprint=fingerprint)
        + " FROM range($rows) AS t(i)"
    )


SHAPES: dict[str, tuple[int, str, str]] = {
    "one-fingerprint": (
        100_000,
        "one fingerprint on as many hosts as there are rows",
        _shape("'http://site' || i || '.example.com/'", "md5('parked')"),
    ),
    "one-host": (
        5_000_000,
        "one host with all URLs",
        _shape(
            "'http://www.example.com/' || i % 1000 || '/' || i || '.html'",
            "md5('page' || i % 4000000)",
            host="1",
        ),
    ),
    "one-url-hosts": (
        1_000_000,
        "as many hosts as rows, one URL each, every tenth a copy of another's",
        _shape(
            "'http://host-' || i || '.' || CASE i % 3 WHEN 0 THEN 'com' WHEN 1 THEN 'org' ELSE"
            " 'co.uk' END || '/'",
            "md5('page' || CASE WHEN i % 10 = 0 THEN i // 20 * 20 ELSE i END)",
        ),
    ),
    "one-path": (
        500_000,
        "the same path on every host, four more of its own",
        _shape(
            "'https://shop' || i // 5 || '.example.net/' || CASE WHEN i % 5 = 0 THEN 'index.php'"
            " ELSE 'item/' || i END",
            host="i // 5",
        ),
    ),
    "shared-paths": (
        2_000_000,
        "every path on 50 hosts, the most that count, and one content on each two hosts",
        _shape(
            "'https://h' || i // 20 || '.example/' || i // 1000 || '/' || i % 20 || '.html'",
            "CASE WHEN i % 20 = 0 THEN md5('shared' || i // 40) ELSE md5('own' || i) END",
            host="i // 20",
        ),
    ),
    "one-url": (
        5_000_000,
        "every row the same URL, newer and newer",
        _shape("'http://example.com/front'", "md5('front' || i // 1000)", host="1"),
    ),
    "odd-urls": (
        1_000_000,
        "no URL in its normal form: upper case, ports, dot segments, no path",
        _shape(
            "CASE i % 4 WHEN 0 THEN 'HTTP://Host' || i // 50 || '.Example.COM/a' || i WHEN 1 THEN"
            " 'http://host' || i // 50 || '.example.com:8080/b' || i WHEN 2 THEN 'http://host' || i"
            " // 50 || '.example.com/x/../c' || i ELSE 'http://u' || i || '.example.com' END",
            host="i // 50",
        ),
    ),
    "long-urls": (
        20_000,
        "URLs of 5,000 to 60,000 bytes, and every tenth beyond what is taken (65,536)",
        _shape(
            "'http://site' || i % 100 || '.example.com/' || repeat('x', CASE WHEN i % 10 = 0 THEN"
            " 100000 ELSE 5000 + i * 3 % 55000 END) || i",
            host="i % 100",
        ),
    ),
    "many-urls": (
        30_000_000,
        "the paper's size: an eighth of the URLs of a content that others have, few of many",
        _shape(
            "'http://www.site' || (hash(i) % 583411) || '.example/' || i % 977 || '/' || i",
            "CASE WHEN i % 8 = 0 THEN md5('shared' || floor(1500000 * pow(hash(i, 'c') /"
            " 18446744073709551616.0, 2))::BIGINT) ELSE md5('own' || i) END",
            host="hash(i) % 583411",
        ),
    ),
}
"""Name: usual number of rows, what it is, and its rows."""
ORDINARY = tuple(name for name in SHAPES if name != "many-urls")
"""Those that fit a run of all benchmarks."""


def made(folder: Path, name: str, rows: int | None = None) -> Path:
    """The file of one shape, made unless it is there."""
    usual, _, query = SHAPES[name]
    path = folder / f"{name}-{rows or usual}.parquet"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with duckdb.connect() as con:
            con.execute(
                f"COPY ({query}) TO $path (FORMAT parquet, COMPRESSION zstd)",
                {"rows": rows or usual, "path": str(part)},
            )
        part.rename(path)
    return path


def main(say: Callable[[str], None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "shapes", nargs="*", choices=[[], *SHAPES], metavar="SHAPE", help=", ".join(SHAPES)
    )
    parser.add_argument("--rows", type=int, help="instead of the shape's own number")
    options = parser.parse_args()
    for name in options.shapes or SHAPES:
        say(str(made(options.folder, name, options.rows)))


if __name__ == "__main__":
    main()
