"""Blocking: between which hosts pairs are made, in which order, and how many will come.

Invariant: each host has a place in the comparison order, and a pair is made at the lower of
its two (sql/detect/20_comparison_order). So whatever hosts stand first, slices over their places
make their pairs and no other; and the result does not depend on where the slices are cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.errors import LimitError, UsageError
from replicadb.likely_meant import did_you_mean
from replicadb.settings import CONSTANTS, WEIGHT_SCALE, Settings
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store.database import Database
from replicadb.store.statements import statements

SLICE_ROWS = 4_500_000
"""Rows of the joins that a slice may open, before distinct; about 1 GB."""
EVERY = ("every_host", "every_cluster", "every_path", "every_tail")
FIRST = ("comparison_order", "first_compared", "first_clusters", "first_paths", "first_tails")
"""Statements of sql/detect/20_comparison_order."""
ALWAYS = ()
PREPARED: dict[str, dict[str, tuple[str, ...]]] = {
    "detect/22_candidate_pairs": {"cluster_keys": ALWAYS, "path_keys": ALWAYS},
    "detect/35_shared_evidence": {
        "tail_keys": ALWAYS,
        "tokens": ("titles", "outlinks", "identifiers"),
        "named_places": ("links",),
        "directed_pairs": ("outlinks", "links"),
        "main_languages": ("identifiers",),
        "token_norms": ("titles", "outlinks", "identifiers", "links"),
    },
    "detect/38_country_sites": {"country_sites": ("countries",)},
    "detect/40_pair_features": {
        "compared_addresses": ("addresses",),
        "host_addresses": ("addresses",),
        "host_norms": ALWAYS,
    },
}
"""What holds for all slices: tables by their file, each with what it is made of. Where none of that
is known it is made empty, by another statement: half of what a small crawl costs is planning.
"""


def expected_pairs(db: Database, settings: Settings) -> int:
    """Cost before work: how many pairs the joins will make, summed over clusters or paths.

    Raises:
        LimitError: more than ``max_pairs``.
    """
    name = "expected_pairs"
    if settings.reference is not None:
        old_hosts(db, settings.reference)
        name = "expected_pairs_with_reference"
    by_content, by_path = db.rows(
        statements("detect/22_candidate_pairs")[name], {"cap": settings.max_cluster_hosts}
    )[0]
    expected: int = {"content": by_content, "path": by_path, "either": by_content + by_path}[
        settings.candidates
    ]
    if settings.max_pairs and expected > settings.max_pairs:
        raise LimitError(
            f"{expected:,} candidate pairs would come (summed over clusters), more than --max-pairs"
            f" {settings.max_pairs:,}; raise it, or lower --max-cluster-hosts"
            f" {f'{settings.max_cluster_hosts:,}' if settings.max_cluster_hosts else '(no cap)'}"
        )
    return expected


def parameters_of(settings: Settings, **more: Any) -> dict[str, Any]:
    """What sql/detect/22_candidate_pairs to 40 take of the settings."""
    return {
        "scale": WEIGHT_SCALE,
        "cap": settings.max_cluster_hosts,
        "candidates": settings.candidates,
        "min_shared": settings.min_shared,
        "path_max_hosts": settings.path_max_hosts,
        "close_percent": CONSTANTS.close_percent,
        "most_addresses": CONSTANTS.most_addresses,
        "country_sites": KIND_NUMBERS.country_sites,
    } | more


def every_host(db: Database) -> dict[str, int]:
    """Every host is compared with every other. Returns the parameters ``last``, the last place at
    which pairs are made, and ``above``: the higher of a pair's two places is above it.
    """
    _run(db, EVERY)
    return {"last": 2**31 - 1, "above": 0}


def first_hosts(db: Database) -> dict[str, int]:
    """Only the hosts in the temporary table first_hosts (host_id) are compared, with each other and
    with all; returns as :func:`every_host`.
    """
    _run(db, FIRST)
    return {"last": db.value("SELECT count(*) FROM first_hosts"), "above": 0}


def with_reference(db: Database, reference: str) -> dict[str, int]:
    """Only hosts of that load are compared with hosts that are not of it; returns as
    :func:`every_host`.

    Raises:
        UsageError: there is no such load.
    """
    old_hosts(db, reference)
    _run(db, ("new_hosts",))
    first = first_hosts(db)
    return first | {"above": first["last"]}


def old_hosts(db: Database, reference: str) -> None:
    """Make the temporary table old_hosts (host_id): the hosts of the load with that label.

    Raises:
        UsageError: there is no such load.
    """
    names = db.column("SELECT name FROM loads ORDER BY load_id")
    if reference not in names:
        raise UsageError(
            f"no load is called {reference!r}{did_you_mean(reference, names)}; there are:"
            f" {', '.join(repr(name) for name in names[:20])}"
        )
    db.run("detect/20_comparison_order", {"reference": reference}, only="old_hosts")


def prepare(db: Database, parameters: dict[str, Any]) -> None:
    """Make what all slices read, and add the units of idf to the parameters."""
    known = db.arrays(
        statements("detect/35_shared_evidence")["known"],
        {"country_sites": parameters["country_sites"]},
    )
    db.run_once("functions/75_newest_said")
    for stem, tables in PREPARED.items():
        for table, made_of in tables.items():
            there = not made_of or any(known[name][0] for name in made_of)
            db.run(stem, parameters, only=table if there else f"no_{table}")
    units = db.arrays(
        statements("detect/40_pair_features")["units"],
        {"scale": WEIGHT_SCALE, "path_max_hosts": parameters["path_max_hosts"]},
    )
    parameters |= {name: float(values[0]) for name, values in units.items()}


def slices(db: Database, parameters: dict[str, Any]) -> list[tuple[int, int]]:
    """Ranges of places, (low, high) both included, that open about SLICE_ROWS join rows each (and
    one host's at most beside).
    """
    costs = db.arrays(
        statements("detect/22_candidate_pairs")["costs"],
        {"candidates": parameters["candidates"], "last": parameters["last"]},
    )
    if not len(costs["n"]):
        return []
    piece = (np.cumsum(costs["n"]) - 1) // SLICE_ROWS
    starts = np.flatnonzero(np.r_[True, piece[1:] != piece[:-1]])
    lows = costs["place"][starts].tolist()
    return list(zip(lows, [low - 1 for low in lows[1:]] + [int(costs["place"][-1])], strict=True))


def _run(db: Database, names: tuple[str, ...]) -> None:
    for name in names:
        db.run("detect/20_comparison_order", only=name)
