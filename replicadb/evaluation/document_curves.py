"""Precision and recall of RP and HM by document, as both tolerances move: Figure 1 of the RP + HM
paper.

Invariant: a page counts once, whatever the number of its pairs; nothing is chosen on the pairs. The
symbols of the paper's sentences on Figure 1 are lost in our copy, so it can be read either way: one
tolerance moves along a curve and the other tells the three curves apart. Both are here. Source: the
RP + HM paper (2003), section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.arrays import Bools, Floats, Whole
from replicadb.evaluation.page_method_scores import hyperlink_distances
from replicadb.evaluation.page_precision import break_even, precision_recall
from replicadb.near_duplicates.page_options import PageOptions
from replicadb.page_pairs.pair_list import Pairs
from replicadb.store.database import Database

SAMPLED = 100
"""Pages with a near duplicate that recall is measured over (RP + HM paper, section 3)."""
HM_STEPS = (0.01, 0.02, 0.04)
"""eps_HM of three curves along which eps_RP moves; the paper does not print its values."""
RP_STEPS = (0.02, 0.03, 0.04)
"""eps_RP of three curves along which eps_HM moves; likewise."""
POINTS = 50
"""Of a curve that is drawn."""
Row = dict[str, Any]


def by_document(db: Database, pairs: Pairs, judged: Whole, seed: int) -> list[Row]:
    """The two-way sweep: RP alone and each of HM_STEPS as eps_RP moves, then each of RP_STEPS as
    eps_HM moves.

    Returns: rows of name, ``moves`` (eps_rp or eps_hm), both tolerances (of the moving one the
    value at the best F; no eps_hm for RP alone), break_even, best_f, loosest ([recall, precision]
    where the moving one decides nothing any more), curve ([recall, precision]) and pairs_with_maps.
    """
    with db.temporary():
        near, further = hyperlink_distances(db, PageOptions(), pairs.a_id, pairs.b_id)

    def row(name: str, moves: str, score: Floats, **fixed: float | None) -> Row:
        found = _curve(score, pairs, judged, seed)
        return {"name": name, "moves": moves, moves: found.pop("at")} | fixed | found

    rows = [row("RP alone", "eps_rp", -near, eps_hm=None)]
    for step in HM_STEPS:
        score = np.where(further <= step, -near, np.nan)
        rows.append(row(f"eps_HM {step}, eps_RP moves", "eps_rp", score, eps_hm=step))
    for step in RP_STEPS:
        score = np.where(near <= step, -further, np.nan)
        rows.append(row(f"eps_RP {step}, eps_HM moves", "eps_hm", score, eps_rp=step))
    linked = (judged >= 0) & (further > 0)
    share = round(float(linked.sum() / max((judged >= 0).sum(), 1)), 4)
    return [line | {"pairs_with_maps": share} for line in rows]


def _curve(score: Floats, pairs: Pairs, judged: Whole, seed: int) -> Row:
    best, has, sampled = documents(score, pairs, judged, seed)
    thresholds, precision, recall = curve_by_document(best, has, sampled)
    f = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    at = int(np.argmax(f)) if len(f) else -1
    points = [
        [round(float(recall[i]), 4), round(float(precision[i]), 4)]
        for i in np.unique(np.linspace(0, len(f) - 1, min(POINTS, len(f))).astype(int))
    ]
    return {
        "break_even": break_even(precision, recall),
        "best_f": round(float(f[at]), 4) if len(f) else None,
        "at": round(float(-thresholds[at]), 6) if len(f) else None,
        "loosest": points[-1] if points else None,
        "curve": points,
    }


def documents(score: Floats, pairs: Pairs, judged: Whole, seed: int) -> tuple[Floats, Bools, Bools]:
    """(m,) each, by page of the judged pairs: its highest score with any other (NaN for none),
    whether it has a near duplicate, and whether it is one of SAMPLED such that recall is over.
    """
    rows = np.flatnonzero((judged >= 0) & (pairs.a_id >= 0) & (pairs.b_id >= 0))
    both = np.concatenate([pairs.a_id[rows], pairs.b_id[rows]])
    ids, at = np.unique(both, return_inverse=True)
    best, has = np.full(len(ids), -np.inf), np.zeros(len(ids), bool)
    np.maximum.at(best, at, np.tile(np.nan_to_num(score[rows], nan=-np.inf), 2))
    np.logical_or.at(has, at, np.tile(judged[rows] == 1, 2))
    chosen = np.random.default_rng([seed, 11]).permutation(np.flatnonzero(has))[:SAMPLED]
    sampled = np.zeros(len(ids), bool)
    sampled[chosen] = True
    return np.where(np.isfinite(best), best, np.nan), has, sampled


def curve_by_document(best: Floats, has: Bools, sampled: Bools) -> tuple[Floats, Floats, Floats]:
    """Thresholds, precision over all pages that are returned, and recall over the sampled ones."""
    score = np.where(np.isnan(best), -np.inf, best)
    if not has.any() or not np.isfinite(score).any():
        return np.zeros(0), np.zeros(0), np.zeros(0)
    thresholds, precision, _ = precision_recall(score, has)
    ranked = np.sort(score[sampled])
    found = len(ranked) - np.searchsorted(ranked, thresholds)
    return thresholds, precision, found / max(len(ranked), 1)
