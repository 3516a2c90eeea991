"""The page of the Python interface: public names with their signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import cast

from replicadb.cli.markdown import MADE_BY, paragraph, plain, table

MODULES = ("replicadb", "replicadb.model", "replicadb.rewrite")
WIDTH = 96
NOTEBOOK = (
    "Begin with [the notebook](../notebook.ipynb): load, detect, look, decide, leave copies out."
)
_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Time):$")
_ERROR = re.compile(r"(?<=[.)]) (?=[A-Z]\w*Error: )")


def python_page() -> str:
    """Every public name with its signature and docstring, as Markdown."""
    parts = ["# Python", MADE_BY, NOTEBOOK]
    for name in MODULES:
        module = importlib.import_module(name)
        parts += [f"## {name}", *_documented(module)]
        for public in sorted(module.__all__, key=lambda public: (public.lower(), public)):
            parts += _name(name, public, getattr(module, public))
    return "\n\n".join(parts) + "\n"


def _name(module: str, name: str, value: object) -> list[str]:
    if isinstance(value, type):
        return _class(module, name, value)
    if inspect.isfunction(value):
        return [f"### {module}.{name}", _code(name, value), *_documented(value)]
    return [f"### {module}.{name}", "The version, as text."] if name == "__version__" else []


def _class(module: str, name: str, kind: type) -> list[str]:
    parts = [f"### {module}.{name}"]
    if not issubclass(kind, Exception):
        parts.append(_code(name, kind))
    parts += _documented(kind)
    if is_dataclass(kind):
        rows = [(f"`{item.name}`", f"`{item.type}`") for item in fields(kind)]
        parts.append(table(("field", "type"), rows))
    for method, value in inspect.getmembers(kind):
        if method.startswith("_") or issubclass(kind, Exception):
            continue
        if inspect.isfunction(value) or inspect.ismethod(value):
            parts += [f"#### {name}.{method}", _code(method, value), *_documented(value)]
        elif isinstance(value, property) or hasattr(value, "func"):
            parts += [f"#### {name}.{method}", *_documented(value)]
    return parts


def _code(name: str, value: type | object) -> str:
    """A signature as Python, a parameter a line where it is long."""
    signature = inspect.signature(cast(Callable[..., object], value))
    listed: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not {"*"} & {text[:1] for text in listed}:
            listed.append("*")
        listed.append(_parameter(parameter))
    given = signature.return_annotation
    result = "" if given is signature.empty or isinstance(value, type) else f" -> {given}"
    line = f"{name}({', '.join(listed)}){result}"
    if len(line) > WIDTH:
        line = f"{name}(\n" + "".join(f"    {text},\n" for text in listed) + f"){result}"
    return f"```python\n{line}\n```"


def _parameter(parameter: inspect.Parameter) -> str:
    star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    kind = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
    if parameter.default is parameter.empty:
        return f"{star}{parameter.name}{kind}"
    return f"{star}{parameter.name}{kind} = {_default(parameter.default)}"


def _default(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:_}" if value >= 10_000 else str(value)
    text = repr(value)
    return "..." if callable(value) or "factory" in text else text


def _documented(value: ModuleType | type | object) -> list[str]:
    """A docstring: its paragraphs, and a list for each section of arguments or errors."""
    text = inspect.cleandoc(getattr(value, "__doc__", None) or "")
    parts = []
    for block in text.split("\n\n"):
        first, *rest = block.split("\n")
        if block.startswith(">>>"):
            parts.append(f"```python\n{block}\n```")
        elif found := _SECTION.match(first):
            parts += [f"**{found[1]}**", "\n".join(_items(rest))]
        elif block:
            parts.append(paragraph(plain(block)))
    return parts


def _items(lines: list[str]) -> list[str]:
    """The items of a section: each begins at its left edge, several errors may share a line."""
    text = textwrap.dedent("\n".join(lines))
    items: list[str] = []
    for line in text.split("\n"):
        if line.startswith(" ") and items:
            items[-1] += " " + line.strip()
        else:
            items.append(line)
    flat = [error for item in items for error in _ERROR.split(item)]
    return [paragraph("- " + plain(item), indent="  ") for item in flat]
