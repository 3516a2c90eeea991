-- Obvious non-replicas: labels for nothing, which method paper learns NU data from.
--
-- They are random pairs of hosts that share no content and no path, sampled by seeded hash. Paths
-- on more than path_max_hosts hosts do not count as shared, nor does the home page, which every
-- site has. Obvious replicas (www against non-www, or names that differ only in their public
-- suffix) are among the candidates: sql/detect/40_pair_features labels them.
-- Source: paper section 3.3 and 4.1.1, thesis 3.3.3, docs/method.md#labels.
-- NULL does not occur.
--
-- reads: host_stats, cluster_hosts, shared_paths, pair_features, drawn, drawn_pairs
-- writes: drawn, drawn_pairs, content_pairs
-- parameters: seed, draws, wanted, negatives

-- name: drawn
-- More draws than wanted, since some share something, are equal, or come twice. Draw i is the same
-- however many there are.
CREATE OR REPLACE TEMP TABLE drawn AS
WITH n AS (
    SELECT count(*)::UBIGINT AS hosts FROM host_stats
),
draws AS MATERIALIZED (
    SELECT
        i,
        hash64($seed || '|' || i || '|a') % hosts + 1 AS x,
        hash64($seed || '|' || i || '|b') % hosts + 1 AS y
    FROM n, range($draws) AS t(i)
    WHERE hosts > 1
)
SELECT min(i) AS i, least(x, y) AS low, greatest(x, y) AS high
FROM draws
WHERE x <> y
GROUP BY low, high;

-- name: drawn_pairs
CREATE OR REPLACE TEMP TABLE drawn_pairs AS
SELECT
    d.i,
    d.low,
    d.high,
    a.host_id AS a_id,
    b.host_id AS b_id,
    CASE WHEN a.n_urls <= b.n_urls THEN a.host_id ELSE b.host_id END AS small_id,
    CASE WHEN a.n_urls <= b.n_urls THEN b.host_id ELSE a.host_id END AS large_id
FROM drawn AS d
JOIN host_stats AS a ON a.host_rank = d.low
JOIN host_stats AS b ON b.host_rank = d.high;

-- name: non_replicas
-- Each draw meets the clusters and paths of its smaller host only; a cluster is never joined with
-- itself. They take the place of candidates in content_pairs, so that
-- sql/detect/40_pair_features measures them likewise.
CREATE OR REPLACE TEMP TABLE content_pairs AS
WITH by_cluster AS (
    SELECT i, large_id, cluster_id FROM drawn_pairs JOIN cluster_hosts ON host_id = small_id
),
by_path AS (
    SELECT i, large_id, path
    FROM drawn_pairs
    JOIN shared_paths ON host_id = small_id
    WHERE NOT home AND $negatives <> 'content'
),
sharing AS (
    SELECT i
    FROM by_cluster AS d
    SEMI JOIN cluster_hosts AS y ON y.host_id = d.large_id AND y.cluster_id = d.cluster_id
    UNION ALL
    SELECT i
    FROM by_path AS d
    SEMI JOIN shared_paths AS y ON y.host_id = d.large_id AND y.path = d.path
    UNION ALL  -- with --candidates path the home page alone makes a candidate
    SELECT i
    FROM drawn_pairs AS d
    SEMI JOIN pair_features AS c ON c.a_id = d.a_id AND c.b_id = d.b_id
),
chosen AS (
    SELECT i, low, high FROM drawn_pairs ANTI JOIN sharing USING (i) ORDER BY i LIMIT $wanted
)
SELECT
    low::INTEGER AS a,
    high::INTEGER AS b,
    0 AS shared,
    0::BIGINT AS weight,
    0::BIGINT AS exclusive_weight,
    0::BIGINT AS asset_weight,
    0::BIGINT AS same_tail,
    0 AS n_pages,
    0 AS n_same_path,
    0::TINYINT AS sections_a,
    0::TINYINT AS sections_b
FROM chosen;
