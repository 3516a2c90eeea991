"""Stage 70: flagged pairs into groups, and which host of each group to keep.

Invariant: every dropped host is itself flagged as a copy of the host that is kept, so no
chain of weak links can merge two sites.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.detection.blocking import old_hosts
from replicadb.learning.star_clusters import nearest_groups, star_groups
from replicadb.settings import Settings
from replicadb.store.arrow import insert_arrow
from replicadb.store.database import Database

KEPT_FIRST = (
    "s.n_urls DESC, coalesce(split_part(h.host, '/', 1) IN (h.domain, 'www.' || h.domain), false)"
    " DESC, length(h.host), s.host_rank"
)
"""Order of hosts (h) with their stats (s), the one rather kept first: most URLs, a registered
domain (with or without www) before its subdomains, shortest name, byte order.
"""


def replica_groups(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill ``members``: flagged pairs into groups, each with the host to keep."""
    flagged = db.arrays(
        "SELECT r.a_id, r.b_id, r.rowid + 1 AS rank, s.probability,"
        " s.dominates / (SELECT count(*) FROM ranking) AS score"
        " FROM ranking AS r JOIN pattern_scores AS s USING (score_id)"
        " WHERE r.flagged ORDER BY r.rowid"
    )
    if len(flagged["rank"]):
        with db.temporary():
            _group(db, flagged, settings)
    counts = db.rows(
        "SELECT (SELECT count(*) FROM ranking WHERE flagged),"
        " (SELECT count(DISTINCT group_id) FROM members),"
        " (SELECT count(*) FROM members WHERE host_id <> canonical_id)"
    )[0]
    return dict(zip(("flagged_pairs", "replica_groups", "flagged_hosts"), counts, strict=True))


def _group(db: Database, flagged: dict[str, np.ndarray], settings: Settings) -> None:
    """Star groups among the flagged pairs, with a reference load around its hosts; hosts worth
    keeping come first.
    """
    hosts = db.arrays(
        f"""SELECT s.host_id FROM host_stats AS s JOIN hosts AS h USING (host_id)
        WHERE s.host_id IN (
            SELECT a_id FROM ranking WHERE flagged
            UNION ALL
            SELECT b_id FROM ranking WHERE flagged)
        ORDER BY {KEPT_FIRST}"""
    )["host_id"]
    place = np.empty(hosts.max() + 1, np.int64)
    place[hosts] = np.arange(len(hosts))
    a, b = place[flagged["a_id"]], place[flagged["b_id"]]
    nearness = np.arange(len(a), 0, -1.0)  # of the pairs, which are in order; 0 = no pair
    if settings.reference is None:
        centre, nearest = star_groups(a, b, nearness, len(hosts))
    else:
        old_hosts(db, settings.reference)
        old = np.isin(hosts, db.arrays("SELECT host_id FROM old_hosts")["host_id"])
        centre, nearest = nearest_groups(
            np.where(old[a], b, a), np.where(old[a], a, b), nearness, len(hosts)
        )
    in_group = np.zeros(len(hosts), bool)
    in_group[centre[centre != np.arange(len(hosts))]] = True
    in_group |= centre != np.arange(len(hosts))
    _, group = np.unique(centre[in_group], return_inverse=True)
    pair = len(a) - nearest[in_group].astype(np.int64)
    insert_arrow(
        db,
        "members",
        {
            "group_id": group + 1,
            "host_id": hosts[in_group],
            "canonical_id": hosts[centre[in_group]],
            "rank": flagged["rank"][pair],
            "score": flagged["score"][pair],
            "probability": pa.array(flagged["probability"][pair], from_pandas=True),
        },
    )
