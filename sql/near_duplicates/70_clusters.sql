-- Clusters: what a method found, with its pages in the order of their URLs.
--
-- Ids are given in the order of loads. So clusters are made of places and hashes, which are of URLs
-- alone: the same pages make the same clusters, whichever was loaded first. A match is stored with
-- the lesser URL first. NumPy makes the clusters (replicadb/near_duplicates/chain_guard.py).
-- Source: docs/method.md#pages. No column has NULL.
--
-- reads: found, origins, urls
-- writes: matched_pages (temporary), matches
-- parameters: method

-- name: matched_pages
-- place: from 0.
CREATE OR REPLACE TEMP TABLE matched_pages AS
WITH pages AS (
    SELECT a_id AS url_id FROM found
    UNION
    SELECT b_id FROM found
),
named AS (
    SELECT url_id, o.origin || u.path AS url
    FROM pages
    JOIN urls AS u USING (url_id)
    JOIN origins AS o USING (origin_id)
)
SELECT url_id, row_number() OVER (ORDER BY url, url_id) - 1 AS place, hash64(url) AS hash
FROM named;

-- name: matches
INSERT INTO matches BY NAME
SELECT
    $method AS method,
    CASE WHEN a.place < b.place THEN f.a_id ELSE f.b_id END AS a_id,
    CASE WHEN a.place < b.place THEN f.b_id ELSE f.a_id END AS b_id,
    f.score
FROM found AS f
JOIN matched_pages AS a ON a.url_id = f.a_id
JOIN matched_pages AS b ON b.url_id = f.b_id;

-- name: placed_matches
SELECT a.place AS a, b.place AS b, f.score
FROM found AS f
JOIN matched_pages AS a ON a.url_id = f.a_id
JOIN matched_pages AS b ON b.url_id = f.b_id;
