"""CSV, TSV and lists of URLs, read by DuckDB; what is broken costs no more than its line."""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass, replace

from replicadb.errors import DataError, UsageError
from replicadb.given_file import SEPARATORS, separator_of
from replicadb.readers.compression import head
from replicadb.readers.staged_table import TableRows, create_staged
from replicadb.readers.table_columns import ROLES, Columns, assign_roles, inner_name, plain_name
from replicadb.store.database import Database

URL_NAMES = frozenset(map(plain_name, ROLES["url"]))
LONGEST_LINE = 1 << 26  # bytes, without its line break; a longer line is left out
MOST_COLUMNS = 10_000  # of a table; DuckDB takes a second for so many
HEADER_BYTES = 1 << 20  # bytes in which the header line must end
NO_DELIMITER = "\x01"  # for a table of one column: it stands nowhere
LINE_BREAK_IN_A_CELL = """
    SELECT count(*) FROM staged WHERE problem IS NULL
    AND contains(concat(url, ip, digest, fetched_at, status, mime, redirect), chr(10))"""


LIKE_A_URL = re.compile(r"\s*(?:https?:)?//\S|\s*[\w-]+(?:\.[\w-]+)+(?:[/:?]\S*)?\s*$", re.I)

ONE_URL = re.compile(r"\s*(?:(?:https?:)?//\S+|[\w-]+(?:\.[\w-]+)+(?:[/:?]\S*)?)\s*$", re.I)
"""A line that is a URL or a host, and no more."""

SEPARATOR = re.compile(r"sep=([,;\t|])\r?$", re.I)
"""The line that says to Excel what divides the columns below."""

NUTCHS_TEXT = re.compile(r"\S+\s+Version: \d+$")
"""The first line of what Nutch dumps where it is told no format."""


@dataclass(frozen=True)
class Header:
    """The first line of a CSV that is not blank."""

    names: list[str]
    """Of the columns, none twice."""
    delimiter: str
    blank: int
    """Lines before it that are blank, name the delimiter or are remarks."""
    is_row: bool = False
    """Whether it is no header but a row; the names are numbers from 0 on."""

    @property
    def is_url(self) -> bool:
        """Whether the file has no header, but lists URLs, one a line."""
        if len(self.names) != 1 or inner_name(self.names[0]) in URL_NAMES:
            return False
        return bool(ONE_URL.match(self.names[0]))

    def numbered(self, chosen: dict[str, str | None]) -> tuple[Header, dict[str, str | None]]:
        """The header, and the columns that the user chose, where they are chosen by number.

        The first line is a row where what should be the URL looks like one.

        Raises:
            UsageError: there is no column of that number.
        """
        numbers = {
            role: int(name)
            for role, name in chosen.items()
            if name and name.isdecimal() and name not in self.names
        }
        for number in numbers.values():
            if number >= len(self.names):
                raise UsageError(
                    f"no column {number}; the first line has {len(self.names)}, numbered from 0"
                )
        if "url" in numbers and LIKE_A_URL.match(self.names[numbers["url"]]):
            names = [str(number) for number in range(len(self.names))]
            return replace(self, names=names, is_row=True), chosen
        named: dict[str, str | None] = {role: self.names[n] for role, n in numbers.items()}
        return self, chosen | named


def stage_csv(db: Database, path: str, format: str, chosen: dict[str, str | None]) -> Columns:
    """Make ``staged`` from a CSV or TSV file or a list (``urls``), plain and sound.

    The header line settles the columns and what divides them; a file without one is read where
    the user gives the number of the column ``url``, or where it is a list of URLs. Cells that are
    missing at a line's end are NULL.

    A quotation mark that is never closed would swallow the lines behind it: where a cell holds a
    line break that cannot, the file is read again with quotation marks as ordinary characters, so
    that each line stands for itself.
    """
    header = _header(path, format)
    listed = (header.is_row or header.is_url) and "url" not in chosen
    header, chosen = header.numbered({**chosen, "url": "0"} if listed else chosen)
    found = _assigned(header, chosen)
    found = replace(found, given=found.given - {"url"}) if listed else found
    columns = found.read_out(
        {role: f"c{header.names.index(name)}" for role, name in found.roles.items()}
    )
    has_quotes = _holds(path, b'"')
    _read_csv(db, path, header, columns, found.digest_prefix, '"' if has_quotes else "")
    if has_quotes and db.value(LINE_BREAK_IN_A_CELL):
        columns = {role: f"trim({column}, '\"')" for role, column in columns.items()}
        _read_csv(db, path, header, columns, found.digest_prefix, quote="")
    return found


def _assigned(header: Header, chosen: dict[str, str | None]) -> Columns:
    try:
        return assign_roles(header.names, chosen)
    except DataError as error:
        place = next((i for i, name in enumerate(header.names) if "://" in name), None)
        if place is None:
            place = next((i for i, name in enumerate(header.names) if ONE_URL.match(name)), None)
            if place is None:
                raise
            raise DataError(
                f"{error}, or --column url={place} if its first line is no header"
            ) from error
        if NUTCHS_TEXT.match("\t".join(header.names)):
            raise DataError(
                "it is Nutch's readdb -dump as text, which has a page on many lines; dump it with"
                " -format csv"
            ) from error
        lists = "" if place else ", or say --format urls if each line is a URL"
        raise DataError(
            f"its first line is no header but a row; name columns by number, as with --column"
            f" url={place}{lists}"
        ) from error


def _read_csv(
    db: Database, path: str, header: Header, columns: dict[str, str], prefix: str, quote: str
) -> None:
    """Make ``staged``, a row a line; ``columns`` are expressions of c0, c1, ... by role.

    One column more than there are names shows the lines that have more cells. DuckDB reads quoted
    line breaks along with short lines in one thread only.
    """
    types = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(header.names)))
    scan = (
        f"read_csv($path, header = {not header.is_row}, skip = {header.blank}, auto_detect = false,"
        f" columns = {{{types}, beyond: 'VARCHAR'}}, delim = '{header.delimiter}',"
        f" quote = '{quote}', escape = '{quote}', null_padding = true, store_rejects = true,"
        f" strict_mode = false, parallel = {not quote}, max_line_size = {LONGEST_LINE + 2})"
    )
    problem = "CASE WHEN beyond IS NOT NULL THEN 'line has more cells than the header' END"
    above = header.blank + (not header.is_row)
    rows = TableRows(f"FROM {scan}", f"row_number() OVER () + {above}", columns, prefix, problem)
    # In order, so that a row's number is its place in the file.
    with db.temporary(keep=("staged",)), db.in_order():
        create_staged(db, rows, path)
        if db.value("SELECT count(*) FROM reject_errors"):
            _add_broken_lines(db)


def _add_broken_lines(db: Database) -> None:
    """Lines that DuckDB refused become rows with a problem, and every row below them is given its
    line.
    """
    db.execute(
        """CREATE OR REPLACE TEMP TABLE broken AS
        SELECT line,
               row_number() OVER (ORDER BY line) AS k,
               any_value(csv_line) AS csv_line,
               lower(any_value(error_type)::VARCHAR) AS error
        FROM reject_errors GROUP BY line"""
    )
    # Row r of the sound ones stands on the r-th line that is neither the header nor broken.
    db.execute(
        """UPDATE staged SET position = staged.position + coalesce(
        (SELECT max(k) FROM broken WHERE line - k < staged.position), 0)"""
    )
    db.execute(
        """INSERT INTO staged BY NAME
        SELECT line AS position, csv_line AS url, 'broken line: ' || error AS problem
        FROM broken"""
    )


def _header(path: str, format: str) -> Header:
    text = head(path, HEADER_BYTES)[1].removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    lines = text.split("\n")
    blank = next((i for i, line in enumerate(lines) if line.strip()), 0)
    listed = next((i for i, line in enumerate(lines) if line.strip() and line[0] != "#"), blank)
    if format == "urls" or ONE_URL.match(lines[listed]):  # a list, which may begin with remarks
        blank = listed
    else:
        blank += header_below(lines[blank:])
    stated = SEPARATOR.match(lines[blank])
    blank += bool(stated and lines[blank + 1 :])
    line = lines[blank].rstrip("\r")
    if format == "urls" and inner_name(line.strip()) not in URL_NAMES:
        return Header(["0"], NO_DELIMITER, blank, is_row=True)
    bare = _bare(line)
    delimiter = "\t" if format == "tsv" else separator_of(bare)
    delimiter = stated[1] if stated else delimiter
    delimiter = delimiter if bare.count(delimiter) and format != "urls" else NO_DELIMITER
    try:
        cells = next(csv.reader([line], delimiter=delimiter))
    except (StopIteration, csv.Error) as error:
        raise DataError(
            "its first line is no header; a table's columns have names, such as url,ip,digest"
        ) from error
    if len(cells) > MOST_COLUMNS:
        raise DataError(f"has {len(cells):,} columns; a table may have {MOST_COLUMNS:,}")
    names: dict[str, None] = {}
    for cell in cells:
        name, n = cell, len(names)
        while name in names:
            name, n = f"{cell}_{n}", n + 1
        names[name] = None
    return Header(list(names), delimiter, blank)


def header_below(lines: list[str]) -> int:
    """How many lines stand above a table's header where it begins with remarks, lines with ``#``.
    The header may be the last of them, as in URLhaus' lists: it has as many cells as the first row,
    which names no column of URLs.
    """
    row_at = next((i for i, line in enumerate(lines) if line.strip() and line[0] != "#"), 0)
    row, last = _bare(lines[row_at]), _bare(lines[row_at - 1])
    delimiter = separator_of(row)
    cells = [] if "://" in row else lines[row_at].split(delimiter)
    if row_at and any(plain_name(cell) in URL_NAMES for cell in cells):
        return row_at
    if row_at == 0 or (row_at == 1 and any(mark in lines[0] for mark in SEPARATORS)):
        return 0
    if delimiter not in row:
        return 0
    return row_at - (last.count(delimiter) == row.count(delimiter))


def _bare(line: str) -> str:
    """A line without what stands in quotes, which divides nothing."""
    return "".join(line.split('"')[::2])


def _holds(path: str, byte: bytes) -> bool:
    with open(path, "rb") as raw:
        return any(byte in piece for piece in iter(lambda: raw.read(1 << 20), b""))
