"""``replicadb sql``: anything else, asked in SQL; questions that are ready to ask (``--example``).

It opens the database for reading alone, unless ``--write`` says otherwise, and reaches no other
file, unless ``--files`` does.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Threads
from replicadb.cli.query_examples import (
    examples,
    listed_table,
    listing,
    text_of,
    variables,
    with_variables,
)
from replicadb.counted import counted
from replicadb.errors import DataError, UsageError
from replicadb.given_file import given_text, piped_text
from replicadb.store.misused import READ_ONLY
from replicadb.store.own_sources import refuse_source
from replicadb.store.run_log import LAST_STAGE
from replicadb.under_way import aside

if TYPE_CHECKING:
    import pyarrow as pa

    from replicadb.store.database import Database

SHOWN = 100
"""Rows of a table that a terminal shows."""
SHOWN_LINES = 250
"""Lines of it, where rows are wider than the terminal and stand below each other."""

CLOSED = re.compile(
    r"disabled (by|through) configuration|configuration has been locked"
    r"|Table with name \S*[./]\S* does not exist"
)
"""What DuckDB says where a statement may not reach outside of the database."""
PLAN = ["explain_key", "explain_value"]
"""Columns of what EXPLAIN answers: the drawing of a plan, of many lines."""
OF_DETECTION = re.compile(r"\b(replicas|flagged_hosts|replica_groups|held_hosts)\b", re.I)
"""Names of views that a detection fills."""
FINISHED = "SELECT count(*) FROM internal.stages WHERE stage = ?"
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
ExampleName = Annotated[
    str | None,
    typer.Option("--example", metavar="NAME", help="Ask one of the questions that --list lists."),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A variable, getvariable('NAME') in the statement; hosts of examples in any spelling.",
    ),
]
ListExamples = Annotated[
    bool, typer.Option("--list", help="List the examples, and do nothing else.")
]
Print = Annotated[
    bool,
    typer.Option("--print", help="Print the statement for another shell instead of running it."),
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
    example: ExampleName = None,
    assigned: Set = None,
    listed: ListExamples = False,
    printed: Print = False,
    format: SqlFormat = None,
    output: Output = "-",
    write: Write = False,
    files: Files = False,
    memory_limit: Memory = None,
    threads: Threads = None,
) -> None:
    """Ask anything in SQL. Begin with: FROM start_here"""
    from replicadb.export.file_formats import format_of
    from replicadb.result_api import query_errors

    if listed:
        if format or output != "-":
            show_or_write(listed_table().to_reader(), output, format)
            return
        messages.show(listing())
        messages.say(f"ask one by its name: replicadb sql {db} --example NAME")
        return
    if output != "-":
        format_of(output, format)  # refuses before anything is read
    given = variables(assigned or [])
    asked = _statement(query, file, example)
    if asked.strip() in examples():  # its name alone, as --list has it; no name is a statement
        example = asked.strip()
    messages.must_exist(db)
    with (
        replicadb.open(db, read_only=not write, memory_limit=memory_limit, threads=threads) as web,
        _doors(files),
        query_errors(),
    ):
        refuse_source(web.database, output)
        say = partial(messages.say, quiet=printed)  # the statements themselves name the hosts
        text = (
            text_of(web.database, example, given, say) if example else with_variables(asked, given)
        )
        if printed:
            messages.show(text)
            return
        if files:
            _spare(web.database, text)
        else:
            web.database.confine()
        show_or_write(web.reader(text), output, format)
        if OF_DETECTION.search(text) and not web.database.value(FINISHED, [LAST_STAGE]):
            messages.say(f"note: no finished detection here, so no replicas: replicadb detect {db}")
        if (results := _results(web.database, text)) > 1:
            messages.say(f"note: of {results:,} results the last is shown; ask for one at a time")


def _statement(query: str | None, file: Path | None, example: str | None) -> str:
    """The statement to run, from the command line, a file or standard input; '' of an example.

    Raises:
        UsageError: none is given, or two are. DataError: the file cannot be read.
    """
    if sum(given is not None for given in (query, file, example)) != 1:
        raise UsageError(
            "sql takes a statement, or - for standard input, or --file FILE, or --example NAME"
        )
    if example is not None:
        return ""
    try:
        if file is not None and str(file) != "-":
            return given_text(file)
        return piped_text() if query in (None, "-") else str(query)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise DataError(f"{file or 'standard input'}: cannot be read: {reason}") from error


def _results(db: Database, text: str) -> int:
    """How many statements of it have a result to show."""
    return sum(
        str(statement.type).endswith("SELECT") for statement in db.con.extract_statements(text)
    )


def show_or_write(reader: pa.RecordBatchReader, output: str, format: str | None) -> None:
    """A result as ``-o`` and ``-f`` say: into a file, or on standard output as a table, of which a
    terminal shows the first rows.
    """
    from replicadb.export import writers as exporting
    from replicadb.export.file_formats import format_of

    if output != "-":
        rows = exporting.write(reader, output, format_of(output, format))
        messages.say(f"{counted(rows, 'row')} to {output}")
    elif format in (None, "table") and reader.schema.names == PLAN:
        for plan in reader.read_all()["explain_value"].to_pylist():
            messages.show(plan.rstrip("\n"))
    elif format is None and _on_terminal():
        _show(reader)
    else:
        exporting.write(reader, "-", format or "table")


def _on_terminal() -> bool:
    return sys.stdout.isatty()


def _show(reader: pa.RecordBatchReader) -> None:
    """The first rows on a terminal, as a table where it is wide enough; a longer one is said to be
    longer.
    """
    import pyarrow as pa

    from replicadb.export import writers as exporting

    batches, rows, most = [], 0, SHOWN
    for batch in reader:
        batches.append(batch)
        rows += batch.num_rows
        if rows > SHOWN:
            break
    table = pa.Table.from_batches(batches, reader.schema)
    shown = table.slice(0, SHOWN)
    text = exporting.as_fits(shown, exporting.terminal_width())
    if text.count("\n") > SHOWN_LINES:  # row by row, as a row is wider than the terminal
        most = max(1, SHOWN_LINES // (shown.num_columns + 1))
        text = exporting.as_fits(shown.slice(0, most), exporting.terminal_width())
    with aside():
        sys.stdout.write(text)
    if rows > most:
        messages.say(
            f"the first {counted(most, 'row')}; all of them: -f table, or -o FILE (csv, parquet"
            " ...)" + ("" if most == SHOWN else "; of fewer columns more rows fit")
        )


@contextlib.contextmanager
def _doors(files: bool) -> Iterator[None]:
    """Where a statement would change the database or reached for a file, and may not, the error
    says how it may.
    """
    try:
        yield
    except DataError as error:
        if not files and CLOSED.search(str(error)):
            raise DataError(f"{error}; --files lets a statement at files and settings") from error
        if READ_ONLY in str(error):
            raise DataError(f"{error}; --write opens it for writing") from error
        raise


def _spare(db: Database, statement: str) -> None:
    """Raises UsageError where a statement would write its result over the database itself, over a
    crawl file that it was loaded from, or into a folder that has them.
    """
    from replicadb.store.copy_targets import targets

    database = Path(os.path.realpath(db.path))
    for name in targets(statement):
        with contextlib.suppress(OSError, ValueError):
            folder = Path(os.path.realpath(name)) if os.path.isdir(name) else None
            if os.path.samefile(database, name) or (folder and folder in database.parents):
                raise UsageError(f"{db.path}: is the database that is read; name another file")
        refuse_source(db, name)
