"""What is being done at this moment, told by whoever does it."""

from __future__ import annotations

import pytest

from replicadb.under_way import NOW, aside, each, under_way


def test_works_stand_in_each_other_and_go_when_they_end_or_fail():
    with under_way("wide") as wide, under_way("narrow", 4, "rows") as narrow:
        narrow.reached(1)
        assert NOW.works == [wide, narrow] and narrow.part == 0.25 and wide.part is None
        narrow.reached(9)
        assert narrow.part == 1
    assert NOW.works == []
    with pytest.raises(ValueError, match="on purpose"), under_way("wide"):
        raise ValueError("on purpose")
    assert NOW.works == []


def test_items_are_counted_when_the_next_is_asked_for():
    seen = []
    for item in each("letters", "abc", "letters"):
        (work,) = NOW.works
        seen.append((item, work.done, work.total))
    assert seen == [("a", 0, 3), ("b", 1, 3), ("c", 2, 3)] and NOW.works == []
    for _ in each("letters", iter("abc"), "letters"):
        assert NOW.works[0].total is None


def test_what_is_shown_is_erased_before_somebody_else_writes(monkeypatch):
    said = []
    monkeypatch.setattr(NOW, "erase", lambda: said.append("erased"))
    with aside():
        said.append("written")
    assert said == ["erased", "written"]
