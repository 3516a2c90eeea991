-- Views: what a person explores, in any DuckDB shell, without replicadb.
--
-- No view needs a Python function, a session setting or an extension. Hosts appear by name, a
-- before b in byte order. Every view and column is described in the database: SELECT * FROM
-- descriptions.
--
-- reads: cluster_hosts, decided, decisions, duckdb_columns, duckdb_functions, duckdb_tables,
--   duckdb_views, dup_clusters, held, host_stats, hosts, left_out, members, origins,
--   pair_features, shared_neighbours, pattern_scores, patterns, pins, ranking, settings, sources,
--   urls
-- writes: page_urls, pages, candidate_pairs, kind_of, may_be, replicas, replica_groups,
--   flagged_hosts, held_hosts, given_decisions, obvious_replicas, inter_site_duplicates,
--   intra_site_duplicates, skipped_clusters, mass_copies, rule_supports, descriptions
-- parameters: none

-- name: page_urls
-- The URLs that are pages: all that is read where nothing is said of other files.
CREATE OR REPLACE VIEW internal.page_urls AS
SELECT * EXCLUDE (asset) FROM internal.urls WHERE asset IS NOT true;

-- name: pages
CREATE OR REPLACE VIEW main.pages AS
SELECT
    o.origin || u.path AS url,
    h.host,
    u.path,
    u.fingerprint,
    u.fingerprint_kind,
    u.fetched_at,
    u.status,
    u.mime,
    u.length,
    u.title,
    u.user_id,
    s.source
FROM internal.page_urls AS u
JOIN internal.origins AS o USING (origin_id)
JOIN hosts AS h ON h.host_id = u.host_id
LEFT JOIN sources AS s USING (source_id);

-- name: candidate_pairs
CREATE OR REPLACE VIEW details.candidate_pairs AS
SELECT
    a.host AS host_a,
    b.host AS host_b,
    f.label = 1 AS obvious,
    f.shared,
    f.similarity,
    f.* EXCLUDE (a_id, b_id, label, shared, similarity)
FROM internal.pair_features AS f
JOIN hosts AS a ON a.host_id = f.a_id
JOIN hosts AS b ON b.host_id = f.b_id;

-- name: kind_of
-- What a pair with these features looks like, never NULL, made from replicadb/detection/kinds.py.
-- fill: replicadb.detection.kinds.macro

-- name: may_be
-- The probability from which a pair has a kind.
-- fill: replicadb.detection.kinds.least

-- name: replicas
-- The kind goes by what stands at the same places (docs/robust.md#kinds). A pair that was no
-- candidate is here where a person has decided that it is one (docs/drops.md#decided).
CREATE OR REPLACE VIEW main.replicas AS
SELECT
    r.rowid + 1 AS rank,
    a.host AS host_a,
    b.host AS host_b,
    coalesce(d.probability, s.probability) AS probability,
    r.flagged,
    CASE
        WHEN
            r.flagged
            OR l.a_id IS NOT NULL
            OR coalesce(d.probability, s.probability, 0) >= internal.may_be()
            THEN internal.kind_of(
                -- fill: replicadb.detection.kinds.pieces(f)
            )
    END AS kind,
    f.label = 1 AS obvious,
    f.shared,
    coalesce(d.score, s.dominates / (SELECT count(*) FROM internal.ranking)) AS score,
    s.pu_score,
    s.nu_score,
    s.dominates,
    s.frontier,
    f.similarity,
    f.* EXCLUDE (a_id, b_id, label, shared, similarity),
    s.strength
FROM internal.ranking AS r
JOIN internal.pattern_scores AS s USING (score_id)
JOIN internal.pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
JOIN hosts AS a ON a.host_id = r.a_id
JOIN hosts AS b ON b.host_id = r.b_id
LEFT JOIN internal.decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
LEFT JOIN internal.left_out AS l ON l.a_id = r.a_id AND l.b_id = r.b_id
UNION ALL BY NAME
SELECT
    r.rowid + 1 AS rank,
    a.host AS host_a,
    b.host AS host_b,
    d.probability,
    r.flagged,
    'replica' AS kind,
    false AS obvious,
    d.score
FROM internal.decided AS d
JOIN internal.ranking AS r ON r.a_id = d.a_id AND r.b_id = d.b_id
JOIN hosts AS a ON a.host_id = d.a_id
JOIN hosts AS b ON b.host_id = d.b_id
WHERE d.score_id IS NULL
ORDER BY rank;

-- name: replica_groups
CREATE OR REPLACE VIEW main.replica_groups AS
SELECT
    c.host AS canonical_host,
    min(m.probability) AS probability,
    m.group_id,
    count(*) AS hosts,
    sum(t.n_urls)::BIGINT AS urls,
    list(h.host ORDER BY h.host) AS members,
    min(m.score) AS min_score
FROM internal.members AS m
JOIN hosts AS h ON h.host_id = m.host_id
JOIN hosts AS c ON c.host_id = m.canonical_id
JOIN internal.host_stats AS t ON t.host_id = m.host_id
GROUP BY m.group_id, c.host
ORDER BY hosts DESC, canonical_host;

-- name: flagged_hosts
-- What a person would say first of the evidence; evidence_of weighs all of it.
CREATE OR REPLACE VIEW main.flagged_hosts AS
WITH dropped AS (
    SELECT
        m.*,
        h.host,
        c.host AS canonical_host,
        if(h.host < c.host, m.host_id, m.canonical_id) AS a_id,
        if(h.host < c.host, m.canonical_id, m.host_id) AS b_id
    FROM internal.members AS m
    JOIN hosts AS h ON h.host_id = m.host_id
    JOIN hosts AS c ON c.host_id = m.canonical_id
    WHERE m.host_id <> m.canonical_id
),
copied AS (
    SELECT m.host_id, sum(d.n_urls)::BIGINT AS duplicate_urls
    FROM dropped AS m
    JOIN internal.cluster_hosts AS d ON d.host_id = m.host_id
    JOIN internal.cluster_hosts AS k ON k.cluster_id = d.cluster_id AND k.host_id = m.canonical_id
    GROUP BY m.host_id
)
SELECT
    m.host,
    m.canonical_host,
    m.probability,
    m.group_id,
    concat_ws(
        ', ',
        CASE WHEN d.replica THEN 'decided' END,
        CASE
            WHEN c.duplicate_urls > 0
                THEN c.duplicate_urls || ' of ' || t.n_urls || ' URLs with its content'
        END,
        CASE WHEN c.duplicate_urls > 0 AND f.agreement >= 0.8 THEN 'at the same paths' END,
        CASE WHEN c.duplicate_urls IS NULL AND f.fullpath > 0 THEN 'same paths' END,
        CASE WHEN f.label = 1 THEN 'names alike but for www or suffix' END,
        CASE WHEN f.ip4 > 0 THEN 'same address' END,
        CASE WHEN f.canonical > 0 THEN 'redirects or canonical links' END,
        CASE WHEN f.title_overlap >= 0.5 THEN 'same titles' END,
        CASE WHEN p.added > 0 THEN 'copies in common' END
    ) AS why,
    m.kept_because,
    m.pages,
    m.elsewhere,
    m.not_compared,
    t.n_urls::BIGINT AS urls,
    coalesce(c.duplicate_urls, 0) AS duplicate_urls,
    m.rank,
    m.score
FROM dropped AS m
JOIN internal.host_stats AS t ON t.host_id = m.host_id
LEFT JOIN internal.pair_features AS f ON f.a_id = m.a_id AND f.b_id = m.b_id
LEFT JOIN internal.shared_neighbours AS p ON p.a_id = m.a_id AND p.b_id = m.b_id
LEFT JOIN copied AS c ON c.host_id = m.host_id
LEFT JOIN internal.decided AS d ON d.a_id = m.a_id AND d.b_id = m.b_id
ORDER BY m.rank, m.host;

-- name: held_hosts
CREATE OR REPLACE VIEW main.held_hosts AS
SELECT
    h.host,
    c.host AS canonical_host,
    m.probability,
    m.why,
    m.pages,
    m.elsewhere,
    m.not_compared,
    m.unlike,
    m.rank,
    m.score
FROM internal.held AS m
JOIN hosts AS h ON h.host_id = m.host_id
JOIN hosts AS c ON c.host_id = m.canonical_id
ORDER BY m.rank, h.host;

-- name: given_decisions
-- otherwise: what the last detection said of hosts that a pin says something else of.
CREATE OR REPLACE VIEW details.given_decisions AS
WITH otherwise AS (
    SELECT host_id, 'keep' AS pin FROM internal.members WHERE canonical_id <> host_id
    UNION
    SELECT a_id, 'never' FROM internal.ranking WHERE flagged
    UNION
    SELECT b_id, 'never' FROM internal.ranking WHERE flagged
)
SELECT
    g.host_a,
    g.host_b,
    CASE WHEN g.replica THEN 'replica' ELSE 'no replica' END AS label,
    g.note,
    g.source,
    g.decided_at,
    d.a_id IS NOT NULL AS bound,
    s.probability AS by_evidence
FROM internal.decisions AS g
LEFT JOIN hosts AS a ON a.host = g.host_a
LEFT JOIN hosts AS b ON b.host = g.host_b
LEFT JOIN internal.decided AS d
    ON d.a_id = a.host_id AND d.b_id = b.host_id AND d.replica = g.replica
LEFT JOIN internal.pattern_scores AS s USING (score_id)
UNION ALL
SELECT
    p.host,
    NULL,
    p.pin,
    p.note,
    p.source,
    p.decided_at,
    t.host_id IS NOT NULL AND o.host_id IS NULL,
    NULL
FROM internal.pins AS p
LEFT JOIN hosts AS h USING (host)
LEFT JOIN internal.host_stats AS t ON t.host_id = h.host_id
LEFT JOIN otherwise AS o ON o.host_id = h.host_id AND o.pin = p.pin
ORDER BY host_a, host_b NULLS FIRST;

-- name: obvious_replicas
CREATE OR REPLACE VIEW details.obvious_replicas AS
SELECT a.host AS host_a, b.host AS host_b,
       CASE
           WHEN a.host = 'www.' || b.host OR b.host = 'www.' || a.host THEN 'www'
           WHEN a.name = b.name THEN 'suffix'
           ELSE 'www and suffix'
       END AS why
FROM internal.pair_features AS f
JOIN hosts AS a ON a.host_id = f.a_id
JOIN hosts AS b ON b.host_id = f.b_id
WHERE f.label = 1;

-- name: inter_site_duplicates
CREATE OR REPLACE VIEW details.inter_site_duplicates AS
SELECT
    d.cluster_id,
    d.n_hosts AS hosts,
    d.n_urls AS urls,
    d.fingerprint,
    h.host,
    c.n_urls AS urls_of_host,
    c.path
FROM internal.dup_clusters AS d
JOIN internal.cluster_hosts AS c USING (cluster_id)
JOIN hosts AS h ON h.host_id = c.host_id
WHERE d.n_hosts > 1;

-- name: intra_site_duplicates
CREATE OR REPLACE VIEW details.intra_site_duplicates AS
SELECT d.cluster_id, h.host, c.n_urls AS urls, d.fingerprint, c.path
FROM internal.dup_clusters AS d
JOIN internal.cluster_hosts AS c USING (cluster_id)
JOIN hosts AS h ON h.host_id = c.host_id
WHERE c.n_urls > 1;

-- name: skipped_clusters
CREATE OR REPLACE VIEW details.skipped_clusters AS
SELECT d.cluster_id, d.fingerprint, d.n_hosts AS hosts, d.n_urls AS urls,
       d.n_hosts::BIGINT * (d.n_hosts - 1) // 2 AS pairs, min(c.path) AS example_path
FROM internal.dup_clusters AS d
JOIN internal.cluster_hosts AS c USING (cluster_id)
WHERE d.n_hosts > (SELECT value::BIGINT FROM internal.settings WHERE name = 'max_cluster_hosts')
  AND (SELECT value::BIGINT FROM internal.settings WHERE name = 'max_cluster_hosts') > 0
GROUP BY ALL;

-- name: mass_copies
-- What skipped_clusters leaves out, host by host: each beside the host that has most such pages, so
-- that ten thousand copies are ten thousand rows. Three pages and half of a host's are no chance.
-- (Decoys go by settings of their own, several_shared and mostly_shared.)
CREATE OR REPLACE VIEW details.mass_copies AS
WITH cap AS (
    SELECT value::BIGINT AS n FROM internal.settings WHERE name = 'max_cluster_hosts'
),
skipped AS (
    SELECT cluster_id FROM internal.dup_clusters JOIN cap ON n > 0 AND n_hosts > n WHERE page
),
placed AS (
    SELECT
        c.cluster_id,
        c.host_id,
        s.host_rank,
        s.n_contents,
        count(*) OVER (PARTITION BY c.host_id) AS n
    FROM internal.cluster_hosts AS c
    JOIN skipped USING (cluster_id)
    JOIN internal.host_stats AS s USING (host_id)
),
several AS (
    FROM placed WHERE n >= 3 AND 2 * n >= n_contents
),
most AS (
    SELECT cluster_id, arg_min(host_id, (-n, host_rank)) AS like_id
    FROM several
    GROUP BY cluster_id
),
common AS (
    SELECT s.host_id, m.like_id, any_value(s.n_contents) AS pages, count(*) AS n
    FROM several AS s
    JOIN most AS m USING (cluster_id)
    GROUP BY s.host_id, m.like_id
),
alike AS (
    SELECT c.*, l.host AS like_host
    FROM common AS c
    JOIN hosts AS l ON l.host_id = c.like_id
    QUALIFY row_number() OVER (PARTITION BY c.host_id ORDER BY c.n DESC, l.host) = 1
)
SELECT a.like_host, h.host, count(*) AS shared, a.pages
FROM alike AS a
JOIN hosts AS h USING (host_id)
JOIN several AS s ON s.host_id = a.host_id
JOIN several AS l ON l.host_id = a.like_id AND l.cluster_id = s.cluster_id
WHERE a.host_id <> a.like_id
GROUP BY a.like_host, h.host, a.pages
HAVING shared >= 3 AND 2 * shared >= a.pages
ORDER BY a.like_host, h.host;

-- name: rule_supports
-- All supports at once: CUBE over the five bins. NULL in a feature's column = it is not in the
-- antecedent.
CREATE OR REPLACE VIEW details.rule_supports AS
SELECT ndist, nmatch, ip4, ip3, fullpath,
       sum(obvious_replicas)::BIGINT AS obvious_replicas,
       sum(unlabelled)::BIGINT AS unlabelled,
       sum(obvious_non_replicas)::BIGINT AS obvious_non_replicas,
       sum(obvious_replicas) / nullif(sum(obvious_replicas) + sum(unlabelled), 0) AS pu_confidence,
       sum(obvious_non_replicas)
           / nullif(sum(obvious_non_replicas) + sum(unlabelled), 0) AS nu_confidence
FROM internal.patterns
GROUP BY CUBE (ndist, nmatch, ip4, ip3, fullpath)
HAVING grouping_id(ndist, nmatch, ip4, ip3, fullpath) < 31;

-- name: descriptions
-- What a person wants first comes first, what is internal last.
CREATE OR REPLACE VIEW main.descriptions AS
WITH described AS (
    SELECT 'table' AS kind, table_name AS name, NULL AS column_name, comment, schema_name,
           0 AS place
    FROM duckdb_tables()
    WHERE NOT internal
    UNION ALL
    SELECT 'view', view_name, NULL, comment, schema_name, 0
    FROM duckdb_views()
    WHERE NOT internal
    UNION ALL
    SELECT 'column', table_name, column_name, comment, schema_name, column_index
    FROM duckdb_columns()
    WHERE NOT internal
    UNION ALL
    SELECT 'macro', function_name, NULL, comment, schema_name, 0
    FROM duckdb_functions()
    WHERE NOT internal
)
SELECT * EXCLUDE (place)
FROM described
WHERE comment IS NOT NULL
ORDER BY schema_name <> 'main', schema_name = 'internal', schema_name, name, place;
