-- Results: the tables that the stages of detect fill, empty until then.
--
-- A stage drops and makes its tables anew, so each statement here is named as the table it makes.
-- All of them are keyed by host ids, a before b in byte order of the host names; views show names.

-- name: settings
CREATE TABLE settings (name VARCHAR PRIMARY KEY, value VARCHAR);
COMMENT ON TABLE settings IS 'The thresholds that views read, as the last detect had them.';

-- name: dup_clusters
CREATE TABLE dup_clusters (cluster_id INTEGER, fingerprint_kind VARCHAR, fingerprint VARCHAR, n_urls INTEGER, n_hosts INTEGER, weight BIGINT);
COMMENT ON TABLE dup_clusters IS 'Every content that two or more URLs have. weight = rarity, (1 + ln(hosts / n_hosts)) * 2^20.';

-- name: cluster_hosts
CREATE TABLE cluster_hosts (cluster_id INTEGER, host_id INTEGER, n_urls INTEGER, path VARCHAR);
COMMENT ON TABLE cluster_hosts IS 'Which hosts stand in which dup-cluster, with how many URLs, and the smallest path there.';

-- name: shared_paths
CREATE TABLE shared_paths (path_id INTEGER, host_id INTEGER, df INTEGER, weight2 BIGINT, content UBIGINT);
COMMENT ON TABLE shared_paths IS 'The paths that 2 to path_max_hosts hosts have, by host. weight2 = (1 + ln(maxdf / df))^2 * 2^20; content tells equal pages from unequal ones (NULL: unknown).';

-- name: host_stats
CREATE TABLE host_stats (host_id INTEGER, host_rank INTEGER, n_urls INTEGER, n_paths INTEGER, n_clusters INTEGER,
    n_shared_clusters INTEGER, weight BIGINT, path_weight2 BIGINT, n_sections INTEGER, root UBIGINT);
COMMENT ON TABLE host_stats IS 'Per host: its place in byte order, its size, and the norms of its content and path vectors (scaled by 2^20).';

-- name: candidates
CREATE TABLE candidates (a_id INTEGER, b_id INTEGER, shared INTEGER, weight BIGINT,
    same_tail BIGINT, n_same_path INTEGER, sections_a INTEGER, sections_b INTEGER, n_paths INTEGER, path_weight2 BIGINT, n_unequal INTEGER);
COMMENT ON TABLE candidates IS 'Candidate pairs by host id with what they share; the view candidate_pairs shows them with names.';

-- name: labels
CREATE TABLE labels (a_id INTEGER, b_id INTEGER, label TINYINT);
COMMENT ON TABLE labels IS 'The obvious cases that teach the rest: 1 = obvious replica (a candidate), -1 = obvious non-replica (shares nothing).';

-- name: pair_features
CREATE TABLE pair_features (a_id INTEGER, b_id INTEGER, label TINYINT, shared INTEGER, ndist UTINYINT, nmatch FLOAT,
    ip4 FLOAT, ip3 FLOAT, fullpath FLOAT, similarity FLOAT, evidence FLOAT, containment FLOAT, resemblance FLOAT, path_overlap FLOAT,
    agreement FLOAT, alignment FLOAT, reach FLOAT, reach_both FLOAT);
COMMENT ON TABLE pair_features IS 'Candidate pairs (label 1 = obvious replica, 0 = unlabelled) and sampled obvious non-replicas (label -1) with their features; the view candidate_pairs explains each.';

-- name: cuts
CREATE TABLE cuts (feature VARCHAR, bin UTINYINT, low DOUBLE, high DOUBLE);
COMMENT ON TABLE cuts IS 'The bins of each discretised feature: low < value <= high. Bin 0 is NULL (unknown).';

-- name: patterns
CREATE TABLE patterns (pattern_id INTEGER, ndist UTINYINT, nmatch UTINYINT, ip4 UTINYINT, ip3 UTINYINT, fullpath UTINYINT,
    obvious_replicas BIGINT, unlabelled BIGINT, obvious_non_replicas BIGINT);
COMMENT ON TABLE patterns IS 'Distinct combinations of the five features'' bins, with how many examples have each: all that the learners see.';

-- name: pair_patterns
CREATE TABLE pair_patterns (a_id INTEGER, b_id INTEGER, label TINYINT, pattern_id INTEGER);
COMMENT ON TABLE pair_patterns IS 'The pattern of each example.';

-- name: em_history
CREATE TABLE em_history (learner VARCHAR, pass INTEGER, moved BIGINT, positive BIGINT, negative BIGINT, detail VARCHAR);
COMMENT ON TABLE em_history IS 'What each pass of learning moved: learner PU or NU (paper), or robust; positive and negative count the examples of each class after the pass.';

-- name: pattern_scores
CREATE TABLE pattern_scores (score_id INTEGER, pu_score DOUBLE, nu_score DOUBLE, strength DOUBLE, probability DOUBLE,
    dominates BIGINT, frontier BOOLEAN, flagged BOOLEAN, n BIGINT);
COMMENT ON TABLE pattern_scores IS 'What the method decided, once per distinct pattern: likelihoods alpha(x,+) by PU and NU data (paper), strength = what it ranks by (paper: mean likelihood; robust: log odds), probability = estimated probability of a replica (robust), dominates = candidates ranked strictly lower in every respect.';

-- name: pair_scores
CREATE TABLE pair_scores (a_id INTEGER, b_id INTEGER, score_id INTEGER);
COMMENT ON TABLE pair_scores IS 'Which row of pattern_scores holds for a candidate pair.';

-- name: evidence_weights
CREATE TABLE evidence_weights (feature VARCHAR, bin UTINYINT, low DOUBLE, high DOUBLE, weight DOUBLE, obvious_replicas BIGINT, candidates BIGINT);
COMMENT ON TABLE evidence_weights IS 'Method robust: the contribution (log odds) of each bin of each evidence; a pair''s strength is their sum.';

-- name: ranking
CREATE TABLE ranking (a_id INTEGER, b_id INTEGER, score_id INTEGER, rank INTEGER, score DOUBLE, flagged BOOLEAN);
COMMENT ON TABLE ranking IS 'Every candidate pair in its place: rank 1 is the likeliest replica; score = share of candidates ranked below.';

-- name: members
CREATE TABLE members (group_id INTEGER, host_id INTEGER, canonical_id INTEGER, score DOUBLE);
COMMENT ON TABLE members IS 'Groups of replicas: each host with the one to keep; a dropped host is itself flagged as a copy of the kept one.';
