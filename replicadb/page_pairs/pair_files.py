"""From files of pairs to signals, classifiers and judgements: what the commands ``pages signals``,
``train`` and ``classify`` do.

Invariant: the database is not changed; rows come out in the order of the file, all of them;
signals are computed as the classifier that judges them was trained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.arrays import Bools, Floats
from replicadb.errors import DataError
from replicadb.near_duplicates.loaded_contents import need_contents
from replicadb.page_pairs import page_classifier as classifiers
from replicadb.page_pairs.compression_distance import Engine
from replicadb.page_pairs.page_classifier import Classifier
from replicadb.page_pairs.page_training import labelled, train
from replicadb.page_pairs.page_validation import Labelled, Options
from replicadb.page_pairs.pair_list import Pairs, read_pairs
from replicadb.page_pairs.signals import OF_URLS, SIGNALS, WHOLE, compute
from replicadb.store.database import Database

Say = Callable[[str], None]
LACKING_SIGNALS = {
    "rendered pages": (
        "rendered_",
        "render them first: replicadb pages render DB WARC, or train with --groups F",
    ),
    "the text around a query": (
        "snippet_mcd",
        "name each pair's query in a column query, or train without FS and RS",
    ),
}
"""What pairs may lack that a classifier compares: a part of its signals' names, what to do."""


def signal_table(pairs: Pairs, found: dict[str, Floats], engine: str) -> pa.Table:
    """Pairs with their signals, one row each, as Arrow; NULL = not known. The last column names the
    compression engine and level.
    """
    columns = _given(pairs)
    for name in SIGNALS:
        if name in found:
            missing = np.isnan(found[name])
            values = np.where(missing, 0, found[name])
            columns[name] = pa.array(
                values.astype(np.int64) if name in WHOLE else values, mask=missing
            )
    columns["engine"] = pa.array([engine] * len(pairs), pa.string())
    return pa.table(columns)


def signals_of_file(
    db: Database, path: str | Path, engine: Engine, query: str = "query"
) -> tuple[pa.Table, Pairs]:
    """``pages signals``: the pairs of a file with every signal.

    Raises:
        DataError: nothing is loaded with content, or the file cannot be used.
    """
    need_contents(db)
    with db.temporary():
        pairs = read_pairs(db, path, query)
        found = compute(db, pairs, engine)
    return signal_table(pairs, found, engine.label), pairs


def train_file(
    db: Database,
    path: str | Path | None,
    engine: Engine,
    options: Options,
    *,
    say: Say = lambda line: None,
    tables: bool = False,
    tests: Sequence[str | Path] = (),
    query: str = "query",
    label: str = "label",
) -> tuple[Classifier, dict[str, Any]]:
    """``pages train``: learn from the labelled pairs of a file; without one from exact and obvious
    pairs of the database.

    Args:
        tests: other files of labelled pairs, for Table 5.

    Raises:
        DataError: nothing is loaded with content, or the labels cannot be used. UsageError: unknown
            groups, or a library is missing.
    """
    need_contents(db)
    if path is None:
        from replicadb.page_pairs.self_labelling import self_labelled

        with db.temporary():
            data, about = self_labelled(db, engine, options.seed, say)
        if options.groups == "auto":
            # no snippets: pairs to be judged may come without a query
            options = replace(options, groups="F,R,X")
    else:
        data, about = _labelled(db, path, engine, query, label), {"labels": str(path)}
    others = {str(other): _labelled(db, other, engine, query, label) for other in tests}
    classifier, result = train(data, engine.label, options, say, tables, others)
    return replace(classifier, trained=classifier.trained | about), about | result


def _labelled(db: Database, path: str | Path, engine: Engine, query: str, label: str) -> Labelled:
    with db.temporary():
        pairs = read_pairs(db, path, query, label, labelled=True)
        return labelled(pairs, compute(db, pairs, engine), str(path))


def classify_file(
    db: Database,
    path: str | Path,
    model: str | Path,
    engine: Engine | None = None,
    query: str = "query",
) -> tuple[pa.Table, Pairs, Classifier]:
    """``pages classify``: the pairs of a file with a classifier's judgement; NULL where a page is
    not known, or nothing of what it says: a URL that was loaded without --content is not judged by
    its domain alone.

    Args:
        engine: refuse a classifier of another; None takes the classifier's.

    Raises:
        DataError: no such classifier, one of another engine, nothing loaded with content, the file
            cannot be used, or no pair has any signal of a kind that the classifier uses.
    """
    need_contents(db)
    classifier = classifiers.load(model)
    engine = engine_of(classifier, model, engine)
    with db.temporary():
        pairs = read_pairs(db, path, query)
        found = compute(db, pairs, engine, classifier.signals)
    known = (pairs.a_id >= 0) & (pairs.b_id >= 0)
    pairs = replace(pairs, lacking=lacking(classifier.used_signals, found, known))
    for kind in (kind for kind, n in pairs.lacking.items() if n == known.sum()):
        raise DataError(
            f"{model}: asks for signals of {kind}, and no pair of {path} has them;"
            f" {LACKING_SIGNALS[kind][1]}"
        )
    judged = classifier.classify(found)
    of_content = [values for name, values in found.items() if name not in OF_URLS]
    unknown = np.isnan(np.column_stack(of_content)).all(axis=1) if of_content else ~known
    columns = _given(pairs)
    words = np.where(judged.pop("duplicate"), "duplicate", "not").astype(object)
    words[unknown] = None
    columns["judgement"] = pa.array(words.tolist(), pa.string())
    for name, values in judged.items():
        columns[name] = pa.array(
            values.astype(np.int64) if name != "probability" else values, mask=unknown
        )
    return pa.table(columns), pairs, classifier


def lacking(used: tuple[str, ...], found: dict[str, Floats], known: Bools) -> dict[str, int]:
    """How many of the known pairs have no signal of a kind that is used; kinds that none lacks
    left out.

    Args:
        used: signals that a classifier compares.
        found: signal to (n,) float64, NaN where not known.
        known: (n,) bool, pairs that are judged.
    """
    counts = {}
    for kind, (part, _) in LACKING_SIGNALS.items():
        if any(part in name for name in used):
            values = [np.isnan(values) for name, values in found.items() if part in name]
            counts[kind] = int((np.all(values, axis=0) & known).sum())
    return {kind: n for kind, n in counts.items() if n}


def engine_of(classifier: Classifier, model: str | Path, wanted: Engine | None) -> Engine:
    """The compression engine that a classifier was trained with.

    Raises:
        DataError: this machine's, or the wanted one, gives other sizes. UsageError: it is not
            installed.
    """
    name, _, level = classifier.engine.rpartition("-")
    try:
        engine = wanted or Engine(name.removesuffix("-ng"), int(level))
    except ValueError as error:
        raise DataError(
            f"{model}: no compression engine {classifier.engine!r}; train it again: replicadb pages"
            " train"
        ) from error
    if engine.label != classifier.engine:
        raise DataError(
            f"{model}: was trained with {classifier.engine}, and {engine.label} gives other"
            " distances; leave --engine and --level away, or train it again here: replicadb pages"
            " train"
        )
    return engine


def model_beside(db: str | Path) -> Path:
    """Where a database's classifier lies unless named otherwise: web.duckdb has web.pages.json."""
    return Path(db).with_suffix(".pages.json")


def _given(pairs: Pairs) -> dict[str, pa.Array]:
    columns = {
        "url_a": pa.array(pairs.url_a, pa.string()),
        "url_b": pa.array(pairs.url_b, pa.string()),
    }
    if pairs.query is not None:
        columns["query"] = pa.array(pairs.query, pa.string())
    if pairs.label is not None:
        words = {1: "duplicate", 0: "not"}
        columns["label"] = pa.array([words.get(int(value)) for value in pairs.label], pa.string())
    if pairs.cause is not None:
        columns["cause"] = pa.array(pairs.cause, pa.string())
    return columns
