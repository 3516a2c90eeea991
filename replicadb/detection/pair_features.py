"""Stages 20 and 30: every candidate pair with its features, slice by slice; and the sampled obvious
non-replicas, if they are learned from.

Always true here: a slice holds all pairs of the hosts a from one place to another, so pairs of
different slices never meet and memory hangs on the slice, not on the crawl; the result does not
depend on where the slices are cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from replicadb.detection import compared, incremental
from replicadb.detection.host_names import Names
from replicadb.errors import LimitError
from replicadb.settings import WEIGHT_SCALE, Settings
from replicadb.store.database import Database
from replicadb.store.statements import statements

SLICE_ROWS = 4_500_000
"""Rows of the joins that a slice may open, before distinct; about 1 GB."""


def expected_pairs(db: Database, settings: Settings) -> int:
    """Cost before work: how many pairs the joins will make, summed over clusters or paths.

    Raises:
        LimitError: more than ``max_pairs``.
    """
    name = "expected_pairs"
    if settings.reference is not None:
        compared.old_hosts(db, settings.reference)
        name = "expected_pairs_with_reference"
    by_content, by_path = db.rows(
        statements("detect/22_candidate_pairs")[name], {"cap": settings.max_cluster_hosts}
    )[0]
    expected = {"content": by_content, "path": by_path, "either": by_content + by_path}[
        settings.candidates
    ]
    if settings.max_pairs and expected > settings.max_pairs:
        raise LimitError(
            f"{expected:,} candidate pairs would come (summed over clusters), more than --max-pairs"
            f" {settings.max_pairs:,}; raise it, or lower --max-cluster-hosts"
            f" {settings.max_cluster_hosts:,}"
        )
    return expected


def pair_features(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill pair_features (sql/detect/22_candidate_pairs to sql/detect/40_pair_features). Says how
    many pairs will come before making them.

    Raises:
        LimitError: more than ``max_pairs``.
    """
    expected = expected_pairs(db, settings)
    parameters = {
        "scale": WEIGHT_SCALE,
        "cap": settings.max_cluster_hosts,
        "candidates": settings.candidates,
        "min_shared": settings.min_shared,
        "path_max_hosts": settings.path_max_hosts,
        "negative": False,
    }
    if settings.reference is not None:
        parameters |= compared.with_reference(db, settings.reference)
        _prepare(db, parameters)
        incremental.drop(db)
        told = _sides(db)
    else:
        parameters |= compared.every_host(db)
        _prepare(db, parameters)
        told = _kept(db, settings, parameters)
    measured = _Measured(db)
    for low, high in slices(db, parameters):
        _measure(db, measured, parameters | {"low": low, "high": high})
    measured.forget()
    incremental.remember(db, settings)
    _forget(db)
    skipped = db.value(
        "SELECT count(*) FROM dup_clusters WHERE $cap > 0 AND n_hosts > $cap",
        {"cap": settings.max_cluster_hosts},
    )
    db.execute(
        "INSERT OR REPLACE INTO settings VALUES ('max_cluster_hosts', ?)",
        [settings.max_cluster_hosts],
    )
    candidates, obvious = db.rows(
        "SELECT count(*), count(*) FILTER (label = 1) FROM pair_features"
    )[0]
    return told | {
        "expected_pairs": expected,
        "candidate_pairs": candidates,
        "skipped_clusters": skipped,
        "obvious_replicas": obvious,
    }


def non_replicas(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill non_replicas (sql/detect/30_non_replicas) for method paper: some more draws than wanted,
    or where too few are left twice as many.
    """
    if settings.method != "paper":
        return {}
    parameters = {
        "scale": WEIGHT_SCALE,
        "cap": settings.max_cluster_hosts,
        "candidates": settings.candidates,
        "min_shared": settings.min_shared,
        "path_max_hosts": settings.path_max_hosts,
        "negative": True,
        "negatives": settings.negatives,
        "seed": str(settings.seed),
        "low": 0,
        "high": 2**31 - 1,
    }
    compared.every_host(db)
    _prepare(db, parameters)
    wanted = min(settings.max_negatives, db.value("SELECT count(*) FROM pair_features") // 2)
    for draws in (min(wanted + wanted // 10 + 100, 2 * wanted), 2 * wanted):
        for name in ("drawn", "drawn_pairs", "negatives"):
            db.run(
                "detect/30_non_replicas", parameters | {"wanted": wanted, "draws": draws}, only=name
            )
        if db.value("SELECT count(*) FROM content_pairs") == wanted:
            break
    db.run("detect/35_shared_evidence", parameters, only="negatives_evidence")
    measured = _Measured(db)
    _features(db, measured, parameters, "non_replicas")
    measured.forget()
    _forget(db)
    return {"obvious_non_replicas": db.value("SELECT count(*) FROM non_replicas")}


def _kept(db: Database, settings: Settings, parameters: dict[str, Any]) -> dict[str, int]:
    """Where most pairs of the last detection still hold, only those of touched hosts are left to
    make; says how many hosts those are.
    """
    first = incremental.take_up(db, settings)
    if first is None:
        return {}
    parameters |= first
    if first["last"]:
        _prepare(db, parameters)
    return {"touched_hosts": first["last"]}


def _sides(db: Database) -> dict[str, int]:
    """With a reference load: how many hosts are old, and how many new."""
    old, every = db.rows("SELECT (SELECT count(*) FROM old_hosts), (SELECT count(*) FROM hosts)")[0]
    return {"reference_hosts": old, "new_hosts": every - old}


PREPARED = {
    "detect/22_candidate_pairs": ("cluster_keys", "path_keys"),
    "detect/35_shared_evidence": (
        "tail_keys",
        "tokens",
        "named_places",
        "directed_pairs",
        "token_norms",
    ),
    "detect/40_pair_features": ("host_addresses", "sides"),
}
"""What holds for all slices: temporary tables by the file that makes them."""
SLICED = ("content_pairs", "shared_evidence", "common_addresses")
"""Temporary tables made anew for each slice."""


def _prepare(db: Database, parameters: dict[str, Any]) -> None:
    db.run("functions/10_hashes")
    for stem, tables in PREPARED.items():
        for table in tables:
            db.run(stem, parameters, only=table)
    units = db.arrays(
        statements("detect/40_pair_features")["units"],
        {"scale": WEIGHT_SCALE, "path_max_hosts": parameters["path_max_hosts"]},
    )
    parameters |= {name: float(values[0]) for name, values in units.items()}


def slices(db: Database, parameters: dict[str, Any]) -> list[tuple[int, int]]:
    """Ranges of places, (low, high) both included, that open about SLICE_ROWS join rows each (and
    one host's at most beside).
    """
    costs = db.arrays(
        statements("detect/22_candidate_pairs")["costs"],
        {"candidates": parameters["candidates"], "last": parameters["last"]},
    )
    if not len(costs["n"]):
        return []
    piece = (np.cumsum(costs["n"]) - 1) // SLICE_ROWS
    starts = np.flatnonzero(np.r_[True, piece[1:] != piece[:-1]])
    lows = costs["place"][starts].tolist()
    return list(zip(lows, [low - 1 for low in lows[1:]] + [int(costs["place"][-1])], strict=True))


class _Measured:
    """What SQL reads as measured_pairs: content_pairs with the likeness of their names, of the
    slice at hand.

    Registered once and filled anew for each slice: DuckDB holds whatever was registered until the
    transaction ends.
    """

    def __init__(self, db: Database) -> None:
        self._db, self._names = db, Names(db, WEIGHT_SCALE)
        self._table: pa.Table | None = None

    def take(self) -> None:
        """Hold what content_pairs has now."""
        first, self._table = (
            self._table is None,
            self._names.with_likeness(self._db.arrow("FROM content_pairs")),
        )
        if first:
            self._db.con.register("measured_pairs", self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def forget(self) -> None:
        """Give the memory back."""
        if self._table is not None:
            self._db.con.unregister("measured_pairs")
            self._table = self._table.schema.empty_table()  # a slice of it would hold its memory


def _measure(db: Database, measured: _Measured, parameters: dict[str, Any]) -> None:
    """One slice: its candidates, what they share besides, their features."""
    db.run("detect/22_candidate_pairs", parameters, only="content_pairs")
    if parameters["candidates"] != "content":
        db.run("detect/22_candidate_pairs", parameters, only="path_candidates")
    with db.joined_as_written():  # the slice's pairs are looked up, not what is looked up in them
        db.run("detect/35_shared_evidence", parameters, only="shared_evidence")
    _features(db, measured, parameters)


def _features(
    db: Database, measured: _Measured, parameters: dict[str, Any], table: str = "pair_features"
) -> None:
    """Measure what is in content_pairs, into that table."""
    db.run("detect/40_pair_features", only="common_addresses")
    measured.take()
    with (
        db.joined_as_written()
    ):  # pairs stream past what is known of hosts and of the few pairs that share more
        db.insert(table, "detect/40_pair_features", parameters, only="features")


def _forget(db: Database) -> None:
    compared.forget(db)
    for table in (
        *(t for tables in PREPARED.values() for t in tables),
        *SLICED,
        "drawn",
        "drawn_pairs",
    ):
        db.execute(f"DROP TABLE IF EXISTS {table}")
