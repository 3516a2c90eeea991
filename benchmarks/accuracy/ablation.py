"""What each part of method robust buys: learned anew without it, measured on crawls that taught
nothing.

    python -m benchmarks.accuracy.ablation --work DIR [--seeds 141 142] [--hosts 3000] [--web 70]
        [--themes 40] [--farms 24] [--author-b 3] [--author-c 2] [--author-e 3] [--author-f 3]

``DIR`` is that of ``training.make_prior --work`` (made if missing). Prints a Markdown table: the
true-positive rate at a false-positive rate of 0.001 among candidates that are no obvious pairs,
mean over the seeds, per named profile. Profiles ending in + are generated with links (and so
titles); ``themes`` and ``versions`` are loaded with every file type. Below the third line each pair
stands by its own evidence, unadjusted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from replicadb.detection import collective
from replicadb.evaluation.ranking_curve import curve_of, tpr_at
from replicadb.learning import class_prior, prior
from replicadb.settings import CONSTANTS, Settings
from replicadb.synthetic.crawl.generate import PROFILES
from training.fit_collective import hosts_of, possible, strengths
from training.fit_evidence import FEATURES, fit
from training.pair_tables import add_options, has_files, pair_table, teaching_tables

PARTS: dict[str, tuple[str, ...]] = {
    "containment and resemblance": ("containment", "resemblance"),
    "idf-weighted sum (evidence)": ("evidence",),
    "agreement and alignment": ("agreement", "alignment"),
    "reach": ("reach", "reach_both"),
    "what is borrowed": ("borrowed", "borrowed_both"),
    "paths and tails": ("path_overlap", "tail_overlap"),
    "assets": ("asset_evidence", "asset_containment", "asset_resemblance"),
    "inverse pair frequency": (
        "exclusive_evidence",
        "exclusive_containment",
        "exclusive_resemblance",
    ),
    "links": ("linked", "canonical"),
    "lengths and titles": ("size_agreement", "title_agreement", "title_overlap"),
}
TESTED = (
    "ordinary",
    "template",
    "sparse",
    "few-obvious",
    "affiliates",
    "parked",
    "paper",
    "sparse+",
    "themes",
    "themes+",
    "versions+",
)
FALSE_POSITIVES = 0.001

Score = Callable[[pl.DataFrame, prior.Prior], np.ndarray]
"""Match weights of a table's pairs, (n,)."""
Tested = dict[str, list[pl.DataFrame]]
"""By profile, a pair table a seed."""


def unadjusted(table: pl.DataFrame, model: prior.Prior) -> np.ndarray:
    """By the prior alone."""
    return strengths(table, model, adjust=False)[0]


def local(table: pl.DataFrame, model: prior.Prior) -> np.ndarray:
    """By each pair's own evidence, adjusted by obvious replicas."""
    return strengths(table, model)[0]


def with_neighbours(table: pl.DataFrame, model: prior.Prior) -> np.ndarray:
    """As detection has them: adjusted by obvious replicas, corrected by relational evidence."""
    found = possible(table, model)
    with hosts_of(found) as db:
        _, _, added, _ = collective.passes(
            db, *(found[name].to_numpy() for name in ("a_id", "b_id", "own_log_odds"))
        )
    more = table.join(
        found.select("a_id", "b_id", added=added),
        on=["a_id", "b_id"],
        how="left",
        maintain_order="left",
    )["added"]
    return local(table, model) + more.fill_null(0).to_numpy()


def kind_of(table: pl.DataFrame) -> str:
    """The prior that detection takes for such a crawl."""
    return "files" if has_files(table) else "pages"


def rates(tested: Tested, priors: dict[str, prior.Prior], score: Score) -> list[str]:
    """A cell a profile: the true-positive rate among pairs that are not obvious."""
    cells = []
    for tables in tested.values():
        found = []
        for table in tables:
            non_obvious = table["label"].to_numpy() == 0
            replica = table["replica"].to_numpy()[non_obvious]
            strength = score(table, priors[kind_of(table)])[non_obvious]
            curve = curve_of(strength[replica], np.sort(strength[~replica]))
            found.append(float(tpr_at(curve.true, curve.false, FALSE_POSITIVES)))
        cells.append(f"{np.mean(found):.3f}")
    return cells


def flags(tested: Tested, priors: dict[str, prior.Prior], score: Score) -> list[str]:
    """A cell a profile: precision and recall of flags among candidates."""
    settings, cells = Settings(), []
    threshold = {"files": settings.files_probability, "pages": CONSTANTS.least_flag}
    for tables in tested.values():
        found = []
        for table in tables:
            kind = kind_of(table)
            offset = strengths(table, priors[kind])[1]
            probability = class_prior.probabilities_at(score(table, priors[kind]), offset)
            flagged, replica = probability >= threshold[kind], table["replica"].to_numpy()
            precision = replica[flagged].mean() if flagged.any() else np.nan
            found.append((precision, flagged[replica].mean()))
        cells.append("{:.3f}, {:.2f}".format(*np.mean(found, axis=0)))
    return cells


def learned(
    tables: list[pl.DataFrame], pairs: int | None = None, without: tuple[str, ...] = ()
) -> dict[str, prior.Prior]:
    """The priors of pages and files, with so many pairs of features, without some features."""
    return {
        name: fit(tables, name, tuple(f for f in FEATURES[name] if f not in without), pairs)
        for name in ("pages", "files")
    }


def line(title: str, cells: list[str]) -> None:
    print(f"| {title} | {' | '.join(cells)} |", flush=True)


def head(title: str) -> None:
    print(f"| {title} | {' | '.join(TESTED)} |\n|---|{'---|' * len(TESTED)}")


def tested_tables(folder: Path, hosts: int, seeds: list[int]) -> Tested:
    return {
        name: [
            pair_table(
                folder,
                f"test_{name}_{seed}",
                PROFILES[name.rstrip("+")],
                hosts,
                seed,
                links=name.endswith("+"),
                all_types=name.startswith(("themes", "versions")),
            )
            for seed in seeds
        ]
        for name in TESTED
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    add_options(parser)
    parser.add_argument("--seeds", type=int, nargs="+", default=[141, 142])
    parser.add_argument("--hosts", type=int, default=3000)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    taught = teaching_tables(options.work, vars(options))
    tested = tested_tables(options.work, options.hosts, options.seeds)
    whole = learned(taught)
    head("")
    line(
        "robust: all evidence, obvious replicas adjust, neighbours correct",
        rates(tested, whole, with_neighbours),
    )
    line("without neighbours", rates(tested, whole, local))
    line("nor obvious replicas: the prior alone", rates(tested, whole, unadjusted))
    line("no pairs of evidence", rates(tested, learned(taught, 0), unadjusted))
    line("half of the crawls", rates(tested, learned(taught[::2]), unadjusted))
    for title, left_out in PARTS.items():
        line(f"without {title}", rates(tested, learned(taught, without=left_out), unadjusted))
    print()
    head("flags: precision, recall among candidates")
    line("robust", flags(tested, whole, with_neighbours))
    line("without neighbours", flags(tested, whole, local))


if __name__ == "__main__":
    main()
