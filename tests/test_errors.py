"""What an error says of a number that cannot be meant."""

from __future__ import annotations

import numpy as np
import pytest

from replicadb.errors import UsageError, need_count


@pytest.mark.parametrize("n", [0, 7, np.int64(3)])
def test_a_number_of_things_is_taken(n):
    assert type(need_count("top", n)) is int


@pytest.mark.parametrize(
    ("n", "least", "said"),
    [
        (-1, 0, "top is -1; give 0 or more"),
        (0, 1, "top is 0; give 1 or more"),
        (1.5, 0, "top is 1.5; give a whole number of 0 or more"),
        ("3", 0, "top is '3'; give a whole number of 0 or more"),
        (True, 0, "top is True; give a whole number of 0 or more"),
        (None, 1, "top is None; give a whole number of 1 or more"),
    ],
)
def test_what_is_no_number_of_things_is_refused(n, least, said):
    with pytest.raises(UsageError) as refused:
        need_count("top", n, least)
    assert str(refused.value) == said
