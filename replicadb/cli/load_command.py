"""``replicadb load`` and ``replicadb unload``: a crawl into the database, and out again."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

import replicadb
from replicadb import settings
from replicadb.cli import messages
from replicadb.cli.exit_codes import ExitCode
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.cli.progress import LoadProgress
from replicadb.counted import counted
from replicadb.errors import LockedError, UsageError

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE...",
        help="Files, patterns, folders, or - for standard input; plain, gzip, zstd or bzip2.",
        show_default=False,
    ),
]
LoadFormat = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        autocompletion=lambda: _formats(),
        help=(
            "auto, warc, arc, wacz, wat, wet, cdx, cdxj, crawl-log, cc-index, csv, tsv, urls (one a"
            " line), jsonl or parquet."
        ),
    ),
]
Label = Annotated[
    str | None,
    typer.Option("--label", help="The name of this load, for unload. Default: each file's name."),
]
LoadHosts = Annotated[
    str | None,
    typer.Option(
        "--hosts", metavar="FILE", help="A table (host, ip) where the crawl has no addresses."
    ),
]
Site = Annotated[
    settings.Site | None,
    typer.Option(
        "--site",
        help=(
            "What counts as one site: host, domain (registrable) or host+1 (host and first path"
            " segment). Settled by the first load. Default: host."
        ),
    ),
]
AllTypes = Annotated[
    bool,
    typer.Option(
        "--all-types",
        help=(
            "Keep every status, not only 200 or unknown, and count every file as a page, not only"
            " HTML, XHTML, text, PDF or unknown."
        ),
    ),
]
PagesOnly = Annotated[
    bool,
    typer.Option(
        "--pages-only",
        help=(
            "Leave out pictures, styles, scripts, fonts and other files. Otherwise they are"
            " evidence of their own, and no pages."
        ),
    ),
]
MachineFiles = Annotated[
    bool,
    typer.Option(
        "--machine-files",
        help=(
            "Keep robots.txt, site maps, ads.txt, manifests and the like, which are no pages;"
            " --all-types keeps them, too."
        ),
    ),
]
ExcludeHosts = Annotated[
    str | None,
    typer.Option(
        "--exclude-hosts",
        metavar="FILE",
        help="Hosts to leave out, one a line, or the column host or domain of a table.",
    ),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help=(
            "Name a table's column: url, ip, fingerprint, timestamp, status, mime, length,"
            " redirect, content, links, canonical, title, language or interval. NAME may be a field"
            " inside of an object (metadata.url), or the number of a column from 0 on where there"
            " is no header; without NAME no column has that role. May be given several times."
        ),
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id-column",
        metavar="NAME",
        help="A column of your own ids to keep (user_id in the view pages).",
    ),
]
Links = Annotated[
    bool | None,
    typer.Option(
        "--links/--no-links",
        help=(
            "Where pages link to: --links reads it (and canonical links) from the HTML in WARC"
            " and ARC, too, which takes longer; --no-links leaves it out everywhere. Default:"
            " from tables and WAT, which have it ready."
        ),
        show_default=False,
    ),
]
Content = Annotated[
    bool,
    typer.Option(
        "--content",
        help=(
            "Keep what stands on the pages (WARC, ARC, WACZ, WET, WAT, tables with a column"
            " html, text, content or body): titles, terms, links with their texts, digests;"
            " fingerprint and similar need it."
        ),
    ),
]
WithIdentifiers = Annotated[
    bool,
    typer.Option(
        "--identifiers/--no-identifiers",
        help=(
            "With --links or --content: keep what pages say of who runs them (analytics and ad"
            " accounts, mail addresses, wallets, servers) and their language."
        ),
    ),
]
MaxFileSize = Annotated[
    str | None,
    typer.Option(
        "--max-file-size",
        metavar="SIZE",
        help=(
            "Refuse a file, or standard input, that has more, unpacked, as 10GB; each is gone"
            " through once more for it."
        ),
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Load a file again that is known already.")]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace",
        help=(
            "Take out what was loaded before under the same name (or label) and is not in the"
            " files given now."
        ),
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Read and judge the files, say what each would do by itself, and change nothing.",
    ),
]


def _formats() -> list[str]:
    from replicadb.readers.formats import FORMATS

    return list(FORMATS)


def load(
    db: DB,
    sources: Sources,
    format: LoadFormat = "auto",
    label: Label = None,
    hosts: LoadHosts = None,
    site: Site = None,
    all_types: AllTypes = False,
    machine_files: MachineFiles = False,
    pages_only: PagesOnly = False,
    exclude_hosts: ExcludeHosts = None,
    column: Column = None,
    id_column: IdColumn = None,
    links: Links = None,
    content: Content = False,
    identifiers: WithIdentifiers = True,
    max_file_size: MaxFileSize = None,
    force: Force = False,
    replace: Replace = False,
    dry_run: DryRun = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Load a crawl: WARC, ARC, WACZ, WAT, WET, CDX, CDXJ, crawl.log, Common Crawl's index,
    CSV, TSV, JSONL, Parquet, lists of URLs.

    Formats are recognised by content. Each file is one transaction; the same file again changes
    nothing.
    """
    path = db if db.exists() or not dry_run else ":memory:"
    with (
        messages.no_empty_database(db),
        replicadb.open(path, memory_limit=memory_limit, threads=threads) as web,
        LoadProgress() as progress,
    ):
        result = web.load(
            *sources,
            progress=progress,
            format=format,
            label=label,
            hosts=hosts,
            site=site,
            all_types=all_types,
            machine_files=machine_files,
            pages_only=pages_only,
            exclude_hosts=exclude_hosts,
            columns=_columns(column or [], id_column),
            links=links,
            content=content,
            identifiers=identifiers,
            max_file_size=max_file_size,
            force=force,
            replace=replace,
            dry_run=dry_run,
        )
    messages.tell_load(result, quiet)
    if result.failed or result.kept_nothing:
        raise typer.Exit(ExitCode.DATA)


def _columns(given: list[str], id_column: str | None) -> dict[str, str | None]:
    """A table's columns by role."""
    columns: dict[str, str | None] = dict(_role(text) for text in given)
    return columns | ({"id": id_column} if id_column else {})


def _role(text: str) -> tuple[str, str | None]:
    role, equals, name = text.partition("=")
    if not equals:
        raise UsageError(f"--column {text!r} is not ROLE=NAME, as in --column url=Address")
    return role.strip().lower(), name or None


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The load's label, or the name of one of its files.")
]


def unload(
    db: DB,
    name: Name,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Take one load out again; what it had replaced comes back. Where a quarter of the file is free
    then, it is written anew without that.
    """
    from replicadb.store.compacting import compact, free_bytes
    from replicadb.store.run_log import nothing_loaded

    messages.must_exist(db)
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        files = web.unload(name)
        todo = nothing_loaded(web.database) or f"run detect again: replicadb detect {db}"
    messages.say(f"took out {counted(files, 'file')} of {name}", quiet)
    before = db.stat().st_size
    if compact(db):
        messages.say(f"the file has {_megabytes(db.stat().st_size)} of {_megabytes(before)}", quiet)
    else:
        with contextlib.suppress(LockedError):  # somebody has it open by now: it is as it is
            if free := free_bytes(db):
                messages.say(
                    f"{_megabytes(free)} of the file's {_megabytes(before)} are free: the next load"
                    " or detection uses them",
                    quiet,
                )
    messages.say(todo, quiet)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
