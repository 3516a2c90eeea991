-- Named runs: what a person needs of a detection that was given a name, beside the current one.
--
-- Hosts are kept by name, since loads and the numbers of hosts come and go. A later version of
-- replicadb leaves the rows of these tables alone. No row here is called current: the views
-- run_pairs and run_hosts show the current detection under that name.
-- NULL: of a column, as it says.
--
-- reads: none
-- writes: named_runs, named_run_hosts, named_run_pairs
-- parameters: none

-- name: named_runs
CREATE TABLE IF NOT EXISTS history.named_runs (
    run_id          INTEGER,
    name            VARCHAR,
    detected_at     TIMESTAMP,
    version         VARCHAR,
    settings        VARCHAR,
    loads           VARCHAR[],
    key             VARCHAR,
    candidate_pairs BIGINT,
    flagged_pairs   BIGINT,
    flagged_hosts   BIGINT
);
-- name: named_runs_comment
COMMENT ON TABLE named_runs IS
    'Detections that were given a name (`detect --name`), each kept beside the current one: '
    'run_pairs and run_hosts have its ranking and its hosts. Loads and unloads leave them alone; '
    '`replicadb runs DB --forget NAME` takes one out.';
-- name: named_runs_name
COMMENT ON COLUMN named_runs.name IS 'The name it was given; the same name again takes its place.';
-- name: named_runs_detected_at
COMMENT ON COLUMN named_runs.detected_at IS 'When it was detected, UTC.';
-- name: named_runs_version
COMMENT ON COLUMN named_runs.version IS 'The replicadb that detected it.';
-- name: named_runs_settings
COMMENT ON COLUMN named_runs.settings IS 'All settings, as a JSON object.';
-- name: named_runs_loads
COMMENT ON COLUMN named_runs.loads IS 'The names of the loads that it compared.';
-- name: named_runs_key
COMMENT ON COLUMN named_runs.key IS 'Digest of data and settings, as in stages.';
-- name: named_runs_candidate_pairs
COMMENT ON COLUMN named_runs.candidate_pairs IS 'How many there were.';
-- name: named_runs_flagged_pairs
COMMENT ON COLUMN named_runs.flagged_pairs IS 'How many of them were flagged.';
-- name: named_runs_flagged_hosts
COMMENT ON COLUMN named_runs.flagged_hosts IS 'Hosts to drop.';

-- name: named_run_hosts
CREATE TABLE IF NOT EXISTS internal.named_run_hosts (
    run_id       INTEGER,
    host_id      INTEGER,
    host         VARCHAR,
    urls         INTEGER,
    canonical_id INTEGER,
    group_id     INTEGER
);
-- name: named_run_hosts_comment
COMMENT ON TABLE named_run_hosts IS
    'Every host of each named run, by the number that it had then; the view run_hosts shows them.';
-- name: named_run_hosts_host
COMMENT ON COLUMN named_run_hosts.host IS 'Its name.';
-- name: named_run_hosts_urls
COMMENT ON COLUMN named_run_hosts.urls IS 'URLs that were compared.';

-- name: named_run_pairs
CREATE TABLE IF NOT EXISTS internal.named_run_pairs (
    run_id      INTEGER,
    rank        INTEGER,
    a_id        INTEGER,
    b_id        INTEGER,
    probability FLOAT,
    flagged     BOOLEAN,
    shared      INTEGER
);
-- name: named_run_pairs_comment
COMMENT ON TABLE named_run_pairs IS
    'The ranking of each named run, by the numbers of named_run_hosts; the view run_pairs shows '
    'it.';
-- name: named_run_pairs_rank
COMMENT ON COLUMN named_run_pairs.rank IS 'Place in its ranking, from 1.';
-- name: named_run_pairs_probability
COMMENT ON COLUMN named_run_pairs.probability IS
    'As in replicas, of single precision. NULL = a published method.';
-- name: named_run_pairs_flagged
COMMENT ON COLUMN named_run_pairs.flagged IS 'As in replicas.';
-- name: named_run_pairs_shared
COMMENT ON COLUMN named_run_pairs.shared IS 'As in replicas.';
