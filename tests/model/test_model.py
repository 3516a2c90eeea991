"""Pairs and hosts put to a model: whatever comes keeps its place, and what is said is explained."""

from __future__ import annotations

import multiprocessing
import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import polars as pl
import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.model import Host, open_model

pytestmark = pytest.mark.slow


def test_the_explanation_is_that_of_evidence_of(ordinary):
    db, model = ordinary
    for a, b in db.sql(
        "SELECT host_a, host_b FROM replicas WHERE rank % 97 = 1 ORDER BY rank"
    ).rows():
        explained = dict(
            db.sql("SELECT feature, contribution FROM evidence_of($a, $b)", {"a": a, "b": b}).rows()
        )
        found = model.score_pair(a, b)
        assert found.contributions == pytest.approx(explained, abs=1e-9)
        assert sum(explained.values()) + model.classifier.lookup.tables.intercept == pytest.approx(
            found.strength, abs=1e-6
        )


def test_rows_that_are_no_pair_keep_their_place_with_nulls(ordinary):
    db, model = ordinary
    ((a, b),) = db.sql("SELECT host_a, host_b FROM replicas LIMIT 1").rows()
    found = model.score(
        pl.DataFrame({"host_a": [a, a, None, a, a.upper()], "host_b": [a, b, b, "", b]})
    )
    assert found["strength"].is_null().to_list() == [True, False, True, True, False]
    assert found["strength"][4] == found["strength"][1] and found["host_a"].to_list() == [
        a,
        a,
        None,
        a,
        a.upper(),
    ]


def test_nothing_known_but_a_name(ordinary):
    _, model = ordinary
    found = model.score([("nobody.example", "nothing.example"), ("nobody.example", model.names[0])])
    assert (
        not found["flagged"].any()
        and not found["known"].any()
        and (found["probability"] < 0.05).all()
    )
    assert model.lookup(Host("nobody.example", [("/", "sha1:" + "e" * 40)])) == []


def test_scored_as_detection_scores_them_once_they_are_loaded(held_out, ordinary):
    hosts, model, _ = held_out
    names = [host.name for host in hosts]
    whole = ordinary[0].sql(
        "SELECT host_a, host_b, strength, probability FROM replicas"
        " WHERE list_contains($n, host_a) OR list_contains($n, host_b)",
        {"n": names},
    )
    found = model.score(whole.select("host_a", "host_b"), hosts)
    likely = whole["probability"] >= 0.8  # which of them are flagged hangs on all pairs of a crawl
    assert len(whole) > 100 and likely.sum() > 5
    # The place of the curve is of the whole crawl, and a few pairs stand at 0.8.
    assert ((found["probability"] >= 0.8) == likely).mean() > 0.96
    assert (found["probability"] - whole["probability"]).abs().median() < 0.05
    assert (found["strength"] - whole["strength"]).abs().median() < 0.2
    assert not found["known"].any()


def test_lookup_and_pairs_agree(held_out):
    hosts, model, _ = held_out
    for host in hosts[:4]:
        for match in model.lookup(host, top=5):
            one = model.score_pair(match.host, host)
            (row,) = model.score([(match.host, host.name)], [host]).to_dicts()
            assert (one.strength, one.shared) == (match.strength, match.shared)
            for name in ("strength", "probability", "flagged", "kind"):
                assert getattr(one, name) == getattr(match, name) == row[name]
    a, b = hosts[:2]
    both = model.score([(a.name, b.name), (b.name, a.name)], [a, b])
    assert both["strength"][0] == both["strength"][1] == model.score_pair(a, b).strength


def test_a_host_in_capitals_is_the_host(held_out, ordinary):
    """A new one, and one that is known: it is not found as a copy of itself."""
    hosts, model, _ = held_out
    for plain in (*hosts[:3], replace(hosts[0], name=ordinary[1].names[0])):
        spelled = replace(plain, name=plain.name.upper() + ".")
        found = model.lookup(plain)
        assert found and model.lookup(spelled) == found
        one, other = (model.score_pair(found[0].host, host) for host in (plain, spelled))
        assert (one.strength, one.contributions) == (other.strength, other.contributions)


def test_pairs_one_by_one_and_together_have_one_kind(ordinary):
    web, model = ordinary[:2]
    pairs = web.sql(
        "SELECT host_a, host_b, strength, flagged, kind FROM replicas"
        " QUALIFY row_number() OVER (PARTITION BY kind, flagged ORDER BY rank) <= 20"
    )
    assert pairs["kind"].n_unique() > 2 and pairs["flagged"].n_unique() == 2
    together = model.score(pairs.select("host_a", "host_b"))
    for stored, row in zip(pairs.to_dicts(), together.to_dicts(), strict=True):
        one = model.score_pair(stored["host_a"], stored["host_b"])
        for name in ("strength", "flagged", "kind"):
            assert stored[name] == row[name] == getattr(one, name)


def test_sent_to_another_process_it_is_opened_there_and_no_other_in_its_place(
    ordinary, tiny, tmp_path
):
    web, model = ordinary
    pairs = web.replicas(20).select("host_a", "host_b")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(model.score, pairs).result().equals(model.score(pairs))
    own = tmp_path / "own.model"
    shutil.copy(model.file.path, own)
    sent = pickle.dumps(open_model(own))
    shutil.copy(tiny.file.path, own)
    with pytest.raises(DataError, match="another model has taken the place"):
        pickle.loads(sent)


def test_a_copy_of_a_crawl_without_copies_is_flagged(tmp_path):
    """Nothing is flagged there, so no flagged pair says from which probability one is."""
    rows = [f"http://h{n}.com/{page},{n}-{page}" for n in range(30) for page in range(30)]
    rows += [f"http://h{n}.com/licence,licence" for n in range(30)]
    (tmp_path / "crawl.csv").write_text("\n".join(["url,digest", *rows]))
    clone = Host("clone.net", [(f"/{page}", f"3-{page}") for page in range(30)])
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "crawl.csv")
        assert web.detect().counts["flagged_pairs"] == 0
        first, *others = web.model().lookup(clone)
        web.detect(min_probability=0.999)
        (asked, *_) = web.model().lookup(clone)
    assert (first.host, first.flagged) == ("h3.com", True) and first.probability < 0.999
    assert not any(other.flagged for other in others) and not asked.flagged
