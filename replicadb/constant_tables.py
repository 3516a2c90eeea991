"""The constants that a file of settings may change, by their table in it; changing them for a
while, and which of them are other than the code has them.

Invariant: a constant that is in a table and not FIXED is read when it is needed, never when a
module is loaded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from replicadb.page_constants import PAGE_PAIRS, REWRITE
from replicadb.settings import CONSTANTS
from replicadb.stage_constants import ALIASES, CALIBRATION, COPIES, DROPS, KIND_NUMBERS, LABELS

TABLES: dict[str, Any] = {
    "robust": CONSTANTS,
    "kinds": KIND_NUMBERS,
    "calibration": CALIBRATION,
    "drops": DROPS,
    "labels": LABELS,
    "copies": COPIES,
    "names": ALIASES,
    "page_pairs": PAGE_PAIRS,
    "rewriting": REWRITE,
}
"""By their table in a file of settings."""
MEANT = ("duplicate_from", "largest_share")
"""Those of page pairs that what was learned does not go by."""
FIXED: dict[str, tuple[str, ...]] = {
    "robust": (
        "pseudo_counts",
        "pseudo_counts_likely",
        "pseudo_counts_named",
        "likely",
        "most_addresses",
        "close_percent",
        "quantiles",
        "rounds",
        "ridge",
        "possible",
        "neighbour",
        "max_neighbours",
        "min_common",
        "conflicting",
        "max_passes",
    ),
    "page_pairs": tuple(item.name for item in fields(PAGE_PAIRS) if item.name not in MEANT),
}
"""Those that no file changes: what was learned, the prior or a classifier, goes by them."""


def all_changed() -> dict[str, Any]:
    """Those of all that are other than in the code: ``{"drops.least_elsewhere": 0.6}``."""
    return {
        f"{table}.{name}": value
        for table, constants in TABLES.items()
        for name, value in changed(constants).items()
    }


def changed(constants: Any) -> dict[str, Any]:
    """Those of the constants that are other than in the code."""
    return {
        item.name: getattr(constants, item.name)
        for item in fields(constants)
        if getattr(constants, item.name) != item.default
    }


@contextlib.contextmanager
def changed_constants(constants: Any, values: Mapping[str, Any]) -> Iterator[None]:
    """While inside, these constants have other values, in all of the process."""
    before = {name: getattr(constants, name) for name in values}
    for name, value in values.items():
        object.__setattr__(constants, name, value)  # frozen for everybody else
    try:
        yield
    finally:
        for name, value in before.items():
            object.__setattr__(constants, name, value)
