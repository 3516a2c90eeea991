"""``evaluate``: every method on the same pairs against known replicas.

Invariant: the database is as it was before (all work is done in a :class:`Scratch`); the
result is a plain dict that JSON can hold, in which None means not defined; the same database, gold
and seed give the same figures (timings aside). What counts the crawl as it is (``data``,
``figures``, numbers of URLs, hosts and pairs) has no interval; where an interval is None, nothing
could be resampled, as ``data["notes"]`` says. Source: the paper section 4, docs/method.md#metrics.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from replicadb.arrays import Floats
from replicadb.errors import DataError, UsageError, need_count
from replicadb.evaluation import crawl_figures, paper_tables, published_figures
from replicadb.evaluation.caveats import connected, left_aside, notes
from replicadb.evaluation.context import Context
from replicadb.evaluation.crawl_order import crawl_order as first_urls
from replicadb.evaluation.crawl_order import need_order
from replicadb.evaluation.drop_list import drop_list
from replicadb.evaluation.gold import Gold, read_gold
from replicadb.evaluation.headlines import METHODS as HEADLINE_METHODS
from replicadb.evaluation.headlines import headlines
from replicadb.evaluation.judge import PARTS, Judge
from replicadb.evaluation.likelihood_plane import likelihood_plane
from replicadb.evaluation.methods.method import Method, NotHere
from replicadb.evaluation.methods.method_registry import chosen
from replicadb.evaluation.scratch import Scratch
from replicadb.evaluation.significance import holm, wilcoxon
from replicadb.evaluation.thesis_tables import thesis_tables
from replicadb.evaluation.worst_errors import worst_errors
from replicadb.store.database import Database
from replicadb.under_way import each
from replicadb.version import __version__

Say = Callable[[str], None]
"""Called with one line of progress."""
REFERENCES = ("robust", "paper")
"""Methods that every other one is compared with by the signed-rank test."""
SIGNIFICANCE = {
    "test": (
        f"Wilcoxon signed-rank, two-sided, over {PARTS} parts of the pairs (a replica group lies in"
        " one part), non-obvious replicas"
    ),
    "correction": "Holm (1979), over all methods that one reference is compared with by one metric",
    "level": 0.05,
}


def _each(names: Iterable[str] | None) -> list[str] | None:
    """The names, which may stand in one text with commas between, as on the command line."""
    given = names.split(",") if isinstance(names, str) else names
    return None if given is None else [str(name).strip() for name in given]


def evaluate(
    db: Database,
    gold: str | Path,
    methods: list[str] | str | None = None,
    folds: int = 5,
    seed: int = 0,
    report: Say | None = None,
    positive: tuple[str, ...] | str = ("replica",),
    with_ambiguous: bool = False,
    as_published: bool = False,
    crawl_order: str | None = None,
    tables: bool = True,
) -> dict[str, Any]:
    """Compare methods on a database whose replicas are known, and which does not change: where
    results are stale, detection is run beside it.

    Args:
        db: a database with a crawl loaded. gold: a file for ``read_gold``. methods: names of the
            registry or of groups of methods, also in one text with commas; None is all of them.
        folds: of cross-validation; 1 for none. seed: of folds and resamples. report: called with a
            line of progress. positive, with_ambiguous: see ``read_gold``. as_published: the paper's
            candidates, settings and headlines, whatever was detected. crawl_order: also judge hosts
            by their first URLs (crawl_order.py). tables: the paper's, and those of rewrite rules.

    Returns: data, methods, hosts to drop, comparisons, tables 2 to 5, what was published, and more.

    Raises:
        DataError: nothing is loaded, the gold cannot be used, or no method can run here.
        UsageError: an unknown method or label. LimitError: too many pairs would come.
    """
    _need_options(db, folds, crawl_order)
    if methods is None and as_published:
        methods = list(HEADLINE_METHODS)
    wanted, say = chosen(_each(methods)), report or (lambda line: None)
    known = read_gold(db, gold, tuple(_each(positive) or ()), with_ambiguous)
    say("features of candidate pairs")
    with Scratch(db, as_published) as scratch:
        scratch.detect_until_features()
        context = Context(scratch, known, int(folds), need_count("seed", seed))
        _need_replicas(context, gold)
        judge = Judge(context, with_rules=tables)
        parts: dict[str, dict[str, Floats]] = {}
        entries = _run_all(wanted, judge, parts, say)
        found = _tables(judge, entries, as_published, say) if tables else {}
        return {
            "replicadb": __version__,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": machine(),
            "data": data_facts(context, judge, Path(db.path).name),
            "methods": entries,
            "drop_list": drop_list(db, known),
            "crawl_order": first_urls(db, known, crawl_order, say) if crawl_order else None,
            "plane": _plane(judge, entries),
            "comparisons": comparisons(parts),
            "significance": SIGNIFICANCE,
            "tables": found,
            "figures": crawl_figures.collect(scratch, known.names),
            "published": published_figures.as_json(),
            "headlines": headlines(entries, found.get("3")) if as_published else [],
        }


def _tables(
    judge: Judge, entries: list[dict[str, Any]], as_published: bool, say: Say
) -> dict[str, Any]:
    say("tables")
    of_thesis = thesis_tables(judge.context, judge, whole=as_published)
    of_paper = paper_tables.all_tables(judge.context, judge, entries, in_folds=as_published)
    return of_paper | of_thesis


def _plane(judge: Judge, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Figure 1, where the published method ran; empty elsewhere."""
    ran = any(entry["name"] == "paper" and entry["all"] for entry in entries)
    return likelihood_plane(judge.context) if ran else []


def _need_options(db: Database, folds: int, crawl_order: str | None) -> None:
    if not 1 <= need_count("--folds", folds) <= 100:
        raise UsageError(f"--folds is {folds}; give 1 (none) to 100")
    if crawl_order:
        need_order(db, crawl_order)


def _need_replicas(context: Context, gold: str | Path) -> None:
    """Raises DataError where no replica of the gold is a candidate."""
    if not context.truth.any():
        of = f"{context.db.path}{_unknown(context.gold)}"
        raise DataError(
            f"{gold}: none of its replicas is a candidate pair of {of}; is it of this crawl?"
        )


def _run_all(
    methods: list[Method], judge: Judge, parts: dict[str, dict[str, Floats]], say: Say
) -> list[dict[str, Any]]:
    """``methods`` of the result. Raises DataError where none could run here."""
    entries = [_run(method, judge, parts, say) for method in each("methods", methods, "methods")]
    if not any(entry["all"] for entry in entries):
        raise DataError("no method that was asked for can run here: " + left_out_text(entries))
    return entries


def _run(
    method: Method, judge: Judge, parts: dict[str, dict[str, Floats]], say: Say
) -> dict[str, Any]:
    """One entry of ``methods``; one that cannot run here has its note and nothing else."""
    say(method.title)
    entry: dict[str, Any] = {
        "name": method.name,
        "title": method.title,
        "family": method.family,
        "needs_gold": method.needs_gold,
    }
    started = time.perf_counter()
    try:
        scored = method.run(judge.context)
    except NotHere as why:
        return entry | {
            "seconds": None,
            "all": None,
            "non_obvious": None,
            "by_cause": {},
            "flagged": None,
            "reliability": None,
            "roc": [],
            "roc_non_obvious": [],
            "precision_recall": [],
            "precision_recall_non_obvious": [],
            "rr": [],
            "rr_non_obvious": [],
            "rr_curve": [],
            "rr_curve_both": [],
            "rr_curve_non_obvious": [],
            "rdr": {},
            "folds": None,
            "worst_errors": [],
            "note": str(why),
        }
    entry["seconds"] = round(time.perf_counter() - started, 4)
    parts[method.name] = judge.by_part(np.asarray(scored.scores, float))
    worst = worst_errors(judge.context, scored)
    return entry | judge.figures(scored) | {"worst_errors": worst, "note": scored.note}


def left_out_text(entries: list[dict[str, Any]]) -> str:
    """The methods that could not run, those of one reason together, in one line; '' where all
    could.
    """
    reasons: dict[str, list[str]] = {}
    for entry in (entry for entry in entries if not entry["all"]):
        reasons.setdefault(entry["note"], []).append(entry["name"])
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())


def _unknown(gold: Gold) -> str:
    """What to say of hosts that the database does not have."""
    if not gold.unknown_hosts:
        return ""
    return (
        f" ({gold.unknown_hosts:,} of its hosts {'is' if gold.unknown_hosts == 1 else 'are'}"
        f" unknown there, {gold.unknown_example} for one)"
    )


def comparisons(parts: dict[str, dict[str, Floats]]) -> list[dict[str, Any]]:
    """Signed-rank tests of the references against every other method, on non-obvious replicas part
    by part.

    ``holm_p`` is corrected for the number of methods that one reference is compared with by one
    metric.
    """
    found = []
    for reference in (name for name in REFERENCES if name in parts):
        for metric in ("auc", "average_precision"):
            family: list[dict[str, Any]] = []
            for name in (name for name in parts if name != reference):
                a, b = parts[reference][metric], parts[name][metric]
                both = ~np.isnan(a) & ~np.isnan(b)
                if both.any():
                    family.append(
                        {
                            "a": reference,
                            "b": name,
                            "metric": metric,
                            "wilcoxon_p": wilcoxon(a[both], b[both]),
                            "mean_difference": round(float(np.mean(a[both] - b[both])), 7),
                            "n": int(both.sum()),
                        }
                    )
            for test, p in zip(family, holm([test["wilcoxon_p"] for test in family]), strict=True):
                test["holm_p"] = p
            found += family
    return found


def data_facts(context: Context, judge: Judge, name: str) -> dict[str, Any]:
    """What the figures are of."""
    gold, db = context.gold, context.db
    replicas, candidates = gold.replicas, int(context.truth.sum())
    of_cause = {}
    for cause in sorted(set(gold.cause[gold.label == 1]) - {""}):
        of_cause[cause] = {
            "gold": int((gold.cause[gold.label == 1] == cause).sum()),
            "candidates": int((judge.causes == cause).sum()),
        }
    return {
        "database": name,
        "hosts": db.value("SELECT count(*) FROM hosts"),
        "urls": db.value("SELECT count(*) FROM compared_urls"),
        "duplicate_urls": int(judge.urls.all.sum()),
        "dup_clusters": db.value("SELECT count(*) FROM dup_clusters"),
        "candidate_pairs": context.n,
        "obvious_replicas": int(context.obvious.sum()),
        "gold_pairs": len(gold.label),
        "gold_replicas": replicas,
        "gold_labelled": gold.labelled,
        "gold_candidates": candidates,
        "candidate_recall": candidates / replicas,
        "candidate_recall_interval": judge.candidate_recall(),
        "gold_unknown_hosts": gold.unknown_hosts,
        "gold_unknown_example": gold.unknown_example,
        "gold_non_obvious": len(judge.gold_groups["non_obvious"]),
        "gold_left_out": gold.left_out,
        "connected": connected(context),
        "decisions": left_aside(db),
        "gold_groups": judge.resamples.times.shape[1],
        "evaluated_pairs": int(context.compared.sum()),
        "evaluated_replicas": candidates,
        "non_obvious_replicas": int(judge.non_obvious.sum()),
        "missed_replicas": judge.missed[0],
        "missed_others": judge.missed[1],
        "causes": of_cause,
        "notes": notes(context, judge),
    }


def machine() -> dict[str, Any]:
    """What it ran on."""
    try:
        memory = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError, AttributeError):  # not a POSIX system
        memory = None
    return {
        "cores": os.cpu_count(),
        "memory_gb": memory,
        "python": platform.python_version(),
        "duckdb": duckdb.__version__,
    }
