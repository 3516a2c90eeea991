"""Where sites are domains, a host's name means its domain: to look it up, to decide on it, to keep
it and to score it. Where they are hosts with a folder, a folder never means the host without it.
"""

from __future__ import annotations

import polars as pl
import pytest

import replicadb
from replicadb.model import Host


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
    for macro in ("shared_pages", "pages_to_fetch", "evidence_of"):
        query = f"FROM {macro}('{{}}', 'two.net')"
        answers = [by_domain.sql(query.format(name)) for name in ("WWW2.one.org", "one.org")]
        assert answers[0].equals(answers[1]) and (answers[0].height or macro == "pages_to_fetch")
    with pytest.raises(replicadb.DataError, match=r"no host www2\.own\.org here; the nearest"):
        by_domain.explain("www2.own.org", "one.org")


def test_it_is_kept(by_domain):
    assert by_domain.flagged_hosts().select("host", "canonical_host").rows() == [
        ("two.net", "one.org")
    ]
    notes = by_domain.detect(keep="b.two.net").notes
    assert not any("not loaded" in note for note in notes)
    assert by_domain.flagged_hosts()["host"].to_list() == ["one.org"]


def test_it_is_decided_on(by_domain):
    result = by_domain.decide("www2.one.org", "www.own3.org", replica=False)
    assert (result.taken, result.notes) == (1, [])
    assert by_domain.decisions().select("host_a", "host_b").rows() == [("one.org", "own3.org")]
    with pytest.raises(replicadb.UsageError, match=r"with itself: both are one\.org here"):
        by_domain.decide("www.one.org", "www2.one.org", replica=True)


def test_it_is_scored(by_domain):
    model = by_domain.model()
    scored = model.score([("www2.one.org", "a.two.net"), ("one.org", "two.net")])
    assert scored["known"].all() and scored["strength"].n_unique() == 1
    assert model.find("www2.nobody.org") == -1


@pytest.fixture(scope="module")
def by_folder(tmp_path_factory):
    """Sites one.org and two.net/shop, copies; and one.org/img, which has files alone, not
    compared.
    """
    folder = tmp_path_factory.mktemp("by_folder")
    rows = [
        {"url": f"http://{host}/page-{n}", "digest": f"page{n}", "mime": "text/html"}
        for host in ("one.org", "two.net/shop")
        for n in range(20)
    ]
    rows += [
        {"url": f"http://one.org/img/{n}.png", "digest": f"img{n}", "mime": "image/png"}
        for n in range(9)
    ]
    rows += [
        {"url": f"http://own{n}.org/only-{n}-{k}", "digest": f"own{n}-{k}", "mime": "text/html"}
        for n in range(30)
        for k in range(4)
    ]
    pl.DataFrame(rows).write_parquet(folder / "crawl.parquet")
    with replicadb.open(folder / "web.duckdb") as web:
        web.load(folder / "crawl.parquet", site="host+1")
        web.detect(assets=False)
        yield web


@pytest.fixture(scope="module")
def model(by_folder):
    """The model of that detection; nobody changes it."""
    return by_folder.model()


def test_a_folder_without_pages_is_not_scored_as_the_host_it_is_on(model):
    assert model.find("one.org") == model.find("http://ONE.org/page-3") >= 0
    assert model.find("one.org/img") == model.find("http://one.org/img/1.png") == -1
    scored = model.score([("one.org", "two.net/shop"), ("one.org/img", "two.net/shop")])
    assert scored["shared"].to_list() == [20, 0]


@pytest.mark.parametrize("text", ["one.org/later", "http://one.org/later/", "ONE.org/later/x?y"])
def test_a_folder_that_is_not_loaded_is_not_looked_up_as_the_host_it_is_on(by_folder, text):
    nobody = r"no host .* here; the nearest names: one\.org"
    for ask in (by_folder.copies_of, lambda name: by_folder.explain(name, "two.net/shop")):
        with pytest.raises(replicadb.DataError, match=nobody):
            ask(text)
    with pytest.raises(replicadb.DataError, match=nobody):
        by_folder.sql(f"FROM shared_pages('{text}', 'two.net/shop')")


@pytest.mark.parametrize("text", ["one.org/", "//one.org/a", "https://One.org/a?x=/y", "one.org"])
def test_a_page_in_no_folder_is_the_host_s_own(by_folder, model, text):
    assert by_folder.explain(text, "two.net/shop")["a"]["host"] == "one.org"
    assert by_folder.sql(f"FROM shared_pages('{text}', 'two.net/shop')").height == 20
    assert model.find(text) == model.find("one.org") >= 0


def test_a_new_folder_may_be_a_copy_of_the_host_it_is_on(by_folder, model):
    pages = by_folder.sql(
        "SELECT '/new' || path AS path, fingerprint_kind || ':' || fingerprint AS fingerprint"
        " FROM internal.urls JOIN hosts USING (host_id) WHERE host = 'one.org'"
    )
    new = Host("one.org/new", pages.to_dicts())
    found = {match.host: match.shared for match in model.lookup(new)}
    assert found == {"one.org": 20, "two.net/shop": 20}


def test_a_decision_on_a_folder_that_is_not_loaded_waits(by_folder):
    result = by_folder.pin("one.org/later", "keep")
    assert (result.taken, len(result.notes)) == (1, 1)
    assert by_folder.decisions()["host_a"].to_list() == ["one.org/later"]
