"""Detection, stage by stage, in the order of docs/method.md#stages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from replicadb.constant_tables import all_changed
from replicadb.decisions import decision_store
from replicadb.detection import (
    blocking,
    dup_clusters,
    incremental,
    last_result,
    non_replicas,
    pair_features,
    patterns,
    replica_groups,
    scores,
)
from replicadb.detection.notes import notes_of
from replicadb.detection.stage import Stage, first_key, run_stage, stage_key
from replicadb.errors import DataError
from replicadb.settings import CONSTANTS, Settings
from replicadb.short_table import in_a_line, short_table
from replicadb.stage_constants import CALIBRATION, DROPS, KIND_NUMBERS, LABELS
from replicadb.store import put_aside, run_log
from replicadb.store.arrow import put_values
from replicadb.store.database import Database
from replicadb.store.profiling import Measured
from replicadb.store.run_log import LAST_STAGE, data_key
from replicadb.under_way import under_way

Report = Callable[[str, str], None]
"""Called with a stage's name when it starts, and one line on what it found when it is done."""


STAGES: tuple[Stage, ...] = (
    Stage(
        "10_dup_clusters",
        dup_clusters.dup_clusters,
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
        edition=4,
    ),
    Stage(
        "20_pair_features",
        pair_features.pair_features,
        ("candidates", "min_shared", "max_cluster_hosts", "reference"),
        ("pair_features", "host_digests"),
        spares=("host_digests",),
        numbers=((KIND_NUMBERS, "country_sites"),),
        edition=incremental.EDITION,
    ),
    Stage(
        "30_non_replicas",
        non_replicas.non_replicas,
        ("method", "negatives", "max_negatives", "seed"),
        ("non_replicas",),
    ),
    Stage(
        "50_patterns",
        patterns.patterns,
        ("method", "discretise", "bins", "max_patterns"),
        ("patterns", "cuts"),
        edition=2,
    ),
    Stage(
        "60_scores",
        scores.scores,
        (
            "method",
            "cut",
            "alpha",
            "schedule",
            "aggregate",
            "min_support",
            "first",
            "prior_strength",
            "max_wrong",
            "min_probability",
            "files_probability",
            "evidence",
            "kinds",
        ),
        (
            "ranking",
            "left_out",
            "pattern_scores",
            "em_history",
            "evidence_weights",
            "evidence_interactions",
            "shared_neighbours",
            "decided",
        ),
        decided=True,
        constants=(LABELS, CONSTANTS, CALIBRATION, KIND_NUMBERS),
        edition=22,
    ),
    Stage(
        LAST_STAGE,
        replica_groups.replica_groups,
        ("keep",),
        ("members", "held"),
        constants=(DROPS, KIND_NUMBERS),
        edition=13,
    ),
)


SHOWN = {
    "hosts": "hosts",
    "dup_clusters": "dup-clusters",
    "candidate_pairs": "candidate pairs",
    "obvious_replicas": "obvious replicas",
    "estimated_replicas": "replicas estimated",
    "estimated_at_least": "at least",
    "estimated_at_most": "at most",
    "flagged_pairs": "flagged pairs",
    "flagged_hosts": "hosts to drop",
    "held_back": "held back",
    "replica_groups": "groups",
}
"""The counts that a person is shown of a detection, with their names."""


def after(stage: Stage) -> tuple[Stage, ...]:
    """The stages that come after it."""
    return STAGES[STAGES.index(stage) + 1 :]


@dataclass(repr=False)
class DetectResult:
    """What one detection found. ``counts`` holds every stage's figures, in the order they came
    about.
    """

    counts: dict[str, Any] = field(default_factory=dict)
    stages_run: list[str] = field(default_factory=list)
    """Stages that had work to do; empty when nothing changed since the last time."""
    profile: list[Measured] = field(default_factory=list)
    """The stages that ran, with seconds, rows and peak memory."""
    notes: list[str] = field(default_factory=list)
    """What a careful person would want to know, a line each, with the option that changes it."""
    seconds: float = 0.0

    def __repr__(self) -> str:
        found = in_a_line(self._shown())
        return f"<DetectResult: {found}, in {self.seconds:.1f} s>"

    def _repr_html_(self) -> str:
        return short_table("detected", self._shown(), self.notes)

    def _shown(self) -> list[tuple[str, int]]:
        return [(text, self.counts[name]) for name, text in SHOWN.items() if name in self.counts]


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
        UsageError: this process is detecting in the file already, or loads into it.
    """
    settings = settings or Settings()
    if not db.value("SELECT count(*) FROM urls"):
        raise DataError(
            f"{db.path}: no URLs in it yet; load a crawl first: replicadb load {db.path} SOURCE"
        )
    if not (settings.reads_assets or db.value("SELECT count(*) FROM page_urls")):
        raise DataError(
            f"{db.path}: no pages in it, only other files; compare them by method robust or with"
            " --assets"
        )
    started = time.time()
    with put_aside.until_done(db):
        result, about = _stages(db, settings, report, profile)
        result.notes = notes_of(db, settings, result.counts)
        result.seconds = time.time() - started
        counts = result.counts | {"stages_run": result.stages_run}
        with db.transaction():
            put_values(db, "meta", about)
            run_log.record(db, "detect", started, settings.as_dict(), counts)
            put_aside.end(db)
    return result


def _stages(
    db: Database, settings: Settings, report: Report | None, profile: bool
) -> tuple[DetectResult, dict[str, str | None]]:
    """Run the stages whose data or settings changed; what they found, and what they went by, as
    ``meta`` has it of a detection that has finished.
    """
    result = DetectResult()
    data, decisions = data_key(db), decision_store.digest(db)
    key = first = first_key(db, settings)
    done = dict(db.rows("SELECT stage, key FROM stages"))
    for stage in STAGES:
        key = stage_key(key, stage, settings, decisions)
        if done.get(stage.name) == key:
            result.counts |= _remembered(db, stage)
            if stage is STAGES[0]:
                blocking.expected_pairs(db, settings)  # another max_pairs than the last time
            continue
        if report:
            report(stage.name, "")
        place = f"{stage.title} ({STAGES.index(stage) + 1} of {len(STAGES)})"
        with under_way(place):
            counts, measure = run_stage(
                db,
                stage,
                settings,
                key,
                after(stage),
                profile,
                emptied=bool(result.stages_run),
                before=partial(last_result.keep, stages=STAGES),
            )
        result.counts |= counts
        result.stages_run.append(stage.name)
        result.profile.append(measure)
        if report and counts:
            report(stage.name, run_log.in_a_line(_for_people(counts)))
    return result, {
        "detected_data": data,
        "detected_from": first,
        "detected_decisions": decisions,
        "detected_constants": json.dumps(all_changed()),
    }


def _for_people(counts: dict[str, Any]) -> dict[str, Any]:
    """What a stage counted as it is shown: the estimate with its interval as one, and that the
    pairs above chance may lie outside of it.
    """
    shown = {name: n for name, n in counts.items() if name != "warning"}
    if "estimated_at_most" in shown:
        fewest, most = (shown.pop(f"estimated_at_{end}") for end in ("least", "most"))
        if fewest < most:
            shown["estimated_replicas"] = (
                f"{shown['estimated_replicas']:,} ({fewest:,} to {most:,}, eight times in ten)"
            )
    if "pairs_above_chance" in shown:
        shown["pairs_above_chance"] = f"{shown['pairs_above_chance']:,} (a count of its own)"
    return shown


def _remembered(db: Database, stage: Stage) -> dict[str, Any]:
    """What the stage counted when it ran."""
    counts = db.value("SELECT value FROM meta WHERE key = ?", [f"counts.{stage.name}"])
    found: dict[str, Any] = json.loads(counts or "{}")
    return found
