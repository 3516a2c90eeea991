"""Bags of blocks, against counters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicadb.page_pairs.block_bags import BagsBuilder

from .drawn_pages import slow_blocks, slow_order


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "bb", "ccc"]), max_size=5), min_size=2, max_size=5))
def test_bags_against_counters(bags):
    builder = BagsBuilder(True)
    for bag in bags:
        builder.add(bag, weighted=True)
    a, b = (side.ravel() for side in np.meshgrid(np.arange(len(bags)), np.arange(len(bags))))
    made = builder.bags()
    for i, j, found, order in zip(a, b, made.distances(a, b), made.disorder(a, b), strict=True):
        assert order == pytest.approx(
            slow_order("\n".join(bags[i]), "\n".join(bags[j])), nan_ok=True
        )
        if bags[i] or bags[j]:
            assert found == pytest.approx(slow_blocks("\n".join(bags[i]), "\n".join(bags[j])))
        else:
            assert np.isnan(found)
