"""Numbers of things in words: ``1 pair``, ``2 pairs``, ``a.warc and 2 more``.

Invariant: one is singular, all else plural; thousands are set apart.
"""

from __future__ import annotations

from collections.abc import Sequence


def counted(n: float, one: str, more: str | None = None) -> str:
    """A number and what it counts.

    Args:
        one: the singular. more: the plural; None: the singular and an s.
    """
    return f"{n:,} {one if n == 1 else more or one + 's'}"


def and_more(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - 1
    return f"{names[0]} and {more:,} more" if more else names[0]


def few(names: Sequence[str], most: int = 3) -> str:
    """The first of many names, and how many more there are: ``a, b, c and 5 more``."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
