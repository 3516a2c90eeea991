-- Results, page methods: near duplicates among pages.
--
-- Filled by replicadb fingerprint, empty until then. A method that runs again replaces its rows.
-- NULL = no match with the centre of a cluster.
--
-- reads: none
-- writes: fingerprints, matches, page_clusters
-- parameters: none

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
COMMENT ON COLUMN matches.a_id IS 'The page (urls.url_id) of the lesser URL.';
COMMENT ON COLUMN matches.b_id IS 'The page of the greater URL.';
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
