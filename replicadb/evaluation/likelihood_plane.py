"""Figure 1 of the paper on this crawl: candidates by both likelihoods, with what the gold says.

Invariant: a point is a pattern that candidates have, so points are few and add up to all
candidates. Source: the paper section 3.5, Definitions 3.4 and 3.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.carvalho import learn
from replicadb.learning import pareto


def likelihood_plane(context: Context) -> list[dict[str, Any]]:
    """The plane of the published method as ``paper`` ran it, whose learners the context remembers.

    Returns:
        By ``pu`` and ``nu``, the likelihoods of a replica: ``pairs``, of them ``replicas`` and
        ``others`` by the gold, and ``frontier``, whether no other point dominates this one.
    """
    index = context.patterns().index
    here = np.unique(index)
    pu, nu = (learn(context, data).end[here] for data in ("PU", "NU"))
    most = int(here.max(initial=-1)) + 1
    pairs, replicas, others = (
        np.bincount(index[which], minlength=most)[here]
        for which in (slice(None), context.truth, context.compared & ~context.truth)
    )
    order = np.lexsort((nu, pu))
    columns = (pu, nu, pairs, replicas, others, pareto.frontier(pu, nu))
    names = ("pu", "nu", "pairs", "replicas", "others", "frontier")
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]
