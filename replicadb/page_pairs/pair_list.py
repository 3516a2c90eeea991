"""Pairs of URLs from a file: which pages of the database they are, their query, label and cause.

Invariant: rows keep their order and all of them stay; a URL counts in the database's normal
form; one that the database does not have is -1, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replicadb.arrays import Floats, Ints
from replicadb.counted import counted
from replicadb.errors import DataError
from replicadb.given_file import no_file, path_of, table_fault
from replicadb.likely_meant import did_you_mean_file
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.settings import URL_MAX_BYTES
from replicadb.store.csv_text import table_as_text
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.urls import parse_url

YES = ("duplicate", "dup", "1", "true", "yes", "+", "same", "replica")
NO = ("not", "non-duplicate", "0", "false", "no", "-", "other", "different")
"""Spellings of the two labels, in lower case."""
QUERY = "query"
"""The usual column of queries, which a file may lack."""
URL_SIGNALS = ("same_path", "same_last_segment", "host_distance", "path_distance")
"""Columns of named_pairs, beside same_domain."""


@dataclass(frozen=True)
class Pairs:
    """The rows of a file of pairs, (n,) each."""

    url_a: list[str]
    url_b: list[str]
    a_id: Ints
    """urls.url_id; -1 where the database does not have the URL."""
    b_id: Ints
    same_domain: Floats
    """1 where both have one registrable domain, else 0; NaN where a URL is unknown."""
    query: list[str] | None = None
    label: npt.NDArray[np.int8] | None = None
    """1 duplicate, 0 not, -1 neither (any other word)."""
    cause: list[str] | None = None
    of_urls: dict[str, Floats] = field(default_factory=dict)
    """What the two URLs have in common (``URL_SIGNALS``), where the pairs are of URLs."""
    lacking: dict[str, int] = field(default_factory=dict)
    """Kinds of signals that their classifier uses (``pair_files.lacking``), and how many of the
    pairs have none of them.
    """

    def __len__(self) -> int:
        return len(self.url_a)

    @property
    def labels(self) -> npt.NDArray[np.int8]:
        """``label`` of pairs that were read as labelled."""
        assert self.label is not None
        return self.label

    @property
    def unknown(self) -> int:
        """Distinct URLs that the database does not have."""
        return len(
            {
                url
                for urls, ids in ((self.url_a, self.a_id), (self.url_b, self.b_id))
                for url, known in zip(urls, ids >= 0, strict=True)
                if not known
            }
        )


def read_pairs(
    db: Database,
    path: str | Path,
    query: str = QUERY,
    label: str = "label",
    labelled: bool = False,
) -> Pairs:
    """Read a CSV file of pairs.

    Args:
        path: with the columns url_a and url_b, and those below where it has them; others are passed
            over.
        query: name of the column of queries; another than the usual one must be there.
        label: name of the column of labels.
        labelled: refuse a file without labels of both kinds, or with both of one pair.

    Raises:
        DataError: the file cannot be read, or lacks a column.
    """
    columns = _read_table(db, path)
    missing = [
        name
        for name in ("url_a", "url_b", *([label] if labelled else []))
        if _key(name) not in columns
    ]
    if missing:
        fault = table_fault(path, ("url_a", "url_b"))
        raise DataError(
            f"{path}: {fault}"
            if fault
            else f"{path}: no column {' and no column '.join(missing)}; the header must name url_a,"
            " url_b" + (f" and {label}" if labelled else "")
        )
    if _key(query) not in columns and query != QUERY:
        raise DataError(
            f"{path}: no column {query}, which was named for queries; its columns:"
            f" {', '.join(columns)}"
        )
    labels = _labels(columns[_key(label)]) if _key(label) in columns else None
    if labelled and (labels is None or not (labels == 1).any() or not (labels == 0).any()):
        raise DataError(f"{path}: column {label} needs rows of both kinds, {YES[0]} and {NO[0]}")
    pairs = find_pairs(
        db,
        columns["url_a"],
        columns["url_b"],
        columns.get(_key(query)),
        labels,
        columns.get("cause"),
    )
    if labelled:
        _refuse_both_labels(pairs, path)
    return pairs


def _refuse_both_labels(pairs: Pairs, path: str | Path) -> None:
    """Raises DataError where two rows of one pair of known pages have different labels."""
    used = np.flatnonzero((pairs.labels >= 0) & (pairs.a_id >= 0) & (pairs.b_id >= 0))
    pair = pair_numbers(pairs.a_id[used], pairs.b_id[used])
    rows = np.bincount(pair)
    duplicates = np.bincount(pair, weights=pairs.labels[used])
    both = np.flatnonzero((duplicates > 0) & (duplicates < rows))
    if not len(both):
        return
    first = used[np.flatnonzero(pair == both[0])[0]]
    more = f", and so {counted(len(both) - 1, 'more pair')}" if len(both) > 1 else ""
    raise DataError(
        f"{path}: {pairs.url_a[first]} and {pairs.url_b[first]} are labelled {YES[0]} and"
        f" {NO[0]}{more}; leave one label of each pair"
    )


def page_ids(a: Ints, b: Ints) -> Ints:
    """(n, 2) int, the two pages of each row, the lesser first."""
    return np.column_stack([np.minimum(a, b), np.maximum(a, b)])


def pair_numbers(a: Ints, b: Ints) -> Ints:
    """A number for each row, (n,), the same for rows of the same two pages in any order: from 0 by
    first appearance.
    """
    _, first, which = np.unique(page_ids(a, b), axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which.reshape(-1)]


def find_pairs(
    db: Database,
    url_a: list[str],
    url_b: list[str],
    query: list[str] | None = None,
    label: npt.NDArray[np.int8] | None = None,
    cause: list[str] | None = None,
) -> Pairs:
    """The pages that pairs of URLs name; see :class:`Pairs`."""
    given = pa.table(
        {
            "i": np.arange(len(url_a)),
            "url_a": pa.array(url_a, pa.string()),
            "url_b": pa.array(url_b, pa.string()),
        }
    )
    db.register("pairs_incoming", given)
    db.execute("CREATE OR REPLACE TEMP TABLE pairs_given AS FROM pairs_incoming")
    db.con.unregister("pairs_incoming")
    db.run("functions/20_urls")
    map_distinct(
        db,
        statements("page_pairs/10_signals")["odd_named"],
        "odd_named_parsed",
        ("url", "origin", "host_name", "path", "reason"),
        parse_url,
        {"max_bytes": URL_MAX_BYTES},
    )
    stage_texts(db)
    for name in ("named_pages", "named_pairs"):
        db.run("page_pairs/10_signals", only=name)
    found = db.arrays("SELECT * EXCLUDE (i) FROM named_pairs ORDER BY i")
    return Pairs(
        url_a,
        url_b,
        found["a_id"],
        found["b_id"],
        np.asarray(found["same_domain"], float),
        query,
        label,
        cause,
        {name: np.asarray(found[name], float) for name in URL_SIGNALS},
    )


def _read_table(db: Database, path: str | Path) -> dict[str, list[str]]:
    """The file's columns as trimmed strings by lower-case name; NULL is ''."""
    path = path_of(path)
    if what := no_file(path):
        raise DataError(
            f"{path}: {what}{did_you_mean_file(path)}; give a CSV with the columns url_a and url_b"
        )
    table = table_as_text(db, path)
    return {
        _key(name): [(value or "").strip() for value in table.column(name).to_pylist()]
        for name in table.column_names
    }


def _key(name: str) -> str:
    """A column's name as columns are looked up by: case does not count."""
    return name.strip().lower()


def _labels(words: list[str]) -> npt.NDArray[np.int8]:
    kinds = {
        word: 1 if word.lower() in YES else 0 if word.lower() in NO else -1 for word in set(words)
    }
    return np.array([kinds[word] for word in words], np.int8)
