"""Lists of hosts that a person gives: to leave out, to look up, to pin, to keep.

Invariant: every line of a list comes out as one name, but for its header, blank lines and remarks;
whether it is the name of a host is for others to say. Scanners, httpx among them, write the address
under ``host``: where a URL stands beside an address, the name is the URL's.
"""

from __future__ import annotations

import csv
import ipaddress
import re
from collections.abc import Iterable
from pathlib import Path

from replicadb.errors import DataError
from replicadb.given_file import PARQUET, SEPARATORS, given_bytes, parsed, separator_of, text_in
from replicadb.likely_meant import did_you_mean_file

HOST_COLUMNS = ("host", "hostname", "host_name", "domain", "domain_name", "url_host_name", "site")
"""Names of a column of hosts, the best first."""
FIRST_COLUMNS = (*HOST_COLUMNS, "host_a", "name", "url")
"""Names that the first column of a list may have, too."""
MOST_ROWS = 30_000_000
"""Of such a file, which may pack many rows into few bytes."""
AFTER_NAME = re.compile(f"[{SEPARATORS}#]")
JSON_BEGINS = re.compile(r"\s*(\{|\[(?![0-9a-fA-F]*:))")
"""How JSON begins; a list may begin with an IPv6 address in brackets."""


def given_hosts(path: str | Path, called: str, errors: str = "strict") -> list[str]:
    """The names in a file: see :func:`names_in_list`.

    A Parquet file has them in the same column.

    Args:
        called: how messages call the file.
        errors: what becomes of bytes that are no UTF-8, as ``bytes.decode`` has it.

    Raises:
        DataError: the file cannot be read, or is JSON or Parquet of another form.
    """
    try:
        data = given_bytes(path)
        if data.startswith(PARQUET):
            return _names_in_parquet(data, called)
        text = text_in(data, path, errors)
    except FileNotFoundError as error:
        meant = did_you_mean_file(path)
        raise DataError(f"{called}: no such file{meant}; check the path") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise DataError(f"{called}: cannot be read: {reason}") from error
    if not JSON_BEGINS.match(text):
        return names_in_list(text)
    try:
        return _names_in_json(text)
    except (ValueError, LookupError) as error:
        raise DataError(
            f"{called}: JSON of another form: give an array of names, objects with host or domain,"
            " or lines"
        ) from error


def _names_in_parquet(data: bytes, called: str) -> list[str]:
    """The names in the column that a header calls host or domain, else in the first."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if file.metadata.num_rows > MOST_ROWS:
            raise DataError(f"{called}: has more than {MOST_ROWS:,} rows; is it the right file?")
        names = file.schema_arrow.names
        header = [name.strip().lower() for name in names]
        hosts, urls = (
            file.read(columns=[names[at]]).column(0).cast(pa.string()).to_pylist()
            for at in (next(iter(_host_columns(header)), 0), _url_column(header, 0))
        )
    except (pa.ArrowException, OSError, IndexError) as error:
        raise DataError(f"{called}: no Parquet file with a column of host names") from error
    return _not_empty(map(_named, hosts, urls))


def _names_in_json(text: str) -> list[str]:
    """The names in a JSON array of texts, or of objects with one of HOST_COLUMNS, as of dnstwist;
    or in such objects, one a line. An object may have null there, and no name.

    Raises:
        ValueError, LookupError: it is something else.
    """
    is_array = text.lstrip().startswith("[")
    rows = parsed(text) if is_array else [parsed(line) for line in text.split("\n") if line.strip()]
    return _not_empty(map(_name_in_json, rows))


def _name_in_json(row: object) -> str:
    url = None
    if isinstance(row, dict):
        url = row.get("url")
        row = row[next((name for name in HOST_COLUMNS if name in row), "domain")]
        row = "" if row is None else row
    if not isinstance(row, str):
        raise ValueError("no name of a host")
    return _named(row, url if isinstance(url, str) else None)


def _not_empty(names: Iterable[str]) -> list[str]:
    return [name for name in names if name]


def _named(host: str | None, url: str | None) -> str:
    """What a row names: its host, or its URL where the host is an address."""
    host, url = (host or "").strip(), (url or "").strip()
    return url if url and _is_address(host) else host


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def names_in_list(text: str) -> list[str]:
    """The names of a list, one a line, or those of a table with commas, semicolons, tabs or ``|``:
    of the column that its header calls host or domain, else of the first. ``#`` begins a remark.
    """
    lines = [line + "\n" for line in text.split("\n") if line.partition("#")[0].strip()]
    rows = [row for row in _rows(lines) if any(cell.strip() for cell in row)]
    if not rows:
        return []
    first = rows[0]
    column = _host_column(first)
    if column is not None:
        del rows[0]
    header = [] if column is None else [cell.strip().strip('"').lower() for cell in first]
    hosts, urls = (
        [_cell(row, at) for row in rows] for at in (column or 0, _url_column(header, column or 0))
    )
    return _not_empty(map(_named, hosts, urls))


def _cell(row: list[str], at: int) -> str:
    """A cell without what follows a name; the first where the row is too short."""
    return AFTER_NAME.split(row[at] if len(row) > at else row[0])[0].strip().strip('"').strip()


def _rows(lines: list[str]) -> list[list[str]]:
    """The cells of each line; of a table with a quote that nobody closes, cut without regard to
    quotes.
    """
    separator = separator_of(lines[0]) if lines else ","
    try:
        return list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error:
        return [line.split(separator) for line in lines]


def _host_column(row: list[str]) -> int | None:
    """Which column the first row calls one of hosts; None where it is no header."""
    names = [cell.strip().strip('"').strip().lower() for cell in row]
    if "." in names[0]:
        return None
    found = next(iter(_host_columns(names)), None)
    return 0 if found is None and names[0] in FIRST_COLUMNS else found


def _host_columns(names: list[str]) -> list[int]:
    """Where the columns of hosts stand among these, the best first."""
    return [names.index(name) for name in HOST_COLUMNS if name in names]


def _url_column(names: list[str], host: int) -> int:
    """Where the column of URLs stands among these; that of hosts where there is none."""
    return names.index("url") if "url" in names else host
