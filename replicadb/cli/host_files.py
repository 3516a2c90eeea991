"""Hosts that a person names on the command line, one by one or as ``@FILE``.

Invariant: names are looked up together. Where copies are asked for, those of a file that the crawl
never met are named and left, for lists of one's own sites are longer than any crawl; a host that
somebody typed is not, and has to be there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from replicadb.cli import messages
from replicadb.counted import and_more
from replicadb.errors import DataError, UsageError
from replicadb.given_file import given_text
from replicadb.likely_meant import did_you_mean_file

if TYPE_CHECKING:
    from replicadb.store.database import Database

HEADERS = ("host", "hostname", "domain", "name", "site", "url")
"""Of the first column of a CSV."""


def names_in(item: str, what: str) -> list[str]:
    """The names in a file, one a line or the first column of a CSV; ``#`` begins a comment.

    Args:
        item: ``@FILE``.
        what: what the names are for, for messages: an option or an argument.

    Raises:
        DataError: a file that cannot be read, or has no name in it.
    """
    try:
        lines = given_text(Path(item[1:])).splitlines()
    except FileNotFoundError as error:
        meant = did_you_mean_file(item[1:])
        raise DataError(f"{what} {item}: no such file{meant}; check the path") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise DataError(f"{what} {item}: cannot be read: {reason}") from error
    cells = (line.partition("#")[0].split(",")[0].strip().strip('"') for line in lines)
    names = [cell for cell in cells if cell]
    if names and names[0].lower() in HEADERS:
        del names[0]
    if not names:
        raise DataError(f"{what} {item}: no host name in it")
    return names


def hosts_in(given: Iterable[str], what: str) -> list[str]:
    """The hosts as they were given, each once, with those of the file in the place of ``@FILE``.

    Raises:
        DataError: a file that cannot be read. UsageError: an empty name.
    """
    each = (
        names_in(item, what) if item.startswith("@") else [_typed(item, what)] for item in given
    )
    return list(dict.fromkeys(itertools.chain.from_iterable(each)))


def hosts_here(db: Database, given: Iterable[str], what: str, quiet: bool) -> list[str]:
    """The hosts as they were given, each once; in the place of ``@FILE`` those of the file that are
    in the crawl, as they are named there.

    Raises:
        DataError: a file that cannot be read, or none of whose hosts is there. UsageError: an empty
            name.
    """
    from replicadb.explanation.lookup import known_hosts

    found: list[str] = []
    for item in given:
        if not item.startswith("@"):
            found.append(_typed(item, what))
            continue
        names = names_in(item, what)
        here = known_hosts(db, names)
        missing = [name for name in names if name not in here]
        if not here:
            raise DataError(f"{what} {item}: none of its hosts is in {db.path}")
        if missing:
            messages.say(f"note: {item}: not in this crawl: {and_more(missing)}", quiet)
        found += [here[name] for name in names if name in here]
    return list(dict.fromkeys(found))


def _typed(name: str, what: str) -> str:
    if not name.strip():
        raise UsageError(f"{what} is an empty name; give the name of a host, or @FILE")
    return name
