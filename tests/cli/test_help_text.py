"""Help: commands by what they are for, options by what they belong to, examples that are parsed.

Tries app and pages_command, too.
"""

from __future__ import annotations

import shlex

import pytest
import typer

from replicadb.cli import help_text, run
from replicadb.cli.app import app
from replicadb.cli.reference_commands import commands

COMMAND = typer.main.get_command(app)
ALL_EXAMPLES = [(name, line) for name, lines in help_text.EXAMPLES.items() for line in lines]


def test_every_command_stands_in_one_panel_and_has_examples(cli):
    listed = [name for names in help_text.PANELS.values() for name in names]
    assert sorted(listed) == sorted(COMMAND.commands) == sorted(help_text.SHORT)
    assert set(help_text.EXAMPLES) == set(commands(app))


def test_help_is_one_screen(cli):
    text = cli("--help").out
    assert text.count("\n") <= 55 and max(map(len, text.splitlines())) <= 80
    places = [text.index(f"\n{panel}:\n") for panel in help_text.PANELS]
    assert places == sorted(places)


@pytest.mark.parametrize(("name", "example"), ALL_EXAMPLES)
def test_an_example_is_a_call_of_its_command(name, example, cli):
    assert example.split()[: len(name.split())] == name.split()
    command, rest = COMMAND, shlex.split(example)[len(name.split()) :]
    for part in name.split():
        command = command.commands[part]
    command.make_context(name, rest)  # refuses what is no call of it
    assert f"replicadb {example}\n" in cli(*name.split(), "--help").out


def test_options_of_the_two_methods_stand_apart(cli):
    text = cli("detect", "--help").out
    general, robust = text.split("\nMethod robust:")
    robust, paper = robust.split("\nMethods paper and thesis:")
    for option, where in (
        ("--candidates", general),
        ("--evidence", robust),
        ("--max-wrong", robust),
        ("--cut", paper),
        ("--alpha", paper),
    ):
        assert [part for part in (general, robust, paper) if f"\n  {option} " in part] == [where]


@pytest.mark.parametrize(
    ("arguments", "offered"),
    [
        ("detect web.duckdb --method ", {"robust", "paper", "thesis"}),
        ("export web.duckdb - --what ", {"hosts", "pairs", "groups"}),
        ("load web.duckdb a.csv --site ", {"host", "domain", "host+1"}),
        ("load web.duckdb a.csv --format c", {"cdx", "cdxj", "cc-index", "csv"}),
        ("fingerprint web.duckdb --page-method ", {"minhash", "mwo"}),
        ("synth x --profile d", {"demo"}),
    ],
)
def test_choices_complete(capfd, arguments, offered, monkeypatch):
    asked_to_complete(monkeypatch, arguments)
    with pytest.raises(SystemExit):  # click's way to end
        run([])
    assert offered <= set(capfd.readouterr().out.split())


def test_a_process_that_completes_ends_well(process, monkeypatch):
    asked_to_complete(monkeypatch, "detect web.duckdb --method ")
    answer = process()
    assert (answer.code, answer.err, answer.out.split()) == (0, "", ["robust", "paper", "thesis"])


def asked_to_complete(monkeypatch, arguments: str) -> None:
    monkeypatch.setenv("_REPLICADB_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"replicadb {arguments}")
    monkeypatch.setenv("COMP_CWORD", str(len(arguments.split(" "))))


def test_an_unknown_choice_names_those_there_are(cli):
    answer = cli("detect", "web.duckdb", "--method", "magic")
    assert answer == (
        2,
        "",
        (
            "replicadb: Invalid value for '--method': 'magic' is not one of 'robust', 'paper',"
            " 'thesis'; see replicadb detect --help\n"
        ),
    )
