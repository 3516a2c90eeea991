"""Hosts that the database does not know: looked up, scored, and close to what detection says once
they are loaded.
"""

from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest

import replicadb
from replicadb.errors import DataError
from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.model import Host, read_hosts

from .conftest import as_host

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def held_out(crawl, ordinary, tmp_path_factory):
    """Hosts taken out of the ordinary crawl, and the model of what is left."""
    folder, path = crawl("ordinary"), tmp_path_factory.mktemp("held") / "web.duckdb"
    gold = pl.read_csv(folder / "gold.csv")
    names = (
        sorted(set(gold["host_a"].head(60)))[::4]
        + sorted(
            set(ordinary[0].sql("SELECT host FROM hosts")["host"])
            - set(gold["host_a"])
            - set(gold["host_b"])
        )[:8]
    )
    crawl = pl.read_parquet(folder / "crawl.parquet")
    crawl.filter(~pl.col("url").str.split("/").list.get(2).is_in(names)).write_parquet(
        path.with_name("left.parquet")
    )
    with replicadb.open(path) as db:
        db.load(path.with_name("left.parquet"), hosts=folder / "hosts.csv")
        db.detect()
        yield [as_host(folder, name) for name in names], db.model(), gold


def test_scored_as_detection_scores_them_once_they_are_loaded(held_out, ordinary):
    hosts, model, _ = held_out
    names = [host.name for host in hosts]
    whole = ordinary[0].sql(
        "SELECT host_a, host_b, strength, flagged FROM replicas WHERE list_contains($n, host_a) OR"
        " list_contains($n, host_b)",
        {"n": names},
    )
    found = model.score(whole.select("host_a", "host_b"), hosts)
    assert len(whole) > 100 and whole["flagged"].sum() > 5
    assert (found["flagged"] == whole["flagged"]).all()
    assert (found["strength"] - whole["strength"]).abs().median() < 0.2
    assert not found["known"].any()


def test_lookup_finds_what_a_new_host_is_a_copy_of(held_out):
    hosts, model, gold = held_out
    pairs = {frozenset(pair) for pair in gold.select("host_a", "host_b").rows()}
    names = {host.name for host in hosts}
    for host in hosts:
        copies = {other for pair in pairs if host.name in pair for other in pair} - names
        found = model.lookup(host)
        assert [m.strength for m in found] == sorted((m.strength for m in found), reverse=True)
        assert bool(found and found[0].flagged) == bool(copies)
        if copies:
            assert found[0].host in copies and found[0].shared >= len(found[0].pages) > 0
            assert set(found[0].pages) <= {page.path for page in host.pages}


def test_lookup_and_pairs_agree(held_out):
    hosts, model, _ = held_out
    for host in hosts[:4]:
        for match in model.lookup(host, top=5):
            one = model.score_pair(match.host, host)
            assert (one.strength, one.shared) == (match.strength, match.shared)
    a, b = hosts[:2]
    both = model.score([(a.name, b.name), (b.name, a.name)], [a, b])
    assert both["strength"][0] == both["strength"][1] == model.score_pair(a, b).strength


def test_a_known_host_is_looked_up_by_name(ordinary):
    db, model = ordinary
    (host,) = db.sql("SELECT host_a FROM replicas WHERE flagged ORDER BY rank LIMIT 1").row(0)
    best = db.sql(
        "SELECT CASE WHEN host_a = $h THEN host_b ELSE host_a END, strength FROM replicas WHERE"
        " host_a = $h OR host_b = $h ORDER BY strength DESC",
        {"h": host},
    )
    found = model.lookup(host, top=1000)
    assert {m.host: m.strength for m in found} == dict(best.rows())
    with pytest.raises(DataError, match="give its pages"):
        model.lookup("nobody.example")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The model of three hosts."""
    folder = tmp_path_factory.mktemp("tiny")
    rows = (
        [("a.com", f"/p{i}", f"{i:040x}") for i in range(6)]
        + [("b.com", f"/p{i}", f"{i:040x}") for i in range(4, 9)]
        + [("c.com", "/x/y", "c" * 40)]
    )
    (folder / "crawl.csv").write_text(
        "url,digest\n"
        + "".join(f"http://{host}{path},sha1:{digest}\n" for host, path, digest in rows)
    )
    with replicadb.open(folder / "tiny.duckdb") as db:
        db.load(folder / "crawl.csv")
        db.detect()
        return db.model()


def test_weights_of_a_stranger_by_hand(tiny):
    """3 hosts. A stranger has p0 (on a.com alone), p4 (a.com and b.com), and one page
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
    )
    found = tiny.score_pair(host, "a.com")
    shared = two + two  # p4's weight is that of two hosts already, p0's becomes it
    mine, theirs = (
        2 * two + own,
        2 * two + two + 3 * own,
    )  # a.com: p4, p5 with b.com; p0 with the stranger; p1 to p3
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


def test_links_of_a_stranger_count_in_many_pairs_as_in_one(tiny):
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


def test_nothing_known_but_a_name(ordinary):
    _, model = ordinary
    found = model.score([("nobody.example", "nothing.example"), ("nobody.example", model.names[0])])
    assert (
        not found["flagged"].any()
        and not found["known"].any()
        and (found["probability"] < 0.05).all()
    )
    assert model.lookup(Host("nobody.example", [("/", "sha1:" + "e" * 40)])) == []


def test_strangers_among_candidates_come_out_the_same_alone_where_names_are_the_evidence(
    loaded, tmp_path
):
    shutil.copy(loaded("ordinary"), tmp_path / "web.duckdb")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.detect(evidence="paths")
        model, (a, b, c) = (
            db.model(),
            db.sql("SELECT unnest([host_a, host_b]) AS host FROM replicas LIMIT 3")[
                "host"
            ].to_list()[:3],
        )
        pairs = [(a, b), ("u.example", "v.example"), ("u.example", a), (c, "v.example")]
        found = model.score(pairs)
        assert found["known"].to_list() == [True, False, False, False]
        for pair, strength in zip(pairs, found["strength"], strict=True):
            assert (
                model.score([pair])["strength"][0] == strength == model.score_pair(*pair).strength
            )


def test_names_and_addresses_count_where_they_are_the_evidence(tmp_path):
    (tmp_path / "crawl.csv").write_text(
        "url,digest,ip\n"
        + "".join(
            f"http://{name}.com/p{k},sha1:{k + (0 if i < 2 else 100 * i):040x},10.0.{i // 2}.{i}\n"
            for i, name in enumerate(["one", "www.one", "two", "three"])
            for k in range(4)
        )
    )
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(tmp_path / "crawl.csv")
        db.detect(evidence="paths")
        model = db.model()
        found = model.score_pair(
            Host("one.org", [("/p0", "sha1:" + "9" * 40)], ["10.0.1.2", "10.0.0.9"]), "two.com"
        ).features
        assert (found["ndist"], found["ip4"], found["ip3"]) == (6, 1.0, 0.5)
        assert model.score_pair(Host("one.org"), "one.com").features["nmatch"] > 0 and np.isnan(
            model.score_pair(Host("one.org"), "one.com").features["ip4"]
        )
        assert (
            model.score([("one.org", "www.one.com")])["strength"][0]
            == model.score_pair("www.one.com", Host("one.org")).strength
        )


# -- reading
# --------------------------------------------------------------------------------------------


def test_hosts_are_read_one_a_line_or_by_their_pages(tmp_path):
    lines = [
        {
            "host": "New.Example",
            "ips": ["192.0.2.1"],
            "pages": [
                {"path": "/a b", "digest": "SHA1:" + "A" * 32, "mime": "Text/HTML; charset=x"},
                ["/c", None, None, " A  title "],
            ],
        },
        {
            "url": "https://other.example:8443/x?y#z",
            "fingerprint": "0" * 40,
            "ip": "2001:db8::1",
            "length": "12",
        },
        {"host": "new.example", "path": "d"},
    ]
    (tmp_path / "hosts.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    new, other = read_hosts(tmp_path / "hosts.jsonl")
    assert (new.name, new.ips, [page.path for page in new.pages]) == (
        "new.example",
        ["192.0.2.1"],
        ["/a%20b", "/c", "/d"],
    )
    assert (new.pages[0].fingerprint, new.pages[0].mime, new.pages[1].title) == (
        ("sha1", "00" * 20),
        "text/html",
        "A title",
    )
    assert (other.name, other.pages[0].path, other.pages[0].length, other.ips) == (
        "other.example",
        "/x?y",
        12,
        ["2001:db8::1"],
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "no JSON"),
        ("[]", "not a JSON object"),
        ('{"pages": []}', "neither a host nor a url"),
        ('{"host": "a", "pages": 3}', "no list"),
        ('{"host": "a", "pages": ["/"]}', "begins with its path"),
        ('{"host": "a", "pages": [{}]}', "without a path"),
        ('{"url": "ftp://a/"}', "not http"),
        ('{"host": "a", "ips": ["x"]}', "no IP address"),
        ('{"host": "a", "path": "/", "length": "long"}', "no number"),
        ('{"host": "a", "path": "/", "links": "http://b/"}', "not a list"),
        ('{"host": "a", "path": "/", "links": 5}', "not a list"),
        ('{"host": "a", "path": "/", "length": -5}', "below 0"),
        ('{"host": "a", "path": "/", "length": Infinity}', "no number"),
        ('{"host": "a", "path": ["/"]}', "path .* is no text"),
        ('{"host": "a", "path": "/", "mime": 5}', "mime '5' is no text"),
        ('{"host": "a", "path": "/", "fingerprint": {"sha1": 5}}', "fingerprint .* is no text"),
        ('{"host": "\\ud800.com"}', "lone surrogate"),
        ('{"host": "a", "path": "/", "title": "\\udfff"}', "lone surrogate"),
    ],
)
def test_a_line_that_is_no_host_is_told_with_its_number(tmp_path, line, told):
    (tmp_path / "hosts.jsonl").write_text('{"host": "fine.example"}\n' + line + "\n")
    with pytest.raises(DataError, match=f"line 2: .*{told}"):
        read_hosts(tmp_path / "hosts.jsonl")


def test_lines_end_where_json_lines_do(tmp_path):
    title = "one\u2028two\x85three"
    (tmp_path / "hosts.jsonl").write_text(
        json.dumps({"host": "a.example", "pages": [["/", 77, None, title]]}, ensure_ascii=False)
        + "\r\n",
        "utf-8",
    )
    (host,) = read_hosts(tmp_path / "hosts.jsonl")
    assert (host.pages[0].title, host.pages[0].fingerprint) == ("one two three", ("other", "77"))


def test_a_path_that_comes_twice_counts_once():
    host = Host(
        "a.example", [("/", "sha1:" + "1" * 40), ("/", "sha1:" + "2" * 40), ("/",), ("/x",)]
    )
    assert [
        (page.path, page.fingerprint and page.fingerprint[1][0]) for page in host.distinct()
    ] == [("/", "2"), ("/x", None)]


def test_a_known_host_given_with_its_pages_is_no_further_host_that_has_them(tmp_path):
    """By exclusivity what a.com and b.com alone have would count half, were a.com one host more."""
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
        further.strength - further.contributions["partners"] + model.decision.offset,
        prior.load("partners"),
    )
    none_in_common = Lookup(known.cuts, known.tables)
    less = none_in_common.score(
        none_in_common.bins([np.array([value], np.float32) for value in (own, 0.0)])
    )[0]
    assert further.contributions["partners"] > less + 1  # a.com is a partner of both


def test_a_new_member_of_a_farm_is_known_by_the_company_it_keeps(tmp_path):
    """It shares a few pages with each of a farm's hosts, which are copies of each other."""
    farm = [f"farm{i}.com" for i in range(8)]
    rows = [
        {"url": f"http://{host}/{p}", "digest": f"sha1:{p + 1:040x}"}
        for i, host in enumerate(farm)
        for p in range(30)
        if (p * 7 + i * 3) % 10 < 6
    ]
    rows += [
        {"url": f"http://other{i}.org/{p}", "digest": f"sha1:{i * 50 + p + 10_000:040x}"}
        for i in range(20)
        for p in range(10)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "crawl.parquet")
    with replicadb.open(tmp_path / "web.duckdb") as db:
        db.load(tmp_path / "crawl.parquet")
        db.detect()
        assert db.database.value("SELECT count(*) FROM ranking WHERE flagged") > 20
        model = db.model()
    new = Host(
        "new.example",
        [
            (f"/{p}", f"sha1:{p + 1:040x}" if p % 3 else f"sha1:{p + 90_000:040x}")
            for p in range(12)
        ],
    )
    found = model.lookup(new)
    assert {match.host for match in found} == set(farm)
    pair = model.score_pair(new, found[0].host)
    assert pair.contributions["partners"] > 0 and pair.strength == found[0].strength
    table = model.score(
        pl.DataFrame(
            {"host_a": [match.host for match in found], "host_b": ["new.example"] * len(found)}
        ),
        [new],
    )
    assert table["strength"].to_list() == [match.strength for match in found]
