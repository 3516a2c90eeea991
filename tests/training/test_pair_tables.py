"""What teaches the prior is made without a prior, and is the same wherever it is made."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from replicadb.detection.evidence import about
from replicadb.learning import prior
from replicadb.learning.additive_model import Tables
from replicadb.synthetic.crawl.generate import PROFILES
from training import fit_evidence, make_prior, pair_tables, purify
from training.fit_evidence import FEATURES, SET_BY_HAND, WEIGHTS, weigh_unknown_as_lowest


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> pl.DataFrame:
    """The pair table of a small crawl, made where no prior can be read."""

    def missing(*_):
        raise FileNotFoundError("no prior here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prior, "load", missing)
        return pair_tables.pair_table(
            tmp_path_factory.mktemp("work"), "demo", PROFILES["demo"], 100, 3, False, False
        )


@pytest.mark.slow
def test_pair_tables_for_the_prior_need_none(demo):
    assert len(demo) > 10 and demo["group"].count() > 0
    assert {name for features in FEATURES.values() for name in features} <= set(demo.columns)


@pytest.mark.slow
def test_a_group_is_of_replicas_alone_and_all_of_its_members_are_pairs(demo):
    assert demo["replica"].to_list() == demo["group"].is_not_null().to_list()
    for _, pairs in demo.filter("replica").group_by("group"):
        hosts = len({*pairs["a_id"], *pairs["b_id"]})
        assert len(pairs) <= hosts * (hosts - 1) // 2


@pytest.mark.slow
def test_a_table_that_is_kept_is_not_made_again(tmp_path, monkeypatch, demo):
    arguments = tmp_path, "demo", PROFILES["demo"], 100, 3, False, False
    monkeypatch.setattr(pair_tables, "detected", lambda *_: demo)
    assert pair_tables.pair_table(*arguments).equals(demo)
    monkeypatch.setattr(pair_tables, "generate", None)
    assert pair_tables.pair_table(*arguments).equals(demo)
    monkeypatch.setattr(pair_tables, "SAME_RESULTS", 1)  # but one by other features is
    with pytest.raises(TypeError, match="NoneType"):
        pair_tables.pair_table(*arguments)


def drawn(author: str, files: bool, seed: int, thinned: bool = False) -> pl.DataFrame:
    """A pair table of thirty groups of two and 300 others, every feature higher among replicas;
    without files nothing is known of assets.
    """
    rng = np.random.default_rng(seed)
    n, groups = 330, 30
    replica = np.arange(n) < groups
    values = {
        name: rng.random(n) + 0.3 * replica for name in {*FEATURES["files"], *FEATURES["paths"]}
    }
    columns = {
        "a_id": 2 * np.arange(n),
        "b_id": 2 * np.arange(n) + 1,
        "label": (np.arange(n) < 8).astype(int),
        "replica": replica,
        "near": np.zeros(n, bool),
        "group": [i if i < groups else None for i in range(n)],
        "author": [author] * n,
        "thinned": [thinned] * n,
        "known_pages": rng.integers(1, 9, n).astype(float),
        "plain_resemblance": rng.random(n),
        "link_overlap": rng.random(n),
        "names_alike": rng.random(n),
        "network_alike": rng.random(n),
        "countries_agree": rng.random(n),
        "identifier_overlap": rng.random(n),
    }
    table = pl.DataFrame(columns | dict(sorted(values.items())))
    return (
        table
        if files
        else table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in about("assets"))
    )


@pytest.mark.slow
def test_the_priors_are_read_as_they_were_learned(tmp_path, monkeypatch):
    monkeypatch.setattr(fit_evidence, "ROUNDS", 20)
    monkeypatch.setattr(fit_evidence, "SECOND_ROUNDS", {"files": 10})
    monkeypatch.setattr(fit_evidence, "BINS", dict.fromkeys(FEATURES, 4))
    small = {name: features[:4] for name, features in FEATURES.items()}
    monkeypatch.setattr(fit_evidence, "FEATURES", small)
    tables = [drawn("own", False, 1), drawn("author_c", True, 2), drawn("author_f", False, 3)]
    tables.append(drawn("author_g", False, 4, thinned=True))
    learned = make_prior.priors_of(tables)
    assert list(learned) == ["pages", "files", "paths", "shared_neighbours"]
    monkeypatch.setattr(prior, "FILE", tmp_path / "prior.json")
    prior.FILE.write_text(purify.dump(learned), "utf-8")
    again = {name: prior.load.__wrapped__(name) for name in learned}
    assert purify.dump(again) == prior.FILE.read_text("utf-8")
    for name, features in small.items():
        assert learned[name].features == (*features, *SET_BY_HAND.get(name, {}))
        lowest, highest = (np.full((1, len(learned[name].cuts)), bin) for bin in (1, 2))
        highest[:] = [len(cuts) + 1 for cuts in learned[name].cuts.values()]
        score = learned[name].tables.score
        assert score(highest)[0] > score(lowest)[0] + 2


def test_the_shipped_prior_has_the_features_of_the_recipe():
    for name, features in FEATURES.items():
        shipped, by_hand = prior.load(name), SET_BY_HAND.get(name, {})
        assert shipped.features == (*features, *by_hand)
        for piece, (cuts, weights) in by_hand.items():
            assert shipped.cuts[piece].tolist() == cuts.tolist()
            assert shipped.tables.single[shipped.features.index(piece)].tolist() == weights.tolist()
    assert set(WEIGHTS) == set(FEATURES)


def test_what_is_never_unknown_where_it_was_taught_weighs_as_its_lowest_bin_where_it_is():
    tables = Tables(
        (3, 3),
        0.0,
        [np.array([9.0, 1.0, 2.0]), np.array([5.0, 3.0, 4.0])],
        {(0, 1): np.arange(9.0).reshape(3, 3)},
    )
    weigh_unknown_as_lowest(tables, np.array([True, False]))
    assert tables.single[0].tolist() == [1, 1, 2] and tables.single[1].tolist() == [5, 3, 4]
    assert tables.pairs[0, 1].tolist() == [[3, 4, 5], [3, 4, 5], [6, 7, 8]]


def test_what_is_thin_teaches_pages_alone():
    tables = [drawn("own", False, 1), drawn("own", False, 2, thinned=True)]
    taught = {name: len(fit_evidence.teachers(tables, name)) for name in FEATURES}
    assert taught == {"pages": 2, "files": 1, "paths": 1}


def test_an_author_left_out_takes_the_farms_of_the_own_along():
    tables = [drawn(author, False, 1) for author in ("own", "farms", "author_b", "author_f")]
    left = make_prior.without(tables, ["own", "author_f"])
    assert [table["author"].first() for table in left] == ["author_b"]


def test_a_blend_of_two_priors_scores_as_the_blend_of_their_scores():
    rng = np.random.default_rng(5)
    cuts = {"evidence": np.array([0.0, 1.0]), "reach": np.array([0.5])}
    first, second = (
        prior.Prior(
            cuts,
            Tables(
                (4, 3),
                rng.normal(),
                [rng.normal(size=4), rng.normal(size=3)],
                {(0, 1): rng.normal(size=(4, 3))},
            ),
            rng.normal(),
        )
        for _ in range(2)
    )
    bins = np.array([[i, j] for i in range(4) for j in range(3)])
    both = fit_evidence.blended(first, second, 0.25)
    assert both.tail == pytest.approx(0.75 * first.tail + 0.25 * second.tail)
    expected = 0.75 * first.tables.score(bins) + 0.25 * second.tables.score(bins)
    np.testing.assert_allclose(both.tables.score(bins), expected)
    second.tables.pairs.clear()  # no tree of the second used the pair
    both = fit_evidence.blended(first, second, 0.25)
    expected = 0.75 * first.tables.score(bins) + 0.25 * second.tables.score(bins)
    np.testing.assert_allclose(both.tables.score(bins), expected)
