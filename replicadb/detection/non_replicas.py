"""Stage 30: obvious non-replicas, sampled, which published methods learn NU data from."""

from __future__ import annotations

from typing import Any

from replicadb.detection import blocking
from replicadb.detection.pair_features import PairNames, insert_features
from replicadb.settings import Settings
from replicadb.store.database import Database


def non_replicas(db: Database, settings: Settings) -> dict[str, Any]:
    """Fill non_replicas (sql/detect/30_non_replicas) for a published method. Its features are
    those of pair_features; method robust leaves the table empty.
    """
    if not settings.published:
        return {}
    parameters = blocking.parameters_of(settings, non_replicas=True, low=0, high=2**31 - 1)
    parameters |= {"negatives": settings.negatives, "seed": str(settings.seed)}
    with db.temporary():
        blocking.every_host(db)
        blocking.prepare(db, parameters)
        _draw(db, settings, parameters)
        db.run("detect/35_shared_evidence", parameters, only="non_replicas_evidence")
        with PairNames(db) as names:
            insert_features(db, names, parameters, "non_replicas")
    return {"obvious_non_replicas": db.value("SELECT count(*) FROM non_replicas")}


def _draw(db: Database, settings: Settings, parameters: dict[str, Any]) -> None:
    """Put the sampled pairs into content_pairs: of some more draws than wanted, or where too few
    are left of twice as many.
    """
    wanted = min(settings.max_negatives, db.value("SELECT count(*) FROM pair_features") // 2)
    for draws in (min(wanted + wanted // 10 + 100, 2 * wanted), 2 * wanted):
        given = parameters | {"wanted": wanted, "draws": draws}
        db.run("detect/30_non_replicas", given)
        if db.value("SELECT count(*) FROM content_pairs") == wanted:
            break
