"""Intervals of shares, also of few."""

from __future__ import annotations

import numpy as np

Z, DIGITS = 1.959964, 7
"""Of the normal distribution, two-sided 95 %; digits of the bounds."""


def wilson(hits: float, of: float) -> list[float]:
    """The 95 % interval of a share (Wilson 1927); the whole of 0 to 1 where nothing was seen."""
    if not of:
        return [0.0, 1.0]
    share, width = hits / of, Z**2 / of
    middle = (share + width / 2) / (1 + width)
    half = Z / (1 + width) * np.sqrt(share * (1 - share) / of + width / (4 * of))
    return [round(float(np.clip(middle + side * half, 0, 1)), DIGITS) for side in (-1, 1)]
