"""Constants that a file of settings may change: for a while, in all of the process."""

from __future__ import annotations

from dataclasses import fields

import pytest

from replicadb.constant_tables import FIXED, TABLES, all_changed, changed, changed_constants
from replicadb.stage_constants import COPIES, DROPS


def test_changed_constants_are_listed_by_table_and_end_with_their_block():
    before = DROPS.least_elsewhere
    assert all_changed() == {}
    with changed_constants(DROPS, {"least_elsewhere": before + 0.01}):
        assert DROPS.least_elsewhere == before + 0.01
        assert changed(DROPS) == {"least_elsewhere": before + 0.01} and changed(COPIES) == {}
        assert all_changed() == {"drops.least_elsewhere": before + 0.01}
    assert DROPS.least_elsewhere == before and all_changed() == {}


def test_an_error_inside_ends_the_change_too():
    before = DROPS.least_elsewhere
    with pytest.raises(ZeroDivisionError), changed_constants(DROPS, {"least_elsewhere": 0.9}):
        _ = 1 / 0
    assert DROPS.least_elsewhere == before


def test_a_name_that_is_fixed_is_a_constant_of_its_table():
    for table, names in FIXED.items():
        assert set(names) <= {item.name for item in fields(TABLES[table])}
