"""Partners: strengths corrected by the company that two hosts keep (sql/detect/62_collective), the
second half of method robust.

Always true here: only candidates that may be replicas by their own evidence (from POSSIBLE on) are
looked at, and what is added to a strength is a function of the pair's own evidence and of what
others' says, so the order of rows changes nothing. What company adds was learned from the generated
crawls that taught the prior, beside each pair's own log odds (``training/fit_collective.py``): a
classifier on top of what another says of a pair's neighbours (Kou and Cohen, 2007, "Stacked
graphical models for efficient inference in Markov random fields"). In large groups, where single
pairs tell least and company most, partners are weighed anew by what company said, until nothing
changes; but not where the two hosts are of two minds about their partners, lest two farms with a
page in common become one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from replicadb.learning import prior
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.prior_adjustment import logistic
from replicadb.learning.shared_neighbours import Circles
from replicadb.store.database import Database

FEATURES = ("own_log_odds", "overlap")
"""What is weighed; more overlap never adds less."""
POSSIBLE = 0.001
"""Probability from which a candidate is looked at; of those below, company made none a replica."""
COUNTS = 0.05
"""Probability from which one host counts as the other's partner."""
MOST = 64
"""Partners of a host that are looked at one by one; of a larger group a sample says enough."""
ENOUGH = 16
"""Partners in common (expected) from which they are weighed by what company said of them, not by
their own evidence alone.
"""
OPPOSED = -0.3
"""Correlation of what as many partners count for with the one host and with the other, below which
they do not speak for the pair.
"""
LOOKS = 12
"""Times that company is asked at most; nearly always nothing changes any more after
three to six.
"""
DECIMALS, MILLION = 6, 1_000_000
"""A strength is kept in millionths, as a whole number: its score_id."""


@dataclass(frozen=True)
class Company:
    """What the partners of n pairs' hosts say, each (n,) float32; sql/detect/62_collective has the
    definitions.
    """

    common: np.ndarray
    """Partners that both have (expected)."""
    overlap: np.ndarray
    """Their share of those that either has; NaN where neither has one but the other."""
    correlation: np.ndarray
    """Of their weights with the one host and with the other; NaN where all weigh the same."""

    @property
    def enough(self) -> np.ndarray:
        """(n,) bool: so many in common that company is asked again."""
        return self.common >= ENOUGH

    @property
    def opposed(self) -> np.ndarray:
        """(n,) bool: so many, and the hosts are of two minds about them: they do not speak for the
        pair.
        """
        return self.enough & (self.correlation < OPPOSED)


class Weigher:
    """What company adds to a pair's log odds by its own evidence, as the prior ``partners`` or a
    model's copy of it has it.
    """

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup

    def adds(self, own: np.ndarray, overlap: np.ndarray) -> np.ndarray:
        """(n,) float64, rounded to DECIMALS; own (n,) log odds, overlap (n,) float32."""
        columns = [np.round(own, 9).astype(np.float32), overlap]
        return np.round(self.lookup.score(self.lookup.bins(columns)), DECIMALS)

    def first(self, own: np.ndarray, company: Company) -> np.ndarray:
        """What is added where partners are weighed by their own evidence, (n,) float64: never for a
        pair of opposed hosts.
        """
        added = self.adds(own, company.overlap)
        return np.where(company.opposed, np.minimum(added, 0.0), added)


def weights(log_odds: np.ndarray) -> np.ndarray:
    """What a host counts for as another's partner: the probability in thousandths, (n,) int64, 0
    where it is too slight.
    """
    probability = logistic(log_odds)
    return np.where(probability >= COUNTS, np.rint(probability * 1000), 0).astype(np.int64)


def measure(db: Database, a_id: np.ndarray, b_id: np.ndarray, weight: np.ndarray) -> Company:
    """The company of each pair of hosts; sql/detect/62_collective has the definitions.

    Args:
        a_id, b_id: (n,) hosts, all in host_stats; each pair once. weight: (n,) as :func:`weights`
            has it.
    """
    if not len(weight):
        return Company(*np.zeros((3, 0), np.float32))
    with db.handed(
        "pairs",
        pa.table(
            {
                "pair": np.arange(len(weight), dtype=np.int32),
                "a_id": a_id,
                "b_id": b_id,
                "weight": weight,
            }
        ),
    ):
        db.execute("CREATE OR REPLACE TEMP TABLE possible AS FROM pairs")
    db.run("detect/62_collective", {"most_partners": MOST})
    column = db.arrays(
        "SELECT pair, common, coalesce(overlap, 'nan')::FLOAT AS overlap, coalesce(correlation,"
        " 'nan')::FLOAT AS correlation FROM partnered"
    )
    db.execute("DROP TABLE partnered")
    place = np.argsort(column.pop("pair"))
    return Company(**{name: values[place] for name, values in column.items()})


def correct(db: Database, offset: float) -> None:
    """Add what company says to the strengths in the temporary table ``scored``, and make
    ``company`` (a_id, b_id, common, overlap, added, and before: what the look before the last
    added, by which partners were weighed in that), the candidates looked at.

    Args:
        offset: added to a strength it gives the log odds of being a replica, by a pair's own
            evidence.
    """
    least = int(np.ceil((np.log(POSSIBLE / (1 - POSSIBLE)) - offset) * MILLION))
    column = db.arrays(
        "SELECT a_id, b_id, score_id FROM scored WHERE score_id >= $least", {"least": least}
    )
    common, overlap, added, before = looked(
        db, column["a_id"], column["b_id"], column["score_id"] / MILLION + offset
    )
    millionths = np.rint(added * MILLION).astype(np.int32)
    told = pa.table(
        {
            "a_id": column["a_id"],
            "b_id": column["b_id"],
            "common": common,
            "overlap": pa.array(overlap, from_pandas=True),
            "added": added,
            "before": before,
            "score_id": column["score_id"] + millionths,
        }
    )
    with db.handed("told", told):
        db.execute("CREATE OR REPLACE TEMP TABLE company AS SELECT * EXCLUDE (score_id) FROM told")
        db.execute(
            "UPDATE scored SET score_id = told.score_id FROM told WHERE scored.a_id = told.a_id AND"
            " scored.b_id = told.b_id AND added <> 0"
        )


def looked(
    db: Database, a_id: np.ndarray, b_id: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What company says of pairs, after as many looks as it takes. Later looks are at hosts of
    large groups; where they do not count, a pair stays as the first had it.

    Args:
        a_id, b_id: (n,) hosts, all in host_stats; each pair once. own: (n,) log odds of being a
            replica by a pair's own evidence.

    Returns:
        Partners in common and overlap that counted, (n,) float32; what they add and what the look
        before added, (n,) float64 log odds.
    """
    known = prior.load("partners")
    weigher = Weigher(Lookup(known.cuts, known.tables))
    first = measure(db, a_id, b_id, weights(own))
    common, overlap, added = first.common, first.overlap, weigher.first(own, first)
    alone = before = added
    at, circles = np.zeros(0, np.int64), None
    for _ in range(LOOKS - 1):
        weight = weights(own + added)
        large = _of_large_groups(a_id, b_id, weight)
        if circles is None or not np.isin(large, at).all():
            at, circles = large, _circles(db, a_id[large], b_id[large])
        again = Company(*circles.measure(weight[at]))
        counts = again.enough & ~again.opposed
        told, before = at[counts], added
        common, overlap, added = first.common.copy(), first.overlap.copy(), alone.copy()
        common[told], overlap[told] = again.common[counts], again.overlap[counts]
        added[told] = weigher.adds(own[told], overlap[told])
        if (added == before).all():
            break
    return common, overlap, added, before


def _of_large_groups(a_id: np.ndarray, b_id: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Places of the pairs of which one host at least has ENOUGH partners: no others can have so
    many in common.
    """
    counting = np.flatnonzero(weight)
    partners = sum(
        np.bincount(
            side[counting], weight[counting], int(max(a_id.max(initial=0), b_id.max(initial=0))) + 1
        )
        for side in (a_id, b_id)
    )
    return np.flatnonzero((partners[a_id] >= ENOUGH * 1000) | (partners[b_id] >= ENOUGH * 1000))


def _circles(db: Database, a_id: np.ndarray, b_id: np.ndarray) -> Circles:
    """The links between these hosts; samples as sql/detect/62_collective draws them."""
    hosts = (
        db.arrays("SELECT host_id FROM host_stats ORDER BY hash(host_rank), host_rank")["host_id"]
        if len(a_id)
        else np.zeros(0, np.int32)
    )
    order = np.zeros(int(hosts.max(initial=-1)) + 1, np.int64)
    order[hosts] = np.arange(len(hosts))
    chosen, place = np.unique(np.concatenate([a_id, b_id]), return_inverse=True)
    return Circles(
        place[: len(a_id)], place[len(a_id) :], np.argsort(np.argsort(order[chosen])), MOST
    )
