"""Which files a source stands for, and what each one is, by its content rather than its name.

Invariant: recognising a file reads its first 64 KiB and changes nothing. A format the user
names is believed; ``auto`` looks.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from replicadb.errors import DataError, UnreadableError
from replicadb.likely_meant import did_you_mean_file
from replicadb.readers import archives, cdx
from replicadb.readers.compression import broken, head
from replicadb.readers.crawl_log import looks_like_crawl_log
from replicadb.readers.csv_tables import ONE_URL, header_below
from replicadb.readers.json_documents import ANSWER
from replicadb.readers.table_columns import ROLES
from replicadb.readers.text_repair import refuse_foreign

FORMATS = (
    "auto",
    "warc",
    "arc",
    "wacz",
    "wat",
    "wet",
    "cdx",
    "cdxj",
    "crawl-log",
    "cc-index",
    "csv",
    "tsv",
    "urls",
    "jsonl",
    "parquet",
)
CRAWL_FILE = re.compile(
    r"\s*(?!https?:)\S+(?:\.(?:warc|arc|wat|wet|cdxj?)(?:\.gz)?|/cdx-\d+\.gz|\.wacz|\.parquet)\s*$",
    re.I,
)
"""A line of a list of files, as Common Crawl's warc.paths.gz and cc-index-table.paths.gz are."""
BLOCK_OF_INDEX = re.compile(
    r"(?:\S+ \d{4,17}\t([^\t\n]+)\t\d+\t\d+(?:\t\d+)?[ \t]*(?:\n|$)"
    r'|!meta [^\n]*"cdxj-gzip[^\n]*"filename":\s*"([^"\n]+)")'
)
"""How the index of a ZipNum index begins, as Common Crawl's cluster.idx or a WACZ's index.idx: the
first key of a block, the file that it is in, and where; or the name of that file in a header.
"""
HAR = re.compile(r'\s*\{\s*"log"\s*:\s*\{\s*"(version|creator|browser|pages|entries)"')
"""How a file begins in which a browser saved what it fetched."""
A_HAR = "a HAR, as browsers save it, is not read; har2warc makes a WARC of it, which is"
ARCHIVE = re.compile(r"\.warc(?:\.\w+)?$", re.I)
A_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
SAY = "say what it is with --format (load --help has them)"
HEAD_BYTES = 65_536
SIDE_FILES = (
    ".crc",
    ".idx",
    ".loc",
    ".md",
    ".duckdb",
    ".wal",
)  # beside crawls in folders, no crawls themselves


_PACKED = "packed with {}; unpack it and load what is in it"
_TABLE = "{}; write it as Parquet or CSV"
UNREADABLE = (
    (b"\xfd7zXZ\0", _PACKED.format("xz")),
    (b"7z\xbc\xaf\x27\x1c", _PACKED.format("7z")),
    (b"\x02\x21\x4c\x18", _PACKED.format("an old form of lz4")),
    (b"\xff\x06\0\0sNaPpY", _PACKED.format("snappy")),
    (b"\x1f\x8b", _PACKED.format("gzip twice")),
    (b"\x28\xb5\x2f\xfd", _PACKED.format("zstd twice")),
    (b"BZh", _PACKED.format("bzip2 twice")),
    (b"PK\x03\x04", "a packed zip archive; unpack it and load what is in it"),
    (b"PAR1", "a packed Parquet file; unpack it and load what is in it"),
    (b"ARROW1", _TABLE.format("an Arrow file")),
    (b"FEA1", _TABLE.format("an Arrow file")),
    (b"ORC\x11", _TABLE.format("an ORC file")),
    (b"SQLite format 3\0", _TABLE.format("an SQLite database")),
    (
        b"SEQ",
        "a Hadoop sequence file, as Nutch keeps them; dump the crawldb (nutch readdb CRAWLDB -dump"
        " DIR -format csv), or write the segments as WARC (nutch warc), and load that",
    ),
)
"""How files begin, unpacked, that people have crawls in and that are not read, and what to say."""


@dataclass(frozen=True)
class Source:
    """One file to load."""

    path: Path
    """Where it lies."""
    name: str
    """How to call it in tables and messages: the path as given, ``-`` for standard input."""
    explicit: bool
    """Named by the user (or by a pattern), rather than found in a folder."""
    lists_archive: bool = False
    """Found in a folder where a list or log of pages is that archives found beside it have."""

    def format(self, named: str) -> str:
        """What it is, one of FORMATS but ``auto``: what the user named, else what it looks like.

        Raises:
            DataError: it is like nothing we know, or has nothing that the archives have not.
        """
        if named != "auto":
            return named
        if (found := recognise(self.path)) == "jsonl" and self.lists_archive:
            raise DataError(
                "lists pages without their digests, and archive/ beside it has them; name the file"
                " itself to load it"
            )
        return found


def expand(sources: list[str]) -> list[Source]:
    """The files that paths, patterns and folders stand for, sorted within each, none twice.

    Raises:
        DataError: nothing there; a folder without files.
    """
    found: dict[str, Source] = {}
    for given in sources:
        if not given.strip():
            raise DataError("an empty source; name a file, a pattern or a folder")
        path = Path(given)
        if A_URL.match(given) and not path.exists():
            raise DataError(f"{given}: URLs are not fetched; download it, and load the file")
        if path.is_dir():
            files = _inside(path)
            if not files:
                raise DataError(f"{given}: a folder without crawl files")
        elif path.exists() or not glob.has_magic(given):
            if not path.exists():
                meant = did_you_mean_file(given)
                raise DataError(f"{given}: no such file{meant}; check the path")
            files = [Source(path, given, explicit=True)]
        else:
            matches = sorted(p for p in glob.glob(given, recursive=True) if os.path.isfile(p))
            if not matches:
                raise DataError(f"{given}: the pattern matches no file")
            files = [Source(Path(p), p, explicit=True) for p in matches]
        for file in files:
            found.setdefault(str(file.path.resolve()), file)
    return list(found.values())


def _inside(folder: Path) -> list[Source]:
    """The files of a folder and of those in it. What the system does not let one look into, and
    links that lead nowhere, are there as if they were named, so that whoever loads them says so.
    """
    unreadable: list[Path] = []
    found: list[Path] = []
    for parent, names in _folders(folder, unreadable):
        shown = [name for name in names if not _hidden(Path(name))]
        for path in (Path(parent, name) for name in shown if not name.endswith(SIDE_FILES)):
            try:
                is_file = path.is_file()
            except OSError:
                unreadable.append(path)
                continue
            if is_file:
                found.append(path)
            elif path.is_symlink() and not path.exists():
                unreadable.append(path)
    lists = _listed(found)
    files = [Source(path, str(path), explicit=False, lists_archive=path in lists) for path in found]
    files += [Source(path, str(path), explicit=True) for path in unreadable]
    return sorted(files, key=lambda file: file.path)


def _folders(folder: Path, unreadable: list[Path]) -> Iterator[tuple[str, list[str]]]:
    """A folder and those in it, each once, with the names of their files; those that links lead to
    last, so that what lies in the folder goes by its own name.
    """
    waiting, seen = [str(folder)], set()
    while waiting:
        for parent, folders, names in os.walk(
            waiting.pop(0), onerror=lambda error: unreadable.append(Path(error.filename))
        ):
            real = os.path.realpath(parent)
            inner = [os.path.join(parent, name) for name in folders if not _hidden(Path(name))]
            folders[:] = [] if real in seen else [os.path.basename(path) for path in inner]
            if real not in seen:
                seen.add(real)
                waiting += sorted(path for path in inner if os.path.islink(path))
                yield parent, names


def _listed(found: list[Path]) -> set[Path]:
    """The files in ``pages/`` and ``logs/`` with WARC files in ``archive/`` beside them, as
    browsertrix writes them, and as they are in a WACZ that was unpacked. Their times are those of
    the browser, often later than the captures', and would put pages without digests in the place of
    these.
    """
    unpacked = {
        folder.parent
        for path in found
        if ARCHIVE.search(path.name)
        for folder in path.parents
        if folder.name == "archive"
    }
    return {
        path
        for path in found
        if path.parent.name in ("pages", "logs") and path.parent.parent in unpacked
    }


def recognise(path: Path) -> str:
    """The format of a file, one of FORMATS but ``auto``.

    Raises:
        DataError: the file is empty, or like nothing we know; UnreadableError: the system does not
            let one read it, or nothing of it can be unpacked.
    """
    try:
        kind, start = head(str(path), HEAD_BYTES)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}") from error
    if kind == "parquet":
        return "parquet"
    if kind == "zip":
        return "wacz"
    if not start:
        if damage := broken(path):
            raise UnreadableError(damage)
        raise DataError("empty: there is nothing in it to load")
    for format, looks_like in (
        ("wat", archives.looks_like_wat),
        ("wet", archives.looks_like_wet),
        ("warc", archives.looks_like_warc),
        ("arc", archives.looks_like_arc),
    ):
        if looks_like(start):
            return format
    refuse_foreign(start)
    for magic, what in UNREADABLE:
        if start.startswith(magic):
            raise DataError(what)
    if b"\0" in start[:4096]:
        if start[8:12] == b"DUCK":
            raise DataError(
                "a DuckDB database; write its table of URLs as Parquet (COPY name TO"
                " 'urls.parquet') and load that"
            )
        if start[257:262] == b"ustar":
            raise DataError("a tar archive; unpack it and load what is in it")
        raise DataError(
            "of no known format (binary); say what it is with --format (load --help has them)"
        )
    text = start.decode("utf-8-sig", "replace")
    return _text_format(text.replace("\r\n", "\n").replace("\r", "\n"))


def _refuse_blocks(text: str) -> None:
    """Raises DataError for the index of a ZipNum index, which has a line a block."""
    if found := BLOCK_OF_INDEX.match(text):
        named = next(name for name in found.groups() if name is not None)
        raise DataError(
            "an index of a ZipNum index: a line is a block, not a capture; load the files of these"
            f" blocks (the first: {named[:80]!r})"
        )


def _text_format(text: str) -> str:
    _refuse_blocks(text)
    if HAR.match(text):
        raise DataError(A_HAR)
    if cdx.looks_like_cdx(text):
        return "cdx"
    if cdx.looks_like_cdxj(text):
        return "cdxj"
    if looks_like_crawl_log(text):
        return "crawl-log"
    lines = [line for line in text.split("\n") if line.strip()][:20]
    if lines and lines[0].lstrip().startswith("{") and _json_object(lines[0]):
        return "jsonl"
    if re.match(r"\s*\[\s*(\{|\[\s*\"|\])", text) or ANSWER.match(text):
        return "jsonl"  # an array of objects, or of rows as CDX servers answer; Elasticsearch's
    given = [line for line in lines if not line.startswith("#")]
    if given and all("//" in line and ONE_URL.match(line) for line in given):
        return "csv" if _line_up(given) else "urls"
    header = lines[0] if lines else ""
    if header.count("\t") and header.count("\t") >= header.count(","):
        return "tsv"
    if any(mark in header for mark in ",;|") or header.strip().strip('"').lower() in ROLES["url"]:
        return "csv"
    if lines and all(CRAWL_FILE.match(line) for line in lines):
        raise DataError(
            "a list of crawl files (the first: "
            f"{lines[0].strip()[:80]!r}), not of URLs; fetch those files and load them"
        )
    if _lists_urls(lines):
        return "urls"
    if header_below(lines or [""]):
        return "csv"
    raise DataError(f"of no known format; {SAY}")


def _lists_urls(lines: list[str]) -> bool:
    """Whether lines are a URL or a host each, but for remarks; or most of them a URL with its
    scheme, where some hold a blank or are none.
    """
    given = [line for line in lines if not line.startswith("#")]
    whole = [line for line in given if ONE_URL.match(line)]
    with_scheme = sum("//" in line for line in whole)
    return bool(given) and (len(whole) == len(given) or 2 * with_scheme > len(given))


def _line_up(lines: list[str]) -> bool:
    """Whether lines have as many separators each, one at least: rows of a table do, and URLs with a
    comma here and there do not.
    """
    counts = {tuple(line.count(mark) for mark in ",;|") for line in lines}
    return len(counts) == 1 and any(*counts)


def _json_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except RecursionError:  # nested so deep that Python does not follow: DuckDB may
        return True
    except ValueError:
        return len(line) >= HEAD_BYTES // 2  # cut off by our window, not broken


def file_digest(path: Path) -> tuple[str, int]:
    """SHA-256 of a file as lower-case hex, and its bytes: how a file is recognised when it comes
    again.
    """
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest(), os.fstat(handle.fileno()).st_size


def stamp(path: Path) -> tuple[int, int, int]:
    """What is another one when a file was written to or replaced."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def refuse_changed(path: Path, before: tuple[int, int, int]) -> None:
    """Raises DataError where a file is not the one any more that it was: what was read of it may be
    of both.
    """
    try:
        same = stamp(path) == before
    except OSError:
        same = False
    if not same:
        raise DataError(
            "was changed while it was read; load it again when nobody writes to it any more"
        )


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)
