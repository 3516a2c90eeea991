"""Mutated records by the thousand in one file, so that a million of them fit in minutes: is each
kept, or counted as replaced, skipped or rejected?

Invariant: a file is made of whole records, some of them mutated so that they stay one record
(a line without a line break more, a block of the length that its header says), so their number is
known; what a trial does follows from the seed and its number.

Run ``python -m benchmarks.reliability.bulk [--trials 1000] [--minutes 10] [--seed 1]
[--format jsonl] [--rows 500000]``; with ``--rows`` each file has so many, dealt from some thousand
mutated ones and, in tables and indexes, with bytes of their own changed.
"""

from __future__ import annotations

import json
import random
import re
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import replicadb
from benchmarks.reliability import campaign, material
from benchmarks.reliability.campaign import Failed
from benchmarks.reliability.fuzz import MEMORY, SECONDS, bounded, mutated
from replicadb.errors import ReplicaDBError

RECORDS = (100, 2_000, 10_000)
"""In a file."""
DISTINCT = 10_000
"""Records that are mutated one by one; a file of more deals them out, and changes bytes."""
ROWS_A_SECOND = 3_000
"""What a busy machine loads at least; beyond the seconds that any file may take."""
LINES = ("csv", "tsv", "jsonl", "cdxj")
OTHER_BYTES = np.frombuffer(
    bytes(range(1, 9)) + b" !#$%&'()*+-./0;<=>?@A[\\]^_`a{|}~\x7f\x80\xc3\xff", "u1"
)
"""What a byte becomes: neither a line's end nor a quotation mark, nor what parts fields."""
Make = Callable[[dict[str, str], random.Random], bytes]
"""One record of a row, maybe mutated."""


def maybe(text: str | bytes, draw: random.Random, share: float = 0.4) -> bytes:
    """A value, by chance a mutated one; without line breaks."""
    data = text.encode() if isinstance(text, str) else text
    if draw.random() > share:
        return data
    return mutated(data, draw).replace(b"\n", b" ").replace(b"\r", b" ")[:5000]


def line(order: tuple[str, ...], delimiter: bytes) -> Make:
    """A line of a table whose fields are written as they are, quotation marks left out."""

    def made(row: dict[str, str], draw: random.Random) -> bytes:
        cells = [maybe(row[name], draw).replace(b'"', b"'") for name in order]
        return delimiter.join(cell.replace(delimiter, b"_") for cell in cells) + b"\n"

    return made


def json_line(row: dict[str, str], draw: random.Random) -> bytes:
    """An object, now and then with a value of another type, or broken."""
    values: dict[str, object] = dict(row)
    if draw.random() < 0.3:
        odd = (None, -1, 2**70, 1e308, [], {"a": 1}, True, "\ud800", "\0", "a" * 3000)
        values[draw.choice(list(values))] = draw.choice(odd)
    return maybe(json.dumps(values), draw, 0.2) + b"\n"


def cdxj_line(row: dict[str, str], draw: random.Random) -> bytes:
    return maybe(material.cdxj_line(dict(row)).strip(), draw) + b"\n"


def log_line(row: dict[str, str], draw: random.Random) -> bytes:
    """A line of a crawl.log; its first field stays, by which the file is known."""
    rest = (
        f" 200 99 {row['url']} L - text/html #001 20240302000000000+10"
        f" sha1:{row['fingerprint']} - -"
    )
    return b"2024-03-02T00:00:00.000Z" + maybe(rest, draw) + b"\n"


def warc_record(row: dict[str, str], draw: random.Random) -> bytes:
    """A response whose header lines and block are mutated, and whose length is right."""
    block = maybe(material.http(f"<title>{row['fingerprint']}</title>"), draw)
    lines = [
        b"WARC-Target-URI: " + maybe(row["url"], draw),
        b"WARC-Date: " + maybe("2024-03-01T00:00:00Z", draw),
        maybe("WARC-IP-Address: 192.0.2.1", draw),
        b"Content-Type: application/http",
    ]
    # a mutated line is kept from naming a length or type of its own
    lines = [each.replace(b"Content-Length", b"X").replace(b"WARC-Type", b"Y") for each in lines]
    head = b"WARC/1.0\r\nWARC-Type: response\r\n" + b"\r\n".join(lines)
    return head + b"\r\nContent-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n"


def arc_record(row: dict[str, str], draw: random.Random) -> bytes:
    """A record of ARC whose fields have no blank more than they should."""
    block = maybe(material.http("<p>text"), draw)
    fields = (row["url"], "192.0.2.1", "20240301000000", "text/html")
    share = draw.choice((0.0, 0.0, 0.2))
    words = [maybe(field, draw, share).replace(b" ", b"_") or b"-" for field in fields]
    return b" ".join(words) + b" %d\n" % len(block) + block + b"\n"


ARC_HEADER = re.compile(rb"http://[a-z0-9./-]+ 192.0.2.1 20240301000000 text/html \d+\n")
COLUMNS = ("url", "fingerprint", "timestamp")
FORMATS: dict[str, tuple[bytes, Make]] = {
    "csv": (b"url,digest,timestamp\n", line(COLUMNS, b",")),
    "tsv": (b"url\tdigest\ttimestamp\n", line(COLUMNS, b"\t")),
    "jsonl": (b"", json_line),
    "cdxj": (b"", cdxj_line),
    "crawl-log": (b"", log_line),
    "warc": (b"", warc_record),
    "arc": (material.ARC_HEAD, arc_record),
}


def sound_rows(folder: Path) -> list[dict[str, str]]:
    """Rows to start from."""
    table = material.rows(folder, 40).select(
        "url", "fingerprint", pl.col("timestamp").cast(pl.String).fill_null("")
    )
    return list(table.fill_null("").iter_rows(named=True))


def sound_head(record: bytes) -> bool:
    """Whether the header of a record of ARC is one. From a broken one to the next sound one all is
    one reject, as nobody can say how many records that was.
    """
    return bool(ARC_HEADER.match(record))


def counts(row: bytes, format: str) -> bool:
    """Whether a line or record is one that counts: no blank, nor a header of a CDXJ file. White
    space in a table of fields is a field.
    """
    blank = b"\r\n" if format in ("csv", "tsv") else None
    return bool(row.strip(blank)) and not (format == "cdxj" and row[:1] in (b"!", b"@"))


def changed(lines: bytes, draw: random.Random) -> bytes:
    """Lines of which one byte in two hundred is another one, line ends aside."""
    data = np.frombuffer(lines, "u1").copy()
    dice = np.random.default_rng(draw.getrandbits(64))
    places = dice.integers(0, len(data), len(data) // 200)
    places = places[(data[places] != 10) & (data[places] != 13)]
    data[places] = dice.choice(OTHER_BYTES, len(places))
    return data.tobytes()


class Bulk:
    """Trials over formats; ``records`` counts what was read."""

    def __init__(self, folder: Path, only: str | None = None, many: int = 0) -> None:
        self.folder, self.records = folder, 0
        self.sizes = (many,) if many else RECORDS
        self.rows = sound_rows(folder)
        self.formats = [only] if only else sorted(FORMATS)

    def trial(self, draw: random.Random) -> str:
        """One file loaded into an empty database."""
        format, number = draw.choice(self.formats), draw.choice(self.sizes)
        head, make = FORMATS[format]
        sound = make(self.rows[0], random.Random(0)) if not head else b""
        rows = [make(draw.choice(self.rows), draw) for _ in range(min(number, DISTINCT))]
        if number > DISTINCT:
            rows = draw.choices(rows, k=number)
            if format in LINES:
                rows = changed(b"".join(rows), draw).splitlines(keepends=True)
        written = sum(1 for row in rows if counts(row, format)) + bool(sound)
        path = self.folder / f"bulk.{format}"
        path.write_bytes(head + sound + b"".join(rows))
        try:
            with (
                bounded(SECONDS + number // ROWS_A_SECOND),
                replicadb.open(":memory:", threads=1) as web,
            ):
                result = web.load(path, format=format)
        except ReplicaDBError as error:
            raise Failed(f"{format}, {number} records: {error}{self._kept(path)}") from error
        except Failed as error:
            raise Failed(f"{format}, {number} records: {error}{self._kept(path)}") from error
        except Exception as error:
            name = type(error).__name__
            raise Failed(f"{format}: {name}: {error}{self._kept(path)}") from error
        parts = result.kept + result.replaced + result.skipped + result.rejected
        least = sum(1 for row in rows if sound_head(row)) if format == "arc" else written
        if result.read != parts or not least <= result.read <= written:
            raise Failed(
                f"{format}: {written} records, read {result.read}, told {parts}{self._kept(path)}"
            )
        self.records += result.read
        return format

    def _kept(self, path: Path) -> str:
        """Where the file lies that failed."""
        to = Path(tempfile.gettempdir()) / f"bulk-{material.sha(path.read_bytes())[:12]}"
        path.replace(to)
        return f" ({to})"


def main() -> int:
    parser = campaign.options(__doc__ or "", 1000)
    parser.add_argument("--rows", type=int, default=0, help="records in each file")
    parser.add_argument("--format", choices=sorted(FORMATS), help="one format alone")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory(prefix="bulk-folder-") as folder:
        bulk = Bulk(Path(folder), chosen.format, chosen.rows)
        code = campaign.run("bulk", bulk.trial, chosen)
        print(f"{bulk.records:,} records, each kept, replaced, skipped or rejected")
    return code


if __name__ == "__main__":
    sys.exit(main())
