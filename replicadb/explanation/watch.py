"""What is new about watched hosts: their copies now against those that were reported last.

Invariant: what is reported once is not reported again, unless it changes; what was reported is kept
in the table ``meta``, a row a host, so it survives loads and detections.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from replicadb.counted import and_more
from replicadb.errors import DataError, UsageError
from replicadb.explanation.copies import copies_of
from replicadb.explanation.lookup import known_hosts, known_names, of_reference
from replicadb.store.database import Database
from replicadb.web.urls import given_host, spellings

KEY = "watched."
"""Before the host's name in meta."""
Reported = dict[str, str]
"""Standing and kind by host, as ``known replica``."""


def _earlier(db: Database) -> dict[str, Reported]:
    """What was reported of each host that is watched, in order of their names."""
    rows = db.rows("SELECT key, value FROM meta WHERE starts_with(key, ?) ORDER BY key", [KEY])
    return {key.removeprefix(KEY): json.loads(value) for key, value in rows}


def watch(
    db: Database,
    hosts: Sequence[str] = (),
    remember: bool = True,
    report: Callable[[list[dict[str, Any]]], None] = lambda found: None,
) -> list[dict[str, Any]]:
    """What is new about hosts since they were last reported.

    Args:
        hosts: in any spelling; none = all that are watched.
        remember: what is reported is not reported again.
        report: takes what is returned to where somebody sees it. Where it fails, nothing counts as
            reported.

    Returns:
        For each host ``host``, ``before`` (copies reported earlier; None = it was not watched yet),
            ``new`` and ``changed`` (copies as :func:`copies_of` has them, changed ones with what
            each ``was``), ``gone`` (hosts that are copies no more), ``unloaded`` (those of ``gone``
            that are not in the crawl any more), ``not_compared`` (copies reported earlier that
            ``detect --reference`` did not compare with it: nothing is known to have changed, and
            they stay reported), ``reference`` (as :func:`copies_of` has it: with which hosts that
            detection compared it at all, None = with all), and ``here``: False of a watched host
            that was unloaded; of it nothing is new, and what was reported stays.

    Raises:
        DataError: an unknown host, with the nearest names, or no detection yet. UsageError: no host
            given, and none watched.
    """
    earlier = _earlier(db)
    names = known_names(db, hosts) if hosts else list(earlier)
    if not names:
        raise UsageError("no host is watched yet; name one: watch DB HOST")
    here = set(names if hosts else known_hosts(db, names))
    found, reported = [_not_here(name, earlier[name]) for name in names if name not in here], {}
    for each in copies_of(db, [name for name in names if name in here]):
        found.append(news := _news(db, each, earlier.get(each["host"])))
        apart = {copy: earlier[each["host"]][copy] for copy in news["not_compared"]}
        reported[each["host"]] = {
            copy["host"]: _as_reported(copy) for copy in each["copies"]
        } | apart
    report(found)
    if remember:
        _keep(db, reported)
    return found


def stop_watching(db: Database, hosts: Sequence[str]) -> list[str]:
    """Watch these hosts no more, whether they are still in the crawl or not; what was reported of
    them is forgotten.

    Args:
        hosts: in any spelling.

    Returns:
        Their names.

    Raises:
        UsageError: no host given. DataError: one that is not watched, with those that are; then all
            stay.
    """
    if not hosts:
        raise UsageError("name the hosts to watch no more: watch DB HOST --stop")
    hosts = [given_host(host) for host in hosts]
    earlier, here = _earlier(db), known_hosts(db, hosts)
    found = {
        host: next((n for n in (here.get(host), *spellings(host)) if n in earlier), None)
        for host in hosts
    }
    if unknown := [host for host, name in found.items() if name is None]:
        those = f"watched are {and_more(list(earlier))}" if earlier else "no host is"
        raise DataError(f"{db.path}: not watched: {and_more(unknown)}; {those}")
    known = list(dict.fromkeys(name for name in found.values() if name))
    db.execute(
        "DELETE FROM meta WHERE list_contains($keys::VARCHAR[], key)",
        {"keys": [KEY + name for name in known]},
    )
    return known


def _news(db: Database, each: dict[str, Any], reported: Reported | None) -> dict[str, Any]:
    """What is new about one host: ``each`` is what is found of it now."""
    copies, before = each["copies"], reported or {}
    now = {copy["host"]: _as_reported(copy) for copy in copies}
    missing = sorted(before.keys() - now)
    loaded = known_hosts(db, missing)
    apart = _not_compared(db, each, loaded)
    gone = [copy for copy in missing if copy not in apart]
    return {
        "host": each["host"],
        "before": None if reported is None else len(reported),
        "new": [copy for copy in copies if copy["host"] not in before],
        "changed": [
            {**copy, "was": before[copy["host"]]}
            for copy in copies
            if before.get(copy["host"], now[copy["host"]]) != now[copy["host"]]
        ],
        "gone": gone,
        "unloaded": [copy for copy in gone if copy not in loaded],
        "not_compared": apart,
        "reference": each["reference"],
        "here": True,
    }


def _not_compared(db: Database, own: dict[str, Any], others: Iterable[str]) -> list[str]:
    """Those of other hosts that the last detection did not compare with a host, since it had a
    reference.
    """
    if own["reference"] is None:
        return []
    old = of_reference(db, own["reference"]["load"], others)
    return sorted(host for host in others if (host in old) == own["reference"]["of_it"])


def _not_here(name: str, before: Reported) -> dict[str, Any]:
    return {
        "host": name,
        "before": len(before),
        "new": [],
        "changed": [],
        "gone": [],
        "unloaded": [],
        "not_compared": [],
        "reference": None,
        "here": False,
    }


def _as_reported(copy: dict[str, Any]) -> str:
    return " ".join(part for part in (copy["standing"], copy["kind"]) if part)


def _keep(db: Database, reported: dict[str, Reported]) -> None:
    rows = pa.table(
        {
            "key": pa.array([KEY + name for name in reported], pa.string()),
            "value": pa.array([json.dumps(copies) for copies in reported.values()], pa.string()),
        }
    )
    with db.transaction(), db.registered("reported", rows):
        db.execute("INSERT OR REPLACE INTO meta BY NAME FROM reported")
