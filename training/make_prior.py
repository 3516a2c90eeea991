"""Make ``replicadb/learning/prior.json``: what method robust knows before it sees a crawl.

    python -m training.make_prior [--work DIR] [--out FILE] [--web 70] [--themes 40] [--farms 24]
        [--author-b 3] [--author-c 2] [--author-e 3] [--author-f 3]

Generated crawls of random kinds (``random_profiles.py``; 200 to 2,400 hosts each, with and without
links, with and without every file type) are loaded and detected. So are crawls by four generators
of other authors (``generators``), lest the tables learn how one author sees the web. The
generators' true labels teach boosted evidence tables. Nothing of a real crawl, no named profile and
no label made by a person goes in.

With ``--work`` the pair tables are kept there, so that a second run only learns. All of it takes
some fifty minutes on one core.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import polars as pl

from replicadb.learning import prior
from training import fit_collective, fit_evidence, pair_tables, purify


def priors_of(tables: list[pl.DataFrame]) -> dict[str, prior.Prior]:
    """The four priors that the pair tables teach: pages, files, paths, and partners by them."""
    priors = {name: fit_evidence.fit(tables, name) for name in fit_evidence.FEATURES}
    return priors | {"partners": fit_collective.fit(tables, priors)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--out", type=Path, default=prior.FILE)
    pair_tables.add_options(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.work or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        tables = pair_tables.teaching_tables(folder, vars(options))
    options.out.write_text(purify.dump(priors_of(tables)), "utf-8")


if __name__ == "__main__":
    main()
