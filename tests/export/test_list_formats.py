"""Lists whose rows are URLs: every row that goes, and what its page at the kept host is."""

from __future__ import annotations

import polars as pl
import pytest


@pytest.mark.slow
def test_pages_that_are_near_duplicates_are_marked(web, near_copies, tmp_path):
    web.load(near_copies, content=True)
    web.detect()
    assert len(web.flagged_hosts()) == 1
    web.export_list(tmp_path / "drop.parquet", "urls")
    found = pl.read_parquet(tmp_path / "drop.parquet")
    near = dict(zip(found["url"].str.slice(-1), found["near"], strict=True))
    assert near == {str(n): n > 0 for n in range(8)}


@pytest.mark.slow
def test_without_ids_each_page_is_listed_once_and_what_is_nowhere_else_is_not_near(
    web, write, tmp_path
):
    for day in (1, 2):
        rows = "".join(
            f"http://{host}/{n},{host if n == 5 else ''}d{n},2026010{day}\n"
            for host in ("a.example", "b.example")
            for n in range(6)
        )
        web.load(write(f"{day}.csv", "url,digest,timestamp\n" + rows))
    web.detect(min_probability=0.001)
    web.export_list(tmp_path / "drop.parquet", "urls")
    found = pl.read_parquet(tmp_path / "drop.parquet")
    assert found["near"].to_list() == [False] * 5 + [None] and found["id"].null_count() == 6


@pytest.mark.slow
def test_every_id_of_a_dropped_host_is_listed_older_captures_too(web, write, tmp_path):
    for day in (1, 2):
        rows = "".join(
            f"http://{host}/{n},d{n},2026010{day},{host}-{n}-{day}\n"
            for host in ("a.example", "b.example", "c.example")
            for n in range(6 if host != "c.example" else 1)
        )
        web.load(write(f"{day}.csv", "url,digest,timestamp,mine\n" + rows), columns={"id": "mine"})
    web.detect()
    (dropped,) = web.flagged_hosts()["host"].to_list()
    web.export_list(tmp_path / "drop.parquet", "urls")
    found = pl.read_parquet(tmp_path / "drop.parquet")
    wanted = {f"{dropped}-{n}-{day}" for n in range(6) for day in (1, 2)}
    assert len(found) == 12 and set(found["id"]) == wanted
    assert found["same_content_at"].null_count() == 0
