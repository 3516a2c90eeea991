"""Numbers of things in words: ``1 pair``, ``2 pairs``.

Invariant: one is singular, all else plural; thousands are set apart.
"""

from __future__ import annotations


def counted(n: float, one: str, more: str | None = None) -> str:
    """A number and what it counts.

    Args:
        one: the singular. more: the plural; None: the singular and an s.
    """
    return f"{n:,} {one if n == 1 else more or one + 's'}"
