"""Tables of URLs: CSV, TSV, JSON (lines or an array) and Parquet (Common Crawl's columnar index
among them).

DuckDB reads the file, set at a time; no row passes through Python. What is broken in a text
(compression cut off, bytes that are no UTF-8, lines of another shape) costs no more than itself.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pyarrow as pa

from replicadb.errors import DataError, UnreadableError
from replicadb.readers.compression import head, plain_copy
from replicadb.readers.csv_tables import LONGEST_LINE, stage_csv
from replicadb.readers.embedded_pages import staged_pages
from replicadb.readers.json_documents import begins_document, stage_json_document
from replicadb.readers.json_lines import stage_json_lines
from replicadb.readers.parquet import stage_parquet
from replicadb.readers.table_columns import PAGES, Columns
from replicadb.readers.text_repair import is_sound_text, is_utf8, mended_copy, refuse_foreign
from replicadb.store.connecting import first_line
from replicadb.store.database import Database

ADD_PROBLEMS = """
    INSERT INTO staged BY NAME
    SELECT (SELECT coalesce(max(position), 0) FROM staged) + generate_subscripts(p, 1) AS position,
           unnest(p) AS problem
    FROM (SELECT $problems::VARCHAR[] AS p)"""


def stage_table(
    db: Database,
    path: str,
    format: str,
    chosen: dict[str, str | None],
    scratch: str,
    content: bool = False,
) -> tuple[Columns, Iterator[pa.Table] | None]:
    """Make the temporary table ``staged`` (the columns of a capture row) from one table file.

    Args:
        db: knows the macros of functions/30_digests.
        path: a local file, plain or compressed.
        format: csv, tsv, urls, jsonl or parquet.
        chosen: role to column name where the usual names do not serve; None: leave that role out.
        scratch: a folder for decompressed and mended copies.
        content: the pages themselves are wanted.

    Returns:
        Which column became what; and the pages, a slice at a time: position (rising), content (text
        or bytes), bytes (its length; NULL for no page) and, in place of a content larger than
        HTML_LIMIT, its digest. Digests and lengths of pages are not in ``staged`` where the file
        has no column of them. None where pages are not wanted, or the table has none.

    Raises:
        DataError: the file cannot be read as that format, or has no URL column; UnreadableError:
            it is of that format, and broken.
    """
    chosen = chosen | ({PAGES: "content"} if content else {})
    try:
        if format == "parquet":
            return stage_parquet(db, plain_copy(path, scratch), chosen)
        refuse_foreign(head(path, 8)[1])
        document = format == "jsonl" and _begins_document(path)
        plain, problems, foreign = _sound_text(path, scratch, None if document else LONGEST_LINE)
        if format != "jsonl":
            found = stage_csv(db, plain, format, chosen)
        elif document:
            found = stage_json_document(db, plain, chosen, scratch)
        else:
            found = stage_json_lines(db, plain, chosen)
        found = replace(found, foreign=foreign)
        if problems:
            db.execute(ADD_PROBLEMS, {"problems": problems})
        columns = [column[0] for column in db.con.execute("FROM staged LIMIT 0").description]
        return found, staged_pages(db) if "content" in columns else None
    except duckdb.Error as error:
        fault = UnreadableError if format == "parquet" else DataError
        raise fault(f"cannot be read as {format}: {first_line(error)}") from error


def _begins_document(path: str) -> bool:
    """Whether a text, decompressed, begins as one JSON document that may be one line."""
    start = head(path, 1 << 16)[1].removeprefix(codecs.BOM_UTF8)
    return begins_document(start.decode("utf-8", "replace"))


def _sound_text(path: str, scratch: str, longest: int | None) -> tuple[str, list[str], bool]:
    """A path to the decompressed text in UTF-8, what was broken in it, and whether it had bytes
    that are no UTF-8.
    """

    def never(_before: bytes, _behind: bytes) -> bool:
        return False

    if is_sound_text(path, never, longest):
        return plain_copy(path, scratch), [], False
    return *mended_copy(path, scratch, never, longest), not is_utf8(path)
