"""Everything that the report of a crawl shows of the last detection, counted set at a time.

Invariant: nothing is decided anew and nothing is written; the result is a plain dict that JSON can
hold, bounded whatever the crawl: so many pairs, explanations, groups, rows. None means unknown.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from replicadb.detection.stage import stale
from replicadb.evaluation import crawl_figures
from replicadb.findings.group_graphs import group_graphs
from replicadb.findings.ranked_pairs import ranked_pairs
from replicadb.findings.strengths import strengths
from replicadb.store.database import Database
from replicadb.store.run_log import LAST_STAGE
from replicadb.store.statements import statements

PAIRS, EXPLAINED = 10_000, 2_000
"""Pairs of the ranking in the page, and those of them that carry a full explanation."""
LISTED = 50
"""Hosts to drop, drops held back and runs in their tables."""
Say = Callable[[str], None]
FLAGGED = """
    SELECT a.host AS host_a, b.host AS host_b
    FROM ranking AS r
    JOIN hosts AS a ON a.host_id = r.a_id
    JOIN hosts AS b ON b.host_id = r.b_id
    WHERE r.flagged"""


def collect(
    db: Database, pairs: int = PAIRS, explained: int = EXPLAINED, say: Say | None = None
) -> dict[str, Any]:
    """Count what the report of a crawl shows.

    Args:
        pairs, explained: so many pairs of the ranking, and explanations, at most.
        say: called with what is being done.

    Returns:
        ``detected``, ``stale``, ``runs``, ``figures`` (of ``crawl_figures``, flagged pairs in place
            of known ones), and where there is a detection ``totals``, ``drops``, ``held``,
            ``ranking``, ``strengths``, ``groups``.
    """
    tell = say or (lambda _: None)
    detected = bool(db.value("SELECT count(*) FROM stages WHERE stage = ?", [LAST_STAGE]))
    found: dict[str, Any] = {"detected": detected, "stale": None, "runs": _runs(db)}
    tell("duplicates, sizes of hosts")
    found["figures"] = crawl_figures.collect(db, db.arrow(FLAGGED) if detected else [])
    if not detected:
        return found
    sql = statements("report/10_ranking")
    (totals,) = db.arrow(sql["totals"]).to_pylist()
    tell("strengths and thresholds")
    spread = strengths(db)
    tell("groups")
    groups = group_graphs(db)
    tell("ranking and explanations")
    return found | {
        "stale": stale(db),
        "totals": totals | spread.pop("flags"),
        "drops": db.arrow(sql["drops"], {"most": LISTED}).to_pylist(),
        "held": db.arrow(sql["held_back"], {"most": LISTED}).to_pylist(),
        "ranking": ranked_pairs(db, totals, pairs, explained),
        "strengths": spread,
        "groups": groups,
    }


def _runs(db: Database) -> list[dict[str, Any]]:
    """The run log, the last first."""
    rows = db.arrow(
        f"""SELECT run_id, command, strftime(started_at, '%Y-%m-%d %H:%M') AS started, seconds,
        version, duckdb, settings::VARCHAR AS settings, counts::VARCHAR AS counts
        FROM runs ORDER BY run_id DESC LIMIT {LISTED}"""
    ).to_pylist()
    return [
        row | {name: json.loads(row[name] or "{}") for name in ("settings", "counts")}
        for row in rows
    ]
