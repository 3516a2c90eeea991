"""Partners: strengths corrected by the company that two hosts keep (sql/55), the second half of method robust.

Always true here: only candidates that may be replicas by their own evidence (from POSSIBLE on) are looked at, and what is added is a
function of what the others' own evidence says, so the order of rows changes nothing. What company adds was learned from the
generated crawls that taught the prior, beside each pair's own log odds (``benchmarks/make_prior.py``): a classifier on top of what
another says of a pair's neighbours (Kou and Cohen, 2007, "Stacked graphical models for efficient inference in Markov random fields").
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from replicadb.database import Database
from replicadb.learning import prior
from replicadb.learning.lookup import Lookup
from replicadb.learning.robust import logistic

FEATURES = ("own_log_odds", "overlap")
"""What is weighed, as the temporary table ``partnered`` has it; more overlap never adds less."""
POSSIBLE = 0.001
"""Probability from which a candidate is looked at; of those below, company made none a replica."""
COUNTS = 0.05
"""Probability from which one host counts as the other's partner."""
MOST = 64
"""Partners of a host that are looked at one by one; of a larger group a sample says enough."""
DECIMALS, MILLION = 6, 1_000_000
"""A strength is kept in millionths, as a whole number: its score_id."""


def measure(db: Database, score_id, log_odds) -> None:
    """Make the temporary table ``partnered`` (a_id, b_id, score_id, common and FEATURES) from ``scored`` (a_id, b_id, score_id).

    Args:
        score_id: (n,) int32, the distinct ones. log_odds: (n,) float64 of being a replica, by a pair's own evidence.
    """
    log_odds = np.asarray(log_odds, float)
    probability = logistic(log_odds)
    weight = np.where(probability >= COUNTS, np.rint(probability * 1000), 0).astype(np.int64)
    chosen = probability >= POSSIBLE
    likely = pa.table({"score_id": np.asarray(score_id)[chosen], "log_odds": np.round(log_odds[chosen], 9), "weight": weight[chosen]})
    with db.handed("likely", likely):
        db.execute("CREATE OR REPLACE TEMP TABLE possible AS SELECT a_id, b_id, score_id, log_odds, weight FROM scored JOIN likely USING (score_id)")
    db.run("55_partners", {"most_partners": MOST})


def correct(db: Database, score_id, log_odds) -> None:
    """Add what company says to the strengths in the temporary table ``scored``, and make ``company`` (a_id, b_id, common, overlap,
    added), the candidates looked at.

    Args:
        score_id, log_odds: as for :func:`measure`; score_id is the strength in millionths.
    """
    measure(db, score_id, log_odds)
    column = db.arrays(f"SELECT a_id, b_id, score_id, common, {', '.join(FEATURES)} FROM partnered")
    known = prior.load("partners")
    weigher = Lookup(known.cuts, known.tables)
    added = np.rint(weigher.score(weigher.bins([column[name] for name in FEATURES])) * MILLION).astype(np.int32)
    with db.handed("weighed", pa.table({**column, "added": added})):
        db.execute(f"""CREATE OR REPLACE TEMP TABLE company AS
            SELECT a_id, b_id, common, CASE WHEN NOT isnan(overlap) THEN overlap END AS overlap, added::DOUBLE / {MILLION} AS added FROM weighed""")
        db.execute("UPDATE scored SET score_id = w.score_id + w.added FROM weighed AS w WHERE scored.a_id = w.a_id AND scored.b_id = w.b_id")
    db.execute("DROP TABLE partnered")
