"""Candidates counted by their match weight without names, and how many of them have alike names or
addresses: a second view, which has no say in that match weight (docs/robust.md#second-view).

Where no address is known there is no second view: alike names alone are too few to tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicadb.arrays import Array, Floats
from replicadb.detection.bins import bin_expressions
from replicadb.detection.collective import MILLION
from replicadb.detection.evidence import OF_FILES, about
from replicadb.learning.additive_lookup import Lookup
from replicadb.learning.crossing import AGREEING, AGREEING_PAGES, SEEN_FROM, USUAL
from replicadb.settings import WEIGHT_SCALE
from replicadb.stage_constants import CALIBRATION
from replicadb.store.database import Database

OF_NAMES, OF_NETWORKS = about("alike names"), about("alike networks")
"""Evidence by names, and by addresses."""


@dataclass(frozen=True)
class Counted:
    """Candidates by match weight without names and networks, of those that ``crossing`` counts."""

    strength: Floats
    """(m,) match weights; one may be there more than once."""
    n: Floats
    """(m,) candidates of each; those of hosts with many count for less."""
    alike: Floats
    """(m,) those of them on one network or with alike names; in either case of hosts that share
    pages and mostly agree at equal paths, as the evidence ``names_alike`` asks. None where no two
    are on one network.
    """
    agree: Floats
    """(m,) by how much they agree at equal paths, beyond AGREEING and summed. One page in common
    may be chance, whatever its path: such a pair counts as one half, as one without an equal path.
    """


def counted_without_names(db: Database, model: Lookup) -> Counted:
    """What the temporary table ``scored`` says, without what names and networks add. Of a host with
    more than ``most_counted`` candidates all of them together count for so many: a wildcard of a
    thousand names is half a million pairs, and would say alone where replicas begin.
    """
    cuts = {name: model.cuts[name] for name in OF_NAMES + OF_NETWORKS if name in model.features}
    binned, parameters = bin_expressions(cuts)
    column = db.arrays(
        f"""WITH counted AS (
            SELECT a_id, b_id, score_id FROM scored WHERE score_id >= $seen_from
        ),
        ends AS (
            SELECT unnest([a_id, b_id]) AS host_id FROM counted WHERE score_id >= $lowest
        ),
        degrees AS (
            SELECT host_id, count(*) AS n
            FROM ends
            GROUP BY host_id
            HAVING count(*) > $most
        )
        SELECT {", ".join(filter(None, ["score_id", binned]))},
            coalesce(network_alike > 0, false) AS near,
            sum(round(counts))::BIGINT / $scale AS n,
            sum(round(counts * (
                CASE WHEN evidence > 1 THEN coalesce(agreement::DOUBLE, 0.5) ELSE 0.5 END
                - $agreeing
            )))::BIGINT / $scale AS agree
        FROM (
            SELECT *, $scale::DOUBLE * $most / sqrt(
                greatest(coalesce(x.n, 0), $most)::DOUBLE * greatest(coalesce(y.n, 0), $most)
            ) AS counts
            FROM counted
            JOIN pair_features USING (a_id, b_id)
            LEFT JOIN degrees AS x ON x.host_id = a_id
            LEFT JOIN degrees AS y ON y.host_id = b_id
        )
        GROUP BY ALL ORDER BY ALL""",
        {
            "seen_from": int(SEEN_FROM * MILLION),
            "lowest": int(USUAL.lowest * MILLION),
            "most": CALIBRATION.most_counted,
            "scale": WEIGHT_SCALE,
            "agreeing": AGREEING if OF_FILES in model.features else AGREEING_PAGES,
            **parameters,
        },
    )
    by_names, by_networks = (
        _by_evidence(model, column, [name for name in names if name in cuts])
        for names in (OF_NAMES, OF_NETWORKS)
    )
    near = column["near"]
    alike = np.where(near | (by_names > 0), column["n"], 0) if near.any() else 0 * column["n"]
    strength = column["score_id"] / MILLION - by_names - by_networks
    return Counted(strength, column["n"], alike, column["agree"])


def _by_evidence(model: Lookup, column: dict[str, Array], names: list[str]) -> Floats:
    """What these pieces of evidence add to each match weight, over what they add if unknown."""
    added = np.zeros(len(column["n"]))
    for name in names:
        weights = model.tables.single[model.features.index(name)]
        added += weights[column[name]] - weights[0]
    return added
