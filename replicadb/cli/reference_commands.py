"""The page of commands: arguments, options, help and defaults, from the commands' own signatures.

So the text depends neither on the terminal nor on Typer's version.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from typer import Typer
from typer.models import ArgumentInfo

from replicadb.cli.app import application
from replicadb.cli.help_text import EXAMPLES, EXIT_CODES
from replicadb.cli.markdown import MADE_BY, paragraph, plain, table

HEADER = f"""# Commands

{MADE_BY} `replicadb COMMAND --help` says the same.
`replicadb --install-completion` sets up shell completion."""
VALUE_WORDS = {str: "TEXT", int: "INTEGER", float: "NUMBER", Path: "FILE"}


Command = Callable[..., object]


class Parameter(NamedTuple):
    """An argument or option as its command declares it."""

    spelling: str
    """The argument's name, or the option's spellings and what it takes."""
    help: str
    default: str
    is_argument: bool


def commands_page() -> str:
    """Every command with its arguments and options, as Markdown."""
    app = application()
    callback = app.registered_callback and app.registered_callback.callback
    sections = [_section("replicadb", callback, "COMMAND ...")] if callback else []
    sections += [_section(f"replicadb {name}", made) for name, made in commands(app).items()]
    return "\n\n".join([HEADER, paragraph(EXIT_CODES), *sections]) + "\n"


def commands(of: Typer) -> dict[str, Command]:
    """The commands by name, then those of each sub-application, as ``pages synth``."""
    names: dict[str, Command] = {}
    for command in of.registered_commands:
        if command.callback is not None:
            name = command.name or command.callback.__name__.replace("_", "-")
            names[name] = command.callback
    for group in of.registered_groups:
        inner = group.typer_instance
        if inner is not None:
            names |= {f"{inner.info.name} {name}": made for name, made in commands(inner).items()}
    return names


def _section(title: str, function: Command, rest: str = "") -> str:
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
    described = [
        paragraph(plain(text)) for text in inspect.cleandoc(function.__doc__ or "").split("\n\n")
    ]
    tables = [
        _table(kind, [p for p in parameters if p.is_argument == (kind == "argument")])
        for kind in ("argument", "option")
    ]
    examples = EXAMPLES.get(title.partition(" ")[2], ())
    shown = "\n".join(f"replicadb {example}" for example in examples)
    return "\n\n".join(
        [
            f"## {title}",
            *described,
            f"```\n{usage}\n```",
            *(table for table in tables if table),
            *([f"```sh\n{shown}\n```"] if shown else []),
        ]
    )


def _parameters(function: Command) -> list[Parameter]:
    hints = typing.get_type_hints(function, include_extras=True)
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = typing.get_args(hints[name])
        if isinstance(info, ArgumentInfo):
            found.append(
                Parameter(info.metavar or name.upper(), info.help or "", _default(parameter), True)
            )
            continue
        # Inside Annotated, Typer keeps the first spelling where the default would stand.
        spellings = ", ".join(
            f"`{part}`"
            for s in (info.default, *(info.param_decls or ()))
            if isinstance(s, str) and s.startswith("-")
            for part in s.split("/")
        )
        takes = "" if _plain(kind) is bool else f" {info.metavar or _takes(_plain(kind))}"
        least = f" At least {info.min}." if info.min is not None else ""
        panel = f"{info.rich_help_panel}. " if info.rich_help_panel else ""
        help = panel + (info.help or "") + least
        found.append(Parameter(spellings + takes, help, _default(parameter), False))
    return found


def _plain(kind: Any) -> Any:
    """int of int | None, str of list[str] | None."""
    while typing.get_origin(kind) in (types.UnionType, typing.Union, list):
        kind = next(inner for inner in typing.get_args(kind) if inner is not type(None))
    return kind


def _takes(kind: Any) -> str:
    """What an option takes: its choices, or a word for their type."""
    choices = typing.get_args(kind)
    return f"`{'`, `'.join(choices)}`" if choices else VALUE_WORDS[kind]


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
    rows = [(p.spelling, p.help, p.default) for p in parameters]
    return table((kind, "what it is", "default"), rows)
