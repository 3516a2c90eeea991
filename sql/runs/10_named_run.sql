-- Named run: what a person needs of the current detection, put aside under a name.
--
-- One row a host and one a candidate pair, by the numbers that hosts have now; their names stand
-- beside, for numbers go with what is unloaded.
-- NULL: as in sql/schema/12_named_runs.sql.
--
-- reads: host_stats, hosts, members, ranking, pattern_scores, pair_features, decided
-- writes: named_runs, named_run_hosts, named_run_pairs
-- parameters: run_id, name, detected_at, version, settings, loads, key, older

-- name: forget_pairs
DELETE FROM named_run_pairs WHERE run_id = $older;

-- name: forget_hosts
DELETE FROM named_run_hosts WHERE run_id = $older;

-- name: forget_run
DELETE FROM named_runs WHERE run_id = $older;

-- name: keep_hosts
INSERT INTO named_run_hosts BY NAME
SELECT $run_id AS run_id, h.host_id, h.host, t.n_urls AS urls, m.canonical_id, m.group_id
FROM host_stats AS t
JOIN hosts AS h USING (host_id)
LEFT JOIN members AS m USING (host_id);

-- name: keep_pairs
INSERT INTO named_run_pairs BY NAME
SELECT
    $run_id AS run_id,
    r.rowid + 1 AS rank,
    r.a_id,
    r.b_id,
    coalesce(d.probability, s.probability) AS probability,
    r.flagged,
    f.shared
FROM ranking AS r
LEFT JOIN pattern_scores AS s USING (score_id)
LEFT JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
LEFT JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id;

-- name: keep_run
INSERT INTO named_runs BY NAME
SELECT
    $run_id AS run_id,
    $name AS name,
    $detected_at AS detected_at,
    $version AS version,
    $settings AS settings,
    $loads AS loads,
    $key AS key,
    (SELECT count(score_id) FROM ranking) AS candidate_pairs,
    (SELECT count(*) FROM ranking WHERE flagged) AS flagged_pairs,
    (SELECT count(*) FROM members WHERE host_id <> canonical_id) AS flagged_hosts;
