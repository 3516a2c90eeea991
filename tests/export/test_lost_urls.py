"""What ``export`` says that a list loses, and with ``--check`` a wrong drop: URLs that stand
nowhere else; and of what its shares are.
"""

from __future__ import annotations

import polars as pl
import pytest

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


@pytest.mark.slow
def test_after_loads_came_or_went_all_shares_are_of_what_is_loaded_now(cli, write):
    """And the rows those of the detection, but for hosts that are loaded no more."""
    pages = [f"http://{host}.com/{n},p{n}\n" for host in ("a", "b") for n in range(9)]
    others = [f"http://o{k}.com/{n},{k}-{n}\n" for k in range(4) for n in range(9)]
    write("a.csv", "url,digest\n" + "".join(pages + others))
    write("b.csv", "url,digest\n" + "".join(f"http://b.com/own{n},own{n}\n" for n in range(1)))
    write("c.csv", "url,digest\n" + "".join(f"http://c.com/{n},c{n}\n" for n in range(5)))
    note = "note: rows are those of that detection, but for hosts that are loaded no more;"
    with replicadb.open("w.duckdb") as web:
        web.load("a.csv")
        web.load("b.csv")
        web.pin("a.com", "keep")
        web.detect(min_probability=0.01)
    before = cli("export", "w.duckdb", "-").err
    assert before.startswith("drops 1 of 6 hosts (16.7 %), 10 of 55 URLs (18.2 %)")
    assert note not in before
    lost = "1 stands nowhere else"
    assert f"of these pages {lost}" in cli("export", "w.duckdb", "-", "--as", "hosts").err
    cli("load", "w.duckdb", "c.csv")
    cli("unload", "w.duckdb", "b.csv")
    after = cli("export", "w.duckdb", "-")
    assert "\ndrops 1 of 7 hosts (14.3 %), 9 of 59 URLs (15.3 %)" in after.err
    assert "b.com,a.com" in after.out and note in after.err
    listed = cli("export", "w.duckdb", "-", "--as", "hosts").err
    assert note in listed and "it saves 9 of 59 pages (15.3 %)" in listed
    assert f"of the pages that these hosts had at the last detection, {lost}\n" in listed
