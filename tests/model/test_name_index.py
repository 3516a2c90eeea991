"""Names are found by halving as they are by a join."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicadb.model import name_index
from replicadb.model.name_index import NameIndex

NAMES = st.sets(st.text("ab.-é\U0001f600", min_size=1, max_size=6), max_size=20)


def index_of(names: set[str]) -> tuple[NameIndex, list[str]]:
    """An index of names, and the names in byte order."""
    encoded = sorted(name.encode() for name in names)
    start = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    index = NameIndex(start, np.frombuffer(b"".join(encoded), np.uint8))
    return index, [name.decode() for name in encoded]


@pytest.mark.slow
@given(NAMES, NAMES)
def test_known_names_are_found_and_no_others(names, others):
    index, order = index_of(names)
    wanted = sorted(names | others)
    places = [order.index(name) if name in names else -1 for name in wanted]
    assert [index.find(name) for name in wanted] == places
    assert index.of(np.arange(len(order))) == order == index.all.to_pylist()


@pytest.mark.parametrize("few", [1000, 1])
def test_many_names_are_found_as_few_are(monkeypatch, few):
    monkeypatch.setattr(name_index, "FEW", few)
    index, order = index_of({"a.com", "b.com", "é.com"})
    names = pl.Series(["é.com", None, "c.com", "a.com", "", "a.com"])
    found = index.find_all(names).tolist()
    assert found == [order.index("é.com"), -1, -1, 0, -1, 0]


def test_a_lone_surrogate_is_no_known_name():
    assert index_of({"a.com"})[0].find("\ud800") == -1


def test_www_or_not_is_the_nearest_of_all():
    index, _ = index_of(
        {"www.crispbonfire.net", "crimsonglove.net", "c0.farm.info", "www.farm.info"}
    )
    assert index.nearest("crispbonfire.net")[0] == "www.crispbonfire.net"
    assert index.nearest("ww.farm.info", 1) == ["www.farm.info"]
