"""Stage 50: examples with the same bins are one pattern, and each example is counted once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.detection.patterns import (
    CUTTERS,
    EXAMPLES,
    ZERO_OWN_BIN,
    five_feature_cuts,
    patterns,
)
from replicadb.settings import Settings

COUNTS = ("unlabelled", "obvious_replicas", "obvious_non_replicas")


@pytest.mark.slow
def test_each_example_is_counted_in_the_pattern_of_its_bins(lasting):
    lasting.detect(method="paper")
    db = lasting.database
    found = db.rows(f"SELECT {', '.join(PAPER_FEATURES + COUNTS)} FROM patterns")
    bins = [row[: len(PAPER_FEATURES)] for row in found]
    assert len(set(bins)) == len(bins) > 1
    counted = [sum(row[len(PAPER_FEATURES) + i] for row in found) for i in range(len(COUNTS))]
    labels = dict(db.rows(f"SELECT label, count(*) FROM {EXAMPLES} GROUP BY label"))
    assert counted == [labels.get(label, 0) for label in (0, 1, -1)] and min(counted) > 0
    distinct = db.value(f"SELECT count(DISTINCT ({', '.join(PAPER_FEATURES)})) FROM {EXAMPLES}")
    assert len(found) <= distinct
    ids = db.rows(f"SELECT pattern_id FROM patterns ORDER BY {', '.join(PAPER_FEATURES)}")
    assert [one for (one,) in ids] == list(range(len(found)))


@pytest.mark.slow
def test_zero_has_its_own_bin_and_all_bins_stay_within_the_patterns_with_those_of_null(lasting):
    lasting.detect(method="paper")
    db = lasting.database
    paper = Settings().with_changes(method="paper", bins=3)
    cuts = five_feature_cuts(db, paper.with_changes(discretise="frequency"))
    assert (
        {name for name in cuts if 0.0 in cuts[name]}
        == set(ZERO_OWN_BIN)
        == {*PAPER_FEATURES} - {"ndist"}
    )
    bins = {name: len(cuts[name]) + 1 - (name in ZERO_OWN_BIN) for name in cuts}
    assert max(bins.values()) == max(bins[name] for name in ZERO_OWN_BIN) == 3
    of_null = [
        int(db.value(f"SELECT count(*) > count({name}) FROM {EXAMPLES}")) for name in PAPER_FEATURES
    ]
    assert sum(of_null) > 0
    for most in range(60, 400, 20):
        limited = paper.with_changes(discretise="frequency", max_patterns=most)
        cuts = five_feature_cuts(db, limited)
        counted = [len(cuts[name]) + 1 for name in PAPER_FEATURES]
        assert math.prod(map(sum, zip(counted, of_null, strict=True))) <= most


def test_by_labels_the_method_says_itself_how_many_bins_and_gives_zero_none(lasting, monkeypatch):
    asked = []

    def cutter(values, counts, *, max_bins, zero_own_bin):
        asked.append((max_bins, zero_own_bin))
        return np.zeros(0)

    monkeypatch.setitem(CUTTERS, "mdl", cutter)
    five_feature_cuts(lasting.database, Settings().with_changes(method="paper", bins=2))
    assert len(asked) == len(PAPER_FEATURES)
    assert all(most >= Settings.max_patterns and not apart for most, apart in asked)


def test_method_robust_has_no_patterns(lasting):
    assert patterns(lasting.database, Settings()) == {}
