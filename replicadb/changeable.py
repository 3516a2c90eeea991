"""Settings as frozen dataclasses: fields that carry their unit and source, and changed copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, asdict, field, fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

from replicadb.errors import UsageError
from replicadb.likely_meant import did_you_mean


def setting(default: Any, unit: str, source: str) -> Any:
    """A dataclass field that carries its unit and source."""
    return field(default=default, metadata={"unit": unit, "source": source})


def is_number(value: object) -> bool:
    """Whether it is one; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def plain_number(value: Any) -> Any:
    """A number as Python's own int or float, whatever it was given as, such as NumPy's; anything
    else as it is.
    """
    if not is_number(value):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def several(name: str, given: str | Sequence[str], choices: Sequence[str]) -> str:
    """The names that a setting of several has, each once, in the order of the choices, with
    commas; ``all`` is every one.

    Raises:
        UsageError: a word that is no choice.
    """
    words = list(given) if isinstance(given, list | tuple) else str(given).split(",")
    known = (*choices, "all")
    words = [str(word).strip() for word in words]
    for word in words:
        if word not in known:
            meant = f"{word!r}{did_you_mean(word, known)}"
            raise UsageError(f"{name} cannot be {meant}; choose with commas: {', '.join(known)}")
    return ",".join(choice for choice in choices if {choice, "all"} & set(words))


class Changeable:
    """What a frozen dataclass of settings can do besides holding them."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def with_changes(self, **changes: Any) -> Self:
        """A copy with the given fields replaced; those given as None keep their value.

        Raises:
            UsageError: a name that is no field.
        """
        known = [item.name for item in fields(self)]
        unknown = sorted(set(changes) - set(known))
        if unknown:
            meant = did_you_mean(unknown[0], known)
            raise UsageError(f"no such setting: {', '.join(unknown)}{meant}")
        return replace(self, **{k: v for k, v in changes.items() if v is not None})

    def as_dict(self) -> dict[str, Any]:
        """The values by name."""
        return asdict(self)
