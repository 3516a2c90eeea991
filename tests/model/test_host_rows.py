"""What two hosts both have, found on arrays, against sets of Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.model.host_rows import Rows, among, expanded, filter_of, located, matches

HOSTS = st.lists(st.sets(st.integers(0, 40), max_size=12), min_size=1, max_size=6)


def rows_of(hosts: list[set[int]], filtered: bool) -> Rows:
    """Hosts that have these items."""
    start = np.cumsum([0, *map(len, hosts)]).astype(np.int64)
    item = np.array([i for items in hosts for i in sorted(items)], np.uint32)
    return Rows({"start": start, "item": item}, filter_of(start, item) if filtered else None)


@pytest.mark.slow
@given(HOSTS, HOSTS, st.booleans())
def test_matches_are_the_items_that_both_have(left, right, filtered):
    x, y = (side.ravel() for side in np.mgrid[: len(left), : len(right)])
    a, b = rows_of(left, False), rows_of(right, filtered)
    pair, i, j = matches(a, x, b, y)
    found = sorted(zip(pair.tolist(), a["item"][i].tolist(), strict=True))
    assert (a["item"][i] == b["item"][j]).all()
    assert found == [
        (k, item)
        for k, (m, n) in enumerate(zip(x, y, strict=True))
        for item in sorted(left[m] & right[n])
    ]
    assert ((b["start"][y[pair]] <= j) & (j < b["start"][y[pair] + 1])).all()


@pytest.mark.slow
@given(HOSTS)
def test_the_filter_passes_all_that_is_there(hosts):
    rows = rows_of(hosts, True)
    host, place = expanded(rows["start"][:-1], rows["start"][1:])
    assert rows.may_have(np.arange(len(hosts)), host, rows["item"][place]).all()


def test_the_filter_stops_most_of_what_is_not_there():
    """Of 16 bits an entry one is set: one in sixteen passes by chance."""
    items = np.random.default_rng(1).integers(0, 1 << 31, 4000).astype(np.uint32)
    rows = rows_of([set(items[:2000].tolist()), set()], True)
    hosts, others = np.array([0, 1]), items[2000:]
    assert 0.04 < rows.may_have(hosts, np.zeros(len(others), np.int64), others).mean() < 0.08
    assert not rows.may_have(hosts, np.ones(len(others), np.int64), others).any()


@pytest.mark.slow
@given(HOSTS, st.lists(st.tuples(st.integers(0, 5), st.integers(0, 45)), max_size=20))
def test_items_are_located_among_their_hosts(hosts, wanted):
    rows = rows_of(hosts, False)
    wanted = [(host % len(hosts), item) for host, item in wanted]
    host, item = (np.array([row[k] for row in wanted], np.int64) for k in (0, 1))
    at, found = located(rows["start"], rows["item"], host, item)
    assert found.tolist() == [item in hosts[host] for host, item in wanted]
    assert (rows["item"][at[found]] == item[found]).all()


def test_nothing_is_among_nothing():
    found = among(np.zeros(0, np.uint64), np.zeros(2, np.int64), np.arange(2))
    assert found.tolist() == [False, False]
