"""What each part of method robust buys: learned anew without it, measured on crawls that taught
nothing.

    python -m benchmarks.accuracy.ablation --work DIR [--web 70] [--themes 40] [--seeds 141 142] [--hosts
    3000]

``DIR`` is that of ``training.make_prior --work`` (made if missing). Prints a Markdown table: the
true-positive rate at a false-positive rate of 0.001 among candidates that are no obvious pairs,
mean over the seeds, per named profile. Profiles ending in + are generated with links (and so
titles), ``themes`` is loaded with every file type. Below the third line each pair stands by its own
evidence, unadjusted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from replicadb.detection import collective
from replicadb.evaluation.metrics import tpr_at_fpr
from replicadb.learning import prior, prior_adjustment
from replicadb.settings import Settings
from replicadb.synthetic.crawl.generate import PROFILES
from training.fit_collective import hosts_of, possible, strengths
from training.fit_evidence import CONTENT, PAGES, fit, has_files
from training.pair_tables import add_options, pair_table, teaching_tables

PARTS: dict[str, tuple[str, ...]] = {
    "containment and resemblance": ("containment", "resemblance"),
    "rarity-weighted sum (evidence)": ("evidence",),
    "agreement and alignment": ("agreement", "alignment"),
    "reach": ("reach", "reach_both"),
    "what is borrowed": ("borrowed", "borrowed_both"),
    "paths and tails": ("path_overlap", "tail_overlap"),
    "assets": ("asset_evidence", "asset_containment", "asset_resemblance"),
    "exclusivity": ("exclusive_evidence", "exclusive_containment", "exclusive_resemblance"),
    "links": ("linked", "canonical"),
    "lengths and titles": ("size_agreement", "title_agreement", "title_overlap"),
}
Score = Callable[[pl.DataFrame, prior.Prior], np.ndarray]
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


def with_company(table: pl.DataFrame, model: prior.Prior) -> np.ndarray:
    """Strengths of a table's pairs as detection has them: adjusted by its obvious replicas,
    corrected by company.
    """
    found = possible(table, model)
    with hosts_of(found) as db:
        _, _, added, _ = collective.looked(
            db, *(found[name].to_numpy() for name in ("a_id", "b_id", "own_log_odds"))
        )
    more = table.join(
        found.select("a_id", "b_id", added=added),
        on=["a_id", "b_id"],
        how="left",
        maintain_order="left",
    )["added"]
    return strengths(table, model)[0] + more.fill_null(0).to_numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    add_options(parser)
    parser.add_argument("--seeds", type=int, nargs="+", default=[141, 142])
    parser.add_argument("--hosts", type=int, default=3000)
    options = parser.parse_args()
    taught = teaching_tables(options.work, vars(options))
    tested = {
        name: [
            pair_table(
                options.work,
                f"test_{name}_{seed}",
                PROFILES[name.rstrip("+")],
                options.hosts,
                seed,
                name.endswith("+"),
                name.startswith(("themes", "versions")),
            )
            for seed in options.seeds
        ]
        for name in TESTED
    }

    def line(
        title: str,
        priors: dict[str, prior.Prior],
        score: Score = lambda table, model: strengths(table, model, adjust=False)[0],
    ) -> None:
        cells = []
        for name in TESTED:
            rates = []
            for table in tested[name]:
                model = priors["files" if has_files(table) else "pages"]
                hidden, replica = table["label"].to_numpy() == 0, table["replica"].to_numpy()
                rates.append(tpr_at_fpr(score(table, model)[hidden], replica[hidden], 0.001))
            cells.append(f"{np.mean(rates):.3f}")
        print(f"| {title} | {' | '.join(cells)} |", flush=True)

    def flags(title: str, priors: dict[str, prior.Prior], score: Score) -> None:
        cells = []
        for name in TESTED:
            figures = []
            for table in tested[name]:
                kind = "files" if has_files(table) else "pages"
                offset, bar = (
                    strengths(table, priors[kind])[1],
                    Settings().files_probability if kind == "files" else Settings().min_probability,
                )
                flagged, replica = (
                    prior_adjustment.probabilities_at(score(table, priors[kind]), offset) >= bar,
                    table["replica"].to_numpy(),
                )
                figures.append(
                    (replica[flagged].mean() if flagged.any() else np.nan, flagged[replica].mean())
                )
            cells.append("{:.3f}, {:.2f}".format(*np.mean(figures, axis=0)))
        print(f"| {title} | {' | '.join(cells)} |", flush=True)

    def both(
        tables: list[pl.DataFrame], pairs: int | None = None, kept=lambda name: True
    ) -> dict[str, prior.Prior]:
        every = {"pages": PAGES, "files": CONTENT}
        return {
            name: fit(tables, name, tuple(filter(kept, features)), pairs)
            for name, features in every.items()
        }

    whole = both(taught)
    print(f"| | {' | '.join(TESTED)} |\n|---|{'---|' * len(TESTED)}")
    line("robust: all evidence, obvious replicas adjust, company corrects", whole, with_company)
    line("without company", whole, lambda table, model: strengths(table, model)[0])
    line("nor obvious replicas: the prior alone", whole)
    line("no pairs of evidence", both(taught, 0))
    line("half of the crawls", both(taught[::2]))
    for title, left_out in PARTS.items():
        line(
            f"without {title}",
            both(taught, kept=lambda name, left_out=left_out: name not in left_out),
        )
    print(
        f"\n| flags: precision, recall among candidates | {' | '.join(TESTED)}"
        f" |\n|---|{'---|' * len(TESTED)}"
    )
    flags("robust", whole, with_company)
    flags("without company", whole, lambda table, model: strengths(table, model)[0])


if __name__ == "__main__":
    main()
