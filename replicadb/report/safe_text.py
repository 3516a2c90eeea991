"""Text for the page: everything escaped, everything odd made visible, numbers as people read them.

Invariant: what comes from a crawl, a file or a person passes through :func:`clean` and then
:func:`esc` before it stands in the page; after clean there is no control character, no lone
surrogate and no mark that turns the direction of writing, so the text is valid in HTML and XML
alike and looks like what it is.
"""

from __future__ import annotations

import html
import math
import re
from typing import Any, TypeGuard

from replicadb.visible_text import visible

NOTHING = "–"
"""Shown for None: not defined, or not measured."""

LONGEST = 300
"""Characters of one piece of foreign text."""


def clean(value: Any, longest: int = LONGEST) -> str:
    """Any value as text that is safe to look at: odd characters as ``\\x00`` or ``\\u202e``, cut to
    ``longest``.
    """
    text = str(value)
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return visible(text.replace("\t", " ").replace("\n", " "))


def esc(value: Any, longest: int = LONGEST) -> str:
    """:func:`clean`, then escaped for HTML text and quoted attributes."""
    return html.escape(clean(value, longest), quote=True)


PIECE = re.compile(r"[^.]{1,24}\.?|\.")
"""Of a host name, between which a line may end; the script has it, too."""


def host_name(value: Any) -> str:
    """A host name as finished HTML: a line that is too short for it ends behind a dot."""
    pieces = PIECE.findall(clean(value))
    return f"<bdi>{'<wbr>'.join(html.escape(piece, quote=True) for piece in pieces)}</bdi>"


def is_number(value: Any) -> TypeGuard[int | float]:
    """A finite number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def count(value: Any) -> str:
    """A whole number with thousands set apart."""
    return f"{value:,.0f}" if is_number(value) else NOTHING


def rate(value: Any, places: int = 4) -> str:
    """A share or an area in [0, 1]; a small one keeps its first digit, and what is not quite 1
    never reads as 1.
    """
    if not is_number(value):
        return NOTHING
    text = f"{value:.{places}f}"
    if value and abs(value) < 0.5 * 10**-places:
        return f"{value:.2g}"
    if value < 1 <= float(text):
        return f"{1 - 10**-places:.{places}f}"
    return text


SURE = 0.99995
"""A probability from here on would read as 1, which none is; the script has it, too."""


def probability(value: Any) -> str:
    """A probability of being replicas, in a table."""
    return "> 0.9999" if is_number(value) and value >= SURE else rate(value)


def percent(value: Any) -> str:
    """A share as per cent, one place; 100% and 0% only when it is exactly that."""
    if not is_number(value):
        return NOTHING
    if 0 < value < 0.001:
        return f"{100 * value:.2g}%"
    return f"{min(100 * value, 99.9) if value < 1 else 100 * value:.1f}%"


def seconds(value: Any) -> str:
    """Seconds, or minutes and hours where there are many."""
    if not is_number(value):
        return NOTHING
    if value < 60:
        return f"{value:.1f} s" if value >= 0.05 else f"{1000 * value:.0f} ms"
    if value < 5400:
        return f"{value / 60:.0f} min"
    return f"{value / 3600:.1f} h"


def cell(value: Any) -> str:
    """A table's cell of unknown kind, not yet escaped."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return rate(value) if abs(value) <= 1 else f"{value:,.2f}"
    return clean(value)


def span(low: int, high: int) -> str:
    """A bin of whole numbers."""
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def plural(n: float, one: str) -> str:
    """``1 pair``, ``2 pairs``."""
    return f"{count(n)} {one if n == 1 else one + 's'}"
