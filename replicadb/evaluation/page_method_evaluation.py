"""Page methods, signals and their combination against pairs of pages that are known: precision,
recall, F, curves and break-even points.

Invariant: every judged pair counts for every method and signal; a pair that a method cannot
compare is one that it does not find (the combined signals are judged on the pairs whose pages the
database has: ``pairs`` of their row). A signal stands alone at its best threshold, which is chosen
on these very labels and so flatters it; methods are judged at their own threshold, and at their
best besides; the combined signals are judged out of fold. Intervals are over resampled groups of
pairs that share pages. Sources: docs/method.md#pages; Huffman et al. (2007), section 5; Das et al.
(2012), section 4; the RP + HM paper (2003), section 3 (break-even point).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from replicadb.arrays import Bools, Floats, Ints, Whole
from replicadb.errors import DataError
from replicadb.evaluation.page_method_scores import METHODS
from replicadb.evaluation.page_papers import page_papers
from replicadb.evaluation.page_precision import break_even, precision_recall
from replicadb.evaluation.ranking_curve import average_precision, curve_of
from replicadb.near_duplicates.loaded_contents import need_contents
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.registry import finder
from replicadb.page_pairs import page_training
from replicadb.page_pairs.compression_distance import Engine
from replicadb.page_pairs.page_validation import Labelled, Options
from replicadb.page_pairs.pair_list import Pairs, read_pairs
from replicadb.page_pairs.signals import compute
from replicadb.store.database import Database

Say = Callable[[str], None]
SAMENESS = ("same_domain", "same_path", "same_last_segment", "same_title", "rendered_same_title")
"""Signals that are higher for duplicates; the others are distances."""
COMBINED = ("F", "F,U", "F,R", "F,R,RS", "F,R,RS,X", "F,R,RS,X,U")
CONTENT_LABEL = "content_label"
"""The usual name of the column of labels that page methods are judged by; it may be missing."""
RESAMPLES = 200
CURVE_POINTS = 200


def evaluate_pages(
    db: Database,
    gold: str | Path,
    *,
    options: PageOptions | None = None,
    engine: Engine | None = None,
    seeds: int = 9,
    folds: int = 10,
    seed: int = 0,
    all_pairs: bool = True,
    label: str = "label",
    content_label: str = CONTENT_LABEL,
    as_published: bool = False,
    say: Say = lambda line: None,
) -> dict[str, Any]:
    """Judge every page method, every signal and the combined signals.

    Args:
        gold: CSV with url_a, url_b and ``label`` (duplicate or not); ``content_label``, where it is
            there, is what the page methods are judged by (by another name, it must be there).
        seeds, folds, seed: of the cross-validation of the combined signals.
        all_pairs: also run each method over all pages of the database, for time and candidates.
        as_published: also measure as the papers do, and say what became of their conclusions.

    Returns:
        pairs, duplicates, content_duplicates, unknown_urls, unknown_signals (no pair has them:
        pages not rendered, say), rows (method, signal or combination: precision, recall, f,
        intervals, best, break_even, average_precision, curve) and work (seconds and counts by
        method), as JSON can hold it.

    Raises:
        DataError: no content is loaded, or the gold cannot be used. UsageError: no scikit-learn.
    """
    options, engine = options or PageOptions(), engine or Engine()
    need_contents(db)
    with db.temporary():
        pairs = read_pairs(db, gold, label=label, labelled=True)
        of_content = _content_labels(db, gold, content_label) if content_label else None
        groups = page_training.components(pairs.a_id, pairs.b_id)
        judged, by = (pairs.labels, label) if of_content is None else (of_content, content_label)
        rows = [
            {"name": row["name"], "kind": "method", "gold": by} | row
            for row in _of_methods(db, pairs.a_id, pairs.b_id, options, judged, groups, seed, say)
        ]
        say("signals")
        values = compute(db, pairs, engine)
    unknown = [name for name, of_pair in values.items() if np.isnan(of_pair).all()]
    known = [name for name in values if name not in unknown]
    rows += [_of_signal(name, values[name], pairs.labels, label, groups, seed) for name in known]
    data = page_training.labelled(pairs, values, str(gold))
    rows += _of_combinations(data, engine, seeds, folds, seed, say)
    more: dict[str, Any] = {}
    if as_published:
        how = (seeds, folds, seed)
        with db.temporary():
            pairs = read_pairs(db, gold, label=label, labelled=True)
            more["as_published"] = page_papers(db, pairs, judged, data, engine, how, say)
    if all_pairs:
        more["work"] = [_work(db, name, options, say) for name in METHODS]
    return _about(pairs, of_content, engine) | {"unknown_signals": unknown, "rows": rows} | more


def _about(pairs: Pairs, of_content: Whole | None, engine: Engine) -> dict[str, Any]:
    """What the figures are of."""
    return {
        "pairs": len(pairs),
        "duplicates": int((pairs.labels == 1).sum()),
        "unknown_urls": pairs.unknown,
        "content_duplicates": int((of_content == 1).sum()) if of_content is not None else None,
        "engine": engine.label,
    }


def _of_methods(
    db: Database,
    a: Ints,
    b: Ints,
    options: PageOptions,
    labels: Whole,
    groups: Ints,
    seed: int,
    say: Say,
) -> Iterator[dict[str, Any]]:
    """The figures of each page method on pairs of url_ids (n,), at its own threshold."""
    for name, (scores, _, own) in METHODS.items():
        say(name)
        with db.temporary():
            found = scores(db, options.with_changes(**own), a, b)
        yield {"name": name} | figures(found.score, labels, groups, found.threshold, seed)


def _of_combinations(
    data: Labelled, engine: Engine, seeds: int, folds: int, seed: int, say: Say
) -> Iterator[dict[str, Any]]:
    """The rows of the combinations whose signals are known."""
    for names in COMBINED:
        say(f"combined signals {names}")
        if combined := _combined(data, names, engine, seeds, folds, seed):
            yield combined


def _of_signal(
    name: str, values: Floats, labels: Whole, label: str, groups: Ints, seed: int
) -> dict[str, Any]:
    """The row of a signal; a distance counts the other way round."""
    score = values if name in SAMENESS else -values
    return {"name": name, "kind": "signal", "gold": label} | figures(
        score, labels, groups, None, seed
    )


def figures(
    score: Floats, label: Whole, groups: Ints, threshold: float | None, seed: int = 0
) -> dict[str, Any]:
    """How good a score is on labelled pairs.

    Args:
        score: (n,) float64, higher is more alike; NaN is never found.
        label: (n,) 1 duplicate, 0 not; others do not count.
        groups: (n,) numbers of pairs that hang together, for the intervals.
        threshold: the decision is score >= threshold; None: at the best F only.

    Returns:
        pairs, compared, at_threshold and best (threshold, precision, recall, f, f_interval),
        break_even, average_precision, curve ([recall, precision]). at_bar and bar are their names
        of before, for one more version.
    """
    judged = label >= 0
    score, truth, groups = (
        np.where(np.isnan(score), -np.inf, score)[judged],
        label[judged] == 1,
        groups[judged],
    )
    if not truth.any() or truth.all():
        return {"pairs": int(judged.sum()), "compared": int(np.isfinite(score).sum())}
    thresholds, precision, recall = precision_recall(score, truth)
    f = np.where(
        precision + recall > 0, 2 * precision * recall / np.maximum(precision + recall, 1e-12), 0.0
    )
    best = int(np.argmax(f)) if len(f) else -1
    found: dict[str, Any] = {"pairs": int(judged.sum()), "compared": int(np.isfinite(score).sum())}
    chances = _resamples(groups, seed)
    if threshold is not None:
        decided = _decided(score >= threshold - 1e-12, truth, chances)
        found["at_threshold"] = found["at_bar"] = _at(round(threshold, 6)) | decided
    if best >= 0:
        decided = _decided(score >= thresholds[best], truth, chances)
        found["best"] = _at(float(thresholds[best])) | decided
    n = len(thresholds)
    drawn = np.unique(np.linspace(0, n - 1, min(CURVE_POINTS, n)).astype(int)).tolist() if n else []
    ranked = np.maximum(score, -1e9)
    curve = curve_of(ranked[truth], np.sort(ranked[~truth]))
    return found | {
        "break_even": break_even(precision, recall),
        "average_precision": round(float(average_precision(curve.true, curve.false)), 4),
        "curve": [[round(float(recall[i]), 4), round(float(precision[i]), 4)] for i in drawn],
    }


def _at(threshold: float) -> dict[str, float]:
    """The threshold by its name and, for one more version, by that of before."""
    return {"threshold": threshold, "bar": threshold}


def _decided(said: Bools, truth: Bools, chances: npt.NDArray[np.float32]) -> dict[str, Any]:
    """Precision, recall, F, and the 95 % interval of F over resamples of groups, (RESAMPLES, n)
    weights.
    """
    hits, p, n = int((said & truth).sum()), int(said.sum()), int(truth.sum())
    counts = chances @ np.stack([said & truth, said, truth], axis=1).astype(float)
    f = 2 * counts[:, 0] / np.maximum(counts[:, 1] + counts[:, 2], 1e-12)
    low, high = np.percentile(f, [2.5, 97.5])
    return {
        "precision": round(hits / p, 4) if p else None,
        "recall": round(hits / n, 4),
        "f": round(2 * hits / (p + n), 4),
        "f_interval": [round(float(low), 4), round(float(high), 4)],
    }


def _resamples(groups: Ints, seed: int) -> npt.NDArray[np.float32]:
    """How often each pair counts in each resample of the groups, (RESAMPLES, n) float32."""
    _, at = np.unique(groups, return_inverse=True)
    k = int(at.max(initial=-1)) + 1
    drawn = (
        np.random.default_rng(seed).multinomial(k, np.full(k, 1 / k), RESAMPLES).astype(np.float32)
    )
    return drawn[:, at]


def _combined(
    data: Labelled, names: str, engine: Engine, seeds: int, folds: int, seed: int
) -> dict[str, Any] | None:
    """The combined signals out of fold: both classifiers' median, and the mean of their F, as the
    paper quotes it.
    """
    from replicadb.page_pairs.signals import GROUPS

    if any(not set(GROUPS[group]) & set(data.signals) for group in names.split(",")):
        return None
    _, found = page_training.train(
        data, engine.label, Options(groups=names, seeds=seeds, folds=folds, seed=seed)
    )
    return {
        "name": names,
        "kind": "combined",
        "gold": "label",
        "pairs": found["pairs"],
        "compared": found["pairs"],
        "f": found["f"],
        "signals": found["signals"],
        **{
            learner: {k: found[learner][k] for k in ("precision", "recall", "f")}
            for learner in ("ripper", "tree")
            if found[learner]
        },
    }


def _content_labels(db: Database, gold: str | Path, column: str) -> Whole | None:
    """The labels of the other column, (n,) int8; None where the file has none of both kinds, unless
    another column than the usual one was named: that must be there.
    """
    try:
        labels = read_pairs(db, gold, label=column, labelled=True).label
    except DataError:
        if column != CONTENT_LABEL:
            raise
        return None
    return labels


def _work(db: Database, name: str, options: PageOptions, say: Say) -> dict[str, Any]:
    """Time and candidates of a method over all pages of the database."""
    say(f"{name} on all pages")
    _, method, own = METHODS[name]
    started = time.perf_counter()
    with db.temporary():
        counts = finder(method)(db, options.with_changes(**own))
    return {
        "name": name,
        "method": method,
        "seconds": round(time.perf_counter() - started, 2),
        **counts,
    }
