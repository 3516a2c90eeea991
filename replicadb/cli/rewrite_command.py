"""``replicadb rewrite``: rules that give each page of a host one URL, learned, shown, applied and
exported.

Invariant: what is said about URLs goes to standard output as CSV, one row a URL in the order
given; everything else to standard error.
"""

from __future__ import annotations

import csv
import shutil
import sys
import tempfile
from collections.abc import Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal, cast

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, AsJson, Memory, Quiet, Threads
from replicadb.counted import counted
from replicadb.errors import DataError
from replicadb.given_file import PIPED, no_file, refuse_device, separator_of
from replicadb.likely_meant import did_you_mean_file
from replicadb.readers.table_columns import ROLES, plain_name
from replicadb.web.urls import parse_given_url, parse_url

if TYPE_CHECKING:
    from replicadb.rewrite import Rewriter
    from replicadb.store.database import Database

LONGEST_LINE = 1 << 20  # bytes, far beyond any URL
RULES = """
    SELECT
        context,
        rule,
        support,
        matches,
        round(errors / matches, 4) AS error,
        test_matches,
        round(test_errors / nullif(test_matches, 0), 4) AS test_error,
        hosts
    FROM internal.rewrite_rules
    WHERE $host::VARCHAR IS NULL OR host IS NULL OR host = $host
    ORDER BY support DESC, rule_id
    LIMIT $top"""

rewrite = typer.Typer(
    name="rewrite",
    help="One URL for each page within a host: rewrite rules learned from duplicates.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


Epsilon = Annotated[
    float,
    typer.Option(
        "--epsilon",
        min=0.0,
        max=0.99,
        help=(
            "Share of a rule's matches that may have another content (0.0 and 0.1 in the paper)."
        ),
    ),
]
MinSupport = Annotated[
    int,
    typer.Option(
        "--min-support",
        min=1,
        help=(
            "Different contents that must speak for a rule; three times as many where it"
            " changes parts of the path or the host."
        ),
    ),
]


@rewrite.command()
def learn(
    db: DB,
    epsilon: Epsilon = 0.0,
    min_support: MinSupport = 2,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Learn rewrite rules from the dup-clusters of the database, and the canonical form of each of
    its URLs.
    """
    messages.must_exist(db)
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        found = web.learn_rewrites(
            epsilon=epsilon, min_support=min_support, say=lambda line: messages.say(line, quiet)
        )
    messages.say(
        f"{counted(found['rules'], 'rule')}; {found['rewritten']:,} of"
        f" {counted(found['urls'], 'URL')} rewritten, {counted(found['saved'], 'duplicate')} saved,"
        f" {counted(found['wrong'], 'URL')} with the form of another content; cross-validated:"
        f" {counted(found['test_errors'], 'error')} in"
        f" {counted(found['test_matches'], 'match', 'matches')}; in {found['seconds']:.1f} s",
        quiet,
    )


Source = Annotated[
    Path,
    typer.Argument(
        metavar="DB|RULES",
        help="The database, or a file of rules exported as JSON.",
        show_default=False,
    ),
]
Urls = Annotated[
    str | None,
    typer.Argument(
        metavar="[URLS]",
        help=(
            "A file with one URL a line, or with a column url, packed or not, or -; else all URLs"
            " of the database."
        ),
        show_default=False,
    ),
]
Changed = Annotated[bool, typer.Option("--changed", help="Only URLs that a rule changes.")]


@rewrite.command()
def apply(
    source: Source,
    urls: Urls = None,
    changed: Changed = False,
    quiet: Quiet = False,
) -> None:
    """The canonical form of URLs: CSV url,canonical. Applying it again changes nothing."""
    from replicadb.rewrite import Rewriter, RuleSet, rule_store
    from replicadb.store.atomic_file import is_duckdb

    if is_duckdb(source):
        with replicadb.open(source, read_only=True) as web:
            rules = rule_store.rules_of(web.database)
            _tell_stale(web.database, quiet)
            if urls is None:
                query = (
                    "SELECT url, canonical FROM page_level.canonical_urls"
                    + (" WHERE canonical <> url" if changed else "")
                    + " ORDER BY url"
                )
                from replicadb.export import writers as export

                export.write(web.reader(query), "-", "csv")
                return
    elif what := no_file(source):
        raise DataError(f"{source}: {what}{did_you_mean_file(source)}; give a database, or rules")
    elif urls is None:
        raise DataError(f"{source}: rules alone have no URLs; name a file with one a line, or -")
    else:
        rules = RuleSet.load(source)
    rewriter, out, n, new = Rewriter(rules), csv.writer(sys.stdout, lineterminator="\n"), 0, 0
    given = _urls(lines(urls))
    first = next(given, None)  # a file that cannot be read is reported before anything is written
    out.writerow(("url", "canonical"))
    for url in chain(() if first is None else (first,), given):
        form = _canonical(rewriter, url)
        n, new = n + 1, new + (form != url)
        if form != url or not changed:
            out.writerow((url, form))
    messages.say(f"{new:,} of {counted(n, 'URL')} rewritten", quiet)


def _canonical(rewriter: Rewriter, url: str) -> str:
    """The canonical form of a URL in any spelling, in that in which the database has URLs; as it
    was given where no rule changes it.
    """
    whole, mark, fragment = url.partition("#")
    origin, _, path, _ = parse_url(whole)
    if origin is None:
        return rewriter.canonical(url)
    form = rewriter.canonical(f"{origin}{path}")
    return url if form == f"{origin}{path}" else form + mark + fragment


Host = Annotated[
    str | None, typer.Option("--host", help="Only rules of this host (and of any host).")
]
Top = Annotated[
    int, typer.Option("--top", min=1, help="So many rules, those with most support first.")
]
ShowFormat = Annotated[
    Literal["table", "csv", "tsv", "json", "jsonl"] | None,
    typer.Option("--format", "-f", help="Default: table."),
]


@rewrite.command()
def show(
    db: DB,
    host: Host = None,
    top: Top = 50,
    format: ShowFormat = None,
) -> None:
    """The rules as a table: context, what it does, support, and error where it was learned and by
    cross-validation.
    """
    from replicadb.export import writers as export
    from replicadb.rewrite import rule_store

    with replicadb.open(db, read_only=True) as web:
        rule_store.rules_of(web.database)
        _tell_stale(web.database, False)
        given = {"host": host and _authority(host), "top": top}
        export.write(web.reader(RULES, given), "-", format or export.FITTING)


def _authority(host: str) -> str:
    """A host in any spelling as rules have it, with its port."""
    origin = parse_given_url(host)[0]
    return origin.partition("://")[2] if origin else host


Out = Annotated[
    str,
    typer.Argument(
        metavar="OUT",
        help="The file, or - for standard output; .json is our own form, .xml Nutch's.",
        show_default=False,
    ),
]
ExportFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        help=(
            "json (also for rewrite apply), nutch (regex-normalize.xml) or heritrix (RegexRule"
            " beans). Default: by the ending."
        ),
    ),
]


@rewrite.command()
def export(
    db: DB,
    out: Out,
    format: ExportFormat = None,
    quiet: Quiet = False,
) -> None:
    """Write the rules for a crawler, whole or not at all."""
    from replicadb.rewrite import crawler_rules as exporting
    from replicadb.rewrite import rule_store
    from replicadb.store.own_sources import refuse_source

    with replicadb.open(db, read_only=True) as web:
        refuse_source(web.database, out)
        rules = rule_store.rules_of(web.database)
        _tell_stale(web.database, quiet)
    kept, left = exporting.write(rules, out, format)
    messages.say(
        f"{counted(kept, 'rule')} to {out}"
        + (
            f"; {left:,} that no regular expression can say {'is' if left == 1 else 'are'} left"
            f" out (json has {'it' if left == 1 else 'them'})"
            if left
            else ""
        ),
        quiet,
    )


Gold = Annotated[
    Path | None,
    typer.Option(
        "--gold",
        metavar="CSV",
        help="url_gold.csv of replicadb synth: further_url, duplicate_of, kind.",
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        "--folds",
        min=1,
        max=20,
        help=(
            "Of the contents, to judge rules on what they were not learned from; 1 leaves that out."
        ),
    ),
]


@rewrite.command()
def compare(
    db: DB,
    gold: Gold = None,
    folds: Folds = 5,
    as_json: AsJson = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Learned rules beside w3lib, courlan, SURT and a list of tracking parameters on the same URLs:
    duplicates removed, rightly and wrongly.
    """
    import json

    from replicadb.cli import canonical_forms_text
    from replicadb.evaluation import canonical_forms

    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        result = canonical_forms.compare(
            web.database, gold, folds, lambda line: messages.say(line, quiet)
        )
    messages.show(
        json.dumps(result, indent=1, allow_nan=False)
        if as_json
        else canonical_forms_text.text_of(result)
    )


def _tell_stale(db: Database, quiet: bool) -> None:
    from replicadb.rewrite import rule_store

    if rule_store.stale(db):
        messages.say(
            "note: loads came or went since the rules were learned; learn again: replicadb rewrite"
            f" learn {db.path}",
            quiet,
        )


def lines(source: str) -> Iterator[str]:
    """URLs of a file, packed or not, or of standard input, a line each, blanks around them off;
    empty lines are none.

    Raises:
        DataError: the file cannot be read, is a device, is broken or no text, or has a line that is
            too long for a URL.
    """
    name = PIPED if source == "-" else source
    if source != "-":
        refuse_device(source)
    try:
        with tempfile.TemporaryDirectory() as folder, _opened(source, folder) as handle:
            while line := handle.readline(LONGEST_LINE + 1):
                if b"\0" in line:
                    raise DataError(f"{name}: binary data, no text; give one URL a line")
                if len(line) > LONGEST_LINE:
                    most = f"{LONGEST_LINE:,} bytes"
                    raise DataError(f"{name}: a line of more than {most}; give one URL a line")
                text = line.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
                if url := text.strip():
                    yield url.encode("utf-8", "replace").decode() if not url.isascii() else url
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror}") from error


def _urls(given: Iterator[str]) -> Iterator[str]:
    """The URLs of lines; of a table, by its header, those of its best column of URLs."""
    first = next(given, "")
    separator = separator_of(first)
    try:
        head = [] if "/" in first else next(csv.reader([first], delimiter=separator))
        names = [plain_name(cell) for cell in head]
        found = (names.index(name) for name in map(plain_name, ROLES["url"]) if name in names)
        if (column := next(found, None)) is None:
            yield from chain((first,) if first else (), given)
            return
        for row in csv.reader(given, delimiter=separator):
            yield from filter(None, row[column : column + 1])
    except csv.Error as error:
        raise DataError(f"no sound table: {error}; give one URL a line") from error


def _opened(source: str, folder: str) -> BinaryIO:
    """The bytes of a file or of standard input, from an unpacked copy in a folder where they are
    packed.
    """
    from replicadb.readers.compression import kind_of, plain_copy

    name = source
    if source == "-":
        piped = cast(BufferedReader, sys.stdin.buffer)
        if kind_of(piped.peek(8)[:8]) == "none":
            return piped
        name, source = PIPED, f"{folder}/stdin"
        with open(source, "wb") as copy:
            shutil.copyfileobj(piped, copy)
    try:
        return Path(plain_copy(source, folder)).open("rb")
    except DataError as error:
        raise DataError(f"{name}: {error}") from error
