"""The methods that an evaluation compares: each one function from the context to a score per
candidate.

Invariant: a method reads the context and leaves the database as it is; one that needs the
gold to learn from says so (``needs_gold``) and scores each pair by what was learned from other
groups of replicas.
"""

from __future__ import annotations

from replicadb.errors import UsageError
from replicadb.evaluation.methods import (
    baseline_rankings,
    bharat,
    carvalho,
    ceilings,
    robust_ranking,
)
from replicadb.evaluation.methods.method import GROUPS, Method
from replicadb.likely_meant import did_you_mean


def registry() -> dict[str, Method]:
    """Every method by name, in the order in which they are shown."""
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
            f"no method {', '.join(unknown)}{did_you_mean(unknown[0], [*known, *GROUPS])}; choose"
            f" from: {', '.join([*known, *GROUPS])}"
        )
    families = {GROUPS[name] for name in names if name in GROUPS}
    return [
        method for method in known.values() if method.name in names or method.family in families
    ]
