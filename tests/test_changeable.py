"""Settings as frozen dataclasses: changed copies, and words of which several may be chosen."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np
import pytest

from replicadb.changeable import Changeable, plain_number, setting, several
from replicadb.errors import UsageError


@dataclass(frozen=True)
class Oven(Changeable):
    heat: int = setting(180, "degrees", "the recipe")
    door: str = setting("closed", "choice", "common sense")


def test_a_changed_copy_leaves_the_original_and_what_is_none():
    oven = Oven()
    hot = oven.with_changes(heat=220, door=None)
    assert hot.as_dict() == {"heat": 220, "door": "closed"}
    assert oven == Oven() and hot == Oven(220)


def test_a_name_that_is_no_field_is_refused_with_what_was_likely_meant():
    with pytest.raises(UsageError, match=r"no such setting: haet.*heat"):
        Oven().with_changes(haet=200)


def test_a_field_carries_its_unit_and_source():
    heat = fields(Oven)[0]
    assert dict(heat.metadata) == {"unit": "degrees", "source": "the recipe"}


@pytest.mark.parametrize(
    ("given", "own"),
    [(np.int64(3), 3), (np.uint8(3), 3), (np.float32(0.5), 0.5), (Fraction(1, 2), 0.5)],
)
def test_a_number_of_any_kind_is_a_plain_one(given, own):
    made = plain_number(given)
    assert (type(made), made) == (type(own), own)
    for other in (True, None, "3", 7, 0.25):
        assert plain_number(other) is other


def test_of_several_words_each_stands_once_in_the_order_of_the_choices():
    choices = ("red", "green", "blue")
    assert several("colour", "blue, red,blue", choices) == "red,blue"
    assert several("colour", ["green"], choices) == "green"
    assert several("colour", "all", choices) == "red,green,blue"
    with pytest.raises(UsageError, match=r"colour cannot be 'gren'.*green.*choose with commas"):
        several("colour", "red,gren", choices)
