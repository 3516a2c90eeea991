"""What answers to ``review`` teach: a crawl is detected, questions are answered by its gold, and it
is detected again.

    python -m benchmarks.accuracy.review [--author author_j ...] [--seeds 1 ...] [--questions 20]

Prints a Markdown table: per scenario the average precision among candidates that are no obvious
pairs, the precision and recall of flags, the recall of the best threshold right at .97, estimated
replicas over true ones, each before and after. Pairs that were asked for are left out, before and
after alike, and so are pairs that the gold calls unclear or near-replicas. Questions on such pairs
are skipped, as a person in doubt would.
"""

from __future__ import annotations

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


def one(author: str, scenario: str, seed: int, questions: int) -> list[float] | None:
    """Replicas that judge, questions answered, and NAMES before and after."""
    with loaded(author, scenario, seed) as (db, path):
        gold = pl.read_csv(path, infer_schema=False)
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
    options = parser.parse_args()
    prior.FILE = options.prior
    rows, figures = [], []
    for scenario in options.scenarios or scenarios_of(options.author):
        found = [one(options.author, scenario, seed, options.questions) for seed in options.seeds]
        known = [row for row in found if row]
        if not known:
            continue
        figures.append(np.nanmean(known, axis=0))
        rows.append([scenario, *shown(figures[-1])])
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
