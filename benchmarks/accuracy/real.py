"""Method robust on labelled real sites: average precision and flags, by pages, with all files, and
on near-duplicate clusters of their texts.

    python -m benchmarks.accuracy.real FOLDER

``FOLDER`` has ``urls.parquet`` (a crawl), ``gold.csv`` (host_a, host_b, label: replica,
near-replica or not, ambiguous: 0 or 1) and, for the clusters, ``text.parquet`` (fingerprint, text).
Prints a Markdown table. Average precision counts every labelled pair that the reader was sure of,
those that are no candidates last, with 95 % intervals over replica groups (``replicadb evaluate``).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import duckdb

import replicadb
from benchmarks.measure import markdown

METHODS = ("exact", "simhash", "minhash", "rp", "rp+hm", "mwo")
POSITIVES = (("replica",), ("replica", "near-replica"))


def row(db: replicadb.Database, name: str, gold: Path, clusters: str | None = None) -> list[str]:
    """Detect, and judge: average precision of replicas, of both kinds, and flagged
    pairs by label.
    """
    counts = db.detect(clusters=clusters).counts
    cells = []
    for positive in POSITIVES:
        found = db.evaluate(gold, methods=["robust"], folds=1, positive=positive)["methods"][0][
            "all"
        ]
        low, high = (found["intervals"] or {}).get("average_precision") or (float("nan"),) * 2
        cells.append(f"{found['average_precision']:.2f} [{low:.2f}, {high:.2f}]")
    flags = db.sql(
        """
        SELECT concat_ws(', ',
            count(*) FILTER (label = 'replica'),
            count(*) FILTER (label = 'near-replica'),
            count(*) FILTER (label = 'not')) AS n
        FROM replicas AS r
        JOIN read_csv($gold) AS g ON g.host_a = r.host_a AND g.host_b = r.host_b
        WHERE flagged AND ambiguous = 0""",
        {"gold": str(gold)},
    )
    return [name, f"{counts['candidate_pairs']:,}", *cells, flags["n"][0]]


def with_texts(folder: Path, scratch: Path) -> Path:
    """The crawl with a column of the texts."""
    out = scratch / "texts.parquet"
    with duckdb.connect() as con:
        con.execute(f"""
        COPY (
            FROM read_parquet('{folder / "urls.parquet"}')
            LEFT JOIN (
                SELECT fingerprint, any_value(text) AS text
                FROM read_parquet('{folder / "text.parquet"}') GROUP BY fingerprint
            ) USING (fingerprint)
        ) TO '{out}' (FORMAT parquet)""")
    return out


def main(folder: Path) -> str:
    """The table."""
    gold, rows = folder / "gold.csv", []
    with tempfile.TemporaryDirectory() as scratch:
        for name, alone in (("pages", True), ("with other files", False)):
            with replicadb.open(Path(scratch) / f"{name}.duckdb") as db:
                db.load(folder / "urls.parquet", pages_only=alone)
                rows.append(row(db, name, gold))
        if (folder / "text.parquet").exists():
            with replicadb.open(Path(scratch) / "texts.duckdb") as db:
                db.load(
                    with_texts(folder, Path(scratch)),
                    content=True,
                    columns={"content": "text"},
                )
                for method in METHODS:
                    db.fingerprint(method)
                    rows.append(row(db, f"every file type, clusters by `{method}`", gold, method))
    return markdown(
        [
            "",
            "candidate pairs",
            "replicas",
            "replicas and near-replicas",
            "flagged: replica, near-replica, not",
        ],
        rows,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    folder = parser.parse_args().folder
    missing = [name for name in ("urls.parquet", "gold.csv") if not (folder / name).is_file()]
    if missing:
        parser.error(f"no {' and no '.join(missing)} in {folder}")
    print(main(folder))
