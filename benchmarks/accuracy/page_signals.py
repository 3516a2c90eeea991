"""Time ``replicadb pages signals`` and ``pages train`` on generated page pairs, and say what single
signals and classifiers reach.

    python -m benchmarks.accuracy.page_signals [--pages 2000] [--seed 5] [--other 6]

Pages of two seeds (development seeds lie below 100), loaded with --content; what a browser shows
comes from the generator's rendered.parquet, so no browser is needed. CPU seconds are of whole
processes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import replicadb as web
from benchmarks.measure import markdown
from replicadb.learning.cross_validation import Score, score
from replicadb.page_pairs.compression_distance import Engine
from replicadb.page_pairs.pair_list import read_pairs
from replicadb.page_pairs.signals import SIGNALS, compute
from replicadb.store.arrow import insert_frame
from replicadb.web.page_text import extract

RENDERED = (
    "url_id",
    "final_url",
    "title",
    "text",
    "body",
    "length",
    "frames",
    "redirects",
    "missing",
)


def database(folder: Path, pages: int, seed: int) -> Path:
    """Pages of a seed, loaded, their rendered form beside them."""
    from replicadb.synthetic.pages.generate_pages import generate_pages

    generate_pages(folder, pages, seed, "parquet")
    path = folder / "pages.duckdb"
    shown = {row["url"]: row for row in pl.read_parquet(folder / "rendered.parquet").to_dicts()}
    with web.open(path) as db:
        db.load(folder / "pages.parquet", content=True)
        rows = db.database.rows(
            """
            SELECT url_id, o.origin || u.path, c.title, c.text, c.body, c.length
            FROM page_contents AS c
            JOIN urls AS u USING (url_id)
            JOIN origins AS o USING (origin_id)
            ORDER BY url_id"""
        )
        found = []
        for url_id, url, *fetched in rows:
            if url in shown:
                content = extract(shown[url]["html"], "text/html", shown[url]["final_url"])
                fetched = [content.title, content.text, content.body, content.length]
            found.append(
                (url_id, shown[url]["final_url"] if url in shown else url, *fetched, 0, 0, 0)
            )
        insert_frame(db.database, "rendered_pages", found, RENDERED)
    return path


def best_threshold(distance: np.ndarray, labels: np.ndarray) -> tuple[Score, float]:
    """The highest F that one threshold reaches on the data it is chosen on: ``distance <=
    threshold`` says yes; NaN says no.

    Returns:
        The score and the threshold; the lowest of equally good ones.
    """
    known = ~np.isnan(distance)
    kinds, at = np.unique(distance[known], return_inverse=True)
    if not len(kinds):
        return Score(0.0, 0.0, 0.0), 0.0
    hit = np.cumsum(np.bincount(at.reshape(-1), weights=labels[known]))
    said = np.cumsum(np.bincount(at.reshape(-1)))
    best = int(np.argmax(2 * hit / (said + labels.sum())))
    return score(known & (np.nan_to_num(distance, nan=np.inf) <= kinds[best]), labels), float(
        kinds[best]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--other", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=9, help="of cross-validation")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch) / str(seed) for seed in (options.seed, options.other)]
        paths = [
            database(folder, options.pages, seed)
            for folder, seed in zip(folders, (options.seed, options.other), strict=True)
        ]
        with web.open(paths[0], read_only=True) as db:
            print_single_signals(db, folders[0] / "gold.csv", options.seed)
            rows = []
            for groups in ("F", "F,R", "F,R,RS", "F,R,RS,X", "F,FS,X"):
                _, result = db.train_pages(
                    folders[0] / "gold.csv", groups=groups, seeds=options.seeds
                )
                rows.append(
                    (
                        groups,
                        *(f"{100 * result[one]['f']:.1f}" for one in ("ripper", "tree")),
                        f"{100 * result['f']:.1f}",
                        "",
                    )
                )
            for file, name in ((folders[0] / "gold.csv", "auto"), (None, "without labels")):
                with web.open(paths[1], read_only=True) as other:
                    classifier, result = (db if file else other).train_pages(file, seeds=1)
                    tested = other.classify_pages(
                        folders[1] / "gold.csv", _saved(classifier, folders[1] / "m.json")
                    )[0].to_pydict()
                f = f_of(tested["judgement"], tested["label"])
                rows.append((name, "", "", f"{100 * result['f']:.1f}", f"{100 * f:.1f}"))
            print(
                f"\ncross-validated on seed {options.seed} (without labels: on what taught it), and"
                f" both classifiers together on the gold of seed {options.other}\n"
            )
            print(markdown(["signals", "RIPPER F", "tree F", "mean F", "other seed F"], rows))


def print_single_signals(db: web.ReplicaDB, gold: Path, seed: int) -> None:
    pairs = read_pairs(db.database, gold)
    labels, rows = pairs.label == 1, []
    for name in SIGNALS:
        started = time.process_time()
        values = compute(db.database, pairs, Engine(), (name,))[name]
        taken = time.process_time() - started
        best, _ = best_threshold(1 - values if "same" in name else values, labels)
        rows.append(
            (
                name,
                f"{len(pairs) / taken:,.0f}" if name != "same_domain" else "",
                *(f"{100 * value:.1f}" for value in best),
            )
        )
    print(
        f"{len(pairs):,} pairs, {int(labels.sum()):,} duplicates, seed {seed};"
        " single signals at the best threshold\n"
    )
    print(markdown(["signal", "pairs/CPU s", "P", "R", "F"], rows))


def f_of(judged: list[str], labels: list[str]) -> float:
    said, truth = ([word == "duplicate" for word in words] for words in (judged, labels))
    return 2 * sum(map(bool.__and__, said, truth)) / (sum(said) + sum(truth))


def _saved(classifier, path: Path) -> Path:
    classifier.save(path)
    return path


if __name__ == "__main__":
    sys.exit(main())
