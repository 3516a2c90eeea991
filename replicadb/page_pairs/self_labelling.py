"""Labels for nothing: exact and obvious pairs of pages, and edited copies, teach the classifier
where nobody labelled any.

Invariant: the same database and seed give the same pairs; no page is compared with itself.
Source: as for hosts (docs/method.md#labels and #page-labels): what is obvious teaches the rest.
Exact pairs alone would teach that duplicates are equal (their distances are 0 by the way they are
found: the labels leak), so copies with the edits that duplicates have (page_edits.py) stand beside
them, and copies with the edits that make another page stand against them. A query is two
words that both pages have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.arrays import Ints
from replicadb.errors import DataError
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.page_constants import PAGE_PAIRS
from replicadb.page_pairs.compression_distance import Engine
from replicadb.page_pairs.page_edits import DUPLICATES, OTHERS, Source, edited, stub
from replicadb.page_pairs.page_training import components
from replicadb.page_pairs.page_validation import Labelled, Say
from replicadb.page_pairs.pair_list import Pairs, page_ids, pair_numbers
from replicadb.page_pairs.signals import compute
from replicadb.store.arrow import insert_arrow
from replicadb.store.database import Database
from replicadb.web.terms import words

FIRST_ID = -2
POSITIVE = ("exact", "rendered", "obvious")


def self_labelled(
    db: Database, engine: Engine, seed: int, say: Say
) -> tuple[Labelled, dict[str, Any]]:
    """Pairs that teach without labels, with their signals.

    Returns:
        The pairs, and how many there are of each kind.

    Raises:
        DataError: too few pages with text to make pairs of.
    """
    stage_texts(db)
    db.run(
        "page_pairs/20_labels",
        {
            "seed": f"{seed} ",
            "most": PAGE_PAIRS.of_a_kind,
            "most_equal": PAGE_PAIRS.most_equal,
            "cap": PAGE_PAIRS.content_pages,
        },
    )
    found = db.arrow(
        "SELECT a_id, b_id, cause, same_domain FROM self_labelled_pairs ORDER BY a_dealt, b_dealt"
    ).to_pydict()
    random = np.random.default_rng(seed)
    _copies(db, found, random)
    label = np.array([cause in POSITIVE or cause in DUPLICATES for cause in found["cause"]], bool)
    if label.sum() < 10 or (~label).sum() < 10:
        raise DataError(
            f"{db.path}: too few pages with text to teach ({int(label.sum())} duplicates,"
            f" {int((~label).sum())} others); give labelled pairs"
        )
    kinds = {cause: found["cause"].count(cause) for cause in sorted(set(found["cause"]))}
    say("taught by " + ", ".join(f"{n:,} {cause}" for cause, n in kinds.items()))
    a, b = np.array(found["a_id"], np.int64), np.array(found["b_id"], np.int64)
    db.execute("CREATE OR REPLACE TEMP TABLE named_pairs (i BIGINT, a_id BIGINT, b_id BIGINT)")
    insert_arrow(db, "named_pairs", {"i": np.arange(len(a)), "a_id": a, "b_id": b})
    pairs = Pairs(
        [""] * len(a),
        [""] * len(a),
        a,
        b,
        np.array(found["same_domain"], float),
        _queries(db, a, b, random),
    )
    signals = compute(
        db,
        pairs,
        engine,
        views=("fetched_and_edited", "rendered_and_edited"),
        stem="page_pairs/20_labels",
    )
    data = Labelled(signals, label, components(a, b), pair_numbers(a, b), 0, page_ids(a, b))
    return data, {
        "labels": "exact and obvious pairs, and edited copies",
        "taught": kinds,
    }


def _copies(db: Database, found: dict[str, list[Any]], random: np.random.Generator) -> None:
    """Fill edited_pages, and add the pairs of pages with their copies to ``found``."""
    rows = db.rows(
        """SELECT
            c.url_id,
            c.title,
            left(c.text, $most),
            coalesce(left(c.main_text, $most), ''),
            coalesce(c.body, c.text),
            coalesce(c.length, 0),
            c.headings
        FROM compared_texts AS c JOIN labelling_pages AS t USING (url_id)
        WHERE as_fetched ORDER BY dealt LIMIT $sources""",
        {"most": PAGE_PAIRS.text_seen, "sources": PAGE_PAIRS.edited_pages},
    )
    pages = [(row[0], Source(*row[1:])) for row in rows]
    made: list[tuple[int, Source, Source]] = []
    rendered = db.value("SELECT count(*) FROM (FROM rendered_pages LIMIT 1)")
    for url_id, page in pages:
        other = pages[int(random.integers(len(pages)))][1]
        if random.random() < PAGE_PAIRS.other_share:
            kinds = [OTHERS[int(random.integers(len(OTHERS)))]]
        else:
            kinds = [
                str(kind) for kind in random.permutation(DUPLICATES)[: 1 + int(random.integers(3))]
            ]
        copy = edited(page, other, kinds, random)
        if copy is None or (copy.text == page.text and copy.title == page.title):
            continue
        made.append(
            (
                FIRST_ID - len(made),
                stub(copy, other, random)
                if rendered and random.random() < PAGE_PAIRS.stub_share
                else copy,
                copy,
            )
        )
        own = kinds[0] != "look" and ("printer" in kinds or random.random() < 0.5)
        for name, value in (
            ("a_id", made[-1][0]),
            ("b_id", url_id),
            ("cause", kinds[0]),
            ("same_domain", float(own)),
        ):
            found[name].append(value)
    for table, side in (("edited_pages", 1), ("edited_rendered", 2)):
        if made and (side == 1 or rendered):
            insert_arrow(
                db,
                table,
                {"url_id": [row[0] for row in made]}
                | {
                    name: [getattr(row[side], name) for row in made]
                    for name in ("title", "text", "body", "length", "headings")
                },
            )


def _queries(db: Database, a: Ints, b: Ints, random: np.random.Generator) -> list[str]:
    """For each pair two words that both pages have, of the first one where they share none."""
    seen = {
        url_id: frozenset(word for word in words(text) if len(word) > 1)
        for url_id, text in db.rows(
            """WITH wanted AS (
                SELECT a_id AS url_id FROM named_pairs UNION SELECT b_id FROM named_pairs
            )
            SELECT url_id, left(text, $most) FROM compared_texts SEMI JOIN wanted USING (url_id)
            UNION ALL
            SELECT e.url_id, coalesce(r.text, e.text)
            FROM edited_pages AS e LEFT JOIN edited_rendered AS r USING (url_id)
            ORDER BY url_id""",
            {"most": PAGE_PAIRS.text_seen},
        )
    }
    queries = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        shared = sorted(seen[x] & seen[y]) or sorted(seen[x]) or [""]
        queries.append(" ".join(shared[int(i)] for i in random.integers(len(shared), size=2)))
    return queries
