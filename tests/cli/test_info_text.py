"""What info prints: a load a line, and where there are many, a folder a line that adds up.

Tries inventory, too.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import replicadb
from replicadb.cli import info_text


@pytest.mark.slow
def test_many_loads_are_told_by_their_folders(cli, write, monkeypatch):
    monkeypatch.setattr(info_text, "LOADS_SHOWN", 4)
    for folder, files in (("a", 3), ("b/c", 2)):
        Path(folder).mkdir(parents=True)
        for n in range(files):
            write(f"{folder}/{n}.csv", f"url,digest\nhttp://{n}.com/{folder},{n}\nnot a url,1\n")
    write("lone.csv", "url,digest,mime\nhttp://lone.com/,1,\nhttp://lone.com/a.png,2,image/png\n")
    cli("load", "web.duckdb", "a", "lone.csv", "-q")
    few = cli("info", "web.duckdb").out
    assert few.count("\n  load a/") == 3 and "\n  load lone.csv: read 2 = kept 2 " in few
    assert few.startswith("web.duckdb: 4 sites (--site host), 4 pages and 1 other file, ")
    cli("load", "web.duckdb", "b", "-q")
    many = cli("info", "web.duckdb").out
    assert "\n  3 loads of a/: read 6 = kept 3 + replaced 0" in many
    assert "+ rejected 3, 3 files\n" in many
    assert "\n  2 loads of b/c/: read 4 = " in many and "\n  load lone.csv: read 2" in many


def test_it_needs_no_polars_and_no_other_command_and_says_when_it_was_detected(detected):
    """To load Polars takes longer than all that is asked here; nor does a table of ``sql`` need
    it.
    """
    program = (
        "import sys; from replicadb.cli import run; run(['info', sys.argv[1], '--json']);"
        " assert 'replicadb.cli.sql_command' not in sys.modules;"
        " run(['sql', sys.argv[1], 'SELECT 1 AS one']);"
        " assert 'polars' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(detected)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown, table = done.stdout.split("one\n")
    assert table == "---\n  1\n"
    started = json.loads(shown)["detection"]["started_at"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}", started)


def test_it_says_between_which_numbers_the_replicas_lie_where_a_method_gives_any(
    cli, detected, detected_robust
):
    said = cli("info", detected_robust).out
    counts = json.loads(cli("info", detected_robust, "--json").out)["detection"]["counts"]
    fewest, most = counts["estimated_at_least"], counts["estimated_at_most"]
    assert fewest <= counts["estimated_replicas"] <= most
    assert f" estimated, {fewest:,} to {most:,} eight times in ten\n" in said
    assert "eight times in ten" not in cli("info", detected).out  # method paper


def test_the_size_counts_the_log_that_a_killed_process_left(tmp_path):
    path = tmp_path / "web.duckdb"
    replicadb.open(path).close()
    fill = "CREATE TABLE mine AS SELECT range AS a, hash(range) AS b FROM range(1000)"
    killed = (
        f"import duckdb, os; c = duckdb.connect({str(path)!r}); c.execute({fill!r}); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", killed], check=True)
    log = Path(f"{path}.wal").stat().st_size
    with replicadb.open(path, read_only=True) as web:
        assert web.info()["bytes"] == path.stat().st_size + log > log > 1000
