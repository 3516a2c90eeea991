"""Candidates counted without names, and those alike in names or addresses, pair by pair."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.constant_tables import changed_constants
from replicadb.detection import robust_method
from replicadb.detection.without_names import counted_without_names
from replicadb.learning.crossing import AGREEING_PAGES, SEEN_FROM, USUAL
from replicadb.settings import WEIGHT_SCALE, Settings
from replicadb.stage_constants import CALIBRATION
from replicadb.synthetic.crawl.generate import generate

from .crawls import only_pairs


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> Path:
    """The candidate pairs of a crawl; copy it."""
    crawl = generate(tmp_path_factory.mktemp("crawl"), hosts=200, seed=5).crawl
    with replicadb.open(crawl.with_name("web.duckdb")) as web:
        web.load(crawl)
        only_pairs(web)
    return crawl.with_name("web.duckdb")


@pytest.fixture(scope="module", params=["addresses", "none"])
def web(request, compared, tmp_path_factory):
    """The candidate pairs with addresses, and without."""
    with replicadb.open(shutil.copy(compared, tmp_path_factory.mktemp(request.param))) as web:
        if request.param == "none":
            unknown = "ip3 = NULL, ip4 = NULL, network_alike = NULL"
            web.database.execute(f"UPDATE pair_features SET {unknown}")
        yield request.param, web


def added_by(model, name: str, value: float | None) -> float:
    if value is None:
        return 0.0
    table = model.tables.single[model.features.index(name)]
    return table[1 + int((model.cuts[name] < value).sum())] - table[0]


def test_every_pair_is_counted_by_what_it_weighs_without_names_and_networks(web):
    """Of a host in more than ``most`` pairs all together count for so many. Weak pairs are there,
    since a second view sees them, and take no part in that.
    """
    addresses, db = web[0] == "addresses", web[1].database
    with db.temporary():
        model, found = robust_method.score_crawl(db, Settings()).model, {}
        for most in (CALIBRATION.most_counted, 2):
            with changed_constants(CALIBRATION, {"most_counted": most}):
                found[most] = counted_without_names(db, model)
        pairs = db.rows(
            "SELECT a_id, b_id, score_id, names_alike, network_alike, ip3,"
            " CASE WHEN evidence > 1 THEN agreement END"
            " FROM scored JOIN pair_features USING (a_id, b_id)"
            f" WHERE score_id >= {SEEN_FROM * 1e6}"
        )
    for most, counted in found.items():
        are_counted(counted, pairs, most, model, addresses)


def are_counted(found, pairs: list[tuple], most: int, model, addresses: bool) -> None:
    """One by one."""
    pairs_of = Counter(
        host for a, b, score, *_ in pairs for host in (a, b) if score >= USUAL.lowest * 1e6
    )
    assert (max(pairs_of.values()) > most) == (most == 2)
    assert any(score < USUAL.lowest * 1e6 for _, _, score, *_ in pairs)
    expected, alike, agree = Counter(), Counter(), Counter()
    for a, b, score, names, network, ip3, agreement in pairs:
        many = np.sqrt(float(max(pairs_of[a], most)) * max(pairs_of[b], most))
        weight = WEIGHT_SCALE * most / many
        counts = round(weight)
        by_names = added_by(model, "names_alike", names)
        strength = round(score / 1e6 - by_names - added_by(model, "network_alike", network), 6)
        expected[strength] += counts
        agree[strength] += round(
            weight * ((0.5 if agreement is None else agreement) - AGREEING_PAGES)
        )
        if addresses and names is not None and ((ip3 or 0) > 0 or by_names > 0):
            alike[strength] += counts
    counted, of_alike, agreeing = Counter(), Counter(), Counter()
    for strength, n, k, more in zip(found.strength, found.n, found.alike, found.agree, strict=True):
        counted[round(float(strength), 6)] += n * WEIGHT_SCALE
        of_alike[round(float(strength), 6)] += k * WEIGHT_SCALE
        agreeing[round(float(strength), 6)] += more * WEIGHT_SCALE
    assert counted == expected and +of_alike == +alike
    assert bool(alike) == addresses
    assert set(agreeing) == set(expected) and any(agreeing.values())
    assert all(abs(agreeing[at] - agree[at]) <= expected[at] * 1e-6 for at in agreeing)
    assert np.any(found.strength != np.sort(found.strength)), "names were taken away from some"


def with_files(host: str, contents: list[str], theme: int) -> list[tuple[str, str, str]]:
    """Pages of a host by their contents, a picture of its own, and the styles of a theme."""
    pages = [(f"http://{host}/{content}", "text/html", content) for content in contents]
    files = [("own.png", "image/png", host), ("style.css", "text/css", f"theme {theme}")]
    return pages + [(f"http://{host}/{name}", mime, content) for name, mime, content in files]


@pytest.mark.slow
def test_one_page_at_one_path_is_no_agreement_where_contents_are_shared_at_random(tmp_path):
    """Hosts with files, whose pages are drawn from a pool, and fifteen pairs of true copies."""
    draw = random.Random(7)
    rows = [
        row
        for n in range(400)
        for row in with_files(f"h{n}.com", [str(c) for c in draw.sample(range(850), 8)], n % 20)
    ]
    for n in range(30):
        rows += with_files(f"{n}copy.net", [f"{n // 2}-{page}" for page in range(40)], n % 20)
    columns = {"url": pl.String, "mime": pl.String, "fingerprint": pl.String}
    pl.DataFrame(rows, columns, orient="row").write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.parquet")
        counts = only_pairs(web, 5)
        flagged = web.sql("FROM replicas WHERE flagged")
    true = flagged["host_a"].str.contains("copy")
    assert counts["estimated_at_least"] <= 15 <= counts["pairs_above_chance"] <= 30
    assert counts["estimated_replicas"] <= 45, "once 737"
    assert true.sum() == 15 and (~true).sum() <= 2
