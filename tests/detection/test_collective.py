"""Shared neighbours (sql/detect/62_collective, replicadb/detection/collective.py) against the
definitions spelled out in loops.

Tries shared_neighbours, too.
"""

from __future__ import annotations

import math
import statistics
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replicadb
from replicadb.detection import collective
from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.shared_neighbours import SharedNeighbours


@cache
def memory():
    """A database that nothing is loaded into, for all tests."""
    return replicadb.open(":memory:").database


def measured(pairs: dict[tuple[int, int], float]) -> dict[tuple[int, int], dict[str, float | None]]:
    """What SQL finds of candidates (a, b) with these log odds by local evidence."""
    db = memory()
    ids = sorted({host for pair in pairs for host in pair})
    rows = pl.DataFrame({"host_id": ids}, schema={"host_id": pl.Int32}).to_arrow()
    db.execute("DELETE FROM host_stats")
    with db.registered("rows", rows):
        db.execute("INSERT INTO host_stats BY NAME SELECT host_id, host_id AS host_rank FROM rows")
    possible = {
        pair: v for pair, v in pairs.items() if 1 / (1 + math.exp(-v)) >= collective.POSSIBLE
    }
    sides = zip(*possible, strict=True) if possible else ((), ())
    a, b = (np.array(side, np.int32) for side in sides)
    weight = collective.neighbour_weights(np.array(list(possible.values())))
    found = collective.relational_evidence(db, a, b, weight)
    columns = {
        name: [None if math.isnan(v) else float(v) for v in getattr(found, name)]
        for name in ("common", "overlap", "correlation")
    }
    return {
        pair: {name: values[i] for name, values in columns.items()}
        for i, pair in enumerate(possible)
    }


def reference(
    pairs: dict[tuple[int, int], float], least: float = collective.POSSIBLE, of: Any = None
) -> dict[tuple[int, int], dict[str, float | None]]:
    """The definitions in replicadb/detection/collective.py and sql/detect/62_collective, one pair
    and one host at a time; of all pairs or of some.
    """
    probability = {pair: 1 / (1 + math.exp(-v)) for pair, v in pairs.items()}
    weight: dict[tuple[int, int], float] = {}
    for (a, b), p in probability.items():
        if p >= collective.NEIGHBOUR:
            weight[a, b] = weight[b, a] = round(p * 1000) / 1000
    hosts, wanted = {host for pair in pairs for host in pair}, set(of or ())
    found = {}
    for (a, b), p in probability.items():
        if p < least or (of is not None and (a, b) not in wanted):
            continue
        others = hosts - {a, b}
        common = sum(weight.get((a, c), 0) * weight.get((b, c), 0) for c in others)
        left, right = (sum(weight.get((host, c), 0) for c in others) for host in (a, b))
        either = left + right - common
        both = [
            (weight[a, c], weight[b, c]) for c in others if (a, c) in weight and (b, c) in weight
        ]
        found[a, b] = {
            "common": common,
            "overlap": common / (either + 1) if left or right else None,
            "correlation": correlation(both),
        }
    return found


def correlation(both: list[tuple[float, float]]) -> float | None:
    """Pearson's, None where either side is all the same."""
    if not both or any(len(set(side)) == 1 for side in zip(*both, strict=True)):
        return None
    return statistics.correlation(*zip(*both, strict=True))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1]),
        st.integers(-40, 40).map(lambda v: v / 4),
        min_size=1,
        max_size=30,
    )
)
def test_sql_finds_what_the_definitions_say(pairs):
    found, expected = measured(pairs), reference(pairs)
    assert found.keys() == expected.keys()
    for pair, values in expected.items():
        for name, value in values.items():
            assert found[pair][name] == (
                None if value is None else pytest.approx(value, rel=1e-5, abs=1e-6)
            ), (pair, name)


def test_slices_change_nothing(monkeypatch):
    draw = np.random.default_rng(5)
    pairs = {(a, b): float(draw.normal(0, 3)) for a in range(12) for b in range(a)}
    whole = measured(pairs)
    monkeypatch.setattr(collective, "SLICE", 7)
    assert measured(pairs) == whole


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1]),
        st.integers(-24, 40).map(lambda v: v / 4),
        min_size=1,
        max_size=40,
    )
)
def test_so_do_links_found_once(pairs):
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    found = SharedNeighbours(a, b, np.random.default_rng(1).permutation(10), 20).measure(
        collective.neighbour_weights(np.array(list(pairs.values())))
    )
    for i, (pair, values) in enumerate(reference(pairs, least=0.0).items()):
        for column, name in zip(found, ("common", "overlap", "correlation"), strict=True):
            assert (None if math.isnan(column[i]) else column[i]) == (
                None if values[name] is None else pytest.approx(values[name], rel=1e-5, abs=1e-6)
            ), (pair, name)


@pytest.mark.slow
def test_of_large_groups_a_sample_is_read():
    draw, n = np.random.default_rng(3), 140
    a, b = np.triu_indices(n, 1)
    weight = np.where(draw.random(len(a)) < 0.9, draw.integers(50, 1000, len(a)), 0)
    order = draw.permutation(n)
    whole, sample = (
        SharedNeighbours(a, b, order, most).measure(weight)
        for most in (n, collective.MAX_NEIGHBOURS)
    )
    few, all_of_them = (
        sum(len(pair) for _, pair, _, _ in SharedNeighbours(a, b, order, most).pieces)
        for most in (collective.MAX_NEIGHBOURS, n)
    )
    assert few <= collective.MAX_NEIGHBOURS * len(a) < all_of_them
    assert np.abs(sample[1] - whole[1]).mean() < 0.05
    assert np.abs(sample[0] / whole[0] - 1).mean() < 0.15


def test_links_are_searched_piece_by_piece(monkeypatch):
    draw = np.random.default_rng(4)
    a, b = np.triu_indices(30, 1)
    weight, order = draw.integers(0, 1000, len(a)), draw.permutation(30)
    whole = SharedNeighbours(a, b, order, collective.MAX_NEIGHBOURS).measure(weight)
    monkeypatch.setattr("replicadb.learning.shared_neighbours.PIECE", 7)
    assert all(
        np.array_equal(x, y, equal_nan=True)
        for x, y in zip(
            whole,
            SharedNeighbours(a, b, order, collective.MAX_NEIGHBOURS).measure(weight),
            strict=True,
        )
    )


@pytest.mark.slow
def test_of_a_large_group_a_sample_says_enough():
    n = 132
    clique = {
        (a, b): 2.0 for a in range(n) for b in range(a + 1, n) if (a + b) % 3
    }  # two thirds of all pairs
    found, expected = measured(clique), reference(clique, of=list(clique)[::7])
    gaps = [abs(found[pair]["overlap"] - one["overlap"]) for pair, one in expected.items()]
    common = max(one["common"] for one in expected.values())
    assert len(gaps) > 800 and common > collective.MAX_NEIGHBOURS
    assert np.mean(gaps) < 0.08 and np.quantile(gaps, 0.99) < 0.3


def test_the_order_of_rows_changes_nothing():
    draw = np.random.default_rng(5)
    pairs = {
        (int(a), int(b)): float(v)
        for a, b, v in zip(
            draw.integers(0, 90, 2000),
            draw.integers(100, 190, 2000),
            draw.normal(0, 3, 2000),
            strict=True,
        )
    }
    turned = dict(reversed(list(pairs.items())))
    assert measured(pairs) == measured(turned)


def corrected(pairs: dict[tuple[int, int], float]) -> dict[tuple[int, int], tuple[float, float]]:
    """Neighbours in common that counted, and what was added, of candidates with these log odds (in
    whole millionths) by their own evidence.
    """
    with replicadb.open(":memory:") as web:
        db = web.database
        scored = pl.DataFrame(
            [(a, b, round(v * collective.MILLION)) for (a, b), v in pairs.items()],
            schema={"a_id": pl.Int32, "b_id": pl.Int32, "score_id": pl.Int32},
            orient="row",
        )
        with db.registered("rows", scored.to_arrow()):
            db.execute("CREATE TEMP TABLE scored AS FROM rows")
        db.execute(
            "INSERT INTO host_stats BY NAME SELECT DISTINCT host_id, host_id AS host_rank FROM"
            " (SELECT a_id AS host_id FROM scored UNION ALL SELECT b_id FROM scored)"
        )
        collective.correct(db, 0.0)
        said = {
            (a, b): (common, more)
            for a, b, common, more in db.rows("SELECT a_id, b_id, common, added FROM corrections")
        }
        for a, b, score_id in db.rows("FROM scored"):
            assert score_id == pytest.approx(
                (pairs[a, b] + said.get((a, b), (0, 0))[1]) * collective.MILLION, abs=1.01
            )
        return said


def passes(pairs: dict[tuple[int, int], float]) -> dict[tuple[int, int], tuple[float, float]]:
    """Pass after pass in loops."""

    def conflicting(values) -> bool:
        return (
            values["common"] >= collective.MIN_COMMON
            and values["correlation"] is not None
            and values["correlation"] < collective.CONFLICTING
        )

    of_first = reference(pairs)
    first = {
        pair: (
            values["common"],
            (
                min(added(pairs[pair], values["overlap"]), 0)
                if conflicting(values)
                else added(pairs[pair], values["overlap"])
            ),
        )
        for pair, values in of_first.items()
    }
    found = first
    for _ in range(collective.MAX_PASSES - 1):
        again = reference({pair: pairs[pair] + found[pair][1] for pair in found}, least=0.0)
        turned = {
            pair: (
                (v["common"], added(pairs[pair], v["overlap"]))
                if v["common"] >= collective.MIN_COMMON and not conflicting(v)
                else first[pair]
            )
            for pair, v in again.items()
        }
        if all(turned[pair][1] == found[pair][1] for pair in found):
            break
        found = turned
    return found


@pytest.mark.slow
def test_passes_are_repeated_as_the_definition_says():
    """Two groups of 24 hosts, of some of which the other group's are neighbours, too, and others
    around them.
    """
    draw = np.random.default_rng(0)
    level = {True: draw.normal(0.3, 0.5), False: draw.normal(-2, 1)}
    pairs = {
        (a, b): round(float(draw.normal(level[a // 24 == b // 24] if b < 48 else -4, 1.5)), 6)
        for a in range(52)
        for b in range(a + 1, 52)
        if draw.random() < 0.9
    }
    found, expected = corrected(pairs), passes(pairs)
    assert found.keys() == expected.keys()
    assert {pair: more for pair, (_, more) in found.items()} == pytest.approx(
        {pair: more for pair, (_, more) in expected.items()}, abs=2e-6
    )
    alone = reference(pairs)
    assert any(
        abs(found[pair][0] - alone[pair]["common"]) > 1 for pair in found
    )  # later passes counted


@pytest.mark.slow
def test_neighbours_that_conflict_speak_for_no_pair_in_the_first_pass_either():
    """Two farms of thirty hosts with a page in common, so that each host is half of the other
    farm, too: much of an overlap, of neighbours of which each host is sure of the other half.
    """
    pairs = {
        (a, b): 3.0 if a // 30 == b // 30 else 0.0 for a in range(60) for b in range(a + 1, 60)
    }
    across = [pair for pair, own in pairs.items() if not own]
    alone = reference(pairs)
    assert all(added(0.0, alone[pair]["overlap"]) > 0.1 for pair in across)
    found = corrected(pairs)
    assert {found[pair][1] for pair in across} == {0.0}


# -- what was learned
# ---------------------------------------------------------------------------------------


@cache
def stacked() -> Lookup:
    known = prior.load("shared_neighbours")
    return Lookup(known.cuts, known.tables)


@cache
def added(own: float, overlap: float | None) -> float:
    values = [np.array([np.nan if v is None else v], np.float32) for v in (own, overlap)]
    return float(stacked().score(stacked().bins(values))[0])


@pytest.mark.parametrize("own", [-6.5, -3.0, -0.5, 0.5, 2.5, 7.0])
def test_without_neighbours_nothing_is_added(own):
    assert added(own, None) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("own", [-6.5, -3.5, -1.5, 0.5, 2.5, 7.0])
def test_more_overlap_never_adds_less(own):
    assert (np.diff([added(own, overlap) for overlap in np.arange(0, 1, 0.01)]) >= -1e-9).all()


@pytest.mark.parametrize("own", [-0.5, 0.5, 2.5])
def test_shared_neighbours_speak_for_a_pair_and_different_ones_against_it(own):
    assert added(own, 0.9) > 1 and added(own, 0.0) < -0.5


def test_the_prior_has_the_features_that_are_measured():
    assert tuple(prior.load("shared_neighbours").cuts) == collective.STACKED_FEATURES
