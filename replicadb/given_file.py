"""Small files that a person gives beside a crawl: rules, classifiers, lists of hosts, pages.

Invariant: a file of any size, of any depth and of any kind, a pipe or a device among them, is read
or refused in one line, in bounded memory.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import stat
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from replicadb.errors import DataError, UsageError

MOST_BYTES = 1 << 28
"""Bytes of such a file; a list of ten million hosts is no larger."""
PIPED = "standard input"
"""What ``-`` is called."""
GZIP = b"\x1f\x8b"
"""How a file begins that gzip packed."""
OTHER_PACKERS = {b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
"""How files begin that are packed in another way."""
PARQUET = b"PAR1"
"""How a Parquet file begins."""
SEPARATORS = ",;\t|"
"""What may stand between the cells of a table."""


def path_of(given: object) -> str:
    """The path of a file that somebody gives from Python.

    Raises:
        UsageError: it is no path, but a frame, say.
    """
    if isinstance(given, str | os.PathLike):
        return str(os.fspath(given))
    raise UsageError(
        f"a file is given by its path, and not as a {type(given).__name__}; write it to one first,"
        " as frame.write_parquet does"
    )


def given_bytes(path: str | Path) -> bytes:
    """All bytes of a file, or of a pipe to its end.

    Raises:
        DataError: it is larger than MOST_BYTES, or a device that never ends. UsageError: no path.
        OSError: it cannot be read.
    """
    path = path_of(path)  # a number would open whatever this process has open by it
    refuse_device(path)
    with open(path, "rb") as handle:
        return _all_of(handle, str(path))


def piped_bytes() -> bytes:
    """All bytes of standard input.

    Raises:
        DataError: there are more than MOST_BYTES, or it cannot be read.
    """
    try:
        return _all_of(sys.stdin.buffer, PIPED)
    except OSError as error:
        raise DataError(f"{PIPED}: cannot be read: {error.strerror or error}") from error


def piped_file(folder: str | Path) -> Path:
    """Standard input as a file of that folder, for what reads files alone.

    Raises:
        DataError: as :func:`piped_bytes`.
    """
    path = Path(folder) / "stdin"
    path.write_bytes(piped_bytes())
    return path


def _all_of(handle: BinaryIO | gzip.GzipFile, name: str) -> bytes:
    data = handle.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise DataError(f"{name}: larger than {MOST_BYTES >> 20} MiB; is it the right file?")
    return data


def given_text(path: str | Path) -> str:
    """The file, packed by gzip or not, as text in UTF-8, with a byte order mark or without; line
    ends are ``\\n``.

    Raises:
        DataError: as :func:`given_bytes`, or what is packed is broken. OSError: it cannot be read.
            UnicodeDecodeError: it is in no UTF-8.
    """
    return text_in(given_bytes(path), path)


def text_in(data: bytes, path: str | Path, errors: str = "strict") -> str:
    """The bytes of that file as :func:`given_text` has them."""
    return _as_text(unpacked(data, str(path)), errors)


def piped_text() -> str:
    """Standard input as :func:`given_text` has a file.

    Raises:
        DataError: as :func:`piped_bytes`. UnicodeDecodeError: it is in no UTF-8.
    """
    return _as_text(unpacked(piped_bytes(), PIPED), "strict")


def unpacked(data: bytes, name: str) -> bytes:
    """What gzip packed, in one piece or several; a text as it is.

    Raises:
        DataError: it is broken, larger than MOST_BYTES, or packed in another way.
    """
    if not data.startswith(GZIP):
        if packed := _packed(data):
            raise DataError(f"{name}: {packed}")
        return data
    try:
        with gzip.open(io.BytesIO(data)) as handle:
            return _all_of(handle, name)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"{name}: broken gzip data; pack it anew") from error


def _packed(data: bytes) -> str:
    """That these bytes are packed in a way which is not read here; '' where they are not."""
    packer = next((kind for start, kind in OTHER_PACKERS.items() if data.startswith(start)), "")
    if not packer or data.isascii():
        return ""
    return f"is packed by {packer}; unpack it, or pack it by gzip"


def _as_text(data: bytes, errors: str) -> str:
    text = data.decode("utf-8-sig", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def separator_of(line: str) -> str:
    """What stands between the cells of a table of which this is the first line."""
    return max(SEPARATORS, key=line.count)


def given_json(path: str | Path) -> Any:
    """What a JSON file says.

    Raises:
        DataError: as :func:`given_bytes`. OSError: it cannot be read. ValueError: it is no JSON, or
            nested deeper than Python follows.
    """
    return parsed(given_text(path))


def parsed(text: str) -> Any:
    """What a JSON text says.

    Raises:
        ValueError: it is no JSON, or nested deeper than Python follows.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def refuse_device(path: str | Path) -> None:
    """Raises DataError where a name leads to a device, which has no end."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # not there: whoever opens it says so
        return
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise DataError(f"{path}: is a device, no file")


def no_file(path: str | Path) -> str | None:
    """What a path is where it is no file that can be read from its beginning twice."""
    refuse_device(path)
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return "no such file"
    if stat.S_ISREG(mode):
        return None
    return "is a folder" if stat.S_ISDIR(mode) else "is a pipe; write it to a file first"


def name_of(path: str | Path) -> str:
    """A path as text that can be stored and printed: bytes of it that are no UTF-8 as ``\\xff``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def begins_with(path: str | Path, magic: bytes) -> bool:
    """Whether a file begins with these bytes; not where it cannot be read: whoever reads it says
    so.
    """
    try:
        with open(path, "rb") as handle:
            return handle.read(len(magic)) == magic
    except OSError:
        return False


def is_parquet(path: str | Path) -> bool:
    """Whether a file begins as Parquet does."""
    return begins_with(path, PARQUET)


def table_fault(path: str | Path, names: Sequence[str]) -> str:
    """Why a file is no table with these columns, with the line; '' where that is not known."""
    if str(path).endswith((".gz", ".zst")):
        return ""
    raw = given_bytes(path)
    if raw.startswith((PARQUET, GZIP)):
        return ""
    if packed := _packed(raw):
        return packed
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "the file is in UTF-16; save it as UTF-8"
        line = raw.count(b"\n", 0, error.start) + 1
        return f"line {line} is not in UTF-8 (the file may be in Latin-1); save it as UTF-8"
    if text.lstrip().startswith(("{", "[")):
        return "is JSON; save it as CSV or Parquet"
    return _ragged(text.splitlines(), names)


def _ragged(lines: list[str], names: Sequence[str]) -> str:
    """The first line with more or fewer cells than the header that names these columns; '' where
    there is none.
    """
    head = next(
        (i for i, line in enumerate(lines) if all(name in line.lower() for name in names)),
        len(lines),
    )
    delimiter = separator_of(lines[head]) if head < len(lines) else ","
    rows = csv.reader(lines[head:], delimiter=delimiter)
    try:
        wide = len(next(rows, []))
        for row in rows:
            if row and len(row) != wide:
                return (
                    f"line {head + rows.line_num} has {len(row)} cell{'' if len(row) == 1 else 's'}"
                    f" where the header has {wide}"
                )
    except csv.Error:
        most = csv.field_size_limit()
        return f"line {head + rows.line_num} has a cell of more than {most:,} characters"
    return ""
