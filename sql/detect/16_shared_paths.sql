-- Shared paths and tails, and what each host has in all: the norms that shares are of.
--
-- Weights are whole numbers, * 2^20, as in sql/detect/12_dup_clusters. A path or tail on more than
-- path_max_hosts hosts says nothing and is left out.
-- Source: paper Eq. 3, docs/method.md#fullpath, docs/robust.md#robust-evidence.
-- NULL content, length, title or language = unknown, or not to be compared.
--
-- reads: host_pages (sql/detect/14_host_pages), host_contents (sql/detect/12_dup_clusters), hosts,
--   compared_sites (sql/detect/10_contents), path_df, shared_paths, host_path_norms, tails,
--   shared_tails, tail_norms
-- writes: path_df, shared_paths, host_path_norms, tails, shared_tails, tail_norms, host_stats
-- parameters: scale, path_max_hosts

-- name: path_df
-- Paths of two hosts or more.
CREATE OR REPLACE TEMP TABLE path_df AS
SELECT path, count(*)::INTEGER AS df
FROM host_pages
GROUP BY path
HAVING count(*) > 1;

-- name: shared_paths
-- The paths that 2 to path_max_hosts hosts have; weight2 = w^2 with w = 1 + ln(maxdf / df).
INSERT INTO shared_paths BY NAME
WITH usable AS (
    SELECT path, df FROM path_df WHERE df <= $path_max_hosts
)
SELECT
    path,
    host_id,
    df,
    round((1 + ln((SELECT max(df) FROM usable) / df)) ** 2 * $scale)::BIGINT AS weight2,
    page,
    home,
    content
FROM host_pages
JOIN usable USING (path);

-- name: host_path_norms
-- Squared norm of a host's path vector: shared paths by their weight, its own by the weight of
-- df = 1. Paths on more than path_max_hosts hosts are left out. The same of its pages' paths alone
-- (page_path_weight2), and their sections. root = content of the home page where that is no shared
-- path.
CREATE OR REPLACE TEMP TABLE host_path_norms AS
WITH maxdf AS (
    SELECT round((1 + ln(coalesce(max(df), 1))) ** 2 * $scale)::BIGINT AS own
    FROM path_df
    WHERE df <= $path_max_hosts
),
every AS (
    SELECT
        host_id,
        count(*) AS n_paths,
        count(*) FILTER (page) AS n_pages,
        bit_count(coalesce(bit_or(1::UBIGINT << section) FILTER (page), 0)) AS n_sections,
        max(content) FILTER (home) AS root
    FROM host_pages
    GROUP BY host_id
),
repeated AS (
    SELECT host_id, count(*) AS n_paths, count(*) FILTER (page) AS n_pages
    FROM host_pages
    SEMI JOIN path_df USING (path)
    GROUP BY host_id
),
shared AS (
    SELECT
        host_id,
        sum(weight2)::BIGINT AS weight2,
        coalesce(sum(weight2) FILTER (page), 0)::BIGINT AS page_weight2,
        bool_or(home) AS home
    FROM shared_paths
    GROUP BY host_id
)
SELECT
    host_id,
    e.n_paths,
    n_sections,
    CASE WHEN NOT coalesce(s.home, false) THEN root END AS root,
    coalesce(s.weight2, 0) + (e.n_paths - coalesce(r.n_paths, 0)) * own AS path_weight2,
    coalesce(s.page_weight2, 0) + (e.n_pages - coalesce(r.n_pages, 0)) * own AS page_path_weight2
FROM every AS e
CROSS JOIN maxdf
LEFT JOIN repeated AS r USING (host_id)
LEFT JOIN shared AS s USING (host_id);

-- name: tails
-- Every tail of a page but the home page's, with whether it stands on one host alone.
CREATE OR REPLACE TEMP TABLE tails AS
SELECT tail, min(host_id) AS host_id, min(host_id) = max(host_id) AS own
FROM host_pages
WHERE page AND NOT home
GROUP BY tail;

-- name: shared_tails
-- The tails of several hosts, by host. Content, length, title and language only where the host has
-- one page with the tail, and no number was taken out of it. Few have several: these alone are
-- grouped.
INSERT INTO shared_tails BY NAME
WITH several AS (
    SELECT tail FROM tails WHERE NOT own
),
placed AS MATERIALIZED (
    SELECT tail, host_id, numbered, content, length, title, bare_title, language
    FROM host_pages
    SEMI JOIN several USING (tail)
    WHERE page AND NOT home
),
twice AS MATERIALIZED (
    SELECT tail, host_id FROM placed GROUP BY tail, host_id HAVING count(*) > 1
),
by_host AS (
    SELECT * EXCLUDE (numbered), numbered IS NULL AS alone
    FROM placed
    ANTI JOIN twice USING (tail, host_id)
    UNION ALL BY NAME
    SELECT tail, host_id, false AS alone FROM twice
),
counted AS (
    SELECT tail, count(*) AS df
    FROM by_host
    GROUP BY tail
    HAVING count(*) <= $path_max_hosts
)
SELECT
    tail,
    host_id,
    round((1 + ln((SELECT count(*) FROM compared_sites) / df)) * $scale)::BIGINT AS weight,
    CASE WHEN alone THEN content END AS content,
    CASE WHEN alone THEN length END AS length,
    CASE WHEN alone THEN title END AS title,
    CASE WHEN alone THEN bare_title END AS bare_title,
    CASE WHEN alone THEN language END AS language
FROM by_host
JOIN counted USING (tail);

-- name: numbered_tails
-- Pages named by a small number are compared where the whole segments are equal, at no weight:
-- 12.html with 12.html. They stand among the other tails, since no segment of that kind is a tail.
INSERT INTO shared_tails BY NAME
WITH by_host AS (
    SELECT
        numbered AS tail,
        host_id,
        min(content) AS content,
        min(length) AS length,
        min(title) AS title,
        min(bare_title) AS bare_title,
        min(language) AS language
    FROM host_pages
    WHERE numbered IS NOT NULL AND page
    GROUP BY numbered, host_id
    HAVING
        count(*) = 1
        AND content IS NOT NULL
        AND (length IS NOT NULL OR title IS NOT NULL OR language IS NOT NULL)
),
counted AS (
    SELECT tail FROM by_host GROUP BY tail HAVING count(*) BETWEEN 2 AND $path_max_hosts
)
SELECT tail, host_id, 0 AS weight, content, length, title, bare_title, language
FROM by_host
SEMI JOIN counted USING (tail);

-- name: tail_norms
CREATE OR REPLACE TEMP TABLE tail_norms AS
WITH alone AS (
    SELECT round((1 + ln(count(*))) * $scale)::BIGINT AS own FROM compared_sites
),
weights AS (
    SELECT host_id, weight FROM shared_tails
    UNION ALL
    SELECT host_id, count(*) * any_value(alone.own)
    FROM tails
    CROSS JOIN alone
    WHERE tails.own
    GROUP BY host_id
)
SELECT host_id, sum(weight)::BIGINT AS tail_weight
FROM weights
GROUP BY host_id;

-- name: host_stats
INSERT INTO host_stats BY NAME
SELECT
    h.host_id,
    row_number() OVER (ORDER BY h.host)::INTEGER AS host_rank,
    c.n_urls::INTEGER AS n_urls,
    p.n_paths::INTEGER AS n_paths,
    c.n_clusters::INTEGER AS n_clusters,
    c.n_shared_clusters::INTEGER AS n_shared_clusters,
    c.n_contents::INTEGER AS n_contents,
    c.n_borrowed::INTEGER AS n_borrowed,
    c.weight::BIGINT AS weight,
    c.exclusive_weight::BIGINT AS exclusive_weight,
    c.asset_weight::BIGINT AS asset_weight,
    p.path_weight2::BIGINT AS path_weight2,
    p.page_path_weight2::BIGINT AS page_path_weight2,
    coalesce(t.tail_weight, 0) AS tail_weight,
    p.n_sections::INTEGER AS n_sections,
    p.root
FROM hosts AS h
JOIN host_contents AS c USING (host_id)
JOIN host_path_norms AS p USING (host_id)
LEFT JOIN tail_norms AS t USING (host_id);
