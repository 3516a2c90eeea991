"""Pairs of host names come as whatever table there is."""

from __future__ import annotations

import itertools
import random

import polars as pl
import pytest

from replicadb.errors import UsageError
from replicadb.model.input_pairs import two_columns


def test_pairs_come_as_any_table_and_leave_in_their_order(tiny):
    model = tiny
    pairs = list(itertools.permutations(["a.com", "b.com", "c.com", "d.com"], 2)) * 100
    random.Random(1).shuffle(pairs)
    frame = pl.DataFrame(
        {
            "host_b": [b for _, b in pairs],
            "rank": range(len(pairs)),
            "host_a": [a for a, _ in pairs],
        }
    )
    found = model.score(frame)
    replicas = [set(pair) == {"a.com", "b.com"} for pair in pairs]
    assert (found["strength"] > 0).to_list() == replicas
    assert found["host_a"].equals(frame["host_a"]) and found["host_b"].equals(frame["host_b"])
    assert model.score(frame.to_arrow()).equals(found)
    assert model.score(frame.select("host_a", "host_b").rows()).equals(found)
    assert model.score([]).columns == [
        "host_a",
        "host_b",
        "strength",
        "probability",
        "flagged",
        "kind",
        "known",
        "shared",
    ]


class Stream:
    """A table of somebody else's that Arrow can read."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        table = pl.DataFrame({"n": [1], "host_b": ["b"], "host_a": ["a"]})
        return table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "pairs",
    [
        [("a", "b")],
        pl.DataFrame({"n": [1], "host_b": ["b"], "host_a": ["a"]}),
        pl.DataFrame({"one": ["a"], "two": ["b"], "three": ["c"]}),
        pl.DataFrame({"host_a": ["a"], "host_b": ["b"]}).to_arrow(),
        Stream(),
        {"host_a": ["a"], "host_b": ["b"]},
    ],
    ids=["tuples", "by name", "first two", "Arrow", "stream", "dict"],
)
def test_two_columns_are_found(pairs):
    a, b = two_columns(pairs)
    assert (a.to_list(), b.to_list(), a.name, b.name) == (["a"], ["b"], "host_a", "host_b")


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        (["ab"], "each pair must be two host names"),
        ([("a", "b", "c")], "each pair must be two host names"),
        (pl.DataFrame({"host_a": ["a"]}), "pairs need two columns"),
        ("ab", "pairs need two columns"),
        (5, "pairs are a table with two columns"),
    ],
)
def test_what_is_no_table_of_pairs_is_refused(pairs, reason):
    with pytest.raises(UsageError, match=reason):
        two_columns(pairs)
