"""What stood where in files of older schemas: what an upgrade may take for replicadb's own.

Invariant: everything that a file of this version has is in SINCE. Whatever else stands in an
older file, or stands there by a name that came later, somebody has made.
"""

from __future__ import annotations

import re

from replicadb.errors import DataError

FIRST = "main"
"""The schema of the dozen things that a person wants first: what ``SHOW TABLES`` shows."""
INTERNAL = "internal"
"""The schema of tables that are not meant for people: ``SHOW TABLES`` leaves them out."""
SCHEMAS_APART = 10
"""From this version on most tables stand in INTERNAL."""
PEOPLE_S_APART = 16
"""From this version on what is meant for people but not first stands in schemas of its own. Since
then ``main`` has in it what it has now, and else what somebody made there, of whatever name.
"""
SAME_RESULTS = 31
"""From this version on files differ in views, macros and tables of loads that may be missing: those
are made anew, and all that was detected is kept.
"""
ASIDE = "put_aside"
"""The key of ``meta`` under which stands what a detection puts aside until its end
(``put_aside.py``).
"""
SINCE = {
    name: version
    for version, names in {
        5: """anchors cluster_hosts cuts dup_clusters em_history evidence_interactions
            evidence_weights fingerprints host_ips host_stats hosts link_skips links loads matches
            members meta named_ips near_contents non_replicas origins outlinks page_clusters
            page_contents page_fields page_terms pair_features pattern_scores patterns ranking
            rejects render_problems rendered_pages rewrite_rules rewrites runs settings shared_paths
            shared_tails skips sources stages superseded terms urls
            candidate_pairs canonical_urls descriptions flagged_hosts inter_site_duplicates
            intra_site_duplicates near_duplicates obvious_replicas page_matches pages pair_patterns
            replica_groups replicas rule_supports skipped_clusters
            evidence_of projected_training_set shared_pages""",
        7: "partners",
        9: "host_digests",
        11: "host_named page_urls pages_to_fetch",
        12: "held held_hosts revisits",
        14: "copies named_run_hosts named_run_pairs named_runs run_hosts run_pairs start_here",
        15: "decided decisions given_decisions pins unused_decisions",
        17: "shared_neighbours",
        18: """host_identifiers identifiers kind_of left_out may_be shared_identifiers
            site_identifiers""",
        25: "later_failures",
        31: "page_languages",
        33: "earlier_captures",
        36: "mass_copies",
        37: "contents_of",
    }.items()
    for name in names.split()
}
"""The schema version from which a file has a table, view or macro; 5 is the first that is brought
up to date. ``partners`` are now shared_neighbours.
"""


def stood(name: str, schema: str, version: int) -> str | None:
    """The schema in which a file of that version had what now stands in ``schema``; None: it had
    none of that name.
    """
    if SINCE[name] > version:
        return None
    once = version < (SCHEMAS_APART if schema == INTERNAL else PEOPLE_S_APART)
    return FIRST if once or schema == FIRST else schema


def number_of(version: str | None, path: str) -> int:
    """The schema version that a file says.

    Raises:
        DataError: it says what is no number.
    """
    if version is None or not re.fullmatch("[0-9]{1,9}", version):
        raise DataError(
            f"{path}: damaged: its schema is {(version or '')[:40]!r}, no number; copy it anew, or"
            " load the crawl into a new file: replicadb load NEW SOURCE"
        )
    return int(version)
