"""What a classifier asks for and pairs may not have: signals of rendered pages, and of the text
around a query.

Always true here: only signals that its rules and tree look at count; a pair of pages that are not
known is not counted.
"""

from __future__ import annotations

import numpy as np

KINDS = {
    "rendered pages": (
        "rendered_",
        "render them first: replicadb pages render DB WARC, or train with --groups F",
    ),
    "the text around a query": (
        "snippet_mcd",
        "name each pair's query in a column query, or train without FS and RS",
    ),
}
"""What is lacking: a part of its signals' names, and what to do."""


def lacking(
    asked: tuple[str, ...], found: dict[str, np.ndarray], known: np.ndarray
) -> dict[str, int]:
    """How many of the known pairs have no signal of a kind that is asked for; kinds that none lacks
    left out.

    Args:
        asked: signals that a classifier looks at.
        found: signal to (n,) float64, NaN where not known.
        known: (n,) bool, pairs that are judged.
    """
    counts = {}
    for kind, (part, _) in KINDS.items():
        if any(part in name for name in asked):
            values = [np.isnan(values) for name, values in found.items() if part in name]
            counts[kind] = int((np.all(values, axis=0) & known).sum())
    return {kind: n for kind, n in counts.items() if n}
