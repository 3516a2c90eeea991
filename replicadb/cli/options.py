"""Arguments and options that several commands share, and those that stand anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean

DB = Annotated[
    Path, typer.Argument(metavar="DB", help="The database, one DuckDB file.", show_default=False)
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help=(
            "DuckDB's memory, as 6GB; bigger work spills beside the file. Default: 30 % of the"
            " machine's."
        ),
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, max=256, help="Worker threads. Default: all cores."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]
Config = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Settings; default: ./replicadb.toml.",
    ),
]
When = Literal["auto", "always", "never"]
ShowProgress = Annotated[
    When,
    typer.Option(
        "--progress",
        metavar="WHEN",
        show_default=False,
        help="auto, always (in pipes, too) or never.",
    ),
]
ANYWHERE = ("--config", "--progress")
"""Options that may stand before or after the name of a command."""


def taken_out(arguments: list[str]) -> tuple[list[str], str | None, str]:
    """The arguments without the options that stand anywhere, and those: file of settings, when to
    show progress.

    Raises:
        UsageError: one of them without its value, or with another than there are.
    """
    rest: list[str] = []
    found: dict[str, str] = {}
    waiting = iter(arguments)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        if argument == "--":
            rest += [argument, *waiting]
        elif name in ANYWHERE:
            given = value if equals else next(waiting, None)
            if not given:
                raise UsageError(f"{name} needs a value; see replicadb --help")
            found[name] = given
        else:
            rest.append(argument)
    when, choices = found.get("--progress", "auto"), get_args(When)
    if when not in choices:
        raise UsageError(
            f"--progress cannot be {when!r}{did_you_mean(when, choices)}; choose one of:"
            f" {', '.join(choices)}"
        )
    return rest, found.get("--config"), when
