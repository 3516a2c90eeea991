"""``replicadb review``: a person decides on one pair after the other, by keyboard."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

import replicadb
from replicadb.cli import messages
from replicadb.cli.options import DB, Memory, Threads
from replicadb.errors import DataError

if TYPE_CHECKING:
    from replicadb.review import Review

Pages = Annotated[
    int, typer.Option("--pages", min=0, help="Pages side by side: so many equal, so many not.")
]


def review(
    db: DB,
    pages: Pages = 3,
    memory_limit: Memory = None,
    threads: Threads = None,
) -> None:
    """Look at the most informative undecided pairs and decide: y replica, n no replica, s skip,
    u undo, q quit.

    Each decision is kept at once and binds the next detection. While a review is open nobody else
    can open the database.
    """
    messages.must_exist(db)
    with replicadb.open(db, memory_limit=memory_limit, threads=threads) as web:
        messages.warn_stale(web, False)
        walk = web.review()
        while walk.current():
            if not _step(walk, pages):
                break
        else:
            messages.say("no undecided pair is left to look at")
        n = walk.decided
        messages.say(f"decided {n:,} pair{'' if n == 1 else 's'}")
        if n:
            messages.warn_stale(web, False)


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
    """The next key in lower case; of a pipe the first character of a line. '' at its end."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return (line.strip()[:1] or " ").lower() if line else ""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        return sys.stdin.read(1).lower()
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
