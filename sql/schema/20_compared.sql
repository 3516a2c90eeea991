-- Results, what is compared: dup-clusters, paths, tails and the norms of hosts.
--
-- Filled by the first stage of detect, empty until then. A stage drops and makes its tables anew,
-- so each statement here is named as the table it makes. What a table and its columns mean is said
-- here too: a dropped table takes its comments with it.
-- NULL = unknown, where a column's comment says so.
--
-- reads: none
-- writes: settings, dup_clusters, cluster_hosts, near_contents, shared_paths, shared_tails,
--   host_stats
-- parameters: none

-- name: settings
CREATE TABLE internal.settings (name VARCHAR PRIMARY KEY, value VARCHAR);
COMMENT ON TABLE settings IS
    'The thresholds that views read, as the last detect had them, and of method robust '
    'log_odds_slope and log_odds_even: slope * (strength - even) are the log odds of being a '
    'replica; log_odds_error: the standard deviation of even; log_odds_flagged: the probability '
    'from which pairs are flagged; log_odds_another: that from which one of a newly met host would '
    'be; log_odds_offset: '
    'added to a local strength it gives the log odds by which neighbours are weighed; and '
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
    'Every content that two or more URLs have. weight = idf, (1 + ln(hosts / n_hosts)) * 2^20.';
COMMENT ON COLUMN dup_clusters.cluster_id IS 'Number of the dup-cluster in this detection.';
COMMENT ON COLUMN dup_clusters.fingerprint_kind IS
    'Algorithm of the fingerprint; near: and a page method for a cluster of near duplicates '
    '(detect --clusters).';
COMMENT ON COLUMN dup_clusters.fingerprint IS
    'The content that all of its URLs have: their digest, or the least URL of their cluster of '
    'near duplicates.';
COMMENT ON COLUMN dup_clusters.n_urls IS 'URLs that have it, 2 or more.';
COMMENT ON COLUMN dup_clusters.n_hosts IS
    'Hosts that have it; 1 = duplicates inside one host only.';
COMMENT ON COLUMN dup_clusters.weight IS 'idf: round((1 + ln(all hosts / n_hosts)) * 2^20).';
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
    'The least of the URLs in the cluster, page_clusters of that method.';

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
    tail      UBIGINT,
    host_id   INTEGER,
    weight    BIGINT,
    content   UBIGINT,
    length    BIGINT,
    title     UBIGINT,
    bare_title UBIGINT,
    language  USMALLINT
);
COMMENT ON TABLE shared_tails IS
    'The tails (last segment with query, small numbers as 0) of pages that 2 to path_max_hosts '
    'hosts have, by host: what a copy under a prefix keeps of its paths; and the segments with '
    'small numbers, at weight 0, where pages are compared.';
COMMENT ON COLUMN shared_tails.tail IS
    'Hash of the tail, urls.tail_hash (segments with small numbers: segment_hash).';
COMMENT ON COLUMN shared_tails.host_id IS 'The host.';
COMMENT ON COLUMN shared_tails.weight IS
    'idf: round((1 + ln(all hosts / hosts that have it)) * 2^20); 0 for a segment with small '
    'numbers.';
COMMENT ON COLUMN shared_tails.content IS
    'Hash of the content there, to compare. NULL = unknown, or the host has several pages with '
    'the tail, or one named by a small number.';
COMMENT ON COLUMN shared_tails.length IS 'Bytes of the page. NULL = unknown, or several pages.';
COMMENT ON COLUMN shared_tails.title IS
    'Hash of the page''s title in lower case, to compare. NULL = unknown, or several pages.';
COMMENT ON COLUMN shared_tails.bare_title IS
    'Hash of the title in lower case without the name of the site. NULL = it has none, unknown, or '
    'several pages.';
COMMENT ON COLUMN shared_tails.language IS
    'The page''s language, its code as a number. NULL = unknown, or several pages.';

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
    'Its distinct pages by idf, summed, * 2^20; content of its own counts 1 + ln(hosts).';
COMMENT ON COLUMN host_stats.exclusive_weight IS
    'Its distinct pages by inverse pair frequency, 1 / (hosts having it - 1), summed, * 2^20; '
    'content of its own counts 1.';
COMMENT ON COLUMN host_stats.asset_weight IS
    'Its distinct assets (pictures, scripts, fonts ...) by inverse pair frequency, summed '
    'likewise.';
COMMENT ON COLUMN host_stats.path_weight2 IS
    'Squared norm of its path vector * 2^20 (paper section 3.1, Eq. 3).';
COMMENT ON COLUMN host_stats.page_path_weight2 IS 'The same of its pages'' paths alone.';
COMMENT ON COLUMN host_stats.tail_weight IS 'The tails of its pages by idf, summed, * 2^20.';
COMMENT ON COLUMN host_stats.n_sections IS 'First path segments of its pages, counted in 64 bits.';
COMMENT ON COLUMN host_stats.root IS
    'Hash of the home page''s content, to compare. NULL = no home page, its content unknown, or / '
    'is one of shared_paths.';
