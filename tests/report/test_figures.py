"""The numbers of the report's figures against a count one by one, its curves, and its words.

Tries crawl_charts, crawl_figures, crawl_sections, drawing and series, too.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from evaluation.reference import roc_curve, tpr_at_fpr
from hypothesis import given, settings
from hypothesis import strategies as st

import replicadb
from replicadb.errors import UsageError
from replicadb.evaluation import crawl_figures
from replicadb.report import safe_text, series
from replicadb.store.database import Database
from report.sample import GOLD, sample

# -- the numbers of Figures 3 and 4
# -----------------------------------------------------------------------


def slow_figures(path: Path, gold: list[tuple[str, str]]) -> dict:
    """The same counts, one URL and one pair at a time."""
    clusters = defaultdict(list)
    with path.open() as stream:
        for row in csv.DictReader(stream):
            clusters[row["digest"]].append(row["url"].split("/")[2])
    clusters = [hosts for hosts in clusters.values() if len(hosts) > 1]
    intra, inter = Counter(), Counter()
    for hosts in clusters:
        for host in hosts:
            intra[host] += hosts.count(host) > 1
            inter[host] += len(set(hosts)) > 1
    both = sum(hosts.count(h) > 1 and len(set(hosts)) > 1 for hosts in clusters for h in hosts)
    member = defaultdict(set)
    for i, hosts in enumerate(clusters):
        for host in hosts:
            member[host].add(i)
    pairs = {
        (a, b): len(member[a] & member[b]) / len(member[a] | member[b])
        for a, b in itertools.combinations(sorted(member), 2)
        if member[a] & member[b]
    }
    known = {tuple(sorted(pair)) for pair in gold}
    return {
        "intra": sum(intra.values()),
        "inter": sum(inter.values()),
        "both": both,
        "urls": sum(map(len, clusters)),
        "per_host": Counter((intra[h], inter[h]) for h in member),
        "clusters_per_host": Counter(len(c) for c in member.values()),
        "hosts_per_cluster": Counter(len(set(hosts)) for hosts in clusters),
        "sizes": Counter(map(len, clusters)),
        "above": [
            (
                sum(s > k / 100 for s in pairs.values()),
                sum(s > k / 100 for p, s in pairs.items() if p in known),
            )
            for k in range(100)
        ],
    }


@pytest.mark.slow
def test_figures_agree_with_counting_one_by_one(tmp_path):
    rng = np.random.default_rng(1)
    rows = sorted(
        {
            f"http://h{h}.com/{p},f{rng.integers(0, 12) if rng.random() < 0.8 else p * 100 + h}"
            for h, p in zip(rng.integers(0, 9, 60), rng.integers(0, 40, 60), strict=True)
        }
    )
    rows = list({row.split(",")[0]: row for row in rows}.values())
    (tmp_path / "crawl.csv").write_text("url,digest\n" + "\n".join(rows) + "\n")
    gold = [("h0.com", "h1.com"), ("h3.com", "h2.com"), ("h4.com", "h5.com")]
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "crawl.csv")
        web.detect()
        found = crawl_figures.collect(web.database, gold)
    slow = slow_figures(tmp_path / "crawl.csv", gold)
    assert {k: found["duplicates"][k] for k in ("intra", "inter", "both", "urls")} == {
        k: slow[k] for k in ("intra", "inter", "both", "urls")
    }
    for key, counted in (
        ("cluster_sizes", "sizes"),
        ("hosts_per_cluster", "hosts_per_cluster"),
        ("clusters_per_host", "clusters_per_host"),
    ):
        for one in found[key]:
            assert one["n"] == sum(
                n for v, n in slow[counted].items() if one["low"] <= v <= one["high"]
            )
        assert sum(one["n"] for one in found[key]) == sum(slow[counted].values())
    for cell in found["intra_inter"]["cells"]:
        assert cell["n"] == sum(
            n
            for (intra, inter), n in slow["per_host"].items()
            if cell["intra"][0] <= intra <= cell["intra"][1]
            and cell["inter"][0] <= inter <= cell["inter"][1]
        )
    assert found["intra_inter"]["both"] == sum(
        n for (a, b), n in slow["per_host"].items() if a and b
    )
    assert [(s["pairs"], s["replicas"]) for s in found["similarity"]["above"]] == slow["above"]


def test_the_paper_s_words_on_a_crawl_small_enough_to_count(numbers):
    # example.com: / a, about b, about?print=1 b, contact c; www: a b c; example.org: a b;
    # other.net: c
    assert numbers["duplicates"] == {
        "urls": 10,
        "intra": 2,
        "inter": 10,
        "both": 2,
        "sharing_hosts": 4,
    }
    assert numbers["cluster_sizes"] == [
        {"low": 3, "high": 3, "n": 2},
        {"low": 4, "high": 4, "n": 1},
    ]
    assert numbers["hosts_per_cluster"] == [{"low": 3, "high": 3, "n": 3}]
    assert numbers["clusters_per_host"] == [
        {"low": 1, "high": 1, "n": 1},
        {"low": 2, "high": 2, "n": 1},
        {"low": 3, "high": 3, "n": 2},
    ]
    assert numbers["gold"] == {"given": 3, "known": 2}
    assert numbers["replica_cases"] == {
        "hosts": 3,
        "most": 2,
        "at_most": [
            {"cases": 1, "hosts": 2, "share": 2 / 3},
            {"cases": 2, "hosts": 3, "share": 1.0},
        ],
    }
    assert {kind: (g["hosts"], g["urls"]) for kind, g in numbers["site_sizes"].items()} == {
        "replicated": (3, 9),
        "candidate": (1, 2),
        "other": (1, 1),
    }
    assert numbers["similarity"]["above"][99] == {"x": 0.99, "pairs": 1, "replicas": 1}


def test_known_replicas_may_come_as_a_table_and_in_any_order(detected, numbers):
    table = pa.table(
        {
            "host_b": [b for _, b in GOLD][::-1],
            "host_a": [a for a, _ in GOLD][::-1],
            "cause": ["x"] * len(GOLD),
        }
    )
    with Database(detected, read_only=True, threads=2) as db:
        assert crawl_figures.collect(db, table) == numbers == json.loads(json.dumps(numbers))
        assert crawl_figures.collect(db, [])["gold"] == {"given": 0, "known": 0}
        with pytest.raises(UsageError, match="host_a and host_b"):
            crawl_figures.collect(db, pa.table({"a": ["x"]}))
        assert not db.rows("SELECT 1 FROM duckdb_tables() WHERE temporary")


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.integers(1, 10**7), st.integers(1, 1000), min_size=1, max_size=40))
def test_every_value_falls_into_the_one_bin_that_holds_it(counts):
    values = np.array(sorted(counts))
    bins = crawl_figures.binned(values, np.array([counts[int(v)] for v in values]))
    assert len(bins) <= 70 and all(a["high"] < b["low"] for a, b in itertools.pairwise(bins))
    for one in bins:
        assert one["n"] == sum(n for v, n in counts.items() if one["low"] <= v <= one["high"])
    assert sum(one["n"] for one in bins) == sum(counts.values())


# -- curves and words
# -------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30),
    st.lists(st.floats(0, 1).map(lambda f: round(f, 9)), min_size=1, max_size=5),
)
def test_a_drawn_curve_has_the_height_that_the_metric_has(examples, rates):
    scores, labels = (np.array(column) for column in zip(*examples, strict=True))
    if labels.all() or not labels.any():
        return
    curve = series.points(np.column_stack(roc_curve(scores, labels)).tolist())
    assert series.at(curve, rates) == pytest.approx(
        [tpr_at_fpr(scores, labels, f) for f in rates], abs=1e-9
    )


def test_curves_keep_their_colours_whatever_else_is_drawn():
    methods = sample()["methods"]
    everyone, few = (
        series.choose(methods),
        series.choose([m for m in methods if m["name"] in ("normpaths", "jaccard", "fullpath")]),
    )
    place = {s.method["name"]: s.place for s in everyone}
    assert all(place[s.method["name"]] == s.place for s in few if s.method["name"] != "fullpath")
    assert (
        len(everyone) == len(place) == 12
        and len(set(place.values())) == 12
        and all(s.shown for s in few)
    )
    assert [s.method["name"] for s in everyone if s.shown] == [
        "robust",
        "paper",
        "paper-pu",
        "normpaths",
        "biased-svm",
        "upper-bound",
        "booster",
    ]


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.text())
def test_cleaned_text_can_be_seen_and_escaped_text_is_inert(value):
    assert (
        safe_text.clean(value).isprintable()
        and len(safe_text.clean(value)) <= 10 * safe_text.LONGEST
    )
    assert not set(safe_text.esc(value)) & set("<>\"'")


def test_numbers_never_claim_more_than_they_are():
    assert [
        safe_text.rate(v) for v in (0.99999, 1.0, 1, 0, 0.0, 0.00001, 0.5, None, float("nan"), True)
    ] == [
        "0.9999",
        "1.0000",
        "1.0000",
        "0.0000",
        "0.0000",
        "1e-05",
        "0.5000",
        "–",
        "–",
        "–",
    ]
    assert [safe_text.percent(v) for v in (0.99999, 1, 0, 0.0001, 0.125)] == [
        "99.9%",
        "100.0%",
        "0.0%",
        "0.01%",
        "12.5%",
    ]
    assert [safe_text.seconds(v) for v in (0.004, 1.25, 100, 9000, None)] == [
        "4 ms",
        "1.2 s",
        "2 min",
        "2.5 h",
        "–",
    ]
