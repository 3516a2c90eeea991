"""Stage 70: flagged pairs into groups, which host of each group to keep, and which drops are held
back.

Invariant: every dropped host is itself flagged as a copy of the host that is kept, so no
chain of weak links can merge two sites; and a host is dropped, kept or reported, never two of
these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.arrays import Array, Floats, Ints
from replicadb.detection.blocking import old_hosts
from replicadb.detection.collective import MILLION
from replicadb.detection.decided_groups import Bindings
from replicadb.detection.drops import MEASURED, Doubts, Drops
from replicadb.detection.host_to_keep import REFERENCE, KeepOrder, keep_order
from replicadb.learning.star_clusters import nearest_groups, recentred, stars
from replicadb.near_duplicates.loaded_contents import stage_borrowed
from replicadb.settings import Settings
from replicadb.stage_constants import DROPS, KIND_NUMBERS
from replicadb.store.arrow import insert_arrow
from replicadb.store.database import Database
from replicadb.store.statements import statements

STEM = "detect/70_replica_groups"

DECIDED = 25e6
"""What a decided pair weighs: more than any probability."""


def replica_groups(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill ``members`` and ``held``: flagged pairs into groups, each with the host to keep
    (sql/detect/70_replica_groups).
    """
    with db.temporary():
        db.run(STEM, {"alike_names": KIND_NUMBERS.thin_names}, only="flagged_pairs")
        _branches(db)
        flagged = db.arrays(statements(STEM)["flagged_in_order"])
        if len(flagged["rank"]):
            _group(db, flagged, settings)
    counts = db.rows(statements(STEM)["counts"])[0]
    names = ("flagged_pairs", "replica_groups", "flagged_hosts", "held_back")
    return dict(zip(names, counts, strict=True))


def _branches(db: Database) -> None:
    """Make branded_pairs and branch_words, of flagged_pairs."""
    macros = "functions/55_branch_names"
    db.run(macros, only="letters_of")
    db.run(STEM, only="branded_pairs")
    others = db.value("SELECT count(*) FROM branded_pairs WHERE NOT one_name")
    if others > 1:
        db.run_once(macros)
    db.run(STEM, only="branch_words" if others > 1 else "no_branch_words")


def _group(db: Database, flagged: dict[str, Array], settings: Settings) -> None:
    """Groups, made anew without the pairs that hold a drop back until there is none."""
    order = keep_order(db, settings)
    a, b = order.place(flagged["a_id"]), order.place(flagged["b_id"])
    drops = Drops.of(
        a,
        b,
        flagged["probability"],
        flagged["translated"],
        settings,
        flagged["decided"],
        flagged["left_out"],
        Doubts(
            flagged["probability"] < DROPS.sure_probability,
            ~flagged["alike_names"],
            flagged["branches"],
        ),
    )
    bindings, old = Bindings.of(db, order), None
    bindings.keep(drops)
    if settings.reference is not None:
        old_hosts(db, settings.reference)
        old = np.isin(order.host_id, db.arrays("SELECT host_id FROM old_hosts")["host_id"])
    weight = _weights(flagged)
    stage_borrowed(db)
    for _ in range(DROPS.most_rounds * (2 if bindings.any else 1)):
        centre = _centres(drops, weight, order, old)
        if bindings.part(drops, centre, weight) or (old is None and bindings.tie(drops, centre)):
            continue
        if not drops.hold_back(db, drops.chosen(centre), order.host_id, settings.max_pairs):
            break
    # After the last round what it held back is in no group.
    ways = drops.chosen(centre)
    centre = np.arange(len(centre))
    centre[drops.host[ways]] = drops.keep[ways]
    _insert_members(db, drops, ways, centre, order, flagged, old is not None)
    _insert_held(db, drops, drops.holding(centre, old), order, flagged)


def _weights(flagged: dict[str, Array]) -> Floats:
    """(m,) what a flagged pair counts when centres are chosen, a positive whole number: its log
    odds in millionths; its score under method paper, which has no probabilities; DECIDED where a
    person said so.
    """
    p = np.clip(flagged["probability"].astype(float), 1e-9, 1 - 1e-9)
    odds = np.where(np.isnan(p), flagged["score"], np.maximum(np.log(p / (1 - p)), 0))
    return np.where(flagged["decided"], DECIDED, np.round(odds * MILLION) + 1)


def _centres(drops: Drops, weight: Floats, order: KeepOrder, old: Array | None) -> Ints:
    """(n,) each host's centre, by the ways that are open."""
    n, rows = len(order.host_id), np.flatnonzero(drops.open)
    host, keep, pair = drops.host[rows], drops.keep[rows], drops.pair[rows]
    if old is not None:
        rows = np.flatnonzero(old[keep] & ~old[host])
        rows = rows[np.argsort(pair[rows], kind="stable")]
        return nearest_groups(host[rows], keep[rows], weight[pair[rows]], n)[0]
    centre = stars(host, keep, weight[pair], order.tiers, n)
    return recentred(centre, host, keep)


def _insert_members(
    db: Database,
    drops: Drops,
    ways: Ints,
    centre: Ints,
    order: KeepOrder,
    flagged: dict[str, Array],
    reference: bool,
) -> None:
    """The hosts of groups, with their best pair: dropped ones by the way they go, kept ones by
    their members' best.
    """
    n = len(centre)
    best = np.full(n, len(flagged["rank"]), np.int64)
    best[drops.host[ways]] = drops.pair[ways]
    np.minimum.at(best, drops.keep[ways], drops.pair[ways])
    measured = np.full((n, len(MEASURED)), -1, np.int64)
    measured[drops.host[ways]] = drops.measured[ways]
    why = np.full(n, None, object)
    why[drops.host[ways]] = (
        REFERENCE
        if reference
        else order.why(drops.keep[ways], drops.host[ways], drops.why_held(drops.twin[ways]))
    )
    grouped = np.unique(np.concatenate([drops.host[ways], drops.keep[ways]]))
    _, group = np.unique(centre[grouped], return_inverse=True)
    insert_arrow(
        db,
        "members",
        {
            "group_id": group + 1,
            "host_id": order.host_id[grouped],
            "canonical_id": order.host_id[centre[grouped]],
            **_of_pair(flagged, best[grouped]),
            "kept_because": pa.array(why[grouped], pa.string()),
            **_of_pages(measured[grouped]),
        },
    )


def _insert_held(
    db: Database, drops: Drops, rows: Ints, order: KeepOrder, flagged: dict[str, Array]
) -> None:
    """Hosts that stay since their drop is held back, (k,) ways."""
    insert_arrow(
        db,
        "held",
        {
            "host_id": order.host_id[drops.host[rows]],
            "canonical_id": order.host_id[drops.keep[rows]],
            **_of_pair(flagged, drops.pair[rows]),
            "why": pa.array(drops.why_held(rows), pa.string()),
            **_of_pages(drops.measured[rows]),
        },
    )


def _of_pair(flagged: dict[str, Array], pair: Ints) -> dict[str, Any]:
    """Rank, score and probability of flagged pairs."""
    return {
        "rank": flagged["rank"][pair],
        "score": flagged["score"][pair],
        "probability": pa.array(flagged["probability"][pair], from_pandas=True),
    }


def _of_pages(measured: Ints) -> dict[str, Any]:
    """The columns of MEASURED; NULL where they were not measured."""
    return {
        name: pa.array(column, mask=column < 0)
        for name, column in zip(MEASURED, measured.T, strict=True)
    }
