"""Whether the number of replicas lies where ``detect`` says: its estimate and its interval on
crawls whose replicas are known.

    python -m benchmarks.accuracy.estimates [--author author_j ...] [--seeds 1 ...]
        [--prior FILE] [--questions 20]

Prints a Markdown table: of each crawl the replicas among the candidates, estimated ones, and the
interval, which is said to hold eight times in ten; below it how often it holds, how often the inner
half of it does, and how wide intervals are. Pairs that the gold calls unclear or near-replicas are
left out of all of these. With ``--questions`` so many answers to ``review`` are given by the gold
before; pairs that were asked for are left out, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

import replicadb
from benchmarks.accuracy.held_out import crawls_and_prior, loaded, scenarios_of
from benchmarks.accuracy.review import answered, ranking
from benchmarks.measure import markdown
from replicadb.learning import calibration, prior
from replicadb.learning.calibration import INTERVAL_ERRORS, Curve

HALF = 0.674 / INTERVAL_ERRORS
"""The error within which a normal number lies as often as not, over that of the interval."""
Range = tuple[float, float]


def one(author: str, scenario: str, seed: int, questions: int) -> tuple[int, float, Range, Range]:
    """Replicas, estimated ones, and between which they are said to be, eight times in ten and every
    second.
    """
    with loaded(author, scenario, seed) as (db, path):
        gold = pl.read_csv(path, infer_schema=False)
        above = db.detect().counts.get("pairs_above_chance")
        asked = None
        if questions:
            asked = answered(db, gold, questions)
            above = None if len(asked) else above
            db.detect()
        pairs = ranking(db, gold)
        if asked is not None:
            pairs = pairs.join(asked, on=["host_a", "host_b"], how="anti")
        curve = curve_of(db)
    strength, n = pairs["strength"].to_numpy(), np.ones(len(pairs))
    ranges = [
        calibration.expected_between(replace(curve, error=error), strength, n, above)
        for error in (curve.error, curve.error * HALF)
    ]
    return int(pairs["replica"].sum()), float(pairs["probability"].sum()), *ranges


def curve_of(db: replicadb.ReplicaDB) -> Curve:
    """The curve of the last detection."""
    rows = db.sql(
        "SELECT name, value::DOUBLE AS value FROM internal.settings WHERE name LIKE 'log%'"
    )
    stored = dict(rows.iter_rows())
    return Curve(*(stored[f"log_odds_{name}"] for name in ("slope", "even", "error")))


def holds(true: int, between: Range) -> bool:
    """Whether the interval has the number, as whole numbers are said."""
    return round(between[0]) <= true <= round(between[1])


def main() -> None:
    parser = crawls_and_prior(__doc__)
    parser.add_argument("--questions", type=int, default=0)
    options = parser.parse_args()
    prior.FILE = options.prior
    rows, held, width = [], [], []
    for scenario in options.scenarios or scenarios_of(options.author):
        for seed in options.seeds:
            true, estimated, between, half = one(options.author, scenario, seed, options.questions)
            held.append((holds(true, between), holds(true, half)))
            width.append(max(between[1], 1) / max(between[0], 1))
            row = [scenario, seed, true, round(estimated), *(round(n) for n in between)]
            rows.append([*row, "yes" if held[-1][0] else "no"])
            print(*rows[-1], flush=True)
    print(markdown(["scenario", "seed", "replicas", "estimated", "from", "to", "holds"], rows))
    holding, inner = np.mean(held, axis=0)
    print(
        f"\n{len(held)} crawls: holds in {holding:.2f}, its inner half in {inner:.2f};"
        f" in the median the most is {np.median(width):.1f} times the fewest"
    )


if __name__ == "__main__":
    main()
