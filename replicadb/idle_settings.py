"""Which settings of a detection belong to one method or cut, and refusing them beside another.

Invariant: a setting of BELONGS that was given beside another method or cut is an error that says
which it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from replicadb.errors import UsageError
from replicadb.settings import CHOICES, Settings

PUBLISHED = ("paper", "thesis")
BELONGS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    **dict.fromkeys(
        (
            "evidence",
            "kinds",
            "max_wrong",
            "min_probability",
            "files_probability",
            "prior_strength",
        ),
        (("method", ("robust",)),),
    ),
    **dict.fromkeys(
        (
            "discretise",
            "cut",
            "schedule",
            "aggregate",
            "min_support",
            "negatives",
            "max_negatives",
            "seed",
            "first",
        ),
        (("method", PUBLISHED),),
    ),
    "alpha": (("method", PUBLISHED), ("cut", ("global",))),
}
"""Settings that do something only beside these others."""


def refuse_idle(given: Mapping[str, Any], spelled: Callable[[str], str] = str) -> None:
    """Refuse settings that would do nothing beside the others, rather than pass over them.

    Args:
        given: the settings; None is not given.
        spelled: how to write a setting's name for the person who gave it.

    Raises:
        UsageError: one of them belongs to another method or cut (BELONGS).
    """
    for name in (name for name, value in given.items() if value is not None):
        for key, wanted in BELONGS.get(name, ()):
            actual = given.get(key) or getattr(Settings, key)
            if actual in CHOICES[key] and actual not in wanted:
                raise UsageError(
                    f"{spelled(name)} belongs to {key} {' or '.join(wanted)} and does nothing with"
                    f" {key} {actual}; leave it out, or choose {spelled(key)} {wanted[0]}"
                )
