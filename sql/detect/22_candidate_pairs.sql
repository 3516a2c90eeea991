-- Candidate pairs: which hosts could be replicas, with the evidence that the joins find on the way.
--
-- Two hosts are candidates when they share a dup-cluster (paper section 4.1.1), a path, or either
-- (thesis 3.3.1). Clusters on more than max_cluster_hosts hosts ($cap) make no pairs; the view
-- skipped_clusters lists them. Here the two hosts of a pair, a < b, are places in the comparison
-- order (sql/detect/20_comparison_order). With a reference load, candidates are pairs of an old
-- host (one of that load) and a new one. New hosts stand first, and $above is the last of their
-- places; else it is 0. Pairs are made in slices of hosts a, $low to $high, so that memory is
-- bounded however many pairs there are.
-- Source: docs/method.md#candidates, docs/method.md#promise-4.
-- NULL content = unknown.
--
-- reads: dup_clusters, shared_paths, cluster_hosts, old_hosts, compared_clusters, compared_paths,
--   compared_hosts, cluster_keys, path_keys, content_pairs
-- writes: cluster_keys, path_keys, content_pairs
-- parameters: scale, cap, candidates, min_shared, non_replicas, last, above, low, high

-- name: expected_pairs
-- Cost before work: the pairs summed over clusters or paths, an upper bound of the distinct ones.
WITH clusters AS (
    SELECT sum(n_hosts::BIGINT * (n_hosts - 1) // 2) AS n
    FROM dup_clusters
    WHERE n_hosts > 1 AND ($cap = 0 OR n_hosts <= $cap)
),
paths AS (
    SELECT sum(df - 1) // 2 AS n FROM shared_paths
)
SELECT
    coalesce(clusters.n, 0)::BIGINT AS by_content,
    coalesce(paths.n, 0)::BIGINT AS by_path
FROM clusters, paths;

-- name: expected_pairs_with_reference
WITH clusters AS (
    SELECT count(*) AS n, count(o.host_id) AS old
    FROM cluster_hosts AS h
    JOIN dup_clusters AS c USING (cluster_id)
    LEFT JOIN old_hosts AS o USING (host_id)
    WHERE c.n_hosts > 1 AND ($cap = 0 OR c.n_hosts <= $cap)
    GROUP BY h.cluster_id
),
paths AS (
    SELECT count(*) AS n, count(o.host_id) AS old
    FROM shared_paths
    LEFT JOIN old_hosts AS o USING (host_id)
    GROUP BY path
)
SELECT
    coalesce((SELECT sum(old * (n - old)) FROM clusters), 0)::BIGINT AS by_content,
    coalesce((SELECT sum(old * (n - old)) FROM paths), 0)::BIGINT AS by_path;

-- name: cluster_keys
-- What the join compares: same path, same tail, and one of 64 bits for the section. Weights and
-- sections of pages; those of assets are kept apart. below: members of the cluster behind this one,
-- the pairs that it opens.
-- Weights are whole numbers that stand as DOUBLE: below 2^53 their sums are exact in any order, and
-- DuckDB adds BIGINT with 128 bits, which takes the join of pairs a third longer.
CREATE OR REPLACE TEMP TABLE cluster_keys AS
WITH weighed AS (
    SELECT
        cluster_id,
        page,
        weight,
        greatest($scale // greatest(n_hosts - 1, 1), 1) AS exclusive_weight
    FROM dup_clusters
    WHERE n_hosts > 1 AND ($cap = 0 OR n_hosts <= $cap)
)
SELECT
    h.cluster_id,
    s.place,
    c.page,
    CASE WHEN c.page THEN c.weight ELSE 0 END::DOUBLE AS weight,
    CASE WHEN c.page THEN c.exclusive_weight ELSE 0 END::DOUBLE AS exclusive_weight,
    CASE WHEN c.page THEN 0 ELSE c.exclusive_weight END::DOUBLE AS asset_weight,
    path_hash(h.path) AS path_key,
    tail_hash(h.path) AS tail_key,
    CASE WHEN c.page THEN 1::UBIGINT << section_number(h.path) ELSE 0 END AS section_bit,
    (count(*) OVER (PARTITION BY h.cluster_id ORDER BY s.place DESC) - 1)::INTEGER AS below
FROM compared_clusters AS h
JOIN weighed AS c USING (cluster_id)
JOIN compared_hosts AS s USING (host_id);

-- name: path_keys
-- Where candidates are by content, of hosts alone that share any: the others are in no pair.
-- In the order of hosts, so that rows of one pair come close together where they are summed: a
-- million pairs take a third less time there, and a slice reads its part of the table.
CREATE OR REPLACE TEMP TABLE path_keys AS
SELECT p.path, s.place, p.df, p.weight2, p.page, p.content
FROM compared_paths AS p
JOIN compared_hosts AS s USING (host_id)
WHERE $non_replicas OR $candidates <> 'content' OR s.n_shared_clusters > 0
ORDER BY s.place;

-- name: costs
-- Rows of the joins that each host up to $last opens as the lower of two, to cut slices by.
WITH opened AS (
    FROM cluster_keys SELECT place, below AS n WHERE below > 0
    UNION ALL
    FROM path_keys SELECT place, df // 2 WHERE $candidates <> 'content'
)
SELECT place, sum(n)::BIGINT AS n
FROM opened
WHERE place <= $last
GROUP BY place
ORDER BY place;

-- name: content_pairs
-- FILTER passes over rows that do not count, which is cheaper than to add a 0: few are of assets.
CREATE OR REPLACE TEMP TABLE content_pairs AS
SELECT
    x.place AS a,
    y.place AS b,
    count(*)::INTEGER AS shared,
    sum(x.weight)::BIGINT AS weight,
    sum(x.exclusive_weight)::BIGINT AS exclusive_weight,
    coalesce(sum(x.asset_weight) FILTER (NOT x.page), 0)::BIGINT AS asset_weight,
    sum(CASE WHEN x.tail_key = y.tail_key THEN x.weight ELSE 0 END)::BIGINT AS same_tail,
    (count(*) - count(*) FILTER (NOT x.page))::INTEGER AS n_pages,
    (count(*) FILTER (x.page AND x.path_key = y.path_key))::INTEGER AS n_same_path,
    bit_count(bit_or(x.section_bit)) AS sections_a,
    bit_count(bit_or(y.section_bit)) AS sections_b
FROM cluster_keys AS x
JOIN cluster_keys AS y ON x.cluster_id = y.cluster_id AND x.place < y.place
WHERE x.place BETWEEN $low AND $high AND y.place > $above
GROUP BY x.place, y.place
HAVING $candidates <> 'content' OR count(*) >= $min_shared;

-- name: path_candidates
-- Candidates by path: the pairs that share paths alone join those that share content.
INSERT INTO content_pairs
SELECT x.place, y.place, 0, 0, 0, 0, 0, 0, 0, 0, 0
FROM path_keys AS x
JOIN path_keys AS y ON x.path = y.path AND x.place < y.place
ANTI JOIN content_pairs AS c ON c.a = x.place AND c.b = y.place
WHERE x.place BETWEEN $low AND $high AND y.place > $above
GROUP BY x.place, y.place;
