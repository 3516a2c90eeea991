"""What the weights gain from the crawl: method robust with the prior's tables as they are, and
with what this crawl's obvious replicas and its own posterior add to them.

    python -m benchmarks.accuracy.prior_alone [--seeds 1 2] [--scenarios bare tiny ...]
        [--author author_d_heldout] [--prior FILE]

Prints a Markdown table, a line a kind of web with means over the seeds: average precision among
candidates that are no obvious pairs, and precision and recall of the flags, by the prior alone and
by adjusted tables. The last line says how many kinds lose more than LOSS of average precision.
Crawls of fewer than LEAST replicas that are no obvious pairs are left out.
"""

from __future__ import annotations

import numpy as np

from benchmarks.accuracy.held_out import (
    LEAST,
    crawls_and_prior,
    loaded,
    planted_replicas,
    scenarios_of,
)
from benchmarks.measure import markdown
from replicadb.learning import prior
from replicadb.settings import Settings

LOSS = 0.01
UNMOVED = 1e9
"""As ``prior_strength``: so many obvious replicas would move a weight by one."""
COLUMNS = (
    "",
    "replicas",
    "AP: the prior alone",
    "adjusted",
    "flags: precision, the prior alone",
    "adjusted",
    "recall, the prior alone",
    "adjusted",
)


def one(author: str, scenario: str, seed: int) -> list[float] | None:
    """A line of the table without its name; None where there are too few replicas."""
    with loaded(author, scenario, seed) as (db, gold):
        found = []
        for strength in (UNMOVED, Settings().prior_strength):
            db.detect(prior_strength=strength)
            if not planted_replicas(db, gold, among="replicas"):
                return None
            (method,) = db.evaluate(gold, methods=["robust"])["methods"]
            found.append((method["non_obvious"] or {}, method["flagged"]))
    n = found[0][0].get("replicas", 0)
    if n < LEAST:
        return None
    return [
        n,
        *(ranked["average_precision"] for ranked, _ in found),
        *(flagged["precision"] for _, flagged in found),
        *(flagged["recall"] for _, flagged in found),
    ]


def cells(values: np.ndarray) -> list[str]:
    """A line's numbers as text."""
    return [f"{values[0]:,.0f}", *(f"{value:.3f}" for value in values[1:])]


def main() -> str:
    """The table."""
    parser = crawls_and_prior(__doc__)
    options = parser.parse_args()
    prior.FILE = options.prior
    rows, lines = [], []
    for scenario in options.scenarios or scenarios_of(options.author):
        found = [one(options.author, scenario, seed) for seed in options.seeds]
        if kept := [row for row in found if row]:
            rows.append(np.nanmean(np.array(kept, float), axis=0))
            lines.append([scenario, *cells(rows[-1])])
    if not rows:
        return f"no crawl has {LEAST} replicas that are no obvious pairs"
    table = np.array(rows)
    worse = int((table[:, 2] < table[:, 1] - LOSS).sum())
    lines.append([f"mean; {worse} of {len(rows)} lose", *cells(table.mean(axis=0))])
    return f"{options.author}, seeds {options.seeds}\n\n" + markdown(COLUMNS, lines)


if __name__ == "__main__":
    print(main())
