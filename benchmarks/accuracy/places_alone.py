"""What flags are worth on a list of URLs: crawls whose replicas are known, of which nothing is
loaded but URLs and addresses.

    python -m benchmarks.accuracy.places_alone [--author author_j ...] [--seeds 1 ...]

Prints a Markdown table: of each crawl the replicas planted, and how many flags there are, the share
of them that are right and the share of replicas that are found; first where every kind is flagged
(``detect --candidates path --kinds all``), then by default, where alike names alone support a flag.
Pairs that the gold calls unclear or near-replicas are left out. Hosts with too many pairs to make
are refused, as ``detect`` does it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import replicadb
from benchmarks.accuracy.held_out import crawls_and_prior, scenarios_of, written
from benchmarks.accuracy.review import ranking
from benchmarks.measure import markdown
from replicadb.learning import prior
from replicadb.settings import Settings

KINDS = ("all", Settings().kinds)


def one(author: str, scenario: str, seed: int) -> list[float]:
    """Replicas planted; flags, the share that is right and the share found, by each of KINDS."""
    found: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        web = written(author, Path(folder), scenario, seed)
        gold = pl.read_csv(web.gold, infer_schema=False)
        planted = gold.filter(label="replica").height
        crawl = pl.read_parquet(web.crawl)
        bare = Path(folder) / "bare.parquet"
        crawl.select(name for name in ("url", "ip") if name in crawl.columns).write_parquet(bare)
        with replicadb.open(Path(folder) / "crawl.duckdb") as db:
            db.load(bare)
            for kinds in KINDS:
                db.detect(candidates="path", kinds=kinds)
                flags = ranking(db, gold).filter("flagged")["replica"]
                right = flags.mean() if len(flags) else np.nan
                found += [len(flags), right, flags.sum() / planted if planted else np.nan]
    return [planted, *found]


def main() -> None:
    options = crawls_and_prior(__doc__).parse_args()
    prior.FILE = options.prior
    rows, figures = [], []
    for scenario in options.scenarios or scenarios_of(options.author):
        for seed in options.seeds:
            figures.append(one(options.author, scenario, seed))
            rows.append([scenario, seed, *shown(figures[-1])])
            print(*rows[-1], flush=True)
    columns = ["flags", "right", "found"]
    head = ["scenario", "seed", "replicas", *columns, *(f"{name}, default" for name in columns)]
    rows.append(["mean", "", *shown(np.nanmean(figures, axis=0))])
    print(markdown(head, rows))


def shown(figures: list[float]) -> list[str]:
    """Cells: counts, and shares with two digits."""
    return [f"{n:,.0f}" if k in (0, 1, 4) else f"{n:.2f}" for k, n in enumerate(figures)]


if __name__ == "__main__":
    main()
