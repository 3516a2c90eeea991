"""What each part of method robust buys: learned anew without it, measured on crawls that taught nothing.

    python benchmarks/ablation.py --work DIR [--web 70] [--themes 40] [--seeds 141 142] [--hosts 3000]

``DIR`` is that of ``make_prior.py --work`` (made if missing). Prints a Markdown table: the true-positive rate at a false-positive rate of
0.001 among candidates that are no obvious pairs, mean over the seeds, per named profile. Profiles ending in + are generated with
links (and so titles), ``themes`` is loaded with every file type.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from make_prior import CONTENT, PAGES, crawls, has_files, learned, pair_table

from replicadb.evaluation.metrics import tpr_at_fpr
from replicadb.evaluation.synth import PROFILES
from replicadb.learning import prior, robust

PARTS: dict[str, tuple[str, ...]] = {
    "containment and resemblance": ("containment", "resemblance"),
    "rarity-weighted sum (evidence)": ("evidence",),
    "agreement and alignment": ("agreement", "alignment"),
    "reach": ("reach", "reach_both"),
    "paths and tails": ("path_overlap", "tail_overlap"),
    "assets": ("asset_evidence", "asset_containment", "asset_resemblance"),
    "exclusivity": ("exclusive_evidence", "exclusive_containment", "exclusive_resemblance"),
    "links": ("linked", "canonical"),
    "lengths and titles": ("size_agreement", "title_agreement", "title_overlap"),
}
TESTED = ("ordinary", "template", "sparse", "few-obvious", "affiliates", "parked", "paper", "sparse+", "themes", "themes+", "versions+")


def score(table: pl.DataFrame, model: prior.Prior, adjust: bool) -> np.ndarray:
    """Strengths of a table's pairs, adjusted by its obvious replicas or not."""
    rows, inverse = bins_of(table, model)
    strength = model.tables.score(rows)
    if adjust:
        obvious = np.bincount(inverse, table["label"].to_numpy() == 1, len(rows))
        n = np.bincount(inverse, minlength=len(rows))
        offset, _ = robust.probabilities(strength, n, model.tail)
        _, believed = robust.replica_share(strength, obvious, robust.NAMED)
        added = robust.adjust(rows, strength + offset, obvious, n - obvious, model.tables.n_bins, believed=believed)
        strength = robust.adjusted(model.tables, added).score(rows)
    return strength[inverse]


def bins_of(table: pl.DataFrame, model: prior.Prior) -> tuple[np.ndarray, np.ndarray]:
    columns = [np.where(np.isnan(v := table[name].cast(pl.Float64).fill_null(np.nan).to_numpy()), 0, 1 + np.searchsorted(cuts, v, side="left"))
               for name, cuts in model.cuts.items()]
    rows, inverse = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    return rows, inverse.ravel()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--web", type=int, default=70)
    parser.add_argument("--themes", type=int, default=40)
    parser.add_argument("--other", type=int, default=3)
    parser.add_argument("--third", type=int, default=2)
    parser.add_argument("--seeds", type=int, nargs="+", default=[141, 142])
    parser.add_argument("--hosts", type=int, default=3000)
    options = parser.parse_args()
    taught = crawls(options.work, options.web, options.themes, options.other, options.third)
    tested = {name: [pair_table(options.work, f"test_{name}_{seed}", PROFILES[name.rstrip("+")], options.hosts, seed, name.endswith("+"),
                                name.startswith(("themes", "versions"))) for seed in options.seeds] for name in TESTED}

    def line(title: str, priors: dict[str, prior.Prior], adjust: bool = False) -> None:
        cells = []
        for name in TESTED:
            rates = []
            for table in tested[name]:
                model = priors["files" if has_files(table) else "pages"]
                hidden, replica = table["label"].to_numpy() == 0, table["replica"].to_numpy()
                rates.append(tpr_at_fpr(score(table, model, adjust)[hidden], replica[hidden], 0.001))
            cells.append(f"{np.mean(rates):.3f}")
        print(f"| {title} | {' | '.join(cells)} |", flush=True)

    def both(tables: list[pl.DataFrame], pairs: int = 20, kept=lambda name: True) -> dict[str, prior.Prior]:
        every = {"pages": PAGES, "files": CONTENT}
        return {name: learned(tables, name, pairs, tuple(filter(kept, features))) for name, features in every.items()}

    whole = both(taught)
    print(f"| | {' | '.join(TESTED)} |\n|---|{'---|' * len(TESTED)}")
    line("all evidence, obvious replicas adjust (robust)", whole, adjust=True)
    line("the prior alone", whole)
    line("no pairs of evidence", both(taught, 0))
    line("half of the crawls", both(taught[::2]))
    for title, left_out in PARTS.items():
        line(f"without {title}", both(taught, kept=lambda name, left_out=left_out: name not in left_out))


if __name__ == "__main__":
    main()
