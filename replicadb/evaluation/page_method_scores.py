"""Scores of given pairs of pages by every page method, whatever its thresholds: what a
precision/recall curve is drawn from.

Invariant: a higher score is more alike; NaN = a page has nothing that the method compares;
the pairs that a method's ``find`` would keep are those whose score reaches its
:attr:`Scored.threshold`, bit for bit, except minhash's bands, which may lose some.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from replicadb.arrays import Bools, Floats, Ints
from replicadb.near_duplicates import (
    hyperlink_map,
    minhash,
    mwo,
    mwo_vectors,
    random_projection,
    signature_join,
    simhash,
)
from replicadb.near_duplicates.exact import DIGESTS
from replicadb.near_duplicates.loaded_contents import stage_texts
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.shingles import Shingler
from replicadb.near_duplicates.term_vectors import build_vectors
from replicadb.store.database import Database


class Scored(NamedTuple):
    """Scores of pairs, and from which one on the method takes a pair for near duplicates."""

    score: Floats
    """(n,) float64; NaN = not comparable."""
    threshold: float


def exact(level: str) -> Callable[..., Scored]:
    """1 where the digests of a level are equal, else 0."""

    def scores(db: Database, options: PageOptions, a: Ints, b: Ints) -> Scored:
        stage_texts(db)
        digests = db.arrays(
            f"SELECT url_id, {DIGESTS[level]} AS digest FROM compared_texts"
            " SEMI JOIN page_urls USING (url_id) ORDER BY url_id"
        )
        known = {None: -1} | {
            digest: i
            for i, digest in enumerate(sorted({d for d in digests["digest"] if d is not None}))
        }
        codes = np.array([known[d] for d in digests["digest"]], np.int64)
        return Scored(
            _of_pairs(
                digests["url_id"],
                a,
                b,
                lambda x, y: ((codes[x] == codes[y]) & (codes[x] >= 0)).astype(float),
            ),
            1.0,
        )

    return scores


def by_simhash(db: Database, options: PageOptions, a: Ints, b: Ints) -> Scored:
    """1 - bits that differ / 64."""
    build_vectors(db, options, weighted=True)
    simhash.write_signatures(db)
    found = db.arrays("SELECT url_id, key FROM page_keys ORDER BY url_id")
    keys = found["key"].astype(np.uint64)
    score = _of_pairs(
        found["url_id"], a, b, lambda x, y: 1 - np.bitwise_count(keys[x] ^ keys[y]) / simhash.BITS
    )
    return Scored(score, 1 - options.bits / simhash.BITS)


def by_minhash(db: Database, options: PageOptions, a: Ints, b: Ints) -> Scored:
    """The estimated Jaccard coefficient."""
    urls, signatures = minhash.page_signatures(db, Shingler(options), options.permutations)
    score = _of_pairs(urls, a, b, lambda x, y: (signatures[x] == signatures[y]).mean(axis=1))
    return Scored(score, minhash.THRESHOLD if options.threshold is None else options.threshold)


def by_projection(db: Database, options: PageOptions, a: Ints, b: Ints) -> Scored:
    """1 - the largest difference of RP."""
    found = random_projection.signatures(db, options)
    score = _of_pairs(
        found.url_ids, a, b, lambda x, y: 1 - signature_join.largest_difference(found.points, x, y)
    )
    return Scored(score, 1 - options.eps_rp)


def by_hyperlinks(db: Database, options: PageOptions, a: Ints, b: Ints) -> Scored:
    """1 - eps_rp * the larger of (difference of RP / eps_rp) and, where both pages have links,
    (difference of HM / eps_hm): both thresholds move together.
    """
    near, further = hyperlink_distances(db, options, a, b)
    further = further * (options.eps_rp / max(options.eps_hm, 1e-12))
    return Scored(1 - np.maximum(near, further), 1 - options.eps_rp)


def hyperlink_distances(
    db: Database, options: PageOptions, a: Ints, b: Ints
) -> tuple[Floats, Floats]:
    """The largest differences of RP and of HM, (n,) each; the latter 0 unless both pages link to
    known ones, both NaN where a page has no terms.
    """
    found = random_projection.signatures(db, options)
    maps, linked = hyperlink_map.hyperlink_maps(
        found.points, *hyperlink_map.known_links(db, found.url_ids), options.damping, options.rounds
    )

    def further(x: Ints, y: Ints) -> Floats:
        apart = signature_join.largest_difference(maps, x, y)
        return np.where(linked[x] & linked[y], apart, 0.0)

    def near(x: Ints, y: Ints) -> Floats:
        return signature_join.largest_difference(found.points, x, y)

    both = (_of_pairs(found.url_ids, a, b, of) for of in (near, further))
    return next(both), next(both)


def by_overlap(db: Database, options: PageOptions, a: Ints, b: Ints) -> Scored:
    """The largest t at which mwo finds the pair: its MWO, or, but for ``exact``, how far the
    filters keep it where that is less.
    """
    build_vectors(db, options, once=True)
    vectors, _ = mwo.read_vectors(db, options)
    order = np.argsort(vectors.ids)

    def score(x: Ints, y: Ints) -> Floats:
        x, y = order[x], order[y]
        found = mwo_vectors.overlaps(vectors, x, y)
        return found if options.exact else np.minimum(found, mwo_vectors.reaches(vectors, x, y))

    return Scored(
        _of_pairs(vectors.ids[order], a, b, score),
        mwo.THRESHOLD if options.threshold is None else options.threshold,
    )


class Filtered(NamedTuple):
    """MWO of pairs, and which of them the paper's filters keep."""

    score: Floats
    """(n,) float64; NaN = not comparable."""
    prefix: Bools
    positional: Bools


def overlap_and_filters(db: Database, options: PageOptions, a: Ints, b: Ints) -> Filtered:
    """MWO, whatever the filters say, and what they say (Das et al. 2012, Eq. 1 to 3)."""
    build_vectors(db, options, once=True)
    vectors, _ = mwo.read_vectors(db, options)
    order = np.argsort(vectors.ids)
    t = round((options.threshold or 0.0) * mwo_vectors.MILLION)

    def of(value: Callable[[Ints, Ints], Floats]) -> Floats:
        return _of_pairs(vectors.ids[order], a, b, lambda x, y: value(order[x], order[y]))

    def prefix(x: Ints, y: Ints) -> Floats:
        left, sizes = mwo_vectors.from_foremost(vectors, x, y), vectors.sizes[np.stack([x, y])]
        inside = (left >= t * sizes // mwo_vectors.MILLION) & (left > 0)
        kept: Floats = inside.all(axis=0).astype(float)
        return kept

    reach = of(lambda x, y: mwo_vectors.reaches(vectors, x, y))
    share = t / mwo_vectors.MILLION
    positional = (reach >= share - 1e-12) & (reach > 0)
    score = of(lambda x, y: mwo_vectors.overlaps(vectors, x, y))
    return Filtered(score, of(prefix) == 1, positional)


METHODS: dict[str, tuple[Callable[..., Scored], str, dict[str, Any]]] = {
    "exact (raw)": (exact("raw"), "exact", {"level": "raw"}),
    "exact (text)": (exact("text"), "exact", {"level": "text"}),
    "exact (normalised)": (exact("normalised"), "exact", {"level": "normalised"}),
    "simhash": (by_simhash, "simhash", {}),
    "minhash": (by_minhash, "minhash", {}),
    "rp": (by_projection, "rp", {}),
    "rp+hm": (by_hyperlinks, "rp+hm", {}),
    "mwo": (by_overlap, "mwo", {}),
    "mwo --exact": (by_overlap, "mwo", {"exact": True}),
}
"""Name in the tables: how to score pairs, the method of ``replicadb fingerprint``, and
its options.
"""


def _of_pairs(
    ids: Ints,
    a: Ints,
    b: Ints,
    score: Callable[[Ints, Ints], Floats],
) -> Floats:
    """Scores of pairs of url_ids by a function of places in ``ids`` (rising); NaN where either is
    not there.
    """
    found = np.full(len(a), np.nan)
    if not len(ids):
        return found
    x, y = (np.minimum(np.searchsorted(ids, side), len(ids) - 1) for side in (a, b))
    both = (ids[x] == a) & (ids[y] == b)
    if both.any():
        found[both] = score(x[both], y[both])
    return found
