"""Description lengths of a set of rules: the bits that the rules take, and those of the examples
that they get wrong.

Always true here: lengths are 0 or more; a set without errors has no exceptions but the number of
them to tell.
Source: Quinlan, "MDL and categorical theories (continued)", ICML 1995, as Cohen (1995), section
3.2, takes it for RIPPER; the first term of a rule is Rissanen's code for whole numbers; rules are
halved for the redundancy among conditions.
"""

from __future__ import annotations

import math

SLACK = 64.0
"""Bits that a set of rules may be longer than the shortest so far before no rule is added any more
(Cohen 1995, section 3.2).
"""
REDUNDANCY = 0.5


def subset_bits(total: int, chosen: int, share: float) -> float:
    """Bits to tell which ``chosen`` of ``total`` things are meant when each is expected to be with
    probability ``share``.
    """
    bits = 0.0
    if chosen:
        bits -= chosen * math.log2(max(share, 1e-300))
    if total > chosen:
        bits -= (total - chosen) * math.log2(max(1 - share, 1e-300))
    return bits


def theory_bits(conditions: int, possible: int) -> float:
    """Bits of one rule.

    Args:
        conditions: it has.
        possible: conditions that there are to choose from.
    """
    if not conditions:
        return 0.0
    length = math.log2(conditions)
    if conditions > 1:
        length += 2 * math.log2(length) if length > 1 else 0.0
    conditions = min(conditions, possible)
    return REDUNDANCY * (length + subset_bits(possible, conditions, conditions / possible))


def exception_bits(
    covered: int, uncovered: int, false_positives: int, false_negatives: int, expected: float
) -> float:
    """Bits of the examples that a set of rules gets wrong.

    Args:
        covered, uncovered: examples that some rule holds for, and the others.
        false_positives: covered ones of the other class. false_negatives: uncovered ones of the
            class.
        expected: share of the class; how errors are expected to fall on the larger side.
    """
    bits = math.log2(covered + uncovered + 1)
    errors = false_positives + false_negatives
    if covered > uncovered:
        bits += subset_bits(
            covered, false_positives, min(expected * errors / covered, 1.0) if covered else 0.0
        )
        return bits + (
            subset_bits(uncovered, false_negatives, false_negatives / uncovered)
            if uncovered
            else 0.0
        )
    bits += subset_bits(covered, false_positives, false_positives / covered) if covered else 0.0
    return bits + (
        subset_bits(uncovered, false_negatives, min((1 - expected) * errors / uncovered, 1.0))
        if uncovered
        else 0.0
    )
