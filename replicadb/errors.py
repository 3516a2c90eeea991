"""Every error that replicadb raises on purpose. The message is one line: the cause, then the next
step.

The exit code is the command line's contract: 1 the data or database is at fault, 2 usage, 3 refused
by a limit, 4 database locked by another process. (0 is done, 130 interrupted.)
"""

from __future__ import annotations

from numbers import Integral


class ReplicaDBError(Exception):
    """Base of all errors. ``str(error)`` is one line fit for a person."""

    exit_code = 1


class DataError(ReplicaDBError):
    """The input or the database is at fault: unreadable, of an unknown format, or not ready for
    this step.
    """


class UnreadableError(DataError):
    """A file that may be of a crawl, and is broken, or is one that we may not read."""


class NotADatabaseError(DataError):
    """A file that is no database stands where one belongs."""


class UsageError(ReplicaDBError):
    """The call is at fault: an option or argument that cannot be meant."""

    exit_code = 2


class LimitError(ReplicaDBError):
    """The work would go past a limit that the user can set."""

    exit_code = 3


class LockedError(ReplicaDBError):
    """Another process holds the database."""

    exit_code = 4


def need_count(name: str, n: object, least: int = 0) -> int:
    """A number of things, as Python's own int whatever it was given as, such as NumPy's.

    Args:
        name: what the caller knows it by.

    Raises:
        UsageError: it is no whole number, or too low.
    """
    if not isinstance(n, Integral) or isinstance(n, bool):
        raise UsageError(f"{name} is {n!r}; give a whole number of {least} or more")
    if n < least:
        raise UsageError(f"{name} is {n}; give {least} or more")
    return int(n)


def need_text(**given: object) -> None:
    """Raises UsageError where one of these is no text; None is none."""
    for name, value in given.items():
        if not (value is None or isinstance(value, str)):
            raise UsageError(f"{name} is text, not {value!r}")


def need_yes_or_no(**given: object) -> None:
    """Raises UsageError where one of these is neither True nor False."""
    for name, value in given.items():
        if not isinstance(value, bool):
            raise UsageError(f"{name} is True or False, not {value!r}")
