"""Page methods and the hyperlink map on real pages with real links.

    python -m benchmarks.accuracy.real_page_pairs FOLDER

``FOLDER`` has capture files (WARC, ARC) of real crawlers, with pages of the Internet Archive, IANA,
a shop and others, as test data of public projects have them. Which of the pages are one page is one
reader's judgement (:func:`same`), made by reading, with a list of the most alike by cosine at hand,
before any method was run; all other pairs of pages of one registered domain are not. Pages of less
than MIN_TEXT characters are left out. Prints what there is, figures of the page methods and of URL
signals by pair, RP and HM by document, and how many links two pages have in common, in Markdown.

It is small, and most duplicates are two texts: the archive's "item cannot be found" and "log in".
Without labelled pages of one's own this says how methods behave on real markup and real links, and
not how good they are.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import re
import tempfile
from pathlib import Path
from typing import Any

import replicadb
from benchmarks.measure import markdown
from replicadb.evaluation.document_curves import by_document
from replicadb.evaluation.page_method_evaluation import SAMENESS, figures
from replicadb.evaluation.page_method_scores import METHODS
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.page_pairs.page_training import components
from replicadb.page_pairs.pair_list import read_pairs
from replicadb.page_pairs.signals import GROUPS, compute
from replicadb.store.database import Database

ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz")
MIN_TEXT = 50
BY_METHOD = ("simhash", "minhash", "rp", "rp+hm", "mwo", "mwo --exact")
BY_SIGNAL = ("tfidf", *GROUPS["U"])

SAME_BY_TITLE = (("Example Domain", "example domain"), ("Common Crawl", "common crawl"))
SAME_BY_URL = (
    (r"//www\.archive\.org/create/.+", "archive: log in first"),
    (r"//www\.archive\.org/(contribute\.php|create/)$", "archive: log in to contribute"),
    (r"//www\.iana\.org/(.*)", "iana: one page, by http or https, editions years apart"),
    (r"//www\.uraharajuku\.st/shopdetail/(\d+)/.*", "shop: one product on several paths"),
)


def same(url: str, title: str, length: int) -> str:
    """What a page is: pages of one name are one page to a reader. Judged by reading all of them."""
    for wanted, name in SAME_BY_TITLE:
        if title == wanted:
            return name
    if title == "Internet Archive: Error" and length > 500:
        return "archive: item cannot be found"
    for pattern, name in SAME_BY_URL:
        if found := re.search(pattern, url):
            return f"{name} {'' if name.startswith('archive') else found[1].rstrip('/')}"
    return url


def pages(db: replicadb.Database) -> list[tuple[str, str, str, int]]:
    """URL, registered domain, title and length of text of each page that has one."""
    return db.database.rows(
        """
        SELECT o.origin || u.path, coalesce(h.domain, h.host), coalesce(c.title, ''), length(c.text)
        FROM compared_texts AS c
        JOIN urls AS u USING (url_id)
        JOIN origins AS o USING (origin_id)
        JOIN hosts AS h ON h.host_id = u.host_id
        WHERE length(c.text) >= $least
        ORDER BY 1""",
        {"least": MIN_TEXT},
    )


def write_gold(found: list[tuple[str, str, str, int]], path: Path) -> tuple[int, int]:
    """All pairs within a registered domain, and those of one page across; their numbers."""
    rows = []
    for (url_a, domain_a, *a), (url_b, domain_b, *b) in itertools.combinations(found, 2):
        one = same(url_a, *a) == same(url_b, *b)
        if one or domain_a == domain_b:
            rows.append((url_a, url_b, "duplicate" if one else "not"))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("url_a", "url_b", "label"), *rows])
    return len(rows), sum(row[2] == "duplicate" for row in rows)


def main(folder: Path) -> str:
    """What was measured."""
    files = sorted(path for path in folder.rglob("*") if path.name.endswith(ENDINGS))
    with tempfile.TemporaryDirectory() as scratch:
        gold = Path(scratch) / "gold.csv"
        with replicadb.open(Path(scratch) / "real.duckdb") as db:
            db.load(*files, content=True)
            stage_texts(db.database)
            found = pages(db)
            counts = write_gold(found, gold)
            judged = f"{len(found)} pages; " + measured(db.database, gold, counts)
            return judged + "\n\n" + links_in_common(db, gold)


def links_in_common(db: replicadb.Database, gold: Path) -> str:
    """Links of both over links of either (Jaccard), means of pairs by label and domain, where a
    page has links.
    """
    found = db.database.rows(
        """
        WITH links AS (
            SELECT url_id, list(DISTINCT to_url) AS links FROM compared_anchors GROUP BY url_id
        ),
        page AS (
            SELECT o.origin || u.path AS url, coalesce(h.domain, h.host) AS domain, l.links
            FROM links AS l
            JOIN urls AS u USING (url_id)
            JOIN origins AS o USING (origin_id)
            JOIN hosts AS h ON h.host_id = u.host_id
        )
        SELECT
            g.label,
            if(a.domain = b.domain, 'one domain', 'two domains'),
            count(*),
            avg(len(list_intersect(a.links, b.links)) / len(list_distinct(a.links || b.links)))
        FROM read_csv($gold) AS g
        JOIN page AS a ON a.url = g.url_a
        JOIN page AS b ON b.url = g.url_b
        GROUP BY ALL
        ORDER BY ALL""",
        {"gold": str(gold)},
    )
    rows = [[f"{label}, {where}", f"{n:,}", f"{shared:.2f}"] for label, where, n, shared in found]
    return markdown(["links in common", "pairs", "mean"], rows)


def measured(db: Database, gold: Path, counts: tuple[int, int]) -> str:
    """Figures by pair and by document, in Markdown."""
    with db.temporary():
        pairs = read_pairs(db, gold, label="label", labelled=True)
        groups = components(pairs.a_id, pairs.b_id)
        rows = []
        for name in BY_METHOD:
            scores, _, own = METHODS[name]
            with db.temporary():
                score = scores(db, PageOptions().with_changes(**own), pairs.a_id, pairs.b_id)
            rows.append(_row(name, figures(score.score, pairs.labels, groups, score.threshold)))
        for name, values in compute(db, pairs, only=BY_SIGNAL).items():
            score = values if name in SAMENESS else -values
            rows.append(_row(name, figures(score, pairs.labels, groups, None)))
        lines = by_document(db, pairs, pairs.labels, 0)
    curves = [
        [line["name"], _n(line["break_even"]), _n(line["best_f"]), *map(_n, line["loosest"] or ())]
        for line in lines
    ]
    return "\n\n".join(
        (
            f"{counts[0]:,} pairs, {counts[1]} of them of one page;"
            f" {lines[0]['pairs_with_maps']:.0%} have maps that differ",
            markdown(["by pair", "precision", "recall", "F", "break-even"], rows),
            markdown(["by document", "break-even", "best F", "recall", "precision"], curves),
        )
    )


def _row(name: str, found: dict[str, Any]) -> list[str]:
    """A method at its own threshold, a signal at its best on these pairs."""
    at = found.get("at_threshold") or found.get("best") or {}
    cells = (at.get("precision"), at.get("recall"), at.get("f"), found.get("break_even"))
    return [name, *map(_n, cells)]


def _n(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    print(main(parser.parse_args().folder))
