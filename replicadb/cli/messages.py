"""What the commands say to a person: summaries and warnings, all of it on standard error."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from replicadb.counted import and_more, counted
from replicadb.errors import DataError, LockedError, UsageError
from replicadb.likely_meant import did_you_mean_file
from replicadb.under_way import aside
from replicadb.visible_text import visible

if TYPE_CHECKING:
    from replicadb.api import ReplicaDB
    from replicadb.detection.pipeline import DetectResult
    from replicadb.load.load_options import LoadResult


CUT_OFF = "what follows is missing"
"""In the reason of a record after which a file has no more."""
MOST_REASONS = 3
"""Why rows were not kept, by the commonest reasons."""


def say(line: str, quiet: bool = False) -> None:
    """One line to a person."""
    if not quiet:
        with aside():
            print(visible(line), file=sys.stderr, flush=True)


def show(text: str) -> None:
    """What a person asked for, on standard output."""
    with aside():
        typer.echo(visible(text, lines=True))


def must_exist(db: Path) -> None:
    """Refuse to make a new database where one is meant to be read."""
    if db.is_dir():
        from replicadb.store.connecting import refuse_missing

        refuse_missing(str(db), read_only=True)
    if not db.is_file() and re.match(r"(?i)\s*(?:select|from|with)\s", str(db)):
        raise UsageError(f"{db}: is no database; the database comes first, then the statement")
    if not db.is_file() and (other := _database_among_arguments()):
        raise UsageError(f"{db}: no such database; it comes first: is {other} meant?")
    if not db.is_file():
        raise DataError(
            f"{db}: no such database{did_you_mean_file(db)}; make one with: replicadb load"
            f" {db} SOURCE"
        )


def _database_among_arguments() -> str | None:
    """A database that stands on the command line where something else belongs."""
    given = (one for one in sys.argv[2:] if one.endswith(".duckdb"))
    return next((one for one in given if Path(one).is_file()), None)


@contextlib.contextmanager
def no_empty_database(db: Path) -> Iterator[None]:
    """Where a first load fails or is interrupted before anything is in it, leave no new file
    behind.
    """
    existed = db.exists()
    try:
        yield
    except BaseException:
        if not existed and db.is_file() and _holds_nothing(db):
            for path in (db, db.with_name(db.name + ".wal")):
                path.unlink(missing_ok=True)
        raise


def _holds_nothing(db: Path) -> bool:
    import replicadb

    try:
        with replicadb.open(db, read_only=True) as web:
            return not web.database.value("SELECT count(*) FROM sources")
    except LockedError:
        return False
    except DataError:  # stopped before it had its tables
        return True


def tell_load(result: LoadResult, quiet: bool) -> None:
    """The summary of a load; that a file failed, gave nothing, or is cut off is said even when
    quiet.
    """
    quiet = quiet and not result.kept_nothing
    if result.known:
        again = "it" if len(result.known) == 1 else "them"
        say(
            f"{and_more(result.known)}: loaded before, nothing changed (--force loads {again}"
            " again, as with other options)",
            quiet,
        )
    for line in result.unrecognised:
        say(f"left out: {line}", quiet)
    for line, names in result.columns.items():
        say(f"{and_more(names)}: {line}", quiet)
    for line in result.warnings:
        say(f"note: {line}", quiet)
    for line in result.failed:
        say(f"replicadb: {line}")
    if result.sources:
        say(result.line(), quiet)
        if result.replaced and not result.kept:
            say(
                "  no URL is new; of each, the newest capture counts (unload brings older back)",
                quiet,
            )
        if result.assets:
            them = "the kept and replaced" if result.replaced else "them"
            say(
                f"{result.assets:,} of {them} are files other than pages (pictures, styles,"
                " scripts, fonts): evidence of their own",
                quiet,
            )
    _tell_reasons(result, quiet)
    _tell_more(result, quiet)
    if result.dry_run:
        say("dry run: nothing was changed", quiet)
    if result.failed and result.sources + len(result.known):
        say(
            f"{counted(len(result.failed), 'file')} could not be loaded, as said above;"
            f" the others {'would have been' if result.dry_run else 'were'}",
            quiet,
        )


def _tell_more(result: LoadResult, quiet: bool) -> None:
    """Machine files that were left out; links, and what says who runs a site."""
    if result.machine_files:
        kinds = sorted(result.machine_files.items(), key=lambda item: (-item[1], item[0]))
        told = ", ".join(f"{kind} {n:,}" for kind, n in kinds)
        say(
            f"machine files left out, which are no pages: {told} (--machine-files keeps them)",
            quiet,
        )
    if any(result.links.values()):
        n = result.links
        say(
            f"links: {counted(n['redirect'], 'redirect')}, {n['canonical']:,} canonical,"
            f" {counted(n['link'], 'out-link')}; {n['left_out']:,} repeated on their page or left"
            " out",
            quiet,
        )
    if result.identifiers:
        say(
            f"identifiers of who runs a site, and languages: {result.identifiers:,}, each once a"
            f" host{' and file' if result.sources > 1 else ''} (view site_identifiers)",
            quiet,
        )


def _tell_reasons(result: LoadResult, quiet: bool) -> None:
    """Why little or nothing was kept, or else why some was rejected: the three commonest reasons
    with an example each.
    """
    reasons = sorted(result.reasons.items(), key=lambda item: (-item[1][0], item[0]))
    if result.kept_little:
        kept = "nothing" if result.kept_nothing else "little"
        say(f"{kept} was kept; the commonest reasons:", quiet)
    else:
        reasons = [item for item in reasons if item[0].startswith("rejected: ")]
    if quiet:
        reasons = [item for item in reasons if CUT_OFF in item[0]]
    for reason, (n, url) in reasons[:MOST_REASONS]:
        example = f", such as {url[:100]!r}" if url else ""
        if reason in result.without_url:
            example = f", in {'standard input' if url == '-' else url[:100]}"
        say(f"{'replicadb:' if quiet else ' '} {n:,} {reason}{example}")
    if more := reasons[MOST_REASONS:]:
        tables = "tables skips and rejects" if result.kept_little else "table rejects"
        say(f"  and {counted(len(more), 'more reason')}, in the {tables}", quiet)


class StageReport:
    """A line for each stage of detect when it is done."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def __call__(self, stage: str, found: str) -> None:
        if found:
            say(f"{stage[3:].replace('_', ' ')}: {found}", self.quiet)


def tell_detect(result: DetectResult, quiet: bool) -> None:
    """What a detection found, in one line, and what to do next."""
    counts = result.counts
    if not result.stages_run:
        say("nothing to do: data and settings are as they were", quiet)
    say(
        f"{counted(counts['hosts'], 'host')}, {counted(counts['dup_clusters'], 'dup-cluster')},"
        f" {counted(counts['candidate_pairs'], 'candidate pair')},"
        f" {counted(counts['obvious_replicas'], 'obvious replica')}; flagged"
        f" {counted(counts['flagged_pairs'], 'pair')}: {counted(counts['flagged_hosts'], 'host')}"
        f" to drop in {counted(counts['replica_groups'], 'group')}, {counts['held_back']:,} held"
        " back, in"
        f" {result.seconds:.1f} s",
        quiet,
    )
    for note in result.notes:
        say(f"note: {note}", quiet)


def tell_profile(result: DetectResult) -> None:
    """Where the time went: a line a stage, and below it the statements that took longest; on
    standard output, since it is what was wanted.
    """
    from replicadb.cli.grid import aligned  # brings Arrow along

    rows = [("stage", "seconds", "rows", "peak MB")]
    for stage in result.profile:
        size = f"{stage.rows:,}", f"{stage.peak / 1e6:,.0f}"
        rows.append((stage.stage, f"{stage.seconds:.2f}", *size))
        rows += [
            (f"  {label}", f"{seconds:.2f}", "", "")
            for label, seconds in stage.longest()
            if seconds >= 0.01
        ]
    peak = max((stage.peak for stage in result.profile), default=0)
    size = f"{result.counts['candidate_pairs']:,}", f"{peak / 1e6:,.0f}"
    rows.append(("in all", f"{result.seconds:.2f}", *size))
    print(aligned(rows))


def warn_stale(web: ReplicaDB, quiet: bool) -> None:
    """Say so when loads came or went since the last detection."""
    from replicadb.detection.notes import stale_note

    if note := stale_note(web.database):
        say(f"note: {note}", quiet)
