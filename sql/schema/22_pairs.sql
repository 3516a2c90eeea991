-- Results, pairs: candidates and sampled non-replicas with their features.
--
-- Filled and made anew by the stages of detect, as sql/schema/20_compared says. Pairs are keyed by
-- host ids, a before b in byte order of the host names; views show names. The columns of features
-- come from the catalogue of evidence (replicadb/detection/evidence.py).
-- NULL = unknown; the catalogue says of what.
--
-- reads: none
-- writes: pair_features, host_digests, non_replicas
-- parameters: none

-- name: pair_features
CREATE TABLE internal.pair_features (
    a_id INTEGER,
    b_id INTEGER,
    label TINYINT
    -- fill: replicadb.detection.evidence_sql.columns
);
COMMENT ON TABLE pair_features IS
    'Candidate pairs with their features (label 1 = obvious replica, 0 = unlabelled).';
COMMENT ON COLUMN pair_features.a_id IS
    'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN pair_features.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN pair_features.label IS
    '1 = obvious replica (paper section 3.3), 0 = unlabelled candidate.';
-- fill: replicadb.detection.evidence_sql.comments(pair_features)

-- name: host_digests
CREATE TABLE internal.host_digests (host_id INTEGER, norms UBIGINT, digest HUGEINT);
COMMENT ON TABLE host_digests IS
    'Per host a number for all that its pairs were measured by: where it is the same after a '
    'further load, and the set of hosts too, pairs are kept.';
COMMENT ON COLUMN host_digests.host_id IS 'The host.';
COMMENT ON COLUMN host_digests.norms IS 'Hash of its row of host_stats, but for its place.';
COMMENT ON COLUMN host_digests.digest IS
    'Sum of the hashes of what it has of contents, paths, tails, titles, links and addresses, '
    'with their weights.';

-- name: non_replicas
CREATE TABLE internal.non_replicas (
    a_id INTEGER,
    b_id INTEGER,
    label TINYINT
    -- fill: replicadb.detection.evidence_sql.columns
);
COMMENT ON TABLE non_replicas IS
    'Method paper: sampled obvious non-replicas, pairs of hosts that share nothing, with their '
    'features.';
COMMENT ON COLUMN non_replicas.a_id IS
    'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN non_replicas.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN non_replicas.label IS '-1 = obvious non-replica (paper section 3.3).';
-- fill: replicadb.detection.evidence_sql.comments(non_replicas)
