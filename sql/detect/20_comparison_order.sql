-- Comparison order: between which hosts pairs are made, and in which order.
--
-- Each host has a place in the comparison order, from 1. Where all hosts are compared with all, the
-- place is host_stats.host_rank. Where only the pairs of some hosts are wanted (first_hosts), these
-- hosts have the first places. A pair is made at the lower of its two places. So slices over the
-- first places make all pairs of these hosts and no other. Only the contents, paths and tails that
-- the first hosts have are read.
-- Source: docs/robust.md#incremental.
-- NULL does not occur.
--
-- reads: urls, superseded, sources, loads, hosts, host_stats, cluster_hosts, shared_paths,
--   shared_tails, old_hosts, first_hosts, comparison_order
-- writes: old_hosts, first_hosts, comparison_order, compared_hosts, compared_clusters,
--   compared_paths, compared_tails (temporary views, the last four)
-- parameters: reference

-- name: old_hosts
-- The hosts of the reference load, also where a newer load fetched their pages again.
CREATE OR REPLACE TEMP TABLE old_hosts AS
WITH captures AS (
    FROM urls SELECT host_id, source_id
    UNION ALL
    FROM superseded SELECT host_id, source_id
)
SELECT DISTINCT host_id
FROM captures
JOIN sources USING (source_id)
JOIN loads USING (load_id)
WHERE loads.name = $reference;

-- name: new_hosts
CREATE OR REPLACE TEMP TABLE first_hosts AS
SELECT host_id FROM hosts ANTI JOIN old_hosts USING (host_id);

-- name: every_host
CREATE OR REPLACE TEMP VIEW compared_hosts AS SELECT *, host_rank AS place FROM host_stats;

-- name: every_cluster
CREATE OR REPLACE TEMP VIEW compared_clusters AS FROM cluster_hosts;

-- name: every_path
CREATE OR REPLACE TEMP VIEW compared_paths AS FROM shared_paths;

-- name: every_tail
CREATE OR REPLACE TEMP VIEW compared_tails AS FROM shared_tails;

-- name: comparison_order
CREATE OR REPLACE TEMP TABLE comparison_order AS
SELECT
    s.*,
    (row_number() OVER (ORDER BY f.host_id IS NULL, s.host_rank))::INTEGER AS place
FROM host_stats AS s
LEFT JOIN first_hosts AS f USING (host_id);

-- name: first_compared
CREATE OR REPLACE TEMP VIEW compared_hosts AS FROM comparison_order;

-- name: first_clusters
CREATE OR REPLACE TEMP VIEW compared_clusters AS
WITH theirs AS (
    FROM cluster_hosts SEMI JOIN first_hosts USING (host_id)
)
FROM cluster_hosts SEMI JOIN theirs USING (cluster_id);

-- name: first_paths
CREATE OR REPLACE TEMP VIEW compared_paths AS
WITH theirs AS (
    FROM shared_paths SEMI JOIN first_hosts USING (host_id)
)
FROM shared_paths SEMI JOIN theirs USING (path);

-- name: first_tails
CREATE OR REPLACE TEMP VIEW compared_tails AS
WITH theirs AS (
    FROM shared_tails SEMI JOIN first_hosts USING (host_id)
)
FROM shared_tails SEMI JOIN theirs USING (tail);
