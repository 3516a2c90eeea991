"""The commands, each a few lines over :class:`replicadb.api.ReplicaDB`; no logic of detection lives
here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.evaluate_command import evaluate
from replicadb.cli.fingerprint_command import fingerprint, similar
from replicadb.cli.options import DB, Memory, Quiet, Threads
from replicadb.cli.pages_command import pages
from replicadb.cli.rewrite_command import rewrite
from replicadb.cli.score_command import model, score
from replicadb.cli.synth_command import synth
from replicadb.errors import UsageError
from replicadb.settings import refuse_idle
from replicadb.version import __version__

EPILOG = (
    "Exit codes: 0 done, 1 the data or database is at fault, 2 usage, 3 refused by a limit, "
    "4 database locked, 130 interrupted. Data goes to stdout, everything else to stderr."
)

app = typer.Typer(
    help="Which websites in a crawl are copies of each other.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"replicadb {__version__}")
        raise typer.Exit


@app.callback(epilog=EPILOG)
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and leave."
        ),
    ] = False,
) -> None:
    """Which websites in a crawl are copies of each other."""


@app.command(epilog=EPILOG)
def load(
    db: DB,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Files, patterns, folders, or - for standard input; plain, gzip, zstd or bzip2.",
            show_default=False,
        ),
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help=(
                "auto, warc, arc, wacz, wat, wet, cdx, cdxj, cc-index, csv, tsv, jsonl or parquet."
            ),
        ),
    ] = "auto",
    label: Annotated[
        str | None,
        typer.Option(
            "--label", help="The name of this load, for unload. Default: each file's name."
        ),
    ] = None,
    hosts: Annotated[
        str | None,
        typer.Option(
            "--hosts", metavar="FILE", help="A table (host, ip) where the crawl has no addresses."
        ),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site",
            help=(
                "What counts as one site: host, domain (registrable) or host+1 (host and first path"
                " segment). Settled by the first load. Default: host."
            ),
        ),
    ] = None,
    all_types: Annotated[
        bool,
        typer.Option(
            "--all-types",
            help=(
                "Keep every status and media type, not only pages (status 200 or unknown; HTML,"
                " XHTML, plain text, PDF or unknown)."
            ),
        ),
    ] = False,
    exclude_hosts: Annotated[
        str | None,
        typer.Option("--exclude-hosts", metavar="FILE", help="Hosts to leave out, one a line."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="ROLE=NAME",
            help=(
                "Name a table's column: url, ip, fingerprint, timestamp, status, mime, length,"
                " redirect, content, links, canonical or title. May be given several times."
            ),
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id-column",
            metavar="NAME",
            help="A column of your own ids to keep (user_id in the view pages).",
        ),
    ] = None,
    links: Annotated[
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
    ] = None,
    content: Annotated[
        bool,
        typer.Option(
            "--content",
            help=(
                "Keep what stands on the pages (WARC, ARC, WACZ, WET, WAT, tables with a column"
                " html, text, content or body): titles, terms, links with their texts, digests;"
                " fingerprint and similar need it."
            ),
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Load a file again that is known already.")
    ] = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Load a crawl: WARC, ARC, WACZ, WAT, WET, CDX, CDXJ, Common Crawl's index, CSV, TSV, JSONL,
    Parquet.

    Formats are recognised by content. Each file is one transaction; the same file again changes
    nothing.
    """
    columns = dict(_role(text) for text in column or [])
    if id_column:
        columns["id"] = id_column
    with (
        messages.no_empty_database(db),
        replicadb.open(db, memory_limit=memory_limit, threads=threads) as web,
        messages.LoadProgress(quiet) as progress,
    ):
        result = web.load(
            *sources,
            progress=progress,
            format=format,
            label=label,
            hosts=hosts,
            site=site,
            all_types=all_types,
            exclude_hosts=exclude_hosts,
            columns=columns,
            links=links,
            content=content,
            force=force,
        )
    messages.tell_load(result, quiet)
    if result.failed:
        raise typer.Exit(1)


def _role(text: str) -> tuple[str, str]:
    role, equals, name = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--column {text!r} is not ROLE=NAME, as in --column url=Address")
    return role.strip().lower(), name


@app.command(epilog=EPILOG)
def unload(
    db: DB,
    name: Annotated[str, typer.Argument(help="The load's label, or the name of one of its files.")],
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Take one load out again; what it had replaced comes back."""
    messages.must_exist(db)
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        files = web.unload(name)
    messages.say(
        f"took out {files} file{'s' if files != 1 else ''} of {name}; run detect again", quiet
    )


@app.command(epilog=EPILOG)
def detect(
    db: DB,
    method: Annotated[
        str | None,
        typer.Option("--method", help="robust, or paper (the published method). Default: robust."),
    ] = None,
    evidence: Annotated[
        str | None,
        typer.Option(
            "--evidence",
            help=(
                "Method robust: content (all that was loaded), or paths (host names, addresses and"
                " paths alone). Default: content."
            ),
        ),
    ] = None,
    min_probability: Annotated[
        float | None,
        typer.Option(
            "--min-probability",
            help=(
                "Method robust flags a pair from here, above 0 to 1. Default: 0.8; 0.94 where most"
                " hosts have files."
            ),
        ),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            "--candidates",
            help=(
                "Which hosts are compared: those that share content, a path, or either. Default:"
                " content."
            ),
        ),
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            "--clusters",
            metavar="METHOD",
            help=(
                "What counts as one content: the clusters of near duplicates that fingerprint found"
                " by exact, simhash, minhash, rp, rp+hm or mwo. Default: equal fingerprints."
            ),
        ),
    ] = None,
    min_shared: Annotated[
        int | None,
        typer.Option(
            "--min-shared",
            help="Shared dup-clusters (or paths) that make a candidate pair. Default: 1.",
        ),
    ] = None,
    max_cluster_hosts: Annotated[
        int | None,
        typer.Option(
            "--max-cluster-hosts",
            help="A fingerprint on more hosts makes no pairs; 0 for no cap. Default: 1000.",
        ),
    ] = None,
    max_pairs: Annotated[
        int | None,
        typer.Option(
            "--max-pairs",
            help="Stop before making more pairs than this; 0 for no limit. Default: 20,000,000.",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="NAME",
            help=(
                "Label of a load: compare only new hosts with those of that load, and flag only new"
                " ones."
            ),
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", help="Method paper: of the sample of obvious non-replicas. Default: 0."
        ),
    ] = None,
    discretise: Annotated[
        str | None,
        typer.Option(
            "--discretise", help="Method paper: frequency, width or mdl. Default: frequency."
        ),
    ] = None,
    cut: Annotated[
        str | None,
        typer.Option("--cut", help="Method paper: own, projected or global. Default: own."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="Method paper, --cut global: alpha(x, -), 0.1 ... 0.9. Default: 0.5.",
        ),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option("--schedule", help="Method paper: batch, pattern or example. Default: batch."),
    ] = None,
    aggregate: Annotated[
        str | None,
        typer.Option("--aggregate", help="Method paper: pareto, pu or nu. Default: pareto."),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="Show where the time went: seconds, rows and peak memory of each stage that ran.",
        ),
    ] = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Find replicas. A second run with the same data and settings does nothing."""
    settings: dict[str, Any] = {
        k: v
        for k, v in locals().items()
        if k not in ("db", "profile", "memory_limit", "threads", "quiet")
    }
    refuse_idle(settings, lambda name: f"--{name.replace('_', '-')}")
    messages.must_exist(db)
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        result = web.detect(report=messages.StageReport(quiet), profile=profile, **settings)
    messages.tell_detect(result, db, quiet)
    if profile:
        messages.tell_profile(result)


@app.command(epilog=EPILOG)
def export(
    db: DB,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help=(
                "File; its ending picks csv, tsv, json, jsonl, parquet or sqlite. - is standard"
                " output (csv)."
            ),
        ),
    ],
    what: Annotated[
        str, typer.Option("--what", help="hosts (to drop, with the one to keep), pairs or groups.")
    ] = "hosts",
    top: Annotated[int | None, typer.Option("--top", help="Only the first N rows.")] = None,
    min_score: Annotated[
        float | None, typer.Option("--min-score", help="Only rows with this score or more.")
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="With --what pairs: unflagged candidates too.")
    ] = False,
    memory_limit: Memory = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Write flagged hosts, pairs or groups to a file, whole or not at all."""
    with replicadb.open(db, read_only=True, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, quiet)
        rows = web.export(out, what, top=top, min_score=min_score, unflagged=all)
    if out != "-":
        messages.say(f"{rows:,} rows to {out}", quiet)


@app.command(epilog=EPILOG)
def sql(
    db: DB,
    query: Annotated[str, typer.Argument(metavar="SQL", help="Any statement DuckDB understands.")],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help=(
                "table, csv, tsv, json, jsonl or parquet. Default: table, or what the file's ending"
                " picks."
            ),
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write there rather than to standard output."
        ),
    ] = "-",
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Open the database for writing; without it the database cannot change."
        ),
    ] = False,
    memory_limit: Memory = None,
    threads: Threads = None,
) -> None:
    """Ask anything in SQL. Start with: SELECT * FROM descriptions"""
    from replicadb.api import told_as_ours
    from replicadb.export import writers as exporting

    chosen = format or ("table" if output == "-" else exporting.format_of(output))
    if format is not None and format not in exporting.FORMATS:
        raise UsageError(
            f"--format cannot be {format!r}; choose one of: {', '.join(exporting.FORMATS)}"
        )
    messages.must_exist(db)
    with (
        replicadb.open(db, read_only=not write, memory_limit=memory_limit, threads=threads) as web,
        told_as_ours(),
    ):
        rows = exporting.write(web.reader(query), output, chosen)
    if output != "-":
        messages.say(f"{rows:,} rows to {output}")


@app.command(epilog=EPILOG)
def info(
    db: DB,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """What the database holds, what was left out and why, and whether the detection is
    up to date.
    """
    with replicadb.open(db, read_only=True) as web:
        facts = web.info()
    typer.echo(json.dumps(facts, indent=2) if as_json else messages.info_text(facts))


@app.command(epilog=EPILOG)
def demo(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            help="Where to put it. Default: a new folder replicadb-demo here.",
            show_default=False,
        ),
    ] = None,
    hosts: Annotated[int, typer.Option("--hosts", min=100, help="Hosts to generate.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same crawl.")] = 1,
    quiet: Quiet = False,
) -> None:
    """Generate a small crawl with known replicas, load it, find them, and show the best."""
    from replicadb.cli.demo import demonstrate

    demonstrate(folder or Path("replicadb-demo"), hosts, seed, quiet)


app.command(epilog=EPILOG)(fingerprint)
app.command(epilog=EPILOG)(similar)
app.command(epilog=EPILOG)(synth)
app.command(epilog=EPILOG)(evaluate)
app.command(epilog=EPILOG)(score)
app.command(epilog=EPILOG)(model)
app.add_typer(pages)
app.add_typer(rewrite)
