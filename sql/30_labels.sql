-- Labels for nothing: obvious replicas among the candidates, obvious non-replicas outside of them.
--
-- P: www against non-www, or names that differ only in their public suffix. N: random pairs of hosts that
-- share no content and no path (of those on at most path_max_hosts hosts, the home page aside: every site has
-- one), sampled by seeded hash.
-- Source: paper section 3.3 and 4.1.1, thesis 3.3.3, METHOD section 3.

-- name: labels
INSERT INTO labels BY NAME
SELECT c.a_id, c.b_id, 1::TINYINT AS label
FROM candidates AS c
JOIN hosts AS a ON a.host_id = c.a_id
JOIN hosts AS b ON b.host_id = c.b_id
WHERE a.host = 'www.' || b.host OR b.host = 'www.' || a.host
   OR (a.name = b.name AND a.suffix <> b.suffix);

-- name: drawn
-- More draws than wanted, since some share something, are equal, or come twice. Draw i is the same however many
-- there are.
CREATE OR REPLACE TEMP TABLE drawn AS
WITH n AS (SELECT count(*)::UBIGINT AS hosts FROM host_stats),
draws AS MATERIALIZED (
    SELECT i, md5_number_lower($seed || '|' || i || '|a') % hosts + 1 AS x,
           md5_number_lower($seed || '|' || i || '|b') % hosts + 1 AS y
    FROM n, range($draws) AS t(i)
    WHERE hosts > 1
)
SELECT min(i) AS i, least(x, y) AS low, greatest(x, y) AS high
FROM draws WHERE x <> y GROUP BY low, high;

-- name: drawn_pairs
CREATE OR REPLACE TEMP TABLE drawn_pairs AS
SELECT d.i, a.host_id AS a_id, b.host_id AS b_id,
       CASE WHEN a.n_urls <= b.n_urls THEN a.host_id ELSE b.host_id END AS small_id,
       CASE WHEN a.n_urls <= b.n_urls THEN b.host_id ELSE a.host_id END AS large_id
FROM drawn AS d
JOIN host_stats AS a ON a.host_rank = d.low
JOIN host_stats AS b ON b.host_rank = d.high;

-- name: negatives
-- Each draw meets the clusters and paths of its smaller host only; a cluster is never joined with itself.
INSERT INTO labels
WITH sharing AS (
    SELECT i FROM (SELECT i, large_id, cluster_id FROM drawn_pairs JOIN cluster_hosts ON host_id = small_id) AS d
    SEMI JOIN cluster_hosts AS y ON y.host_id = d.large_id AND y.cluster_id = d.cluster_id
    UNION ALL
    SELECT i FROM (SELECT i, large_id, path_id FROM drawn_pairs JOIN shared_paths ON host_id = small_id
          WHERE path_id > 0 AND $negatives <> 'content') AS d
    SEMI JOIN shared_paths AS y ON y.host_id = d.large_id AND y.path_id = d.path_id
    UNION ALL  -- with --candidates path the home page alone makes a candidate
    SELECT i FROM drawn_pairs AS d SEMI JOIN candidates AS c ON c.a_id = d.a_id AND c.b_id = d.b_id
)
SELECT a_id, b_id, -1
FROM drawn_pairs ANTI JOIN sharing USING (i)
ORDER BY i
LIMIT $wanted;

-- name: cleanup
DROP TABLE drawn;
-- name: cleanup_pairs
DROP TABLE drawn_pairs;
