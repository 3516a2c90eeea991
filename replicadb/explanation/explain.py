"""One pair of hosts: the verdict, what speaks for it and against, the pages, and what becomes of
the two.

Invariant: every number is of the last detection as it is stored (or follows from it alone); nothing
is measured anew. The result is a plain dict that JSON can hold; None means unknown.
"""

from __future__ import annotations

from typing import Any

from replicadb.detection.evidence import EVIDENCE
from replicadb.detection.stage import last_settings, stale
from replicadb.errors import UsageError, need_count
from replicadb.explanation.lookup import Row, of_reference, rows_of
from replicadb.explanation.rule_votes import votes_on
from replicadb.explanation.words import not_compared, phrase, verdict
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store.database import Database
from replicadb.store.run_log import need_detection
from replicadb.store.site_spellings import known_host
from replicadb.store.statements import statements

IDENTIFIERS = 20
"""Of those that both have, so many at most, the rarest."""
COUNTED, DRAWN = 10_000_000, 2_000_000
"""So many candidates are counted at most to say which share has less; of more, about DRAWN are
drawn, the same ones each time.
"""


def explain(db: Database, host_a: str, host_b: str, pages: int = 5) -> dict[str, Any]:
    """Why two hosts are replicas, or are none.

    Args:
        host_a, host_b: in any spelling, in any order.
        pages: so many pages at most that they share, and as many that differ.

    Returns:
        ``a``, ``b`` (host and URLs), ``verdict``, ``stale``, ``method``, ``place`` in the ranking
            (None: no candidate, and ``not_compared`` says why), ``decision`` of a person on the
            pair (None: none) and ``pins`` of its hosts, ``evidence`` (with ``constant`` and what
            ``neighbours`` add its contributions are the strength), ``rules`` (method paper),
            ``pages`` (``files`` of those shared are counted apart), ``groups``, ``leads`` (URLs of
            either that name one of the other by rel=canonical, or redirect there), ``identifiers``
            (what both say of who runs them, then pictures of both, with the hosts that have it;
            IDENTIFIERS at most, ``identifiers_in_all``), ``languages`` (of each host that names any
            its main one, the ``pages`` in it, and those ``spoken`` in any), ``too_thin`` (whether
            detect counts it as too thin to judge).

    Raises:
        DataError: an unknown host, with the nearest names, or no detection yet. UsageError: one
            host twice, or a number of pages that is none.
    """
    pages = need_count("pages", pages)
    need_detection(db)
    names = sorted((known_host(db, host_a), known_host(db, host_b)), key=str.encode)
    if names[0] == names[1]:
        raise UsageError(f"{host_a} and {host_b} are one host here, {names[0]}; give two")
    sql = statements("explain/10_pair")
    asked = {"a": names[0], "b": names[1]}
    a, b = rows_of(db, sql["hosts"], asked)
    ids = {"low": a.pop("host_id"), "high": b.pop("host_id")}
    place = next(iter(rows_of(db, sql["place"], ids)), None)
    decision = next(iter(rows_of(db, sql["decision"], asked)), None)
    measured = place is not None and place["score_id"] is not None
    shown = {"pages": max(pages, 1)}
    found: dict[str, Any] = {
        "a": a,
        "b": b,
        "stale": stale(db),
        "method": _method(db),
        "place": place,
        "decision": decision,
        "pins": rows_of(db, sql["pins"], asked),
        "evidence": _evidence(db, names, ids) if measured else [],
        "constant": db.value("SELECT value::DOUBLE FROM settings WHERE name = 'log_odds_constant'"),
        "neighbours": next(iter(rows_of(db, sql["neighbours"], ids)), None),
        "rules": _rules(db, place, ids),
        "pages": {
            "shared": _counted(rows_of(db, sql["shared"], shown | asked), pages),
            "differing": _counted(rows_of(db, sql["differing"], shown | ids), pages),
        },
        "groups": rows_of(db, sql["members"], ids),
        **_said(db, ids),
        "leads": rows_of(db, sql["leads"], asked),
    }
    found["not_compared"] = None if place else _not_compared(db, found, ids)
    return {"verdict": verdict(found)} | found | {"too_thin": _too_thin(found)}


def _said(db: Database, ids: Row) -> dict[str, Any]:
    """What both say of who runs them, and the language of each."""
    sql = statements("explain/40_identifiers")
    db.run_once("functions/75_newest_said")
    both = _counted(rows_of(db, sql["of_pair"], ids | {"most": IDENTIFIERS}), IDENTIFIERS)
    return {
        "identifiers": both["first"],
        "identifiers_in_all": both["n"],
        "languages": rows_of(db, sql["languages"], ids),
    }


def _too_thin(found: dict[str, Any]) -> bool:
    place = found["place"]
    if place is None or place["flagged"] or (place["probability"] or 0) < CONSTANTS.may_be:
        return False
    pages = {row["feature"]: row["value"] for row in found["evidence"]}.get("known_pages")
    return (
        pages is not None
        and pages < KIND_NUMBERS.thin_pages
        and place["left_out"] in (None, "thin")
    )


def _not_compared(db: Database, found: dict[str, Any], ids: Row) -> str:
    """Why they were no candidates, by the settings of the last detection."""
    settings = last_settings(db)
    sql = statements("explain/10_pair")
    given = ids | {"cap": settings.max_cluster_hosts}
    asked, reference = ("reference", "candidates", "min_shared"), settings.reference
    names = [found[side]["host"] for side in ("a", "b")]
    return not_compared(
        rows_of(db, sql["in_common"], given)[0]
        | {name: getattr(settings, name) for name in asked}
        | {
            "later": [found[side]["host"] for side in ("a", "b") if found[side]["urls"] is None],
            "old": len(of_reference(db, reference, names)) if reference is not None else 0,
            "cap": settings.max_cluster_hosts,
            "pages": found["pages"]["shared"]["n"] + found["pages"]["shared"].get("files", 0),
        }
    )


def _method(db: Database) -> str:
    """The method that made the ranking."""
    if not _ranked_by_paper(db):
        return "robust"
    last = last_settings(db)
    return last.method if last.published else "paper"


def _rules(db: Database, place: Row | None, ids: Row) -> Row | None:
    """Method paper: the rules that voted on the pair."""
    if place is None or place["score_id"] is None or not _ranked_by_paper(db):
        return None
    return votes_on(db, place["score_id"], place["obvious"], ids)


def _ranked_by_paper(db: Database) -> bool:
    return bool(db.value("SELECT count(*) > count(probability) FROM pattern_scores"))


def _counted(rows: list[Row], most: int) -> dict[str, Any]:
    """So many rows at most, and how many there are in all, which each of them says; ``files`` (no
    pages) are counted apart.
    """
    n, files = (rows[0]["n"], rows[0].get("files")) if rows else (0, None)
    first = [{k: v for k, v in row.items() if k not in ("n", "files")} for row in rows[:most]]
    return {"n": n - (files or 0), "first": first} | ({"files": files} if files else {})


def _evidence(db: Database, names: list[str], ids: Row) -> list[Row]:
    """Every piece of evidence: value, what it adds to the strength (method robust), the share of
    candidates that have less, in words; what adds most first.
    """
    columns = [piece.name for piece in EVIDENCE]
    (values,) = rows_of(
        db,
        f"SELECT {', '.join(columns)} FROM pair_features WHERE a_id = $low AND b_id = $high",
        ids,
    )
    below = ", ".join(f"avg((f.{name} < p.{name})::INTEGER) AS {name}" for name in columns)
    (shares,) = rows_of(
        db,
        f"SELECT {below} FROM {drawn(db)} AS f, pair_features AS p"
        " WHERE p.a_id = $low AND p.b_id = $high",
        ids,
    )
    weighed = rows_of(db, "FROM evidence_of($a, $b)", {"a": names[0], "b": names[1]})
    added = {row["feature"]: row["contribution"] for row in weighed}
    found = [
        {
            "feature": name,
            "words": phrase(name, values[name]),
            "value": values[name],
            "below": shares[name],
            "contribution": added.get(name),
        }
        for name in columns
    ]
    return sorted(found, key=lambda row: -abs(row["contribution"] or 0))


def drawn(db: Database) -> str:
    """The candidates by which a pair is measured; of many, one in so many by its hosts, as the
    report draws them.
    """
    candidates: int = db.value("SELECT count(*) FROM pair_features")
    if candidates <= COUNTED:
        return "pair_features"
    return f"(FROM pair_features WHERE hash(a_id, b_id) % {candidates // DRAWN} = 0)"
