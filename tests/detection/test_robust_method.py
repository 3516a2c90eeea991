"""Method robust against NormPaths and the published method on generated crawls, and its explanation
in SQL (docs/robust.md#robust-learner).

The goals are those of the issue on proof: without labels, on replicas that are not obvious by name.
More crawls, of every profile: ``python -m benchmarks.accuracy.accuracy``.

Tries pair_scoring, too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from publicsuffixlist import PublicSuffixList

import replicadb
from replicadb.detection import robust_method
from replicadb.evaluation import ranking_curve
from replicadb.evaluation.context import Context
from replicadb.evaluation.gold import read_gold
from replicadb.evaluation.methods.method_registry import registry
from replicadb.evaluation.scratch import Scratch
from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.settings import CONSTANTS, Settings
from replicadb.synthetic.crawl.generate import PROFILES, generate

from .crawls import only_pairs

pytestmark = pytest.mark.slow

HOSTS, URLS = 1_200, 90_000
NOTHING_OBVIOUS = replace(PROFILES["ordinary"], obvious=0, alias=0.0, noisy_obvious=0.0)
CRAWLS = {"shared-hosting": ("shared-hosting", 7001), "none-obvious": (NOTHING_OBVIOUS, 202)}
OURS = {
    "robust-paths": "five",
    "robust": "all",
}  # by the evidence to detect by; the default last, so that its results stay
OTHERS = ["normpaths", "paper", "paper-start", "paper-pu-start", "paper-nu-start"]
FIVE = ("ndist", "nmatch", "ip4", "ip3", "fullpath")
RATES = (0.0001, 0.001, 0.005, 0.01)


class Found:
    """One crawl in a database, detected by robust, and how each method ranks its candidates that
    are not obvious.
    """

    def __init__(self, folder, profile, seed: int) -> None:
        crawl = generate(folder, HOSTS, URLS, profile=profile, seed=seed)
        if profile is NOTHING_OBVIOUS:
            drop_obvious_hosts(crawl.crawl)
        self.web = replicadb.open(folder / "web.duckdb")
        self.web.load(crawl.crawl, hosts=str(crawl.hosts_csv))
        self.causes = pl.read_csv(crawl.gold_csv).drop("label")
        self.gold = self.causes.select("host_a", "host_b", replica=True)
        self.methods, self.explained, self.constants = {}, {}, {}
        for name, evidence in OURS.items():
            self.counts = only_pairs(self.web, 5, evidence=evidence)
            self.explained[evidence], self.constants[evidence] = (
                explained(self.web.database),
                constant_of(self.web.database),
            )
            ranked = self.replicas().filter(~pl.col("obvious"))
            self.methods[name] = figures(
                ranked["strength"].to_numpy(), ranked["replica"].to_numpy()
            )
        self.compare_others(crawl.gold_csv)

    def compare_others(self, gold: Path) -> None:
        """On the same pairs, as evaluate runs them."""
        with Scratch(self.web.database) as scratch:
            scratch.detect_until_features()
            context = Context(scratch, read_gold(scratch, gold), 1, 0)
            for name in OTHERS:
                self.methods[name] = figures(
                    registry()[name].run(context).scores[~context.obvious],
                    context.truth[~context.obvious],
                )
            self.pairs, self.obvious, self.true = (
                context.n,
                context.obvious.sum(),
                context.truth.sum(),
            )

    def replicas(self) -> pl.DataFrame:
        """The ranking with gold."""
        return (
            self.web.sql("FROM replicas ORDER BY rank")
            .join(self.gold, on=["host_a", "host_b"], how="left")
            .with_columns(pl.col("replica").fill_null(False))
        )


def drop_obvious_hosts(crawl: Path) -> None:
    """A few names look obvious by chance: but for www and the public suffix they are those of
    another host, and go.
    """
    rows, of, one_of_each = pl.read_parquet(crawl), PublicSuffixList(), {}
    host = rows["url"].str.split("/").list.get(2)
    for name in host.unique().sort():
        suffix = of.publicsuffix(name) or ""
        one_of_each.setdefault(name.removesuffix(suffix).removeprefix("www."), name)
    rows.filter(host.is_in(list(one_of_each.values()))).write_parquet(crawl)


def figures(scores: np.ndarray, truth: np.ndarray) -> dict:
    """How well scores rank pairs; the rates that there are enough others to tell of. (That these
    figures are scikit-learn's is tried in evaluation/test_ranking_curve.py.)
    """
    curve = ranking_curve.curve_of(scores[truth], np.sort(scores[~truth]))
    rates = [rate for rate in RATES if curve.others * rate >= 1]
    return {
        "replicas": curve.replicas,
        "auc": ranking_curve.auc(curve.true, curve.false),
        "average_precision": ranking_curve.average_precision(curve.true, curve.false),
        "tpr": {rate: ranking_curve.tpr_at(curve.true, curve.false, rate) for rate in rates},
    }


@pytest.fixture(scope="module", params=CRAWLS)
def found(request, tmp_path_factory) -> Found:
    found = Found(tmp_path_factory.mktemp(request.param), *CRAWLS[request.param])
    assert (found.obvious == 0) == (request.param == "none-obvious")
    yield found
    found.web.close()


# -- the goals
# ----------------------------------------------------------------------------------------------


def test_nearly_all_hidden_replicas_are_found_at_one_false_alarm_in_a_thousand(found):
    ours = found.methods["robust"]
    assert ours["replicas"] > 200
    assert ours["tpr"][0.001] >= 0.95
    assert ours["auc"] >= 0.995


def test_what_is_flagged_is_nearly_always_a_replica_and_most_replicas_are_flagged(found):
    flagged = found.replicas().filter("flagged")["replica"]
    assert flagged.mean() >= 0.97
    assert flagged.sum() / len(found.gold) >= 0.85


@pytest.mark.parametrize("other", OTHERS)
def test_robust_is_never_below_another_method(found, other):
    ours, theirs = found.methods["robust"], found.methods[other]
    assert ours["auc"] >= theirs["auc"] and ours["average_precision"] >= theirs["average_precision"]
    for rate in ours["tpr"]:
        assert ours["tpr"][rate] >= theirs["tpr"][rate], rate


@pytest.mark.parametrize("other", OTHERS)
def test_the_five_features_alone_do_better_than_the_published_learners_on_them(found, other):
    ours, theirs = found.methods["robust-paths"], found.methods[other]
    assert ours["auc"] > theirs["auc"] and ours["tpr"][0.001] > theirs["tpr"][0.001]


def test_too_few_obvious_replicas_are_reported(found):
    assert ("warning" in found.counts) == (found.obvious < CONSTANTS.few_obvious)


# -- the explanation
# ----------------------------------------------------------------------------------------

EXPLAINED = """
    WITH bins AS (
        SELECT a_id, b_id, feature, w.bin, w.weight
        FROM (FROM (SELECT a_id, b_id, {columns} FROM pair_features
        WHERE (7 * a_id + b_id) % 16 = 0) UNPIVOT INCLUDE NULLS (value FOR feature IN ({names})))
        JOIN evidence_weights AS w USING (feature)
        WHERE CASE WHEN value IS NULL THEN w.bin = 0 ELSE w.bin > 0 AND value > w.low
        AND value <= w.high END
    ),
    single AS (SELECT a_id, b_id, sum(weight) AS weight, count(*) AS n FROM bins GROUP BY ALL),
    together AS (
        SELECT x.a_id, x.b_id, sum(i.weight) AS weight
        FROM evidence_interactions AS i
        JOIN bins AS x ON x.feature = i.feature AND x.bin = i.bin
        JOIN bins AS y ON y.feature = i.other_feature AND y.bin = i.other_bin AND y.a_id = x.a_id
        AND y.b_id = x.b_id
        GROUP BY ALL
    )
    SELECT s.n, p.strength - s.weight - coalesce(t.weight, 0) - coalesce(c.added, 0) AS rest
    FROM single AS s LEFT JOIN together AS t USING (a_id, b_id) JOIN ranking USING (a_id, b_id)
    JOIN pattern_scores AS p USING (score_id)
    LEFT JOIN shared_neighbours AS c USING (a_id, b_id)"""


def constant_of(db) -> float:
    """What every strength has beside what its evidence contributes."""
    return float(db.value("SELECT value FROM settings WHERE name = 'log_odds_constant'"))


def explained(db) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The features that are weighed; of each of a sixteenth of the candidates, how many of them it
    has a bin of, and its strength but for theirs.
    """
    names = [
        name for (name,) in db.rows("SELECT DISTINCT feature FROM evidence_weights ORDER BY ALL")
    ]
    query = EXPLAINED.format(
        columns=", ".join(f"{name}::DOUBLE AS {name}" for name in names), names=", ".join(names)
    )
    return names, *db.arrays(query).values()


@pytest.mark.parametrize("evidence", OURS.values())
def test_strength_is_the_sum_of_weights_and_interactions_what_partners_add_and_one_constant(
    found, evidence
):
    names, n, rest = found.explained[evidence]
    assert set(names) == set(FIVE if evidence == "five" else prior.load("pages").features)
    asked = found.web.database.value(
        "SELECT count(*) FROM pair_features WHERE (7 * a_id + b_id) % 16 = 0"
    )
    assert len(rest) == asked > 500 and (n == len(names)).all()
    assert np.abs(rest - found.constants[evidence]).max() < 1e-5


def test_evidence_of_a_pair_adds_up_to_its_strength_but_for_the_constant(found):
    ranked = found.web.sql("FROM replicas ORDER BY rank")
    rest = []
    for row in (0, 1, len(ranked) // 2, len(ranked) - 1):
        a, b, strength = (
            ranked.row(row, named=True)["host_a"],
            ranked.row(row, named=True)["host_b"],
            ranked["strength"][row],
        )
        parts = found.web.sql("FROM evidence_of($a, $b)", {"a": b, "b": a})
        assert (
            set(parts["feature"]) - {"shared_neighbours"} == set(prior.load("pages").features)
            and len(parts) == parts["feature"].n_unique()
        )
        assert (parts["contribution"].abs().diff().drop_nulls() <= 1e-12).all()
        rest.append(strength - parts["contribution"].sum())
    assert np.abs(np.array(rest) - constant_of(found.web.database)).max() < 1e-5


def test_each_weight_tells_how_many_candidates_and_obvious_replicas_lie_in_its_bin(found):
    for feature, n, obvious in found.web.database.rows(
        "SELECT feature, sum(candidates), sum(obvious_replicas) FROM evidence_weights GROUP BY"
        " feature"
    ):
        assert (n, obvious) == (found.pairs, found.obvious), feature


def test_probability_rises_with_strength_and_flags_from_the_minimum_on(found):
    ordered = found.web.sql("FROM replicas ORDER BY rank").sort("strength", descending=True)
    assert (ordered["probability"].diff().drop_nulls() <= 1e-15).all()
    assert ordered["probability"].is_between(0, 1).all()
    flagged = ordered["flagged"].to_numpy()
    assert (np.diff(flagged.astype(int)) <= 0).all()  # from a probability on
    chosen = ordered.filter("flagged")["probability"]
    assert chosen.min() >= CONSTANTS.least_flag and 1 - chosen.mean() <= Settings().max_wrong
    assert found.counts["expected_wrong_flags"] == pytest.approx((1 - chosen).sum(), abs=0.1)
    weakest = ordered.filter(~pl.col("flagged"))["probability"].max()
    more = np.append(chosen, np.full(ordered["probability"].to_list().count(weakest), weakest))
    assert weakest < CONSTANTS.least_flag or 1 - more.mean() > Settings().max_wrong
    assert found.counts["estimated_replicas"] == pytest.approx(ordered["probability"].sum(), abs=1)


def test_the_estimated_share_is_near_the_true_one(found):
    counts = found.counts
    assert 0.7 < counts["estimated_replicas"] / found.true < 1.4
    assert counts["estimated_at_least"] <= found.true <= counts["estimated_at_most"]
    assert counts["estimated_at_most"] < 3 * counts["estimated_at_least"]


# -- a crawl without content
# ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A crawl without fingerprints, loaded, and the pairs of its gold; each test detects what it
    needs.
    """
    folder = tmp_path_factory.mktemp("bare")
    crawl = generate(folder, 500, profile="ordinary", seed=7)
    pl.read_parquet(crawl.crawl).drop("fingerprint", "length").write_parquet(
        folder / "bare.parquet"
    )
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "bare.parquet", hosts=str(crawl.hosts_csv))
        yield web, set(pl.read_csv(crawl.gold_csv).select("host_a", "host_b").rows())


@pytest.mark.parametrize("evidence", ["five", "all"])
def test_without_any_fingerprint_hosts_are_ranked_by_names_addresses_and_paths(bare, evidence):
    web, gold = bare
    assert web.database.value("SELECT count(fingerprint) FROM urls") == 0
    only_pairs(web, 5, candidates="path", evidence=evidence)
    ranked = web.sql("FROM replicas ORDER BY rank")
    assert np.isfinite(ranked["strength"].to_numpy()).all()
    replica = np.array([pair in gold for pair in ranked["host_a", "host_b"].rows()])
    hidden = ~ranked["obvious"].to_numpy()
    assert replica[hidden].sum() > 20
    by_score, by_path = (
        figures(ranked[name].to_numpy()[hidden], replica[hidden]) for name in ("score", "fullpath")
    )
    assert by_score["auc"] > 0.9 and by_score["tpr"][0.01] >= by_path["tpr"][0.01]


# -- from where on pairs are flagged
# ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "asked", "wrong", "expected"),
    [
        ("pages", 0.7, 0.03, 0.7),
        ("paths", 0.7, 0.03, 0.7),
        ("files", 0.7, 0.03, 0.92),
        ("paths", None, 0.2, CONSTANTS.least_flag),
        ("pages", None, 0.02, 0.99),
        ("pages", None, 0.03, 0.95),
        ("pages", None, 0.2, 0.9),
        ("files", None, 0.02, 0.99),
        ("files", None, 0.03, 0.95),
        ("files", None, 0.2, 0.95),
    ],
)
def test_what_is_asked_of_a_flag_hangs_on_what_counted_and_on_what_was_asked_for(
    kind, asked, wrong, expected
):
    """By max_wrong where content counts and nothing else was asked; more where files are shared."""
    known = prior.load(kind)
    settings = Settings(min_probability=asked, files_probability=0.92, max_wrong=wrong)
    chance, n = np.array([0.6, 0.9, 0.95, 0.99]), np.array([9, 40, 80, 90])
    found = robust_method.flag_threshold(settings, Lookup(known.cuts, known.tables), chance, n)
    assert found == expected
