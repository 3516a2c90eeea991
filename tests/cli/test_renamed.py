"""Old spellings of options are understood, with a note, and each word means one thing."""

from __future__ import annotations

import pytest
import typer

from replicadb.cli.app import application
from replicadb.cli.renamed import modern
from replicadb.settings import CHOICES


@pytest.mark.parametrize(
    ("command", "given", "meant", "said"),
    [
        (
            "detect",
            "w --threshold 0.4",
            "w --alpha 0.4",
            ["--threshold of detect is called --alpha"],
        ),
        (
            "detect",
            "w --threshold=0.4",
            "w --alpha=0.4",
            ["--threshold of detect is called --alpha"],
        ),
        ("detect", "w --evidence paths", "w --evidence five", ["--evidence paths is called"]),
        ("detect", "w --evidence=content", "w --evidence=all", ["--evidence content is called"]),
        ("detect", "paths --candidates path", "paths --candidates path", []),
        ("fingerprint", "w --method mwo", "w --page-method mwo", ["--method of fingerprint"]),
        ("similar", "w u --method=mwo", "w u --page-method=mwo", ["--method of similar is called"]),
        ("similar", "w -- --method", "w -- --method", []),
        ("export", "w --method x", "w --method x", []),
    ],
)
def test_an_old_spelling_is_todays_with_a_note(command, given, meant, said):
    notes: list[str] = []
    assert modern(command, given.split(), notes.append) == meant.split()
    assert len(notes) == len(said)
    assert all(start in note for start, note in zip(said, notes, strict=True))


def test_the_commands_understand_them(crawled, cli):
    answer = cli("similar", crawled, "http://example.com/", "--method", "exact")
    assert "note: --method of similar is called --page-method now\n" in answer.err
    assert answer.code == 1 and answer.err.count("\n") == 2
    quiet = cli("fingerprint", crawled, "--method", "exact", "--quiet")
    assert quiet.code == 1 and "note" not in quiet.err
    answer = cli("detect", crawled, "--method", "paper", "--evidence", "paths")
    assert answer.code == 2
    assert answer.err.startswith("note: --evidence paths is called --evidence five now\n")
    assert "--evidence belongs to method robust" in answer.err


def test_an_option_means_one_thing_in_every_command():
    found: dict[str, set[str]] = {}
    for name, command in typer.main.get_command(application()).commands.items():
        for parameter in command.params:
            for option in parameter.opts:
                found.setdefault(option, set()).add(name)
    assert found["--method"] == {"detect"}
    assert found["--page-method"] == found["--threshold"] == {"fingerprint", "similar"}
    assert not set(CHOICES["evidence"]) & set(CHOICES["candidates"])
