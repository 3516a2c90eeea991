-- Dup-clusters: which pages are the same, and what that says of each host.
--
-- The URLs with one fingerprint form a dup-cluster when there are two or more (paper section
-- 4.1.1). Two weights of a content, both whole numbers (* 2^20) so that sums do not depend on the
-- order of addition:
--   weight            idf, w = 1 + ln(hosts / hosts having it); it falls slowly
--   exclusive_weight  inverse pair frequency, 1 / (hosts having it - 1); 1 for what one host alone
--                     has, as the paper counts addresses (Eq. 2)
-- What fifty hosts have is shared by each of them with 49 others, so it says a fiftieth of what two
-- alone have. Demonstration pages of a theme, a franchise's common section and default pages have a
-- high idf in a crawl of millions, and a low inverse pair frequency.
-- A content is a *page* when some URL has it as a page (type of $page_types, or unknown), else an
-- *asset* (pictures, scripts, fonts: what unrelated sites on one theme share). Evidence of the two
-- is kept apart. Contents are told apart by the 64 bits that were made of them at load.
-- Source: docs/method.md#candidates, docs/robust.md#robust-evidence.
-- NULL fingerprint = content unknown: such a URL is in no cluster.
--
-- reads: contents, compared_sites (sql/detect/10_contents), duplicates, content_hosts,
--   dup_clusters, cluster_hosts
-- writes: duplicates, content_hosts, dup_clusters, cluster_hosts, host_contents
-- parameters: scale, page_types

-- name: duplicates
-- The URLs whose content comes twice; most stands alone and is looked at no further.
CREATE OR REPLACE TEMP TABLE duplicates AS
WITH repeated AS (
    SELECT content_hash
    FROM contents
    WHERE content_hash IS NOT NULL
    GROUP BY content_hash
    HAVING count(*) > 1
)
SELECT
    host_id,
    path,
    content_hash AS content,
    fingerprint_kind,
    fingerprint,
    mime IS NULL OR list_contains($page_types, mime) AS page
FROM contents
WHERE content_hash IN (FROM repeated);

-- name: content_hosts
-- One row for each of these contents and each host that has it; path: the smallest there.
CREATE OR REPLACE TEMP TABLE content_hosts AS
SELECT
    content,
    host_id,
    count(*) AS n_urls,
    count(*) FILTER (page) AS n_pages,
    min(path) AS path
FROM duplicates
GROUP BY content, host_id;

-- name: dup_clusters
INSERT INTO dup_clusters BY NAME
WITH named AS (
    SELECT
        content,
        min(fingerprint_kind) AS fingerprint_kind,
        min(fingerprint) AS fingerprint
    FROM duplicates
    GROUP BY content
),
counted AS (
    SELECT
        content,
        sum(n_urls) AS n_urls,
        count(*) AS n_hosts,
        bool_or(n_pages > 0) AS page
    FROM content_hosts
    GROUP BY content
)
SELECT
    row_number() OVER (ORDER BY fingerprint_kind, fingerprint)::INTEGER AS cluster_id,
    fingerprint_kind,
    fingerprint,
    n_urls::INTEGER AS n_urls,
    n_hosts::INTEGER AS n_hosts,
    round((1 + ln((SELECT count(*) FROM compared_sites) / n_hosts)) * $scale)::BIGINT AS weight,
    page
FROM counted
JOIN named USING (content);

-- name: cluster_hosts
INSERT INTO cluster_hosts BY NAME
WITH clusters AS (
    SELECT cluster_id, content_hash(fingerprint_kind, fingerprint) AS content FROM dup_clusters
)
SELECT c.cluster_id, h.host_id, h.n_urls::INTEGER AS n_urls, h.path
FROM content_hosts AS h
JOIN clusters AS c USING (content);

-- name: host_contents
-- A host's distinct pages, and those that others have too; and the weights of its distinct
-- contents: pages by idf and by inverse pair frequency, assets by inverse pair frequency. Those in
-- clusters, and all others, which are its alone.
CREATE OR REPLACE TEMP TABLE host_contents AS
WITH alone AS (
    SELECT round((1 + ln(count(*))) * $scale)::BIGINT AS own FROM compared_sites
),
weighed AS (
    SELECT
        cluster_id,
        n_hosts,
        page,
        weight,
        greatest($scale // greatest(n_hosts - 1, 1), 1) AS exclusive_weight
    FROM dup_clusters
),
clustered AS (
    SELECT
        h.host_id,
        count(*) AS n,
        count(*) FILTER (c.n_hosts > 1) AS n_shared,
        count(*) FILTER (c.page) AS n_pages,
        count(*) FILTER (c.page AND c.n_hosts > 1) AS n_shared_pages,
        coalesce(sum(c.weight) FILTER (c.page), 0)::BIGINT AS weight,
        coalesce(sum(c.exclusive_weight) FILTER (c.page), 0)::BIGINT AS exclusive_weight,
        coalesce(sum(c.exclusive_weight) FILTER (NOT c.page), 0)::BIGINT AS asset_weight
    FROM cluster_hosts AS h
    JOIN weighed AS c USING (cluster_id)
    GROUP BY h.host_id
),
repeated AS (
    SELECT host_id, sum(n_pages)::BIGINT AS pages, sum(n_urls - n_pages)::BIGINT AS assets
    FROM content_hosts
    GROUP BY host_id
),
known AS (
    SELECT
        host_id,
        count(*) AS n_urls,
        count(content_hash) FILTER (mime IS NULL OR list_contains($page_types, mime)) AS pages,
        count(content_hash) FILTER (NOT list_contains($page_types, mime)) AS assets
    FROM contents
    GROUP BY host_id
)
SELECT
    u.host_id,
    u.n_urls,
    coalesce(c.n, 0) AS n_clusters,
    coalesce(c.n_shared, 0) AS n_shared_clusters,
    coalesce(c.n_pages, 0) + u.pages - coalesce(r.pages, 0) AS n_contents,
    coalesce(c.n_shared_pages, 0) AS n_borrowed,
    coalesce(c.weight, 0) + (u.pages - coalesce(r.pages, 0)) * own AS weight,
    coalesce(c.exclusive_weight, 0)
        + (u.pages - coalesce(r.pages, 0)) * $scale AS exclusive_weight,
    coalesce(c.asset_weight, 0) + (u.assets - coalesce(r.assets, 0)) * $scale AS asset_weight
FROM known AS u
CROSS JOIN alone
LEFT JOIN clustered AS c USING (host_id)
LEFT JOIN repeated AS r USING (host_id);
