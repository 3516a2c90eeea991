"""Families as lists that other tools take: one rule for all hosts of a pattern, and its exceptions.

Invariant: a list reaches no host that is known and no copy; a name that is more than letters,
digits, hyphens and dots is in none, as it could be a pattern of its own. HTTrack folds ``www``, and
``www`` with a number, by itself: it gets no family in which such names go to several hosts. Nutch
keeps the port of a URL: copies that have none in common with the kept host are exceptions.

Sources: Nutch, HostURLNormalizer (exact names first, then ``*.name``); HTTrack, pull request 1156
(``--host-alias``: globs, the last rule that matches wins); uBlock Origin, wiki, Static filter
syntax (``||name^`` is the name and all below it; ``@@`` an exception).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pyarrow as pa

from replicadb.errors import UsageError
from replicadb.host_names.name_families import Family
from replicadb.likely_meant import did_you_mean

NAMES = ("nutch-host", "httrack", "ublock")
PLAIN = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
TITLE = "Families of copies found by replicadb"


def need_list(name: str) -> None:
    """Raises UsageError where no list is called that."""
    if name not in NAMES:
        raise UsageError(
            f"no list is called {name!r}{did_you_mean(name, NAMES)}; choose one of:"
            f" {', '.join(NAMES)}"
        )


def lines(families: Iterable[Family], name: str) -> pa.Table:
    """A list, a line a row; what its form cannot say is left out (:func:`why_not`).

    Args:
        name: of NAMES.

    Raises:
        UsageError: there is no such list.
    """
    need_list(name)
    head = {"nutch-host": f"# {TITLE}", "ublock": f"! Title: {TITLE}"}.get(name)
    form = {"nutch-host": _nutch, "httrack": _httrack, "ublock": _ublock}[name]
    found = [head] if head else []
    for family in families:
        if why_not(family, name) is None:
            found += form(family)
    return pa.table({"line": pa.array(found, pa.string())})


def why_not(family: Family, name: str) -> str | None:
    """Why a list has none of a family; None where it has it: all its names are plain ones, none is
    taken for another there, and none is sent to a port at which the kept host is not known.
    """
    names = (family.pattern[2:], family.keep, *family.exceptions, *family.ports_apart)
    plain = all(PLAIN.fullmatch(name) for name in names)
    if not plain or (name == "httrack" and family.www_apart):
        return "names that the tool would take for others"
    apart = [host for host in family.ports_apart if host != family.pattern[2:]]
    if {"nutch-host": len(apart) == family.copies, "httrack": family.other_port}.get(name):
        return "the kept host answers at another port, which the list does not say"
    return None


def _nutch(family: Family) -> Iterator[str]:
    bare, apart = family.pattern[2:], set(family.ports_apart)
    yield f"# {_evidence(family)}"
    yield f"{family.pattern} {family.keep}"
    if family.bare_is_copy and bare not in apart:
        yield f"{bare} {family.keep}"
    yield from (f"{name} {name}" for name in sorted({*family.exceptions, *apart - {bare}}))


def _httrack(family: Family) -> Iterator[str]:
    yield f'--host-alias "{family.pattern}={family.keep}"'
    if family.bare_is_copy:
        yield f'--host-alias "{family.pattern[2:]}={family.keep}"'
    yield from (f'--host-alias "{name}={name}"' for name in family.exceptions)


def _ublock(family: Family) -> Iterator[str]:
    yield f"! {_evidence(family)}"
    yield f"||{family.pattern[2:]}^$document"
    stays = [] if family.bare_is_copy else [family.pattern[2:]]
    for name in [*stays, *family.exceptions]:
        yield from (f"@@|{scheme}://{name}^$document" for scheme in ("http", "https"))


def _evidence(family: Family) -> str:
    """What speaks for a rule, as one line."""
    row = family.row()
    copies = f"{family.copies} of {family.hosts} known hosts copy {family.keep}"
    if not family.held_out:
        return f"{copies}; untested: without one of them too few are left to find it"
    return (
        f"{copies}; {family.wrong} of {family.held_out} held out do not, at most"
        f" {row['error_at_most']:.3f} of others (95 %)"
    )
