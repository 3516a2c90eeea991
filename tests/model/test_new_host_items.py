"""What a new host weighs, by hand: items, singletons, links.

Tries new_host_rows and singletons, too.
"""

from __future__ import annotations

import contextlib
import itertools

import numpy as np
import polars as pl
import pytest
from detection.crawls import only_pairs

import replicadb
from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.model import Host


@pytest.mark.slow
def test_weights_of_a_new_host_by_hand(tiny):
    """3 hosts. A new host has p0 (on a.com alone), p4 (a.com and b.com), and one page
    of its own.
    """
    scale, n = 2**20, 3
    own, two = (round((1 + np.log(x)) * scale) for x in (n, n / 2))
    host = Host(
        "new.com",
        [
            ("/p0", "sha1:" + f"{0:040x}"),
            ("/p4", "sha1:" + f"{4:040x}"),
            ("/only", "sha1:" + "d" * 40),
        ],
        complete=True,
    )
    found = tiny.score_pair(host, "a.com")
    shared = two + two  # p4's weight is that of two hosts already, p0's becomes it
    mine, theirs = (
        2 * two + own,
        2 * two + two + 3 * own,
    )  # a.com: p4, p5 with b.com; p0 with the new host; p1 to p3
    assert found.shared == 2
    assert found.features["evidence"] == np.float32(shared / two)
    assert found.features["containment"] == np.float32(shared / (min(mine, theirs) + own))
    assert found.features["resemblance"] == np.float32(shared / (mine + theirs - shared + own))
    with_b = tiny.score_pair(host, "b.com")
    assert with_b.features["containment"] == np.float32(two / (2 * own + two + own))
    strongest_first = sorted((found, with_b), key=lambda pair: -pair.strength)
    assert [(m.host, m.strength) for m in tiny.lookup(host)] == [
        (pair.host_b, pair.strength) for pair in strongest_first
    ]


def test_an_exact_copy_of_one_host_shares_all_of_it(tiny):
    found = tiny.score_pair(Host("copy.example", [("/x/y", "sha1:" + "C" * 40)]), "c.com")
    own, two = (round((1 + np.log(x)) * 2**20) for x in (3, 1.5))
    assert found.features["containment"] == np.float32(two / (two + own)) and found.features[
        "agreement"
    ] == np.float32(2 / 3)
    assert found.features["reach"] == np.float32(1 / 1.5)


def test_links_of_a_new_host_count_in_many_pairs_as_in_one(tiny):
    """Also where a canonical link is all that there is between two hosts."""
    host = Host(
        "new.com",
        [
            {"path": "/", "canonical": "http://a.com/p0"},
            {"path": "/x", "links": ["http://b.com/p4", "http://b.com/p5"]},
        ],
    )
    other = Host("more.com", [{"path": "/1", "links": ["http://new.com/"]}])
    assert tiny.score_pair(host, "a.com").features["canonical"] == 0.5 and tiny.score_pair(
        "b.com", host
    ).features["linked"] == np.float32(1 / 3)
    assert tiny.score_pair(host, other).features["linked"] == 0.5
    pairs = [("new.com", name) for name in ("a.com", "b.com", "c.com", "more.com")] + [
        ("c.com", "more.com")
    ]
    many = tiny.score(pairs, [host, other])["strength"].to_list()
    given = {"new.com": host, "more.com": other}
    assert (
        many
        == [tiny.score_pair(*(given.get(name, name) for name in pair)).strength for pair in pairs]
        and many[0] > many[2]
    )


@pytest.mark.slow
def test_a_known_host_given_with_its_pages_is_no_further_host_that_has_them(tmp_path):
    """What a.com and b.com alone have would count half by inverse pair frequency, were a.com one
    host more.
    """
    rows = [
        {"url": f"http://{host}/{p}", "digest": f"{p:02x}"}
        for host in ("a.com", "b.com")
        for p in range(10)
    ]
    rows += [
        {"url": f"http://{host}/{p}", "digest": f"{p:02x}{host}".encode().hex()}
        for host in ("c.com", "d.com", "e.com")
        for p in range(3)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(tmp_path / "crawl.parquet")
        db.detect()
        model = db.model()
        pages = db.sql(
            "SELECT path, fingerprint_kind || ':' || fingerprint AS fingerprint FROM pages WHERE"
            " host = 'a.com'"
        ).to_dicts()
        by_name, by_pages, further = (
            model.score_pair(Host(name, pages) if given else name, "b.com")
            for name, given in (("a.com", False), ("a.com", True), ("x.org", True))
        )
    assert by_pages.strength == pytest.approx(by_name.strength, abs=1e-6)
    assert (
        by_pages.features["exclusive_evidence"]
        == by_name.features["exclusive_evidence"]
        > further.features["exclusive_evidence"]
    )
    own, known = (
        further.strength - further.contributions["shared_neighbours"] + model.classifier.offset,
        prior.load("shared_neighbours"),
    )
    none_in_common = Lookup(known.cuts, known.tables)
    less = none_in_common.score(
        none_in_common.bins([np.array([value], np.float32) for value in (own, 0.0)])
    )[0]
    assert further.contributions["shared_neighbours"] > less + 1  # a.com is a neighbour of both


LINKED = {
    "a.com": ["http://out.org/1", "http://out.org/2", "http://only.org/a", "http://a.com/in"],
    "b.com": ["http://out.org/1", "http://out.org/2", "http://out.org/3"],
    "c.com": ["http://else.org/c"],
    "d.com": [],
    "new.com": ["http://out.org/1", "http://only.org/a", "http://mine.org/", "http://new.com/1"],
    "more.com": ["http://out.org/3", "http://mine.org/"],
}
"""Where hosts link to."""
NEW = ["new.com", "more.com"]
"""The others are known."""


def linked_pages(host: str) -> list[dict]:
    """Three pages of a host, two contents of which all have; the first has the links."""
    return [
        {"path": f"/{n}", "fingerprint": f"sha1:{n}{host if n == 2 else ''}".ljust(45, "0")[:45]}
        | {"links": LINKED[host] if n == 0 else []}
        for n in range(3)
    ]


SAID = {
    "a.com": {"mail": "x@a.com", "wallet": "0x1"},
    "b.com": {"mail": "x@a.com"},
    "c.com": {"language": "de"},
}
"""What known hosts say of who runs them."""


KNOWN = [host for host in LINKED if host not in NEW]


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """A database of some of LINKED, loaded."""
    folder = tmp_path_factory.mktemp("linked")

    @contextlib.contextmanager
    def opened(hosts: list[str]):
        name = "-".join(hosts)
        rows = [
            {"url": f"http://{host}{page['path']}", "digest": page["fingerprint"]}
            | {"links": page["links"]}
            for host in hosts
            for page in linked_pages(host)
        ]
        pl.DataFrame(rows).write_parquet(folder / f"{name}.parquet")
        with replicadb.open(folder / f"{name}.duckdb") as web:
            web.load(folder / f"{name}.parquet")
            yield web

    return opened


@pytest.fixture(scope="module")
def known_model(linked):
    """The model of KNOWN."""
    with linked(KNOWN) as web:
        web.database.con.executemany(
            "INSERT INTO internal.identifiers"
            " SELECT 1, host_id, $2, $3, 1 FROM hosts WHERE host = $1",
            [(host, *one) for host, said in SAID.items() for one in said.items()],
        )
        web.detect()
        return web.model()


@pytest.mark.slow
def test_outside_links_of_new_hosts_weigh_as_if_they_had_been_loaded(linked, known_model):
    """Those that several known hosts have, one alone, new hosts alone, and none."""
    new, found = {name: Host(name, linked_pages(name)) for name in NEW}, {}
    for names in (NEW[:1], NEW):
        with linked([*KNOWN, *names]) as loaded:
            only_pairs(loaded)
            pairs = loaded.sql("SELECT host_a, host_b, link_overlap FROM candidate_pairs").rows()
        expected = {frozenset(pair): overlap for *pair, overlap in pairs}
        for host, other in itertools.product(KNOWN if len(names) == 1 else NEW[:1], names[-1:]):
            pair = known_model.score_pair(new.get(host, host), new[other])
            found[host, other] = pair.features["link_overlap"]
            as_loaded = np.float32(expected[frozenset((host, other))])
            assert np.array_equal(found[host, other], as_loaded, equal_nan=True)
    assert np.isnan(found["d.com", "new.com"]) and found["c.com", "new.com"] == 0
    assert 0 < found["b.com", "new.com"] < found["a.com", "new.com"]
    assert found["new.com", "more.com"] > 0 and len(found) == 5


@pytest.mark.slow
def test_identifiers_of_a_new_host_weigh_by_idf(known_model):
    """4 hosts. The new one has a mail address that two of them have, a wallet that a.com alone
    has, and an account of its own; nothing is known of c.com.
    """
    own, two = (round((1 + np.log(x)) * 2**20) for x in (4, 2))
    new = Host(
        "new.com",
        [("/", f"sha1:{0:040x}")],
        identifiers={"mail": ["x@a.com"], "wallet": ["0x1"], "ads": ["pub-1", "pub-1"]},
    )

    def overlap(a, b) -> np.float32:
        return np.float32(known_model.score_pair(a, b).features["identifier_overlap"])

    assert overlap(new, "a.com") == np.float32(2 * two / (2 * two + own))
    assert overlap(new, "b.com") == np.float32(two / (two + own))
    assert np.isnan(overlap(new, "c.com")) and np.isnan(overlap("a.com", "c.com"))
    assert overlap("a.com", "b.com") == np.float32(two / (two + own))
    other = Host("other.com", [("/", f"sha1:{0:040x}")], identifiers={"ads": ["pub-1"]})
    assert overlap(new, other) == np.float32(two / (two + own)) and overlap(other, "a.com") == 0
