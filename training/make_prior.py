"""Make ``replicadb/learning/prior.json``: what method robust knows before it sees a crawl.

    python -m training.make_prior [--work DIR] [--out FILE] [--only pages ...]
        [--without AUTHOR ...] [--no-variation] [--part 0/2] [--web 70] [--themes 40] [--farms 24]
        [--author-b 3] [--author-c 2] [--author-e 3] [--author-f 3] [--author-g 6]

Generated crawls of random kinds (``random_profiles.py``; 200 to 2,400 hosts each, with and without
links, with and without every file type) are loaded and detected. So are crawls by five generators
of other authors (``generators``), lest the tables learn how one author sees the web. More than half
of them are shown a second time, made thin (``thinned.py``), lest they learn whole sites alone. The
generators' true labels teach boosted evidence tables. Nothing of a real crawl, no named profile and
no label made by a person goes in.

``--without`` leaves authors out, to judge by their crawls (``benchmarks.accuracy.held_out``).
``--only`` learns some of the four priors; the others stay as the shipped file has them. With
``--work`` the pair tables are kept there, so that a second run only learns. ``--no-variation``
leaves out how weights vary between crawls, which only answers to review need and which takes most
of the time. ``--part 0/2`` makes every second of the tables and learns nothing.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import polars as pl

from replicadb.learning import prior
from training import fit_collective, fit_evidence, fit_variation, pair_tables, purify

NAMES = (*fit_evidence.FEATURES, "shared_neighbours")


def priors_of(
    tables: list[pl.DataFrame], names: tuple[str, ...] = NAMES, variation: bool = True
) -> dict[str, prior.Prior]:
    """The priors that the pair tables teach, of pages, files, paths, and shared_neighbours by them;
    those that are not named are the shipped ones.
    """
    priors = {
        name: fit_evidence.fit(tables, name) if name in names else prior.load(name)
        for name in fit_evidence.FEATURES
    }
    for name in ("pages", "files"):
        if name in names and variation:
            priors[name] = fit_variation.fit(tables, name, priors[name])
    if "shared_neighbours" not in names:
        return priors | {"shared_neighbours": prior.load("shared_neighbours")}
    deep = [table for table in tables if not table["thinned"].first()]
    return priors | {"shared_neighbours": fit_collective.fit(deep, priors)}


def without(tables: list[pl.DataFrame], authors: list[str]) -> list[pl.DataFrame]:
    """The tables of all other authors."""
    left_out = {*authors, *(["farms"] if "own" in authors else [])}
    return [table for table in tables if table["author"].first() not in left_out]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--out", type=Path, default=prior.FILE)
    parser.add_argument("--only", choices=NAMES, nargs="+", default=NAMES)
    parser.add_argument("--without", nargs="+", default=[])
    parser.add_argument("--no-variation", action="store_false", dest="variation")
    parser.add_argument("--part", default="0/1")
    pair_tables.add_options(parser)
    options = parser.parse_args()
    k, n = (int(number) for number in options.part.split("/"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.work or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        tables = pair_tables.teaching_tables(folder, vars(options), (k, n))
    if n == 1:
        taught = without(tables, options.without)
        learned = priors_of(taught, tuple(options.only), options.variation)
        options.out.write_text(purify.dump(learned), "utf-8")


if __name__ == "__main__":
    main()
