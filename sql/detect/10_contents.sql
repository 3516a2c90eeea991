-- Contents: what counts as the content of a URL when hosts are compared.
--
-- The content of a URL is its fingerprint (paper section 4.1.1). Under detect --clusters METHOD it
-- is the cluster of near duplicates that the URL is in: kind near:METHOD, and in place of a digest
-- the least of the cluster's URLs, since its number depends on the order of loads. URLs of one
-- fingerprint have one content there, too: the cluster that most of them are in, the lesser where
-- two are equal. So near duplicates never separate what has one fingerprint, and a URL whose own
-- content was not loaded (a revisit, an index) goes with its equals. A URL without a cluster keeps
-- its fingerprint.
-- Source: docs/method.md#candidates.
-- NULL fingerprint = content unknown.
--
-- reads: hosts, origins, urls, page_urls, page_clusters, near_contents, chosen_urls
-- writes: chosen_urls, compared_sites, near_contents, contents (temporary views)
-- parameters: method

-- name: with_assets
-- What is compared: pages and assets, or, as method paper has it, pages alone.
CREATE OR REPLACE TEMP VIEW chosen_urls AS SELECT * EXCLUDE (asset) FROM urls;

-- name: pages_alone
CREATE OR REPLACE TEMP VIEW chosen_urls AS FROM page_urls;

-- name: all_hosts
CREATE OR REPLACE TEMP VIEW compared_sites AS FROM hosts;

-- name: hosts_with_pages
CREATE OR REPLACE TEMP VIEW compared_sites AS FROM hosts SEMI JOIN page_urls USING (host_id);

-- name: contents_by_fingerprint
CREATE OR REPLACE TEMP VIEW contents AS FROM chosen_urls;

-- name: near_contents
-- The URLs whose content is a cluster. Empty without --clusters.
INSERT INTO near_contents BY NAME
WITH named_clusters AS (
    SELECT c.cluster_id, min(o.origin || u.path) AS name
    FROM page_clusters AS c
    JOIN urls AS u USING (url_id)
    JOIN origins AS o USING (origin_id)
    WHERE c.method = $method
    GROUP BY c.cluster_id
),
clustered AS (
    SELECT c.url_id, n.name
    FROM page_clusters AS c
    JOIN named_clusters AS n USING (cluster_id)
    WHERE c.method = $method
),
counted AS (
    SELECT u.fingerprint_kind, u.fingerprint, c.name, count(*) AS n
    FROM urls AS u
    JOIN clustered AS c USING (url_id)
    WHERE u.fingerprint IS NOT NULL
    GROUP BY ALL
),
chosen AS (
    SELECT fingerprint_kind, fingerprint, min((-n, name))[2] AS name
    FROM counted
    GROUP BY ALL
)
SELECT
    u.url_id,
    'near:' || $method AS fingerprint_kind,
    coalesce(f.name, c.name) AS fingerprint
FROM urls AS u
LEFT JOIN chosen AS f
    ON f.fingerprint_kind = u.fingerprint_kind AND f.fingerprint = u.fingerprint
LEFT JOIN clustered AS c ON c.url_id = u.url_id
WHERE f.name IS NOT NULL OR c.name IS NOT NULL;

-- name: contents_by_cluster
CREATE OR REPLACE TEMP VIEW contents AS
SELECT u.* REPLACE (
    coalesce(n.fingerprint_kind, u.fingerprint_kind) AS fingerprint_kind,
    coalesce(n.fingerprint, u.fingerprint) AS fingerprint,
    coalesce(content_hash(n.fingerprint_kind, n.fingerprint), u.content_hash) AS content_hash
)
FROM chosen_urls AS u
LEFT JOIN near_contents AS n USING (url_id);
