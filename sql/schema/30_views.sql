-- Views: what a person explores, in any DuckDB shell, without replicadb.
--
-- No view needs a Python function, a session setting or an extension. Hosts appear by name, a before b in
-- byte order. Every view and column is described in the database: SELECT * FROM descriptions.

-- name: pages
CREATE OR REPLACE VIEW main.pages AS
SELECT o.origin || u.path AS url, h.host, u.path, u.fingerprint, u.fingerprint_kind, u.fetched_at, u.status, u.mime,
       u.length, u.title, u.user_id, s.source
FROM internal.urls AS u
JOIN internal.origins AS o USING (origin_id)
JOIN hosts AS h ON h.host_id = u.host_id
LEFT JOIN sources AS s USING (source_id);

-- name: candidate_pairs
CREATE OR REPLACE VIEW main.candidate_pairs AS
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

-- name: replicas
CREATE OR REPLACE VIEW main.replicas AS
SELECT
    r.rowid + 1 AS rank,
    a.host AS host_a,
    b.host AS host_b,
    1 - (r.rowid + 1) / (SELECT count(*) FROM internal.ranking) AS score,
    s.pu_score,
    s.nu_score,
    s.dominates,
    s.frontier,
    r.flagged,
    f.label = 1 AS obvious,
    f.shared,
    f.similarity,
    f.* EXCLUDE (a_id, b_id, label, shared, similarity),
    s.strength,
    s.probability
FROM internal.ranking AS r
JOIN internal.pattern_scores AS s USING (score_id)
JOIN internal.pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
JOIN hosts AS a ON a.host_id = r.a_id
JOIN hosts AS b ON b.host_id = r.b_id
ORDER BY rank;

-- name: replica_groups
CREATE OR REPLACE VIEW main.replica_groups AS
SELECT m.group_id, c.host AS canonical_host, count(*) AS hosts, sum(t.n_urls)::BIGINT AS urls, min(m.score) AS min_score,
       list(h.host ORDER BY h.host) AS members
FROM internal.members AS m
JOIN hosts AS h ON h.host_id = m.host_id
JOIN hosts AS c ON c.host_id = m.canonical_id
JOIN internal.host_stats AS t ON t.host_id = m.host_id
GROUP BY m.group_id, c.host
ORDER BY hosts DESC, canonical_host;

-- name: flagged_hosts
CREATE OR REPLACE VIEW main.flagged_hosts AS
WITH copied AS (
    SELECT m.host_id, sum(d.n_urls)::BIGINT AS duplicate_urls
    FROM internal.members AS m
    JOIN internal.cluster_hosts AS d ON d.host_id = m.host_id
    JOIN internal.cluster_hosts AS k ON k.cluster_id = d.cluster_id AND k.host_id = m.canonical_id
    WHERE m.host_id <> m.canonical_id
    GROUP BY m.host_id
)
SELECT h.host, c.host AS canonical_host, m.group_id, m.score, t.n_urls::BIGINT AS urls,
       coalesce(copied.duplicate_urls, 0) AS duplicate_urls
FROM internal.members AS m
JOIN hosts AS h ON h.host_id = m.host_id
JOIN hosts AS c ON c.host_id = m.canonical_id
JOIN internal.host_stats AS t ON t.host_id = m.host_id
LEFT JOIN copied ON copied.host_id = m.host_id
WHERE m.host_id <> m.canonical_id
ORDER BY m.score DESC, h.host;

-- name: obvious_replicas
CREATE OR REPLACE VIEW main.obvious_replicas AS
SELECT a.host AS host_a, b.host AS host_b,
       CASE WHEN a.host = 'www.' || b.host OR b.host = 'www.' || a.host THEN 'www' ELSE 'suffix' END AS why
FROM internal.pair_features AS f
JOIN hosts AS a ON a.host_id = f.a_id
JOIN hosts AS b ON b.host_id = f.b_id
WHERE f.label = 1;

-- name: inter_site_duplicates
CREATE OR REPLACE VIEW main.inter_site_duplicates AS
SELECT d.cluster_id, d.n_hosts AS hosts, d.n_urls AS urls, d.fingerprint, h.host, c.n_urls AS urls_of_host, c.path
FROM internal.dup_clusters AS d
JOIN internal.cluster_hosts AS c USING (cluster_id)
JOIN hosts AS h ON h.host_id = c.host_id
WHERE d.n_hosts > 1;

-- name: intra_site_duplicates
CREATE OR REPLACE VIEW main.intra_site_duplicates AS
SELECT d.cluster_id, h.host, c.n_urls AS urls, d.fingerprint, c.path
FROM internal.dup_clusters AS d
JOIN internal.cluster_hosts AS c USING (cluster_id)
JOIN hosts AS h ON h.host_id = c.host_id
WHERE c.n_urls > 1;

-- name: skipped_clusters
CREATE OR REPLACE VIEW main.skipped_clusters AS
SELECT d.cluster_id, d.fingerprint, d.n_hosts AS hosts, d.n_urls AS urls,
       d.n_hosts::BIGINT * (d.n_hosts - 1) // 2 AS pairs, min(c.path) AS example_path
FROM internal.dup_clusters AS d
JOIN internal.cluster_hosts AS c USING (cluster_id)
WHERE d.n_hosts > (SELECT value::BIGINT FROM internal.settings WHERE name = 'max_cluster_hosts')
  AND (SELECT value::BIGINT FROM internal.settings WHERE name = 'max_cluster_hosts') > 0
GROUP BY ALL;

-- name: rule_supports
-- All supports at once: CUBE over the five bins. NULL in a feature's column = it is not in the antecedent.
CREATE OR REPLACE VIEW main.rule_supports AS
SELECT ndist, nmatch, ip4, ip3, fullpath,
       sum(obvious_replicas)::BIGINT AS obvious_replicas,
       sum(unlabelled)::BIGINT AS unlabelled,
       sum(obvious_non_replicas)::BIGINT AS obvious_non_replicas,
       sum(obvious_replicas) / nullif(sum(obvious_replicas) + sum(unlabelled), 0) AS pu_confidence,
       sum(obvious_non_replicas) / nullif(sum(obvious_non_replicas) + sum(unlabelled), 0) AS nu_confidence
FROM internal.patterns
GROUP BY CUBE (ndist, nmatch, ip4, ip3, fullpath)
HAVING grouping_id(ndist, nmatch, ip4, ip3, fullpath) < 31;

-- name: pair_patterns
-- A value lies in bin i + 1 when it is above i cuts; NULL in bin 0.
CREATE OR REPLACE VIEW internal.pair_patterns AS
WITH bounds AS (
    SELECT list(high) FILTER (feature = 'ndist') AS ndist, list(high) FILTER (feature = 'nmatch') AS nmatch, list(high) FILTER (feature = 'ip4') AS ip4,
           list(high) FILTER (feature = 'ip3') AS ip3, list(high) FILTER (feature = 'fullpath') AS fullpath
    FROM internal.cuts WHERE bin > 0
),
binned AS (
    SELECT f.a_id, f.b_id, f.label,
           1 + len(list_filter(c.ndist, lambda h: f.ndist > h)) AS ndist,
           1 + len(list_filter(c.nmatch, lambda h: f.nmatch > h)) AS nmatch,
           CASE WHEN f.ip4 IS NULL THEN 0 ELSE 1 + len(list_filter(c.ip4, lambda h: f.ip4 > h)) END AS ip4,
           CASE WHEN f.ip3 IS NULL THEN 0 ELSE 1 + len(list_filter(c.ip3, lambda h: f.ip3 > h)) END AS ip3,
           1 + len(list_filter(c.fullpath, lambda h: f.fullpath > h)) AS fullpath
    FROM (FROM internal.pair_features UNION ALL FROM internal.non_replicas) AS f CROSS JOIN bounds AS c
)
SELECT b.a_id, b.b_id, b.label, p.pattern_id
FROM binned AS b JOIN internal.patterns AS p ON p.ndist = b.ndist AND p.nmatch = b.nmatch AND p.ip4 = b.ip4 AND p.ip3 = b.ip3 AND p.fullpath = b.fullpath;

-- name: shared_pages
CREATE OR REPLACE MACRO main.shared_pages(a, b) AS TABLE
WITH held AS NOT MATERIALIZED (
    SELECT o.origin || u.path AS url, h.host, u.path, u.fingerprint, n.url_id IS NOT NULL AS near,
           coalesce(n.fingerprint_kind, u.fingerprint_kind) AS content_kind, coalesce(n.fingerprint, u.fingerprint) AS content
    FROM internal.urls AS u
    JOIN internal.origins AS o USING (origin_id)
    JOIN hosts AS h ON h.host_id = u.host_id
    LEFT JOIN internal.near_contents AS n USING (url_id)
    WHERE coalesce(n.fingerprint, u.fingerprint) IS NOT NULL
)
SELECT x.url AS url_a, y.url AS url_b, x.fingerprint, x.path = y.path AS same_path,
       coalesce(d.n_hosts, 1) AS hosts_with_it, x.near AND x.fingerprint IS DISTINCT FROM y.fingerprint AS near
FROM (FROM held WHERE host = a) AS x JOIN (FROM held WHERE host = b) AS y ON y.content = x.content AND y.content_kind = x.content_kind
LEFT JOIN internal.dup_clusters AS d ON d.fingerprint = x.content AND d.fingerprint_kind = x.content_kind;

-- name: evidence_of
-- Why method robust ranks a pair as it does: what each piece of evidence adds to its strength, half of what it adds together with
-- another counted to each (their Shapley values), and what the company of the two hosts adds, as `partners`. The largest come first; a constant is left out.
CREATE OR REPLACE MACRO main.evidence_of(a, b) AS TABLE
WITH pair AS (
    SELECT f.* FROM internal.pair_features AS f
    JOIN hosts AS ha ON ha.host_id = f.a_id
    JOIN hosts AS hb ON hb.host_id = f.b_id
    WHERE ha.host = least(a, b) AND hb.host = greatest(a, b)
),
features AS (
    SELECT COLUMNS(* EXCLUDE (a_id, b_id, label, shared, similarity))::DOUBLE FROM pair
),
found AS (
    FROM features UNPIVOT INCLUDE NULLS (value FOR feature IN (COLUMNS(*)))
),
binned AS (
    SELECT w.feature, w.bin, f.value, w.low, w.high, w.weight
    FROM found AS f
    JOIN internal.evidence_weights AS w ON w.feature = f.feature AND CASE WHEN f.value IS NULL THEN w.bin = 0 ELSE f.value > w.low AND f.value <= w.high END
),
together AS (
    SELECT x.feature AS one, y.feature AS other, i.weight
    FROM internal.evidence_interactions AS i
    JOIN binned AS x ON x.feature = i.feature AND x.bin = i.bin
    JOIN binned AS y ON y.feature = i.other_feature AND y.bin = i.other_bin
),
halves AS (
    SELECT feature, sum(weight) / 2 AS weight
    FROM (SELECT one AS feature, weight FROM together UNION ALL SELECT other, weight FROM together)
    GROUP BY feature
)
SELECT feature, value, low, high, contribution
FROM (
    SELECT b.feature, b.value, b.low, b.high, b.weight + coalesce(h.weight, 0) AS contribution FROM binned AS b LEFT JOIN halves AS h USING (feature)
    UNION ALL
    SELECT 'partners', c.overlap, NULL, NULL, c.added FROM internal.partners AS c JOIN pair USING (a_id, b_id) WHERE c.added <> 0
)
ORDER BY abs(contribution) DESC, feature;

-- name: projected_training_set
-- Paper section 3.2, Table 1: the examples that share a bin with the pair, features that differ left out (NULL).
CREATE OR REPLACE MACRO main.projected_training_set(a, b) AS TABLE
WITH x AS (
    SELECT p.* FROM internal.pair_patterns AS q
    JOIN internal.patterns AS p USING (pattern_id)
    JOIN hosts AS ha ON ha.host_id = q.a_id
    JOIN hosts AS hb ON hb.host_id = q.b_id
    WHERE ha.host = least(a, b) AND hb.host = greatest(a, b)
),
projected AS (
    SELECT y.pattern_id,
           CASE WHEN y.ndist = x.ndist THEN y.ndist END AS ndist,
           CASE WHEN y.nmatch = x.nmatch THEN y.nmatch END AS nmatch,
           CASE WHEN y.ip4 = x.ip4 THEN y.ip4 END AS ip4,
           CASE WHEN y.ip3 = x.ip3 THEN y.ip3 END AS ip3,
           CASE WHEN y.fullpath = x.fullpath THEN y.fullpath END AS fullpath
    FROM internal.patterns AS y, x
)
SELECT ha.host AS host_a, hb.host AS host_b, p.ndist, p.nmatch, p.ip4, p.ip3, p.fullpath, e.label
FROM projected AS p
JOIN internal.pair_patterns AS e USING (pattern_id)
JOIN hosts AS ha ON ha.host_id = e.a_id
JOIN hosts AS hb ON hb.host_id = e.b_id
WHERE coalesce(p.ndist, p.nmatch, p.ip4, p.ip3, p.fullpath) IS NOT NULL;

-- name: descriptions
CREATE OR REPLACE VIEW main.descriptions AS
SELECT 'table' AS kind, table_name AS name, NULL AS column_name, comment FROM duckdb_tables() WHERE NOT internal AND comment IS NOT NULL
UNION ALL
SELECT 'view', view_name, NULL, comment FROM duckdb_views() WHERE NOT internal AND comment IS NOT NULL
UNION ALL
SELECT 'column', table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal AND comment IS NOT NULL
UNION ALL
SELECT 'macro', function_name, NULL, comment FROM duckdb_functions() WHERE NOT internal AND comment IS NOT NULL;

-- name: page_matches
CREATE OR REPLACE VIEW main.page_matches AS
SELECT oa.origin || a.path AS url_a, ob.origin || b.path AS url_b, m.method, m.score
FROM internal.matches AS m
JOIN internal.urls AS a ON a.url_id = m.a_id
JOIN internal.origins AS oa ON oa.origin_id = a.origin_id
JOIN internal.urls AS b ON b.url_id = m.b_id
JOIN internal.origins AS ob ON ob.origin_id = b.origin_id;

-- name: near_duplicates
CREATE OR REPLACE VIEW main.near_duplicates AS
SELECT c.method, c.cluster_id, o.origin || u.path AS url, oc.origin || k.path AS centre_url, c.score
FROM internal.page_clusters AS c
JOIN internal.urls AS u USING (url_id)
JOIN internal.origins AS o ON o.origin_id = u.origin_id
JOIN internal.urls AS k ON k.url_id = c.centre_id
JOIN internal.origins AS oc ON oc.origin_id = k.origin_id;

-- name: canonical_urls
CREATE OR REPLACE VIEW main.canonical_urls AS
SELECT o.origin || u.path AS url, coalesce(r.canonical, o.origin || u.path) AS canonical, h.host, u.fingerprint
FROM internal.urls AS u
JOIN internal.origins AS o USING (origin_id)
JOIN hosts AS h ON h.host_id = u.host_id
LEFT JOIN internal.rewrites AS r USING (url_id);

