"""One is singular, all else plural; and the sentences of the commands keep to it."""

from __future__ import annotations

import re

import pytest

from replicadb.counted import counted, few
from tests.cli.conftest import kept_open

ONE_OF_MANY = re.compile(
    r"(?<![\d,.])1 (?:\w+ )?(?:pairs|replicas|hosts|groups|names|rows|pages|copies)\b"
)


def test_one_is_singular():
    assert [counted(n, "pair") for n in (0, 1, 2, 1200)] == [
        "0 pairs",
        "1 pair",
        "2 pairs",
        "1,200 pairs",
    ]
    assert counted(1, "copy", "copies") == "1 copy" and counted(2, "copy", "copies") == "2 copies"


def test_of_many_names_a_few_are_said():
    assert few(["a"]) == "a" and few(["a", "b", "c"]) == "a, b, c"
    assert few([*"abcd"], 2) == "a, b and 2 more"


@pytest.mark.slow
def test_the_commands_count_one_as_one(cli, write, tmp_path):
    """A host to drop, one held back, a decision on a host that is not loaded, each of them said."""
    pages = [
        f"http://{host}/p{n},{key}{n}"
        for host, key, many in (
            ("a.com", "a", 20),
            ("a.net", "a", 20),
            ("one.org", "a", 1),
            ("b.de", "b", 6),
            ("c.fr", "b", 2),
        )
        for n in range(many)
    ]
    file, db = write("c.csv", "\n".join(["url,digest", *pages])), tmp_path / "w.duckdb"
    write("d.csv", "host_a,host_b,label\na.com,nowhere.org,yes\n")
    changes = (
        ("load", db, file),
        ("detect", db),
        ("label", db, "d.csv"),
        ("watch", db, "a.com"),
    )
    reads = (
        ("export", db, "out.csv"),
        ("export", db, "out.txt", "--as", "hosts"),
        ("export", db, "look.csv", "--check", 1),
        ("recheck", db, "due.csv"),
        ("runs", db),
        ("info", db),
        ("copies-of", db, "a.com", "--all"),
        ("aliases", db),
        ("explain", db, "a.com", "a.net"),
        ("explain", db, "a.com", "one.org"),
    )
    answers = [cli(*arguments) for arguments in changes]
    with kept_open(db):
        answers += [cli(*arguments) for arguments in reads]
    assert not any(answer.code for answer in answers)
    said = "".join(answer.out + answer.err for answer in answers)
    assert "1 host to drop in 1 group" in said and "1 of the hosts is not loaded" in said
    wrong = [line for line in said.splitlines() if ONE_OF_MANY.search(line)]
    assert wrong == []
