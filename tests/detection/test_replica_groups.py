"""Groups of replicas: which host of one is kept, and that the others are copies of it itself."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.detection.drops import Drops
from replicadb.detection.replica_groups import DECIDED, STEM, _branches, _centres, _weights
from replicadb.settings import Settings
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store.statements import statements

from .crawls import pairs


def test_a_pair_weighs_its_log_odds_and_a_decided_one_more_than_any():
    flagged = {
        "probability": np.array([np.nan, 0.2, 0.5, 0.9, 1.0, 0.9]),
        "score": np.full(6, 0.75),
        "decided": np.arange(6) == 5,
    }
    weights = _weights(flagged)
    assert weights.tolist() == [750_001, 1, 1, 2_197_226, 20_723_267, DECIDED]
    assert weights.argmax() == 5


def test_with_a_reference_new_hosts_go_to_the_likeliest_old_one_and_old_ones_stay():
    """0 and 1 are old, and decided to be replicas: they are no candidates of each other."""
    a, b = np.array([[0, 1], [0, 2], [2, 1], [3, 0]]).T
    drops = Drops.of(a, b, np.ones(4), np.zeros(4, bool), Settings())
    order = SimpleNamespace(host_id=np.arange(4))
    centre = _centres(drops, np.ones(4), order, np.array([True, True, False, False]))
    assert centre.tolist() == [0, 1, 0, 0]


def test_of_hosts_that_may_all_go_for_each_other_the_first_in_order_is_kept():
    a, b = np.array([[1, 2], [0, 2], [0, 1]]).T
    drops = Drops.of(a, b, np.ones(3), np.zeros(3, bool), Settings())
    order = SimpleNamespace(host_id=np.arange(3), tiers=np.zeros(3, np.int64))
    assert _centres(drops, np.array([9.0, 9.0, 1.0]), order, None).tolist() == [0, 0, 0]
    drops.held[drops.pair == 2] = 1
    assert _centres(drops, np.array([9.0, 9.0, 1.0]), order, None).tolist() == [2, 2, 2]


def test_groups_hold_direct_copies_of_the_host_that_is_kept(ranked):
    flagged = pairs(ranked, "(FROM replicas WHERE flagged)")
    rows = ranked.database.rows("SELECT host, canonical_host FROM flagged_hosts")
    assert rows and all(tuple(sorted(row)) in flagged for row in rows)
    assert len({host for host, _ in rows}) == len(rows)
    assert not {host for host, _ in rows} & {kept for _, kept in rows}
    sizes = dict(
        ranked.database.rows("SELECT host, n_urls FROM host_stats JOIN hosts USING (host_id)")
    )
    for kept, members in ranked.database.rows("SELECT canonical_host, members FROM replica_groups"):
        if len(members) == 2:
            assert kept == min(
                members, key=lambda h: (-sizes[h], h.removeprefix("www.").count(".") > 1, len(h), h)
            )


FLAGGED = (
    ("bath-herald.com", "york-herald.com", None),
    ("bath-herald.com", "leeds-herald.com", None),
    ("york-herald.com", "leeds-herald.com", "thin"),
    ("bath-gazette.com", "york-gazette.com", None),
    ("bath-gazette.com", "york-gazette.net", None),
    ("bath-herald.com", "bath-gazette.com", None),
)
"""Pairs of hosts in their order, and the kind for which one is left out."""


def test_flagged_pairs_say_what_their_drops_go_by(tmp_path):
    """Of the herald in Bath two pairs say a word each that its brand stands with, of the gazette
    there two say one. The last pair but one is decided, the last was decided and no candidate.
    """
    hosts = dict.fromkeys(host for *two, _ in FLAGGED for host in two)
    lines = "".join(f"http://{host}/,d{n}\n" for n, host in enumerate(hosts))
    (tmp_path / "c.csv").write_text("url,digest\n" + lines)
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.csv")
        db = web.database
        id_of = dict(db.rows("SELECT host, host_id FROM hosts"))
        db.execute("INSERT INTO pattern_scores BY NAME SELECT 1 AS score_id, 3 AS dominates")
        alike = KIND_NUMBERS.thin_names
        for n, (*two, kind) in enumerate(FLAGGED):
            pair = "{}, {}".format(*sorted(id_of[host] for host in two))
            db.execute(f"INSERT INTO ranking VALUES ({pair}, 1, {kind is None})")
            if kind:
                db.execute(f"INSERT INTO left_out VALUES ({pair}, '{kind}')")
            if n >= 4:
                db.execute(f"INSERT INTO decided VALUES ({pair}, true, NULL, NULL, 1)")
            if n < 5:
                nmatch = alike - 0.25 * (n in (1, 2))
                db.execute(
                    f"INSERT INTO pair_features (a_id, b_id, nmatch) VALUES ({pair}, {nmatch})"
                )
        with db.temporary():
            db.run(STEM, {"alike_names": alike}, only="flagged_pairs")
            _branches(db)
            chosen = "rank, left_out, decided, score, alike_names, branches"
            found = db.rows(f"SELECT {chosen} FROM ({statements(STEM)['flagged_in_order']})")
    assert found == [
        (1, None, False, 0.5, True, True),
        (2, None, False, 0.5, False, True),
        (3, "thin", False, 0.5, True, False),
        (4, None, False, 0.5, True, False),
        (5, None, True, 1.0, True, False),
        (6, None, True, 1.0, True, False),
    ]


KEPT = {
    "one": ("dev.one.com", "www.one.com"),
    "two": ("a.two.com", "two.com"),
    "other": ("a.other.net", "www.pictures.net"),
    "first": ("dev.first.com/blog", "www.first.com/blog"),
    "second": ("a.second.com/blog", "second.com/blog"),
    "third": ("a.third.net/blog", "www.photos.net/blog"),
}
"""Two sites of the same pages each, of which the second is kept; some are folders of a host."""


@pytest.mark.slow
def test_a_registered_domain_is_kept_before_its_subdomains(tmp_path):
    rows = [
        {"url": f"http://{site}/page-of-{name}-{page}", "digest": f"{name}{page}"}
        for name, sites in KEPT.items()
        for site in sites
        for page in range(12)
    ]
    rows += [
        {"url": f"http://own{site}.org/{site}-{page}", "digest": f"own{site}-{page}"}
        for site in range(40)
        for page in range(5)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(":memory:") as web:
        web.load(tmp_path / "crawl.parquet", site="host+1")
        web.detect()
        found = web.flagged_hosts().select("host", "canonical_host").rows()
        assert dict(found) == dict(KEPT.values())
