"""The methods that an evaluation compares: each one function from the context to a score per
candidate.

Always true here: a method reads the context and leaves the database as it is; one that needs the
gold to learn from says so (``needs_gold``) and scores each pair by what was learned from other
groups of replicas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicadb.errors import UsageError
from replicadb.evaluation.context import Context

FAMILIES = ("ours", "paper", "baseline", "single", "left-out", "ceiling")
GROUPS = {
    "ours": "ours",
    "published": "paper",
    "baselines": "baseline",
    "singles": "single",
    "left-out": "left-out",
    "ceilings": "ceiling",
}
"""What a user may call all methods of a family (``paper`` is a method)."""


@dataclass(frozen=True)
class Scored:
    """What a method says of the candidates."""

    scores: np.ndarray
    """(n,) floats, higher is more likely a replica; only the order counts."""
    flagged: np.ndarray | None = None
    """(n,) bool, the method's own decision, where it makes one."""
    by_fold: Callable[[], np.ndarray] | None = None
    """(n,) floats: each pair scored by what was learned without its fold; learned when asked for.
    Raises NotHere where it cannot be.
    """
    fold_of: np.ndarray | None = None
    """(n,) ints, those folds; None is ``Context.pair_fold``."""
    note: str | None = None
    """What a reader should know of this run."""


class NotHere(Exception):
    """The method cannot run on this data or machine; the text says why in one line."""


def out_of_fold(
    context: Context, score: Callable[[int], np.ndarray]
) -> Callable[[], np.ndarray] | None:
    """``Scored.by_fold`` on the folds of pairs; ``score(fold)``: (n,) scores learned without it.
    None where there is one fold.
    """

    def gathered() -> np.ndarray:
        found = np.empty(context.n)
        for fold in range(context.n_folds):
            inside = context.pair_fold == fold
            found[inside] = score(fold)[inside]
        return found

    return gathered if context.n_folds > 1 else None


@dataclass(frozen=True)
class Method:
    """One entry of the registry."""

    name: str
    title: str
    """For people."""
    family: str
    """One of FAMILIES."""
    run: Callable[[Context], Scored]
    """Raises NotHere where it cannot run."""
    needs_gold: bool = False
    """It learns from the gold: a ceiling, not a competitor."""


def registry() -> dict[str, Method]:
    """Every method by name, in the order in which they are shown."""
    from replicadb.evaluation.methods import (
        baseline_rankings,
        bharat,
        carvalho,
        ceilings,
        robust_ranking,
    )

    parts = (robust_ranking, carvalho, baseline_rankings, bharat, ceilings)
    return {method.name: method for part in parts for method in part.METHODS}


def catalogue() -> list[tuple[str, str, str]]:
    """Name, group (of GROUPS) and title of every method, in the order in which they are shown."""
    group = {family: name for name, family in GROUPS.items()}
    return [(method.name, group[method.family], method.title) for method in registry().values()]


def chosen(names: list[str] | None) -> list[Method]:
    """The methods of these names in the registry's order; None is all. A group's name (GROUPS)
    stands for all of its methods.

    Raises:
        UsageError: an unknown name, or none at all.
    """
    known = registry()
    if names is None:
        return list(known.values())
    if not names:
        raise UsageError(
            "--methods names no method; leave it out for all, or choose from:"
            f" {', '.join([*known, *GROUPS])}"
        )
    unknown = [name for name in names if name not in known and name not in GROUPS]
    if unknown:
        raise UsageError(
            f"no method {', '.join(unknown)}; choose from: {', '.join([*known, *GROUPS])}"
        )
    families = {GROUPS[name] for name in names if name in GROUPS}
    return [
        method for method in known.values() if method.name in names or method.family in families
    ]
