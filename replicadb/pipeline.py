"""Detection, stage by stage, in the order of DESIGN.md: each remembered, all or nothing.

Always true here: a stage is one transaction, and its key is a digest of the data, of the settings it depends on
and of the stage before it; so a stage whose key stands in ``stages`` need not run again. Pairs never enter
Python: SQL collapses them to patterns, ``learning`` decides on those, SQL joins them back.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import replicadb
from replicadb import ranking, runs, scoring
from replicadb.database import SCHEMA_VERSION, Database, statements
from replicadb.edit_distance import edit_distance_of_hosts
from replicadb.errors import DataError, LimitError
from replicadb.settings import PAGE_TYPES, WEIGHT_SCALE, Settings

Report = Callable[[str, str], None]
"""Called with a stage's name when it starts, and one line on what it found when it is done."""


@dataclass(frozen=True)
class Stage:
    """One step of detection."""

    name: str
    """As in the ``stages`` table and in the file names of ``sql/``."""
    run: Callable[[Database, Settings], dict[str, Any]]
    """Does the work inside a transaction; returns counts to show and to record."""
    depends: tuple[str, ...] = ()
    """The settings whose change makes it run again (besides the data and the stages before it)."""
    tables: tuple[str, ...] = ()
    """The tables it fills, the one it is measured by first."""


@dataclass
class DetectResult:
    """What one detection found. ``counts`` holds every stage's figures, in the order they came about."""

    counts: dict[str, Any] = field(default_factory=dict)
    stages_run: list[str] = field(default_factory=list)
    """Stages that had work to do; empty when nothing changed since the last time."""
    stage_seconds: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


def detect(db: Database, settings: Settings | None = None, report: Report | None = None) -> DetectResult:
    """Find replicas: run the stages whose data or settings changed.

    Raises:
        DataError: nothing is loaded. LimitError: more pairs would come than ``max_pairs`` allows.
    """
    settings = settings or Settings()
    if not db.value("SELECT count(*) FROM urls"):
        raise DataError(f"{db.path}: no URLs in it yet; load a crawl first: replicadb load {db.path} SOURCE")
    started, result = time.time(), DetectResult()
    key = data_key(db)
    done = dict(db.rows("SELECT stage, key FROM stages"))
    for stage in STAGES:
        key = _key(key, stage, settings)
        if done.get(stage.name) == key:
            result.counts |= json.loads(db.value("SELECT value FROM meta WHERE key = ?", [f"counts.{stage.name}"]) or "{}")
            continue
        if report:
            report(stage.name, "")
        counts, seconds = _run_stage(db, stage, settings, key)
        result.counts |= counts
        result.stages_run.append(stage.name)
        result.stage_seconds[stage.name] = seconds
        if report and counts:
            report(stage.name, ", ".join(f"{name.replace('_', ' ')} {_shown(value)}" for name, value in counts.items() if name != "warning"))
    db.execute("INSERT OR REPLACE INTO meta VALUES ('detected_data', ?)", [data_key(db)])
    result.seconds = time.time() - started
    runs.record(db, "detect", started, settings.as_dict(), result.counts | {"stages_run": result.stages_run})
    return result


def _run_stage(db: Database, stage: Stage, settings: Settings, key: str) -> tuple[dict[str, Any], float]:
    """One stage in one transaction; whatever came after it is forgotten, since it was made from older results."""
    started = time.time()
    stale = STAGES[STAGES.index(stage):]
    with db.transaction():
        db.execute("DELETE FROM stages WHERE list_contains($stale, stage)", {"stale": [s.name for s in stale]})
        db.renew(*(table for s in stale for table in s.tables))
        counts = stage.run(db, settings)
        rows = db.value(f"SELECT count(*) FROM {stage.tables[0]}")
        seconds = time.time() - started
        db.execute("INSERT INTO stages VALUES (?, ?, now()::TIMESTAMP, ?, ?)", [stage.name, key, seconds, rows])
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [f"counts.{stage.name}", json.dumps(counts)])
    return counts, seconds


def data_key(db: Database) -> str:
    """A digest of what is loaded: the sources in order, and how each was taken."""
    sources = db.rows("SELECT source_id, sha256, kept, replaced, skipped, rejected FROM sources ORDER BY source_id")
    return hashlib.sha256(json.dumps([SCHEMA_VERSION, replicadb.__version__, sources]).encode()).hexdigest()


def detected_data(db: Database) -> str | None:
    """The data key of the last finished detection; differs from :func:`data_key` when loads came or went since."""
    return db.value("SELECT value FROM meta WHERE key = 'detected_data'")


def _key(previous: str, stage: Stage, settings: Settings) -> str:
    values = settings.as_dict()
    return hashlib.sha256(json.dumps([previous, stage.name, {n: values[n] for n in stage.depends}]).encode()).hexdigest()


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}" if isinstance(value, float) else str(value)


# -- the stages -----------------------------------------------------------------------------------------


def dup_clusters(db: Database, settings: Settings) -> dict[str, Any]:
    """Which pages are the same (sql/10)."""
    db.run("10_dup_clusters", {"scale": WEIGHT_SCALE, "path_max_hosts": settings.path_max_hosts, "page_types": list(PAGE_TYPES)})
    expected_pairs(db, settings)  # refused here, nothing of an earlier detection is lost
    hosts, clusters, inter = db.rows("""SELECT (SELECT count(*) FROM hosts), count(*), count(*) FILTER (n_hosts > 1)
                                        FROM dup_clusters""")[0]
    return {"hosts": hosts, "dup_clusters": clusters, "inter_site_clusters": inter}


def expected_pairs(db: Database, settings: Settings) -> int:
    """Cost before work: how many pairs the joins will make, summed over clusters or paths.

    Raises:
        LimitError: more than ``max_pairs``.
    """
    by_content, by_path = db.rows(statements("20_candidate_pairs")["expected_pairs"], {"cap": settings.max_cluster_hosts})[0]
    expected = {"content": by_content, "path": by_path, "either": by_content + by_path}[settings.candidates]
    if settings.max_pairs and expected > settings.max_pairs:
        raise LimitError(f"{expected:,} candidate pairs would come (summed over clusters), more than --max-pairs "
                         f"{settings.max_pairs:,}; raise it, or lower --max-cluster-hosts {settings.max_cluster_hosts:,}")
    return expected


def candidate_pairs(db: Database, settings: Settings) -> dict[str, Any]:
    """Which hosts could be replicas (sql/20). Says how many pairs will come before making them.

    Raises:
        LimitError: more than ``max_pairs``.
    """
    expected = expected_pairs(db, settings)
    parameters = {"scale": WEIGHT_SCALE, "cap": settings.max_cluster_hosts, "candidates": settings.candidates,
                  "min_shared": settings.min_shared}
    by = "path_pairs" if settings.candidates == "content" else "all_path_pairs"
    for name in statements("20_candidate_pairs"):
        if name != "expected_pairs" and not (name.endswith("path_pairs") and name != by):
            db.run("20_candidate_pairs", parameters, only=name)
    skipped = db.value("SELECT count(*) FROM dup_clusters WHERE $cap > 0 AND n_hosts > $cap", {"cap": settings.max_cluster_hosts})
    db.execute("INSERT OR REPLACE INTO settings VALUES ('max_cluster_hosts', ?)", [settings.max_cluster_hosts])
    return {"expected_pairs": expected, "candidate_pairs": db.value("SELECT count(*) FROM candidates"),
            "skipped_clusters": skipped}


def labels(db: Database, settings: Settings) -> dict[str, Any]:
    """Obvious replicas and obvious non-replicas (sql/30): some more draws than wanted, or where too few are left twice as many."""
    wanted = min(settings.max_negatives, db.value("SELECT count(*) FROM candidates") // 2)
    for draws in (wanted + wanted // 10 + 100, 2 * wanted):
        db.renew("labels")
        db.run("30_labels", {"seed": str(settings.seed), "negatives": settings.negatives, "wanted": wanted, "draws": min(draws, 2 * wanted)})
        if draws >= 2 * wanted or db.value("SELECT count(*) FROM labels WHERE label = -1") == wanted:
            break
    found = dict(db.rows("SELECT label, count(*) FROM labels GROUP BY label"))
    return {"obvious_replicas": found.get(1, 0), "obvious_non_replicas": found.get(-1, 0)}


def pair_features(db: Database, settings: Settings) -> dict[str, Any]:
    """How alike the two hosts of each pair are (sql/35 and sql/40)."""
    db.run("35_tails_and_links", {"scale": WEIGHT_SCALE, "path_max_hosts": settings.path_max_hosts})
    with edit_distance_of_hosts(db):
        db.run("40_pair_features", {"scale": WEIGHT_SCALE, "path_max_hosts": settings.path_max_hosts})
    return {}


STAGES: tuple[Stage, ...] = (
    Stage("10_dup_clusters", dup_clusters, ("path_max_hosts",), ("dup_clusters", "cluster_hosts", "shared_paths", "shared_tails", "host_stats")),
    Stage("20_candidate_pairs", candidate_pairs, ("candidates", "min_shared", "max_cluster_hosts"), ("candidates",)),
    Stage("30_labels", labels, ("seed", "negatives", "max_negatives"), ("labels",)),
    Stage("40_pair_features", pair_features, (), ("pair_features",)),
    Stage("50_patterns", scoring.patterns, ("discretise", "bins", "max_patterns"), ("patterns", "cuts", "pair_patterns")),
    Stage("60_scores", scoring.scores, ("method", "cut", "threshold", "schedule", "aggregate", "min_support", "prior_strength",
                                     "min_probability", "wary_probability", "evidence"),
          ("pattern_scores", "pair_scores", "em_history", "evidence_weights", "evidence_interactions")),
    Stage("70_ranking", ranking.rank, (), ("ranking", "members")),
)
