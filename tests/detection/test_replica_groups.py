"""Groups of replicas: which host of one is kept, and that the others are copies of it itself."""

from __future__ import annotations

import polars as pl
import pytest

import replicadb

from .crawls import pairs


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
