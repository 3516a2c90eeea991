"""A pair's strength is its own: alone or among others, either way round.

Tries pair_evidence, too.
"""

from __future__ import annotations

import numpy as np
import pytest

from replicadb.detection.evidence import weighed_by
from replicadb.model import pair_scorer
from replicadb.model.host_rows import Rows
from replicadb.model.known_hosts import KnownHosts
from replicadb.model.name_features import NAME_FEATURES
from replicadb.model.new_host_rows import NewHosts
from replicadb.model.pair_evidence import meeting_pairs, pairs_of
from replicadb.model.pair_scorer import PairScorer
from replicadb.model.shared_items import TAILS

from .crawls import CASES

pytestmark = pytest.mark.slow


def test_one_pair_is_scored_as_many_are_and_either_way_round(ordinary, monkeypatch):
    db, model = ordinary
    hosts = db.sql("SELECT host FROM hosts ORDER BY host")["host"].to_list()
    draw = np.random.default_rng(3)
    pairs = [(hosts[i], hosts[j]) for i, j in draw.integers(0, len(hosts), (300, 2)) if i != j]
    many = model.score(pairs)
    assert (
        model.score([(b, a) for a, b in pairs])
        .drop("host_a", "host_b")
        .equals(many.drop("host_a", "host_b"))
    )
    for row in many.head(40).to_dicts():
        one = model.score_pair(row["host_a"], row["host_b"])
        assert (one.strength, one.probability, one.flagged, one.kind, one.known) == (
            row["strength"],
            row["probability"],
            row["flagged"],
            row["kind"],
            row["known"],
        )
    monkeypatch.setattr(pair_scorer, "PIECE_ENTRIES", 50)
    monkeypatch.setattr(pair_scorer, "PIECE_PAIRS", 7)
    assert model.score(pairs).equals(many)


@pytest.mark.parametrize("heavy", [True, False])
def test_pairs_that_have_nothing_in_common_score_as_if_each_were_looked_at(
    ordinary, monkeypatch, heavy
):
    """Tails that weigh nothing, as commonest ones do, still tell of lengths."""
    _, model = ordinary
    items = model.known.items
    if not heavy:
        weight = np.array(items.weight)
        weight[items.bounds[TAILS] : items.bounds[TAILS + 1]] = 0
        monkeypatch.setattr(items, "weight", weight)
    scorer, new = PairScorer(model.known, model.classifier), NewHosts(model.known)
    x, y = np.triu_indices(model.n, 1)
    found, shared = scorer.strengths(x, y, new)
    pairs = scorer.pairs(x, y, new)
    assert (found == scorer.strength(pairs)).all()
    assert (shared == pairs.sums["shared"]).all() and shared.any() and not shared.all()
    assert (scorer.shared(x, y, new) == shared).all()
    at, _ = meeting_pairs(model.known, x, y)
    assert 500 < len(at) < len(x) - 500, (len(at), len(x))


TRAITS = ("asset_weight", "title_weight", "target_weight", "identifier_weight", "n_contents")
"""What a host may have none of, which is another thing than having none in common."""


def test_pairs_of_one_kind_that_have_nothing_in_common_have_the_same_features(ordinary):
    """Hosts that have, drawn at random, or have not, what features ask of either or of both."""
    model = ordinary[1]
    known, rng = KnownHosts(model.file), np.random.default_rng(1)
    drawn = {name: known.rows[name] * (rng.random(known.n) < 0.5) for name in TRAITS}
    drawn["has"] = rng.integers(0, 4, known.n).astype(np.uint8)
    drawn["root"] = rng.integers(0, 3, known.n).astype(np.uint32)
    known.rows = Rows({**known.rows.arrays, **drawn}, known.rows.filter)
    x, y = np.triu_indices(known.n, 1)
    meeting, _ = meeting_pairs(known, x, y)
    x, y = np.delete(x, meeting), np.delete(y, meeting)
    names = [
        name for name in weighed_by("pages") + weighed_by("files") if name not in NAME_FEATURES
    ]
    columns = pairs_of(known, x, y, NewHosts(known)).columns(names)
    features, kinds = np.column_stack(columns), known.kinds_apart(x, y)
    alike: dict[int, np.ndarray] = {}
    for row, kind in zip(features, kinds.tolist(), strict=True):
        np.testing.assert_array_equal(row, alike.setdefault(kind, row))
    assert len(alike) > 100


def test_new_hosts_among_candidates_come_out_the_same_alone_where_names_are_the_evidence(by_case):
    db, model = by_case("shared-hosting")
    assert CASES["shared-hosting"]["evidence"] == "five"
    a, b, c = db.sql("SELECT unnest([host_a, host_b]) AS host FROM replicas LIMIT 3")["host"][:3]
    pairs = [(a, b), ("u.example", "v.example"), ("u.example", a), (c, "v.example")]
    found = model.score(pairs)
    assert found["known"].to_list() == [True, False, False, False]
    for pair, strength in zip(pairs, found["strength"], strict=True):
        assert model.score([pair])["strength"][0] == strength == model.score_pair(*pair).strength
