"""Where sites are domains, a host's name means its domain: to look it up, to decide on it, to keep
it and to score it.
"""

from __future__ import annotations

import polars as pl
import pytest

import replicadb


@pytest.fixture(scope="module")
def by_domain(tmp_path_factory):
    """Copies one.org and two.net, of which names below them were loaded."""
    folder = tmp_path_factory.mktemp("by_domain")
    rows = [
        {"url": f"http://{host}/page-{n}", "digest": f"{host[-3:] * (n > 17)}{n}"}
        for host in ("www2.one.org", "a.two.net")
        for n in range(20)
    ]
    rows += [
        {"url": f"http://www.own{n}.org/only-{n}-{k}", "digest": f"own{n}-{k}"}
        for n in range(30)
        for k in range(4)
    ]
    pl.DataFrame(rows).write_parquet(folder / "crawl.parquet")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.parquet", site="domain")
        web.detect(keep="www2.one.org")
        yield web


def test_it_is_looked_up(by_domain):
    found = by_domain.explain("www2.one.org", "https://b.two.net/x")
    assert (found["a"]["host"], found["b"]["host"]) == ("one.org", "two.net")
    assert by_domain.copies_of("www2.one.org") == by_domain.copies_of("one.org")
    with pytest.raises(replicadb.DataError, match=r"no host www2\.own\.org here; the nearest"):
        by_domain.explain("www2.own.org", "one.org")


def test_it_is_kept(by_domain):
    assert by_domain.flagged_hosts().select("host", "canonical_host").rows() == [
        ("two.net", "one.org")
    ]
    told = by_domain.detect(keep="b.two.net").notes
    assert not any("not loaded" in note for note in told)
    assert by_domain.flagged_hosts()["host"].to_list() == ["one.org"]


def test_it_is_decided_on(by_domain):
    result = by_domain.decide("www2.one.org", "www.own3.org", replica=False)
    assert (result.taken, result.notes) == (1, [])
    assert by_domain.decisions().select("host_a", "host_b").rows() == [("one.org", "own3.org")]


def test_it_is_scored(by_domain):
    model = by_domain.model()
    scored = model.score([("www2.one.org", "a.two.net"), ("one.org", "two.net")])
    assert scored["known"].all() and scored["strength"].n_unique() == 1
    assert model.find("www2.nobody.org") == -1
