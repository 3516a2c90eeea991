"""Rankings by one kind of evidence, in the manner of Bharat, Broder, Dean & Henzinger (2000).

Invariant: each reads what the database has and nothing else. Their evidence that is
there: IP addresses, host names, full paths, path prefixes and word bigrams of paths (URL strings),
and links between and out of the two hosts where a load brought them (connectivity). Not there:
whole connectivity, for only crawled pages' links are known. Documents ("bharat-docs") stand in for
their content test on sampled pages.

URL-string terms are weighted as the paper weighs paths (section 3.1): 1 + ln(100 / df), terms on
more than 100 hosts are left out, two hosts are compared by cosine. The feature ``fullpath`` is
Bharat's "paths".
"""

from __future__ import annotations

from functools import partial

import numpy as np

from replicadb.evaluation.context import Context
from replicadb.evaluation.methods.method import Method, NotHere, Scored

MOST_HOSTS = 100
"""Hosts of a term; more common ones are left out (docs/method.md#fullpath)."""
SCALE = 1 << 20

PREFIXES = """
    SELECT DISTINCT host_id, hash(list_aggregate(segments[:i], 'string_agg', '/')) AS term
    FROM (
        SELECT DISTINCT host_id, string_split(split_part(path, '?', 1)[2:], '/') AS segments
        FROM compared_urls
    ), LATERAL (SELECT unnest(range(1, least(len(segments), 6))) AS i)"""
"""Directories of each host: /a, /a/b, ... up to five deep, without the last segment."""

SHINGLES = """
    SELECT DISTINCT host_id, hash(words[i], words[i + 1], i) AS term
    FROM (
        SELECT DISTINCT
            host_id,
            list_filter(
                regexp_split_to_array(lower(path), '[^a-z0-9]+'), lambda w: w <> ''
            ) AS words
        FROM compared_urls
    ), LATERAL (SELECT unnest(range(1, least(len(words), 12))) AS i)"""
"""Pairs of neighbouring words of each path with their position (positional bigrams)."""


def by_address(context: Context) -> Scored:
    """The same address (ip4), then the same network (ip3); unknown addresses are no evidence."""
    ip4, ip3 = (np.nan_to_num(context.column(name), nan=0.0) for name in ("ip4", "ip3"))
    return Scored(ip4 + ip3 / 1e6)


def by_host_name(context: Context) -> Scored:
    """Terms of the host name by how few names have them (nmatch), then the nearer name (ndist)."""
    return Scored(context.column("nmatch") - context.column("ndist") / 1e6)


def by_terms(terms: str, context: Context) -> Scored:
    """Cosine over terms of the hosts' paths.

    Args:
        terms: a query of host_id, term (distinct).
    """
    db = context.db
    with db.temporary():
        db.execute(f"""
            CREATE TEMP TABLE url_terms AS
            SELECT
                host_id,
                term,
                df,
                round((1 + ln({MOST_HOSTS} / df)) ** 2 * {SCALE})::BIGINT AS weight2
            FROM (
                SELECT host_id, term, count(*) OVER (PARTITION BY term) AS df FROM ({terms})
            )
            WHERE df <= {MOST_HOSTS}""")
        found = db.arrays("""
            WITH norms AS (
                SELECT host_id, sum(weight2)::DOUBLE AS norm2 FROM url_terms GROUP BY host_id
            ),
            common AS (SELECT * FROM url_terms WHERE df > 1),
            wanted AS (
                SELECT a_id, b_id, least(a_id, b_id) AS low, greatest(a_id, b_id) AS high
                FROM pair_features
            ),
            shared AS (
                SELECT w.a_id, w.b_id, sum(x.weight2)::DOUBLE AS together
                FROM common AS x
                JOIN common AS y ON x.term = y.term AND x.host_id < y.host_id
                JOIN wanted AS w ON w.low = x.host_id AND w.high = y.host_id
                GROUP BY w.a_id, w.b_id
            )
            SELECT s.a_id, s.b_id, s.together / sqrt(a.norm2 * b.norm2) AS cosine
            FROM shared AS s
            JOIN norms AS a ON a.host_id = s.a_id
            JOIN norms AS b ON b.host_id = s.b_id""")
    return Scored(context.aligned(found["a_id"], found["b_id"], found["cosine"], 0.0))


def by_links(name: str, context: Context) -> Scored:
    """What both hosts link to, or how far one names the other (columns of pair_features); unknown
    is no evidence.

    Raises:
        NotHere: no load brought such links.
    """
    if name not in context.evidence or np.isnan(context.column(name)).all():
        raise NotHere(
            "no links in the database; load with links (replicadb load --links) to have it"
        )
    return Scored(np.nan_to_num(context.column(name), nan=0.0))


def by_documents(context: Context) -> Scored:
    """How many contents both have, out of the smaller host's dup-clusters."""
    clusters = context.db.arrays("SELECT host_id, n_clusters FROM host_stats")
    size = np.ones(context.n_ids)
    size[clusters["host_id"]] = np.maximum(clusters["n_clusters"], 1)
    return Scored(context.column("shared") / np.minimum(size[context.a], size[context.b]))


METHODS = (
    Method("bharat-ip", "IP addresses (Bharat et al. 2000)", "single", by_address),
    Method("bharat-host", "terms of host names (Bharat et al. 2000)", "single", by_host_name),
    Method(
        "bharat-prefixes",
        "path prefixes (Bharat et al. 2000)",
        "single",
        partial(by_terms, PREFIXES),
    ),
    Method(
        "bharat-shingles",
        "word bigrams of paths (Bharat et al. 2000)",
        "single",
        partial(by_terms, SHINGLES),
    ),
    Method(
        "bharat-links",
        "shared out-links (Bharat et al. 2000)",
        "single",
        partial(by_links, "link_overlap"),
    ),
    Method(
        "canonical",
        "canonical links and redirects to the other host",
        "single",
        partial(by_links, "canonical"),
    ),
    Method(
        "bharat-docs",
        "contents of the smaller host shared (Bharat et al. 2000)",
        "single",
        by_documents,
    ),
)
