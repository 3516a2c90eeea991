"""The application: every command, put together from the files of its groups.

No logic of detection lives in this room; a command is a few lines over
:class:`replicadb.api.ReplicaDB`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from replicadb.cli.help_text import EXIT_CODES, Group, dress
from replicadb.cli.options import Config, ShowProgress
from replicadb.version import __version__

MODULES = {
    "load": "load_command",
    "unload": "load_command",
    "detect": "detect_command",
    "export": "query_command",
    "explain": "explain_command",
    "report": "report_command",
    "label": "label_command",
    "review": "review_command",
    "runs": "runs_command",
    "diff": "runs_command",
    "copies-of": "copies_command",
    "watch": "copies_command",
    "recheck": "recheck_command",
    "aliases": "aliases_command",
    "families": "families_command",
    "wildcards": "wildcards_command",
    "sql": "sql_command",
    "docs": "docs_command",
    "info": "query_command",
    "demo": "detect_command",
    "fingerprint": "fingerprint_command",
    "similar": "fingerprint_command",
    "synth": "synth_command",
    "evaluate": "evaluate_command",
    "score": "score_command",
    "model": "model_command",
    "pages": "pages_command",
    "rewrite": "rewrite_command",
}
"""Where each command stands, in the order in which completion and the reference list them."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"replicadb {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave."),
]


def _main(
    version: Version = False,
    config: Config = None,
    progress: ShowProgress = "auto",
) -> None:
    """Which websites in a crawl are copies of each other."""


def application(*names: str) -> typer.Typer:
    """The application with the commands of those names, or with all."""
    made = typer.Typer(
        cls=Group,
        help="Which websites in a crawl are copies of each other.",
        epilog=EXIT_CODES,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(epilog=EXIT_CODES)(_main)
    for name in names or MODULES:
        module = import_module(f"replicadb.cli.{MODULES[name]}")
        command = getattr(module, name.replace("-", "_"))
        if isinstance(command, typer.Typer):
            made.add_typer(command)
        else:
            made.command()(command)
    dress(made)
    return made


@cache
def root_command(*names: str) -> Any:
    """The application as it parses arguments, with the commands of those names, or with all. Made
    once in a process: to import and to make all takes a tenth of a second.
    """
    return typer.main.get_command(application(*names))
