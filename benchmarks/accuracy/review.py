"""What answers to ``review`` teach: a crawl is detected, questions are answered by its gold, and it
is detected again.

    python -m benchmarks.accuracy.review [--author author_j ...] [--seeds 1 ...] [--questions 20]
    python -m benchmarks.accuracy.review --folders FOLDER ... [--questions 20]

Folders hold ``crawl.csv`` and ``gold.csv`` of crawls from elsewhere. Prints a Markdown table: per
scenario the average precision among candidates that are no obvious pairs, the precision and recall
of flags, the recall of the best threshold right at .97, estimated replicas over true ones, each
before and after. Pairs that were asked for are left out, before and after alike, and so are pairs
that the gold calls unclear or near-replicas. Questions on such pairs are skipped, as a person in
doubt would.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import replicadb
from benchmarks.accuracy.held_out import RIGHT, crawls_and_prior, loaded, scenarios_of
from benchmarks.measure import markdown
from replicadb.learning import prior

NAMES = ("AP", "flags right", "found", f"recall at {RIGHT}", "estimated : true")
LEAST = 5
"""Replicas that names do not give away and that nobody was asked about; with fewer a crawl is left
out."""
MOST_SKIPPED = 10
"""Questions in doubt, for each that is answered, after which nobody goes on."""


Loaded = contextlib.AbstractContextManager[tuple[replicadb.ReplicaDB, Path]]
"""A database with a crawl for as long as it is open, and the file of its gold."""


def one(crawl: Loaded, questions: int) -> list[float] | None:
    """Replicas that judge, questions answered, and NAMES before and after."""
    with crawl as (db, path):
        gold = labelled(path)
        db.detect()
        before = ranking(db, gold)
        asked = answered(db, gold, questions)
        db.detect()
        after = ranking(db, gold)
    rest = [pairs.join(asked, on=["host_a", "host_b"], how="anti") for pairs in (before, after)]
    planted = gold.filter(label="replica").join(asked, on=["host_a", "host_b"], how="anti")
    hidden = rest[0].filter(pl.col("replica") & ~pl.col("obvious"))
    if len(hidden) < LEAST:
        return None
    return [len(hidden), len(asked), *(n for pairs in rest for n in judged(pairs, len(planted)))]


@contextlib.contextmanager
def of_folder(folder: Path) -> Iterator[tuple[replicadb.ReplicaDB, Path]]:
    """The crawl of a folder, loaded."""
    with tempfile.TemporaryDirectory() as scratch, replicadb.open(f"{scratch}/crawl.duckdb") as db:
        db.load(folder / "crawl.csv")
        yield db, folder / "gold.csv"


def labelled(path: Path) -> pl.DataFrame:
    """The pairs of a gold: host_a before host_b, label; without labels all are replicas."""
    gold = pl.read_csv(path, infer_schema=False)
    if "label" not in gold.columns:
        gold = gold.with_columns(label=pl.lit("replica"))
    return gold.with_columns(
        host_a=pl.min_horizontal("host_a", "host_b"), host_b=pl.max_horizontal("host_a", "host_b")
    )


def answered(db: replicadb.ReplicaDB, gold: pl.DataFrame, questions: int) -> pl.DataFrame:
    """Answer so many questions of ``review``; the pairs, host_a and host_b."""
    label = {(row["host_a"], row["host_b"]): row["label"] for row in gold.iter_rows(named=True)}
    walk, asked, skipped = db.review(), [], 0
    while len(asked) < questions and skipped < MOST_SKIPPED * questions:
        pair = walk.current()
        if pair is None:
            break
        said = label.get((min(pair), max(pair)))
        if said in (None, "replica"):
            walk.decide(said == "replica")
            asked.append((min(pair), max(pair)))
        else:
            walk.skip()
            skipped += 1
    return pl.DataFrame(asked, {"host_a": pl.String, "host_b": pl.String}, orient="row")


def ranking(db: replicadb.ReplicaDB, gold: pl.DataFrame) -> pl.DataFrame:
    """The candidates of which the gold is sure, the likeliest first, with ``replica``."""
    pairs = db.sql(
        "SELECT host_a, host_b, obvious, probability, flagged, strength FROM replicas ORDER BY rank"
    )
    found = pairs.join(gold, on=["host_a", "host_b"], how="left", maintain_order="left")
    sure = found.filter(pl.col("label").fill_null("none").is_in(["none", "replica"]))
    return sure.with_columns(replica=pl.col("label").is_not_null())


def judged(pairs: pl.DataFrame, planted: int) -> list[float]:
    """NAMES, of pairs in their order; ``planted`` replicas are there, candidates or not."""
    hidden = pairs.filter(~pl.col("obvious"))["replica"].to_numpy()
    true = np.cumsum(hidden)
    precision = true / np.arange(1, len(hidden) + 1)
    all_true = np.cumsum(pairs["replica"].to_numpy())
    right = np.flatnonzero(all_true >= RIGHT * np.arange(1, len(pairs) + 1))
    flagged = pairs.filter("flagged")["replica"]
    return [
        float(precision[hidden].mean()),
        flagged.mean() if len(flagged) else np.nan,
        float(flagged.sum() / planted),
        float(all_true[right[-1]] / planted) if len(right) else 0.0,
        float(pairs["probability"].sum() / pairs["replica"].sum()),
    ]


def main() -> None:
    parser = crawls_and_prior(__doc__)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--folders", type=Path, nargs="+", help="crawls from elsewhere")
    options = parser.parse_args()
    prior.FILE = options.prior
    crawls: dict[str, list[Loaded]] = {f.name: [of_folder(f)] for f in options.folders or ()}
    for scenario in () if crawls else options.scenarios or scenarios_of(options.author):
        crawls[scenario] = [loaded(options.author, scenario, seed) for seed in options.seeds]
    rows, figures = [], []
    for name, seeds in crawls.items():
        known = [row for crawl in seeds if (row := one(crawl, options.questions))]
        if not known:
            continue
        figures.append(np.nanmean(known, axis=0))
        rows.append([name, *shown(figures[-1])])
        print(*rows[-1], flush=True)
    if figures:
        rows.append(["mean", *shown(np.nanmean(figures, axis=0))])
    columns = ["scenario", "replicas", "asked", *(f"{name}: before, after" for name in NAMES)]
    print(markdown(columns, rows))


def shown(figures: np.ndarray) -> list[str]:
    """Cells of a row: counts, and before and after side by side."""
    before, after = np.split(figures[2:], 2)
    pairs = (f"{one:.2f}, {other:.2f}" for one, other in zip(before, after, strict=True))
    return [*(f"{n:,.0f}" for n in figures[:2]), *pairs]


if __name__ == "__main__":
    main()
