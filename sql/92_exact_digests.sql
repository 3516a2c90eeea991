-- Exact duplicates: the pairs of pages whose digest is equal at the level asked for.
--
-- Level: raw = digest of the bytes, text = of the decoded text, normalised = of the text with digits, dates and white space folded.
-- Score 1. A digest of more than $fan_out pages becomes a star, its lowest url_id with each other: the connected
-- components stay the same, and n pages cost n - 1 pairs. NULL digest = no text: such a page equals none. Only the newest capture counts.

-- name: page_digests
CREATE OR REPLACE TEMP TABLE page_digests AS
SELECT
    url_id,
    CASE $level WHEN 'raw' THEN raw_digest WHEN 'text' THEN text_digest ELSE normal_digest END AS digest
FROM page_contents SEMI JOIN urls USING (url_id)
WHERE digest IS NOT NULL;

-- name: equal_pages
-- n = pages of the digest, centre = the lowest of them, star = too many for all pairs.
CREATE OR REPLACE TEMP TABLE equal_pages AS
SELECT url_id, digest, count(*) OVER same AS n, min(url_id) OVER same AS centre, count(*) OVER same > $fan_out AS star
FROM page_digests SEMI JOIN (SELECT digest FROM page_digests GROUP BY digest HAVING count(*) > 1) USING (digest)
WINDOW same AS (PARTITION BY digest);

-- name: found
CREATE OR REPLACE TEMP TABLE found AS
SELECT a.url_id AS a_id, b.url_id AS b_id, 1.0::DOUBLE AS score
FROM equal_pages AS a JOIN equal_pages AS b ON a.digest = b.digest AND a.url_id < b.url_id
WHERE NOT a.star
UNION ALL
SELECT centre AS a_id, url_id AS b_id, 1.0::DOUBLE AS score
FROM equal_pages
WHERE star AND url_id > centre;

-- name: asked_found
CREATE OR REPLACE TEMP TABLE found AS
SELECT -1::BIGINT AS a_id, url_id AS b_id, 1.0::DOUBLE AS score FROM page_digests WHERE digest = $digest;
