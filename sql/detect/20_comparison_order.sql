-- Compared hosts: between which hosts pairs are made, and the order in which they are.
--
-- Each host has a place in the order of comparison, from 1. Where all are compared with all it is host_stats.host_rank. Where only pairs of some
-- hosts are wanted (first_hosts), those have the first places: a pair is made at the lower of its two, so slices over the first places make all
-- of their pairs and no other, and of contents, paths and tails only what they have is looked at.

-- name: old_hosts
-- The hosts of the reference load, also where a newer load fetched their pages again.
CREATE OR REPLACE TEMP TABLE old_hosts AS
SELECT DISTINCT host_id
FROM (FROM urls SELECT host_id, source_id UNION ALL FROM superseded SELECT host_id, source_id)
JOIN sources USING (source_id) JOIN loads USING (load_id)
WHERE loads.name = $reference;
-- name: new_hosts
CREATE OR REPLACE TEMP TABLE first_hosts AS SELECT host_id FROM hosts ANTI JOIN old_hosts USING (host_id);

-- name: every_host
CREATE OR REPLACE TEMP VIEW compared_hosts AS SELECT *, host_rank AS place FROM host_stats;
-- name: every_cluster
CREATE OR REPLACE TEMP VIEW compared_clusters AS FROM cluster_hosts;
-- name: every_path
CREATE OR REPLACE TEMP VIEW compared_paths AS FROM shared_paths;
-- name: every_tail
CREATE OR REPLACE TEMP VIEW compared_tails AS FROM shared_tails;

-- name: places
CREATE OR REPLACE TEMP TABLE places AS
SELECT s.*, (row_number() OVER (ORDER BY f.host_id IS NULL, s.host_rank))::INTEGER AS place
FROM host_stats AS s LEFT JOIN first_hosts AS f USING (host_id);
-- name: first_compared
CREATE OR REPLACE TEMP VIEW compared_hosts AS FROM places;
-- name: first_clusters
CREATE OR REPLACE TEMP VIEW compared_clusters AS
FROM cluster_hosts SEMI JOIN (FROM cluster_hosts SEMI JOIN first_hosts USING (host_id)) AS f USING (cluster_id);
-- name: first_paths
CREATE OR REPLACE TEMP VIEW compared_paths AS
FROM shared_paths SEMI JOIN (FROM shared_paths SEMI JOIN first_hosts USING (host_id)) AS f USING (path);
-- name: first_tails
CREATE OR REPLACE TEMP VIEW compared_tails AS
FROM shared_tails SEMI JOIN (FROM shared_tails SEMI JOIN first_hosts USING (host_id)) AS f USING (tail);
