"""What drops compare where a site has many names with pages at the same paths (--site domain)."""

from __future__ import annotations

import polars as pl
import pytest

import replicadb
from replicadb.errors import LimitError


def page(host: str, path: str, digest: str, title: str, length: int) -> dict:
    return {
        "url": f"http://{host}{path}",
        "digest": digest,
        "title": title,
        "length": length,
    }


def wildcards(changed: int) -> list[dict]:
    """Two sites of 35 pages under ten names, as under --site domain, with home pages that
    ``changed`` names have otherwise on each site.
    """
    return [
        page(
            f"n{n}.{domain}",
            path,
            f"{content}-{n}" + (domain[-3:] if content == "home" and n < changed else ""),
            f"{content} {n}",
            500,
        )
        for domain in ("mirror.com", "mirror.net")
        for n in range(10)
        for path, content in (
            ("/", "home"),
            (f"/{n}.html", "page"),
            (f"/{n}-{domain[-3:]}.html", "moved"),
            *([(f"/{domain[-3:]}/{n}.html", "also moved")] if n < 5 else []),
        )
    ]


@pytest.mark.slow
def test_pages_at_equal_paths_are_counted_before_they_are_compared(tmp_path):
    """Path by path only where a bound does not do: 350 at most. In truth four home pages are
    compared, each with ten.
    """
    pl.DataFrame(wildcards(4)).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.parquet", site="domain")
        with pytest.raises(LimitError, match="40 pairs of pages at equal paths would be compared"):
            web.detect(min_probability=0.001, max_pairs=39)
        for max_pairs, counted in ((350, False), (40, True)):
            found = web.detect(min_probability=0.001, max_pairs=max_pairs)
            assert found.counts["flagged_hosts"] == 1
            labels = " ".join(found.profile[-1].statements)
            assert ("how many pages at equal paths" in labels) == counted
            web.database.execute("DELETE FROM stages WHERE stage = '70_replica_groups'")


def test_pages_that_stand_at_the_other_host_are_not_compared_nor_the_same_ones_twice(tmp_path):
    """Under --site domain 100 names with the same 36 pages made 360,000 pairs at their paths."""
    rows = [
        page(f"n{n}.{domain}", f"/{i}", f"{i}{domain if i == 35 else ''}", f"page {i}", 500)
        for domain in ("mirror.com", "mirror.net")
        for n in range(100)
        for i in range(36)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(":memory:", threads=1) as web:
        web.load(tmp_path / "c.parquet", site="domain")
        web.detect(min_probability=0.001, max_pairs=35)
        measured = web.database.rows(
            "SELECT pages, elsewhere, same_paths FROM members WHERE pages IS NOT NULL"
        )
    assert measured == [(3600, 3600, 3600)]
