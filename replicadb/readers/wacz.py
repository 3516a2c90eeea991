"""WACZ packages: a zip archive of WARC files, with indexes that are not needed here.

Format: https://specs.webrecorder.net/wacz/1.1.1/
"""

from __future__ import annotations

import errno
import os
import re
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, cast

import pyarrow as pa

from replicadb.errors import DataError
from replicadb.readers.capture_rows import ContentSink, IdentifierSink
from replicadb.readers.compression import opened
from replicadb.readers.warc import WarcRows

BROKEN = (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError)
"""What a member raises whose bytes are not what its package says."""


def read_wacz(
    stream_or_path: BinaryIO | str | os.PathLike[str],
    links: bool | None = None,
    contents: ContentSink | None = None,
    identifiers: IdentifierSink | None = None,
) -> Iterator[pa.RecordBatch]:
    """Captures of every WARC file in a WACZ's archive/ folder, in name order; positions count on
    across them.
    """
    rows = WarcRows(links, contents, identifiers)
    with opened(stream_or_path) as raw:
        try:
            package = zipfile.ZipFile(raw)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
            raise DataError(f"no readable zip archive ({error}); fetch the file again") from error
        with package:
            members = sorted(
                m for m in package.namelist() if re.search(r"(^|/)archive/.+\.warc(\.\w+)?$", m)
            )
            if not members:
                raise DataError(_no_wacz(package.namelist()))
            for member in members:
                yield from _read_member(package, member, rows)
    yield from rows.buffer.take()


def _read_member(package: zipfile.ZipFile, member: str, rows: WarcRows) -> Iterator[pa.RecordBatch]:
    """Captures of one WARC file of a package; where it cannot be read, a problem."""
    try:
        with package.open(member) as inner:
            yield from rows.read(cast(BinaryIO, inner))
    except BROKEN as error:
        rows.problem(f"{member} can't be read ({error})")
    except OSError as error:
        if error.errno != errno.EINVAL:  # the disk's
            raise
        rows.problem(f"{member} can't be read (it lies nowhere in the file)")


def _no_wacz(names: list[str]) -> str:
    """What to do with a zip archive that has no WARC file where a WACZ has them."""
    if "xl/workbook.xml" in names:
        return "an Excel workbook; save the sheet as CSV"
    if "datapackage.json" in names or any(name.startswith("archive/") for name in names):
        return "no WARC file in its archive/ folder; a WACZ has at least one, so check the file"
    return "a zip archive, but no WACZ; unpack it and load what is in it"
