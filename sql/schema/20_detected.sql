-- Results: the tables that the stages of detect fill, empty until then.
--
-- A stage drops and makes its tables anew, so each statement here is named as the table it makes.
-- All of them are keyed by host ids, a before b in byte order of the host names; views show names.
-- What a table and its columns mean is said here too: a dropped table takes its comments with it.
--
-- reads: none
-- writes: settings, dup_clusters, cluster_hosts, near_contents, shared_paths, shared_tails,
--   host_stats, pair_features, host_digests, non_replicas, cuts, patterns, em_history,
--   pattern_scores, evidence_weights, evidence_interactions, partners, ranking, members,
--   fingerprints, matches, page_clusters, rewrite_rules, rewrites
-- parameters: none

-- name: settings
CREATE TABLE internal.settings (name VARCHAR PRIMARY KEY, value VARCHAR);
COMMENT ON TABLE settings IS
    'The thresholds that views read, as the last detect had them, and of method robust '
    'log_odds_offset: added to a strength it gives the log odds of being a replica; and '
    'log_odds_constant, which a strength has beside what its evidence contributes.';
COMMENT ON COLUMN settings.name IS 'Name of the setting.';
COMMENT ON COLUMN settings.value IS 'Its value as text.';

-- name: dup_clusters
CREATE TABLE internal.dup_clusters (
    cluster_id       INTEGER,
    fingerprint_kind VARCHAR,
    fingerprint      VARCHAR,
    n_urls           INTEGER,
    n_hosts          INTEGER,
    weight           BIGINT,
    page             BOOLEAN
);
COMMENT ON TABLE dup_clusters IS
    'Every content that two or more URLs have. weight = rarity, (1 + ln(hosts / n_hosts)) * 2^20.';
COMMENT ON COLUMN dup_clusters.cluster_id IS 'Number of the dup-cluster in this detection.';
COMMENT ON COLUMN dup_clusters.fingerprint_kind IS
    'Algorithm of the fingerprint; near: and a page method for a cluster of near duplicates '
    '(detect --clusters).';
COMMENT ON COLUMN dup_clusters.fingerprint IS
    'The content that all of its URLs have: their digest, or the number of their cluster of near '
    'duplicates (page_clusters.cluster_id).';
COMMENT ON COLUMN dup_clusters.n_urls IS 'URLs that have it, 2 or more.';
COMMENT ON COLUMN dup_clusters.n_hosts IS
    'Hosts that have it; 1 = duplicates inside one host only.';
COMMENT ON COLUMN dup_clusters.weight IS 'Rarity: round((1 + ln(all hosts / n_hosts)) * 2^20).';
COMMENT ON COLUMN dup_clusters.page IS
    'Whether some URL has it as a page (or its type is unknown); else it is an asset: a picture, '
    'script, font ...';

-- name: cluster_hosts
CREATE TABLE internal.cluster_hosts (
    cluster_id INTEGER,
    host_id    INTEGER,
    n_urls     INTEGER,
    path       VARCHAR
);
COMMENT ON TABLE cluster_hosts IS
    'Which hosts stand in which dup-cluster, with how many URLs, and the smallest path there.';
COMMENT ON COLUMN cluster_hosts.cluster_id IS 'The dup-cluster.';
COMMENT ON COLUMN cluster_hosts.host_id IS 'The host.';
COMMENT ON COLUMN cluster_hosts.n_urls IS 'URLs of the host in the dup-cluster.';
COMMENT ON COLUMN cluster_hosts.path IS
    'The smallest path (byte order) at which the host has the content.';

-- name: near_contents
CREATE TABLE internal.near_contents (url_id BIGINT, fingerprint_kind VARCHAR, fingerprint VARCHAR);
COMMENT ON TABLE near_contents IS
    'With detect --clusters: the URLs whose content is a cluster of near duplicates, in place of '
    'their own fingerprint. Else empty.';
COMMENT ON COLUMN near_contents.url_id IS 'The URL (urls.url_id).';
COMMENT ON COLUMN near_contents.fingerprint_kind IS 'near: and the page method.';
COMMENT ON COLUMN near_contents.fingerprint IS
    'Number of the cluster, page_clusters.cluster_id of that method.';

-- name: shared_paths
CREATE TABLE internal.shared_paths (
    path    UBIGINT,
    host_id INTEGER,
    df      INTEGER,
    weight2 BIGINT,
    page    BOOLEAN,
    home    BOOLEAN,
    content UBIGINT
);
COMMENT ON TABLE shared_paths IS
    'The paths that 2 to path_max_hosts hosts have, by host. weight2 = (1 + ln(maxdf / df))^2 * '
    '2^20; content tells equal pages from unequal ones (NULL: unknown).';
COMMENT ON COLUMN shared_paths.path IS 'Hash of the path, urls.path_hash.';
COMMENT ON COLUMN shared_paths.host_id IS 'The host.';
COMMENT ON COLUMN shared_paths.df IS 'Hosts that have the path.';
COMMENT ON COLUMN shared_paths.weight2 IS
    'Squared weight of the path, (1 + ln(maxdf / df))^2 * 2^20 (paper section 3.1, Eq. 3).';
COMMENT ON COLUMN shared_paths.page IS
    'Whether the host has a page there (or its type is unknown), rather than an asset.';
COMMENT ON COLUMN shared_paths.home IS 'Whether it is the home page, /.';
COMMENT ON COLUMN shared_paths.content IS
    'Hash of the content there, to compare. NULL = content unknown.';

-- name: shared_tails
CREATE TABLE internal.shared_tails (
    tail    UBIGINT,
    host_id INTEGER,
    weight  BIGINT,
    content UBIGINT,
    length  BIGINT,
    title   UBIGINT
);
COMMENT ON TABLE shared_tails IS
    'The tails (last segment with query, small numbers as 0) of pages that 2 to path_max_hosts '
    'hosts have, by host: what a copy under a prefix keeps of its paths; and the segments with '
    'small numbers, at weight 0, where pages are compared.';
COMMENT ON COLUMN shared_tails.tail IS
    'Hash of the tail, urls.tail_hash (segments with small numbers: segment_hash).';
COMMENT ON COLUMN shared_tails.host_id IS 'The host.';
COMMENT ON COLUMN shared_tails.weight IS
    'Rarity: round((1 + ln(all hosts / hosts that have it)) * 2^20); 0 for a segment with small '
    'numbers.';
COMMENT ON COLUMN shared_tails.content IS
    'Hash of the content there, to compare. NULL = unknown, or the host has several pages with '
    'the tail, or one named by a small number.';
COMMENT ON COLUMN shared_tails.length IS 'Bytes of the page. NULL = unknown, or several pages.';
COMMENT ON COLUMN shared_tails.title IS
    'Hash of the page''s title in lower case, to compare. NULL = unknown, or several pages.';

-- name: host_stats
CREATE TABLE internal.host_stats (
    host_id           INTEGER,
    host_rank         INTEGER,
    n_urls            INTEGER,
    n_paths           INTEGER,
    n_clusters        INTEGER,
    n_shared_clusters INTEGER,
    n_contents        INTEGER,
    n_borrowed        INTEGER,
    weight            BIGINT,
    exclusive_weight  BIGINT,
    asset_weight      BIGINT,
    path_weight2      BIGINT,
    page_path_weight2 BIGINT,
    tail_weight       BIGINT,
    n_sections        INTEGER,
    root              UBIGINT
);
COMMENT ON TABLE host_stats IS
    'Per host: its place in byte order, its size, and the norms of its content and path vectors '
    '(scaled by 2^20).';
COMMENT ON COLUMN host_stats.host_id IS 'The host.';
COMMENT ON COLUMN host_stats.host_rank IS 'Place of the host''s name in byte order, from 1.';
COMMENT ON COLUMN host_stats.n_urls IS 'URLs of the host.';
COMMENT ON COLUMN host_stats.n_paths IS 'Its distinct paths.';
COMMENT ON COLUMN host_stats.n_clusters IS 'Dup-clusters that it stands in.';
COMMENT ON COLUMN host_stats.n_shared_clusters IS 'Those of them that other hosts stand in too.';
COMMENT ON COLUMN host_stats.n_contents IS 'Its distinct pages (contents).';
COMMENT ON COLUMN host_stats.n_borrowed IS 'Those of its distinct pages that other hosts have too.';
COMMENT ON COLUMN host_stats.weight IS
    'Its distinct pages by rarity, summed, * 2^20; content of its own counts 1 + ln(hosts).';
COMMENT ON COLUMN host_stats.exclusive_weight IS
    'Its distinct pages by exclusivity, 1 / (hosts having it - 1), summed, * 2^20; content of its '
    'own counts 1.';
COMMENT ON COLUMN host_stats.asset_weight IS
    'Its distinct assets (pictures, scripts, fonts ...) by exclusivity, summed likewise.';
COMMENT ON COLUMN host_stats.path_weight2 IS
    'Squared norm of its path vector * 2^20 (paper section 3.1, Eq. 3).';
COMMENT ON COLUMN host_stats.page_path_weight2 IS 'The same of its pages'' paths alone.';
COMMENT ON COLUMN host_stats.tail_weight IS 'The tails of its pages by rarity, summed, * 2^20.';
COMMENT ON COLUMN host_stats.n_sections IS 'First path segments of its pages, counted in 64 bits.';
COMMENT ON COLUMN host_stats.root IS
    'Hash of the home page''s content, to compare. NULL = no home page, its content unknown, or / '
    'is one of shared_paths.';

-- name: pair_features
CREATE TABLE internal.pair_features (
    a_id INTEGER,
    b_id INTEGER,
    label TINYINT,
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
    label TINYINT,
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

-- name: cuts
CREATE TABLE internal.cuts (feature VARCHAR, bin UTINYINT, low DOUBLE, high DOUBLE);
COMMENT ON TABLE cuts IS
    'The bins of each discretised feature: low < value <= high. Bin 0 is NULL (unknown).';
COMMENT ON COLUMN cuts.feature IS 'One of the five features of paper section 3.1.';
COMMENT ON COLUMN cuts.bin IS 'Number of the bin, from 1 upwards in value; 0 = NULL.';
COMMENT ON COLUMN cuts.low IS 'Bound below the values. NULL = bin 0, -inf = the lowest bin.';
COMMENT ON COLUMN cuts.high IS
    'Highest value that may stand in it. NULL = bin 0, inf = the highest bin.';

-- name: patterns
CREATE TABLE internal.patterns (
    pattern_id           INTEGER,
    ndist                UTINYINT,
    nmatch               UTINYINT,
    ip4                  UTINYINT,
    ip3                  UTINYINT,
    fullpath             UTINYINT,
    obvious_replicas     BIGINT,
    unlabelled           BIGINT,
    obvious_non_replicas BIGINT
);
COMMENT ON TABLE patterns IS
    'Distinct combinations of the five features'' bins, with how many examples have each: all '
    'that the learners see.';
COMMENT ON COLUMN patterns.pattern_id IS 'Number of the pattern in this detection.';
COMMENT ON COLUMN patterns.ndist IS 'Bin of ndist.';
COMMENT ON COLUMN patterns.nmatch IS 'Bin of nmatch.';
COMMENT ON COLUMN patterns.ip4 IS 'Bin of ip4; 0 = address unknown.';
COMMENT ON COLUMN patterns.ip3 IS 'Bin of ip3; 0 = address unknown.';
COMMENT ON COLUMN patterns.fullpath IS 'Bin of fullpath.';
COMMENT ON COLUMN patterns.obvious_replicas IS 'Obvious replicas with this pattern.';
COMMENT ON COLUMN patterns.unlabelled IS 'Unlabelled candidates with this pattern.';
COMMENT ON COLUMN patterns.obvious_non_replicas IS
    'Sampled obvious non-replicas with this pattern.';

-- name: em_history
CREATE TABLE main.em_history (
    learner  VARCHAR,
    pass     INTEGER,
    moved    BIGINT,
    positive BIGINT,
    negative BIGINT,
    detail   VARCHAR
);
COMMENT ON TABLE em_history IS
    'What each pass of learning moved: learner PU or NU (paper), or robust; positive and negative '
    'count the examples of each class after the pass.';
COMMENT ON COLUMN em_history.learner IS 'PU or NU (paper section 3.3), or robust.';
COMMENT ON COLUMN em_history.pass IS
    'Number of the pass from 1 (0 = nothing to move); robust: of the fitting step.';
COMMENT ON COLUMN em_history.moved IS
    'Examples whose label turned in the pass; robust: 0, it moves none.';
COMMENT ON COLUMN em_history.positive IS
    'Examples counted as replicas after the pass; robust: the obvious replicas.';
COMMENT ON COLUMN em_history.negative IS
    'Examples counted as non-replicas after the pass; robust: all other candidates.';
COMMENT ON COLUMN em_history.detail IS 'What moved most; robust: the value of the objective.';

-- name: pattern_scores
CREATE TABLE internal.pattern_scores (
    score_id    INTEGER,
    pu_score    DOUBLE,
    nu_score    DOUBLE,
    strength    DOUBLE,
    probability DOUBLE,
    dominates   BIGINT,
    frontier    BOOLEAN,
    flagged     BOOLEAN,
    n           BIGINT
);
COMMENT ON TABLE pattern_scores IS
    'What the method decided, once for each pattern of bins (paper) or strength (robust): '
    'likelihoods alpha(x,+) by PU and NU data (paper), strength = what it ranks by (paper: mean '
    'likelihood; robust: log odds), probability = estimated probability of a replica (robust), '
    'dominates = candidates ranked strictly lower in every respect.';
COMMENT ON COLUMN pattern_scores.score_id IS
    'patterns.pattern_id (paper), or the strength in millionths (robust).';
COMMENT ON COLUMN pattern_scores.pu_score IS
    'Method paper: alpha(x,+) from PU data, 0 to 1. NULL = method robust.';
COMMENT ON COLUMN pattern_scores.nu_score IS
    'Method paper: alpha(x,+) from NU data, 0 to 1. NULL = method robust.';
COMMENT ON COLUMN pattern_scores.strength IS
    'What pairs are ranked by: robust, sum of contributions (and of what partners adds) in log '
    'odds; paper, mean of the likelihoods that were aggregated.';
COMMENT ON COLUMN pattern_scores.probability IS
    'Method robust: estimated probability of a replica, 0 to 1. NULL = method paper.';
COMMENT ON COLUMN pattern_scores.dominates IS
    'Candidate pairs that are dominated (paper section 3.5).';
COMMENT ON COLUMN pattern_scores.frontier IS 'True where nothing dominates it (paper section 3.5).';
COMMENT ON COLUMN pattern_scores.flagged IS 'replicadb''s decision, before groups are made.';
COMMENT ON COLUMN pattern_scores.n IS 'Candidate pairs of which it holds.';

-- name: evidence_weights
CREATE TABLE internal.evidence_weights (
    feature          VARCHAR,
    bin              UTINYINT,
    low              DOUBLE,
    high             DOUBLE,
    weight           DOUBLE,
    obvious_replicas BIGINT,
    candidates       BIGINT
);
COMMENT ON TABLE evidence_weights IS
    'Method robust: the contribution (log odds) of each bin of each piece of evidence; a pair''s '
    'strength is their sum, with evidence_interactions, what partners adds, and a constant.';
COMMENT ON COLUMN evidence_weights.feature IS 'One of the evidence columns of candidate_pairs.';
COMMENT ON COLUMN evidence_weights.bin IS 'Number of the bin, from 1 upwards in value; 0 = NULL.';
COMMENT ON COLUMN evidence_weights.low IS
    'Bound below the values (low < value <= high). NULL = bin 0, -inf = the lowest bin.';
COMMENT ON COLUMN evidence_weights.high IS
    'Highest value that may stand in it. NULL = bin 0, inf = the highest bin.';
COMMENT ON COLUMN evidence_weights.weight IS
    'Contribution in log odds to a pair''s strength; 0 = an average candidate''s.';
COMMENT ON COLUMN evidence_weights.obvious_replicas IS 'Obvious replicas in the bin.';
COMMENT ON COLUMN evidence_weights.candidates IS
    'All candidate pairs in the bin, obvious ones included.';

-- name: evidence_interactions
CREATE TABLE internal.evidence_interactions (
    feature       VARCHAR,
    bin           UTINYINT,
    other_feature VARCHAR,
    other_bin     UTINYINT,
    weight        DOUBLE
);
COMMENT ON TABLE evidence_interactions IS
    'Method robust: what two pieces of evidence together add (log odds) to the sum of their own '
    'weights; bins are those of evidence_weights.';
COMMENT ON COLUMN evidence_interactions.feature IS
    'One of the evidence columns of candidate_pairs.';
COMMENT ON COLUMN evidence_interactions.bin IS 'Its bin.';
COMMENT ON COLUMN evidence_interactions.other_feature IS 'Another.';
COMMENT ON COLUMN evidence_interactions.other_bin IS 'The bin of that.';
COMMENT ON COLUMN evidence_interactions.weight IS
    'Contribution in log odds to the strength of a pair that has both bins; a pair of bins '
    'without a row adds 0.';

-- name: partners
CREATE TABLE internal.partners (
    a_id    INTEGER,
    b_id    INTEGER,
    common  FLOAT,
    overlap FLOAT,
    added   DOUBLE,
    before  DOUBLE
);
COMMENT ON TABLE partners IS
    'Method robust: candidates that may be replicas by their own evidence and to whose strength '
    'the company that their hosts keep adds something (or added, at the look before the last). A '
    'host''s partners are the hosts that it is probably a replica of, each counted by its '
    'probability, in large groups by that which company gave; the pair''s own two do not count.';
COMMENT ON COLUMN partners.a_id IS 'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN partners.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN partners.common IS
    'Partners that both have; of a host with more than 64 estimated from a sample.';
COMMENT ON COLUMN partners.overlap IS
    'Their share of the partners that either has, and of one more.';
COMMENT ON COLUMN partners.added IS
    'What that adds to the strength, in log odds; below 0 where the two have different partners. '
    'Hangs on the pair''s own evidence, too: one that its own evidence makes likely gains less.';
COMMENT ON COLUMN partners.before IS
    'What the look before the last added, in log odds: by that partners were weighed for the '
    'last. In groups of more than 16 company is asked again and again, until nothing changes; '
    'elsewhere both are equal.';

-- name: ranking
CREATE TABLE internal.ranking (a_id INTEGER, b_id INTEGER, score_id INTEGER, flagged BOOLEAN);
COMMENT ON TABLE ranking IS
    'Every candidate pair in its place, rowid + 1: the first is the likeliest replica. The view '
    'replicas adds all else.';
COMMENT ON COLUMN ranking.a_id IS 'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN ranking.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN ranking.score_id IS 'Its row of pattern_scores.';
COMMENT ON COLUMN ranking.flagged IS 'replicadb''s decision that the two are replicas.';

-- name: members
CREATE TABLE internal.members (
    group_id     INTEGER,
    host_id      INTEGER,
    canonical_id INTEGER,
    score        DOUBLE
);
COMMENT ON TABLE members IS
    'Groups of replicas: each host with the one to keep; a dropped host is itself flagged as a '
    'copy of the kept one.';
COMMENT ON COLUMN members.group_id IS 'Number of the group in this detection, from 1.';
COMMENT ON COLUMN members.host_id IS 'The host.';
COMMENT ON COLUMN members.canonical_id IS 'The host of the group to keep (itself for that host).';
COMMENT ON COLUMN members.score IS
    'Score of the pair (host, kept host); for the kept host the highest of its members''.';

-- name: fingerprints
CREATE TABLE internal.fingerprints (
    method      VARCHAR PRIMARY KEY,
    key         VARCHAR,
    options     JSON,
    counts      JSON,
    finished_at TIMESTAMP,
    seconds     DOUBLE
);
COMMENT ON TABLE fingerprints IS
    'The page methods that have run (replicadb fingerprint), each with its options and what it '
    'found.';
COMMENT ON COLUMN fingerprints.method IS 'exact, simhash, minhash, rp, rp+hm or mwo.';
COMMENT ON COLUMN fingerprints.key IS
    'Digest of the data and options; with another key the method runs again.';
COMMENT ON COLUMN fingerprints.options IS 'The options it ran with.';
COMMENT ON COLUMN fingerprints.counts IS
    'Pages, records and terms after each filter, matches, clusters.';
COMMENT ON COLUMN fingerprints.finished_at IS 'When it ended (UTC).';
COMMENT ON COLUMN fingerprints.seconds IS 'How long it took.';

-- name: matches
CREATE TABLE internal.matches (method VARCHAR, a_id BIGINT, b_id BIGINT, score DOUBLE);
COMMENT ON TABLE matches IS
    'Pairs of pages that a method holds to be near duplicates; the view page_matches shows their '
    'URLs.';
COMMENT ON COLUMN matches.method IS 'The page method.';
COMMENT ON COLUMN matches.a_id IS 'The page (urls.url_id) of the lower id.';
COMMENT ON COLUMN matches.b_id IS 'The page of the higher id.';
COMMENT ON COLUMN matches.score IS
    'How alike, 0 to 1: MWO, estimated Jaccard, 1 - bits / 64, 1 - largest difference; 1 for '
    'equal digests.';

-- name: page_clusters
CREATE TABLE internal.page_clusters (
    method     VARCHAR,
    cluster_id INTEGER,
    url_id     BIGINT,
    centre_id  BIGINT,
    score      DOUBLE
);
COMMENT ON TABLE page_clusters IS 'Clusters of near duplicates by method, two pages or more each.';
COMMENT ON COLUMN page_clusters.method IS 'The page method.';
COMMENT ON COLUMN page_clusters.cluster_id IS 'Number of the cluster among those of its method.';
COMMENT ON COLUMN page_clusters.url_id IS 'The page (urls.url_id).';
COMMENT ON COLUMN page_clusters.centre_id IS
    'The page that the cluster stands around; each member matches it, unless the guard against '
    'chains is off.';
COMMENT ON COLUMN page_clusters.score IS
    'Score of the match with the centre; 1 for the centre. NULL = no match with it (chains taken '
    'whole).';

-- name: rewrite_rules
CREATE TABLE internal.rewrite_rules (
    rule_id      INTEGER,
    context      VARCHAR,
    rule         VARCHAR,
    kind         VARCHAR,
    host         VARCHAR,
    section      VARCHAR,
    name         VARCHAR,
    value        VARCHAR,
    position     INTEGER,
    support      BIGINT,
    matches      BIGINT,
    errors       BIGINT,
    test_matches BIGINT,
    test_errors  BIGINT,
    hosts        BIGINT
);
COMMENT ON TABLE rewrite_rules IS
    'What replicadb rewrite learn found: rules that give each page of a host one URL (Dasgupta et '
    'al. 2008).';
COMMENT ON COLUMN rewrite_rules.context IS
    'Where the rule holds, to read: host/section, * for any.';
COMMENT ON COLUMN rewrite_rules.rule IS 'What it does, to read.';
COMMENT ON COLUMN rewrite_rules.kind IS
    'Kind of transformation (replicadb/rewrite/rewrite_rules.py, KINDS).';
COMMENT ON COLUMN rewrite_rules.host IS 'Host, with its port where it has one. NULL = any.';
COMMENT ON COLUMN rewrite_rules.section IS 'First segment of the path. NULL = any.';
COMMENT ON COLUMN rewrite_rules.name IS
    'What it is about: a parameter, segment, type, suffix or extension; empty for kinds without.';
COMMENT ON COLUMN rewrite_rules.value IS
    'What is put there instead, or the one value of the parameter that is dropped; empty for '
    'none.';
COMMENT ON COLUMN rewrite_rules.position IS 'Of a segment, from 1; 0 = kinds without.';
COMMENT ON COLUMN rewrite_rules.support IS 'Different contents that it brings together.';
COMMENT ON COLUMN rewrite_rules.matches IS
    'URLs that it gives a form that another known URL has, or is given.';
COMMENT ON COLUMN rewrite_rules.errors IS
    'Those of them whose content differs from that of the other.';
COMMENT ON COLUMN rewrite_rules.test_matches IS
    'Matches in the parts of the contents that were left out when the rule was learned (ten-fold '
    'cross-validation).';
COMMENT ON COLUMN rewrite_rules.test_errors IS 'Errors among those.';
COMMENT ON COLUMN rewrite_rules.hosts IS 'Hosts in which contents speak for it.';

-- name: rewrites
CREATE TABLE internal.rewrites (url_id BIGINT, canonical VARCHAR);
COMMENT ON TABLE rewrites IS
    'URLs that the rewrite rules change, with the form that they give them; the view '
    'canonical_urls has all.';
COMMENT ON COLUMN rewrites.url_id IS 'The URL (urls.url_id).';
COMMENT ON COLUMN rewrites.canonical IS 'Its canonical form.';

