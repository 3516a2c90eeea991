"""The command reference, docs/commands.md: ``python -m replicadb.cli.reference >
docs/commands.md``.

Always true here: everything comes from the commands' own signatures (arguments, options, help,
defaults), so the text depends neither on the terminal nor on Typer's version. A test fails when the
file is stale.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from typer import Typer
from typer.models import ArgumentInfo

from replicadb.cli.app import EPILOG, app

HEADER = """# Commands

Made by `python -m replicadb.cli.reference > docs/commands.md` from the commands themselves; `replicadb COMMAND --help` says the same.
`replicadb --install-completion` sets up shell completion."""
KINDS = {str: "TEXT", int: "INTEGER", float: "NUMBER", Path: "FILE"}


class Parameter(NamedTuple):
    """An argument or option as its command declares it."""

    spelling: str
    """The argument's name, or the option's spellings and what it takes."""
    help: str
    default: str
    is_argument: bool


def reference() -> str:
    """Every command with its arguments and options, as Markdown."""
    names = commands(app)
    parts = [HEADER, EPILOG, _section("replicadb", app.registered_callback.callback, "COMMAND ...")]
    return (
        "\n\n".join(
            [*parts, *(_section(f"replicadb {name}", function) for name, function in names.items())]
        )
        + "\n"
    )


def commands(of: Typer) -> dict[str, Callable]:
    """The commands by name, then those of each sub-application, as ``pages synth``."""
    names = {
        command.name or command.callback.__name__: command.callback
        for command in of.registered_commands
    }
    for group in of.registered_groups:
        name = group.typer_instance.info.name
        names |= {
            f"{name} {inner}": function
            for inner, function in commands(group.typer_instance).items()
        }
    return names


def _section(title: str, function: Callable, rest: str = "") -> str:
    parameters = _parameters(function)
    arguments = [p for p in parameters if p.is_argument]
    usage = " ".join(
        [
            title,
            *(p.spelling for p in arguments),
            *(["[OPTIONS]"] if len(arguments) < len(parameters) else []),
            rest,
        ]
    ).strip()
    first, *more = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    told = [" ".join(text.split()) for text in (first, *more)]
    tables = [
        _table(kind, [p for p in parameters if p.is_argument == (kind == "argument")])
        for kind in ("argument", "option")
    ]
    return "\n\n".join(
        [f"## {title}", *told, f"```\n{usage}\n```", *(table for table in tables if table)]
    )


def _parameters(function: Callable) -> list[Parameter]:
    hints = typing.get_type_hints(function, include_extras=True)
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = typing.get_args(hints[name])
        if isinstance(info, ArgumentInfo):
            found.append(
                Parameter(info.metavar or name.upper(), info.help, _default(parameter), True)
            )
            continue
        # Inside Annotated, Typer keeps the first spelling where the default would stand.
        spellings = ", ".join(
            f"`{part}`"
            for s in (info.default, *(info.param_decls or ()))
            if isinstance(s, str) and s.startswith("-")
            for part in s.split("/")
        )
        takes = "" if _plain(kind) is bool else f" {info.metavar or KINDS[_plain(kind)]}"
        least = f" At least {info.min}." if info.min is not None else ""
        found.append(Parameter(spellings + takes, info.help + least, _default(parameter), False))
    return found


def _plain(kind: Any) -> type:
    """int of int | None, str of list[str] | None."""
    while typing.get_origin(kind) in (types.UnionType, typing.Union, list):
        kind = next(inner for inner in typing.get_args(kind) if inner is not type(None))
    return kind


def _default(parameter: inspect.Parameter) -> str:
    """The default where there is one; what None stands for is in the help."""
    if parameter.default is inspect.Parameter.empty:
        return "required"
    return (
        "" if parameter.default is None or parameter.default is False else f"`{parameter.default}`"
    )


def _table(kind: str, parameters: list[Parameter]) -> str:
    if not parameters:
        return ""
    rows = [f"| {p.spelling} | {p.help} | {p.default} |".replace("|  |", "| |") for p in parameters]
    return "\n".join([f"| {kind} | what it is | default |", "|---|---|---|", *rows])


if __name__ == "__main__":
    sys.stdout.write(reference())
