"""Random draws that are functions of what they are drawn for.

Invariant: nothing depends on the order of evaluation or the number of threads. A page's
attributes are hashes of (space, index), so every copy of a page, on whatever host, gets the same
ones without a look-up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicadb.arrays import Array, Floats, Ints, Values, Whole

Hashes = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HEX = np.array([f"{byte:02x}" for byte in range(256)], dtype="S2")


def mix(*parts: Values) -> Hashes:
    """Hash integers to 64 bits, element by element (splitmix64's finaliser after each part).

    Args:
        parts: integers or integer arrays that broadcast to one shape (n,).

    Returns:
        (n,) uint64.
    """
    h: Hashes = np.atleast_1d(np.uint64(0x243F6A8885A308D3))
    for part in parts:
        h = (h ^ np.asarray(part).astype(np.uint64)) + _GOLDEN
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return h


def unit(h: Hashes) -> Floats:
    """Hashes as float64 uniform in [0, 1)."""
    return (h >> np.uint64(11)).astype(np.float64) * 2.0**-53


def pick(h: Hashes, n: int | Whole) -> Ints:
    """Hashes as int64 uniform in 0 ... n - 1 (n a number or an array)."""
    drawn: Ints = (unit(h) * n).astype(np.int64)
    return drawn


def within(count: Ints) -> Ints:
    """0 ... c - 1 for each count c, joined."""
    place: Ints = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return place


def hex40(h: Hashes) -> Array:
    """Hashes (n,) as 40 hex digits, (n,) S40, as a SHA-1 looks."""
    words = np.stack([mix(h, 1), mix(h, 2), mix(h, 3)], axis=1)
    octets = words.astype(">u8").view(np.uint8).reshape(len(h), 24)[:, :20]
    return _HEX[octets].view("S40").reshape(len(h))


def group_sizes(
    rng: np.random.Generator, budget: int, low: int, high: int, alpha: float = 0.0
) -> Ints:
    """Group sizes that together use a budget, from a power law cut to [low, high].

    Args:
        budget: members to give out; the sum of the sizes is at most this.
        alpha: exponent, density of g as g^-(1 + alpha); 0 is log-uniform, larger is more small
            groups.

    Returns:
        (groups,) int64.
    """
    high = max(low, high)
    if budget < low:
        return np.zeros(0, np.int64)
    u = rng.random(budget // low + 1)
    if alpha == 0.0:
        drawn: Floats = low * ((high + 1) / low) ** u
    else:
        drawn = (low**-alpha - u * (low**-alpha - (high + 1.0) ** -alpha)) ** (-1 / alpha)
    sizes: Ints = np.clip(drawn.astype(np.int64), low, high)
    whole = int((np.cumsum(sizes) <= budget).sum())
    left = budget - int(sizes[:whole].sum())
    return np.append(sizes[:whole], left) if low <= left <= high else sizes[:whole]


def assign_groups(rng: np.random.Generator, members: Ints, sizes: Ints, n: int) -> Ints:
    """Give shuffled members to groups of the given sizes.

    Returns:
        (n,) int64, the group of each of 0 ... n - 1; -1 for none.
    """
    group = np.full(n, -1, np.int64)
    order = rng.permutation(members)[: sizes.sum()]
    group[order] = np.repeat(np.arange(len(sizes)), sizes)[: len(order)]
    return group
