"""Stage 50: examples with the same bins are one pattern, and each example is counted once."""

from __future__ import annotations

import pytest

from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.detection.patterns import EXAMPLES, patterns
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


def test_method_robust_has_no_patterns(lasting):
    assert patterns(lasting.database, Settings()) == {}
