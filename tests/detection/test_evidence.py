"""Stage 60 of method robust on its own: odd crawls, both kinds of evidence, and bins in SQL as in
NumPy.

Tries evidence_of_names, evidence_sql and piece, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from conftest import rest_slow

import replicadb
from replicadb.detection import crawl_weights, robust_method
from replicadb.detection.bins import bin_expressions, bins_of
from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.settings import Constants, Settings
from replicadb.synthetic.crawl.generate import generate

from .crawls import only_pairs


def rows_of(hosts: int, pages: int, content, mime: str | None = None, **more) -> list[dict]:
    """``content(host, page)`` is the fingerprint, None for unknown."""
    return [
        {
            "url": f"http://{'abcdefghijklmnop'[h]}{h}.com/{p or ''}",
            "digest": content(h, p),
            "mime": mime,
        }
        | {k: f(h, p) for k, f in more.items()}
        for h in range(hosts)
        for p in range(pages)
    ]


ODD = {
    "one host": rows_of(1, 3, lambda h, p: f"{p:02x}"),
    "all pairs equal": rows_of(7, 4, lambda h, p: f"{p:02x}"),
    "assets of one theme": (
        rows_of(8, 3, lambda h, p: f"{p:02x}", "text/css")
        + rows_of(8, 1, lambda h, p: f"{h // 2:04x}", "text/html")
    ),
    "links to each other": rows_of(
        4, 3, lambda h, p: f"{p:02x}", links=lambda h, p: ["http://a0.com/", "http://b1.com/x"]
    ),
    "links and nothing else": rows_of(
        6, 3, lambda h, p: None, links=lambda h, p: [f"http://away{h // 2}.net/{p}"]
    ),
    "www pairs only": [
        {"url": f"http://{w}a{i}.com/", "digest": f"{i:02x}", "mime": None}
        for i in range(6)
        for w in ("", "www.")
    ],
}


@pytest.fixture(scope="module", params=rest_slow(ODD, 2))
def odd(request, tmp_path_factory):
    """An odd crawl, loaded, and its number."""
    path = tmp_path_factory.mktemp("odd") / "odd.parquet"
    pl.DataFrame(
        ODD[request.param],
        infer_schema_length=None,
        schema_overrides={"digest": pl.String, "mime": pl.String},
    ).write_parquet(path)
    with replicadb.open(":memory:", threads=1) as web:
        web.load(path, all_types=True)
        yield list(ODD).index(request.param), web


class Found(NamedTuple):
    """What detection by one kind of evidence says of an odd crawl."""

    web: replicadb.ReplicaDB
    settings: dict[str, str]
    candidates: int


@pytest.fixture(scope="module")
def found(odd) -> Found:
    """Among candidates by content in one crawl and by either in the next; each third crawl by five
    pieces of evidence.
    """
    number, web = odd
    settings = {
        "evidence": ("all", "five", "all")[number % 3],
        "candidates": ("content", "either")[number % 2],
    }
    return Found(web, settings, only_pairs(web, 5, **settings)["candidate_pairs"])


@pytest.mark.filterwarnings("error")
def test_numbers_stay_finite_with_odd_crawls(found):
    replicas = found.web.sql("FROM replicas")
    assert len(replicas) == found.candidates
    for name in ("strength", "probability", "score"):
        assert np.isfinite(replicas[name].to_numpy().astype(float)).all(), name
    assert replicas["probability"].is_between(0, 1).all()
    weights = found.web.sql(
        "SELECT weight FROM evidence_weights UNION ALL SELECT weight FROM evidence_interactions"
    )["weight"]
    assert weights.is_finite().all()


@pytest.mark.filterwarnings("error")
def test_scored_pairs_are_what_detect_ranks_and_leave_nothing_behind(found):
    odd, settings = found.web, Settings(**found.settings)
    before = odd.database.rows("SELECT table_name FROM duckdb_tables() ORDER BY ALL")
    pairs = pl.from_arrow(robust_method.score_pairs(odd.database, settings))
    assert odd.database.rows("SELECT table_name FROM duckdb_tables() ORDER BY ALL") == before
    theirs = odd.sql(
        """SELECT a_id, b_id, strength, probability, flagged OR kind IS NOT NULL AS flagged
        FROM ranking
        LEFT JOIN left_out USING (a_id, b_id)
        JOIN (SELECT score_id, strength, probability FROM pattern_scores) USING (score_id)"""
    )
    both = pairs.join(theirs, on=["a_id", "b_id"], validate="1:1")
    assert len(both) == len(pairs) == len(theirs)
    assert both["score"].to_list() == both["strength"].to_list()
    assert both["probability"].to_list() == both["probability_right"].to_list()
    assert both["flagged"].to_list() == both["flagged_right"].to_list()


def test_examples_are_counted_by_their_bins_as_sql_counts_them(found):
    known, db = prior.load("pages"), found.web.database
    names, (binned, cuts) = ", ".join(known.cuts), bin_expressions(known.cuts)
    expected = db.rows(
        f"""SELECT {names}, count(*), count(*) FILTER (label = 1)
        FROM (SELECT label, {binned} FROM pair_features) GROUP BY {names} ORDER BY {names}""",
        cuts,
    )
    counted = crawl_weights.example_patterns(db, Lookup(known.cuts, known.tables), "true")
    columns = (values.tolist() for values in counted)
    assert [(*bins, n, m) for bins, n, m in zip(*columns, strict=True)] == expected


def test_every_feature_of_the_priors_is_a_number_of_pair_features(web):
    columns = dict(
        web.database.rows(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'pair_features'"
        )
    )
    for name in ("pages", "files", "paths"):
        types = {columns[feature] for feature in prior.load(name).features}
        assert types <= {"FLOAT", "UTINYINT", "INTEGER"}, name


@pytest.mark.slow
def test_a_crawl_of_every_file_type_has_a_prior_of_its_own(tmp_path):
    """Where the hosts of most candidates have pictures and the like; a few among many pages change
    nothing.
    """
    made = generate(tmp_path, 30, profile="themes", seed=2).crawl
    rows = pl.read_parquet(made)
    pages = pl.col("mime") == "text/html"
    few = rows.filter(
        pages
        | pl.col("url")
        .str.extract("://([^/]+)")
        .is_in(rows["url"].str.extract("://([^/]+)").unique().sort().head(6).to_list())
    )
    few.write_parquet(tmp_path / "few.parquet")
    for source, every, expected in (
        (made, True, "files"),
        (tmp_path / "few.parquet", True, "pages"),
    ):
        with replicadb.open(tmp_path / f"{source.stem}{every}.duckdb") as db:
            db.load(source, pages_only=not every)
            only_pairs(db, 5)
            known = db.database.value("SELECT count(asset_evidence) FROM pair_features")
            weighed = {
                name
                for (name,) in db.database.rows("SELECT DISTINCT feature FROM evidence_weights")
            }
        assert weighed == set(prior.load(expected).features) and (known > 0) == every


@pytest.mark.slow
def test_obvious_replicas_of_this_crawl_correct_what_is_known_beforehand(tmp_path, monkeypatch):
    """Sixty www pairs share one page of eight: what such pairs have is worth more afterwards. Where
    sixty are too few to learn from, it is said.
    """
    rows = [
        {"url": f"http://{w}h{i}.com/{w}{p}", "digest": f"{i:02x}{p:02x}{len(w) * (p > 0):02x}"}
        for i in range(60)
        for p in range(8)
        for w in ("", "www.")
    ]
    rows += [
        {"url": f"http://s{i}.com/{p}", "digest": f"ee{(i + p * p) % 50:02x}{p:02x}"}
        for i in range(60)
        for p in range(8)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "crawl.parquet")
        strengths = []
        for strength, few in ((30.0, 60), (1e9, 61)):
            monkeypatch.setattr(robust_method, "CONSTANTS", Constants(few_obvious=few))
            counts = only_pairs(web, 5, prior_strength=strength)
            assert counts["obvious_replicas"] == 60
            assert ("60 obvious replicas to learn from" in counts.get("warning", "")) == (few > 60)
            strengths.append(web.sql("FROM replicas WHERE obvious")["strength"].mean())
    assert strengths[0] > strengths[1] + 0.9


# -- bins
# -------------------------------------------------------------------------------------------------


def test_bins_in_sql_are_bins_in_numpy(web):
    rng = np.random.default_rng(0)
    cuts = {"x": np.array([0.0, 0.1, 0.25, 1.0]), "y": np.zeros(0), "z": np.array([3.0])}
    values = {
        name: np.where(
            rng.random(500) < 0.2, np.nan, rng.choice([0, 0.1, 0.25, 0.3, 1, 3, 4, -1], 500)
        )
        for name in cuts
    }
    frame = pl.DataFrame(values).fill_nan(None)
    web.database.con.register("given", frame.to_arrow())
    expressions, parameters = bin_expressions(cuts)
    found = web.database.con.sql(f"SELECT {expressions} FROM given", params=parameters).pl()
    for name, edges in cuts.items():
        wanted = np.where(
            np.isnan(values[name]), 0, 1 + np.searchsorted(edges, values[name], side="left")
        )
        assert found[name].to_list() == wanted.tolist()
        for value, number in zip(values[name], wanted, strict=True):
            n, low, high = bins_of(edges)[number]
            assert n == number and (np.isnan(value) if low is None else low < value <= high)


@pytest.mark.slow
def test_a_length_of_zero_is_none(web, write):
    """Also of hosts of one origin, whose pages are taken as they come."""
    rows = [
        f"http://{host}.com/{page},{digest},{length}"
        for host, length in (("a", 0), ("b", 500))
        for page, digest in (("same", "d"), *((f"changed{n}", f"{host}{n}") for n in range(9)))
    ]
    web.load(write("c.csv", "\n".join(["url,digest,length", *rows])))
    only_pairs(web)
    query = "SELECT path_overlap, size_agreement FROM candidate_pairs"
    ((paths, sizes),) = web.database.rows(query)
    assert paths > 0 and sizes is None
