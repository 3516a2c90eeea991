"""What an author's generator gives, and the one place that writes it to files.

An author is a module with ``SCENARIOS`` (names of kinds of web) and ``generate(scenario, seed)``,
which returns a :class:`Generated`. Everything is drawn from the scenario's name and the seed, so
the same two give the same files, byte for byte. No author imports from replicadb or another author.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import polars as pl

HTML = "text/html"
GOLD = ("host_a", "host_b", "label", "cause")
"""Columns of gold.csv; the first three are always there."""


class Generated(NamedTuple):
    """A crawl that no file holds yet."""

    captures: pl.DataFrame
    """url, fingerprint, and as the crawl has them ip, timestamp, status, mime, length, title, links
    (a list, or its JSON).
    """
    pairs: Iterable[tuple[str, ...]]
    """In order, the smaller host first: host_a, host_b, label (replica, near-replica, unclear) and,
    of most authors, the cause. Pairs that are not there are of unrelated hosts.
    """
    all_types: bool
    """Whether the crawl is to be loaded with every file type."""


class GeneratedCrawl(NamedTuple):
    """A crawl that was written."""

    crawl: Path
    """crawl.parquet: the captures."""
    gold: Path
    """gold.csv: the pairs."""
    all_types: bool
    """Whether it is to be loaded with every file type."""


def write(author: ModuleType, folder: Path, scenario: str, seed: int) -> GeneratedCrawl:
    """Write the crawl of that author, scenario and seed.

    Args:
        folder: where crawl.parquet and gold.csv go; made if missing.
        scenario: a name in the author's ``SCENARIOS``.
        seed: any whole number; another draws other rates, sizes, names and columns.
    """
    made = author.generate(scenario, seed)
    folder.mkdir(parents=True, exist_ok=True)
    written = GeneratedCrawl(folder / "crawl.parquet", folder / "gold.csv", made.all_types)
    made.captures.write_parquet(written.crawl)
    with written.gold.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(getattr(author, "GOLD", GOLD))
        rows.writerows(made.pairs)
    return written


def stripped(host: str) -> str:
    """The host without www."""
    return host.removeprefix("www.")
