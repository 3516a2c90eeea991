"""Method robust on crawls by a generator that taught it nothing, written by another author
(``author_d_heldout``).

    python -m benchmarks.accuracy.held_out [--seeds 1 2] [--scenarios bare tiny ...]
        [--author author_d_heldout] [--prior FILE] [--methods robust booster ...]

``--author own`` is ``replicadb synth``: the profiles of ``accuracy.py``, OWN_HOSTS hosts each.
Authors that teach the shipped prior (``training/record.json``) are judged by one that they taught
nothing: ``--prior`` names the file that ``training.make_prior --without AUTHOR`` wrote.

Prints a Markdown table: per scenario the mean over the seeds of average precision among candidates
that are no obvious pairs, of the true-positive rate at a false-positive rate of 0.001 there, the
precision and recall of robust's own decision over all planted pairs, the recall of the best
threshold that is right at 0.97 (what the order allows), estimated replicas over true ones, and the
calibration error beside what chance would make of it if every probability were true. The booster is
trained on true labels, out of fold; the last line of the table is the mean of the scenarios in
which every figure is there, so that methods are compared on the same crawls. Below it: what was
said and what was true over all crawls together, each of the same weight, and what pairs from other
probabilities on would be as flags, whatever their kind. A seed whose crawl has fewer than LEAST
replicas counts for precision and recall alone, one without any for nothing; pairs of which the gold
says that they are unclear are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import replicadb
from benchmarks.accuracy.accuracy import PROFILES as OWN_PROFILES
from replicadb.evaluation.reliability import EDGES, MIDDLE, reliability
from replicadb.learning import prior
from replicadb.synthetic.crawl.generate import generate
from training.generators import AUTHORS, HELD_OUT, common

METHODS = ("robust", "booster", "normpaths", "jaccard")
MOST = 50_000
"""Candidates that the booster is trained on; with more it would take minutes a crawl, and is left
out.
"""
RIGHT = 0.97
"""What flags are meant to be right at."""
OWN, OWN_HOSTS = "own", 2000
"""The project's own generator, which is no author of ``training.generators``."""
LEAST = 5
"""Non-obvious replicas among the candidates; with fewer, rates say nothing."""


def scenarios_of(author: str) -> list[str]:
    """The kinds of crawl that judge; without obvious pairs robust has nothing to adjust by."""
    if author == OWN:
        return [name for name in OWN_PROFILES if "*" not in name]
    return [name for name in AUTHORS[author].SCENARIOS if name != "no_obvious"]


def written(author: str, folder: Path, scenario: str, seed: int) -> common.GeneratedCrawl:
    """The crawl of an author, scenario and seed, with its gold."""
    if author != OWN:
        return common.write(AUTHORS[author], folder, scenario, seed)
    profile, links = scenario.rstrip("+"), scenario.endswith("+")
    made = generate(folder, OWN_HOSTS, profile=profile, seed=seed, links=links)
    return common.GeneratedCrawl(made.crawl, made.gold_csv, profile in ("themes", "versions"))


@contextlib.contextmanager
def loaded(author: str, scenario: str, seed: int) -> Iterator[tuple[replicadb.ReplicaDB, Path]]:
    """A database with that crawl for as long as it is open, and the file of the gold."""
    with tempfile.TemporaryDirectory() as folder:
        web = written(author, Path(folder), scenario, seed)
        with replicadb.open(Path(folder) / "crawl.duckdb") as db:
            db.load(web.crawl, all_types=web.all_types)
            yield db, web.gold


def one(
    author: str, scenario: str, seed: int, methods: list[str]
) -> tuple[list[float], dict[str, Any]]:
    """Candidates, replicas; average precision of each method, TPR at 0.001 of robust and booster,
    precision and recall of robust's flags, and what :func:`calibrated` gives, with its reliability.
    """
    with loaded(author, scenario, seed) as (db, gold):
        candidates = db.detect().counts["candidate_pairs"]
        if not planted_replicas(db, gold, among="replicas"):
            return [candidates, 0, *[np.nan] * (len(methods) + 6 + few(methods))], {}
        calibration, promises = calibrated(db, gold)
        result = db.evaluate(
            gold,
            methods=[name for name in methods if name != "booster" or candidates <= MOST],
        )
    found = {method["name"]: method for method in result["methods"]}
    n = (found["robust"]["non_obvious"] or {}).get("replicas", 0)

    def rate(name: str, *keys: str) -> float | None:
        value = found[name]["non_obvious"] if name in found and n >= LEAST else None
        for key in keys:
            value = value and value[key]
        return value

    flagged = found["robust"]["flagged"]
    return [
        candidates,
        n,
        *(rate(name, "average_precision") for name in methods),
        *(rate(name, "tpr", "0.001") for name in methods if name in METHODS[:2]),
        flagged["precision"],
        flagged["recall"],
        *calibration,
    ], promises


def calibrated(db: replicadb.ReplicaDB, gold: Path) -> tuple[list[float], dict[str, Any]]:
    """The recall of the best threshold that is right at RIGHT, over all planted pairs; estimated
    replicas over true ones among the candidates (NaN where there is none); the expected calibration
    error of probabilities from .05 to .95, and what chance makes of it. Then the reliability.
    """
    pairs = db.sql(
        """SELECT probability, strength, g.label IS NOT NULL AS replica
        FROM replicas LEFT JOIN read_csv($gold, header = true, all_varchar = true) AS g
        USING (host_a, host_b)
        WHERE coalesce(g.label, 'replica') = 'replica'
        ORDER BY strength DESC""",
        {"gold": str(gold)},
    )
    planted = planted_replicas(db, gold)
    replica = pairs["replica"].to_numpy()
    missed = planted - int(replica.sum())
    found = reliability(pairs["probability"].to_numpy(), replica, missed)
    estimated = found["estimated"] / found["true"] if found["true"] else np.nan
    best = recall_at(pairs["strength"].to_numpy(), replica, planted)
    errors = [found["calibration_error"] or 0.0, found["chance_error"] or 0.0]
    return [best, estimated, *errors], found


def together(promises: list[dict[str, Any]]) -> list[tuple[float, float, float]]:
    """What was said and what was true over crawls of the same weight each: of each bin of
    reliability.MIDDLE its part of all pairs there, mean probability and share of replicas.
    """
    sums = np.zeros((len(EDGES) - 1, 3))
    for found in promises:
        bins = [one for one in found["bins"] if EDGES[MIDDLE.start] <= one["low"] < EDGES[-2]]
        pairs = sum(one["pairs"] for one in bins)
        for one in bins:
            part = one["pairs"] / pairs
            at = np.searchsorted(EDGES, one["low"])
            sums[at] += part, part * one["mean"], part * one["share"]
    sums = sums[sums[:, 0] > 0]
    return [(part / sums[:, 0].sum(), said / part, true / part) for part, said, true in sums]


def swept(promises: list[dict[str, Any]]) -> list[tuple[float, float, float, int, int]]:
    """Flags from each probability of reliability.THRESHOLDS on: the mean precision of the crawls
    that have any, the mean recall of all, how many have any, and how many are right at RIGHT.
    """
    lines = []
    for at in zip(*(found["thresholds"] for found in promises), strict=True):
        right = np.array([one["precision"] for one in at if one["flagged"]])
        recall = float(np.mean([one["recall"] for one in at]))
        precision = float(right.mean()) if len(right) else np.nan
        enough = int((right >= RIGHT).sum())
        lines.append((at[0]["probability"], precision, recall, len(right), enough))
    return lines


def planted_replicas(db: replicadb.ReplicaDB, gold: Path, among: str | None = None) -> int:
    """Pairs that the gold calls replicas; a seed of a web that has nearly none may have none.

    Args:
        among: a view or table of pairs, host_a and host_b; only its pairs count.
    """
    only = f"SEMI JOIN {among} USING (host_a, host_b)" if among else ""
    found: int = db.sql(
        f"""SELECT count(*) AS n FROM read_csv($gold, header = true, all_varchar = true) {only}
        WHERE label = 'replica'""",
        {"gold": str(gold)},
    )["n"][0]
    return found


def few(methods: list[str]) -> int:
    """Methods of which the true-positive rate is shown."""
    return sum(name in METHODS[:2] for name in methods)


def recall_at(strength: np.ndarray, replica: np.ndarray, planted: int) -> float:
    """The part of the ``planted`` pairs that stand above the lowest threshold at which RIGHT of the
    pairs are replicas; match weights fall.
    """
    last = np.append(strength[1:] != strength[:-1], True)  # a threshold takes ties together
    true = np.cumsum(replica)[last]
    right = np.flatnonzero(true >= RIGHT * np.flatnonzero(last) + RIGHT)
    return float(true[right[-1]] / max(planted, 1)) if len(right) else 0.0


def crawls_and_prior(description: str | None) -> argparse.ArgumentParser:
    """The options that say which crawls judge which prior."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--scenarios", nargs="+")
    parser.add_argument("--author", choices=(*AUTHORS, OWN), default=HELD_OUT)
    parser.add_argument("--prior", type=Path, default=prior.FILE)
    return parser


def main() -> None:
    parser = crawls_and_prior(__doc__)
    parser.add_argument("--methods", choices=METHODS, nargs="+", default=METHODS)
    options = parser.parse_args()
    prior.FILE, methods = options.prior, list(options.methods)
    print(f"{options.author}, seeds {', '.join(map(str, options.seeds))}; non-obvious candidates\n")
    columns = [
        "scenario",
        "candidates",
        "replicas",
        *(f"AP {name}" for name in methods),
        *(f"TPR {name}" for name in methods if name in METHODS[:2]),
        "flags: precision",
        "recall",
        f"recall at {RIGHT}",
        "estimated : true",
        "ECE",
        "by chance",
    ]
    print(f"| {' | '.join(columns)} |\n|---|{'--:|' * (len(columns) - 1)}")
    rows, promises = [], []
    for scenario in options.scenarios or scenarios_of(options.author):
        crawls = [one(options.author, scenario, seed, methods) for seed in options.seeds]
        promises += [found for _, found in crawls if found]
        rows.append(means(np.array([row for row, _ in crawls], float)))
        print(_line(scenario, rows[-1]), flush=True)
    compared = [row for row in rows if np.isfinite(row).all()]
    print(_line("mean", means(rows)))
    if compared:
        print(_line(f"mean of the {len(compared)} with every figure", means(compared)))
    print(f"\nof {len(promises)} crawls together, each of the same weight\n")
    print("| part of the pairs from .05 to .95 | said | true |\n|--:|--:|--:|")
    for part, said, true in together(promises):
        print(f"| {part:.2f} | {said:.2f} | {true:.2f} |")
    print(f"\n| flagged from | precision | recall | crawls with flags | right at {RIGHT} |")
    print("|--:|--:|--:|--:|--:|")
    for least, precision, recall, n, enough in swept(promises):
        print(f"| {least:g} | {precision:.2f} | {recall:.2f} | {n} | {enough} |")


def means(rows) -> list[float]:
    """The mean of each column's known figures; NaN where it has none."""
    return [
        np.nanmean(column) if np.isfinite(column).any() else np.nan for column in np.transpose(rows)
    ]


def _line(name: str, row: list[float]) -> str:
    shown = [f"{value:,.0f}" for value in row[:2]] + [
        "" if np.isnan(value) else f"{value:.2f}" for value in row[2:]
    ]
    return f"| {name} | {' | '.join(shown)} |"


if __name__ == "__main__":
    main()
