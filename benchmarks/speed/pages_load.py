"""Time ``replicadb load --content`` as a whole process: real-sized pages from WARC and from
Parquet.

Mark: 500 pages a second of CPU, from the gzip record to the tables. Run ``python -m
benchmarks.speed.pages_load [--pages 5000] [--kb 40] [--plain]``; ``--plain`` loads the same files
without --content, too. The pages are made from a seed: a head with style and script, a menu, an
article of some 900 words, a list of related links, a footer; 30 to 60 KB of markup, 130 links, a
tenth of it visible text. With ``--synth 5`` they are those that ``replicadb pages synth --seed 5``
makes: 25 KB of markup, 42 links.
"""

from __future__ import annotations

import argparse
import gzip
import random
import tempfile
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import markdown, replicadb

HEADER = ["load", "pages", "CPU s", "wall s", "pages/CPU s", "peak MB", "file MB"]
LETTERS = "etaoinshrdlucmfwypvbgkqjxzéüñ"


class Pages:
    """Pages of sites, from a seed: the boilerplate of a page depends on its site, the article on
    the page.
    """

    def __init__(self, seed: int, kb: int) -> None:
        self.random = random.Random(seed)
        self.words = [
            "".join(
                self.random.choices(
                    LETTERS, range(len(LETTERS), 0, -1), k=self.random.randint(2, 11)
                )
            )
            for _ in range(60_000)
        ]
        self.weights = list(accumulate(1 / (rank + 10) for rank in range(len(self.words))))
        self.kb = kb
        self.heads: dict[int, tuple[str, str]] = {}

    def said(self, n: int) -> list[str]:
        return self.random.choices(self.words, cum_weights=self.weights, k=n)

    def boilerplate(self, site: int) -> tuple[str, str]:
        """What stands before and behind the article on each page of a site."""
        if site not in self.heads:
            entries = "".join(
                f'<li class="menu-item menu-item-{i}"><a href="/section/{i}"'
                f' title="{word}"><span>{word}</span></a></li>\n'
                for i, word in enumerate(self.said(60))
            )
            filler = "\n".join(
                f".c{i} > .{word} {{ margin: {i}px auto; padding: 0 {i % 9}px; color: #{i:06x} }}"
                for i, word in enumerate(self.said(self.kb * 4))
            )
            script = "\n".join(
                f'window.dataLayer.push({{"{word}": {i}, "event": "load"}});'
                for i, word in enumerate(self.said(self.kb * 3))
            )
            self.heads[site] = (
                (
                    "<meta name=keywords"
                    f" content='{', '.join(self.said(8))}'><style>{filler}</style>"
                    f"<script>{script}</script></head>\n<body"
                    " class='page'><div id=wrapper><header><nav><ul"
                    f" class='menu'>{entries}</ul></nav></header><main id=content>"
                ),
                (
                    "</main><footer class=footer><p>&copy;"
                    f" {' '.join(self.said(30))}</p></footer></div></body></html>"
                ),
            )
        return self.heads[site]

    def page(self, number: int) -> tuple[str, str]:
        """URL and markup of one page."""
        site = number // 50
        before, behind = self.boilerplate(site)
        title = " ".join(self.said(7))
        article = "\n".join(
            f"<p class='text'>{' '.join(self.said(60))} <b>{self.said(1)[0]}</b> <a"
            f" href='story-{self.random.randrange(500)}.html'>{' '.join(self.said(3))}</a>"
            f" {' '.join(self.said(30))}.</p>"
            for _ in range(10)
        )
        related = "".join(
            "<li class='related-item'><div class='box'><a"
            f" href='http://www.site{self.random.randrange(900)}.example.com/story/{i}"
            f"?from={site}'><img src='/thumbs/{i}.jpg' alt=''> {' '.join(self.said(6))}</a></div>"
            "</li>\n"
            for i in range(60)
        )
        return (
            f"http://www.site{site}.example.com/story-{number}.html",
            (
                "<!DOCTYPE html>\n<html lang=en><head><meta"
                f" charset=utf-8><title>{title}</title><meta"
                f" name=description content='{' '.join(self.said(20))}'>\n"
                f"{before}<article><h1>{title}</h1>\n<h2>{' '.join(self.said(5))}</h2>"
                f"{article}</article><aside><ul>{related}</ul></aside>{behind}"
            ),
        )


def record(url: str, page: str) -> bytes:
    """A gzip member with one response."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date:"
        " 2024-01-01T00:00:00Z\r\nContent-Type: application/http;"
        f" msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 4)


def generated(n: int, kb: int) -> Iterator[tuple[str, str]]:
    """URLs and markup of the pages made here."""
    pages = Pages(1, kb)
    return map(pages.page, range(n))


def synthesised(folder: Path, n: int, seed: int) -> Iterator[tuple[str, str]]:
    """URLs and markup of the pages of ``replicadb pages synth``, about n."""
    replicadb(
        "pages",
        "synth",
        folder / "synth",
        "--pages",
        n,
        "--seed",
        seed,
        "--format",
        "parquet",
        "--quiet",
    )
    for batch in pq.ParquetFile(folder / "synth" / "pages.parquet").iter_batches(
        1000, columns=["url", "html"]
    ):
        yield from zip(batch["url"].to_pylist(), batch["html"].to_pylist(), strict=True)


def make(folder: Path, pages: Iterator[tuple[str, str]]) -> tuple[Path, Path, int, float]:
    """The same pages as a WARC and as a Parquet file, how many, and their mean size in KB."""
    n = size = 0
    with (
        open(folder / "pages.warc.gz", "wb") as warc,
        pq.ParquetWriter(
            folder / "pages.parquet", pa.schema([("url", pa.string()), ("html", pa.string())])
        ) as table,
    ):
        while batch := list(islice(pages, 1000)):
            warc.writelines(record(url, page) for url, page in batch)
            table.write_table(
                pa.table({"url": [url for url, _ in batch], "html": [page for _, page in batch]})
            )
            n += len(batch)
            size += sum(len(page.encode()) for _, page in batch)
    return folder / "pages.warc.gz", folder / "pages.parquet", n, size / n / 1024


def main(n: int, kb: int, synth: int | None, plain: bool, scratch: Path | None) -> str:
    """Returns the Markdown table."""
    lines = []
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        warc, table, n, mean = make(
            Path(folder), generated(n, kb) if synth is None else synthesised(Path(folder), n, synth)
        )
        for name, source in (("WARC (gzip)", warc), ("Parquet", table)):
            for option in ([], ["--content"]) if plain else (["--content"],):
                database = Path(folder) / "pages.duckdb"
                used = replicadb("load", database, source, "--quiet", *option)
                cpu, size = used.user + used.system, database.stat().st_size
                database.unlink()
                lines.append(
                    [
                        f"{name} {' '.join(option)}",
                        f"{n:,} of {mean:.0f} KB",
                        f"{cpu:.1f}",
                        f"{used.wall:.1f}",
                        f"{n / cpu:,.0f}",
                        f"{used.peak_mb:,.0f}",
                        f"{size / 1e6:,.0f}",
                    ]
                )
    return markdown(HEADER, lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--kb", type=int, default=40, help="about so many KB of markup a page")
    parser.add_argument(
        "--synth", type=int, help="a seed: the pages of replicadb pages synth instead"
    )
    parser.add_argument("--plain", action="store_true", help="without --content, too")
    parser.add_argument(
        "--scratch", type=Path, help="where the files go; default: the system's folder for such"
    )
    given = parser.parse_args()
    print(main(given.pages, given.kb, given.synth, given.plain, given.scratch))
