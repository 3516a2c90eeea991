"""How well could probabilities be calibrated that are a logistic curve of the match weight? By the
curve that fits the true labels best, which no crawl knows.

    python -m benchmarks.accuracy.ceiling [--seeds 1 2] [--scenarios bare tiny ...]
        [--author author_d_heldout] [--prior FILE]

Prints a Markdown table, per scenario means over the seeds: the expected calibration error of what
robust says, of the best curve, and what chance makes of each if every probability were true;
precision and recall of flags by either, by the same rule (``max_wrong``, kinds that are flagged);
and the recall of the best threshold that is right at .97. What is left between the last two is not
a matter of the curve. Webs of fewer than LEAST replicas among the candidates are left out.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from benchmarks.accuracy.held_out import (
    crawls_and_prior,
    loaded,
    means,
    planted_replicas,
    recall_at,
    scenarios_of,
)
from replicadb.evaluation.reliability import reliability
from replicadb.learning import prior
from replicadb.learning.calibration import Curve, least_probability
from replicadb.settings import CONSTANTS, Settings

LEAST = 5
STEPS = 50
"""Of Newton's method at most."""
RIDGE = 1.0
"""On the slope, around 1.5: of labels that a curve parts wholly it would be endless."""
COLUMNS = (
    "replicas",
    "ECE",
    "by chance",
    "ECE of the best curve",
    "by chance of it",
    "flags: precision",
    "recall",
    "by the best curve: precision",
    "recall by it",
    "recall at 0.97",
)


def best_curve(strength: np.ndarray, replica: np.ndarray) -> Curve:
    """The likeliest logistic curve, (n,) match weights and (n,) bool."""
    slope, constant = 1.5, -4.0
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(slope * strength + constant, -30, 30)))
        gap, weight = replica - p, p * (1 - p)
        gradient = np.array([gap @ strength - RIDGE * (slope - 1.5), gap.sum()])
        bend = np.array(
            [
                [weight @ strength**2 + RIDGE, weight @ strength],
                [weight @ strength, weight.sum() + 1e-9],
            ]
        )
        step = np.clip(np.linalg.solve(bend, gradient), -1, 1)
        slope, constant = slope + step[0], constant + step[1]
        if np.abs(step).max() < 1e-6:
            break
    return Curve(slope, -constant / slope)


def one(author: str, scenario: str, seed: int) -> list[float] | None:
    """A line of the table, COLUMNS; None where there are too few replicas."""
    with loaded(author, scenario, seed) as (db, gold):
        db.detect()
        pairs: pl.DataFrame = db.sql(
            """SELECT probability, strength, flagged, kind, g.label IS NOT NULL AS replica
            FROM replicas LEFT JOIN read_csv($gold, header = true, all_varchar = true) AS g
            USING (host_a, host_b)
            WHERE coalesce(g.label, 'replica') = 'replica' ORDER BY strength DESC""",
            {"gold": str(gold)},
        )
        planted = planted_replicas(db, gold)
    strength, replica = pairs["strength"].to_numpy(), pairs["replica"].to_numpy()
    if replica.sum() < LEAST:
        return None
    said, best = pairs["probability"].to_numpy(), best_curve(strength, replica)
    could = best.probabilities(strength)
    rising = np.argsort(could, kind="stable")
    least = least_probability(
        could[rising], np.ones(len(could)), Settings().max_wrong, CONSTANTS.least_flag
    )
    kinds = ["", *Settings().kinds.split(",")]
    flaggable = pairs["kind"].fill_null("").is_in(kinds).to_numpy()
    line: list[float] = [float(replica.sum())]
    for probability in (said, could):
        found = reliability(probability, replica)
        line += [found["calibration_error"] or 0.0, found["chance_error"] or 0.0]
    for flagged in (pairs["flagged"].to_numpy(), flaggable & (could >= least)):
        right = float((flagged & replica).sum())
        line += [right / flagged.sum() if flagged.any() else np.nan, right / planted]
    return [*line, recall_at(strength, replica, planted)]


def main() -> None:
    options = crawls_and_prior(__doc__).parse_args()
    prior.FILE = options.prior
    print(f"{options.author}, seeds {', '.join(map(str, options.seeds))}\n")
    print(f"| scenario | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}")
    rows = []
    for scenario in options.scenarios or scenarios_of(options.author):
        found = [one(options.author, scenario, seed) for seed in options.seeds]
        known = [line for line in found if line is not None]
        if known:
            rows.append(means(known))
            print(_line(scenario, rows[-1]), flush=True)
    if rows:
        print(_line("mean", means(rows)))


def _line(name: str, row: list[float]) -> str:
    shown = [f"{row[0]:,.0f}", *("" if np.isnan(value) else f"{value:.2f}" for value in row[1:])]
    return f"| {name} | {' | '.join(shown)} |"


if __name__ == "__main__":
    main()
