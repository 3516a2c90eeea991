"""A new host of which a few pages are known, beside a host that was crawled deeper."""

from __future__ import annotations

from dataclasses import replace

import pytest

import replicadb
from replicadb.model import Host


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """deep.com has 40 pages, its mirror some of them; others have their own."""
    folder = tmp_path_factory.mktemp("depth")
    rows = [f"http://deep.com/{n % 4}/p{n},sha1:deep{n}" for n in range(40)]
    rows += [f"http://mirror.net/{n % 4}/p{n},sha1:deep{n}" for n in range(36)]
    rows += [f"http://own{h}.org/p{n},sha1:own{h}-{n}" for h in range(30) for n in range(10)]
    (folder / "c.csv").write_text("\n".join(["url,digest", *rows]) + "\n")
    with replicadb.open(folder / "web.duckdb") as db:
        db.load(folder / "c.csv")
        db.detect(keep="mirror.net,urls")
        return db.model()


SOME = Host("new.example", [(f"/{n % 4}/p{n}", f"sha1:deep{n}") for n in range(8)])
ALL = replace(SOME, complete=True)


def test_how_many_pages_were_fetched_is_no_evidence(model):
    sampled, whole = (model.score_pair(host, "deep.com") for host in (SOME, ALL))
    assert sampled.features["containment"] == whole.features["containment"]
    assert sampled.features["evidence"] == whole.features["evidence"]
    assert whole.features["resemblance"] < 0.25 < 0.8 < sampled.features["resemblance"]
    assert sampled.probability > whole.probability


def test_pages_of_its_own_count_as_much_as_before(model):
    """Half of what was fetched is elsewhere: no sample makes more of it."""
    own = [(f"/{n}", f"sha1:{n}") for n in range(8)]
    half = Host("new.example", [*SOME.pages, *own])
    features = model.score_pair(half, "deep.com").features
    assert features["containment"] < 0.6 and features["resemblance"] < 0.5


def features(model, host, other):
    """Of a pair, those that are known."""
    found = model.score_pair(host, other).features
    return {name: value for name, value in found.items() if value == value}


def test_a_known_host_that_was_crawled_less_deep_is_as_large_as_a_sample_of_the_new_one(model):
    pages = [(f"/p{n}", f"sha1:own0-{n}") for n in range(10)]
    more = Host("new.example", [*pages, *((f"/more{n}", f"sha1:more{n}") for n in range(30))])
    sampled, whole = (features(model, host, "own0.org") for host in (more, _whole(more)))
    assert sampled["containment"] == whole["containment"]
    assert whole["resemblance"] < 0.3 < 0.8 < sampled["resemblance"]


def test_hosts_of_as_many_pages_are_as_they_are(model):
    pages = [(f"/p{n}", f"sha1:own0-{n}") for n in range(9)]
    equal = Host("new.example", [*pages, ("/x", "sha1:x")])
    assert features(model, equal, "own0.org") == features(model, _whole(equal), "own0.org")


def _whole(host):
    return replace(host, complete=True)


def test_pairs_of_two_new_hosts_are_as_they_are(model):
    other = Host("other.example", [(f"/{n % 4}/p{n}", f"sha1:deep{n}") for n in range(20)])
    whole = replace(other, complete=True)
    assert features(model, SOME, other) == features(model, ALL, whole)


def test_a_match_says_which_host_its_group_keeps(model):
    keep = {match.host: match.keep for match in model.lookup(SOME)}
    assert keep == {"deep.com": "mirror.net", "mirror.net": "mirror.net"}
    (own,) = model.lookup(Host("new.example", [("/p0", "sha1:own0-0")]))
    assert own.host == own.keep == "own0.org"
