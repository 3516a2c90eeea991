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

if TYPE_CHECKING:
    from replicadb.store.database import Database


def names_in(item: str, what: str) -> list[str]:
    """The names in a file, as given_hosts reads it.

    Args:
        item: ``@FILE``.
        what: what the names are for, for messages: an option or an argument.

    Raises:
        DataError: a file that cannot be read, or has no name in it.
    """
    from replicadb.readers.given_hosts import given_hosts

    names = given_hosts(Path(item[1:]), f"{what} {item}")
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


def hosts_here(db: Database, given: Iterable[str], quiet: bool) -> list[str]:
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
            found.append(_typed(item, "HOST"))
            continue
        names = names_in(item, "HOST")
        here = known_hosts(db, names)
        missing = [name for name in names if name not in here]
        if not here:
            raise DataError(f"HOST {item}: none of its hosts is in {db.path}")
        if missing:
            messages.say(f"note: {item}: not in this crawl: {and_more(missing)}", quiet)
        found += [here[name] for name in names if name in here]
    return list(dict.fromkeys(found))


def _typed(name: str, what: str) -> str:
    if not name.strip():
        raise UsageError(f"{what} is an empty name; give the name of a host, or @FILE")
    if name.strip() == "-":
        raise UsageError(f"{what} - is no host; @/dev/stdin reads hosts from standard input")
    return name
