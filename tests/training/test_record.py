"""training/record.json says what the code does: who teaches what, by which seeds, and that no seed
both taught or tuned and judged.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from benchmarks.accuracy import ablation, accuracy, held_out
from replicadb.learning import prior
from training import pair_tables
from training.fit_evidence import WEIGHTS
from training.generators import AUTHORS, HELD_OUT

FOLDER = Path(pair_tables.__file__).parent
RECORD = json.loads((FOLDER / "record.json").read_text("utf-8"))
README = (FOLDER / "README.md").read_text("utf-8")


def seeds(role: str, author: str) -> set[int]:
    return {seed for row in RECORD[role] if row["author"] == author for seed in row["seeds"]}


def test_the_record_is_of_the_shipped_prior():
    assert hashlib.sha256(prior.FILE.read_bytes()).hexdigest() == RECORD["prior_sha256"]


def test_authors_and_scenarios_are_those_of_the_code():
    assert set(RECORD["authors"]) == {"own", *AUTHORS}
    assert RECORD["authors"]["own"]["scenarios"] == list(pair_tables.CRAWLS)
    for author, module in AUTHORS.items():
        assert RECORD["authors"][author]["scenarios"] == list(module.SCENARIOS)
        assert FOLDER.parent / RECORD["authors"][author]["code"] == Path(module.__file__).parent
    assert f"generates {teaching_crawls()} crawls" in README


def test_authors_teach_what_they_are_weighed_in():
    for author, row in RECORD["authors"].items():
        taught = [name for name, weights in WEIGHTS.items() if author in weights]
        relational = taught and author not in pair_tables.THIN_AUTHORS
        assert row["teaches"] == ([*taught, "shared_neighbours"] if relational else taught)
        assert row["role"] == ("taught" if taught else "judged")
    assert RECORD["authors"][HELD_OUT]["teaches"] == []


def test_taught_seeds_are_those_of_the_recipe():
    own, others = RECORD["taught"][:3], RECORD["taught"][3:]
    start = pair_tables.CRAWL_SEED
    assert {row["scenarios"][0]: row["seeds"] for row in own} == {
        kind: list(range(start, start + n)) for kind, n in pair_tables.CRAWLS.items()
    }
    start = pair_tables.AUTHORS_SEED
    assert {row["author"]: row["seeds"] for row in others} == {
        author: list(range(start, start + n)) for author, n in pair_tables.SEEDS.items()
    }


@pytest.mark.parametrize("author", ["own", *AUTHORS])
def test_no_seed_that_taught_or_tuned_judges(author):
    used = seeds("taught", author) | seeds("tuned", author)
    assert not used & (seeds("judged", author) | seeds("judged_earlier", author))


def test_profiles_that_judge_are_those_of_the_benchmarks():
    profiles = {
        tuple(row["seeds"]): tuple(row["profiles"])
        for row in RECORD["judged"]
        if row["author"] == "own"
    }
    assert profiles == {
        (711, 712): accuracy.PROFILES,
        (141,): ablation.TESTED,
        (731,): tuple(held_out.scenarios_of("own")),
    }


def test_seeds_that_judge_stand_in_the_page_that_is_named():
    for row in RECORD["judged"]:
        page = (FOLDER.parent / row["source"]).read_text("utf-8")
        given = " ".join(re.findall(r"--seeds\s+([\d ]+)", page)).split()
        assert {str(seed) for seed in row["seeds"]} <= set(given), row["source"]


def teaching_crawls() -> int:
    """Crawls that teach: the own, and each scenario of the others by each of their seeds."""
    others = sum(len(AUTHORS[name].SCENARIOS) * n for name, n in pair_tables.SEEDS.items())
    return sum(pair_tables.CRAWLS.values()) + others
