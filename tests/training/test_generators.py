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


def few_hosts(author: str, scenario: str, monkeypatch) -> None:
    """Fewer ordinary sites around what the scenario of author F is about."""
    if author == "author_f":
        recipes = author_f.RECIPES
        monkeypatch.setitem(recipes, scenario, replace(recipes[scenario], hosts=(20, 30)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("author", "scenario", "all_types"),
    [
        ("author_b", "docs", False),
        ("author_c", "theme_blogs_all_types", True),
        ("author_d_heldout", "static_pages", True),
        ("author_e", "cdn", True),
        ("author_f", "docs_versions", False),
        ("author_i", "depots", True),
        ("author_j", "forums", False),
    ],
)
def test_a_crawl_has_replicas_and_gold_that_fits_it(
    tmp_path, monkeypatch, author, scenario, all_types
):
    few_hosts(author, scenario, monkeypatch)
    made = common.write(AUTHORS[author], tmp_path, scenario, 3)
    gold = pl.read_csv(made.gold)
    hosts = set(pl.read_parquet(made.crawl)["url"].str.split("/").list.get(2))
    assert (gold["host_a"] < gold["host_b"]).all()
    assert set(gold["label"]) <= {"replica", "unclear", "near-replica"}
    assert set(gold["host_a"]) | set(gold["host_b"]) <= hosts
    assert (gold["label"] == "replica").sum() > 3
    assert made.all_types == all_types


@pytest.mark.slow
@pytest.mark.parametrize(
    ("author", "scenario"),
    [
        ("author_b", "tiny"),
        ("author_c", "tiny"),
        ("author_d_heldout", "tiny"),
        ("author_i", "onions"),
        ("author_j", "forums"),
    ],
)
def test_a_crawl_is_the_same_each_time_and_another_by_another_seed(
    tmp_path, monkeypatch, author, scenario
):
    few_hosts(author, scenario, monkeypatch)
    module = AUTHORS[author]
    first, again = (common.write(module, tmp_path / n, scenario, 3) for n in ("a", "b"))
    other = common.write(module, tmp_path / "c", scenario, 4)
    assert first.crawl.read_bytes() == again.crawl.read_bytes() != other.crawl.read_bytes()
    assert first.gold.read_bytes() == again.gold.read_bytes()


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
