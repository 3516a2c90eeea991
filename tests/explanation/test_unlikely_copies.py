"""``copies-of --all``: of a host that is hardly a copy nothing is said of who copied whom."""

from __future__ import annotations

import polars as pl

import replicadb
from replicadb.cli.copies_text import copies_text


def rows() -> list[dict]:
    """Two sites that share a picture; the one is older, and another host links to it."""
    found = [
        {
            "url": f"http://{host}/{host}{n}",
            "digest": f"{host} {n}",
            "timestamp": f"20{year}0101000000",
        }
        for host, year in (("old.example", 20), ("young.example", 24))
        for n in range(8)
    ]
    found += [
        {"url": f"http://{host}/logo.png", "digest": "logo", "timestamp": "20240101000000"}
        for host in ("old.example", "young.example")
    ]
    found.append(
        {
            "url": "http://fan.example/",
            "digest": "fan",
            "links": ["http://old.example/old.example1"],
        }
    )
    return found


def test_who_came_first_is_no_question_where_only_a_picture_is_shared(tmp_path):
    pl.DataFrame(rows()).write_parquet(tmp_path / "c.parquet")
    with replicadb.open(tmp_path / "w.duckdb", threads=1) as web:
        web.load(tmp_path / "c.parquet", links=True)
        web.detect()
        found = web.copies_of("young.example", unlikely=True)
    (copy,) = found["copies"]
    assert (copy["host"], copy["standing"]) == ("old.example", "unlikely")
    assert copy["why"] == "1 content of files in common"
    assert copy["grounds"] == [
        "first captured 2020-01-01, yours 2024-01-01",
        "1 host links to it, 0 to yours",
    ]
    assert copy["direction"] is None
    lines = copies_text(found, 10).splitlines()
    assert lines[2] == "not likely, but something is shared (1)"
    assert [line.split("  ")[1] for line in lines[3:4]] == ["old.example"]
    assert lines[4:] == ["      1 content of files in common"]
