"""docs/commands.md is made from the commands: never stale, complete, the same at any width of the
terminal.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from replicadb.cli.app import app
from replicadb.cli.reference import commands, reference

DOCS = Path(__file__).parents[1] / "docs" / "commands.md"
COMMANDS = list(commands(app))


def sections() -> dict[str, str]:
    return dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n?)*)", reference(), re.M))


def test_the_reference_is_not_stale():
    assert DOCS.read_text("utf-8") == reference(), (
        "run: python -m replicadb.cli.reference > docs/commands.md"
    )


def test_every_command_has_its_section():
    assert list(sections()) == ["replicadb", *(f"replicadb {name}" for name in COMMANDS)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_has_the_options_that_help_shows_and_no_others(name):
    shown = (
        CliRunner()
        .invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
        .output
    )
    options = set(re.findall(r"^ +(?:-\w, *)?(--[a-z0-9-]+)", shown, re.M)) - {"--help"}
    assert (
        set(re.findall(r"^\| `(--[a-z0-9-]+)`", sections()[f"replicadb {name}"], re.M)) == options
    )


def test_every_argument_and_option_is_explained():
    rows = re.findall(
        r"^\| (?!argument|option|-)(.*?) \| (.*?) \|", reference().replace("|---", ""), re.M
    )
    assert len(rows) > 40 and all(len(told) > 5 for _, told in rows)


def test_the_terminal_does_not_matter(monkeypatch):
    before = reference()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "dumb")
    assert reference() == before
