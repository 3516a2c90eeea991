"""The application: every command, put together from the files of its groups.

No logic of detection lives in this room; a command is a few lines over
:class:`replicadb.api.ReplicaDB`.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from replicadb.cli.aliases_command import aliases
from replicadb.cli.copies_command import copies_of, watch
from replicadb.cli.detect_command import demo, detect
from replicadb.cli.docs_command import docs
from replicadb.cli.evaluate_command import evaluate
from replicadb.cli.explain_command import explain
from replicadb.cli.families_command import families
from replicadb.cli.fingerprint_command import fingerprint, similar
from replicadb.cli.help_text import EXIT_CODES, Group, dress
from replicadb.cli.label_command import label
from replicadb.cli.load_command import load, unload
from replicadb.cli.options import Config, ShowProgress
from replicadb.cli.pages_command import pages
from replicadb.cli.query_command import export, info
from replicadb.cli.recheck_command import recheck
from replicadb.cli.report_command import report
from replicadb.cli.review_command import review
from replicadb.cli.rewrite_command import rewrite
from replicadb.cli.runs_command import diff, runs
from replicadb.cli.score_command import model, score
from replicadb.cli.sql_command import sql
from replicadb.cli.synth_command import synth
from replicadb.version import __version__

app = typer.Typer(
    cls=Group,
    help="Which websites in a crawl are copies of each other.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"replicadb {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave."),
]


@app.callback(epilog=EXIT_CODES)
def _main(
    version: Version = False,
    config: Config = None,
    progress: ShowProgress = "auto",
) -> None:
    """Which websites in a crawl are copies of each other."""


COMMANDS = (
    load,
    unload,
    detect,
    export,
    explain,
    report,
    label,
    review,
    runs,
    diff,
    copies_of,
    watch,
    recheck,
    aliases,
    families,
    sql,
    docs,
    info,
    demo,
    fingerprint,
    similar,
    synth,
    evaluate,
    score,
    model,
)
"""In the order in which ``--help`` lists them."""

for command in COMMANDS:
    app.command()(command)
app.add_typer(pages)
app.add_typer(rewrite)
dress(app)


@cache
def root_command() -> Any:
    """The application as it parses arguments: made once in a process, which takes 25 ms."""
    return typer.main.get_command(app)
