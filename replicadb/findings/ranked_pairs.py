"""The first pairs of the ranking, the fate of their hosts, and full explanations of some.

Invariant: a pair's explanation says what ``replicadb explain`` says (``many_pairs``); so many are
explained at most, those first that one acts on or sees. Loops here go over those pairs alone.
"""

from __future__ import annotations

from typing import Any

from replicadb.explanation.many_pairs import explain_many, rules_of
from replicadb.explanation.words import verdict
from replicadb.store.database import Database
from replicadb.store.statements import statements

PAGES, RULES = 3, 6
"""Pages of an explanation that are shared, and that differ; rules of each learner."""
TOP = 50
"""The first pairs are explained whatever they decide."""
SQL = "report/10_ranking"
Row = dict[str, Any]


def ranked_pairs(db: Database, totals: Row, pairs: int, explained: int) -> Row:
    """The rows of the ranking and what is said of them.

    Args:
        totals: ``candidates`` and ``flagged`` pairs in all.

    Returns:
        ``rows`` (view replicas, less features), ``hosts`` (each with ``urls`` and ``fates``, by
            name), and ``explained``, as :func:`explain_many` has it, its pairs by ``rank``, each
            with its ``verdict``; ``rules`` by ``score_id`` (method paper).
    """
    sql = statements(SQL)
    with db.temporary():
        db.run(SQL, {"pairs": pairs}, only="reported")
        rows = db.arrow(sql["rows"], {"pairs": pairs}).to_pylist()
        given = {"most": explained, "flagged_pairs": totals["flagged"], "top": TOP}
        chosen = db.column(sql["chosen"], given)
        least = db.value("SELECT value::DOUBLE FROM settings WHERE name = 'log_odds_flagged'")
        totals = totals | {"flagged_from": least}
        hosts = _hosts(db.arrow(sql["fates"]).to_pylist())
        there = {row["rank"]: row for row in rows}  # less those of hosts that were unloaded since
        present = [there[rank] for rank in chosen if rank in there]
        for name in db.column(sql["never"]):
            if name in hosts:
                hosts[name]["never"] = True
        return {
            "rows": rows,
            "hosts": hosts,
            "explained": _explained(db, present, hosts, totals),
        }


def _hosts(fates: list[Row]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for fate in fates:
        host = found.setdefault(fate["host"], {"urls": fate["urls"], "fates": []})
        if fate["canonical_host"] is not None:
            host["fates"].append(fate)
    return found


def _explained(db: Database, rows: list[Row], hosts: dict[str, Row], totals: Row) -> Row:
    a, b = ([row[side] for row in rows] for side in ("a_id", "b_id"))
    found = explain_many(db, a, b, PAGES)
    patterns = [row["score_id"] for row in rows if row["probability"] is None]
    paper = [number for number in patterns if number is not None]  # none of a decided pair
    return found | {
        "rank": [row["rank"] for row in rows],
        "verdict": [_verdict(row, hosts, totals) for row in rows],
        "score_id": [row["score_id"] for row in rows],
        "rules": rules_of(db, paper, RULES) if paper else None,
    }


def _verdict(row: Row, hosts: dict[str, Row], totals: Row) -> str:
    place = row | {
        "candidates": totals["ranked"],
        "flagged_pairs": totals["flagged"],
        "flagged_from": totals["flagged_from"],
    }
    a, b = row["host_a"], row["host_b"]
    return verdict(
        {
            "a": {"host": a},
            "b": {"host": b},
            "place": place,
            "decision": {"bound": row["decided"]},
            "pins": [{"host": n, "pin": "never"} for n in (a, b) if hosts[n].get("never")],
            "groups": [fate for host in (a, b) for fate in hosts[host]["fates"]],
        }
    )
