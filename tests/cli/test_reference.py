"""docs/reference is made from the code: never stale, complete, the same at any width of the
terminal.

Tries markdown, reference_commands, reference_glossary, reference_loading, reference_python,
reference_settings and reference_tables, too.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
import typer
from click.testing import CliRunner

import replicadb
from replicadb.cli import reference_python
from replicadb.cli.app import application
from replicadb.cli.reference import PAGES, write
from replicadb.cli.reference_commands import commands, commands_page
from replicadb.cli.reference_glossary import COLUMNS, terms
from replicadb.cli.reference_settings import SECTIONS
from replicadb.detection.evidence import EVIDENCE
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.settings import Constants, Settings

DOCS = Path(__file__).parents[2] / "docs" / "reference"
APP = application()
COMMAND = typer.main.get_command(APP)
COMMANDS = list(commands(APP))


@cache
def sections() -> dict[str, str]:
    return dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n?)*)", commands_page(), re.M))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_not_stale(name):
    assert (DOCS / name).read_text("utf-8") == PAGES[name](), (
        "run: python -m replicadb.cli.reference"
    )


def test_all_pages_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr("replicadb.cli.reference.PAGES", dict.fromkeys(PAGES, lambda: "# A page"))
    write(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(
        PAGES, "# A page"
    )


@pytest.mark.parametrize("name", PAGES)
def test_prose_has_lines_of_a_hundred_characters(name):
    prose = re.sub(r"^(```.*?^```|\|.*?)$", "", (DOCS / name).read_text("utf-8"), flags=re.M | re.S)
    assert max(map(len, prose.splitlines())) <= 100


def test_every_public_name_has_its_section():
    headings = re.findall(r"^#+ (.*)$", (DOCS / "python.md").read_text("utf-8"), re.M)
    for module in reference_python.MODULES:
        for name in importlib.import_module(module).__all__:
            assert f"{module}.{name}" in headings
    assert "ReplicaDB.detect" in headings and "Model.lookup" in headings


def test_every_setting_has_its_unit_and_source():
    text = (DOCS / "settings.md").read_text("utf-8")
    found = [row.strip("|").split(" | ") for row in re.findall(r"^\| `.*$", text, re.M)]
    settings = [item for _, kind, _ in SECTIONS for item in fields(kind)]
    assert {Settings, PageOptions, Constants} < {kind for _, kind, _ in SECTIONS}
    assert [row[0].strip() for row in found] == [f"`{item.name}`" for item in settings]
    for row, item in zip(found, settings, strict=True):
        assert row[1] == f"`{item.default}`" and len(row) == 4 and row[3].strip()


def test_every_table_of_a_database_has_its_section(crawled):
    headings = set(re.findall(r"^### (.*)$", (DOCS / "tables.md").read_text("utf-8"), re.M))
    with replicadb.open(crawled, read_only=True) as web:
        described = web.sql(
            "SELECT if(schema_name = 'main', '', schema_name || '.') || name AS name"
            " FROM descriptions WHERE kind <> 'column'"
        )["name"]
    assert headings == set(described)


def test_the_glossary_leads_to_sections_that_are_there_and_says_each_word_once():
    found = terms()
    sections = {
        f"{name}.md#{anchor}"
        for name in ("method", "robust", "drops")
        for anchor in re.findall(
            r"\{ #([\w-]+) \}", (DOCS.parent / f"{name}.md").read_text("utf-8")
        )
    }
    assert {term.section for term in found} <= sections
    assert len({term.name for term in found}) == len(found) > 100
    assert {term.name for term in found} >= set(COLUMNS)


def test_the_method_names_every_piece_of_evidence():
    method = "".join((DOCS.parent / name).read_text("utf-8") for name in ("method.md", "robust.md"))
    assert [piece.name for piece in EVIDENCE if f"`{piece.name}`" not in method] == []


def test_every_command_has_its_section():
    assert list(sections()) == ["replicadb", *(f"replicadb {name}" for name in COMMANDS)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_has_the_options_that_help_shows_and_no_others(name):
    shown = (
        CliRunner()
        .invoke(COMMAND, [*name.split(), "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
        .output
    )
    options = set(re.findall(r"^  (?:-\w, *)?(--[a-z0-9-]+)", shown, re.M)) - {"--help"}
    assert (
        set(re.findall(r"^\| `(--[a-z0-9-]+)`", sections()[f"replicadb {name}"], re.M)) == options
    )


def test_every_argument_and_option_is_explained():
    rows = re.findall(
        r"^\| (?!argument|option|-)(.*?) \| (.*?) \|", commands_page().replace("|---", ""), re.M
    )
    assert len(rows) > 40 and all(len(said) > 5 for _, said in rows)


def test_the_terminal_does_not_matter(monkeypatch):
    before = commands_page()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "dumb")
    assert commands_page() == before
