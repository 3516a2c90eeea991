"""The thesis' tables, and the paper's Table 2 in folds, against a count over each fold's pairs.

Tries paper_tables, too.
"""

from __future__ import annotations

import numpy as np
import pytest

import replicadb
from evaluation.reference import roc_auc
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.evaluation.context import Context
from replicadb.evaluation.gold import read_gold
from replicadb.evaluation.judge import Judge
from replicadb.evaluation.methods.carvalho import THESIS, learn
from replicadb.evaluation.methods.method_registry import registry
from replicadb.evaluation.paper_tables import features, quick_schedule
from replicadb.evaluation.scratch import Scratch
from replicadb.evaluation.thesis_tables import IN_FOLDS, thesis_tables
from replicadb.learning import em
from replicadb.synthetic.crawl.generate import generate

pytestmark = pytest.mark.slow

ONE_LEARNER = ("paper-pu", "paper-nu", "thesis-pu-0.6", "thesis-nu-0.5")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The context of a crawl of 160 hosts, and its tables."""
    folder = tmp_path_factory.mktemp("thesis")
    crawl = generate(folder, 160, urls=5_000, profile="demo", seed=4)
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(crawl.crawl)
        web.detect(method="paper")
        with Scratch(web.database, True) as scratch:
            scratch.detect_until_features()
            context = Context(scratch, read_gold(scratch, folder / "gold.csv"), 1, 0)
            yield context, thesis_tables(context, Judge(context), whole=True)


def test_table_4_2_is_of_each_feature_under_the_best_thresholds(found):
    context, tables = found
    rows = {row[0]: row[1:] for row in tables["4.2"]["rows"]}
    by_threshold = {row[0]: row[1:] for row in tables["4.1"]["rows"]}
    assert rows["–"][:2] == rows["–"][2:] == [by_threshold["0.6"][0], by_threshold["0.5"][1]]
    patterns = context.patterns("frequency")
    for name, cell in (("ndist", 0), ("fullpath", 0)):
        column = PAPER_FEATURES.index(name)
        values = patterns.bins[:, [column]]
        bins, at = np.unique(values, axis=0, return_inverse=True)
        index = at.ravel()[patterns.index]
        both = (~context.obvious, context.obvious)
        counts = np.column_stack([np.bincount(index[w], minlength=len(bins)) for w in both])
        learned = em.transitions(bins, counts, counts[:, 0], data="PU", cut=0.6, schedule="batch")
        scores = 1 - learned.alpha[index]
        assert rows[name][cell] == pytest.approx(area(scores, context), abs=1e-6)


def test_one_learner_alone_decides_too_and_its_table_has_its_areas(found):
    context, tables = found
    run = {name: registry()[name].run(context) for name in ONE_LEARNER}
    assert all(run[name].flagged is not None for name in ONE_LEARNER)
    assert run["paper-nu"].flagged.any() and run["thesis-nu-0.5"].flagged.any()
    of_thesis = {row[0]: row[1:] for row in tables["4.1"]["rows"]}
    for name, cell in (("thesis-pu-0.6", 0), ("thesis-nu-0.5", 1)):
        expected = area(run[name].scores, context)
        assert of_thesis[name.rpartition("-")[2]][cell] == pytest.approx(expected, abs=1e-6)


def test_two_by_five_folds_are_the_mean_of_ten_runs(found):
    context, tables = found
    rows = {row[0]: row[1:] for row in tables["2 x 5 folds"]["rows"]}
    assert tuple(rows) == IN_FOLDS
    outer, inner = context.thesis_fold
    assert set(outer) == {0, 1} and set(inner) == {0, 1, 2, 3, 4}
    index, areas = context.patterns("frequency").index, []
    for fold in ((o, i) for o in range(2) for i in range(5)):
        likely = learn(context, "PU", cut=0.6, fold=fold, **THESIS).end[index]
        areas.append(area(likely, context, outer == fold[0]))
    expected = [np.mean(areas), min(areas), max(areas)]
    assert rows["thesis-pu-0.6"] == pytest.approx(expected, abs=1e-6)


def test_table_2_is_the_mean_of_folds_scored_by_what_the_others_taught(found):
    """Section 4.1.2: four folds and all of P teach, the fifth is scored, the figure is the mean."""
    context = Context(found[0].db, found[0].gold, 5, 0)
    table = features(context, Judge(context, with_rules=False), in_folds=True)
    rows = {row[0]: row[1:] for row in table["rows"]}
    assert "Means of 5 folds" in table["note"]
    patterns, schedule = context.patterns(), quick_schedule(context)
    alone, without = (PAPER_FEATURES.index("fullpath"),), tuple(range(1, len(PAPER_FEATURES)))
    for name, cell, columns in (("fullpath", 0, alone), (PAPER_FEATURES[0], 2, without)):
        bins, at = np.unique(patterns.bins[:, columns], axis=0, return_inverse=True)
        index, areas = at.ravel()[patterns.index], []
        for fold in range(5):
            both = (~context.obvious & (context.pair_fold != fold), context.obvious)
            counts = np.column_stack([np.bincount(index[w], minlength=len(bins)) for w in both])
            how = {"data": "PU", "cut": "own", "schedule": schedule}
            learned = em.transitions(bins, counts, counts[:, 0], **how)
            areas.append(area(1 - learned.alpha[index], context, context.pair_fold == fold))
        assert rows[name][cell] == pytest.approx(np.mean(areas), abs=1e-6), name


def area(scores, context, among=True) -> float:
    """AUC by the reference, of the pairs that are compared."""
    chosen = context.compared & among
    return roc_auc(scores[chosen], context.truth[chosen])
