"""The weights of one crawl: the prior's without obvious replicas and decisions; answers teach."""

from __future__ import annotations

import numpy as np
import pytest

import replicadb
from replicadb.detection import crawl_weights, decided
from replicadb.learning import class_prior, prior
from replicadb.settings import Settings
from replicadb.synthetic.crawl.generate import generate

from .crawls import only_pairs

ASKED = 12


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    made = generate(folder, 150, profile="ordinary", seed=4)
    with replicadb.open(folder / "w.duckdb", threads=1) as opened:
        opened.load(made.crawl)
        only_pairs(opened, 5)
        yield opened


@pytest.fixture
def decide(web):
    """Decide that the middling pairs are no replicas, whoever says so."""

    def by(source: str) -> None:
        pairs = web.sql(
            "SELECT host_a, host_b FROM replicas ORDER BY abs(probability - .5), rank LIMIT ?",
            [ASKED],
        )
        for a, b in pairs.iter_rows():
            web.decide(a, b, False, source=source)

    yield by
    web.database.execute("DELETE FROM decisions")


def weights(web, with_decisions: bool):
    with web.database.temporary():
        if with_decisions:
            assert decided.gather(web.database)
        found, _ = crawl_weights.weights_of(web.database, Settings(), "true", with_decisions)
    return found


@pytest.fixture(scope="module")
def without(web):
    """The weights of this crawl where nothing is decided."""
    return weights(web, with_decisions=False)


def test_answers_to_review_teach_and_lists_of_what_was_known_do_not(web, without, decide):
    decide("label")
    listed = weights(web, with_decisions=True)
    assert all(map(np.array_equal, listed.tables.single, without.tables.single))
    web.database.execute("UPDATE decisions SET source = 'review'")
    taught = weights(web, with_decisions=True)
    moved = {
        name
        for name, one, other in zip(
            without.features, without.tables.single, taught.tables.single, strict=True
        )
        if not np.array_equal(one, other)
    }
    assert moved == set(prior.load("pages").variation) - {"identifier_overlap"}
    bins, replica, mass = None, None, None
    with web.database.temporary():
        decided.gather(web.database)
        bins, replica, mass = crawl_weights._decided_examples(web.database, taught)
    assert len(bins) == ASKED and not replica.any() and 0 < mass.max() <= 1
    fell = taught.tables.score(bins) - without.tables.score(bins)
    assert mass @ fell < 0


def test_answers_teach_whether_one_owner_is_one_site_and_nothing_else_does(web, decide):
    """Middling pairs are no replicas; those who name one owner speak against common owners."""
    db = web.database
    db.execute(
        """UPDATE pair_features SET identifier_overlap = .5
        WHERE (a_id, b_id) IN (
            SELECT (a.host_id, b.host_id) FROM replicas
            JOIN hosts AS a ON a.host = host_a JOIN hosts AS b ON b.host = host_b
            ORDER BY abs(probability - .5), rank LIMIT $asked)""",
        {"asked": ASKED},
    )
    without = weights(web, with_decisions=False)
    place = without.features.index("identifier_overlap")
    assert not without.tables.single[place].any()
    decide("review")
    taught = weights(web, with_decisions=True).tables.single[place]
    assert taught[3] < taught[2] < 0 == taught[0] == taught[1]
    db.execute("UPDATE pair_features SET identifier_overlap = NULL")


def test_others_weigh_in_the_mean_what_they_weighed(web, without, decide):
    decide("check")
    taught = weights(web, with_decisions=True)
    bins, n, _ = crawl_weights.example_patterns(web.database, without, "true")
    before, after = (each.tables.score(bins) for each in (without, taught))
    _, p = class_prior.probabilities(before, n, prior.load("pages").tail)
    others = n * (1 - p)
    assert others @ (after - before) == pytest.approx(0, abs=1e-5 * others.sum())
    assert np.abs(after - before).max() > 0.05
