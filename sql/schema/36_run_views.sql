-- Run views: detections side by side, the named ones and the current one, by names of hosts.
--
-- Run current is the detection that all other views show.
-- NULL: of a column, as its comment says.
--
-- reads: named_runs, named_run_hosts, named_run_pairs, hosts, host_stats, members, ranking,
--   pattern_scores, pair_features, decided
-- writes: run_hosts, run_pairs
-- parameters: none

-- name: run_hosts
CREATE OR REPLACE VIEW history.run_hosts AS
SELECT r.name AS run, h.host, c.host AS canonical_host, h.group_id, h.urls
FROM history.named_runs AS r
JOIN internal.named_run_hosts AS h USING (run_id)
LEFT JOIN internal.named_run_hosts AS c ON c.run_id = h.run_id AND c.host_id = h.canonical_id
UNION ALL
SELECT 'current', h.host, c.host, m.group_id, t.n_urls
FROM internal.host_stats AS t
JOIN main.hosts AS h USING (host_id)
LEFT JOIN internal.members AS m USING (host_id)
LEFT JOIN main.hosts AS c ON c.host_id = m.canonical_id;

-- name: run_pairs
CREATE OR REPLACE VIEW history.run_pairs AS
SELECT r.name AS run, p.rank, a.host AS host_a, b.host AS host_b, p.probability, p.flagged, p.shared
FROM history.named_runs AS r
JOIN internal.named_run_pairs AS p USING (run_id)
JOIN internal.named_run_hosts AS a ON a.run_id = p.run_id AND a.host_id = p.a_id
JOIN internal.named_run_hosts AS b ON b.run_id = p.run_id AND b.host_id = p.b_id
UNION ALL
SELECT
    'current',
    (r.rowid + 1)::INTEGER,
    a.host,
    b.host,
    coalesce(d.probability, s.probability)::FLOAT,
    r.flagged,
    f.shared
FROM internal.ranking AS r
LEFT JOIN internal.pattern_scores AS s USING (score_id)
LEFT JOIN internal.pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
LEFT JOIN internal.decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
JOIN main.hosts AS a ON a.host_id = r.a_id
JOIN main.hosts AS b ON b.host_id = r.b_id;

-- name: run_hosts_comment
COMMENT ON VIEW run_hosts IS
    'Every host of each detection that was given a name, and of the current one: which was to be '
    'dropped for which.';
-- name: run_hosts_columns
COMMENT ON COLUMN run_hosts.run IS 'Its name in named_runs; current = the current detection.';
COMMENT ON COLUMN run_hosts.host IS 'The host.';
COMMENT ON COLUMN run_hosts.canonical_host IS
    'The host to keep in its place, itself where it stays. NULL = in no group.';
COMMENT ON COLUMN run_hosts.group_id IS 'Its group in that detection. NULL = in none.';
COMMENT ON COLUMN run_hosts.urls IS 'URLs that were compared.';
-- name: run_pairs_comment
COMMENT ON VIEW run_pairs IS
    'Every candidate pair of each detection that was given a name, and of the current one: to '
    'compare two, join it with itself by host_a and host_b, or ask `replicadb diff`.';
-- name: run_pairs_columns
COMMENT ON COLUMN run_pairs.run IS 'Its name in named_runs; current = the current detection.';
COMMENT ON COLUMN run_pairs.rank IS 'Place among the candidate pairs of that detection, from 1.';
COMMENT ON COLUMN run_pairs.host_a IS 'The host whose name comes first in byte order.';
COMMENT ON COLUMN run_pairs.host_b IS 'The host whose name comes second in byte order.';
COMMENT ON COLUMN run_pairs.probability IS
    'Estimated probability of a replica, of single precision. NULL = a published method.';
COMMENT ON COLUMN run_pairs.flagged IS 'Whether that detection took the two for replicas.';
COMMENT ON COLUMN run_pairs.shared IS 'Dup-clusters (or paths) that the two had in common.';
