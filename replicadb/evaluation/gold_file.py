"""A gold file as a table: its columns by name, its hosts as the database names them, and what is
wrong with it in one line.

Invariant: a host is in the form that ``load`` stores (lower-case IDNA, no trailing dot), and
anything that cannot be a host is refused with its row; the file is taken apart a second time only
to say why it could not be read.
"""

from __future__ import annotations

import re
from pathlib import Path

import can_ada
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from replicadb.arrays import Array
from replicadb.errors import DataError
from replicadb.given_file import no_file, path_of, table_fault
from replicadb.likely_meant import did_you_mean_file
from replicadb.settings import HOST_MAX_BYTES
from replicadb.store.csv_text import table_as_text
from replicadb.store.database import Database

HOSTS = ("host_a", "host_b")
COLUMNS = (*HOSTS, "label", "ambiguous", "cause", "kind")
"""Those that are read; of others it counts only whether a row has anything in them."""
ROW = "row of the file"
"""The column that says where in the file a row stands: the header is row 1, and blank lines do not
count.
"""
PINS = ("keep", "never")
"""Labels of one host in a file of decisions: they say nothing of a pair."""
HOME = re.compile(r"(?i)^(?:https?://)?([^/?#]+)/?$")
"""A host alone, also as the URL of its home page."""
NO_HOST = re.compile(r'\s|^"|"$')
"""Blanks, which a URL's parser would drop, and what is left of a cell whose quotes do not match."""


def read_table(db: Database, path: str | Path) -> dict[str, Array]:
    """Those of COLUMNS that the file has, as trimmed strings by lower-case name; NULL is ''. Those
    of HOSTS are in their normal form and Python's strings, each kept once: an array of fixed width
    takes as much for each row as the longest name, gigabytes for a million of them. ROW is there
    besides. Rows without anything in them are passed over, and so are pins of one host.

    Raises:
        DataError: no such file, no such columns, or a cell of them that is no host. UsageError: it
            is no path.
    """
    path = path_of(path)
    if what := no_file(path):
        raise DataError(
            f"{path}: {what}{did_you_mean_file(path)}; give a CSV with the columns host_a, host_b"
            " and, if known, label"
        )
    try:
        table = table_as_text(db, path)
    except DataError as error:
        fault = table_fault(path, HOSTS)
        raise DataError(f"{path}: {fault}" if fault else str(error)) from error
    texts = {
        name.strip().lower(): pc.utf8_trim_whitespace(pc.fill_null(table[name], ""))
        for name in table.column_names
    }
    missing = [name for name in HOSTS if name not in texts]
    if missing:
        without = f"no column {' and no column '.join(missing)}"
        fault = table_fault(path, HOSTS) or f"{without}; the header must name host_a and host_b"
        raise DataError(f"{path}: {fault}")
    filled = np.any([pc.not_equal(cells, "").to_numpy() for cells in texts.values()], axis=0)
    if "label" in texts:
        pinned = pc.is_in(pc.utf8_lower(texts["label"]), pa.array(PINS))
        filled &= ~pc.and_(pinned, pc.equal(texts["host_b"], "")).to_numpy()
    texts = {name: texts[name].filter(filled) for name in COLUMNS if name in texts}
    columns: dict[str, Array] = {
        name: np.array(cells.to_pylist(), str) for name, cells in texts.items() if name not in HOSTS
    }
    columns[ROW] = np.flatnonzero(filled) + 2
    by_segment = bool(db.value("SELECT count(*) FROM hosts WHERE contains(host, '/')"))
    for name in HOSTS:
        columns[name] = _hosts(texts[name], columns[ROW], name, path, by_segment)
    same = np.flatnonzero(columns["host_a"] == columns["host_b"])
    if len(same):
        raise DataError(
            f"{path}: row {columns[ROW][same[0]]}: {columns['host_a'][same[0]]} is paired with"
            " itself"
        )
    return columns


def _hosts(
    cells: pa.ChunkedArray, rows: Array, name: str, path: str | Path, by_segment: bool
) -> Array:
    """The cells of one column as hosts; a URL that names a host alone is one."""
    encoded = cells.dictionary_encode().combine_chunks()
    texts, at = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    if "" in texts:
        raise DataError(f"{path}: row {rows[at == texts.index('')][0]}: {name} is empty")
    hosts = [normal_host(HOME.sub(r"\1", text), by_segment) for text in texts]
    if None not in hosts:
        found: Array = np.array(hosts, object)[at]
        return found
    wrong = hosts.index(None)
    text = texts[wrong]
    host = text.partition("://")[2].partition("/")[0].lower()
    fault = (
        f"is the URL of a page, {text}; give names of hosts, as in {host or 'www.example.com'}"
        if "://" in text
        else (f"is no name of a host: {text!r}; it has no blanks, path, port or quotes around it")
    )
    raise DataError(f"{path}: row {rows[at == wrong][0]}: {name} {fault}")


def normal_host(text: str, by_segment: bool = False) -> str | None:
    """A host as ``load`` would name it; None where the text is not a host alone.

    Args:
        by_segment: sites may be a host and a first path segment (``load --site host+1``).
    """
    name, slash, segment = text.partition("/") if by_segment else (text, "", "")
    if NO_HOST.search(text) or "/" in segment or (slash and not segment):
        return None
    try:
        url = can_ada.parse(f"http://{name}/")
    except ValueError:
        return None
    host = url.hostname.removesuffix(".")
    if len(host) > HOST_MAX_BYTES:
        return None
    return host + slash + segment if host and url.href == f"http://{url.hostname}/" else None
