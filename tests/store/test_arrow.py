"""Streams of results: what a signal finds to stop; parameters."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import replicadb
from replicadb.store.arrow import batches, reader_of, table_of
from replicadb.under_way import NOW


def test_a_signal_finds_the_statement_while_a_stream_is_made_and_read():
    """And none between two batches, where Python hears of a signal itself."""
    runs = []

    def rows():
        for n in range(2):
            runs.append(NOW.statement_began is not None)
            yield pa.record_batch({"n": [n]})

    class Relation:
        def to_arrow_reader(self, size):
            runs.append(NOW.statement_began is not None)
            return pa.RecordBatchReader.from_batches(pa.schema({"n": pa.int64()}), rows())

    found = []
    for batch in batches(reader_of(Relation(), 1)):
        assert NOW.statement_began is None
        found += batch.column("n").to_pylist()
    assert (found, runs) == ([0, 1], [True, True, True])
    assert table_of(reader_of(Relation(), 1)).column("n").to_pylist() == [0, 1]


def test_numbers_of_a_frame_are_parameters(detected):
    given = {"n": np.int64(3), "yes": np.True_, "many": [np.int32(1), np.float32(0.5)]}
    query = "SELECT $n AS n, $yes AS yes, $many AS many, $s.a AS a"
    with replicadb.open(detected, read_only=True) as web:
        row = web.sql(query, given | {"s": {"a": np.uint8(7)}}).row(0, named=True)
        assert row == {"n": 3, "yes": True, "many": [1.0, 0.5], "a": 7}
        assert web.sql("SELECT ? + ?", (np.int64(1), 2)).item() == 3
        (batch,) = web.reader("SELECT i FROM unnest(?) AS t(i)", [np.array([4, 5])])
        assert batch.column(0).to_pylist() == [4, 5]
