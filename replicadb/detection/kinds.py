"""What a pair that may be a replica looks like: replica, translation, version, partial copy, or
too thin to tell.

Invariant: the kinds are defined here alone (RULES). Views and the ranking go by the macro
``internal.kind_of`` that is made from it, models by :func:`kinds_of`, and both compare single
precision with single precision, so they say the same of every pair. Source: docs/robust.md#kinds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from replicadb.arrays import Array, Bools
from replicadb.detection.evidence import BESIDE_CONTENT
from replicadb.settings import CONSTANTS, PAIR_KINDS, Settings
from replicadb.stage_constants import KIND_NUMBERS
from replicadb.store.database import Database
from replicadb.store.quoting import literal

ELSE = "replica"
"""What fits no rule."""
LOOKS_LIKE = {kind: f"like a {kind}" for kind in PAIR_KINDS} | {
    "partial": "like a partial copy",
    "thin": "too thin to judge",
}
"""How a pair looks, in words."""
TOO_FEW = "too little is known of the two, or many hosts have what they share, and names differ"
"""Why a thin pair is not flagged, in words."""


class Bound(NamedTuple):
    """One comparison of a piece of evidence; what is unknown fulfils that alone."""

    piece: str
    sign: str
    """<, >= or UNKNOWN."""
    number: str | None = None
    """Its name among the constants of kinds, which a file of settings may change."""
    times: str | None = None
    """A piece of evidence that the number is multiplied by."""


UNKNOWN = "unknown"
Rule = tuple[tuple[Bound, ...], ...]
"""Holds where of each clause at least one bound does."""

SAME_PLACES = (
    Bound("path_overlap", ">=", "same_places"),
    Bound("tail_overlap", ">=", "same_places"),
)
BESIDE_PLACES = (
    "known_pages",
    "asset_evidence",
    "size_agreement",
    "title_agreement",
    "link_overlap",
    *BESIDE_CONTENT,
)
"""Evidence of which some is known of two hosts that share more than paths, names and addresses."""
SIZES_DIFFER = (Bound("size_agreement", "<", "version_sizes"),)
RULES: tuple[tuple[str, Rule], ...] = (
    (
        "thin",
        (
            (Bound("known_pages", "<", "thin_pages"),),
            (Bound("nmatch", "<", "thin_names"),),
        ),
    ),
    (
        "thin",  # nothing but places is known in common: sites of one software share them
        (
            *((Bound(piece, UNKNOWN),) for piece in BESIDE_PLACES),
            (Bound("nmatch", "<", "thin_names"),),
        ),
    ),
    (
        "thin",  # a few pages that a hundred hosts have: new installations of one software
        (
            (Bound("exclusive_evidence", "<", "common_evidence"),),
            (Bound("containment", ">=", "common_contents"),),
            (Bound("plain_resemblance", "<", "common_share"), Bound("plain_resemblance", UNKNOWN)),
            (Bound("known_pages", "<", "common_pages"),),
            (Bound("nmatch", "<", "thin_names"),),
        ),
    ),
    (
        "translation",  # whatever their titles
        (
            (Bound("containment", "<", "translated_contents"),),
            (Bound("same_language", "<", "translated_language"),),
        ),
    ),
    (
        "translation",
        (
            SAME_PLACES,
            (Bound("containment", "<", "translated_contents"),),
            (Bound("title_agreement", "<", "translated_titles"),),
            (Bound("title_overlap", "<", "translated_title_overlap"),),
        ),
    ),
    (
        "version",
        (
            SAME_PLACES,
            (Bound("containment", "<", "version_contents"),),
            (
                Bound("title_agreement", "<", "version_titles"),
                Bound("title_agreement", UNKNOWN),
            ),
            (
                Bound("title_agreement", "<", "version_titles"),
                Bound("title_overlap", "<", "version_title_overlap"),
            ),
            SIZES_DIFFER,
        ),
    ),
    (
        "version",  # nothing but the places is the same, as far as is known
        (
            SAME_PLACES,
            (Bound("containment", "<", "other_contents"),),
            (Bound("title_agreement", UNKNOWN),),
            (Bound("title_overlap", UNKNOWN),),
            SIZES_DIFFER,
        ),
    ),
    (
        "partial",
        (
            (Bound("containment", ">=", "partial_contents"),),
            (Bound("resemblance", "<", "partial_share", times="containment"),),
        ),
    ),
)
"""The first that holds is the kind."""

PIECES = tuple(
    dict.fromkeys(
        name
        for _, rule in RULES
        for clause in rule
        for bound in clause
        for name in (bound.piece, bound.times)
        if name
    )
)
"""The pieces of evidence that kinds go by."""
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {"<": operator.lt, ">=": operator.ge}


def left_out(settings: Settings) -> list[str]:
    """The kinds of pair that are not flagged; none under a published method, which knows none."""
    if settings.published:
        return []
    return [kind for kind in PAIR_KINDS if kind not in settings.kinds.split(",")]


MACROS = ("kind_of", "may_be")
"""What :func:`put_in_force` makes, in the schema ``internal``."""


def macro() -> str:
    """The statement that makes ``internal.kind_of`` of PIECES. Of a row it would pack all columns
    anew for each comparison, twice the time to plan.
    """
    cases = "\n".join(f"    WHEN {_sql(rule)} THEN {literal(kind)}" for kind, rule in RULES)
    return (
        f"CREATE OR REPLACE MACRO internal.kind_of({', '.join(PIECES)}) AS\nCASE\n{cases}\n"
        f"    ELSE {literal(ELSE)}\nEND"
    )


def pieces(row: str) -> str:
    """What ``internal.kind_of`` takes of a row that has PIECES."""
    return ", ".join(f"{row}.{piece}" for piece in PIECES)


def least() -> str:
    """The statement that makes ``internal.may_be``: a pair has a kind from this probability on, or
    where it is likely enough to be flagged.
    """
    return f"CREATE OR REPLACE MACRO internal.may_be() AS '{CONSTANTS.may_be}'::DOUBLE"


def put_in_force(db: Database) -> None:
    """Make both macros anew, by the numbers that are in force."""
    db.execute(macro())
    db.execute(least())


def _sql(rule: Rule) -> str:
    return " AND ".join(f"({' OR '.join(map(_comparison, clause))})" for clause in rule)


def _comparison(bound: Bound) -> str:
    if bound.number is None:
        return f"{bound.piece} IS NULL"
    number = f"'{getattr(KIND_NUMBERS, bound.number)}'::FLOAT"
    times = f" * {bound.times}" if bound.times else ""
    return f"{bound.piece} {bound.sign} {number}{times}"


def kinds_of(column: Callable[[str], Array], n: int) -> Array:
    """The kinds of n pairs, (n,) places in PAIR_KINDS.

    Args:
        column: gives the (n,) float32 values of a piece of evidence; NaN is unknown.
    """
    values = {name: column(name) for name in PIECES}
    kind = np.full(n, PAIR_KINDS.index(ELSE), np.int8)
    for name, rule in reversed(RULES):
        kind[_holds(rule, values, n)] = PAIR_KINDS.index(name)
    return kind


def _holds(rule: Rule, values: dict[str, Array], n: int) -> Bools:
    holds = np.ones(n, bool)
    for clause in rule:
        holds &= np.logical_or.reduce([_holds_bound(bound, values) for bound in clause])
    return holds


def _holds_bound(bound: Bound, values: dict[str, Array]) -> Bools:
    if bound.number is None:
        return np.isnan(values[bound.piece])
    number = np.float32(getattr(KIND_NUMBERS, bound.number))
    than = number * values[bound.times] if bound.times else number
    found: Bools = _COMPARE[bound.sign](values[bound.piece], than)
    return found
