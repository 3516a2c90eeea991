"""Range search in the maximum norm: all pairs of points that differ by at most eps in every
component, through boxes of neighbours.

Invariant: no pair is lost, and few that differ by a hair more come along; the same points
give the same pairs in the same order. Points are packed into leaves by halving at the median of the
widest component (Bentley 1975), each with its bounding box over *all* components, as in an R-tree
(Guttman 1984), which the seed paper on random projection names. A k-d tree alone prunes by its
split planes only: of 32 components 17 are never split at 100,000 points, and where eps is half the
spread of a component, searching it takes minutes. Complexity: O(n log n) to pack, O(leaves^2 * m)
for boxes, and the points and pairs that boxes leave; memory O(n * m) and a block.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from replicadb.arrays import Float32s, Floats, Ints

Pairs = tuple[Ints, Ints]
"""Places of points, (n,) and (n,)."""

LEAF = 128  # points of a leaf at most
BLOCK = 500_000  # pairs given out together, about
ROWS = 1 << 14  # points compared with a leaf at a time
TIGHTEST = 12  # components in which a leaf is smallest: they rule out most other points


def neighbours(points: Floats, eps: float) -> Iterator[Pairs]:
    """Blocks of pairs (a, b), a < b, each pair once.

    Args:
        points: (n, m) float64, different from each other or not.
        eps: the largest difference in a component; rounding may let pairs through that differ by a
            millionth more.
    """
    if len(points) < 2:
        return
    order, starts = leaves(points)
    packed = points[order].astype(np.float32)
    reach = np.float32(eps * (1 + 1e-5) + 1e-6)  # float32 rounds points in 0 to 1 by 6e-8 at most
    low, high = np.minimum.reduceat(packed, starts), np.maximum.reduceat(packed, starts)
    ends = np.append(starts[1:], len(points))
    waiting: list[Pairs] = []
    for leaf in range(len(starts)):
        for a, b in _pairs_of_leaf(packed, starts, ends, low, high, leaf, reach):
            x, y = order[a], order[b]
            waiting.append((np.minimum(x, y), np.maximum(x, y)))
            if sum(len(a) for a, _ in waiting) >= BLOCK:
                yield _together(waiting)
                waiting = []
    if waiting:
        yield _together(waiting)


def _together(blocks: list[Pairs]) -> Pairs:
    return np.concatenate([a for a, _ in blocks]), np.concatenate([b for _, b in blocks])


def leaves(points: Floats) -> tuple[Ints, Ints]:
    """Points put together: their order (n,), and where each leaf begins in it. O(n log n)."""
    order = np.arange(len(points))
    large, starts = [(0, len(points))], []
    while large:
        begin, end = large.pop()
        if end - begin <= LEAF:
            starts.append(begin)
            continue
        rows = points[order[begin:end]]
        widest = int(np.argmax(rows.max(axis=0) - rows.min(axis=0)))
        half = (end - begin) // 2
        order[begin:end] = order[begin:end][np.argsort(rows[:, widest], kind="stable")]
        large += [(begin, begin + half), (begin + half, end)]
    return order, np.sort(np.array(starts))


def _pairs_of_leaf(
    packed: Float32s,
    starts: Ints,
    ends: Ints,
    low: Float32s,
    high: Float32s,
    leaf: int,
    reach: np.float32,
) -> Iterator[Pairs]:
    """Pairs of a leaf's points with points behind them in the order, as places in it."""
    begin, end = int(starts[leaf]), int(ends[leaf])
    near = leaf + np.flatnonzero(
        ((low[leaf:] - high[leaf] <= reach) & (low[leaf] - high[leaf:] <= reach)).all(axis=1)
    )
    spread = high[leaf] - low[leaf]
    by_spread = np.argsort(spread, kind="stable")
    tight = by_spread[:TIGHTEST]
    below, above = low[leaf] - reach, high[leaf] + reach
    sizes = ends[near] - starts[near]
    parts = np.split(near, np.flatnonzero(np.diff(np.cumsum(sizes) // ROWS)) + 1)
    for some in parts:
        places = np.concatenate([np.arange(starts[j], ends[j]) for j in some.tolist()])
        for component in tight.tolist():
            column = packed[places, component]
            places = places[(column >= below[component]) & (column <= above[component])]
        if len(places):
            yield _within(packed, begin, end, places, by_spread[::-1], reach)


def _within(
    packed: Float32s, begin: int, end: int, places: Ints, components: Ints, reach: np.float32
) -> Pairs:
    """Pairs (a, b) of places begin ... end - 1 and ``places``, a < b, within reach: two components
    for all pairs at once, the others for those left.
    """
    dense = components[:2].tolist()
    hit = places[None, :] > np.arange(begin, end)[:, None]
    for component in dense:
        hit &= (
            np.abs(packed[begin:end, component][:, None] - packed[places, component][None, :])
            <= reach
        )
    a, b = np.nonzero(hit)
    a, b = a + begin, places[b]
    for component in components[2:].tolist():
        if not len(a):
            break
        keep = np.abs(packed[a, component] - packed[b, component]) <= reach
        a, b = a[keep], b[keep]
    return a, b
