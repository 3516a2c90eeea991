"""What a reader says about a broken file."""

from __future__ import annotations


class Damage(Exception):
    """The compressed file is broken; the message is the reason, and reading on gives what follows,
    if anything.
    """


def short(error: Exception) -> str:
    """An error's message on one short line."""
    return " ".join(str(error).split())[:80] or type(error).__name__
