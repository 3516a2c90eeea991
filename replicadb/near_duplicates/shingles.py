"""Shingles and their MinHash: texts into signatures whose share of equal rows estimates the Jaccard
coefficient of the shingle sets.

Invariant: a signature depends on the text, the options and the seed alone; repeated shingles
count once. A text shorter than a shingle is one shingle of what there is; one without terms has
none. Sources: Broder, "On the resemblance and containment of documents" (1997): shingles of w
terms; Dahlgaard, Knudsen and Thorup, "Fast similarity sketching" (FOCS 2017): the sketch that rensa
makes. Departure: a shingle is a polynomial in the 64-bit hashes of its terms, not a string.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replicadb.arrays import Ints
from replicadb.errors import UsageError
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.near_duplicates.term_vectors import stemmed, stop_words
from replicadb.web.digests import Hashes
from replicadb.web.terms import words

CHARACTERS = 1 << 22
"""Of text at a time, or one page: about 100 MB of terms."""

FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""Odd, so that every term of a shingle counts with all of its bits."""


class Shingler:
    """Texts into signatures.

    Args:
        options: shingle, permutations, seed, stop_words, stem.

    Raises:
        UsageError: rensa or xxhash is not installed, or stop words or a language that cannot be
            used.
    """

    def __init__(self, options: PageOptions) -> None:
        try:
            import rensa
            import xxhash
        except ImportError as error:
            raise UsageError(
                f"minhash needs {error.name}, which is not installed; install it with: pip install"
                " 'replicadb[pages]'"
            ) from error
        self._matrix = rensa.RMinHash.digest_matrix_from_flat_token_hashes
        self._hash = xxhash.xxh3_64_intdigest
        self._options = options
        self._stop = set(stop_words(options.stop_words))
        if options.stem:
            stemmed([], options.stem)

    def signatures(self, texts: list[str]) -> tuple[Ints, npt.NDArray[np.uint32]]:
        """The signatures of the texts that have terms.

        Args:
            texts: (n,) strings.

        Returns:
            (k,) ints, places of the texts that have terms, rising; (k, permutations) uint32, their
            signatures.
        """
        with_terms: list[Ints] = [np.empty(0, np.int64)]
        rows: list[npt.NDArray[np.uint32]] = [np.empty((0, self._options.permutations), np.uint32)]
        for first, some in _portions(texts):
            hashes, lengths = self._shingles(some)
            full = lengths > 0
            if full.any():
                ends = np.concatenate([[0], np.cumsum(lengths[full])]).astype(np.uint64)
                rows.append(
                    np.array(
                        self._matrix(
                            hashes, ends, self._options.permutations, self._options.seed
                        ).to_rows(),
                        np.uint32,
                    )
                )
                with_terms.append(first + np.flatnonzero(full))
        return np.concatenate(with_terms), np.concatenate(rows)

    def _shingles(self, texts: list[str]) -> tuple[Hashes, Ints]:
        """The shingles of all texts as uint64, one text after the other, and how many each has."""
        flat, page = self._terms(texts)
        width = self._options.shingle
        terms = np.bincount(page, minlength=len(texts))
        padded = np.zeros(
            len(flat) + len(texts) * (width - 1) + 1, np.uint64
        )  # zeros behind each text: no shingle runs into the next
        padded[np.arange(len(flat)) + page * (width - 1)] = flat
        size = len(padded) - width + 1
        hashes = np.zeros(max(size, 0), np.uint64)
        for i in range(width - 1, -1, -1):
            hashes = hashes * FACTOR + padded[i : i + len(hashes)]
        lengths = np.where(terms > 0, np.maximum(terms - width + 1, 1), 0)
        starts = np.concatenate([[0], np.cumsum(terms + width - 1)[:-1]])
        place = np.repeat(
            starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths
        ) + np.arange(lengths.sum())
        return mixed(hashes[place]), lengths

    def _terms(self, texts: list[str]) -> tuple[Hashes, Ints]:
        """The hash of every term, stop words out, and the place of its text."""
        lists = [words(text) for text in texts]
        coded = pa.array(
            [term for terms in lists for term in terms], pa.string()
        ).dictionary_encode()
        vocabulary = coded.dictionary.to_pylist()
        stems = stemmed(vocabulary, self._options.stem) if self._options.stem else vocabulary
        hashes = np.fromiter((self._hash(stem.encode()) for stem in stems), np.uint64, len(stems))
        stays = np.fromiter((term not in self._stop for term in vocabulary), bool, len(vocabulary))
        codes = coded.indices.to_numpy()
        page = np.repeat(np.arange(len(texts)), np.fromiter(map(len, lists), np.int64, len(texts)))
        return (
            (hashes[codes], page)
            if stays.all()
            else (hashes[codes][stays[codes]], page[stays[codes]])
        )


def _portions(texts: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The texts in runs of at most CHARACTERS, or one: (place of the first, run)."""
    first, size = 0, 0
    for i, text in enumerate(texts):
        if size and size + len(text) > CHARACTERS:
            yield first, texts[first:i]
            first, size = i, 0
        size += len(text)
    if first < len(texts):
        yield first, texts[first:]


def mixed(hashes: Hashes) -> Hashes:
    """Each 64-bit number spread over all of its bits (Steele, Lea and Flood 2014, SplitMix64); one
    to one.
    """
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))
