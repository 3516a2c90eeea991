"""The methods that an evaluation compares: what they score, that they are the product's own, and
where they refuse.

Tries baseline_rankings, bharat, biased_svm, carvalho, ceilings, method and robust_ranking, too.
"""

from __future__ import annotations

import builtins
import shutil
from functools import cache
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from detection.paper_reference import alpha, bin_of, mdl

import replicadb
from replicadb.detection.evidence import PAPER_FEATURES
from replicadb.evaluation.context import Context
from replicadb.evaluation.gold import read_gold
from replicadb.evaluation.methods.biased_svm import DEFAULT
from replicadb.evaluation.methods.carvalho import THESIS, learn, reciprocal
from replicadb.evaluation.methods.ceilings import _share_above
from replicadb.evaluation.methods.method import NotHere, out_of_fold
from replicadb.evaluation.methods.method_registry import registry
from replicadb.evaluation.scratch import Scratch
from replicadb.learning import em
from replicadb.learning.star_clusters import components

pytestmark = pytest.mark.slow


CHEAP = [name for name in registry() if not name.startswith(("booster", "biased"))]


@pytest.fixture(scope="module")
def scored_by(context):
    """What a method makes of the context, by its name, made once."""
    return cache(lambda name: registry()[name].run(context))


def pairs(context: Context, scores: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({"a_id": context.a, "b_id": context.b, "ours": scores})


@pytest.mark.parametrize("name", CHEAP)
def test_every_method_gives_each_candidate_a_number(context, name, scored_by):
    try:
        scored = scored_by(name)
    except NotHere as why:
        assert str(why)
        return
    assert scored.scores.shape == (context.n,) and not np.isnan(scored.scores).any()
    assert scored.flagged is None or (
        scored.flagged.shape == (context.n,) and scored.flagged.dtype == bool
    )
    by_fold = scored.by_fold() if scored.by_fold else None
    assert by_fold is None or (by_fold.shape == (context.n,) and not np.isnan(by_fold).any())


def test_each_candidate_is_scored_without_its_fold_however_many_there_are():
    many = SimpleNamespace(n=500, n_folds=70, pair_fold=np.arange(500) % 70)
    assert (out_of_fold(many, lambda fold: np.full(500, fold))() == many.pair_fold).all()
    assert out_of_fold(SimpleNamespace(n_folds=1), None) is None


def test_robust_is_what_detect_ranks_and_flags(planted, context, scored_by):
    scored = scored_by("robust")
    with replicadb.open(planted / "web.duckdb", read_only=True, threads=1) as web:
        theirs = web.sql(
            "SELECT a_id::BIGINT AS a_id, b_id::BIGINT AS b_id, -rowid AS score, flagged FROM"
            " ranking"
        )
    both = (
        pairs(context, scored.scores)
        .with_columns(pl.Series("flags", scored.flagged))
        .join(theirs, on=["a_id", "b_id"], validate="1:1")
    )
    assert len(both) == context.n and both["flags"].equals(both["flagged"], check_names=False)
    # Tied scores may be parted by detect's ranking, never turned round.
    ordered = both.sort("score", descending=True)["ours"].to_numpy()
    assert (np.diff(ordered) <= 1e-12).all()


RUN = {
    "method": "paper",
    "discretise": "width",
    "bins": 3,
    "cut": "global",
    "alpha": 0.4,
    "schedule": "pattern",
    "aggregate": "nu",
    "min_support": 2,
    "min_shared": 2,
    "first": 7,
}


def test_evaluate_judges_the_detection_by_a_published_method_that_was_run(planted, tmp_path):
    with replicadb.open(shutil.copy(planted / "web.duckdb", tmp_path), threads=1) as web:
        web.detect(**RUN)
        with Scratch(web.database) as scratch:
            scored, theirs, _ = judged_as_detected(web, scratch, planted)
    assert np.array_equal(scored.scores, theirs["nu_score"])
    assert scored.flagged.sum() == RUN["first"]
    assert "not the paper's: " in scored.note


def judged_as_detected(web, scratch, planted):
    """What method paper scores where each learner says what it said to detect, what detect found,
    and the context.
    """
    theirs = web.database.arrays(
        """SELECT r.a_id, r.b_id, s.pu_score, s.nu_score, s.dominates, r.flagged
        FROM ranking AS r JOIN pattern_scores AS s USING (score_id) ORDER BY r.a_id, r.b_id"""
    )
    scratch.detect_until_features()
    context = Context(scratch, read_gold(scratch, planted / "gold.csv"), 1, 0)
    assert context.n == len(theirs["a_id"])
    index = context.patterns().index
    for data, column in (("PU", "pu_score"), ("NU", "nu_score")):
        assert np.array_equal(learn(context, data).end[index], theirs[column])
    scored = registry()["paper"].run(context)
    assert np.array_equal(scored.flagged, theirs["flagged"])
    return scored, theirs, context


def test_the_published_method_and_its_variants_are_what_their_names_say(planted, tmp_path):
    """What was called paper before is a detection by these options still."""
    with replicadb.open(shutil.copy(planted / "web.duckdb", tmp_path), threads=1) as web:
        web.detect(method="paper", discretise="frequency", schedule="batch")
        by_frequency = web.database.arrays(
            """SELECT s.dominates FROM ranking AS r JOIN pattern_scores AS s USING (score_id)
            ORDER BY r.a_id, r.b_id"""
        )["dominates"]
        web.detect(method="paper")
        with Scratch(web.database) as scratch:
            scored, theirs, context = judged_as_detected(web, scratch, planted)
            assert np.array_equal(scored.scores, theirs["dominates"]) and scored.note is None
            found = registry()["paper-frequency"].run(context).scores
            assert np.array_equal(found, by_frequency)
            assert not np.array_equal(found, scored.scores)
            again = registry()["paper"].run(context)
            assert np.array_equal(again.scores, scored.scores), "whatever else was run"


def test_after_another_method_the_published_one_is_to_the_letter_but_for_its_candidates(
    context, scored_by
):
    assert context.published.discretise == "mdl" and context.published.schedule is None
    note = scored_by("paper").note
    assert note == "not the paper's: max_cluster_hosts 1000, assets True"


@pytest.mark.parametrize("fold", [2, (1, 3)])
def test_a_fold_teaches_nothing_and_all_obvious_pairs_do(context, fold):
    """As the paper says it: the other folds' candidates, and the whole of P (section 4.1.2)."""
    if isinstance(fold, tuple):
        outer, inner = context.thesis_fold
        teaches = (outer == 1 - fold[0]) & (inner != fold[1])
        assert np.array_equal(context.tested(fold), outer == fold[0])
    else:
        teaches = context.pair_fold != fold
    patterns = context.patterns("frequency")
    m = len(patterns.bins)
    positive = np.bincount(patterns.index[context.obvious], minlength=m)
    negative = np.bincount(patterns.index[teaches & ~context.obvious], minlength=m)
    counts = np.column_stack([negative, positive])
    expected = em.transitions(patterns.bins, counts, negative, data="PU", cut=0.6, schedule="batch")
    found = learn(context, "PU", fold=fold, cut=0.6, **THESIS).end
    assert np.array_equal(found, 1 - expected.alpha)
    assert not np.array_equal(learn(context, "PU", cut=0.6, **THESIS).end, found)


def test_reciprocal_ranks_take_the_mean_rank_of_ties(context):
    index = context.patterns().index
    pu, nu = (learn(context, data).end for data in ("PU", "NU"))

    def ranks(scores):
        return np.array([(scores > v).sum() + ((scores == v).sum() + 1) / 2 for v in scores])

    expected = 1 / (60 + ranks(pu[index])) + 1 / (60 + ranks(nu[index]))
    assert np.allclose(reciprocal(context, pu, nu)[index], expected)


def test_single_features_rank_by_themselves(context, scored_by):
    for name in ("nmatch", "fullpath"):
        assert np.array_equal(scored_by(name).scores, context.column(name))
    assert np.array_equal(scored_by("ndist").scores, -context.column("ndist"))
    unknown = np.isnan(context.column("ip4"))
    assert (scored_by("ip4").scores[unknown] < 0).all()


def test_url_strings_and_documents_are_what_a_plain_count_gives(context, scored_by):
    pages = pl.DataFrame(context.db.arrays("SELECT host_id, path, fingerprint FROM urls"))
    prefixes: dict[int, set] = {}
    for host, path in pages.select("host_id", "path").iter_rows():
        parts = path.split("?")[0][1:].split("/")
        prefixes.setdefault(host, set()).update(
            "/".join(parts[:i]) for i in range(1, min(len(parts), 6))
        )
    df: dict[str, int] = {}
    for terms in prefixes.values():
        for term in terms:
            df[term] = df.get(term, 0) + 1
    weight = {term: (1 + np.log(100 / n)) ** 2 for term, n in df.items() if n <= 100}

    def cosine(a: int, b: int) -> float:
        a, b = prefixes.get(a, set()), prefixes.get(b, set())
        norms = [sum(weight.get(t, 0) for t in side) for side in (a, b)]
        return (
            sum(weight.get(t, 0) for t in a & b) / np.sqrt(norms[0] * norms[1])
            if all(norms)
            else 0.0
        )

    scores = scored_by("bharat-prefixes").scores
    for i in np.random.default_rng(0).choice(context.n, 60, replace=False):
        assert scores[i] == pytest.approx(cosine(int(context.a[i]), int(context.b[i])), abs=1e-5)
    contents = {
        key[0]: set(group["fingerprint"]) - {None} for key, group in pages.group_by("host_id")
    }
    jaccard = scored_by("jaccard").scores
    for i in np.random.default_rng(1).choice(context.n, 60, replace=False):
        a, b = contents[int(context.a[i])], contents[int(context.b[i])]
        assert jaccard[i] == pytest.approx(len(a & b) / len(a | b), abs=1e-6)


def test_normpaths_is_the_sum_over_shared_lists(context, scored_by):
    pages = pl.DataFrame(context.db.arrays("SELECT DISTINCT host_id, path, fingerprint FROM urls"))
    lists = {key: set(group["host_id"]) for key, group in pages.group_by("path", "fingerprint")}
    of_host: dict[int, set] = {}
    for key, hosts in lists.items():
        for host in hosts:
            of_host.setdefault(host, set()).add(key)
    scores = scored_by("normpaths").scores
    for i in np.random.default_rng(0).choice(context.n, 60, replace=False):
        shared = of_host[int(context.a[i])] & of_host[int(context.b[i])]
        assert scores[i] == pytest.approx(sum(1 / len(lists[key]) for key in shared), abs=1e-9)


def test_a_booster_with_the_true_labels_is_near_perfect_on_an_easy_crawl(context, scored_by):
    pytest.importorskip("sklearn")
    scored = scored_by("booster")
    replicas, others = scored.scores[context.truth], scored.scores[~context.truth]
    assert np.mean(replicas[:, None] > others[None, :]) > 0.98
    five = scored_by("booster-five").scores  # on less evidence: below it, above chance
    assert (
        0.6
        < np.mean(five[context.truth][:, None] > five[~context.truth][None, :])
        < np.mean(replicas[:, None] > others[None, :])
    )


def test_a_booster_learns_from_what_is_known_outside_of_the_fold(context, monkeypatch):
    pytest.importorskip("sklearn")
    real, name = context.column, context.evidence[0]
    expected = []
    for known in (context.group_fold == 0, np.zeros(context.n, bool)):

        def column(asked, known=known):
            return np.where(known, real(asked), np.nan) if asked == name else real(asked)

        monkeypatch.setattr(context, "column", column)
        expected.append(registry()["booster"].run(context).scores)
    in_fold = context.group_fold == 0
    assert np.array_equal(expected[0][in_fold], expected[1][in_fold])
    monkeypatch.setattr(context, "column", lambda asked: np.where(in_fold, real(asked), np.nan))
    with pytest.raises(NotHere, match="outside of a fold"):
        registry()["booster"].run(context)


def test_the_biased_svm_ranks_obvious_replicas_high_and_says_what_it_chose(context, scored_by):
    pytest.importorskip("sklearn")
    scored = scored_by("biased-svm")
    assert "C+" in scored.note
    assert (
        np.mean(scored.scores[context.obvious][:, None] > scored.scores[~context.obvious][None, :])
        > 0.7
    )


def test_the_paper_s_svm_is_built_anew_after_each_round_with_one_threshold(context, scored_by):
    """Section 4.1.3: "re-constructed from scratch after each EM iteration", with "a single
    transition threshold for the entire unlabeled dataset".
    """
    svm = pytest.importorskip("sklearn.svm")
    scored = scored_by("biased-svm-em")
    kernel, mass, ratio = DEFAULT
    assert "not chosen" in scored.note, "too few obvious pairs: so these are the options"
    patterns = context.patterns()
    unknown = patterns.bins == 0
    place = np.maximum(patterns.bins - 1, 0) / np.maximum(patterns.bins.max(axis=0) - 1, 1)
    table = np.column_stack([place, unknown[:, unknown.any(axis=0)]]).astype(float)
    label = np.where(context.obvious, 1, -1)
    for done in range(1, 11):
        kinds, n = np.unique(
            np.column_stack([-label, patterns.index]), axis=0, return_counts=True
        )  # positives first, examples of one kind as one of their weight
        of = kinds[:, 0] == -1
        weight = n * np.where(of, mass * ratio / n[of].sum(), mass / n[~of].sum())
        model = svm.SVC(C=1.0, kernel=kernel, gamma="scale", max_iter=20_000)
        model.fit(table[kinds[:, 1]], np.where(of, 1, -1), sample_weight=weight)
        found = model.decision_function(table)[patterns.index]
        moves = (label == -1) & (found > 0)
        if not moves.any() or done == 10:
            break
        label[moves] = 1
    assert scored.note.endswith(f"; {done} rounds")
    assert scored.scores == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("name", ["booster", "booster-five", "biased-svm", "biased-svm-em"])
def test_without_scikit_learn_a_method_says_how_to_get_it(context, name, monkeypatch):
    real = builtins.__import__

    def without(module, *rest):
        if module.split(".")[0] == "sklearn":
            raise ImportError(module)
        return real(module, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NotHere, match=r"pip install 'replicadb\[evaluate\]'"):
        registry()[name].run(context)


def test_connected_components_are_those_of_a_chain_and_a_star():
    assert components(np.array([4, 3, 2, 7]), np.array([3, 2, 1, 8]), 9).tolist() == [
        0,
        1,
        1,
        1,
        1,
        5,
        6,
        7,
        7,
    ]


def test_scores_of_folds_are_compared_by_false_positive_rate():
    assert _share_above(np.array([9.0, 2.0, 0.5]), np.array([1.0, 2.0, 3.0])).tolist() == [
        0.0,
        0.5,
        1.0,
    ]


def test_the_upper_bound_is_cut_and_learned_on_the_true_labels_of_the_other_folds(
    context, scored_by
):
    table = np.column_stack([context.column(name) for name in PAPER_FEATURES])
    scored = scored_by("upper-bound")
    fold, truth = context.group_fold, context.truth
    held, others = fold == 1, context.compared & (fold != 1)
    rows = [[None if np.isnan(v) else v for v in row] for row in table.tolist()]
    labels = ["+" if label else "-" for label in truth]
    known = np.flatnonzero(others).tolist()
    cuts = [
        mdl(sorted((rows[i][j], labels[i]) for i in known if rows[i][j] is not None))
        for j in range(5)
    ]
    assert sum(map(len, cuts)) > 3

    def pattern(i):
        return tuple(bin_of(rows[i][j], cuts[j]) for j in range(5))

    data = [(pattern(i), labels[i]) for i in known]
    found = scored.by_fold()
    for i in np.flatnonzero(held)[:40].tolist():
        assert found[i] == pytest.approx(1 - alpha(pattern(i), data), abs=1e-9)


def test_a_replica_group_lies_in_one_fold_and_never_teaches_its_own_pairs(context):
    fold, groups = context.group_fold, context.gold.group[context.gold_row]
    of_group = {}
    for group, which in zip(groups[context.truth], fold[context.truth], strict=True):
        of_group.setdefault(group, set()).add(which)
    assert len(of_group) > 5 and all(len(folds) == 1 for folds in of_group.values())
    twin = Context.__new__(Context)
    twin.__dict__ |= context.__dict__ | {"truth": context.truth ^ (fold == 1), "memo": {}}
    upper = registry()["upper-bound"]
    of_fold = upper.run(context).by_fold()[fold == 1], upper.run(twin).by_fold()[fold == 1]
    assert np.array_equal(*of_fold), "labels of a fold say nothing of its scores"
