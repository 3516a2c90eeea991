"""Crawls by other authors: the same each time, another by another seed, with replicas and gold that
fits them.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from training.generators import AUTHORS, author_f, common

FOLDER = Path(common.__file__).parent


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The crawl of an author's scenario by seed 3, made once."""
    made = {}

    def make(author: str, scenario: str) -> common.GeneratedCrawl:
        if author not in made:
            with pytest.MonkeyPatch.context() as patch:
                few_hosts(author, scenario, patch)
                folder = tmp_path_factory.mktemp(author)
                made[author] = common.write(AUTHORS[author], folder, scenario, 3)
        return made[author]

    return make


def few_hosts(author: str, scenario: str, patch: pytest.MonkeyPatch) -> None:
    """Fewer ordinary sites around what the scenario of author F is about."""
    if author == "author_f":
        recipes = author_f.RECIPES
        patch.setitem(recipes, scenario, replace(recipes[scenario], hosts=(20, 30)))


SMALL = {
    "author_b": "tiny",
    "author_c": "tiny",
    "author_d_heldout": "tiny",
    "author_e": "cdn",
    "author_f": "docs_versions",
    "author_i": "onions",
    "author_j": "front_pages",
}
"""By author, a scenario of few pages."""
ALL_TYPES = {"author_e", "author_j"}


@pytest.mark.slow
@pytest.mark.parametrize(("author", "scenario"), SMALL.items())
def test_a_crawl_has_replicas_and_gold_that_fits_it(first, author, scenario):
    made = first(author, scenario)
    gold = pl.read_csv(made.gold)
    hosts = set(pl.read_parquet(made.crawl)["url"].str.split("/").list.get(2))
    assert (gold["host_a"] < gold["host_b"]).all()
    assert set(gold["label"]) <= {"replica", "unclear", "near-replica"}
    assert set(gold["host_a"]) | set(gold["host_b"]) <= hosts
    assert (gold["label"] == "replica").sum() > 3
    assert made.all_types == (author in ALL_TYPES)


@pytest.mark.slow
@pytest.mark.parametrize("author", sorted({*SMALL} - {"author_e", "author_f"}))
def test_a_crawl_is_the_same_each_time_and_another_by_another_seed(first, tmp_path, author):
    again = common.write(AUTHORS[author], tmp_path / "b", SMALL[author], 3)
    other = common.write(AUTHORS[author], tmp_path / "c", SMALL[author], 4)
    crawl = first(author, SMALL[author]).crawl.read_bytes()
    assert crawl == again.crawl.read_bytes() != other.crawl.read_bytes()
    assert first(author, SMALL[author]).gold.read_bytes() == again.gold.read_bytes()


@pytest.mark.parametrize("author", AUTHORS)
def test_an_author_imports_neither_replicadb_nor_another_author(author):
    allowed = f"training.generators.{author}", "training.generators.common"
    for path in (FOLDER / author).glob("*.py"):
        if path.name == "check.py":
            allowed = (*allowed, "training.generators")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for module in modules:
                ours = module.startswith(("replicadb", "training"))
                assert not ours or module.startswith(allowed), f"{path.name} imports {module}"
