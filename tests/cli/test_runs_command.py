"""``detect --name``, ``runs`` and ``diff`` on the command line."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.cli.conftest import kept_open


@pytest.fixture
def db(crawled, tmp_path):
    return shutil.copy(crawled, tmp_path / "web.duckdb")


@pytest.fixture
def found(detected_robust, tmp_path):
    return shutil.copy(detected_robust, tmp_path / "web.duckdb")


@pytest.mark.slow
def test_two_detections_stand_side_by_side_until_one_is_forgotten(found, cli):
    db = found
    answer = cli("detect", db, "--name", "few")
    assert answer.err.endswith(f"kept as few; see: replicadb runs {db}\n")
    wide = ("--min-probability", "0.0001", "--kinds", "all")
    cli("detect", db, "-q", *wide, "--name", "many")
    with kept_open(db):
        found_so_far(cli, db)
    assert cli("runs", db, "--forget", "y").code == 1
    assert cli("runs", db, "--forget", "few") == (0, "", "forgot few\n")
    answer = cli("diff", db, "few")
    assert answer.code == 1 and "no run called 'few'" in answer.err


def found_so_far(cli, db) -> None:
    """What runs and diff say of them."""
    answer = cli("runs", db)
    lines = [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "DAY", line) for line in answer.out.splitlines()]
    assert answer.code == 0 and lines[0].startswith("few (DAY; default settings; loads: crawl): ")
    kinds = "replica,partial,version,translation,thin"
    said = f"min_probability 0.0001, kinds {kinds}"
    assert lines[1].startswith(f"many (DAY; {said}; loads: crawl): ")
    assert [line.split()[0] for line in lines] == ["few", "many", "current"]
    answer = cli("diff", db, "few", "many", "-f", "csv")
    rows = answer.out.splitlines()
    assert rows[0].startswith("change,host_a,host_b,probability_before,probability_after,reason,")
    assert len(rows) > 1 and all(row.startswith("now flagged,") for row in rows[1:])
    assert f"{len(rows) - 1} now flagged, 0 no longer;" in answer.err
    assert "settings: min_probability none -> 0.0001, kinds replica,partial -> " in answer.err
    assert cli("diff", db, "few", "many", "-o", "changes.csv").out == ""
    assert cli("diff", db, "many").out.count("\n") == 2  # the current one is the same
    listed = json.loads(cli("runs", db, "--json").out)
    assert [run["name"] for run in listed] == ["few", "many", "current"]


def test_what_is_missing_is_told_in_one_line(db, cli):
    for arguments, shown in (
        (("runs", "none.duckdb"), "no such database"),
        (("diff", db, "x"), "no run called 'x'"),
        (("detect", db, "--name", "current"), "choose another name"),
    ):
        answer = cli(*arguments)
        assert answer.code in (1, 2) and answer.err.count("\n") == 1 and shown in answer.err
    assert cli("runs", db).err == f"no detection yet: replicadb detect {db} --name NAME\n"


def test_of_many_hosts_to_keep_the_number_is_shown(found, cli):
    names = [f"h{n}.example" for n in range(500)]
    with open("kept.csv", "w") as file:
        file.write("\n".join(["host", *names]))
    cli("detect", found, "-q", "--keep", "@kept.csv,links,urls", "--name", "kept")
    answer = cli("runs", found)
    assert "; keep 500 hosts,links,urls; " in answer.out and len(answer.out) < 500
    listed = json.loads(cli("runs", found, "--json").out)
    assert listed[0]["settings"]["keep"] == ",".join([*names, "links", "urls"])
