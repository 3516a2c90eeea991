"""Precision and recall by document against sets, as section 3 of the RP + HM paper words them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from replicadb.evaluation import document_curves
from replicadb.evaluation.document_curves import (
    HM_STEPS,
    RP_STEPS,
    by_document,
    curve_by_document,
    documents,
)


@pytest.mark.slow
def test_precision_is_over_returned_documents_and_recall_over_sampled_ones():
    random = np.random.default_rng(5)
    n, pages = 900, 260
    a, b = random.integers(0, pages, n), random.integers(pages, 2 * pages, n)
    judged = np.where(random.random(n) < 0.3, 1, 0).astype(np.int8)
    judged[:20] = -1
    score = np.round(random.random(n) * 0.5 + judged * 0.3, 2)
    score[random.random(n) < 0.05] = np.nan
    best, has, sampled = documents(score, SimpleNamespace(a_id=a, b_id=b), judged, 0)
    assert sampled.sum() == 100 and has[sampled].all() and has.sum() > 100
    thresholds, precision, recall = curve_by_document(best, has, sampled)
    ids = np.unique(np.concatenate([a[judged >= 0], b[judged >= 0]]))
    chosen = set(ids[sampled].tolist())
    with_one = {int(x) for k in range(n) if judged[k] == 1 for x in (a[k], b[k])}
    for i in range(0, len(thresholds), 7):
        pairs = [
            k for k in range(n) if judged[k] >= 0 and not np.isnan(score[k])
            and score[k] >= thresholds[i]
        ]  # fmt: skip
        returned = {int(x) for k in pairs for x in (a[k], b[k])}
        assert precision[i] == pytest.approx(len(returned & with_one) / len(returned))
        assert recall[i] == pytest.approx(len(returned & chosen) / 100)


def test_the_sweep_returns_what_collides_within_both_tolerances(web, monkeypatch):
    """ "Two documents collide iff" no RP component differs by more than eps_RP and no HM component
    by more than eps_HM; precision is of the documents returned, recall of a hundred sampled ones.
    """
    random = np.random.default_rng(8)
    n = 150
    a, b = random.integers(0, 60, n), random.integers(60, 120, n)
    judged = np.where(random.random(n) < 0.4, 1, 0).astype(np.int8)
    near = random.random(n).round(3) * 0.05 + 0.01 * (1 - judged)
    further = random.random(n).round(3) * 0.05 + 0.01 * (1 - judged)
    monkeypatch.setattr(document_curves, "hyperlink_distances", lambda *_: (near, further))
    has = {int(x) for k in np.flatnonzero(judged) for x in (a[k], b[k])}
    assert len(has) < 100, "so all of them are sampled"

    def measured(eps_rp: float, eps_hm: float) -> tuple[float, float]:
        collide = [k for k in range(n) if near[k] <= eps_rp and further[k] <= eps_hm]
        returned = {int(x) for k in collide for x in (a[k], b[k])}
        right = len(returned & has)
        return round(right / len(has), 4), round(right / len(returned), 4) if returned else 0.0

    rows = by_document(web.database, SimpleNamespace(a_id=a, b_id=b), judged, 0)
    assert [row["eps_hm"] for row in rows[:4]] == [None, *HM_STEPS]
    assert [row["eps_rp"] for row in rows[4:]] == list(RP_STEPS)
    for row in rows[:4]:
        least = np.inf if row["eps_hm"] is None else row["eps_hm"]
        possible = {measured(eps, least) for eps in near}
        assert {tuple(point) for point in row["curve"]} <= possible and len(row["curve"]) > 5
        assert tuple(row["loosest"]) == measured(np.inf, least), row["name"]
    for row in rows[4:]:
        possible = {measured(row["eps_rp"], eps) for eps in further}
        assert {tuple(point) for point in row["curve"]} <= possible and len(row["curve"]) > 5
        assert tuple(row["loosest"]) == measured(row["eps_rp"], np.inf), row["name"]
