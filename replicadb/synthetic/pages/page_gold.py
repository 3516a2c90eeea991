"""Gold of generated pages: every pair of one query, with its labels and its cause.

Invariant: a label is a comparison of two numbers that the generator gave out: equal ``look``
is a duplicate, equal ``content`` is the same main text.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from replicadb.synthetic.pages.page_duplicates import CAUSES
from replicadb.synthetic.pages.page_look_alikes import LOOK_ALIKES


def gold_pairs(pages: pl.DataFrame) -> pl.DataFrame:
    """All pairs of pages within a query.

    Args:
        pages: number (of the query), query, url, family, look, content, cause, apart; one row a
            page.

    Returns:
        url_a, url_b, label, cause, query, content_label, url_a < url_b, sorted.
    """

    def rank(names: Iterable[str]) -> dict[str, int]:
        return {name: i for i, name in enumerate(["", *names])}

    def name(column: str, names: Iterable[str]) -> pl.Expr:
        return pl.max_horizontal(column, column + "_b").replace_strict(
            dict(enumerate(["", *names])), return_dtype=pl.String
        )

    pages = pages.with_columns(
        pl.col("cause").replace_strict(rank(CAUSES), return_dtype=pl.Int32),
        pl.col("apart").replace_strict(rank(LOOK_ALIKES), return_dtype=pl.Int32),
    )
    pairs = pages.join(pages, on="number", suffix="_b").filter(pl.col("url") < pl.col("url_b"))
    same = pl.col("look") == pl.col("look_b")
    alike = pl.col("family") == pl.col("family_b")
    return pairs.select(
        pl.col("url").alias("url_a"),
        "url_b",
        label=pl.when(same).then(pl.lit("duplicate")).otherwise(pl.lit("not")),
        cause=pl.when(same)
        .then(name("cause", CAUSES))
        .when(alike)
        .then(name("apart", LOOK_ALIKES))
        .otherwise(pl.lit("unrelated")),
        query="query",
        content_label=pl.when((pl.col("content") < 0) | (pl.col("content_b") < 0))
        .then(pl.lit(""))
        .when(pl.col("content") == pl.col("content_b"))
        .then(pl.lit("duplicate"))
        .otherwise(pl.lit("not")),
    ).sort("url_a", "url_b")
