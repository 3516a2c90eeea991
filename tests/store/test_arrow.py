"""Streams of results: what a signal finds to stop."""

from __future__ import annotations

import pyarrow as pa

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
