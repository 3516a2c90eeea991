"""What a database holds, as plain values: the facts of ``replicadb info``.

Counts come from the tables as they stand; nothing is computed anew and nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from replicadb.detection import pipeline, stage
from replicadb.load.site_unit import site_of
from replicadb.near_duplicates.loaded_contents import pages_with_content
from replicadb.near_duplicates.near_duplicate_run import came_since, is_current
from replicadb.rewrite import rule_store
from replicadb.store.database import Database
from replicadb.version import __version__


def _count(db: Database, query: str) -> int:
    return int(db.value(query))


def _rows(db: Database, query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = db.arrow(query).to_pylist()
    return rows


def _bytes(path: str) -> int:
    """Of the file, and of the log beside it that a process left which was killed."""
    files = (Path(path), Path(f"{path}.wal"))
    return sum(file.stat().st_size for file in files if file.exists())


_LINKS = "SELECT count(DISTINCT hash(from_url, to_url)) FROM links WHERE kind = '{}'"
"""Each once, though several loads have it."""
FACTS: dict[str, tuple[Callable[[Database, str], Any], str]] = {
    "hosts": (_count, "SELECT count(*) FROM hosts"),
    "urls": (_count, "SELECT count(*) FROM page_urls"),
    "assets": (_count, "SELECT count(*) FROM urls WHERE asset"),
    "rejects": (_count, "SELECT count(*) FROM rejects"),
    "redirects": (_count, _LINKS.format("redirect")),
    "canonicals": (_count, _LINKS.format("canonical")),
    "outlinks": (_count, "SELECT coalesce(sum(pages), 0)::BIGINT FROM outlinks"),
    "link_skip_reasons": (
        _rows,
        """
        SELECT kind, reason, sum(n)::BIGINT AS n FROM link_skips
        GROUP BY ALL ORDER BY n DESC, kind, reason LIMIT 10""",
    ),
    "addresses": (_count, "SELECT count(DISTINCT ip) FROM host_ips"),
    "fingerprints": (
        _rows,
        """
        SELECT coalesce(fingerprint_kind, 'unknown') AS kind, count(*) AS urls FROM urls
        GROUP BY 1 ORDER BY 2 DESC, 1""",
    ),
    "loads": (
        _rows,
        """
        SELECT
            l.name,
            count(*) AS files,
            sum(s.read)::BIGINT AS read,
            sum(s.kept)::BIGINT AS kept,
            sum(s.replaced)::BIGINT AS replaced,
            sum(s.skipped)::BIGINT AS skipped,
            sum(s.rejected)::BIGINT AS rejected
        FROM loads AS l
        JOIN sources AS s USING (load_id)
        GROUP BY l.load_id, l.name
        ORDER BY l.load_id""",
    ),
    "reject_reasons": (
        _rows,
        "SELECT reason, count(*) AS n FROM rejects GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
    ),
    "skip_reasons": (
        _rows,
        "SELECT reason, sum(n)::BIGINT AS n FROM skips GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
    ),
}
LAST_DETECTION = """
    SELECT strftime(started_at, '%Y-%m-%d %H:%M:%S.%f') AS started_at, seconds, settings, counts
    FROM runs
    WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1"""


def inventory(db: Database) -> dict[str, Any]:
    """Loads with their counts, hosts, URLs, kinds of fingerprint, page methods, the last detection.

    Returns:
        A plain dict that JSON can hold. ``detection`` and ``reduction`` are None where there is
        none; ``up_to_date`` says whether the detection saw all that is there, and ``stale`` what it
        did not see.
    """
    stages = dict(db.rows("SELECT stage, key FROM stages"))
    detected = pipeline.STAGES[-1].name in stages
    stale = stage.stale(db) if detected else None
    return {
        "database": db.path,
        "bytes": _bytes(db.path),
        "replicadb": __version__,
        "site": site_of(db),
        **{name: read(db, query) for name, (read, query) in FACTS.items()},
        "page_contents": pages_with_content(db),
        "page_methods": _page_methods(db),
        "detection": _last_detection(db),
        "named_runs": db.column("SELECT name FROM named_runs ORDER BY run_id"),
        "reduction": rule_store.reduction(db),
        "detected": detected,
        "up_to_date": detected and stale is None,
        "stale": stale,
    }


def _page_methods(db: Database) -> list[dict[str, Any]]:
    runs = db.rows("SELECT method, key, options, counts FROM fingerprints ORDER BY method")
    return [
        {
            "method": method,
            "options": json.loads(options),
            "counts": json.loads(counts),
            "up_to_date": (current := is_current(db, method, key, options)),
            "stale": None if current else came_since(db, method),
        }
        for method, key, options, counts in runs
    ]


def _last_detection(db: Database) -> dict[str, Any] | None:
    for last in _rows(db, LAST_DETECTION):
        constants = db.value("SELECT value FROM meta WHERE key = 'detected_constants'")
        texts = {"settings": last["settings"], "counts": last["counts"], "constants": constants}
        return last | {name: json.loads(text or "{}") for name, text in texts.items()}
    return None
