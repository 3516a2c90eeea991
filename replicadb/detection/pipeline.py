"""Detection, stage by stage, in the order of docs/method.md#stages: each remembered, all or
nothing.

Always true here: a stage is one transaction, and its key is a digest of the data, of the settings
it depends on and of the stage before it; so a stage whose key stands in ``stages`` need not run
again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from replicadb.detection import incremental, pair_features, published_method, ranking
from replicadb.errors import DataError
from replicadb.near_duplicates import near_duplicate_run
from replicadb.settings import PAGE_TYPES, WEIGHT_SCALE, Settings
from replicadb.store import run_log
from replicadb.store.database import Database
from replicadb.store.profiling import Measured, measured
from replicadb.store.run_log import data_key

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
    spares: tuple[str, ...] = ()
    """Those tables, of its own and of later stages, that it does not empty when it starts, but sees
    to itself.
    """
    edition: int = 1
    """Raised when the same data and settings give something else than before, so that older results
    are made anew.
    """


@dataclass
class DetectResult:
    """What one detection found. ``counts`` holds every stage's figures, in the order they came
    about.
    """

    counts: dict[str, Any] = field(default_factory=dict)
    stages_run: list[str] = field(default_factory=list)
    """Stages that had work to do; empty when nothing changed since the last time."""
    profile: list[Measured] = field(default_factory=list)
    """The stages that ran, with seconds, rows and peak memory."""
    seconds: float = 0.0

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds of each stage that ran."""
        return {stage.stage: stage.seconds for stage in self.profile}


def detect(
    db: Database,
    settings: Settings | None = None,
    report: Report | None = None,
    profile: bool = False,
) -> DetectResult:
    """Find replicas: run the stages whose data or settings changed; with ``profile`` each stage's
    peak memory is its own.

    Raises:
        DataError: nothing is loaded. LimitError: more pairs would come than ``max_pairs`` allows.
    """
    settings = settings or Settings()
    if not db.value("SELECT count(*) FROM urls"):
        raise DataError(
            f"{db.path}: no URLs in it yet; load a crawl first: replicadb load {db.path} SOURCE"
        )
    started, result = time.time(), DetectResult()
    key = first_key(db, settings)
    done = dict(db.rows("SELECT stage, key FROM stages"))
    for stage in STAGES:
        key = stage_key(key, stage, settings)
        if done.get(stage.name) == key:
            result.counts |= json.loads(
                db.value("SELECT value FROM meta WHERE key = ?", [f"counts.{stage.name}"]) or "{}"
            )
            if stage is STAGES[0]:
                pair_features.expected_pairs(db, settings)  # another max_pairs than the last time
            continue
        if report:
            report(stage.name, "")
        counts, measure = run_stage(
            db, stage, settings, key, profile, emptied=bool(result.stages_run)
        )
        result.counts |= counts
        result.stages_run.append(stage.name)
        result.profile.append(measure)
        if report and counts:
            report(
                stage.name,
                ", ".join(
                    f"{name.replace('_', ' ')} {_shown(value)}"
                    for name, value in counts.items()
                    if name != "warning"
                ),
            )
    db.execute(
        "INSERT OR REPLACE INTO meta VALUES ('detected_data', ?), ('detected_from', ?)",
        [data_key(db), first_key(db, settings)],
    )
    result.seconds = time.time() - started
    run_log.record(
        db, "detect", started, settings.as_dict(), result.counts | {"stages_run": result.stages_run}
    )
    return result


def run_stage(
    db: Database,
    stage: Stage,
    settings: Settings,
    key: str,
    profile: bool = False,
    emptied: bool = False,
) -> tuple[dict[str, Any], Measured]:
    """One stage in one transaction; whatever came after it is forgotten, since it was made from
    older results: unless the stage that ran just before did that already (``emptied``).
    """
    started = time.time()
    stale = STAGES[STAGES.index(stage) :]
    with measured(stage.name, profile) as measure, db.timed(measure.statements), db.transaction():
        if not emptied:
            db.execute(
                "DELETE FROM stages WHERE list_contains($stale, stage)",
                {"stale": [s.name for s in stale]},
            )
            db.renew(*(table for s in stale for table in s.tables if table not in stage.spares))
        counts = stage.run(db, settings)
        rows = db.value(f"SELECT count(*) FROM {stage.tables[0]}")
        measure.rows = rows
        db.execute(
            "INSERT INTO stages VALUES (?, ?, now()::TIMESTAMP, ?, ?)",
            [stage.name, key, time.time() - started, rows],
        )
        db.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            [f"counts.{stage.name}", json.dumps(counts)],
        )
    return counts, measure


def first_key(db: Database, settings: Settings) -> str:
    """What the first stage's key is made from: the data, and with ``clusters`` the run of
    ``fingerprint`` that found them.

    Raises:
        DataError: that method has not run, or loads came or went since.
    """
    key = data_key(db)
    if settings.clusters is None:
        return key
    return hashlib.sha256(
        json.dumps(
            [key, settings.clusters, near_duplicate_run.current_key(db, settings.clusters)]
        ).encode()
    ).hexdigest()


def detected_data(db: Database) -> str | None:
    """The data key of the last finished detection; differs from :func:`data_key` when loads came or
    went since.
    """
    return db.value("SELECT value FROM meta WHERE key = 'detected_data'")


def stale(db: Database) -> str | None:
    """What came since the last finished detection, in a few words; None where nothing did, or none
    has finished.
    """
    if detected_data(db) in (None, data_key(db)):
        clusters = json.loads(
            db.value(
                "SELECT settings FROM runs WHERE command = 'detect' ORDER BY run_id DESC LIMIT 1"
            )
            or "{}"
        ).get("clusters")
        if clusters is None or detected_data(db) is None:
            return None
        with contextlib.suppress(DataError):  # its clusters are stale themselves
            if first_key(db, Settings(clusters=clusters)) == db.value(
                "SELECT value FROM meta WHERE key = 'detected_from'"
            ):
                return None
        return f"other clusters by {clusters} came"
    return "loads came or went"


def stage_key(previous: str, stage: Stage, settings: Settings) -> str:
    values = settings.as_dict()
    told = [
        previous,
        stage.name,
        {n: values[n] for n in stage.depends},
        *([stage.edition] if stage.edition > 1 else []),
    ]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _shown(value: Any) -> str:
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:.3g}"
        if isinstance(value, float)
        else str(value)
    )


# -- the stages
# -----------------------------------------------------------------------------------------


def dup_clusters(db: Database, settings: Settings) -> dict[str, Any]:
    """Which pages are the same (sql/detect/12_dup_clusters to sql/detect/16_shared_paths), by
    fingerprint or, with ``clusters``, by cluster of near duplicates (sql/detect/10_contents).
    """
    db.run("functions/10_hashes")
    if settings.clusters is None:
        db.run("detect/10_contents", only="contents_by_fingerprint")
        near = {}
    else:
        near = {"near_contents": near_duplicate_run.near_contents(db, settings.clusters)}
    given = {
        "scale": WEIGHT_SCALE,
        "path_max_hosts": settings.path_max_hosts,
        "page_types": list(PAGE_TYPES),
    }
    for stem in ("detect/12_dup_clusters", "detect/14_host_pages", "detect/16_shared_paths"):
        db.run(stem, given)
    pair_features.expected_pairs(
        db, settings
    )  # refused here, nothing of an earlier detection is lost
    hosts, clusters, inter = (
        db.rows("""SELECT (SELECT count(*) FROM hosts), count(*), count(*) FILTER (n_hosts > 1)
                                        FROM dup_clusters""")[0]
    )
    db.execute("DROP VIEW contents")
    incremental.set_aside(db, settings)
    return {"hosts": hosts, "dup_clusters": clusters, "inter_site_clusters": inter} | near


def patterns(db: Database, settings: Settings) -> dict[str, Any]:
    """What method paper learns from (sql/detect/50_patterns); robust weighs pairs as they stream
    by.
    """
    return published_method.patterns(db, settings) if settings.method == "paper" else {}


def scores(db: Database, settings: Settings) -> dict[str, Any]:
    """Every candidate scored and put in its place (sql/detect/70_ranking)."""
    db.execute(
        "DELETE FROM settings WHERE starts_with(name, 'log_odds_')"
    )  # of a detection by robust before this one
    counts = published_method.scores(db, settings)
    if counts:
        ranking.rank(db)
    return counts


STAGES: tuple[Stage, ...] = (
    Stage(
        "10_dup_clusters",
        dup_clusters,
        ("path_max_hosts",),
        (
            "dup_clusters",
            "cluster_hosts",
            "shared_paths",
            "shared_tails",
            "host_stats",
            "near_contents",
        ),
        spares=("pair_features", "host_digests"),
        edition=3,
    ),
    Stage(
        "20_pair_features",
        pair_features.pair_features,
        ("candidates", "min_shared", "max_cluster_hosts", "reference"),
        ("pair_features", "host_digests"),
        spares=("host_digests",),
        edition=incremental.EDITION,
    ),
    Stage(
        "30_non_replicas",
        pair_features.non_replicas,
        ("method", "negatives", "max_negatives", "seed"),
        ("non_replicas",),
    ),
    Stage(
        "50_patterns",
        patterns,
        ("method", "discretise", "bins", "max_patterns"),
        ("patterns", "cuts"),
    ),
    Stage(
        "60_scores",
        scores,
        (
            "method",
            "cut",
            "threshold",
            "schedule",
            "aggregate",
            "min_support",
            "prior_strength",
            "min_probability",
            "files_probability",
            "evidence",
        ),
        (
            "ranking",
            "pattern_scores",
            "em_history",
            "evidence_weights",
            "evidence_interactions",
            "partners",
        ),
        edition=8,
    ),
    Stage("70_replica_groups", ranking.group, (), ("members",), edition=2),
)
