"""Decoys: what dealing keeps and what it takes, and crawls on which the class prior ran away."""

from __future__ import annotations

import hashlib
import random

import polars as pl
import pytest

import replicadb
from replicadb.detection import decoys, robust_method
from replicadb.detection.decoys import STEM
from replicadb.detection.pipeline import _for_people
from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.settings import CONSTANTS, Settings
from replicadb.store import run_log
from replicadb.store.database import Database
from training.generators import AUTHORS, common

from .crawls import csv_of, only_pairs, opened, pairs_alone

COPIES = 15
NONE_LIKELY = 99.0
"""A match weight that no pair has."""
Rows = list[tuple[str, str]]
"""URLs, and a name of the content of each."""


def deal(data: Database, cap: int = 1000) -> None:
    """Make the table dealt, where the class prior takes no pair for replicas."""
    data.execute("CREATE TEMP TABLE scored AS SELECT *, 0 AS score_id FROM pair_features LIMIT 0")
    given = {"cap": cap, "partly": CONSTANTS.partly_shared, **decoys.copied(NONE_LIKELY)}
    data.run(STEM, given, only="dealt")


def crawl_of(rows: Rows) -> str:
    return csv_of((url, "", hashlib.md5(content.encode()).hexdigest()) for url, content in rows)


def shared_at_random(hosts: int, pages: int, contents: int) -> Rows:
    """Hosts whose pages are drawn from a common pool, and COPIES pairs of true copies."""
    draw = random.Random(7)
    rows = [
        (f"http://h{host}.com/{content}", str(content))
        for host in range(hosts)
        for content in draw.sample(range(contents), pages)
    ]
    for pair in range(COPIES):
        for side in "ab":
            rows += [
                (f"http://{side}copy{pair}.net/{page}", f"{pair}-{page}") for page in range(40)
            ]
    return rows


def scored(db, **settings) -> tuple[dict, pl.DataFrame]:
    """Detect but for the last stage, which makes groups. The counts, and the candidates."""
    return only_pairs(db, 5, **settings), db.sql("FROM replicas")


@pytest.fixture(scope="module")
def random_web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("random")
    with opened(folder, crawl_of(shared_at_random(400, 8, 850))) as db:
        with pairs_alone(5):
            result = db.detect()
        yield db, result


@pytest.mark.slow
def test_dealing_keeps_how_many_contents_of_each_rarity_a_host_has(random_web):
    """But where a host is dealt a content twice, which it then has once, and of true copies."""
    db, _ = random_web
    data = db.database
    with data.temporary():
        deal(data)
        by_host = """SELECT host_id, least(n_hosts, 5) AS rarity, count(*) AS n
            FROM {} JOIN dup_clusters USING (cluster_id) JOIN hosts USING (host_id)
            WHERE n_hosts BETWEEN 2 AND 4 AND host NOT LIKE '%copy%'
            GROUP BY ALL"""
        before = {row[:2]: row[2] for row in data.rows(by_host.format("cluster_hosts"))}
        after = {row[:2]: row[2] for row in data.rows(by_host.format("dealt"))}
        moved = data.value(
            "SELECT count(*) FROM dealt ANTI JOIN cluster_hosts USING (cluster_id, host_id)"
        )
        every = data.value("SELECT count(*) FROM dealt")
    assert all(after[key] <= before[key] for key in after)
    assert sum(after.values()) > 0.97 * sum(before.values())
    assert moved > 0.9 * every


@pytest.mark.slow
def test_of_copies_the_largest_alone_is_dealt(tmp_path):
    """Three hosts of one site, of which the second has most, and a page of it on two others."""
    rows = [(f"http://c{n}.com/{p}", f"one {p}") for n in range(3) for p in range(20 - (n != 1))]
    rows += [(f"http://o{n}.org/0", "one 0") for n in range(2)] + single_sites(4)
    with opened(tmp_path, crawl_of(rows)) as db:
        only_pairs(db)
        data = db.database
        names = dict(data.rows("SELECT host_id, host FROM hosts"))
        cluster = dict(data.rows("SELECT cluster_id, count(*) FROM cluster_hosts GROUP BY ALL"))
        pairs = data.rows("SELECT a_id, b_id, shared, containment FROM pair_features")
        contents = dict(data.rows("SELECT host_id, n_contents FROM host_stats"))
        with data.temporary():
            deal(data)
            dealt = data.rows("SELECT cluster_id, from_id FROM dealt")
        held = set(data.rows("SELECT cluster_id, host_id FROM cluster_hosts"))
    original = {}
    for a, b, shared, containment in pairs:
        if shared >= CONSTANTS.several_shared and containment >= CONSTANTS.mostly_shared:
            for host, of in ((a, b), (b, a)):
                rank = contents[of], -ord(names[of][1])
                if rank > (contents[host], -ord(names[host][1])):
                    original[host] = max(original.get(host, (rank, of)), (rank, of))
    once = {
        (c, host)
        for c, host in held
        if cluster[c] > 1 and (host not in original or (c, original[host][1]) not in held)
    }
    left = {c: sum(other == c for other, _ in once) for c, _ in once}
    assert {names[host] for host in original} == {"c0.com", "c2.com"}
    assert set(dealt) <= {(c, host) for c, host in once if left[c] > 1}
    assert {c for c, _ in dealt} == {c for c, n in left.items() if n > 1}
    assert {names[host] for _, host in dealt if names[host].startswith("c")} == {"c1.com"}
    assert len({c for c, _ in dealt}) == 2, "the page on two other hosts, and the default page"


@pytest.mark.slow
def test_what_two_copies_have_and_the_largest_lacks_is_dealt_for_both(tmp_path):
    """a has twenty pages; b and c have most of them, and three more. The files of d and e, which
    have a page each of their own, are dealt for both: where hosts have pages, these decide.
    """
    pages = {"a": range(20), "b": range(4, 20), "c": range(10, 20), "more": range(20, 23)}
    rows = [(f"http://{h}.com/{p}", f"one {p}") for h in "abc" for p in pages[h]]
    rows += [(f"http://{h}.com/{p}", f"one {p}") for h in "bc" for p in pages["more"]]
    rows += [(f"http://{h}.net/{p}.png", f"picture {p}") for h in "de" for p in range(9)]
    rows += [(f"http://{h}.net/", f"home of {h}") for h in "de"]
    with opened(tmp_path, crawl_of(rows)) as db:
        only_pairs(db)
        with db.database.temporary():
            deal(db.database)
            dealt = db.database.rows(
                "SELECT host, cluster_id FROM dealt JOIN hosts ON hosts.host_id = from_id"
            )
    assert {host for host, _ in dealt} == {"b.com", "c.com", "d.net", "e.net"}
    assert len({content for _, content in dealt}) == 3 + 9, "what one host alone has is not dealt"


def test_the_same_crawl_gives_the_same_decoys(random_web):
    db, _ = random_web
    dealt = []
    for _ in range(2):
        with db.database.temporary():
            deal(db.database)
            dealt.append(db.database.rows("FROM dealt ORDER BY ALL"))
    assert dealt[0] == dealt[1]


def test_an_estimate_stays_within_a_few_times_what_stands_above_chance(random_web):
    _, result = random_web
    counts = result.counts
    assert counts["candidate_pairs"] > 5_000
    assert COPIES <= counts["pairs_above_chance"] <= 0.05 * counts["candidate_pairs"]
    assert counts["estimated_replicas"] <= CONSTANTS.most_above * counts["pairs_above_chance"]


def test_it_is_told_as_a_count_of_its_own(random_web):
    _, result = random_web
    above = result.counts["pairs_above_chance"]
    said = f"pairs above chance {above:,} (a count of its own)"
    assert said in run_log.in_a_line(_for_people(result.counts))


def test_true_copies_are_flagged_and_chance_is_not(random_web):
    db, _ = random_web
    flagged = db.sql("FROM replicas WHERE flagged")
    true = flagged["host_a"].str.contains("copy")
    assert true.sum() == COPIES and (~true).sum() <= 2


def copies(groups: int, size: int, pages: int) -> Rows:
    return [
        (f"http://c{group}-{member}.com/{page}", f"g{group}-{page}")
        for group in range(groups)
        for member in range(size)
        for page in range(pages)
    ]


def single_sites(n: int) -> Rows:
    """Sites of twenty pages of their own each, half of them with a default page."""
    return [
        (
            f"http://s{site}.org/{page}",
            "default" if page == 0 and site % 2 else f"{site}/{page}",
        )
        for site in range(n)
        for page in range(20)
    ]


def mostly_copies() -> Rows:
    """Of 13,750 hosts four fifths are copies, 10,000 of them of one site, as among onion sites."""
    own = [(f"http://s{n}.org/{page}", f"{n}/{page}") for n in range(2_750) for page in range(4)]
    one = [(f"http://one{n}.org/{page}", f"one/{page}") for n in range(10_000) for page in range(6)]
    return [*own, *one, *copies(100, 10, 8)]


def one_page_everywhere(hosts: int) -> Rows:
    """All that is known of each host is one content, which all have."""
    return [(f"http://e{host}.com/", "everywhere") for host in range(hosts)]


ODD = {
    "one replica pair": (single_sites(60) + copies(1, 2, 20), 1),
    "none": (single_sites(60), 0),
    "ten hosts, none a copy": (single_sites(10), 0),
    "ten hosts, two of them copies": (single_sites(8) + copies(1, 2, 20), 1),
    "one group of 2,000": (single_sites(60) + copies(1, 2_000, 6), 0),
    "one content everywhere": (one_page_everywhere(200), 0),
    "one content everywhere, and more": (
        [*single_sites(100), *((f"http://s{n}.org/e", "everywhere") for n in range(100))],
        0,
    ),
    "nothing but mirrors": (copies(1, 60, 11), 60 * 59 // 2),  # not flagged at first
    "so few replicas that no estimate runs away": (copies(40, 2, 12), None),
    "four fifths copies, 10,000 of one site": (mostly_copies(), 100 * 45),
    "one page a host": ([(f"http://p{i}.com/", str(i % 40)) for i in range(200)], 0),
}

LISTED = {"four fifths copies, 10,000 of one site": 9_999, "one group of 2,000": 1_999}
"""Hosts in ``details.mass_copies``: pages on more hosts than the cap make no pairs."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_on_odd_webs_probabilities_are_sane_and_no_flag_is_without_evidence(tmp_path, name):
    """``None``: any number of flags that are right."""
    rows, wanted = ODD[name]
    with opened(tmp_path, crawl_of(rows)) as db:
        counts, found = scored(db)
        assert db.sql("FROM details.mass_copies").height == LISTED.get(name, 0)
    assert found["probability"].is_between(0, 1).all()
    assert counts.get("estimated_replicas", 0) <= len(found) == counts["candidate_pairs"]
    assert ("pairs_above_chance" in counts) == (len(found) > 40), "decoys"
    flagged = found.filter("flagged")
    groups = flagged.select(
        a=flagged["host_a"].str.extract(r"^c(\d+)-"), b=flagged["host_b"].str.extract(r"^c(\d+)-")
    )
    assert (groups["a"] == groups["b"]).all() and groups["a"].null_count() == 0
    if wanted is not None:
        assert len(flagged) == wanted


@pytest.mark.slow
def test_pages_of_a_farm_dealt_among_its_own_hosts_are_no_decoys(tmp_path):
    """60 mirrors of ten pages: no rarity tells that they are copies, the whole of them does."""
    rows, pairs = copies(1, 60, 10) + single_sites(50), 60 * 59 // 2
    with opened(tmp_path, crawl_of(rows)) as db:
        counts, found = scored(db)
        flagged = found.filter("flagged")
    assert counts["pairs_above_chance"] >= pairs
    assert counts["estimated_replicas"] == pytest.approx(pairs, rel=0.02)
    assert len(flagged) == pairs and flagged["host_a"].str.starts_with("c0-").all()


@pytest.mark.slow
def test_what_two_hosts_share_themselves_is_no_decoy_but_one_page(random_web):
    """Each candidate as its own decoy. Those are left that share less than several contents, or
    several that are little of a host and make no likely pair.
    """
    data, known = random_web[0].database, prior.load("pages")
    with data.temporary():
        data.execute("CREATE TEMP TABLE decoy_features AS FROM pair_features")
        data.execute(
            "CREATE TEMP TABLE scored AS SELECT a_id, b_id, shared,"
            " if(a_id % 2 = 0, 5000000, 4999999) AS score_id FROM pair_features"
        )
        found = decoys._weighed(data, Lookup(known.cuts, known.tables), 2.0, 5.0)
        of_all, left = data.rows(
            """SELECT count(*), count(*) FILTER (
                shared < $several OR (a_id % 2 = 1 AND containment < $mostly)
            ) FROM pair_features""",
            {"several": CONSTANTS.several_shared, "mostly": CONSTANTS.mostly_shared},
        )[0]
    assert found.n.sum() == 2 * left and of_all - left >= COPIES


@pytest.mark.slow
def test_contents_on_more_hosts_than_the_cap_make_neither_pairs_nor_decoys(tmp_path):
    rows = copies(1, 101, 3) + single_sites(50)
    with opened(tmp_path, crawl_of(rows)) as db:
        counts, found = scored(db, max_cluster_hosts=100)
        assert counts["skipped_clusters"] == 3
        assert len(found) == 25 * 24 // 2 and not found["flagged"].any(), "of the default page"
        with db.database.temporary():
            deal(db.database, cap=100)
            assert db.database.value("SELECT count(DISTINCT cluster_id) FROM dealt") == 1


@pytest.mark.slow
def test_relational_evidence_is_of_the_likeliest_candidates_that_it_may_read(tmp_path, monkeypatch):
    from replicadb.detection import collective

    rows = single_sites(40) + copies(10, 4, 12)
    with opened(tmp_path, crawl_of(rows)) as db:
        scored(db)
        every = db.database.value("SELECT count(*) FROM shared_neighbours")
        monkeypatch.setattr(collective, "CONSTANTS", type("Few", (), {"most_possible": 12})())
        scored(db, max_wrong=0.02)
        assert db.database.value("SELECT count(*) FROM shared_neighbours") <= 12 < every


def test_settings_of_flags_are_checked():
    for odd in ({"max_wrong": 0.0}, {"max_wrong": 1.5}, {"min_probability": 0.0}):
        with pytest.raises(replicadb.errors.UsageError):
            Settings(**odd)


@pytest.mark.slow
def test_home_pages_that_stand_on_many_hosts_run_away_no_more(tmp_path):
    """Default pages on hosts of which nothing else is known, by author G: once 7,451 flags, and
    7,696 replicas estimated where 222 are.
    """
    written = common.write(AUTHORS["author_g"], tmp_path, "homepages", 5)
    gold = pl.read_csv(tmp_path / "gold.csv")
    with replicadb.open(":memory:") as web:
        web.load(written.crawl)
        counts, found = scored(web)
    assert counts["candidate_pairs"] > 7_000 and counts["estimated_replicas"] < 222
    wrong = found.filter("flagged").join(gold, on=["host_a", "host_b"], how="anti")
    assert len(wrong) < 10 < found["flagged"].sum()


@pytest.mark.slow
def test_dealt_once_they_weigh_as_dealt_each_time(random_web):
    db, _ = random_web
    data, settings = db.database, Settings()
    columns = ("a_id", "b_id", "score", "probability")

    def scores(examples: str) -> list[tuple]:
        table = robust_method.score_pairs(data, settings, examples)
        return sorted(zip(*(table.column(name).to_pylist() for name in columns), strict=True))

    conditions = ("true", "a_id % 2 = 0")
    each_time = [scores(condition) for condition in conditions]
    with decoys.dealt_once(data):
        assert [scores(condition) for condition in conditions] == each_time
        assert data.value("SELECT count(*) FROM decoys_dealt") == 1
    assert "decoy_features" not in data.temporaries
