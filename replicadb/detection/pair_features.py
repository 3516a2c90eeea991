"""Stage 20: every candidate pair with its features, slice by slice.

Invariant: a slice holds all pairs of the hosts a from one place to another, so pairs of
different slices never meet and memory depends on the slice, not on the crawl.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from replicadb.detection import blocking, incremental
from replicadb.detection.name_similarity import Names
from replicadb.settings import WEIGHT_SCALE, Settings
from replicadb.store.arrow import put_values
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.under_way import each

STEM = "detect/40_pair_features"


def pair_features(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill pair_features (sql/detect/20_comparison_order to sql/detect/40_pair_features).

    Raises:
        LimitError: more pairs would come than ``max_pairs`` allows; nothing is made.
    """
    with db.temporary():
        expected = blocking.expected_pairs(db, settings)
        parameters = blocking.parameters_of(settings, non_replicas=False)
        hosts = _prepare(db, settings, parameters)
        with PairNames(db) as names:
            for low, high in each("", blocking.slices(db, parameters), "slices"):
                _insert_slice(db, names, parameters | {"low": low, "high": high})
        incremental.remember(db, settings)
    skipped = db.value(
        "SELECT count(*) FROM dup_clusters WHERE $cap > 0 AND n_hosts > $cap",
        {"cap": settings.max_cluster_hosts},
    )
    put_values(db, "settings", {"max_cluster_hosts": str(settings.max_cluster_hosts)})
    candidates, obvious = db.rows(
        "SELECT count(*), count(*) FILTER (label = 1) FROM pair_features"
    )[0]
    return hosts | {
        "expected_pairs": expected,
        "candidate_pairs": candidates,
        "skipped_clusters": skipped,
        "obvious_replicas": obvious,
    }


def _prepare(db: Database, settings: Settings, parameters: dict[str, Any]) -> dict[str, int]:
    """Make what all slices read, of the hosts that are to be compared; returns how many those are,
    where they are not all.
    """
    if settings.reference is not None:
        parameters |= blocking.with_reference(db, settings.reference)
        blocking.prepare(db, parameters)
        incremental.drop(db)
        old, every = db.rows(
            "SELECT (SELECT count(*) FROM old_hosts), (SELECT count(*) FROM hosts)"
        )[0]
        return {"reference_hosts": old, "new_hosts": every - old}
    parameters |= blocking.every_host(db)
    blocking.prepare(db, parameters)
    changed = incremental.restore(db, settings)
    if changed is None:
        return {}
    parameters |= changed
    if changed["last"]:
        blocking.prepare(db, parameters)
    return {"changed_hosts": changed["last"]}


def _insert_slice(db: Database, names: PairNames, parameters: dict[str, Any]) -> None:
    """One slice: its candidates, what else they share, their features."""
    db.run("detect/22_candidate_pairs", parameters, only="content_pairs")
    if parameters["candidates"] != "content":
        db.run("detect/22_candidate_pairs", parameters, only="path_candidates")
    with db.joined_as_written():  # the slice's pairs are looked up, not what is looked up in them
        db.run("detect/35_shared_evidence", parameters, only="shared_evidence")
    insert_features(db, names, parameters, "pair_features")


def insert_features(db: Database, names: PairNames, parameters: dict[str, Any], table: str) -> None:
    """Put the pairs in content_pairs into that table, with all their features."""
    several = db.value("SELECT count(*) FROM (FROM host_addresses WHERE n > 1 LIMIT 1)")
    common = "common_addresses" if several else "no_common_addresses"
    db.run(STEM, only=common)
    names.compare()
    with db.joined_as_written():  # pairs stream past what is known of hosts
        db.insert(table, _features(db), parameters, f"{STEM}: features")


def _features(db: Database) -> str:
    """The query of the features. Where no host has files, its step ``compared`` changes nothing and
    is passed over: what nobody reads is not planned.
    """
    query = statements(STEM)["features"]
    if db.value("SELECT count(*) FROM (FROM host_norms WHERE asset_weight > 0 LIMIT 1)"):
        return query
    return query.replace("FROM compared\n", "FROM known\n")


class PairNames:
    """What SQL reads as ``compared_pairs``: content_pairs with ndist and nmatch, of the slice at
    hand.

    Registered once and filled anew for each slice: DuckDB holds whatever was registered until the
    transaction ends. At the end of a ``with`` block the memory is given back.
    """

    def __init__(self, db: Database) -> None:
        self._db, self._names = db, Names(db, WEIGHT_SCALE)
        self.table: pa.Table | None = None

    def compare(self) -> None:
        """Compare the names of what content_pairs has now; what a slice before left goes first."""
        first = self.table is None
        if self.table is not None:
            self.table = self.table.schema.empty_table()
        self.table = self._names.with_similarity(self._db.arrow("FROM content_pairs"))
        if first:
            self._db.register("compared_pairs", self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        assert self.table is not None
        return self.table.__arrow_c_stream__(requested_schema)

    def __enter__(self) -> PairNames:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if self.table is not None:
            if not failed:  # in a failed transaction nothing can be dropped
                self._db.con.unregister("compared_pairs")
            self.table = self.table.schema.empty_table()  # a slice of it would hold its memory
