-- Dup-clusters: which pages are the same, and what that says of each host.
--
-- The URLs with one fingerprint form a dup-cluster when there are two or more (paper section 4.1.1).
-- Weights are those of METHOD section 7, 3: w = 1 + ln(hosts / hosts having it), kept as integers
-- round(w * 2^20) so that their sums do not depend on the order of addition.
-- A content is a *page* when some URL has it as a page (type of $page_types, or unknown), else an *asset* (pictures,
-- scripts, fonts: what unrelated sites on one theme share). Evidence of the two is kept apart.
-- NULL fingerprint = content unknown: such a URL is in no cluster. (DuckDB's hash(NULL) is a number, so it is guarded.)

-- name: duplicates
-- Most content stands alone: only URLs whose fingerprint's hash comes twice are compared as strings.
CREATE OR REPLACE TEMP TABLE duplicates AS
WITH repeated AS (
    SELECT hash(fingerprint_kind, fingerprint) AS h FROM urls WHERE fingerprint IS NOT NULL GROUP BY h HAVING count(*) > 1
)
SELECT host_id, path, fingerprint_kind, fingerprint, mime IS NULL OR list_contains($page_types, mime) AS page
FROM urls
WHERE fingerprint IS NOT NULL AND hash(fingerprint_kind, fingerprint) IN (FROM repeated);

-- name: dup_clusters
INSERT INTO dup_clusters BY NAME
WITH by_host AS (
    SELECT fingerprint_kind, fingerprint, host_id, count(*) AS n_urls, bool_or(page) AS page FROM duplicates GROUP BY ALL
),
shared AS (
    SELECT fingerprint_kind, fingerprint, sum(n_urls) AS n_urls, count(*) AS n_hosts, bool_or(page) AS page
    FROM by_host
    GROUP BY fingerprint_kind, fingerprint
    HAVING sum(n_urls) > 1
)
SELECT
    row_number() OVER (ORDER BY fingerprint_kind, fingerprint)::INTEGER AS cluster_id,
    fingerprint_kind,
    fingerprint,
    n_urls::INTEGER AS n_urls,
    n_hosts::INTEGER AS n_hosts,
    round((1 + ln((SELECT count(*) FROM hosts) / n_hosts)) * $scale)::BIGINT AS weight,
    page
FROM shared;

-- name: cluster_hosts
INSERT INTO cluster_hosts BY NAME
SELECT
    c.cluster_id,
    u.host_id,
    count(*)::INTEGER AS n_urls,
    min(u.path) AS path
FROM duplicates AS u
JOIN dup_clusters AS c ON c.fingerprint_kind = u.fingerprint_kind AND c.fingerprint = u.fingerprint
GROUP BY c.cluster_id, u.host_id;

-- name: host_paths
-- One row per host and path; where several URLs of a host have it (http and https, ports) the newest known content counts, between equals the higher digest: never the order of loading.
-- Few paths come twice on a host: only those whose hash does are grouped as strings.
CREATE OR REPLACE TEMP TABLE host_paths AS
WITH repeated AS (
    SELECT hash(host_id, path) AS h FROM urls GROUP BY h HAVING count(*) > 1
),
flagged AS (
    SELECT u.host_id, u.path, u.fingerprint_kind || ':' || u.fingerprint AS content, u.fetched_at, u.url_id,
           u.mime IS NULL OR list_contains($page_types, u.mime) AS page, nullif(u.length, 0) AS length, hash(lower(u.title)) AS title_hash, u.title,
           r.h IS NOT NULL AS may_repeat
    FROM urls AS u LEFT JOIN repeated AS r ON r.h = hash(u.host_id, u.path)
)
SELECT host_id, path, content, page, length, CASE WHEN title IS NOT NULL THEN title_hash END AS title FROM flagged WHERE NOT may_repeat
UNION ALL
SELECT host_id, path, arg_max(content, (coalesce(fetched_at, 'epoch'::TIMESTAMP), content)) AS content, bool_or(page) AS page,
       max(length) AS length, max(CASE WHEN title IS NOT NULL THEN title_hash END) AS title
FROM flagged WHERE may_repeat
GROUP BY host_id, path;

-- name: path_df
-- path_id is NULL for a path on more than path_max_hosts hosts, 0 for the home page.
CREATE OR REPLACE TEMP TABLE path_df AS
WITH counted AS (
    SELECT path, count(*)::INTEGER AS df FROM host_paths GROUP BY path HAVING count(*) > 1
)
SELECT path, df, CASE WHEN path = '/' THEN 0 ELSE row_number() OVER (ORDER BY path) END::INTEGER AS path_id
FROM counted WHERE df <= $path_max_hosts
UNION ALL
SELECT path, df, NULL FROM counted WHERE df > $path_max_hosts;

-- name: placed_paths
-- Each host's paths as numbers: df = 1 for its own; section = first segment; root = content of the home page.
CREATE OR REPLACE TEMP TABLE placed_paths AS
SELECT h.host_id, d.path_id, coalesce(d.df, 1) AS df, h.page,
       CASE WHEN h.content IS NOT NULL THEN hash(h.content) END AS content,
       hash(CASE WHEN strpos(h.path[2:], '/') > 0 THEN split_part(h.path, '/', 2) ELSE '' END) AS section,
       CASE WHEN h.path = '/' AND d.path_id IS NULL THEN h.content END AS root
FROM host_paths AS h LEFT JOIN path_df AS d USING (path);

-- name: shared_paths
-- The paths that 2 to path_max_hosts hosts have; weight2 = w^2 with w = 1 + ln(maxdf / df) (paper Eq. 3).
INSERT INTO shared_paths BY NAME
SELECT path_id, host_id, df,
       round((1 + ln((SELECT max(df) FROM path_df WHERE path_id IS NOT NULL) / df)) ** 2 * $scale)::BIGINT AS weight2,
       page, content
FROM placed_paths WHERE path_id IS NOT NULL;

-- name: host_contents
-- Weights of a host's distinct contents, pages and assets apart: those in clusters by their rarity, all others are its alone.
CREATE OR REPLACE TEMP TABLE host_contents AS
WITH alone AS (
    SELECT round((1 + ln(count(*))) * $scale)::BIGINT AS own FROM hosts
),
clustered AS (
    SELECT h.host_id, count(*) AS n, count(*) FILTER (c.n_hosts > 1) AS n_shared,
           coalesce(sum(c.weight) FILTER (c.page), 0)::BIGINT AS weight, coalesce(sum(c.weight) FILTER (NOT c.page), 0)::BIGINT AS asset_weight
    FROM cluster_hosts AS h JOIN dup_clusters AS c USING (cluster_id)
    GROUP BY h.host_id
),
repeated AS (
    SELECT host_id, count(*) FILTER (page) AS pages, count(*) FILTER (NOT page) AS assets FROM duplicates
    SEMI JOIN dup_clusters USING (fingerprint_kind, fingerprint) GROUP BY host_id
),
known AS (
    SELECT host_id, count(*) AS n_urls,
           count(fingerprint) FILTER (mime IS NULL OR list_contains($page_types, mime)) AS pages,
           count(fingerprint) FILTER (NOT list_contains($page_types, mime)) AS assets
    FROM urls GROUP BY host_id
)
SELECT
    u.host_id, u.n_urls,
    coalesce(c.n, 0) AS n_clusters,
    coalesce(c.n_shared, 0) AS n_shared_clusters,
    coalesce(c.weight, 0) + (u.pages - coalesce(r.pages, 0)) * own AS weight,
    coalesce(c.asset_weight, 0) + (u.assets - coalesce(r.assets, 0)) * own AS asset_weight
FROM known AS u
CROSS JOIN alone
LEFT JOIN clustered AS c USING (host_id)
LEFT JOIN repeated AS r USING (host_id);

-- name: host_path_norms
-- Squared norm of a host's path vector: shared paths by their weight, its own by the weight of df = 1; paths on
-- more than path_max_hosts hosts are left out. The same of its pages' paths alone (page_weight2), and their sections.
-- root = content of the home page where that is no shared path.
CREATE OR REPLACE TEMP TABLE host_path_norms AS
WITH maxdf AS (
    SELECT round((1 + ln(coalesce(max(df), 1))) ** 2 * $scale)::BIGINT AS own FROM path_df WHERE path_id IS NOT NULL
),
sections AS (
    SELECT host_id, count(*) AS n_paths, count(*) FILTER (df = 1) AS n_own, count(*) FILTER (df = 1 AND page) AS n_own_pages,
           max(root) AS root
    FROM placed_paths GROUP BY host_id
),
distinct_sections AS (
    SELECT host_id, count(*) AS n_sections FROM (SELECT DISTINCT host_id, section FROM placed_paths WHERE page) GROUP BY host_id
),
shared AS (
    SELECT host_id, sum(weight2)::BIGINT AS weight2, coalesce(sum(weight2) FILTER (page), 0)::BIGINT AS page_weight2
    FROM shared_paths GROUP BY host_id
)
SELECT host_id, n_paths, coalesce(n_sections, 0) AS n_sections, CASE WHEN root IS NOT NULL THEN hash(root) END AS root,
       coalesce(weight2, 0) + n_own * own AS path_weight2, coalesce(page_weight2, 0) + n_own_pages * own AS page_path_weight2
FROM sections LEFT JOIN distinct_sections USING (host_id) CROSS JOIN maxdf LEFT JOIN shared USING (host_id);

-- name: tail_df
-- A tail is the last segment of a page's path with its query: what stays when a copy is moved under a prefix. As with paths,
-- one on more than path_max_hosts hosts says nothing. content, length and title only where the host has one page with the tail.
CREATE OR REPLACE TEMP TABLE tail_df AS
WITH tails AS (
    SELECT host_id, hash(regexp_extract(path, '[^/]*/?$')) AS tail, count(*) = 1 AS alone,
           min(CASE WHEN content IS NOT NULL THEN hash(content) END) AS content, min(length) AS length, min(title) AS title
    FROM host_paths WHERE page AND path <> '/' GROUP BY host_id, tail
)
SELECT host_id, tail, count(*) OVER (PARTITION BY tail)::INTEGER AS df, CASE WHEN alone THEN content END AS content,
       CASE WHEN alone THEN length END AS length, CASE WHEN alone THEN title END AS title
FROM tails;

-- name: shared_tails
INSERT INTO shared_tails BY NAME
SELECT tail, host_id, round((1 + ln((SELECT count(*) FROM hosts) / df)) * $scale)::BIGINT AS weight, content, length, title
FROM tail_df WHERE df BETWEEN 2 AND $path_max_hosts;

-- name: tail_norms
CREATE OR REPLACE TEMP TABLE tail_norms AS
SELECT host_id, sum(round((1 + ln((SELECT count(*) FROM hosts) / df)) * $scale)::BIGINT)::BIGINT AS tail_weight
FROM tail_df WHERE df <= $path_max_hosts GROUP BY host_id;

-- name: host_stats
INSERT INTO host_stats BY NAME
SELECT
    h.host_id,
    row_number() OVER (ORDER BY h.host)::INTEGER AS host_rank,
    c.n_urls::INTEGER AS n_urls,
    p.n_paths::INTEGER AS n_paths,
    c.n_clusters::INTEGER AS n_clusters,
    c.n_shared_clusters::INTEGER AS n_shared_clusters,
    c.weight::BIGINT AS weight,
    c.asset_weight::BIGINT AS asset_weight,
    p.path_weight2::BIGINT AS path_weight2,
    p.page_path_weight2::BIGINT AS page_path_weight2,
    coalesce(t.tail_weight, 0) AS tail_weight,
    p.n_sections::INTEGER AS n_sections,
    p.root
FROM hosts AS h JOIN host_contents AS c USING (host_id) JOIN host_path_norms AS p USING (host_id) LEFT JOIN tail_norms AS t USING (host_id);

-- name: cleanup
DROP TABLE host_contents;
-- name: cleanup_norms
DROP TABLE host_path_norms;
-- name: cleanup_df
DROP TABLE path_df;
-- name: cleanup_paths
DROP TABLE host_paths;
-- name: cleanup_duplicates
DROP TABLE duplicates;
-- name: cleanup_placed
DROP TABLE placed_paths;
-- name: cleanup_tails
DROP TABLE tail_df;
-- name: cleanup_tail_norms
DROP TABLE tail_norms;
