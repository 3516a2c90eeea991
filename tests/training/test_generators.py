"""Crawls by other authors: the same each time, another by another seed, with replicas and gold that
fits them.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from training.generators import AUTHORS, author_f, author_i, author_j, common
from training.generators.author_c import scenarios as author_c
from training.generators.author_d_heldout import scenarios as author_d
from training.generators.author_k import kinds_open

FOLDER = Path(common.__file__).parent


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The crawl of an author's small scenario by seed 3, made once."""
    made = {}

    def make(author: str) -> common.GeneratedCrawl:
        if author not in made:
            made[author] = written(author, tmp_path_factory.mktemp(author), 3)
        return made[author]

    return make


def written(author: str, folder: Path, seed: int) -> common.GeneratedCrawl:
    """An author's small scenario, of most with fewer ordinary sites around what it is about."""
    scenario = SMALL[author]
    with pytest.MonkeyPatch.context() as patch:
        if author == "author_c":
            few = replace(author_c.SCENARIOS[scenario], hosts=(300, 400))
            patch.setitem(author_c.SCENARIOS, scenario, few)
        if author == "author_d_heldout":
            few = author_d.SCENARIOS[scenario]._replace(strangers=(150, 200))
            patch.setitem(author_d.SCENARIOS, scenario, few)
        if author == "author_j":
            few = replace(author_j.WEBS[scenario], sites=(300, 400))
            patch.setitem(author_j.WEBS, scenario, few)
        if author == "author_k":
            crowd = kinds_open.crowd
            patch.setattr(kinds_open, "crowd", lambda web, count: crowd(web, count // 6))
        if author == "author_f":
            few = replace(author_f.RECIPES[scenario], hosts=(20, 30))
            patch.setitem(author_f.RECIPES, scenario, few)
        if author == "author_i":
            usual = author_i.RECIPES[scenario]
            patch.setitem(author_i.RECIPES, scenario, lambda rng: usual(rng)._replace(hosts=60))
        return common.write(AUTHORS[author], folder, scenario, seed)


SMALL = {
    "author_b": "tiny",
    "author_c": "tiny",
    "author_d_heldout": "tiny",
    "author_e": "cdn",
    "author_f": "docs_versions",
    "author_i": "onions",
    "author_j": "front_pages",
    "author_k": "few_copies",
}
"""By author, a scenario of few pages."""
ALL_TYPES = {"author_e", "author_j"}


@pytest.mark.slow
@pytest.mark.parametrize("author", SMALL)
def test_a_crawl_has_replicas_and_gold_that_fits_it(first, author):
    made = first(author)
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
    again, other = (written(author, tmp_path / str(seed), seed) for seed in (3, 4))
    crawl = first(author).crawl.read_bytes()
    assert crawl == again.crawl.read_bytes() != other.crawl.read_bytes()
    assert first(author).gold.read_bytes() == again.gold.read_bytes()


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
