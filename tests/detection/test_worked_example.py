"""The paper's Table 1 through the real path: rows in tables, supports by SQL, ``learning/`` on top
(docs/method.md#worked-example).
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest
from learning.reference import cut_of_list

import replicadb
from replicadb.detection import patterns
from replicadb.detection.bins import bin_expressions
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.learning import em
from replicadb.learning.entropy import own_cuts, projected_cuts
from replicadb.learning.rules import NEGATIVE, POSITIVE, RulePool
from replicadb.settings import Settings

CUTS = {
    "ndist": [8.0, 10.0],
    "nmatch": [0.2, 0.5],
    "ip4": [0.3, 0.5],
    "ip3": [0.3, 0.5],
    "fullpath": [0.3],
}
"""Where the intervals of Table 1 meet; the bins are numbered from 1."""
TABLE = {  # ip4, ip3, ndist, nmatch, fullpath (a value inside the interval that is printed), label
    "y1": (0.2, 0.4, 9, 0.3, 0.4, "+"),
    "y2": (0.2, 0.2, 12, 0.15, 0.2, "-"),
    "y3": (0.6, 0.2, 9, 0.15, 0.2, "+"),
    "y4": (0.2, 0.6, 9, 0.3, 0.4, "+"),
    "y5": (0.4, 0.6, 6, 0.6, 0.4, "+"),
    "y6": (0.2, 0.4, 9, 0.6, 0.4, "-"),
    "y7": (0.2, 0.2, 12, 0.15, 0.4, "-"),
    "y8": (0.4, 0.6, 6, 0.6, 0.4, "+"),
}
X = (0.2, 0.2, 9, 0.3, 0.2)
ORDER = ("ip4", "ip3", "ndist", "nmatch", "fullpath")
OWN = {
    "y4": "713/2412",
    "y1": "12431/34316",
    "y3": "527/1383",
    "y6": "7259/13242",
    "y2": "1104/1631",
    "y7": "5118/7505",
}
PROJECTED = {
    "y4": "497/1544",
    "y1": "497/1544",
    "y3": "161/405",
    "y6": "71/180",
    "y2": "158/249",
    "y7": "68/101",
}
PROJECTION = {  # Table 1 below its arrows, corrected: y3, y4 and y6 have the ndist that x has
    "y1": (1, None, 2, 2, None, "+"),
    "y2": (1, 1, None, None, 1, "-"),
    "y3": (None, 1, 2, None, 1, "+"),
    "y4": (1, None, 2, 2, None, "+"),
    "y6": (1, None, 2, None, None, "-"),
    "y7": (1, 1, None, None, None, "-"),
}
LABELS = {"PU": {"+": 1, "-": 0}, "NU": {"+": 0, "-": -1}}
SUPPORTS = {"PU": ("unlabelled", "obvious_replicas"), "NU": ("obvious_non_replicas", "unlabelled")}


def exact(fraction: str) -> float:
    return float(Fraction(fraction))


@pytest.fixture(scope="module", params=["PU", "NU"])
def data(request):
    return request.param


@pytest.fixture(scope="module")
def db(data, tmp_path_factory):
    """Table 1 as the stages leave it: y1 ... y8 as examples, x as a pair whose pattern no example
    has; do not change it.
    """
    names = [*TABLE, "x"]
    path = tmp_path_factory.mktemp("worked") / "table1.duckdb"
    with pytest.MonkeyPatch.context() as patch, replicadb.open(path) as web:
        patch.setattr(
            patterns,
            "five_feature_cuts",
            lambda db, settings: {k: np.array(v) for k, v in CUTS.items()},
        )
        db = web.database
        for i, name in enumerate(names):
            db.execute(
                "INSERT INTO hosts VALUES (?, ?, NULL, NULL, NULL), (?, ?, NULL, NULL, NULL)",
                [2 * i, f"a.{name}", 2 * i + 1, f"b.{name}"],
            )
        with db.transaction():
            for i, (*values, label) in enumerate(TABLE.values()):
                db.execute(
                    f"INSERT INTO pair_features (a_id, b_id, label, {', '.join(ORDER)}) VALUES (?,"
                    " ?, ?, ?, ?, ?, ?, ?)",
                    [2 * i, 2 * i + 1, LABELS[data][label], *values],
                )
            assert patterns.make_patterns(db, Settings()) == {"patterns": 7}
        # x is no example of the training set, so its pattern has no counts.
        values = ", ".join(f"{value} AS {name}" for name, value in zip(ORDER, X, strict=True))
        expressions, parameters = bin_expressions({k: np.array(v) for k, v in CUTS.items()})
        db.execute(
            f"""INSERT INTO patterns BY NAME
            SELECT 7 AS pattern_id, {expressions}, 0 AS obvious_replicas, 0 AS unlabelled,
                0 AS obvious_non_replicas
            FROM (SELECT {values})""",
            parameters,
        )
        db.execute(
            """ALTER VIEW pair_patterns RENAME TO patterns_of_examples;
            CREATE VIEW pair_patterns AS
            FROM patterns_of_examples UNION ALL SELECT 16, 17, NULL, 7"""
        )
        yield db


def pool_of(db, data) -> RulePool:
    supports = db.arrays(
        f"""SELECT {", ".join(f"coalesce({f}::INTEGER, -1) AS {f}" for f in PAPER_FEATURES)},
            unlabelled, obvious_replicas, obvious_non_replicas
        FROM rule_supports"""
    )
    bins = db.arrays(f"SELECT {', '.join(PAPER_FEATURES)} FROM patterns ORDER BY pattern_id")
    return RulePool.from_supports(
        [supports[f] for f in PAPER_FEATURES],
        *(supports[c] for c in SUPPORTS[data]),
        bins=np.column_stack([bins[f] for f in PAPER_FEATURES]).astype(np.int64),
    )


def pattern_of(db, name: str) -> int:
    return db.value(
        "SELECT pattern_id FROM pair_patterns JOIN hosts ON host_id = a_id WHERE host = ?",
        [f"a.{name}"],
    )


def test_the_pair_has_22_rules_and_the_likelihood_169_372(db, data):
    pool = pool_of(db, data)
    x = pool.antecedent_ids[pattern_of(db, "x")][None]
    assert (pool.supports[x] > 0).sum() == 22
    assert pool.scores(x)[0].tolist() == pytest.approx([13 / 20, 203 / 260], abs=1e-12)
    assert pool.alpha(x)[0] == pytest.approx(169 / 372, abs=1e-12)


def test_the_own_alphas_are_those_of_the_method(db, data):
    alpha = pool_of(db, data).alpha()
    assert {y: alpha[pattern_of(db, y)] for y in OWN} == pytest.approx(
        {y: exact(v) for y, v in OWN.items()}, abs=1e-12
    )
    assert alpha[pattern_of(db, "x")] == pytest.approx(169 / 372, abs=1e-12)


def test_the_projected_alphas_are_those_of_the_method(db, data):
    pool = pool_of(db, data)
    x = pool.bins[pattern_of(db, "x")]
    by_mask = pool.alpha_by_overlap(pool.index(x[None]))[0]
    masks = {y: int((pool.bins[pattern_of(db, y)] == x) @ (1 << np.arange(5))) for y in TABLE}
    assert masks["y5"] == masks["y8"] == 0
    assert {y: by_mask[masks[y] - 1] for y in PROJECTED} == pytest.approx(
        {y: exact(v) for y, v in PROJECTED.items()}, abs=1e-12
    )
    assert by_mask[-1] == pytest.approx(169 / 372, abs=1e-12)


def test_the_own_cut_parts_the_examples_perfectly(db, data):
    pool = pool_of(db, data)
    for ties in ("smallest", "largest"):
        found = own_cuts(pool, pool.bins[[pattern_of(db, "x")]], ties=ties)
        assert found.cut[0] == pytest.approx(527 / 1383, abs=1e-12) and found.entropy[0] == 0
        assert found.left.tolist() == [[0, 3]] and found.right.tolist() == [[3, 0]]


def test_the_projected_cut_is_a_tie_that_pu_and_nu_break_differently(db, data):
    pool = pool_of(db, data)
    for ties, cut in (("smallest", "497/1544"), ("largest", "161/405")):
        found = projected_cuts(pool, pool.bins[[pattern_of(db, "x")]], ties=ties)
        assert found.cut[0] == pytest.approx(exact(cut), abs=1e-12)
        assert round(float(found.entropy[0]), 6) == 0.374890


def test_both_cuts_follow_from_the_alphas_by_hand():
    own, projected = (
        [(round(float(exact(alpha)), 12), int(TABLE[y][-1] == "+")) for y, alpha in alphas.items()]
        for alphas in (OWN, PROJECTED)
    )
    assert cut_of_list(own) == (round(float(exact("527/1383")), 12), 0)
    for ties, cut in (("smallest", "497/1544"), ("largest", "161/405")):
        assert cut_of_list(projected, ties)[0] == round(float(exact(cut)), 12)


def test_a_pair_outside_the_training_set_is_scored_but_never_moved(db, data):
    pool = pool_of(db, data)
    x = pattern_of(db, "x")
    before = pool.counts.sum(axis=0)
    result = em.transitions_of(
        pool, pool.counts[:, NEGATIVE if data == "PU" else POSITIVE].copy(), data=data, max_passes=1
    )
    assert result.moved[x] == 0
    assert result.alpha_initial[x] == pytest.approx(169 / 372, abs=1e-12)
    assert result.counts.sum() == before.sum() == 8


def test_the_projected_training_set_is_the_corrected_lower_half_of_table_1(db, data):
    rows = db.rows(
        f"SELECT host_a, {', '.join(ORDER)}, label FROM projected_training_set('a.x', 'b.x') WHERE"
        " host_a <> 'a.x'"
    )
    assert {name.removeprefix("a."): tuple(rest) for name, *rest in rows} == {
        name: (*values, LABELS[data][label]) for name, (*values, label) in PROJECTION.items()
    }
    assert len(rows) == 6
    swapped = db.rows(
        f"SELECT host_a, {', '.join(ORDER)}, label FROM projected_training_set('b.x', 'a.x') WHERE"
        " host_a <> 'a.x'"
    )
    assert sorted(map(str, swapped)) == sorted(map(str, rows))
    with pytest.raises(duckdb.Error, match=r"no host no\.such here; the nearest names: a\.x"):
        db.rows("SELECT * FROM projected_training_set('a.x', 'no.such')")


def test_the_supports_of_the_view_are_those_counted_one_by_one(db, data):
    pool = pool_of(db, data)
    counts = pool.counts
    again = RulePool.from_patterns(pool.bins, counts)
    assert np.array_equal(again.alpha(), pool.alpha())
    assert {
        tuple(a): tuple(s)
        for a, s in zip(pool.antecedents.tolist(), pool.supports.tolist(), strict=False)
    } == {
        tuple(a): tuple(s)
        for a, s in zip(again.antecedents.tolist(), again.supports.tolist(), strict=False)
    }


def test_the_table_is_the_one_that_the_paper_prints():
    with open(Path(__file__).parents[2] / "fixtures" / "worked_example.csv", newline="") as file:
        printed = {row.pop("example"): row for row in csv.DictReader(file)}
    for name, (*values, label) in ({**TABLE, "x": (*X, "?")}).items():
        for feature, value in zip(ORDER, values, strict=True):
            low, high = map(float, printed[name][feature].split("-"))
            assert low <= value <= high, (name, feature)
        assert printed[name]["label"] == label
