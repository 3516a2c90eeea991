"""Similarity hashes: 64 bits a page from its weighted terms, and all pairs of pages at most k bits
apart.

Invariant: a signature depends on the page's own terms and weights alone, so those of two
databases compare; sums are whole numbers, bit i is 1 when the terms whose hash has bit i weigh more
than the others, and 0 on a tie. Pages without terms have no signature. Sources: Charikar,
"Similarity estimation techniques from rounding algorithms" (STOC 2002), section 3; Manku, Jain and
Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007), section 3. Departure: blocks are
masked, not permuted to the front, since SQL joins by hash. SQL:
near_duplicates/10_term_vectors, 20_pair_expansion, 30_simhash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from replicadb.arrays import Ints, Whole
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.pair_expansion import MATCHES, SIGNATURES, refuse_above, write_pairs
from replicadb.near_duplicates.term_vectors import build_vectors
from replicadb.store.arrow import batches, insert_arrow, reader_of
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.under_way import each
from replicadb.web.digests import Hashes

if TYPE_CHECKING:
    from replicadb.near_duplicates.query_page import QueryPage

BITS = 64
ROWS = 1 << 17
"""Rows of (page, term) at a time: 64 numbers each, so 64 MB."""

MOST_CANDIDATES = 20_000_000_000
"""Pairs of signatures to verify before the work is refused: minutes on one core."""

FEWER = "lower --bits, or raise --max-pairs"


def find(db: Database, options: PageOptions, query: QueryPage | None = None) -> dict[str, Any]:
    """Write the pairs of pages at most ``options.bits`` bits apart into the temporary table
    ``found`` (a_id, b_id, score = 1 - bits / 64).

    Args:
        options: bits, and stop_words and stem for the terms.
        query: a page from outside; then only its pairs, a_id = -1.

    Returns:
        pages, keys (distinct signatures), stars, pairs_not_written and pairs as
        :func:`pair_expansion.write_pairs`; blocks, choices (of agreeing blocks) and candidates
        (pairs of signatures verified). With ``query``: pages and pairs.

    Raises:
        LimitError: more pairs than max_pairs. UsageError: stop words or a language that cannot be
            used.

    Complexity: O(rows of page_terms) for signatures; O(choices * keys + candidates) for pairs,
        exact for every k.
    """
    build_vectors(
        db, options, weighted=True, query=query.content.terms if query is not None else None
    )
    pages = write_signatures(db)
    if query is not None:
        db.run("near_duplicates/30_simhash", {"bits": options.bits}, only="query_found")
        own = db.value("SELECT count(*) FROM page_keys WHERE url_id = -1")
        return {"pages": pages - own, "pairs": db.value("SELECT count(*) FROM found")}
    work = near_signatures(db, options.bits, options.max_pairs)
    return write_pairs(db, options.max_pairs, FEWER) | work


def write_signatures(db: Database) -> int:
    """Make the temporary table ``page_keys`` (url_id, key) of ``term_weights`` (url_id, term_id,
    weight); returns how many pages have one.

    Memory: a batch of ROWS rows, and 16 bytes a page; the sort of the rows is DuckDB's, which
        spills.
    """
    for statement in ("term_hashes", "page_keys"):
        db.run("near_duplicates/30_simhash", only=statement)
    urls: list[Ints] = []
    keys: list[Hashes] = []
    left = _Sums.none()
    rows = db.con.sql(
        "SELECT url_id, hash, weight FROM term_weights JOIN term_hashes USING (term_id) ORDER BY"
        " url_id"
    )
    for batch in batches(reader_of(rows, ROWS)):
        sums = left.then(_Sums.of(*(column.to_numpy() for column in batch.columns)))
        done, left = sums.split()
        urls.append(done.url)
        keys.append(done.signatures())
    urls.append(left.url)
    keys.append(left.signatures())
    insert_arrow(db, "page_keys", {"url_id": np.concatenate(urls), "key": np.concatenate(keys)})
    return sum(map(len, urls))


class _Sums:
    """Sums of some pages: url (n,) int64 rising, ones (n, 64) int64 = weight of the terms whose
    hash has the bit, total (n,) int64.
    """

    def __init__(self, url: Ints, ones: Ints, total: Ints) -> None:
        self.url, self.ones, self.total = url, ones, total

    @classmethod
    def none(cls) -> _Sums:
        return cls(np.empty(0, np.int64), np.empty((0, BITS), np.int64), np.empty(0, np.int64))

    @classmethod
    def of(cls, url: Ints, hashes: Hashes, weight: Ints) -> _Sums:
        """The sums of rows (page, hash of a term, weight), in the order of pages."""
        first = np.flatnonzero(np.concatenate([[True], url[1:] != url[:-1]]))
        bits = np.unpackbits(
            hashes.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
        )
        fits = weight.sum(dtype=np.int64) < 2**31
        narrow: Whole = weight.astype(np.int32 if fits else np.int64)  # half the memory to move
        ones = np.add.reduceat(bits * narrow[:, None], first, axis=0, dtype=narrow.dtype)
        return cls(
            url[first], ones.astype(np.int64), np.add.reduceat(weight.astype(np.int64), first)
        )

    def then(self, more: _Sums) -> _Sums:
        """These and more; a page that ends here and goes on there is one page."""
        if len(self.url) and self.url[-1] == more.url[0]:
            more.ones[0] += self.ones[-1]
            more.total[0] += self.total[-1]
            return _Sums(self.url[:-1], self.ones[:-1], self.total[:-1]).then(more)
        return _Sums(
            np.concatenate([self.url, more.url]),
            np.concatenate([self.ones, more.ones]),
            np.concatenate([self.total, more.total]),
        )

    def split(self) -> tuple[_Sums, _Sums]:
        """All pages but the last, which may go on, and the last."""
        return (
            _Sums(self.url[:-1], self.ones[:-1], self.total[:-1]),
            _Sums(self.url[-1:], self.ones[-1:], self.total[-1:]),
        )

    def signatures(self) -> Hashes:
        """(n,) uint64, bit i = whether the ones outweigh the zeros."""
        bits = 2 * self.ones > self.total[:, None]
        return (
            np.packbits(bits, axis=1, bitorder="little").view("<u8").reshape(-1).astype(np.uint64)
        )


def simhash_of(terms: Mapping[str, int]) -> int:
    """The signature of one page, as :func:`find` makes it.

    Args:
        terms: weight of each term, a whole number above 0, in any unit (find: doubled field
            weights).

    Returns:
        64 bits; 0 for no terms, which find does not compare.
    """
    if not terms:
        return 0
    hashes = np.frombuffer(
        b"".join(hashlib.md5(term.encode(), usedforsecurity=False).digest()[8:] for term in terms),
        "<u8",
    )
    return int(
        _Sums.of(
            np.zeros(len(terms), np.int64),
            hashes,
            np.fromiter(terms.values(), np.int64, len(terms)),
        ).signatures()[0]
    )


def near_signatures(db: Database, bits: int, max_pairs: int = 0) -> dict[str, int]:
    """Write ``near_keys`` (a_key, b_key, score): the pairs of unequal signatures of ``page_keys``
    at most ``bits`` apart, each once.

    Raises:
        LimitError: more than max_pairs, or more candidates than MOST_CANDIDATES.
    """
    for statement in ("near_keys", "distinct_keys"):
        db.run("near_duplicates/30_simhash", only=statement)
    candidates, most = 0, max_pairs or MOST_CANDIDATES
    blocks, chosen = 0, []  # no bit may differ: equal pages are found as such
    if bits:
        query = statements("near_duplicates/30_simhash")["sample"]
        sample = db.arrays(query, {"sample": SAMPLE})
        blocks = blocks_for(sample["key"], bits, db.value("SELECT count(*) FROM distinct_keys"))
        chosen = choices(blocks, blocks - bits)
    for mask, lower in each("pairs", chosen, "tables"):
        db.run("near_duplicates/30_simhash", {"mask": mask}, only="candidates")
        candidates += db.value("SELECT n FROM candidates")
        refuse_above(candidates, MOST_CANDIDATES, SIGNATURES, "lower --bits")
        written = db.value("SELECT count(*) FROM near_keys")
        db.run(
            "near_duplicates/30_simhash",
            {"mask": mask, "lower": lower, "bits": bits, "most": most + 1 - written},
            only="near",
        )
        refuse_above(db.value("SELECT count(*) FROM near_keys"), most, MATCHES, FEWER)
    return {"blocks": blocks, "choices": len(chosen), "candidates": candidates}


def blocks_for(keys: Hashes, bits: int, signatures: int) -> int:
    """How many blocks to cut 64 bits into: those with the least work, C(b, b - k) passes over the
    signatures and the candidates of each.

    Signatures of real pages are far from random (frequent words weigh alike on every page), so
    candidates are counted in a sample, in some of the choices. Few blocks for few pages: k + 1 is
    the plain pigeonhole. The pairs found do not depend on it.

    Args:
        keys: (s,) uint64, a sample of the distinct signatures; signatures: how many there are;
            bits: k, 1 to 8.
    """

    def work(blocks: int) -> float:
        passes = comb(blocks, bits)
        tried = [
            choice
            for i, choice in enumerate(choices(blocks, blocks - bits))
            if i % -(-passes // TRIED) == 0
        ]
        alike = sum(_pairs_alike(keys & np.uint64(mask)) for mask, _ in tried) / len(tried)
        return passes * (
            PASS * signatures + STATEMENT + alike * (signatures / max(len(keys), 1)) ** 2
        )

    return min(range(bits + 1, bits + 6), key=work)


def _pairs_alike(values: Hashes) -> int:
    """Pairs of equal values."""
    n = np.unique(values, return_counts=True)[1]
    return int((n * (n - 1) // 2).sum())


SAMPLE = 20_000
"""Signatures in which candidates are counted before the work."""

TRIED = 9
"""Choices of blocks that are tried on them."""

PASS = 8
"""Cost of a signature in one pass (counted, hashed, joined) in that of a candidate; measured."""

STATEMENT = 200_000
"""Cost of one pass beside its signatures, likewise."""


def choices(blocks: int, agreeing: int) -> list[tuple[int, list[int]]]:
    """Each choice of agreeing blocks, in lexicographic order: its bits, and the bits of each block
    that must differ (see near_duplicates/30_simhash).
    """
    edges = [BITS * i // blocks for i in range(blocks + 1)]
    masks = [(1 << high) - (1 << low) for low, high in pairwise(edges)]
    return [
        (sum(masks[i] for i in chosen), [masks[i] for i in range(chosen[-1]) if i not in chosen])
        for chosen in combinations(range(blocks), agreeing)
    ]
