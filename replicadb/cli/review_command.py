"""``replicadb review``: a person decides on one pair after the other, by keyboard, on a page or in
the terminal.
"""

from __future__ import annotations

import shutil
import signal
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

import replicadb
from replicadb.cli import messages, stopped_by
from replicadb.cli.options import DB, Memory, Threads
from replicadb.counted import counted
from replicadb.errors import DataError, UsageError

if TYPE_CHECKING:
    from replicadb.review import Review

Pages = Annotated[
    int, typer.Option("--pages", min=0, help="Pages side by side: so many equal, so many not.")
]
Port = Annotated[
    int,
    typer.Option(
        "--port", min=0, max=65535, help="The page's port on 127.0.0.1; 0 for any that is free."
    ),
]
END = "\x04"
"""Ctrl-D, as a terminal sends it that gives one key at a time."""
Terminal = Annotated[bool, typer.Option("--terminal", help="In this terminal, without a page.")]


def review(
    db: DB,
    pages: Pages = 3,
    port: Port = 0,
    terminal: Terminal = False,
    memory_limit: Memory = None,
    threads: Threads = None,
) -> None:
    """Look at undecided pairs that are in doubt and decide: y replica, n no replica, s skip,
    u undo, q quit.

    On a page of your browser, served to this machine alone at an address that nobody guesses, or
    with --terminal in the shell. Each decision is kept at once and binds the next detection. While
    a review is open nobody else can open the database.
    """
    messages.must_exist(db)
    if not terminal:
        _need_server()
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, False)
        walk, stopped = web.review(), None
        try:
            if terminal:
                _in_terminal(walk, pages)
            else:
                _on_page(walk, pages, port)
        except KeyboardInterrupt as stop:
            stopped = stop
        messages.say(f"decided {counted(walk.decided, 'pair')}")
        if walk.decided:
            messages.warn_stale(web, False)
        if stopped:
            raise stopped


def _need_server() -> None:
    """Raises:
    UsageError: the page's server is not installed.
    """
    if not (find_spec("starlette") and find_spec("uvicorn")):
        raise UsageError(
            "the page needs a server that is not installed: pip install 'replicadb[review]';"
            " or look in the terminal: --terminal"
        )


def _on_page(walk: Review, pages: int, port: int) -> None:
    """Serve the page until it is ended there, or by Ctrl-C, which loses nothing.

    Raises:
        KeyboardInterrupt: another signal ends it.
    """
    from replicadb.review_page import serve

    try:
        serve(walk, pages, port, _tell_address)
    except KeyboardInterrupt:
        if stopped_by() != signal.SIGINT:
            raise


def _tell_address(address: str) -> None:
    messages.say(f"open in a browser on this machine: {address}")
    messages.say("q there or Ctrl-C here ends it; every decision is kept at once")


def _in_terminal(walk: Review, pages: int) -> None:
    while True:
        while walk.current():
            if not _step(walk, pages):
                return
        messages.say("no undecided pair is left to look at; u takes the last step back, q ends")
        if _key() != "u" or not (back := walk.undo()):
            return
        messages.say(f"taken back: {' and '.join(back)}")


def _step(walk: Review, pages: int) -> bool:
    """Show a pair and do as the next key says; whether to go on."""
    import duckdb

    from replicadb.cli.review_text import KEYS, text_of

    width = shutil.get_terminal_size().columns
    messages.show("\n" + text_of(walk.evidence(pages), width))
    while True:
        messages.say(KEYS)
        key = _key()
        if key in ("q", ""):
            return False
        try:
            if key in ("y", "n"):
                for line in walk.decide(key == "y"):
                    messages.say(f"note: {line}")
                return True
            if key == "s":
                walk.skip()
                return True
            if key == "u":
                back = walk.undo()
                messages.say(f"taken back: {' and '.join(back)}" if back else "nothing to undo")
                return True
        except (duckdb.Error, DataError) as error:
            messages.say(f"not saved, the pair is as it was: {str(error).splitlines()[0]}")


def _key() -> str:
    """The next key in lower case; of a pipe the first character of a line. '' at its end, which
    Ctrl-D is in a terminal.
    """
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return (line.strip()[:1] or " ").lower() if line else ""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        key = sys.stdin.read(1).lower()
        return "" if key == END else key
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
