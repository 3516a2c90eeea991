"""What ``replicadb copies-of`` and ``watch`` print: a host's copies, by how sure one is of them.

Invariant: every line follows from what was found alone; what a crawl wrote is printed with control
characters made visible.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from replicadb.counted import counted
from replicadb.detection.notes import may_be_older
from replicadb.explanation.words import probability
from replicadb.visible_text import visible

TITLES = {
    "known": "known copies",
    "likely": "likely copies",
    "possible": "possible copies",
    "kit": "copies in a folder of another site",
    "home page": "the same home page, and not known to be copies",
    "unlikely": "not likely, but something is shared",
}
WHO = {"copy": "it copies yours", "original": "yours copies it"}
IF_A_COPY = {
    "copy": "if one is a copy, it is this one",
    "original": "if one is a copy, it is yours",
}
UNSURE = ("possible", "home page", "unlikely")
"""Standings of hosts of which it is open whether one of the two is a copy."""


def copies_text(found: dict[str, Any], top: int) -> str:
    """A section for each standing, ``top`` copies in each at most."""
    return _safe(_copies(found, top))


def watch_text(found: list[dict[str, Any]], look: bool = False) -> str:
    """What is new of each watched host; ``look``: nothing is remembered."""
    lines = (line for host in found for line in _watched(host, look))
    loads = {host["reference"]["load"] for host in found if host["reference"]}
    return _safe(itertools.chain(lines, map(partly_compared, sorted(loads))))


def _safe(lines: Iterable[str]) -> str:
    return "\n".join(visible(line) for line in lines)


def _copies(found: dict[str, Any], top: int) -> Iterator[str]:
    yield (
        f"{found['host']}: {counted(found['pages'], 'page')}, compared with"
        f" {counted(found['candidates'], 'host that shares', 'hosts that share')} something with"
        f" it; {len(found['copies']):,} listed here"
    )
    for standing, title in TITLES.items():
        copies = [copy for copy in found["copies"] if copy["standing"] == standing]
        if copies:
            yield ""
            yield f"{title} ({len(copies):,})"
        for copy in copies[:top]:
            yield from copy_lines(copy)
        if len(copies) > top:
            yield f"  and {len(copies) - top:,} more: --top, or -o copies.csv for all"
    if found["mass_copies"]:
        yield ""
        yield (
            f"not compared, but likely copies: {counted(found['mass_copies'], 'host')}; half of the"
            " pages of each, and of this one, stand on too many hosts to be compared;"
            ' "FROM details.mass_copies" has them'
        )
    elif not found["copies"]:
        yield "no copy of it is known"
    if found["reference"]:
        yield ""
        yield half_compared(**found["reference"])
    if found["earlier_unknown"]:
        yield ""
        yield may_be_older(**found["earlier_unknown"])
    if found["related"]:
        yield ""
        yield (
            f"of the same owner, by what their pages say, copies or not ({len(found['related']):,})"
        )
    for other in found["related"][:top]:
        yield f"  {other['host']}  {_identifiers(other['identifiers'])}"


def half_compared(load: str, of_it: bool) -> str:
    """What a detection with a reference cannot know of a host."""
    old = "hosts of that load"
    compared, rest = ("new hosts", old) if of_it else (old, "other new hosts")
    return (
        f"the last detection (--reference {load}) compared this host with {compared} alone: copies"
        f" among {rest} are not listed; detect without --reference compares all"
    )


def partly_compared(load: str) -> str:
    """What a detection with a reference cannot know of several hosts, old and new ones."""
    return (
        f"the last detection (--reference {load}) compared new hosts with hosts of that load alone:"
        " copies among hosts of that load, or among new hosts, are not listed; detect without"
        " --reference compares all"
    )


def copy_lines(copy: dict[str, Any], note: str = "") -> Iterator[str]:
    """A copy: its name and how sure, why, and who was first."""
    facts = [copy["kind"] or ""]
    if copy["probability"] is not None:
        whole = " of the whole hosts" if copy["standing"] == "kit" else ""
        facts.append(f"probability{whole} {probability(copy['probability'])}")
    if copy.get("left_out"):
        thin = copy["left_out"] == "thin"
        facts.append(
            "too few known pages to flag" if thin else "not flagged for its kind (detect --kinds)"
        )
    facts.append(counted(copy["pages"], "page"))
    yield f"  {copy['host']}  {', '.join(fact for fact in facts if fact)}{note}"
    if copy["why"]:
        yield f"      {copy['why']}"
    if copy.get("identifiers"):
        yield f"      same {_identifiers(copy['identifiers'])}"
    if copy["direction"] or (copy["grounds"] and copy["standing"] != "unlikely"):
        words = IF_A_COPY if copy["standing"] in UNSURE else WHO
        who = words.get(copy["direction"], "who was first is open")
        yield f"      {who}{': ' if copy['grounds'] else ''}{'; '.join(copy['grounds'])}"


def _identifiers(shared: list[dict[str, Any]]) -> str:
    """What both say of who runs them: ``mail a@b.example (on 3 hosts)``."""
    return ", ".join(
        f"{one['kind']} {one['value']} (on {counted(one['hosts'], 'host')})" for one in shared
    )


def _one(standing: str) -> str:
    """The title of one copy."""
    return TITLES[standing].replace("to be copies", "to be a copy").replace("copies", "copy")


def _watched(host: dict[str, Any], look: bool) -> Iterator[str]:
    new, changed, gone = host["new"], host["changed"], host["gone"]
    if host["before"] is None:
        since = "not watched (--look only looks)" if look else "watched from now on"
        yield f"{host['host']}: {since}; {counted(len(new), 'copy', 'copies')} so far"
    elif not host["here"]:
        yield (
            f"{host['host']}: not in the crawl any more; copies reported before:"
            f" {host['before']:,}; watch --stop forgets it"
        )
    elif not (new or changed or gone):
        yield f"{host['host']}: nothing new; copies reported before: {host['before']:,}"
    else:
        yield f"{host['host']}: {len(new):,} new, {len(changed):,} changed, {len(gone):,} gone"
    for copy in new:
        yield from copy_lines(copy, f" ({_one(copy['standing'])})")
    for copy in changed:
        yield from copy_lines(copy, f" (was {copy['was']}, is {copy['standing']})")
    if host["not_compared"]:
        yield (
            f"  {counted(len(host['not_compared']), 'copy', 'copies')} of those reported before:"
            " not compared by this detection (--reference)"
        )
    for name in gone:
        unloaded = name in host["unloaded"]
        why = (
            "is not in the crawl any more" if unloaded else "is no copy any more, by this detection"
        )
        yield f"  {name}  {why}"
