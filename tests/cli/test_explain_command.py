"""``replicadb explain``: its text to the letter, and what a crawl wrote made harmless.

Tries explain_text, too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest

import replicadb
from replicadb.cli import explain_text
from replicadb.cli.explain_text import text_of
from tests.cli.conftest import kept_open

GOLDEN = Path(__file__).parents[1] / "golden" / "explain.txt"
HOSTILE = "red \x1b[31m\u202etxt.exe\x07"


def piece(feature: str, words: str, value, below, contribution) -> dict:
    return {
        "feature": feature,
        "words": words,
        "value": value,
        "below": below,
        "contribution": contribution,
    }


PAIR = {
    "verdict": "a.com and b.net are flagged as replicas (probability 0.9950, rank 2 of 1,000"
    " candidate pairs); b.net is to be dropped, a.com is kept: more hosts link to it",
    "a": {"host": "a.com", "urls": 12},
    "b": {"host": "b.net", "urls": 11},
    "stale": "loads came or went",
    "method": "robust",
    "place": {"rank": 2},
    "evidence": [
        piece("containment", "share of the smaller host's content: 0.90", 0.9, 0.998, 3.25),
        piece("agreement", "shared content at equal places: 0.10", 0.1, 0.02, -1.5),
        piece("linked", "share of pages that link to the other: unknown", None, None, -0.4),
        piece("reach", "sections of a host with shared content: 0.50", 0.5, 0.1, 0.01),
    ],
    "constant": -1.0,
    "neighbours": {"common": 2.5, "overlap": 0.75, "added": 1.125},
    "rules": None,
    "pages": {
        "shared": {
            "n": 9,
            "first": [
                {
                    "url_a": "http://a.com/1",
                    "url_b": "http://b.net/x/1",
                    "same_path": False,
                    "hosts_with_it": 2,
                    "near": True,
                }
            ],
        },
        "differing": {
            "n": 1,
            "first": [
                {
                    "url_a": "http://a.com/2",
                    "url_b": "http://b.net/2",
                    "title_a": HOSTILE,
                    "title_b": None,
                    "length_a": 1200,
                    "length_b": 90,
                }
            ],
        },
    },
    "identifiers": [],
    "groups": [
        {
            "host": "a.com",
            "canonical_host": "a.com",
            "group_id": 1,
            "hosts": 2,
            "kept_because": None,
            "held_back": None,
            "pages": None,
            "elsewhere": None,
            "not_compared": None,
        },
        {
            "host": "b.net",
            "canonical_host": "a.com",
            "group_id": 1,
            "hosts": 2,
            "kept_because": "more hosts link to it",
            "held_back": None,
            "pages": 11,
            "elsewhere": 10,
            "not_compared": 0,
        },
    ],
}
RULES = {
    "pattern": {"ndist": 2, "ip4": 0},
    "aggregate": "pareto",
    "PU": {
        "alpha_initial": 0.75,
        "alpha": 0.25,
        "cut": 0.8,
        "moved_in": 3,
        "passes": 4,
        "rules": [
            {
                "antecedent": {"ndist": 2},
                "label": "replica",
                "support": 1200,
                "confidence": 0.75,
            },
            {
                "antecedent": {"ndist": 2, "ip4": 0},
                "label": "no replica",
                "support": 3,
                "confidence": 0.5,
            },
        ],
    },
    "NU": {
        "alpha_initial": 0.5,
        "alpha": 0.5,
        "cut": None,
        "moved_in": 0,
        "passes": 1,
        "rules": [],
    },
}
OF_PAPER = PAIR | {
    "method": "paper",
    "place": {
        "pu_score": 0.75,
        "nu_score": 0.5,
        "frontier": True,
        "dominates": 998,
        "candidates": 1000,
    },
    "evidence": [
        piece("ndist", "names differ by 4 characters", 4, 0.25, None),
        piece("reach", "sections of a host with shared content: 0.50", 0.5, 0.1, None),
    ],
    "neighbours": None,
    "rules": RULES,
    "stale": None,
    "identifiers": [],
    "groups": [],
}
NO_CANDIDATE = PAIR | {
    "verdict": "a.com and b.net were no candidates: detection did not compare them, since they"
    " share no content",
    "place": None,
    "evidence": [],
    "neighbours": None,
    "stale": None,
    "identifiers": [],
    "groups": [
        {
            "host": "b.net",
            "canonical_host": "z.org",
            "group_id": None,
            "hosts": None,
            "kept_because": None,
            "held_back": "pages at the same paths differ",
            "pages": 11,
            "elsewhere": 6,
            "not_compared": 0,
        }
    ],
}


def test_the_text_is_as_it_always_was():
    """Golden: run this file with REPLICADB_GOLDEN=1 to write it anew, and read what changed."""
    text = "\n\n=====\n\n".join(map(text_of, (PAIR, OF_PAPER, NO_CANDIDATE))) + "\n"
    if os.environ.get("REPLICADB_GOLDEN"):
        GOLDEN.write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8")


def test_what_a_crawl_wrote_cannot_steer_the_terminal():
    text = text_of(PAIR)
    assert all(c.isprintable() or c == "\n" for c in text)
    assert r"red \x1b[31m\u202etxt.exe\x07" in text.replace("\\\\", "\\")


def test_a_url_of_any_length_leaves_room_for_the_rest():
    shared, differing = PAIR["pages"]["shared"], PAIR["pages"]["differing"]
    first = shared["first"][0] | {"url_a": "http://a.com/" + "x" * 60_000}
    text = text_of(
        PAIR | {"pages": {"shared": shared | {"first": [first]}, "differing": differing}}
    )
    assert f"{'x' * 487}... (60,013 characters; --json has all)" in text
    assert len(text) < 5_000


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """Two hosts of the same pages, two of which pages lead to each other, and sixty others; kept
    open, and not to be changed.
    """
    folder = tmp_path_factory.mktemp("explained")
    rows = [
        {"url": f"http://{host}/part-{n}/text-{n}.html", "digest": f"page{n}"}
        for host in ("one.org", "two.net")
        for n in range(12)
    ]
    rows += [{"url": f"http://own{n}.com/{n}", "digest": f"own{n}"} for n in range(60)]
    pl.DataFrame(rows).write_parquet(folder / "c.parquet")
    leads = [f"http://a.org/p{n},200,a{n},," for n in range(3)]
    leads += [f"http://b.org/p{n},200,b{n},{f'http://a.org/p{n}' if n else ''}," for n in range(3)]
    leads.append("http://a.org/old,301,,,http://b.org/p0")
    (folder / "d.csv").write_text("\n".join(["url,status,digest,canonical,redirect", *leads]))
    with replicadb.open(folder / "web.duckdb", threads=1) as web:
        web.load(folder / "c.parquet", folder / "d.csv")
        web.detect()
    with kept_open(folder / "web.duckdb") as path:
        yield path


@pytest.mark.slow
def test_it_runs_as_a_command(cli, crawled, database, tmp_path):
    answer = cli("explain", crawled, "example.com", "example.org")
    assert answer.code == 1 and "find them first" in answer.err
    answer = cli("explain", database, "TWO.net", "http://one.org/", "--pages", "1")
    assert answer.code == 0
    assert answer.out.startswith("one.org and two.net are flagged as replicas (probability ")
    assert "pages with one content on both: 12" in answer.out
    answer = cli("explain", database, "one.org", "two.net", "--json")
    assert json.loads(answer.out)["pages"]["shared"]["n"] == 12
    answer = cli("explain", database, "one.org", "too.net")
    assert answer.code == 1 and "the nearest names: two.net" in answer.err
    assert answer.err.count("\n") == 1
    assert cli("explain", database, "one.org", "one.org").code == 2
    assert cli("explain", tmp_path / "none.duckdb", "one.org", "two.net").code == 1


@pytest.mark.parametrize(
    ("value", "contribution", "untaught"),
    [
        (0.4, 0.0, True),
        (0.4, 0.01, False),
        (0.0, 0.0, False),
        (None, 0.0, False),
        (0.4, None, False),
    ],
)
def test_one_owner_is_said_to_weigh_nothing_only_as_long_as_no_answer_taught_it(
    value, contribution, untaught
):
    row = {"feature": "identifier_overlap", "value": value, "contribution": contribution}
    said = explain_text._of_owners({"evidence": [row]})
    assert bool(said) is untaught


def test_what_pages_say_of_each_other_is_told(cli, database):
    lines = cli("explain", database, "b.org", "a.org").out.splitlines()
    assert "2 pages of b.org name pages of a.org by rel=canonical" in lines
    assert "1 URL of a.org redirects to b.org" in lines
    found = json.loads(cli("explain", database, "b.org", "a.org", "--json").out)
    assert [(row["host"], row["kind"], row["urls"]) for row in found["leads"]] == [
        ("a.org", "redirect", 1),
        ("b.org", "canonical", 2),
    ]


@pytest.mark.slow
def test_files_are_no_pages_and_one_not_compared_stands_on_no_number_of_hosts(cli, write, tmp_path):
    """Method paper leaves files that are no pages out; both hosts have them all the same."""
    files = [
        f"http://{host}/a-{n}.{ending},{ending}{n},{mime}"
        for host in ("a.org", "b.org")
        for n in range(3)
        for ending, mime in (("css", "text/css"), ("html", "text/html"))
    ]
    write("c.csv", "\n".join(["url,digest,mime", *files]))
    assert cli("load", tmp_path / "w.duckdb", tmp_path / "c.csv").code == 0
    assert cli("detect", tmp_path / "w.duckdb", "--method", "paper").code == 0
    with kept_open(tmp_path / "w.duckdb") as db:
        said = cli("explain", db, "a.org", "b.org", "--pages", "9").out
        found = json.loads(cli("explain", db, "a.org", "b.org", "--json").out)
    assert "\npages with one content on both: 3, and 3 files, the most telling first\n" in said
    lines = [line.split("  (")[1:] for line in said.splitlines() if " http://b.org/" in line]
    assert lines == [["on 2 hosts)"]] * 3 + [["not compared by the last detection)"]] * 3
    shared = found["pages"]["shared"]
    assert {row["hosts_with_it"] for row in shared["first"]} == {2, None}
    assert (shared["n"], shared["files"]) == (3, 3)
