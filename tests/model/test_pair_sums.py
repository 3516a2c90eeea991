"""Sums of pairs by hand, and put together from parts.

Tries shared_items, too.
"""

from __future__ import annotations

import numpy as np
import pytest

from replicadb.model.pair_sums import NORMS, SUMS, PairSums, joined, with_more
from replicadb.web.main_language import number_of

ONE = 1 << 20


@pytest.mark.parametrize("hosts", [2, 3, 10, 700])
@pytest.mark.parametrize("more", [0, 1, 2])
def test_what_more_hosts_have_weighs_as_if_they_had_been_counted(hosts, more):
    weight = with_more([ONE // (hosts - 1)], [more], ONE)
    assert weight.tolist() == [ONE // (hosts + more - 1)]


def test_pages_at_equal_tails_are_compared_by_length_title_and_language():
    """Close means by 3 %; what is unknown (0) is not compared, nor are equal contents. Bare titles
    alone are a title in common, but for two pages without one. Languages of two letters are not
    compared with those of three.
    """
    de, fr, deu = number_of("de"), number_of("fr"), number_of("deu")
    rows = [  # content, length, title, bare title and language of either
        ((1, 100, 7, 5, de), (2, 103, 7, 6, de)),
        ((1, 100, 7, 0, de), (2, 104, 8, 0, fr)),
        ((1, 100, 7, 5, de), (2, 104, 8, 5, deu)),
        ((1, 100, 7, 0, de), (2, 97, 0, 0, 0)),
        ((1, 0, 0, 0, 0), (2, 50, 7, 0, 0)),
        ((1, 100, 7, 5, de), (1, 100, 7, 5, fr)),
        ((0, 100, 7, 5, de), (2, 100, 7, 5, de)),
    ]
    names = ("content", "length", "title", "bare_title", "language")
    a, b = (dict(zip(names, np.array(side).T, strict=True)) for side in zip(*rows, strict=True))
    sums = PairSums.zeros(1, new=False)
    sums.add_tails(np.zeros(len(rows), int), np.full(len(rows), 5), a, b)
    names = ("tail_weight", "n_sized", "n_close", "n_titles", "n_titled")
    assert [sums.sums[name][0] for name in names] == [35, 4, 2, 3, 2]
    assert [sums.sums[name][0] for name in ("n_spoken", "n_one_language")] == [2, 1]


def test_parts_stand_where_their_pairs_do():
    """A part with new hosts among known ones keeps what is less for its pairs."""
    known, new = PairSums.zeros(2, new=False), PairSums.zeros(1, new=True)
    known.add("shared", np.array([1, 1]))
    new.add("weight", np.array([0]), np.array([7.0]))
    new.lessen("weight", np.array([0]), np.array([3.0]), (1,))
    new.home[0] = True
    whole = joined([(np.array([2, 0]), known), (np.array([1]), new)], 3)
    assert whole.sums["shared"].tolist() == [2, 0, 0]
    assert whole.sums["weight"].tolist() == [0, 7, 0]
    assert whole.less[0]["weight"].tolist() == [0, 0, 0]
    assert whole.less[1]["weight"].tolist() == [0, 3, 0]
    assert whole.home.tolist() == [False, True, False]
    assert set(whole.sums) == set(SUMS) and set(whole.less[0]) == set(NORMS)
