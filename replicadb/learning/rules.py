"""Demand-driven rules: one pool of supports, from which each example draws the rules inside it.

Invariants:

- A pool is integers. Confidences and alpha are functions of them, so a pool that was updated move
  by move and one built from scratch give the same alpha, bit for bit.
- Votes are added as a binary tree over the features (first feature innermost). That order is fixed
  by the features alone, and sums over a subset of the features take the same path (see
  ``alpha_by_overlap``).
- alpha is rounded to 12 decimals, so that fractions that are equal stay equal as floating point
  numbers.

Source: the paper §3.2, Definitions 3.1 and 3.2, Eq. 4 and 5, Algorithm 1; updates §3.3;
docs/method.md#rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from replicadb.arrays import Floats, Ints, Values, Whole
from replicadb.errors import UsageError

_Number = TypeVar("_Number", np.int64, np.float64)

NEGATIVE, POSITIVE = 0, 1
"""Columns of every array of label counts."""

DECIMALS = 12
"""Decimals to which alpha and entropies are compared (docs/method.md#cut-ties)."""

MAX_FEATURES = 12
"""2^F - 1 antecedents lie inside an example; past this the pool would not fit in memory."""

_BLOCK = 1 << 18
"""Antecedents gathered at once: bounds the memory of scoring, whatever the number of patterns."""


class RulePool:
    """The supports of every antecedent that occurs, and where each pattern finds its own.

    An antecedent is a pattern restricted to a non-empty set of features. The sets are numbered by
    bit mask: column ``m - 1`` of ``antecedent_ids`` belongs to mask ``m``, whose bit ``j`` is
    feature ``j``.

    Attributes:
        bins: (n_patterns, n_features) int64, the distinct patterns.
        supports: (n_antecedents + 1, 2) int64, sigma(X u -), sigma(X u +). The last row is zero and
            stands for every antecedent that does not occur.
        antecedent_ids: (n_patterns, 2^n_features - 1) int64, rows of ``supports``.
        min_support: least sigma(X u l) for the rule {X -> l} to exist.

    Departure: the paper extracts rules anew from the projection D_x of each example. The support of
    an antecedent inside x is the same in D_x as in D, so one pool serves all.
    """

    def __init__(self, keys: Ints, radix: Ints, supports: Ints, bins: Ints, min_support: int = 1):
        """For internal use; see :meth:`from_patterns` and :meth:`from_supports`."""
        if min_support < 1:
            raise UsageError(f"min_support is {min_support}; give 1 or more")
        self.min_support = int(min_support)
        self._keys, self._radix = keys, radix
        self.supports = np.vstack([supports, np.zeros((1, 2), np.int64)])
        self.bins = bins
        self.antecedent_ids = self.index(bins)
        if len(np.unique(self.antecedent_ids[:, -1])) != len(bins):
            raise UsageError("patterns are repeated; collapse equal rows and add their counts")
        if (self.antecedent_ids == len(keys)).any():
            raise UsageError(
                "a pattern is unknown to the supports; look up new patterns with index()"
            )
        self._votes = np.zeros((len(self.supports), 4))
        self._vote(slice(None))

    @classmethod
    def from_patterns(cls, bins: Values, counts: Values, *, min_support: int = 1) -> RulePool:
        """Count the supports of all antecedents in a training set of patterns.

        Args:
            bins: (n_patterns, n_features) small non-negative ints, distinct rows.
            counts: (n_patterns, 2) non-negative ints, examples labelled negative and positive.

        Raises:
            UsageError: shapes that do not fit, negative numbers, repeated rows.

        Complexity: O(n 2^F log(n 2^F)).
        """
        patterns = as_bins(bins)
        labels = as_counts(counts, len(patterns))
        radix = _radix(patterns)
        keys, ids = np.unique(_keys(patterns, radix), return_inverse=True)
        supports = np.zeros((len(keys), 2), np.int64)
        for column in ids.reshape(len(patterns), -1).T:
            np.add.at(supports, column, labels)
        return cls(keys, radix, supports, patterns, min_support)

    @classmethod
    def from_supports(
        cls,
        columns: Sequence[Values],
        negative: Values,
        positive: Values,
        *,
        bins: Values | None = None,
        min_support: int = 1,
    ) -> RulePool:
        """Take the supports from a SQL ``GROUP BY CUBE`` over the features.

        Args:
            columns: one (n_rows,) int array per feature, the bin, or -1 (or masked, as DuckDB hands
                out NULL) where the feature is not in the antecedent. The row of the empty
                antecedent is ignored.
            negative, positive: (n_rows,) ints, sigma(X u -) and sigma(X u +).
            bins: (n_patterns, n_features), the patterns to index; default the rows that have every
                feature.

        Raises:
            UsageError: shapes that do not fit, negative numbers, an antecedent given twice.
        """
        filled: list[Whole] = [np.ma.filled(column, -1) for column in columns]
        if not filled or any(np.shape(c) != np.shape(filled[0]) for c in filled):
            raise UsageError("antecedents need one column per feature, all of one length")
        antecedents = as_bins(np.column_stack(filled), least=-1)
        supports = as_counts(np.column_stack([negative, positive]), len(antecedents))
        rule = (antecedents >= 0).any(axis=1)
        antecedents, supports = antecedents[rule], supports[rule]
        radix = _radix(antecedents)
        keys, first = np.unique((antecedents + 1) @ _strides(radix), return_index=True)
        if len(keys) != len(antecedents):
            raise UsageError(
                "an antecedent is given twice; group by the features only and count the labels in"
                " columns"
            )
        whole = antecedents[(antecedents >= 0).all(axis=1)]
        patterns = whole if bins is None else as_bins(bins, n_features=len(filled))
        return cls(keys, radix, supports[first], patterns, min_support)

    def copy(self) -> RulePool:
        """A pool that can be moved without moving this one."""
        twin = object.__new__(RulePool)
        twin.__dict__ |= self.__dict__ | {
            "supports": self.supports.copy(),
            "_votes": self._votes.copy(),
        }
        return twin

    @property
    def n_features(self) -> int:
        return len(self._radix)

    @property
    def counts(self) -> Ints:
        """(n_patterns, 2) int64, examples of each pattern: the support of its longest
        antecedent.
        """
        return self.supports[self.antecedent_ids[:, -1]]

    @property
    def antecedents(self) -> Ints:
        """(n_antecedents, n_features) int64, bins, -1 where the feature is not in the
        antecedent.
        """
        bins: Ints = self._keys[:, None] // _strides(self._radix) % self._radix - 1
        return bins

    def index(self, bins: Values) -> Ints:
        """Find the antecedents inside patterns, of the training set or not.

        Args:
            bins: (m, n_features) small non-negative ints.

        Returns:
            (m, 2^n_features - 1) int64, rows of ``supports``; the last row (support 0) where one is
            unknown.
        """
        patterns = as_bins(bins, n_features=self.n_features)
        unknown = patterns + 1 >= self._radix
        keys = _keys(np.where(unknown, 0, patterns), self._radix)
        ids = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        missing = (self._keys[ids] != keys) | ((unknown @ _mask_bits(self.n_features)) > 0)
        return np.where(missing, len(self._keys), ids)

    def scores(self, antecedent_ids: Ints | None = None) -> Floats:
        """s(x, -) and s(x, +), Eq. 4: the mean confidence of the rules for each label; 0 when there
        is none.

        Args:
            antecedent_ids: (m, 2^n_features - 1), see :meth:`index`; default the pool's patterns.

        Returns:
            (m, 2) float64.
        """
        ids = self.antecedent_ids if antecedent_ids is None else antecedent_ids
        step = max(1, _BLOCK >> self.n_features)
        blocks = [mean_votes(self._tally(ids[i : i + step])) for i in range(0, len(ids), step)]
        return np.concatenate(blocks) if blocks else np.zeros((0, 2))

    def alpha(self, antecedent_ids: Ints | None = None) -> Floats:
        """alpha(x, -), Eq. 5: the likelihood that x is negative; 1 when no rule is inside x.

        Args and complexity as :meth:`scores`: O(2^F) per pattern. Returns (m,) float64 of 12
        decimals.
        """
        return normalise(self.scores(antecedent_ids))

    def alpha_by_overlap(self, antecedent_ids: Ints) -> Floats:
        """alpha of an example that shares exactly the features of a mask with x, by x's rules
        alone.

        This is the *projected* reading of the cut (docs/method.md#cut-readings). Column ``m - 1``
        is mask m; the last column is x itself and equals :meth:`alpha` bit for bit, for the sums go
        through the same tree.

        Returns:
            (m, 2^n_features - 1) float64.

        Complexity: O(F 2^F) per pattern, the subset sums of all masks at once.
        """
        votes = self._gather(antecedent_ids)
        for with_feature, without in _halves(votes, self.n_features):
            with_feature += without
        return normalise(mean_votes(votes[:, 1:]))

    def counts_by_overlap(self, antecedent_ids: Ints) -> Ints:
        """How many examples share exactly the features of a mask with x: inclusion-exclusion over
        supports.

        Returns:
            (m, 2^n_features - 1, 2) int64; the examples that share nothing are not in D_x and are
            left out.
        """
        exact = np.zeros((len(antecedent_ids), 1 << self.n_features, 2), np.int64)
        exact[:, 1:] = self.supports[antecedent_ids]
        for with_feature, without in _halves(exact, self.n_features):
            without -= with_feature
        return exact[:, 1:]

    def move(self, pattern: int | Ints, k: int | Ints, source: int, target: int) -> None:
        """Turn k examples of a pattern from one label to the other (paper §3.3, incremental
        updates).

        Only the supports of rules inside the pattern change. Distinct patterns (m,) and their k
        (m,) may be given, too.

        Raises:
            UsageError: a label that is not 0 or 1, or more examples than the pattern has.
        """
        if {source, target} != {NEGATIVE, POSITIVE}:
            raise UsageError(
                f"cannot move from label {source} to {target}; labels are 0 (negative) and 1"
                " (positive)"
            )
        n = np.atleast_1d(k)
        ids = self.antecedent_ids[np.atleast_1d(pattern)]
        if (n < 0).any() or (n > self.supports[ids[:, -1], source]).any():
            raise UsageError("cannot move more examples than the pattern has (or fewer than none)")
        times = np.broadcast_to(n[:, None], ids.shape)
        np.subtract.at(self.supports, (ids, source), times)
        np.add.at(self.supports, (ids, target), times)
        self._vote(ids if len(ids) == 1 else slice(None))

    def move_one(self, pattern: int, source: int, target: int) -> None:
        """:meth:`move` of one example, unchecked: the caller knows that the pattern has one."""
        ids = self.antecedent_ids[pattern]
        self.supports[ids, source] -= 1
        self.supports[ids, target] += 1
        self._vote(ids)

    def _vote(self, rows: Ints | slice) -> None:
        """Keep (confidence theta of -, of +, 1 if the rule for - exists, 1 if for +) of each
        antecedent (Definition 3.1).
        """
        supports = self.supports[rows]
        exists = supports >= self.min_support
        total = np.maximum(supports.sum(axis=-1, keepdims=True), 1)
        self._votes[rows, :2] = np.where(exists, supports / total, 0.0)
        self._votes[rows, 2:] = exists

    def _gather(self, ids: Ints) -> Floats:
        """(m, 2^F, 4) votes by mask; mask 0, the empty antecedent, is no rule and casts none."""
        votes = np.zeros((len(ids), 1 << self.n_features, 4))
        votes[:, 1:] = self._votes[ids]
        return votes

    def _tally(self, ids: Ints) -> Floats:
        """(m, 4) votes added over all masks, as a binary tree over the features."""
        votes = self._gather(ids)
        for _ in range(self.n_features):
            votes = votes[:, 0::2] + votes[:, 1::2]
        return votes[:, 0]


def mean_votes(votes: Floats) -> Floats:
    """s(x, l) of both labels, Eq. 4: (..., 4) added confidences and numbers of rules become
    (..., 2) means, 0 where there is no rule.
    """
    means: Floats = votes[..., :2] / np.maximum(votes[..., 2:], 1.0)
    return means


def normalise(scores: Floats) -> Floats:
    """(..., 2) s(x, -), s(x, +) -> (...) alpha(x, -), Eq. 5; 1 where both are 0."""
    total = scores.sum(axis=-1)
    alpha: Floats = np.where(
        total > 0, scores[..., NEGATIVE] / np.where(total > 0, total, 1.0), 1.0
    )
    return alpha.round(DECIMALS)


def as_bins(given: Values, *, n_features: int | None = None, least: int = 0) -> Ints:
    """Check bins and return them as (n, n_features) int64.

    Raises:
        UsageError: not a table of integers of at least ``least``, or not of ``n_features`` columns.
    """
    bins: Whole = np.asarray(given)
    if bins.ndim != 2 or not np.issubdtype(bins.dtype, np.integer):
        raise UsageError("bins must be a table of integers of shape (n_patterns, n_features)")
    wanted = bins.shape[1] if n_features is None else n_features
    if bins.shape[1] != wanted or not 1 <= wanted <= MAX_FEATURES:
        expected = n_features or f"1 to {MAX_FEATURES}"
        raise UsageError(f"bins have {bins.shape[1]} features; expected {expected}")
    if bins.size and bins.min() < least:
        raise UsageError(f"bins must be {least} or more; digitise NULL to a bin of its own")
    return bins.astype(np.int64)


def as_counts(given: Values, n_patterns: int) -> Ints:
    """Check label counts and return them as (n_patterns, 2) int64; raises UsageError as
    :func:`as_bins`.
    """
    counts: Whole = np.asarray(given)
    if counts.shape != (n_patterns, 2) or not np.issubdtype(counts.dtype, np.integer):
        raise UsageError(f"counts must be integers of shape ({n_patterns}, 2): negative, positive")
    if counts.size and counts.min() < 0:
        raise UsageError("counts must not be negative")
    return counts.astype(np.int64)


def _radix(bins: Ints) -> Ints:
    """Values per feature and one more for "not in the antecedent": antecedents are numbers in that
    radix.
    """
    radix: Ints = (bins.max(axis=0) if len(bins) else np.zeros(bins.shape[1], np.int64)) + 2
    if not len(bins) or np.prod(radix.astype(float)) >= 2.0**62:
        raise UsageError("no patterns, or bins too large; number the bins of each feature from 0")
    return radix


def _strides(radix: Ints) -> Ints:
    return np.concatenate([[1], np.cumprod(radix[:-1])]).astype(np.int64)


def _mask_bits(n_features: int) -> Ints:
    """(n_features, 2^n_features - 1): 1 where the feature is in the mask."""
    return np.arange(1, 1 << n_features) >> np.arange(n_features)[:, None] & 1


def _keys(bins: Ints, radix: Ints) -> Ints:
    """(n, 2^F - 1) the number of each antecedent inside each pattern."""
    keys: Ints = ((bins + 1) * _strides(radix)) @ _mask_bits(len(radix))
    return keys


def _halves(
    by_mask: npt.NDArray[_Number], n_features: int
) -> Iterator[tuple[npt.NDArray[_Number], npt.NDArray[_Number]]]:
    """For each feature, views of the entries (n, 2^F, ...) whose mask has it and of those without
    it.
    """
    for j in range(n_features):
        split = by_mask.reshape(len(by_mask), -1, 2, 1 << j, by_mask.shape[-1])
        yield split[:, :, 1], split[:, :, 0]
