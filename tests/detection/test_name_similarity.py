"""Names compared on columns against the definitions, pair by pair (paper section 3.1, Eq. 1)."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import replicadb
from replicadb.detection import blocking
from replicadb.detection.name_similarity import BATCH, FEW_TERMS, MANY_TERMS, Names
from replicadb.settings import WEIGHT_SCALE

from .crawls import only_pairs

HOSTS = [
    "a.com",
    "www.a.com",
    "a.org",
    "long.name.of.many.labels.example.co.uk",
    "many.labels.in.another.order.of.name.example.com",
    "x.x.x.x.com",
    "b",
    "10.0.0.1",
    "www.shop.news.blog.forum.a.com",
    "forum.blog.news.shop.www.b.org",
    ".".join("n" * i for i in range(1, 21)),
    "a" * 60 + "." + "b" * 60 + "." + "c" * 60 + "." + "d" * 60 + ".net",
    "e" * 63 + ".com",
]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    path = tmp_path_factory.mktemp("names")
    with replicadb.open(path / "web.duckdb") as web:
        (path / "crawl.csv").write_text(
            "url,digest\n" + "".join(f"http://{host}/,01\n" for host in HOSTS)
        )
        web.load(path / "crawl.csv")
        only_pairs(web)
        ranked = web.database.column(
            "SELECT host FROM host_stats JOIN hosts USING (host_id) ORDER BY host_rank"
        )
        a, b = np.triu_indices(len(ranked), 1)
        pairs = pa.table({"a": pa.array(a + 1, pa.int32()), "b": pa.array(b + 1, pa.int32())})
        blocking.every_host(web.database)
        yield ranked, pairs, Names(web.database, WEIGHT_SCALE)


def terms_of(site: str) -> set[str]:
    """Of a host name, and the folder of a site under --site host+1."""
    return set(site.replace("/", ".").split("."))


def distance(x: str, y: str) -> int:
    row = list(range(len(y) + 1))
    for i, c in enumerate(x, 1):
        row, last = [i], row
        for j, d in enumerate(y, 1):
            row.append(min(row[-1] + 1, last[j] + 1, last[j - 1] + (c != d)))
    return row[-1]


@pytest.mark.slow
def test_distances_and_shared_terms_are_those_of_the_definitions(names):
    ranked, pairs, compared = names
    found = compared.with_similarity(pairs)
    df = Counter(term for host in ranked for term in terms_of(host))
    weight2 = {
        term: round((math.log(max(len(term), 1)) / (1 + math.log(n))) ** 2 * WEIGHT_SCALE)
        for term, n in df.items()
    }
    assert max(len(terms_of(host)) for host in ranked) > 2 * FEW_TERMS
    shared = 0
    for a, b, ndist, nmatch in zip(
        *(found.column(c).to_pylist() for c in ("a", "b", "ndist", "nmatch")), strict=True
    ):
        x, y = ranked[a - 1], ranked[b - 1]
        tx, ty = terms_of(x), terms_of(y)
        norm = math.sqrt(sum(weight2[t] for t in tx) * sum(weight2[t] for t in ty))
        expected = sum(weight2[t] for t in tx & ty) / norm if norm else 0.0
        assert ndist == min(distance(x, y), 255)
        assert nmatch == pytest.approx(expected, rel=1e-6), (x, y)
        shared += expected > 0
    assert shared > 10


def test_batches_do_not_show(names):
    _, pairs, compared = names
    many = pa.concat_tables([pairs] * (BATCH // len(pairs) + 2))
    found = compared.with_similarity(many)
    assert len(found) == len(many) > BATCH
    for column in ("ndist", "nmatch"):
        values = found.column(column).to_numpy()
        assert np.array_equal(values[: len(pairs)], values[-len(pairs) :])


@pytest.mark.slow
def test_one_monstrous_name_costs_itself_alone(tmp_path):
    """Under --site host+1 a name may have thousands of terms."""
    monsters = [
        ".".join(f"t{j}" for j in range(first, last))
        for first, last in ((0, 3_000), (0, 100), (7, 107))
    ]  # the last two are told apart by edits
    sizes = [f"{'.'.join(f's{j}' for j in range(k))}.com/x" for k in range(2, 20)]
    urls = [f"http://big{i}.com/{monster}/x" for i, monster in enumerate(monsters)] + [
        f"http://{name}/y" for name in sizes
    ]
    (tmp_path / "crawl.csv").write_text(
        "url,digest\n" + "".join(f"{url},{'01' * 20}\n" for url in urls)
    )
    with replicadb.open(tmp_path / "web.duckdb") as web:
        web.load(tmp_path / "crawl.csv", site="host+1")
        only_pairs(web)
        ranked = web.database.column(
            "SELECT host FROM host_stats JOIN hosts USING (host_id) ORDER BY host_rank"
        )
        blocking.every_host(web.database)
        terms = Names(web.database, WEIGHT_SCALE).terms
        found = web.database.rows(
            """SELECT a.host, b.host, f.ndist, f.nmatch FROM pair_features AS f
            JOIN hosts AS a ON a.host_id = a_id JOIN hosts AS b ON b.host_id = b_id"""
        )
    assert len(found) == len(urls) * (len(urls) - 1) // 2
    assert (
        len(terms.term) == FEW_TERMS and len(terms.long_term) == MANY_TERMS - FEW_TERMS
    )  # no table as wide as the monster
    df = Counter(term for host in ranked for term in terms_of(host))
    weight2 = {
        term: round((math.log(len(term)) / (1 + math.log(n))) ** 2 * WEIGHT_SCALE)
        for term, n in df.items()
    }
    for x, y, ndist, nmatch in found:
        tx, ty = terms_of(x), terms_of(y)
        norm = math.sqrt(sum(weight2[t] for t in tx) * sum(weight2[t] for t in ty))
        assert nmatch == pytest.approx(sum(weight2[t] for t in tx & ty) / norm, rel=1e-6), (
            x[:40],
            y[:40],
        )
        assert ndist == (
            255 if max(len(x), len(y)) - min(len(x), len(y)) > 255 else min(distance(x, y), 255)
        )


def test_the_folder_of_a_site_is_a_term_of_its_own(tmp_path):
    """Of ten sites all end in example; eight of them go on with a folder."""
    names = ["bank.example", "home.example", *(f"n{k}.example/p" for k in range(8))]
    rows = [f"http://{name}/,content-{k // 2}" for k, name in enumerate(names)]
    (tmp_path / "crawl.csv").write_text("\n".join(["url,digest", *rows]))
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.csv", site="host+1")
        only_pairs(web)
        found = dict(web.database.rows("SELECT host_a, nmatch FROM candidate_pairs"))
    weight = np.log(7) / (1 + np.log(10)), np.log(4) / (1 + np.log(1))
    expected = weight[0] ** 2 / (weight[0] ** 2 + weight[1] ** 2)
    assert found["bank.example"] == pytest.approx(expected, rel=1e-5) and expected < 0.2
