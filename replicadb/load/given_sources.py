"""What was given to load, as files that can be read twice: standard input, pipes and names that are
no UTF-8 among them.

Invariant: what has no end is refused, and no more of a pipe is kept than the bound, or than the
folder for temporary files has room for.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import stat
import sys
import zipfile
from pathlib import Path
from typing import BinaryIO

from replicadb.errors import DataError, LimitError, UsageError
from replicadb.given_file import name_of, refuse_device
from replicadb.readers import formats
from replicadb.readers.compressed_members import Damage
from replicadb.readers.compression import kind_of, open_source
from replicadb.readers.formats import Source

PIECE = 1 << 20
ROOM = 0.9
"""Share of what is free in the folder for temporary files that a pipe may fill."""
UNITS = " kmgt"
SIZE = re.compile(r"(\d+(?:\.\d+)?) *([kmgt]?)(i?)b?", re.IGNORECASE)


def size_of(text: str) -> int:
    """Bytes, of a size as people write it: 500MB, 2 GiB.

    Raises:
        UsageError: it is none, or nothing.
    """
    found, size = SIZE.fullmatch(text.strip()), 0.0
    if found:
        power = UNITS.index(found[2].lower() or " ")
        size = float(found[1]) * (1024 if found[3] else 1000) ** power
    if not 1 <= size < math.inf:
        raise UsageError(f"{text!r} is no size; write it as 10GB")
    return int(size)


def expand(sources: list[str], scratch: Path, most: int | None = None) -> list[Source]:
    """The files that sources stand for; what comes through a pipe is copied into ``scratch``.

    Args:
        sources: files, pipes, patterns, folders, or ``-`` for standard input.
        scratch: a folder for temporary files.
        most: bytes of each pipe; None is for what the folder has room for.

    Raises:
        DataError: nothing there, a device, or a pipe with more than may be kept.
    """
    files: list[Source] = []
    for given in sources:
        if given == "-":
            files.append(_spooled(sys.stdin.buffer, "-", scratch, most))
        elif _is_pipe(given):
            with open(given, "rb") as pipe:
                files.append(_spooled(pipe, given, scratch, most))
        else:
            refuse_device(given)
            files += [_named(file, scratch) for file in formats.expand([given])]
    return files


def _is_pipe(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _spooled(pipe: BinaryIO, name: str, scratch: Path, most: int | None) -> Source:
    """All of a pipe as a file."""
    called = "standard input" if name == "-" else name
    room = int(shutil.disk_usage(scratch).free * ROOM)
    bound = min(room, most or room)
    own = "stdin" if name == "-" else f"pipe-{len(list(scratch.iterdir()))}"
    path, size = scratch / own, 0
    try:
        with open(path, "wb") as out:
            while piece := pipe.read(PIECE):
                size += len(piece)
                if size > bound:
                    fault = LimitError if bound == most else DataError
                    raise fault(f"{called}: {_too_large(bound, most)}")
                out.write(piece)
    except (DataError, LimitError):
        path.unlink()
        raise
    except OSError as error:
        raise DataError(f"{called}: cannot be read: {error.strerror or error}") from error
    return Source(path, name_of(name), explicit=True)


def _too_large(bound: int, most: int | None) -> str:
    if bound == most:
        return f"has more than {bound:,} bytes; --max-file-size sets how many it may have"
    return (
        f"has more than the {bound:,} bytes that there is room for in the folder for temporary"
        " files; choose another by TMPDIR, or load a file"
    )


def _named(file: Source, scratch: Path) -> Source:
    """The file under a name that is UTF-8, which DuckDB needs."""
    name = name_of(file.name)
    if name == file.name:
        return file
    link = scratch / f"link-{len(list(scratch.iterdir()))}"
    link.symlink_to(file.path.resolve())
    return Source(link, name, file.explicit, file.lists_archive)


def refuse_larger(path: Path, most: int) -> None:
    """Go through a file, unpacking it, as far as the bound.

    Raises:
        LimitError: unpacked it has more than ``most`` bytes.
    """
    with open(path, "rb") as raw:
        kind, size = kind_of(raw.read(8)), os.fstat(raw.fileno()).st_size
        raw.seek(0)
        if kind == "zip":
            size = max(size, _zip_size(raw))
        elif kind not in ("none", "parquet"):
            source, size = open_source(raw, kind), 0
            while size <= most:
                try:
                    piece, _ = source.read()
                except Damage:
                    continue
                if not piece:
                    break
                size += len(piece)
    if size > most:
        raise LimitError(_too_large(most, most).replace("bytes;", "bytes, unpacked;"))


def _zip_size(raw: BinaryIO) -> int:
    try:
        with zipfile.ZipFile(raw) as package:
            return sum(member.file_size for member in package.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        return 0  # its reader says what is wrong with it
