"""After a detection on near duplicates a new host's pages go where their equals stand."""

from __future__ import annotations

import pytest

from replicadb.model import Host

pytestmark = pytest.mark.slow


def test_a_new_host_with_pages_of_a_known_one_is_like_what_that_one_is_like(edited):
    """Its pages' bytes stand on the original alone; by their clusters they are the copy's, too."""
    web, model = edited
    original, copy = web.sql(
        "SELECT host_a, host_b FROM replicas WHERE flagged ORDER BY rank LIMIT 1"
    ).row(0)
    pages = web.sql(
        "SELECT path, fingerprint_kind || ':' || fingerprint AS fingerprint, title, length, mime"
        " FROM urls JOIN hosts USING (host_id) WHERE host = $h",
        {"h": original},
    )
    alike = web.sql(
        "SELECT count(*) AS n FROM (SELECT fingerprint FROM urls JOIN hosts USING (host_id) WHERE"
        " host = $a INTERSECT SELECT fingerprint FROM urls JOIN hosts USING (host_id) WHERE host"
        " = $b)",
        {"a": original, "b": copy},
    )["n"][0]
    found = {match.host: match for match in model.lookup(Host("new.example", pages.to_dicts()))}
    assert alike == 0 and found[original].flagged and found[copy].flagged
    known = model.score_pair(original, copy)
    assert found[copy].shared == known.shared > 0
    ips = web.sql(
        "SELECT DISTINCT ip FROM internal.host_ips JOIN hosts USING (host_id) WHERE host = $h",
        {"h": original},
    )["ip"].to_list()
    itself = {
        match.host: match for match in model.lookup(Host(original, pages.to_dicts(), ips))
    }  # as a further host no page would be the two's alone
    assert abs(itself[copy].strength - known.strength) < 1


def test_a_page_that_was_never_seen_is_like_none(edited):
    _, model = edited
    assert (
        model.lookup(Host("new.example", [("/a", "sha1:" + "e" * 40), ("/b", "sha1:" + "f" * 40)]))
        == []
    )
