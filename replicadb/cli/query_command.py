"""``replicadb export``, ``sql`` and ``info``: what the database holds, as files and tables.

The commands open the database for reading alone, unless ``sql --write`` says otherwise.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.info_text import info_text
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.errors import DataError, UsageError
from replicadb.given_file import given_text
from replicadb.stage_constants import DROPS

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 100
"""Rows of a table that a terminal shows."""

CLOSED = re.compile(
    r"disabled (by|through) configuration|configuration has been locked"
    r"|Table with name \S*[./]\S* does not exist"
)
"""What DuckDB says where a statement may not reach outside of the database."""
Out = Annotated[
    str,
    typer.Argument(
        metavar="OUT",
        help=(
            "File; its ending picks csv, tsv, json, jsonl, parquet or sqlite. - is standard"
            " output (csv)."
        ),
    ),
]
What = Annotated[
    Literal["hosts", "pairs", "groups"],
    typer.Option("--what", help="hosts (to drop, with the one to keep), pairs or groups."),
]
Top = Annotated[int | None, typer.Option("--top", help="Only the first N rows.")]
MinProbability = Annotated[
    float | None,
    typer.Option(
        "--min-probability",
        help="Only rows with this probability or more, 0 to 1; of a group, its weakest member's.",
    ),
]
MinScore = Annotated[
    float | None,
    typer.Option(
        "--min-score", help="Only rows with this score (a place, no probability) or more."
    ),
]
MaxDropShare = Annotated[
    float,
    typer.Option(
        "--max-drop-share",
        min=0,
        max=1,
        metavar="SHARE",
        help=(
            "With --what hosts: refuse a list that drops more of the crawl's hosts, or of a domain,"
            f" suffix or load of {DROPS.large_part} hosts or more."
        ),
    ),
]
Check = Annotated[
    int | None,
    typer.Option(
        "--check",
        metavar="N",
        min=1,
        help=(
            "Write N of the drops for a look instead, rather those where a mistake would lose much;"
            " label takes the file with its labels filled in."
        ),
    ),
]
All = Annotated[bool, typer.Option("--all", help="With --what pairs: unflagged candidates too.")]


def export(
    db: DB,
    out: Out,
    what: What = "hosts",
    top: Top = None,
    min_probability: MinProbability = None,
    min_score: MinScore = None,
    all: All = False,
    max_drop_share: MaxDropShare = DROPS.most_dropped,
    check: Check = None,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Write flagged hosts, pairs or groups to a file, whole or not at all."""
    from replicadb.export.writers import format_of

    format_of(out)
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        chosen: dict[str, Any] = {
            "top": top,
            "min_probability": min_probability,
            "min_score": min_score,
        }
        if check is not None:
            if what != "hosts" or all:
                raise UsageError("--check goes with --what hosts")
            rows = web.check(out, check, **chosen)
            messages.say(
                f"{rows:,} of the drops to {out} for a look; with labels filled in: replicadb label"
                f" {db} {out}",
                quiet or out == "-",
            )
            return
        shares = web.drop_shares(**chosen) if what == "hosts" and not all else None
        if shares:
            shares.refuse(max_drop_share)
        rows = web.export(out, what, unflagged=all, **chosen)
    for line in shares.lines() if shares else []:
        messages.say(line, quiet)
    if out != "-":
        messages.say(f"{rows:,} rows to {out}", quiet)


Query = Annotated[
    str | None,
    typer.Argument(
        metavar="[SQL]",
        help="Any statement DuckDB understands; - reads it from standard input.",
        show_default=False,
    ),
]
QueryFile = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="Read the statement from a file instead."),
]
SqlFormat = Annotated[
    Literal["table", "csv", "tsv", "json", "jsonl", "parquet"] | None,
    typer.Option(
        "--format",
        "-f",
        help=(
            "table, csv, tsv, json, jsonl or parquet. Default: table, or what the file's ending"
            " picks."
        ),
    ),
]
Output = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write there rather than to standard output."
    ),
]
Write = Annotated[
    bool,
    typer.Option(
        "--write", help="Open the database for writing; without it the database cannot change."
    ),
]
Files = Annotated[
    bool,
    typer.Option(
        "--files",
        help="Let the statement read and write other files; without it, it reaches none.",
    ),
]


def sql(
    db: DB,
    query: Query = None,
    file: QueryFile = None,
    format: SqlFormat = None,
    output: Output = "-",
    write: Write = False,
    files: Files = False,
    memory_limit: Memory = None,
    threads: Threads = None,
) -> None:
    """Ask anything in SQL. Start with: SELECT * FROM descriptions"""
    from replicadb.export import writers as exporting
    from replicadb.result_api import query_errors

    chosen = format or ("table" if output == "-" else exporting.format_of(output))
    text = _statement(query, file)
    messages.must_exist(db)
    screen = format is None and output == "-" and _on_terminal()
    with (
        replicadb.open(db, read_only=not write, memory_limit=memory_limit, threads=threads) as web,
        _doors(files),
        query_errors(),
    ):
        if files:
            _spare(db, text)
        else:
            web.database.confine()
        reader = web.reader(text)
        if screen:
            _show(reader)
            return
        rows = exporting.write(reader, output, chosen)
    if output != "-":
        messages.say(f"{rows:,} rows to {output}")


def _statement(query: str | None, file: Path | None) -> str:
    """The statement to run, from the command line, a file or standard input.

    Raises:
        UsageError: none is given, or two are. DataError: the file cannot be read.
    """
    if (query is None) == (file is None):
        raise UsageError("sql takes a statement, or - for standard input, or --file FILE")
    try:
        if file is not None and str(file) != "-":
            return given_text(file)
        return sys.stdin.read() if query in (None, "-") else str(query)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise DataError(f"{file or 'standard input'}: cannot be read: {reason}") from error


def _on_terminal() -> bool:
    return sys.stdout.isatty()


def _show(reader: pa.RecordBatchReader) -> None:
    """The first rows as a table on a terminal; a longer one is said to be longer."""
    import pyarrow as pa

    from replicadb.export import writers as exporting

    batches, rows = [], 0
    for batch in reader:
        batches.append(batch)
        rows += batch.num_rows
        if rows > SHOWN:
            break
    table = pa.Table.from_batches(batches, reader.schema)
    exporting.write(table.slice(0, SHOWN).to_reader(), "-", "table")
    if rows > SHOWN:
        messages.say(
            f"the first {SHOWN} rows; all of them: -f table, or -o FILE (csv, parquet ...)"
        )


@contextlib.contextmanager
def _doors(files: bool) -> Iterator[None]:
    """Where a statement reached for a file and may not, the error says how it may."""
    try:
        yield
    except DataError as error:
        if not files and CLOSED.search(str(error)):
            raise DataError(f"{error}; --files lets a statement at files and settings") from error
        raise


def _spare(db: Path, query: str) -> None:
    """Raises UsageError where a statement would write its result over the database itself."""
    if not re.search(r"\b(copy|export)\b", query, re.IGNORECASE):
        return
    for literal in re.findall(r"'((?:[^']|'')*)'", query):
        with contextlib.suppress(OSError, ValueError):
            if os.path.samefile(db, literal.replace("''", "'")):
                raise UsageError(f"{db}: is the database that is read; name another file")


def info(
    db: DB,
    as_json: AsJson = False,
) -> None:
    """What the database holds, what was left out and why, and whether the detection is
    up to date.
    """
    with replicadb.open(db, read_only=True) as web:
        facts = web.info()
    messages.show(json.dumps(facts, indent=2) if as_json else info_text(facts))
