-- Figures: the numbers behind the paper's Figures 3 and 4, counted set-at-a-time.
--
-- A URL is an intra-site duplicate when its dup-cluster holds another URL of the same host. It is
-- an inter-site duplicate when the cluster holds a URL of another host. It can be both. Every
-- result is a count of hosts, pairs or clusters by an integer, so that no sum depends on the order
-- of addition.
-- Source: the paper section 4.1.1.
-- NULL: a value that is not known; such rows are passed over.
--
-- reads: hosts, dup_clusters, cluster_hosts, host_stats, pair_features, known_replicas,
--   given_pairs (host_a, host_b: the replicas of the gold)
-- writes: known_replicas (a_id, b_id; a before b)
-- parameters: none

-- name: given_replicas
-- Pairs of the gold whose hosts are both loaded, once each and whichever way round they were given.
CREATE OR REPLACE TEMP TABLE known_replicas AS
SELECT DISTINCT
    CASE WHEN a.host < b.host THEN a.host_id ELSE b.host_id END AS a_id,
    CASE WHEN a.host < b.host THEN b.host_id ELSE a.host_id END AS b_id
FROM given_pairs AS g
JOIN hosts AS a ON a.host = g.host_a
JOIN hosts AS b ON b.host = g.host_b
WHERE a.host_id <> b.host_id;

-- name: cluster_sizes
-- Figure 3, left: dup-clusters by the URLs in them.
SELECT n_urls AS value, count(*) AS n FROM dup_clusters GROUP BY n_urls ORDER BY n_urls;

-- name: hosts_per_cluster
-- Figure 3, middle, as its caption says: dup-clusters by the hosts that stand in them.
SELECT n_hosts AS value, count(*) AS n FROM dup_clusters GROUP BY n_hosts ORDER BY n_hosts;

-- name: clusters_per_host
-- Figure 3, middle, as the text says: hosts by the dup-clusters that they stand in.
SELECT n_clusters AS value, count(*) AS n
FROM host_stats
WHERE n_clusters > 0
GROUP BY n_clusters
ORDER BY n_clusters;

-- name: intra_inter
-- Figure 3, right: hosts by their intra-site and inter-site duplicate URLs.
WITH by_host AS (
    SELECT
        c.host_id,
        coalesce(sum(c.n_urls) FILTER (c.n_urls > 1), 0)::BIGINT AS intra,
        coalesce(sum(c.n_urls) FILTER (d.n_hosts > 1), 0)::BIGINT AS inter
    FROM cluster_hosts AS c
    JOIN dup_clusters AS d USING (cluster_id)
    GROUP BY c.host_id
)
SELECT intra, inter, count(*) AS n FROM by_host GROUP BY intra, inter ORDER BY intra, inter;

-- name: duplicates
-- The first lines of Table 3: duplicate URLs, those inside one host, those across hosts, and both.
SELECT
    coalesce(sum(c.n_urls), 0)::BIGINT AS urls,
    coalesce(sum(c.n_urls) FILTER (c.n_urls > 1), 0)::BIGINT AS intra,
    coalesce(sum(c.n_urls) FILTER (d.n_hosts > 1), 0)::BIGINT AS inter,
    coalesce(sum(c.n_urls) FILTER (c.n_urls > 1 AND d.n_hosts > 1), 0)::BIGINT AS "both",
    count(DISTINCT c.host_id) FILTER (d.n_hosts > 1) AS sharing_hosts
FROM cluster_hosts AS c
JOIN dup_clusters AS d USING (cluster_id);

-- name: site_sizes
-- Figure 4, left: hosts by URLs; replicated = in a known replica, candidate = in a candidate pair
-- only, other = in none.
WITH candidates AS (
    SELECT a_id AS host_id FROM pair_features
    UNION
    SELECT b_id FROM pair_features
),
replicated AS (
    SELECT a_id AS host_id FROM known_replicas UNION SELECT b_id FROM known_replicas
)
SELECT
    CASE
        WHEN r.host_id IS NOT NULL THEN 'replicated'
        WHEN s.host_id IS NOT NULL THEN 'candidate'
        ELSE 'other'
    END AS kind,
    t.n_urls AS value,
    count(*) AS n
FROM host_stats AS t
LEFT JOIN replicated AS r USING (host_id)
LEFT JOIN candidates AS s USING (host_id)
GROUP BY ALL
ORDER BY ALL;

-- name: replica_cases
-- Figure 4, middle: hosts by the known replicas that they are in.
WITH cases AS (
    SELECT host_id, count(*) AS n_cases
    FROM (SELECT a_id AS host_id FROM known_replicas UNION ALL SELECT b_id FROM known_replicas)
    GROUP BY host_id
)
SELECT n_cases AS value, count(*) AS n FROM cases GROUP BY n_cases ORDER BY n_cases;

-- name: similarities
-- Figure 4, right: candidate pairs by similarity (Jaccard of their dup-clusters); step k holds
-- (k-1)/100 < s <= k/100.
SELECT
    ceil(round(f.similarity::DOUBLE * 100, 3))::INTEGER AS value,
    count(*) AS n,
    count(k.a_id) AS replicas,
    count(k.a_id) FILTER (f.label = 1) AS obvious
FROM pair_features AS f
LEFT JOIN known_replicas AS k ON k.a_id = f.a_id AND k.b_id = f.b_id
GROUP BY value
ORDER BY value;
