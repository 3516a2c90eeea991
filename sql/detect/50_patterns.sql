-- Patterns: examples collapsed to distinct combinations of bins, with counts by label.
--
-- Examples with the same bins are interchangeable for the learners. The temporary table binned has
-- candidates and non-replicas with the bin of each feature (replicadb/detection/bins.py).
-- Source: docs/method.md#patterns.
-- Bin 0 = NULL (unknown address).
--
-- reads: binned
-- writes: patterns
-- parameters: none

-- name: patterns
INSERT INTO patterns BY NAME
SELECT
    row_number() OVER (ORDER BY ndist, nmatch, ip4, ip3, fullpath)::INTEGER - 1 AS pattern_id,
    ndist,
    nmatch,
    ip4,
    ip3,
    fullpath,
    count(*) FILTER (label = 1) AS obvious_replicas,
    count(*) FILTER (label = 0) AS unlabelled,
    count(*) FILTER (label = -1) AS obvious_non_replicas
FROM binned
GROUP BY ndist, nmatch, ip4, ip3, fullpath;
