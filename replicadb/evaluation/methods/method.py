"""What a method of an evaluation is, and what it gives: scores, its own decision, its folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.evaluation.context import Context

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

    scores: Floats
    """(n,) higher is more likely a replica; only the order counts."""
    flagged: Bools | None = None
    """(n,) the method's own decision, where it makes one."""
    by_fold: Callable[[], Floats] | None = None
    """(n,) each pair scored by what was learned without its fold; learned when called.
    Raises NotHere where it cannot be.
    """
    fold_of: Ints | None = None
    """(n,) those folds; None is ``Context.pair_fold``."""
    note: str | None = None
    """What a reader should know of this run."""
    probability: Floats | None = None
    """(n,) of being a replica, where the method says."""


class NotHere(Exception):
    """The method cannot run on this data or machine; the text says why in one line."""


def out_of_fold(context: Context, score: Callable[[int], Floats]) -> Callable[[], Floats] | None:
    """``Scored.by_fold`` on the folds of pairs; ``score(fold)``: (n,) scores learned without it.
    None where there is one fold.
    """

    def gathered() -> Floats:
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
    """A value of GROUPS."""
    run: Callable[[Context], Scored]
    """Raises NotHere where it cannot run."""
    needs_gold: bool = False
    """It learns from the gold: a ceiling, not a competitor."""
