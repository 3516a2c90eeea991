"""All copies of hosts, for who looks for clones of a site: known, likely and possible ones, kits in
a folder of another site, and who was first.

Invariant: every number is of the last detection or of what is loaded; a host is called the original
on grounds that are named with it, or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from replicadb.counted import counted
from replicadb.detection.stage import last_settings, stale
from replicadb.explanation.lookup import Row, known_names, of_reference, rows_of
from replicadb.near_duplicates.loaded_contents import stage_near_contents
from replicadb.stage_constants import COPIES
from replicadb.store.database import Database
from replicadb.store.run_log import need_detection
from replicadb.store.statements import statements

SQL = "explain/20_copies"
ASKED = ("asked_hosts", "paired_hosts")
"""Temporary tables of it, in their order."""
COMPARED = ("page_contents_compared", "own_paths", "own_contents", "its_contents", "same_paths")
"""The same of what is made from their pages."""
ASKED_HOSTS = "SELECT own_id AS host_id FROM asked_hosts UNION SELECT it_id FROM paired_hosts"
STANDINGS = ("known", "likely", "possible", "kit", "home page", "unlikely")
"""The surest first; home page: no likely copy, but the two show the same home page."""


class Direction(NamedTuple):
    """Who copies whom."""

    who: str | None
    """copy: the other is one of the host; original: the other way round. None = not known."""
    grounds: list[str]


def copies_of(db: Database, hosts: Iterable[str], unlikely: bool = False) -> Iterator[Row]:
    """The copies of hosts, host by host as they are asked about, of each the likeliest first.

    Args:
        hosts: in any spelling. unlikely: all that share anything with them, too.

    Returns:
        Of each host ``host``, ``pages``, ``first_seen``, ``linked_from`` (hosts), ``stale``,
            ``earlier_unknown`` (files of an older replicadb with captures of it or of its copies,
            of which earlier ones are not known, so that ``first_seen`` may be too late: how many,
            ``files``, and an ``example``; else None), ``reference`` (of a detection with one:
            ``load``, and whether the host is ``of_it``; it was compared with the others alone; else
            None), ``mass_copies`` (hosts that are likely copies by pages that stand on too many
            hosts, were not compared with it, and not decided about), ``candidates`` (hosts it was
            compared with) and ``copies``: of each ``host``, ``standing`` (of STANDINGS),
            ``probability``, ``kind``, ``left_out`` (the kind for which it is not flagged or None),
            ``same_domain`` (as the host's, the registered one), ``pinned`` (by --keep), ``rank``,
            ``pages``, ``own_pages`` (of the host asked about, that stand there), ``its_pages``,
            ``at_same_paths``, ``folder`` with ``in_folder``, ``folder_alone`` (the copy stands in a
            folder of a site that has mostly other pages), ``direction`` (copy, original or None),
            ``grounds``, ``why``, ``identifiers`` (what both say of who runs them: kind, value,
            hosts that have it).
            ``related``: hosts that share such a one and are not among them.

    Raises:
        DataError: an unknown host, with the nearest names, or no detection yet.

    Complexity: hosts are taken together, COPIES.most_hosts or as many as have
        COPIES.most_candidates candidate pairs; that many are in memory. Their pairs alone are
        looked up for COPIES.most_found of them at once, in one reading of all pairs.
    """
    need_detection(db)
    names = known_names(db, hosts)
    others = dict(db.rows(statements(SQL)["mass_copies"], {"hosts": names}))
    return (
        row
        for batch in _batches(db, names)
        for part, pairs in _with_pairs(db, batch)
        for row in _found(db, part, pairs, unlikely, others)
    )


def _batches(db: Database, names: list[str]) -> list[list[list[str]]]:
    """These hosts in parts of so many hosts and candidate pairs at most, or of one host; and the
    parts in batches of so many pairs.
    """
    if len(names) < 2:
        return [[names]]
    with db.temporary():
        db.run(SQL, {"hosts": names}, only="asked_hosts")
        candidates = dict(db.rows(statements(SQL)["counts"]))
    pairs = np.cumsum([candidates[name] for name in names])
    hosts = np.arange(len(names)) // COPIES.most_hosts
    ends = np.flatnonzero(np.diff(pairs // COPIES.most_candidates) | np.diff(hosts)) + 1
    batches: dict[int, list[list[str]]] = defaultdict(list)
    for first, part in zip([0, *ends], np.split(np.array(names), ends), strict=True):
        batches[int(pairs[first]) // COPIES.most_found].append(part.tolist())
    return list(batches.values())


def _with_pairs(db: Database, batch: list[list[str]]) -> Iterator[tuple[list[str], pa.Table]]:
    """Each part of a batch, with the candidate pairs of all of it."""
    names = [name for part in batch for name in part]
    pairs = db.arrow(statements(SQL)["pairs"], {"hosts": names})
    return ((part, pairs) for part in batch)


def _found(
    db: Database, names: list[str], pairs: pa.Table, unlikely: bool, others: dict[str, int]
) -> list[Row]:
    """What :func:`copies_of` gives of these hosts; of some, how many others were not compared."""
    sql = statements(SQL)
    given = {"hosts": names, "most_urls": COPIES.most_urls}
    db.run_once("functions/75_newest_said")
    with db.temporary(), db.registered("found_pairs", pairs):
        for name in ASKED:
            db.run(SQL, given, only=name)
        stage_near_contents(db, ASKED_HOSTS)
        for name in COMPARED:
            db.run(SQL, given, only=name)
        rows = _by_own(rows_of(db, sql["copies"], given))
        shown = {"rare": COPIES.rare_hosts, "most": COPIES.most_related}
        alike = _by_own(rows_of(db, statements("explain/40_identifiers")["of_hosts"], shown))
        seen = {row.pop("host"): row for row in rows_of(db, sql["seen"], given)}
        asked = _by_own(rows_of(db, sql["asked"], given))
        db.run_once("functions/70_earlier_captures")
        unknown = _by_own(rows_of(db, sql["earlier_unknown"], given))
    is_stale, reference = stale(db), last_settings(db).reference
    old = of_reference(db, reference, names) if reference is not None else set()
    found = {}
    for own_id, (own,) in asked.items():
        said: Row = {"stale": is_stale, "earlier_unknown": dict(*unknown[own_id]) or None}
        said["mass_copies"] = others.get(own["host"], 0)
        if reference is not None:
            said["reference"] = {"load": reference, "of_it": own["host"] in old}
        own = {**own, **seen[own["host"]], "reference": None, **said}
        found[own["host"]] = _of_host(own, rows[own_id], alike[own_id], seen, unlikely)
    return [found[name] for name in names]


def _by_own(rows: list[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.pop("own_id")].append(row)
    return found


def _of_host(
    own: Row, rows: list[Row], alike: list[Row], seen: dict[str, Row], unlikely: bool
) -> Row:
    """What is found of one host: ``own``, and its copies."""
    same = {row["host"]: row["identifiers"] for row in alike}
    found = [_reported(row, own, seen[row["host"]], same.get(row["host"], [])) for row in rows]
    if not unlikely:
        found = [row for row in found if row["standing"] != "unlikely"]
    named = {copy["host"] for copy in found}
    return {
        **own,
        "candidates": len(rows),
        "copies": sorted(found, key=lambda row: (STANDINGS.index(row["standing"]), row["rank"])),
        "related": [row for row in alike if row["host"] not in named][: COPIES.most_related],
    }


def _reported(row: Row, own: Row, its: Row, same: list[Row]) -> Row:
    """One other host as it is reported."""
    pages = own["pages"]
    kit = row["in_folder"] >= max(COPIES.kit_pages, COPIES.kit_share * pages)
    standing = _standing(row, kit)
    direction = _direction(row, own, its, standing != "unlikely")
    return {
        "host": row["host"],
        "standing": standing,
        "probability": row["probability"],
        "kind": row["kind"],
        "left_out": row["left_out"],
        "same_domain": row["same_domain"],
        "pinned": row["pinned"],
        "rank": row["rank"],
        "pages": row["pages"],
        "own_pages": row["own_pages"],
        "its_pages": row["its_pages"],
        "at_same_paths": row["at_same_paths"],
        "folder": row["folder"] if kit else None,
        "in_folder": row["in_folder"] if kit else 0,
        "folder_alone": _folder_alone(row),
        **its,
        "direction": direction.who,
        "grounds": direction.grounds,
        "identifiers": same,
        "why": _why(row, pages, kit),
    }


def _standing(row: Row, kit: bool) -> str:
    probability = row["probability"] or 0
    if row["flagged"]:
        return "known"
    if probability >= COPIES.possible:
        return "likely" if probability >= COPIES.likely else "possible"
    if kit:
        return "kit"
    return "home page" if row["same_home"] else "unlikely"


def _folder_alone(row: Row) -> bool:
    """Whether the copy stands in a folder of a site that is something else: under half of its pages
    are copies, and few of them stand at the same paths.
    """
    n = row["in_folder"]
    return bool(
        n >= COPIES.kit_pages
        and 2 * n > row["own_pages"]
        and 2 * row["its_pages"] < row["pages"]
        and 2 * row["at_same_paths"] < n
    )


def _why(row: Row, pages: int, kit: bool) -> str:
    """What a person would say first of the evidence."""
    said = (
        [f"{row['own_pages']:,} of {counted(pages, 'page')} of yours"] if row["own_pages"] else []
    )
    if kit:
        said.append(f"{row['in_folder']:,} of them in its folder {row['folder']}")
    elif row["same_home"] and row["own_pages"] == 1:
        said.append("the home page")
    elif row["own_pages"] and row["at_same_paths"] >= 0.8 * row["own_pages"]:
        said.append("at the same paths")
    elif row["same_home"]:
        said.append("the home page among them")
    elif not row["own_pages"] and row["shared"]:
        said.append(f"{counted(row['shared'], 'content')} of files in common")
    elif not row["own_pages"] and row["path_overlap"]:
        said.append("the same paths")
    grounds = (
        (row["obvious"], "names alike but for www or suffix"),
        (row["ip4"], "same address"),
        (row["names_own"] or row["own_names"], "redirects or canonical links"),
        ((row["title_overlap"] or 0) >= 0.5, "same titles"),
    )
    said += [text for holds, text in grounds if holds]
    return ", ".join(said or (["as was decided"] if row["decided"] else []))


def _direction(row: Row, own: Row, its: Row, copied: bool) -> Direction:
    """Who copies whom: by what the two say of each other, links first, then mail addresses at the
    other's domain; else by time and links, where they agree.

    Time and links are of this crawl: named as grounds, and decide together alone, where either may
    have copied the other at all (``copied``).
    """
    grounds = []
    if row["names_own"]:
        grounds.append(f"{row['names_own']:,} of its canonical links and redirects lead to yours")
    if row["own_names"]:
        grounds.append(f"{row['own_names']:,} of your canonical links and redirects lead to it")
    if row["its_mail_is_own"]:
        grounds.append("its pages give mail addresses at your domain")
    if row["own_mail_is_its"]:
        grounds.append("your pages give mail addresses at its domain")
    earlier = later = False
    if own["first_seen"] and its["first_seen"] and own["first_seen"] != its["first_seen"]:
        earlier = own["first_seen"] < its["first_seen"]
        later = not earlier
        grounds.append(f"first captured {its['first_seen']}, yours {own['first_seen']}")
    fewer, more = sorted((own["pages"], row["pages"]))
    if 0 < more >= 2 * fewer:
        grounds.append(f"{counted(row['pages'], 'page')} known of it, {own['pages']:,} of yours")
    if own["linked_from"] != its["linked_from"]:
        link = "links" if its["linked_from"] == 1 else "link"
        grounds.append(
            f"{counted(its['linked_from'], 'host')} {link} to it, {own['linked_from']:,} to yours"
        )
    for theirs, ours in (("names_own", "own_names"), ("its_mail_is_own", "own_mail_is_its")):
        if bool(row[theirs]) != bool(row[ours]):
            return Direction("copy" if row[theirs] else "original", grounds)
    if not copied:
        return Direction(None, grounds)
    if earlier and own["linked_from"] > its["linked_from"]:
        return Direction("copy", grounds)
    if later and own["linked_from"] < its["linked_from"]:
        return Direction("original", grounds)
    return Direction(None, grounds)
