"""Gold files of other forms, and the labels that they may have."""

from __future__ import annotations

import re
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import replicadb
from replicadb.errors import DataError, UsageError
from replicadb.evaluation.gold import read_gold
from replicadb.store.statements import statements

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def loaded(crawled):
    """The database of CRAWL, opened to be read."""
    with replicadb.open(crawled, read_only=True) as web:
        yield web.database


def test_every_word_that_decides_a_pair_labels_it_in_gold(loaded, write):
    """So what ``label --export`` wrote is gold, too."""
    sql = statements("decisions/10_decision_file")["judged_decisions"]
    words = re.findall(r"\('([^']+)', '(replica|no replica)'\)", sql)
    assert len(words) > 10 and {decision for _, decision in words} == {"replica", "no replica"}
    rows = [f"a{n}.example,b{n}.example,{word}" for n, (word, _) in enumerate(words)]
    rows += ["a0.example,,keep", "b1.example,,Never"]
    gold = read_gold(loaded, write("gold.csv", "\n".join(["host_a,host_b,label", *rows])))
    wanted = [int(decision == "replica") for _, decision in words]
    assert gold.labelled and not gold.left_out
    assert sorted(gold.label.tolist()) == sorted(wanted) and gold.replicas == sum(wanted)


def test_gold_may_be_parquet_with_numbers_for_labels(loaded, tmp_path):
    hosts = {
        "host_a": ["example.com", "example.com", "a.com"],
        "host_b": ["b.org", "c.net", "d.com"],
    }
    for labels in ([1.0, 0.0, None], [1, 0, None], [True, False, None]):
        table = pa.table({**hosts, "label": labels, "ambiguous": [0, 0, 1]})
        pq.write_table(table.slice(0, 2), tmp_path / "gold.parquet")
        gold = read_gold(loaded, tmp_path / "gold.parquet")
        assert gold.label.tolist() == [1, 0] and gold.labelled
        pq.write_table(table, tmp_path / "gold.parquet")
        with pytest.raises(DataError, match="row 4: label is empty"):
            read_gold(loaded, tmp_path / "gold.parquet")
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "gold.parquet")
    with pytest.raises(DataError, match="no column host_a and no column host_b"):
        read_gold(loaded, tmp_path / "gold.parquet")
    (tmp_path / "gold.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="not a Parquet file that can be read"):
        read_gold(loaded, tmp_path / "gold.parquet")
    with pytest.raises(UsageError, match="given by its path, and not as a Table"):
        read_gold(loaded, table)


def test_one_long_name_or_text_does_not_widen_every_row(loaded, write):
    """Arrays of fixed width took 11 GB of a million rows with one host of 240 characters."""
    pairs = [f"a{i}.com,b{i}.com,replica," for i in range(3_000)]
    pairs.append(f"{'.'.join(['a' * 60] * 4)},b.com,not,{'many words ' * 2_000}")
    gold = write("gold.csv", "\n".join(["host_a,host_b,label,remark", *pairs]))
    tracemalloc.start()
    try:
        found = read_gold(loaded, gold)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found.replicas, len(found.label), found.unknown_hosts) == (3_000, 3_001, 6_002)
    assert peak < 10e6
