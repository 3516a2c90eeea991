"""What ``export --check`` says that a wrong drop would lose: URLs that stand nowhere else."""

from __future__ import annotations

import polars as pl

import replicadb


def test_files_that_the_kept_host_has_are_not_lost(tmp_path):
    """Of pages and pictures alike; a page of another content and equal title is not lost either."""
    rows = [
        {"url": f"http://{host}/{name}", "digest": digest, "title": f"About {name}"}
        for host in ("shop.com", "shop.net")
        for name, digest in (
            *((f"{n}.html", f"page {n}") for n in range(12)),
            *((f"{n}.png", f"picture {n}") for n in range(30)),
            ("own.png", f"of {host}"),
            *((f"changed{n}.html", f"{n} of {host}") for n in range(2)),
        )
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(tmp_path / "w.duckdb", threads=1) as web:
        web.load(tmp_path / "c.parquet")
        web.detect(min_probability=0.01)
        (dropped,) = web.flagged_hosts().to_dicts()
        assert web.check(tmp_path / "look.csv") == 1
    assert (dropped["pages"], dropped["elsewhere"], dropped["urls"]) == (14, 14, 45)
    assert dropped["duplicate_urls"] == 42
    (looked,) = pl.read_csv(tmp_path / "look.csv").to_dicts()
    assert looked["lost_urls"] == 1  # the picture
