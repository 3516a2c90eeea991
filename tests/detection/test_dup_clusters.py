"""``detect --clusters``: replicas whose every page differs a little are found on clusters of near
duplicates, and nothing is lost.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest
from page_database import with_pages

import replicadb
from replicadb.detection.stage import stale
from replicadb.errors import DataError, UsageError
from replicadb.evaluation.scratch import Scratch
from replicadb.near_duplicates import near_duplicate_run
from replicadb.store import run_log
from replicadb.store.statements import statements
from replicadb.synthetic.crawl.generate import PROFILES, generate
from replicadb.web.folded_text import normal_text

from .crawls import only_pairs, pairs_alone

pytestmark = pytest.mark.slow

TOPICS = (
    "harbour sailing boats tide anchor rope mast deck crew voyage",
    "kitchen oven bread flour yeast butter crust dough bake loaf",
    "garden soil seed spade rose hedge bloom water prune lawn",
    "mountain ridge summit glacier rope boots tent trail snow guide",
    "violin string bow concert tuning melody orchestra stage score solo",
    "engine piston valve gear clutch torque exhaust fuel brake axle",
)
OF_PAIRS = (
    "dup_clusters",
    "cluster_hosts",
    "shared_paths",
    "shared_tails",
    "host_stats",
    "pair_features",
    "near_contents",
)


def pages_of(host: str, date: str, topics=TOPICS) -> list[dict]:
    """Pages whose text is the topic's, at length, with a date."""
    texts = [
        f"{' '.join(f'{word}{n}' for n in range(30) for word in topic.split())} {date}"
        for topic in topics
    ]
    return [
        {
            "url": f"http://{host}/{topic.split()[0]}",
            "text": text,
            "title": topic.split()[0],
            "normal_digest": normal_text(text.replace(date, "")),
        }
        for topic, text in zip(topics, texts, strict=True)
    ]


def crawl() -> list[dict]:
    """Two hosts whose every page differs by a date, and others."""
    return [
        *pages_of("one.example", "2024-01-01"),
        *pages_of("two.example", "2024-02-02"),
        *pages_of("other.example", "2024-03-03", tuple(topic[::-1] for topic in TOPICS)),
        *pages_of("small.example", "2024-04-04", ("owl hawk",)),
    ]


@pytest.fixture(scope="module")
def pages_alone(tmp_path_factory):
    """A database of the crawl, without clusters; do not change it."""
    path = tmp_path_factory.mktemp("pages") / "web.duckdb"
    with replicadb.open(path) as web:
        with_pages(web.database, crawl())
    return path


@pytest.fixture(scope="module")
def stored(pages_alone, tmp_path_factory):
    """The same with clusters by exact and by simhash; do not change it."""
    path = shutil.copy(pages_alone, tmp_path_factory.mktemp("near"))
    with replicadb.open(path) as web:
        web.fingerprint("exact")
        web.fingerprint("simhash", bits=8)
    return path


@pytest.fixture
def web(stored, tmp_path):
    with replicadb.open(shutil.copy(stored, tmp_path / "web.duckdb")) as opened:
        yield opened


@pytest.fixture(scope="module")
def same(stored, tmp_path_factory):
    """The same once for many tests; each detects what it needs, and nothing else changes it."""
    with replicadb.open(shutil.copy(stored, tmp_path_factory.mktemp("same"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def detected(stored, tmp_path_factory):
    """The same after detection on clusters by exact."""
    path = shutil.copy(stored, tmp_path_factory.mktemp("detected"))
    with replicadb.open(path) as opened:
        opened.detect(clusters="exact")
    return path


@pytest.fixture
def compared(detected, tmp_path):
    with replicadb.open(shutil.copy(detected, tmp_path / "compared.duckdb")) as opened:
        yield opened


def pairs(web) -> list[tuple]:
    return web.sql("SELECT host_a, host_b, shared FROM candidate_pairs ORDER BY ALL").rows()


def test_a_copy_whose_every_page_has_another_date_is_found_on_clusters_alone(same, pages_alone):
    """And without clusters the results are those of a crawl that never had any."""
    assert only_pairs(same, clusters="simhash")["near_contents"] == 12
    assert pairs(same) == [("one.example", "two.example", 6)]
    clusters = same.sql(
        "SELECT fingerprint_kind, n_urls, n_hosts FROM dup_clusters GROUP BY ALL"
    ).rows()
    assert clusters == [("near:simhash", 2, 2)]
    assert same.sql(
        "SELECT host, n_clusters FROM host_stats JOIN hosts USING (host_id) WHERE n_clusters > 0"
        " ORDER BY host"
    ).rows() == [("one.example", 6), ("two.example", 6)]
    assert same.sql("SELECT DISTINCT agreement > 0.5 FROM candidate_pairs").rows() == [
        (True,)
    ]  # equal paths have equal content
    assert only_pairs(same, clusters="none")["candidate_pairs"] == 0
    with replicadb.open(pages_alone, threads=1) as fresh:
        only_pairs(fresh, clusters="none")
        for table in OF_PAIRS:
            query = f"FROM {table} ORDER BY ALL"
            assert same.database.rows(query) == fresh.database.rows(query), table


def test_shared_pages_shows_near_duplicates_with_a_mark(same):
    assert same.sql("FROM shared_pages('one.example', 'two.example')").rows() == []
    only_pairs(same, clusters="exact")
    found = same.sql(
        "SELECT url_a, url_b, same_path, hosts_with_it, near FROM shared_pages('one.example',"
        " 'two.example') ORDER BY url_a"
    ).rows()
    assert len(found) == 6 and found[0] == (
        "http://one.example/engine",
        "http://two.example/engine",
        True,
        2,
        True,
    )
    assert {row[2:] for row in found} == {(True, 2, True)}


def test_without_clusters_stages_read_urls_themselves(same):
    db = same.database
    for name in ("with_assets", "contents_by_fingerprint"):
        db.run("detect/10_contents", only=name)
    query = (
        "EXPLAIN "
        + statements("detect/12_dup_clusters")["duplicates"].partition("TABLE duplicates AS")[2]
    )
    plans = [
        db.rows(text, {"page_types": ["text/html"]})[0][1]
        for text in (query, query.replace("FROM contents", "FROM urls"))
    ]
    steps, direct = (re.findall(r"╭─ (\w[\w ]*?) ─|Table: (.*?) +│", plan) for plan in plans)
    assert steps == direct and ("Hash Join", "") in steps and "near_contents" not in plans[0]


def test_a_second_run_does_nothing_and_new_clusters_run_it_again(compared):
    web = compared
    assert not web.detect(clusters="exact").stages_run
    assert web.info()["up_to_date"]
    web.fingerprint("exact", level="text")
    assert not web.info()["up_to_date"] and stale(web.database) == "other clusters by exact came"
    assert only_pairs(web, clusters="exact")["candidate_pairs"] == 0


def test_equal_fingerprints_are_never_told_apart(web):
    """A URL whose content was not loaded goes with its equals; a fingerprint of several clusters
    with most of them, or at a tie with that of the lesser URL.
    """
    db = web.database
    db.execute("DELETE FROM page_clusters")
    db.execute(
        "UPDATE urls SET fingerprint = CASE WHEN url_id <= 4 THEN 'same' WHEN url_id = 5 THEN NULL"
        " WHEN url_id BETWEEN 8 AND 11 THEN 'tied' ELSE fingerprint END"
    )
    db.run("migrations/09_hashes", only="urls_hashes")
    db.execute(
        "INSERT INTO page_clusters SELECT 'exact', c, u, u, 1 FROM (VALUES (1, 1), (2, 2), (2, 3),"
        " (3, 5), (3, 6), (9, 7), (12, 8), (12, 9), (11, 10), (11, 11)) AS t(c, u)"
    )
    only_pairs(web, clusters="exact")
    found = dict(
        db.rows(
            "SELECT url_id, fingerprint FROM near_contents WHERE fingerprint_kind = 'near:exact'"
        )
    )
    name = least_urls(db)
    of = {1: 2, 2: 2, 3: 2, 4: 2, 5: 3, 6: 3, 7: 9}
    of |= dict.fromkeys(range(8, 12), min((11, 12), key=name.get))
    assert found == {url_id: name[cluster] for url_id, cluster in of.items()}
    assert set(db.rows("SELECT fingerprint, n_urls FROM dup_clusters")) == {
        (name[2], 4),
        (name[3], 2),
        (name[of[8]], 4),
    }


def least_urls(db) -> dict[int, str]:
    """The least URL of each cluster, by its number."""
    return dict(
        db.rows(
            "SELECT cluster_id, min(origin || path) FROM page_clusters JOIN urls USING (url_id)"
            " JOIN origins USING (origin_id) GROUP BY 1"
        )
    )


def test_after_an_upgrade_clusters_are_refused_for_it_and_not_for_loads(
    compared, cli, write, monkeypatch
):
    said = "another version of replicadb came"
    for module in (run_log, near_duplicate_run):
        monkeypatch.setattr(module, "__version__", "999")
    assert stale(compared.database) == said
    with pytest.raises(DataError, match=f"{said} since exact ran; bring its clusters up to date"):
        compared.detect(clusters="exact")
    assert {run["stale"] for run in compared.info()["page_methods"]} == {said}
    with pytest.raises(DataError, match=f"{said} since the last detection"):
        compared.model()
    compared.close()
    assert f"{said} since, run fingerprint again" in cli("info", compared.database.path).out
    cli("load", compared.database.path, write("m.csv", "url,digest\nhttp://more.example/,1\n"))
    answer = cli("detect", compared.database.path, "--clusters", "exact")
    assert answer.code == 1 and "loads came or went since exact ran" in answer.err
    assert "loads came or went since, run" in cli("info", compared.database.path).out


def test_missing_and_stale_clusters_are_refused_with_the_command_to_run(cli, web):
    path = web.database.path
    only_pairs(web)
    before = pairs(web)
    with pytest.raises(
        DataError,
        match=(
            r"no clusters by mwo in it yet; find them first: replicadb fingerprint .*"
            r" --page-method mwo"
        ),
    ):
        web.detect(clusters="mwo")
    with_pages(web.database, pages_of("three.example", "2024-05-05"))
    with pytest.raises(DataError, match="loads came or went since exact ran"):
        web.detect(clusters="exact")
    assert pairs(web) == before
    with pytest.raises(UsageError, match="clusters cannot be 'magic'"):
        web.detect(clusters="magic")
    web.close()
    answer = cli("detect", path, "--clusters", "simhash")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert cli("detect", path, "--clusters", "magic").code == 2


def test_score_and_info_tell_what_was_compared(detected, cli):
    answer = cli("score", detected, "one.example", "two.example")
    with replicadb.open(detected, read_only=True) as web:
        strength = web.sql("SELECT strength FROM replicas")["strength"][0]
    assert answer.code == 0 and float(answer.out.splitlines()[1].split(",")[2]) == pytest.approx(
        strength, abs=1e-3
    )
    assert "on clusters by exact" in cli("info", detected).out


def test_evaluate_compares_what_detect_compared(compared):
    """What is made anew beside the database."""
    compared.database.execute("DELETE FROM stages")
    with Scratch(compared.database) as scratch:
        scratch.detect_until_features()
        assert scratch.value("SELECT count(*) FROM candidate_pairs") == 1
        assert scratch.value("SELECT count(*) FROM dup_clusters") == 6


def test_threads_do_not_matter(stored, tmp_path):
    """Nor to clusters themselves: tests/near_duplicates/test_simhash.py."""
    found = []
    for threads in (1, 2):
        with replicadb.open(
            shutil.copy(stored, tmp_path / f"{threads}.duckdb"), threads=threads
        ) as web:
            only_pairs(web, clusters="simhash")
            found.append([web.database.rows(f"FROM {table} ORDER BY ALL") for table in OF_PAIRS])
    assert found[0] == found[1] and found[0][0]


# -- a crawl whose every page has small edits


def flagged(web, **settings) -> set[tuple[str, str]]:
    only_pairs(web, 5, **settings)
    return set(web.sql("SELECT host_a, host_b FROM replicas WHERE flagged").rows())


def test_near_duplicate_clusters_find_what_edits_hide(tmp_path):
    copied = replace(PROFILES["demo"], replicated=0.6)
    plain = generate(tmp_path / "plain", 30, 300, copied, seed=1)
    edited = generate(
        tmp_path / "edited", 30, 300, copied, seed=1, content=True, page_edits="small"
    )
    with replicadb.open(tmp_path / "plain.duckdb") as web:
        web.load(plain.crawl)
        found = flagged(web)
    with replicadb.open(tmp_path / "edited.duckdb") as web:
        web.load(edited.crawl, content=True)
        assert only_pairs(web, clusters="none")["candidate_pairs"] == 0
        near = flagged(web)
    assert len(found) >= 5 and len(near & found) >= 0.9 * len(found)


def test_where_pages_have_contents_near_duplicates_are_compared_unasked(web):
    """With the options that they were looked for with before."""
    options = "SELECT options FROM fingerprints WHERE method = 'minhash'"
    reported = []
    with pairs_alone():
        result = web.detect(report=lambda stage, found: reported.append(stage))
        assert reported[0] == "05_near_duplicates"
        assert ("one.example", "two.example", 6) in pairs(web) and result.counts["near_contents"]
        assert not web.detect().stages_run and web.info()["up_to_date"]
    assert web.info()["detection"]["settings"]["clusters"] == "minhash"
    web.fingerprint("minhash", threshold=0.99, shingle=2)
    only_pairs(web)
    assert '"threshold": 0.99' in web.database.value(options)


def test_near_duplicates_that_cannot_be_found_leave_equal_fingerprints(web, monkeypatch):
    def refuse(*_):
        raise replicadb.LimitError("too many matches")

    monkeypatch.setattr("replicadb.near_duplicates.near_duplicate_run.fingerprint", refuse)
    reported = {}
    only_pairs(web, report=reported.__setitem__)
    assert "too many matches" in reported["05_near_duplicates"] and not pairs(web)
