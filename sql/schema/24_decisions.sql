-- Results, decisions: bins, patterns, weights, scores, ranking and groups.
--
-- Filled and made anew by the stages of detect, as sql/schema/20_compared says. Pairs are keyed by
-- host ids, a before b in byte order of the host names; views show names. Of method paper alone:
-- cuts, patterns. Of method robust alone: evidence_weights, evidence_interactions,
--   shared_neighbours, left_out.
-- NULL = of the other method, or the bin of unknown values, where a column's comment says so.
--
-- reads: none
-- writes: cuts, patterns, em_history, pattern_scores, evidence_weights, evidence_interactions,
--   shared_neighbours, ranking, left_out, decided, members, held
-- parameters: none

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
CREATE TABLE details.em_history (
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
    'Number of the pass from 1 (0 = nothing to move); robust: always 1.';
COMMENT ON COLUMN em_history.moved IS
    'Examples whose label turned in the pass; robust: 0, it moves none.';
COMMENT ON COLUMN em_history.positive IS
    'Examples counted as replicas after the pass; robust: the obvious replicas.';
COMMENT ON COLUMN em_history.negative IS
    'Examples counted as non-replicas after the pass; robust: all other candidates.';
COMMENT ON COLUMN em_history.detail IS 'What moved most; robust: the estimated share of replicas.';

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
    'What pairs are ranked by: robust, sum of contributions (and of what `shared_neighbours` '
    'adds) in log odds; paper, mean of the likelihoods that were aggregated.';
COMMENT ON COLUMN pattern_scores.probability IS
    'Method robust: estimated probability of a replica, 0 to 1. NULL = published methods.';
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
    'strength is their sum, with evidence_interactions, what shared_neighbours adds, and a '
    'constant.';
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

-- name: shared_neighbours
CREATE TABLE internal.shared_neighbours (
    a_id    INTEGER,
    b_id    INTEGER,
    common  FLOAT,
    overlap FLOAT,
    added   DOUBLE,
    before  DOUBLE
);
COMMENT ON TABLE shared_neighbours IS
    'Method robust: candidates that may be replicas by their own evidence and to whose strength '
    'relational evidence adds something (or added, in the pass before the last). A host''s '
    'neighbours are the hosts that it is probably a replica of, each counted by its probability, '
    'in large groups by that of the pass before; the pair''s own two do not count.';
COMMENT ON COLUMN shared_neighbours.a_id IS
    'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN shared_neighbours.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN shared_neighbours.common IS
    'Neighbours that both have; of a host with more than 64 estimated from a sample.';
COMMENT ON COLUMN shared_neighbours.overlap IS
    'Their share of the neighbours that either has, and of one more.';
COMMENT ON COLUMN shared_neighbours.added IS
    'What that adds to the strength, in log odds; below 0 where the two have different neighbours. '
    'Depends on the pair''s own evidence, too: one that its own evidence makes likely gains less.';
COMMENT ON COLUMN shared_neighbours.before IS
    'What the pass before the last added, in log odds: by that neighbours were weighed in the '
    'last. In groups of more than 16 hosts there are more passes, until nothing changes; '
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

-- name: left_out
CREATE TABLE internal.left_out (a_id INTEGER, b_id INTEGER, kind VARCHAR);
COMMENT ON TABLE left_out IS
    'Method robust: pairs as likely as flagged ones that are not flagged, since they are of a kind '
    'that was not asked for (detect --kinds).';
COMMENT ON COLUMN left_out.a_id IS 'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN left_out.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN left_out.kind IS 'What they look like, as in replicas.';

-- name: decided
CREATE TABLE internal.decided (
    a_id        INTEGER,
    b_id        INTEGER,
    replica     BOOLEAN,
    score_id    INTEGER,
    probability DOUBLE,
    score       DOUBLE
);
COMMENT ON TABLE decided IS
    'Pairs that a person had decided on when the ranking was made, of hosts that are loaded: what '
    'the decision says in place of what the evidence says.';
COMMENT ON COLUMN decided.a_id IS 'The host (hosts.host_id) whose name comes first in byte order.';
COMMENT ON COLUMN decided.b_id IS 'The host whose name comes second.';
COMMENT ON COLUMN decided.replica IS 'Whether the two are replicas.';
COMMENT ON COLUMN decided.score_id IS
    'Its row of pattern_scores: what the evidence alone says. NULL = it was no candidate.';
COMMENT ON COLUMN decided.probability IS
    'Shown as its probability: 1 or 0. NULL = published methods.';
COMMENT ON COLUMN decided.score IS
    'Shown as its score. NULL = that of the evidence, which method paper leaves as it is.';

-- name: members
CREATE TABLE internal.members (
    group_id     INTEGER,
    host_id      INTEGER,
    canonical_id INTEGER,
    rank         BIGINT,
    score        DOUBLE,
    probability  DOUBLE,
    kept_because VARCHAR,
    pages        BIGINT,
    elsewhere    BIGINT,
    not_compared BIGINT,
    same_paths   BIGINT,
    unlike       BIGINT
);
COMMENT ON TABLE members IS
    'Groups of replicas: each host with the one to keep; a dropped host is itself flagged as a '
    'copy of the kept one.';
COMMENT ON COLUMN members.group_id IS 'Number of the group in this detection, from 1.';
COMMENT ON COLUMN members.host_id IS 'The host.';
COMMENT ON COLUMN members.canonical_id IS 'The host of the group to keep (itself for that host).';
COMMENT ON COLUMN members.rank IS
    'Place of the pair (host, kept host) in the ranking; for the kept host the best of its '
    'members''.';
COMMENT ON COLUMN members.score IS 'Score of that pair, as in replicas.';
COMMENT ON COLUMN members.probability IS
    'Method robust: probability of that pair, as in replicas. NULL = published methods.';
COMMENT ON COLUMN members.kept_because IS
    'What tells the kept host from this one. NULL = it is the kept one.';
COMMENT ON COLUMN members.pages IS
    'Pages of the host (all of its URLs, where nothing is said of other files). NULL = it is the '
    'kept one; so of the next four.';
COMMENT ON COLUMN members.elsewhere IS
    'Those that stand at the kept host, too: its content anywhere, or a page at the same path '
    'with alike title, length or words.';
COMMENT ON COLUMN members.not_compared IS
    'Those at whose path the kept host has another content, where no title, length or word says '
    'whether it is the same page.';
COMMENT ON COLUMN members.same_paths IS 'Those at whose path the kept host has a page.';
COMMENT ON COLUMN members.unlike IS
    'Those at whose path the kept host has an unlike page: another title, or length where no title '
    'tells, and another content where both are known.';

-- name: held
CREATE TABLE internal.held (
    host_id      INTEGER,
    canonical_id INTEGER,
    rank         BIGINT,
    score        DOUBLE,
    probability  DOUBLE,
    why          VARCHAR,
    pages        BIGINT,
    elsewhere    BIGINT,
    not_compared BIGINT,
    same_paths   BIGINT,
    unlike       BIGINT
);
COMMENT ON TABLE held IS
    'Hosts that are likely copies of a host that stays, and stay nevertheless, since dropping '
    'them is not safe, or since the pair is of a kind that is not flagged (left_out): each with '
    'its likeliest such pair.';
COMMENT ON COLUMN held.host_id IS 'The host.';
COMMENT ON COLUMN held.canonical_id IS 'The host that would have been kept instead.';
COMMENT ON COLUMN held.rank IS 'Place of the pair in the ranking.';
COMMENT ON COLUMN held.score IS 'Score of that pair, as in replicas.';
COMMENT ON COLUMN held.probability IS
    'Method robust: probability of that pair. NULL = published methods.';
COMMENT ON COLUMN held.why IS 'What holds the drop back.';
COMMENT ON COLUMN held.pages IS 'As in members. NULL = not measured; so of the next four.';
COMMENT ON COLUMN held.elsewhere IS 'As in members.';
COMMENT ON COLUMN held.not_compared IS 'As in members.';
COMMENT ON COLUMN held.same_paths IS 'As in members.';
COMMENT ON COLUMN held.unlike IS 'As in members.';
