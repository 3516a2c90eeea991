"""``replicadb demo``: the session that README prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from replicadb.cli.exit_codes import ExitCode


@pytest.mark.slow
def test_demo_shows_the_best_pairs_and_a_page_of_one_side_by_side(demo_made):
    answer = demo_made[1]
    assert "\n\ntry next:\n  replicadb export " in answer.err
    table, page = answer.out.split("\n\n")
    assert table.split()[:4] == ["rank", "host_a", "host_b", "probability"]
    title, hosts, _, path, content, size = page.splitlines()
    assert all(host in title and host in table for host in hosts.split())
    assert path.split()[0] == "page"
    assert len(set(content.split()[1:])) == len(set(size.split()[1:])) == 1


@pytest.mark.slow
def test_demo_is_the_session_of_readme(cli, demo_made):
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    session = re.search(r"```console\n(.*?)\n```", readme, re.S)[1]
    folder, answer = demo_made
    Path("replicadb-demo").symlink_to(folder)
    printed = "\n" + answer.out
    (summary,) = re.findall(r"^2,000 hosts, .* flagged [\d,]+", session, re.M)
    assert summary in answer.err
    for call in re.findall(r"^\$ replicadb ((?:export|sql) .*(?:\n    .*)?)$", session, re.M):
        answer = cli(*shlex.split(call))
        assert answer.code == 0
        printed += answer.out
    shown = [line for line in session.splitlines() if not re.match(r"\.\.\.|[$2]|    FROM", line)]
    assert len(shown) > 12
    for line in shown:
        assert "\n" + line.removesuffix("...").rstrip() in printed, line


def test_demo_leaves_files_alone_that_no_demo_made(cli):
    Path("mine").mkdir()
    Path("mine/crawl.parquet").write_text("precious")
    answer = cli("demo", "mine", "--hosts", "100")
    assert answer.code == ExitCode.DATA and "name a new folder" in answer.err
    assert Path("mine/crawl.parquet").read_text() == "precious"
