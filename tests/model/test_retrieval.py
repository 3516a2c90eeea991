"""Retrieved candidates: what a host is a copy of is among the hosts that share most with it."""

from __future__ import annotations

import pytest

from replicadb.errors import DataError, UsageError

pytestmark = pytest.mark.slow


def test_lookup_finds_what_a_new_host_is_a_copy_of(held_out):
    hosts, model, gold = held_out
    pairs = {frozenset(pair) for pair in gold.select("host_a", "host_b").rows()}
    names = {host.name for host in hosts}
    for host in hosts:
        copies = {other for pair in pairs if host.name in pair for other in pair} - names
        found = model.lookup(host)
        assert [m.strength for m in found] == sorted((m.strength for m in found), reverse=True)
        if not copies:
            assert not found or found[0].probability < 0.8
        else:
            assert found[0].host in copies and found[0].shared >= len(found[0].pages) > 0
            assert set(found[0].pages) <= {page.path for page in host.pages}


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


def test_less_than_no_hosts_are_not_asked_for(ordinary):
    db, model = ordinary
    (host,) = db.sql("SELECT host_a FROM replicas WHERE flagged ORDER BY rank LIMIT 1").row(0)
    assert model.lookup(host, 0) == [] and model.nearest(host, 0) == []
    with pytest.raises(UsageError, match="top is -1; give 0 or more"):
        model.lookup(host, -1)
    with pytest.raises(UsageError, match="n is -1; give 0 or more"):
        model.nearest(host, -1)
