"""Help: commands by what they are for, options by what they belong to, examples that are parsed.

Tries app and pages_command, too.
"""

from __future__ import annotations

import re
import shlex
from itertools import groupby
from pathlib import Path

import pytest
import typer

from replicadb.cli import help_text, run
from replicadb.cli.app import application
from replicadb.cli.reference_commands import commands

COMMAND = typer.main.get_command(application())
ALL_EXAMPLES = [(name, line) for name, lines in help_text.EXAMPLES.items() for line in lines]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *(p for where in ("docs", "docs/how-to") for p in sorted((ROOT / where).glob("*.md"))),
]


def parse(words: list[str]) -> None:
    """Refuse what is no call of the command, without calling it."""
    command, rest = COMMAND, words
    while isinstance(command, typer.core.TyperGroup):
        command, rest = command.commands[rest[0]], rest[1:]
    command.make_context(" ".join(words), rest)


def calls(text: str) -> list[list[str]]:
    """The words of each call of replicadb in the blocks of a page that are no printed session, and
    in its running text.
    """
    blocks = [code for kind, code in BLOCK.findall(text) if kind in ("", "sh")]
    running = " ".join(BLOCK.sub("", text).split())
    inline = re.findall(r"`(replicadb [a-z]+ [^`]+)`", running)  # more than a command's name
    found = []
    for part in [*blocks, *inline]:
        lines = re.sub(r"(^|\s)#\s.*$", "", part.replace("\\\n", " "), flags=re.M)
        words = shlex.shlex(lines, posix=True, punctuation_chars="();<>|&\n")
        words.whitespace, words.whitespace_split, words.commenters = " \t", True, ""
        for end, group in groupby(words, lambda word: not word.strip("();<>|&\n")):
            call = list(group)
            if not end and "replicadb" in call:
                found.append(call[call.index("replicadb") + 1 :])
    return found


def test_every_command_stands_in_one_panel_and_has_examples(cli):
    listed = [name for names in help_text.PANELS.values() for name in names]
    assert sorted(listed) == sorted(COMMAND.commands) == sorted(help_text.SHORT)
    assert set(help_text.EXAMPLES) == set(commands(application()))


@pytest.mark.parametrize("group", ["rewrite", "pages"])
def test_a_group_says_of_each_command_in_one_line_what_it_does(cli, monkeypatch, group):
    monkeypatch.setenv("COLUMNS", "80")
    _, listed = cli(group, "--help").out.split("Commands:\n")
    lines = listed.strip().splitlines()
    assert [line.split()[0] for line in lines] == list(COMMAND.commands[group].commands)
    assert not [line for line in lines if line.endswith("...")]


def test_help_is_one_screen(cli):
    text = cli("--help").out
    assert text.count("\n") <= 55 and max(map(len, text.splitlines())) <= 80
    places = [text.index(f"\n{panel}:\n") for panel in help_text.PANELS]
    assert places == sorted(places)


@pytest.mark.parametrize(("name", "example"), ALL_EXAMPLES)
def test_an_example_is_a_call_of_its_command(name, example, cli):
    assert example.split()[: len(name.split())] == name.split()
    parse(shlex.split(example))
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


@pytest.mark.slow
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_command_of_a_page_is_a_call(page):
    """Sessions, with what they print: test_sessions.py."""
    for words in calls(page.read_text("utf-8")):
        parse(words)


def test_help_is_a_command_too_and_says_arguments_by_their_names_alone(cli):
    assert cli("help").out == cli("--help").out
    said = cli("help", "load").out
    assert said == cli("load", "--help").out and "load [OPTIONS] DB SOURCE..." in said
    assert "\n  DB  " in said and "[HOST...]\n" in cli("watch", "--help").out
    assert cli("help", "frobnicate").code == 2
