-- Candidate pairs: which hosts could be replicas, with the evidence that the joins find on the way.
--
-- Two hosts are candidates when they share a dup-cluster (paper section 4.1.1), a path, or either (thesis
-- 3.3.1). A pair is written a, b with host_a < host_b in byte order. Clusters on more than max_cluster_hosts
-- hosts make no pairs; view skipped_clusters lists them.

-- name: expected_pairs
-- Cost before work: the pairs summed over clusters or paths, an upper bound of the distinct ones.
SELECT
    coalesce((SELECT sum(n_hosts::BIGINT * (n_hosts - 1) // 2) FROM dup_clusters
              WHERE n_hosts > 1 AND ($cap = 0 OR n_hosts <= $cap)), 0)::BIGINT AS by_content,
    coalesce((SELECT sum(df - 1) // 2 FROM shared_paths), 0)::BIGINT AS by_path;

-- name: cluster_keys
-- What the join compares: same path, same tail (last segment and query), and one of 64 bits for the section.
CREATE OR REPLACE TEMP TABLE cluster_keys AS
SELECT
    h.cluster_id, h.host_id, s.host_rank, c.weight, c.page,
    hash(h.path) AS path_key,
    hash(regexp_extract(h.path, '[^/]*/?$')) AS tail_key,
    1::UBIGINT << (hash(CASE WHEN strpos(h.path[2:], '/') > 0 THEN split_part(h.path, '/', 2) ELSE '' END) % 64) AS section_bit
FROM cluster_hosts AS h
JOIN dup_clusters AS c USING (cluster_id)
JOIN host_stats AS s USING (host_id)
WHERE c.n_hosts > 1 AND ($cap = 0 OR c.n_hosts <= $cap);

-- name: content_pairs
CREATE OR REPLACE TEMP TABLE content_pairs AS
SELECT
    x.host_id AS a_id,
    y.host_id AS b_id,
    count(*)::INTEGER AS shared,
    coalesce(sum(x.weight) FILTER (x.page), 0)::BIGINT AS weight,
    coalesce(sum(x.weight) FILTER (NOT x.page), 0)::BIGINT AS asset_weight,
    coalesce(sum(x.weight) FILTER (x.page AND x.tail_key = y.tail_key), 0)::BIGINT AS same_tail,
    (count(*) FILTER (x.page AND x.path_key = y.path_key))::INTEGER AS n_same_path,
    coalesce(bit_count(bit_or(x.section_bit) FILTER (x.page)), 0)::INTEGER AS sections_a,
    coalesce(bit_count(bit_or(y.section_bit) FILTER (x.page)), 0)::INTEGER AS sections_b
FROM cluster_keys AS x
JOIN cluster_keys AS y ON x.cluster_id = y.cluster_id AND x.host_rank < y.host_rank
GROUP BY x.host_id, y.host_id;

-- name: path_keys
CREATE OR REPLACE TEMP TABLE path_keys AS
SELECT p.path_id, p.host_id, s.host_rank, p.weight2, p.page, p.content FROM shared_paths AS p JOIN host_stats AS s USING (host_id);

-- name: path_pairs
-- n_unequal counts the pages at shared paths whose content is known on both sides and differs.
CREATE OR REPLACE TEMP TABLE path_pairs AS
SELECT
    x.host_id AS a_id,
    y.host_id AS b_id,
    count(*)::INTEGER AS n_paths,
    sum(x.weight2)::BIGINT AS weight2,
    coalesce(sum(x.weight2) FILTER (x.page AND y.page), 0)::BIGINT AS page_weight2,
    (count(*) FILTER (x.page AND y.page AND x.content <> y.content))::INTEGER AS n_unequal
FROM path_keys AS x
JOIN path_keys AS y ON x.path_id = y.path_id AND x.host_rank < y.host_rank
SEMI JOIN content_pairs AS c ON c.a_id = x.host_id AND c.b_id = y.host_id
GROUP BY x.host_id, y.host_id;

-- name: all_path_pairs
-- The same for candidates by path, where every pair that shares one counts.
CREATE OR REPLACE TEMP TABLE path_pairs AS
SELECT
    x.host_id AS a_id,
    y.host_id AS b_id,
    count(*)::INTEGER AS n_paths,
    sum(x.weight2)::BIGINT AS weight2,
    coalesce(sum(x.weight2) FILTER (x.page AND y.page), 0)::BIGINT AS page_weight2,
    (count(*) FILTER (x.page AND y.page AND x.content <> y.content))::INTEGER AS n_unequal
FROM path_keys AS x
JOIN path_keys AS y ON x.path_id = y.path_id AND x.host_rank < y.host_rank
GROUP BY x.host_id, y.host_id;

-- name: candidates
INSERT INTO candidates BY NAME
SELECT
    coalesce(c.a_id, p.a_id) AS a_id,
    coalesce(c.b_id, p.b_id) AS b_id,
    coalesce(c.shared, 0) AS shared,
    coalesce(c.weight, 0) AS weight,
    coalesce(c.asset_weight, 0) AS asset_weight,
    coalesce(c.same_tail, 0) AS same_tail,
    coalesce(c.n_same_path, 0) AS n_same_path,
    coalesce(c.sections_a, 0) AS sections_a,
    coalesce(c.sections_b, 0) AS sections_b,
    coalesce(p.n_paths, 0) AS n_paths,
    coalesce(p.weight2, 0) AS path_weight2,
    coalesce(p.page_weight2, 0) AS page_path_weight2,
    coalesce(p.n_unequal, 0) AS n_unequal
FROM content_pairs AS c
FULL JOIN path_pairs AS p ON p.a_id = c.a_id AND p.b_id = c.b_id
WHERE CASE $candidates
    WHEN 'content' THEN c.shared >= $min_shared
    WHEN 'path' THEN p.n_paths >= $min_shared
    ELSE coalesce(c.shared, 0) + coalesce(p.n_paths, 0) >= $min_shared END;

-- name: cleanup_content
DROP TABLE content_pairs;
-- name: cleanup_paths
DROP TABLE path_pairs;
-- name: cleanup_cluster_keys
DROP TABLE cluster_keys;
-- name: cleanup_path_keys
DROP TABLE path_keys;
