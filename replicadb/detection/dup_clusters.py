"""Stage 10: which pages are the same, and what that says of each host.

Invariant: nothing of an earlier detection is lost before the pairs to come are counted and
allowed.
"""

from __future__ import annotations

from typing import Any

from replicadb.detection import blocking, incremental
from replicadb.near_duplicates import near_duplicate_run
from replicadb.settings import PAGE_TYPES, WEIGHT_SCALE, Settings
from replicadb.store.database import Database
from replicadb.store.statements import statements
from replicadb.web import bare_titles

PAGES = "detect/14_host_pages"


def dup_clusters(db: Database, settings: Settings) -> dict[str, Any]:
    """Which pages are the same (sql/detect/12_dup_clusters to sql/detect/16_shared_paths), by
    fingerprint or, with ``clusters``, by cluster of near duplicates (sql/detect/10_contents).
    """
    with db.temporary():
        near = _contents(db, settings)
        _host_stats(db, settings)
        blocking.expected_pairs(db, settings)  # refused here, nothing of an earlier one is lost
    hosts, clusters, inter = db.rows(
        "SELECT (SELECT count(*) FROM host_stats), count(*), count(*) FILTER (n_hosts > 1)"
        " FROM dup_clusters"
    )[0]
    incremental.stash(db, settings)
    return {"hosts": hosts, "dup_clusters": clusters, "inter_site_clusters": inter} | near


def _contents(db: Database, settings: Settings) -> dict[str, int]:
    """Make the view ``contents``: what counts as the content of a URL (sql/detect/10_contents)."""
    pages = ("pages_alone", "hosts_with_pages")
    for name in ("with_assets", "all_hosts") if settings.reads_assets else pages:
        db.run("detect/10_contents", only=name)
    if settings.clusters is None:
        db.run("detect/10_contents", only="contents_by_fingerprint")
        return {}
    return {"near_contents": near_duplicate_run.near_contents(db, settings.clusters)}


def _host_stats(db: Database, settings: Settings) -> None:
    parameters = {
        "scale": WEIGHT_SCALE,
        "path_max_hosts": settings.path_max_hosts,
        "page_types": list(PAGE_TYPES),
    }
    with db.temporary(keep=["host_contents"]):
        db.run("detect/12_dup_clusters", parameters)
    db.execute(_host_pages(db), {"page_types": parameters["page_types"]}, f"{PAGES}: host_pages")
    db.run("detect/16_shared_paths", parameters)


def _host_pages(db: Database) -> str:
    """The statement that makes host_pages. Where no page has a title, or no host two origins, what
    it says of these is not planned.
    """
    query = statements(PAGES)["host_pages"]
    if not db.value("SELECT count(*) FROM (FROM urls WHERE title_hash IS NOT NULL LIMIT 1)"):
        query = query.replace(bare_titles.ctes("contents"), bare_titles.NONE)
    if not db.value("SELECT count(*) > count(DISTINCT host_id) FROM origins"):
        query = query.replace("FROM once UNION ALL BY NAME FROM chosen", "FROM once")
    return query
