"""Links of the pages of one source: redirects, canonical links and out-links, set at a time.

Invariant: a link leads from a page that is kept (a redirect: from a URL that is none) to an
http(s) URL in the normal form of ``urls``; what cannot is counted in ``link_skips``, so that links
found = links counted + skipped; no link stops a load. The SQL is sql/load/50_links.
"""

from __future__ import annotations

from replicadb.load.host_splitting import split_names
from replicadb.load.odd_urls import parse_redirects
from replicadb.settings import URL_MAX_BYTES
from replicadb.store.database import Database
from replicadb.store.distinct import map_distinct
from replicadb.store.statements import statements
from replicadb.web.urls import parse_url, resolve

LINK_KINDS = ("redirect", "canonical", "link")
PARSED = ("origin", "host_name", "path", "reason")
INSERTS = ("insert_redirects", "insert_canonicals", "insert_outlinks", "insert_skips")


def store_links(db: Database, source_id: int, site: str) -> dict[str, int]:
    """From ``staged`` and ``captures`` to links, outlinks and link_skips.

    Returns:
        by kind (LINK_KINDS) how many links were stored, and ``left_out``, how many were not.
        Out-links count for each page that has them, the same target twice on a page once.
    """
    found = (
        *db.rows("SELECT count(links), count(canonical) FROM staged")[0],
        db.value("SELECT count(*) FROM summary WHERE outcome = 'skip: redirect'"),
    )
    counts = dict.fromkeys((*LINK_KINDS, "left_out"), 0)
    if not any(found):
        return counts
    given = {"source_id": source_id, "site": site, "max_bytes": URL_MAX_BYTES}
    db.run_once("functions/40_link_targets")
    db.run("load/50_links", given, only="linking")
    parse_redirects(db)
    _resolve_targets(db, given)
    named = (
        statements("load/50_links")["target_names"]
        if site == "domain"
        else "SELECT NULL::VARCHAR AS host_name WHERE false"
    )
    split_names(db, named)
    for name in INSERTS:
        db.run("load/50_links", given, only=name)
    counts |= dict(
        db.rows("SELECT kind, count(*) FROM links WHERE source_id >= ? GROUP BY kind", [source_id])
    )
    counts["link"] = int(
        db.value("SELECT coalesce(sum(pages), 0) FROM outlinks WHERE source_id >= ?", [source_id])
    )
    counts["left_out"] = int(
        db.value("SELECT coalesce(sum(n), 0) FROM link_skips WHERE source_id >= ?", [source_id])
    )
    return counts


def _resolve_targets(db: Database, given: dict[str, object]) -> None:
    """Make ``link_groups`` and ``page_canonicals``; odd targets by the WHATWG parser, distinct ones
    only.
    """
    named = statements("load/50_links")
    db.run("load/50_links", only="base_pairs")
    map_distinct(
        db, "SELECT DISTINCT pair FROM base_pairs", "base_parsed", ("pair", *PARSED), resolve
    )
    for name in ("link_bases", "page_links", "link_groups", "page_canonicals"):
        db.run("load/50_links", given, only=name)
    map_distinct(db, named["odd_targets"], "target_parsed", ("u", *PARSED), parse_url)
    if db.value("SELECT count(*) FROM target_parsed"):
        for name in ("odd_counts", "count_odd", "add_odd"):
            db.run("load/50_links", only=name)
