"""The printed sessions of the tutorial and the how-to pages are what the commands print, but for
times and sizes. ``python tests/test_sessions.py`` prints them anew.

A page is one session in an empty folder: each ``$`` begins a command, ``>`` goes on with it, the
rest is what it says on both streams.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from forked_command import replicadb_in

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / "tutorial.md", *sorted((DOCS / "how-to").glob("*.md"))]
BLOCK = re.compile(r"(?<=```console\n).*?(?=\n```)", re.S)
VARIES = re.compile(r"\bin [\d.]+ s\b|[\d.]+ [kMG]B\b")
QUIET = re.compile(r"(replicadb (?:load|detect) .*) --quiet")
"""What says nothing: test_load_command.py and test_settings_file.py try that."""
MARK = "--- next command ---"


def commands(block: str) -> list[list[str]]:
    """The lines of each command of a block, as they are printed, without what it says."""
    found: list[list[str]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line])
        elif line.startswith("> ") and found:
            found[-1].append(line)
    return found


def blocks_of(page: Path) -> list[list[list[str]]]:
    return [commands(block) for block in BLOCK.findall(page.read_text("utf-8"))]


def script_of(page: Path) -> list[str]:
    """What a page gives to the shell, command by command."""
    return ["\n".join(line[2:] for line in c) for block in blocks_of(page) for c in block]


def told_by(script: list[str], folder: Path, scripts: Path) -> list[str]:
    """What each command says in this folder, on both streams; ``replicadb`` lies in another."""
    ran = subprocess.run(
        ["bash"],
        input="".join(f"{command}\necho '{MARK}'\n" for command in script),
        cwd=folder,
        env=os.environ | {"PATH": f"{scripts}:{Path(sys.executable).parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return ran.stdout.split(f"{MARK}\n")[: len(script)]


def begin(script: list[str], folder: Path, begun: Path, scripts: Path) -> list[str]:
    """Put into the folder what the first commands make that another page begins with, too, and say
    what they said: they run once for all pages, in folders of ``begun``. So do those that one page
    gives with ``--quiet`` and another without.
    """
    script, quiet = aloud(script), [QUIET.fullmatch(command) for command in script]
    others = [aloud(script_of(page)) for page in PAGES]
    many = len(script)
    while many and sum(other[:many] == script[:many] for other in others) < 2:
        many -= 1
    if not many:
        return []
    first = script[:many]
    made = begun / hashlib.sha256("\n".join(first).encode()).hexdigest()
    said = made.with_suffix(".json")
    if not said.exists():
        made.mkdir()
        before = begin(first[:-1], made, begun, scripts)
        rest = told_by(first[len(before) :], made, scripts)
        said.write_text(json.dumps(before + rest))
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return ["" if q else text for q, text in zip(quiet, json.loads(said.read_text()), strict=False)]


def aloud(script: list[str]) -> list[str]:
    """The same without ``--quiet``, where it leaves nothing to be said."""
    return [QUIET.sub(r"\1", command) for command in script]


def printed(page: Path, folder: Path, scripts: Path) -> list[str]:
    """The blocks of a page as its commands print them in this folder; ``replicadb`` lies in
    another.
    """
    blocks, script = blocks_of(page), script_of(page)
    before = begin(script, folder, scripts, scripts)
    answers = iter(before + told_by(script[len(before) :], folder, scripts))
    return [
        "\n".join(
            "\n".join([*command, *(line.rstrip() for line in next(answers).splitlines())])
            for command in block
        )
        for block in blocks
    ]


def fixed(block: str) -> str:
    """A block without what varies."""
    return VARIES.sub("#", "\n".join(line.rstrip() for line in block.splitlines()))


@pytest.fixture(scope="module")
def scripts(tmp_path_factory) -> Iterator[Path]:
    with replicadb_in(folder := tmp_path_factory.mktemp("bin")):
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_printed_session_is_what_its_commands_print(page, tmp_path, scripts):
    shown = BLOCK.findall(page.read_text("utf-8"))
    for block, now in zip(shown, printed(page, tmp_path, scripts), strict=True):
        assert fixed(block) == fixed(now), "run: python tests/test_sessions.py"


def print_anew(page: Path, scripts: Path) -> None:
    """Put into the page what its commands print; what only varies stays as it is."""
    text = page.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        now = iter(printed(page, Path(folder), scripts))
    page.write_text(
        BLOCK.sub(lambda old: old[0] if fixed(old[0]) == fixed(new := next(now)) else new, text),
        "utf-8",
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made, replicadb_in(Path(made)):
        for page in PAGES:
            print_anew(page, Path(made))
