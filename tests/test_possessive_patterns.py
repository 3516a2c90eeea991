"""Groups that a pattern repeats possessively are atomic. Before 3.11.5 Python goes on from where
such a group failed and not from its beginning (its issue 106052): "12." was read as "12.", and tags
kept all of their attributes.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import replicadb

SIMPLE = ("ANY", "ATOMIC_GROUP", "CATEGORY", "IN", "LITERAL", "NOT_LITERAL")


def torn(pattern: str | bytes, flags: int) -> list[str]:
    """What is repeated possessively and may be left in its midst."""
    parsed = re._parser.parse(pattern, flags & ~re.UNICODE if isinstance(pattern, bytes) else flags)
    return [
        str(inside[0][0])
        for op, (_, _, inside) in repeats(parsed)
        if str(op) == "POSSESSIVE_REPEAT" and (len(inside) > 1 or str(inside[0][0]) not in SIMPLE)
    ]


def repeats(parsed) -> Iterator[tuple]:
    for part in parsed:
        if isinstance(part, tuple) and len(part) == 2 and str(part[0]).endswith("_REPEAT"):
            yield part
        if isinstance(part, (tuple, list, re._parser.SubPattern)):
            yield from repeats(part)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("(?:a+b)*+", 1), ("x(?:a|bc)?+", 1), ("(?>a+b)*+", 0), ("(?:a+b)*", 0), (r"\d*+[^<]++", 0)],
)
def test_such_groups_are_found(pattern, found):
    assert len(torn(pattern, 0)) == found


def test_none_is_in_the_package():
    seen = 0
    for module in pkgutil.walk_packages(replicadb.__path__, "replicadb."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                seen += 1
                assert not torn(value.pattern, value.flags), f"{module.name}.{name}"
    assert seen > 100
