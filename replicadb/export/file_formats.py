"""Which format the name of a file asks for, and whether the file is packed.

Invariant: a packed file is the same bytes each time: gzip's header has neither time nor name.
"""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
}
FORMATS = ("table", *dict.fromkeys(ENDINGS.values()))
GZIP = ".gz"
"""Behind the ending of a text: the text is packed."""
NO_TEXTS = ("parquet", "sqlite")
LEVEL = 6
"""Of gzip's nine: what the command gzip takes; 9 takes twice as long for a hundredth less."""


def is_packed(out: str | Path) -> bool:
    """Whether a file of that name is packed by gzip."""
    return Path(out).suffix.lower() == GZIP


def unpacked_name(out: str | Path) -> Path:
    """The name without the ending that says that the file is packed."""
    return Path(out).with_suffix("") if is_packed(out) else Path(out)


def format_of(out: str, wanted: str | None = None) -> str:
    """The format that a file's ending picks (``-``: csv), before .gz where it is packed.

    Raises:
        UsageError: no such format, an ending that picks none, or what is no text is to be packed.
    """
    if wanted is not None and wanted not in FORMATS:
        raise UsageError(
            f"no format is called {wanted!r}{did_you_mean(wanted, FORMATS)}; choose one of:"
            f" {', '.join(FORMATS)}"
        )
    if out == "-":
        return wanted or "csv"
    ending, packed = unpacked_name(out).suffix.lower(), is_packed(out)
    if not wanted and ending not in ENDINGS:
        shown = f"{ending}{GZIP}" if packed else ending or "(none)"
        raise UsageError(
            f"{out}: the ending {shown} picks no format{did_you_mean(ending, ENDINGS)}; use one of:"
            f" {', '.join(ENDINGS)}, those of texts also with {GZIP}"
        )
    chosen = wanted or ENDINGS[ending]
    if packed and chosen in NO_TEXTS:
        raise UsageError(f"{out}: {chosen} is no text, and is not packed; leave out {GZIP}")
    return chosen


def refuse_no_text(out: str | Path, name: str) -> None:
    """Raises UsageError where the file of a list that is a text is named as one of another kind."""
    ending = unpacked_name(out).suffix.lower()
    if ENDINGS.get(ending) in NO_TEXTS:
        raise UsageError(f"{out}: {name} is a text, and {ending} names none; end it with .txt, say")


def format_for_label(out: str) -> str:
    """The format that a file's ending picks; UsageError for one that ``label`` does not read."""
    format = format_of(out)
    if format == "sqlite":
        raise UsageError(f"{out}: label reads no SQLite; use .csv, .tsv, .json, .jsonl or .parquet")
    return format


@contextlib.contextmanager
def stream_to(part: str, out: str | Path) -> Iterator[IO[bytes]]:
    """A stream to a new file, packed where the name that it is to get says so."""
    with open(part, "wb") as raw:
        if not is_packed(out):
            yield raw
            return
        with gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
            yield cast(IO[bytes], packed)
