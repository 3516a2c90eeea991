-- Pair expansion: from pages of one key (a digest, an equal signature) and of near keys to pairs of
-- pages, each once.
--
-- page_keys: url_id, key, one row a page. near_keys: a_key, b_key, score, each pair of unequal keys
-- once. Two pages of one key score 1. A key of more than $fan_out pages becomes a star: the page of
-- the least URL, its centre, is paired with each other page of the key, and alone with the pages of
-- near keys. The connected components stay the same, and n equal pages cost n - 1 pairs.
-- Source: docs/method.md#exact. No column has NULL.
--
-- reads: compared_texts, origins, urls
-- writes: page_keys, near_keys, keys, star_centres, expected, representatives, found (all
--   temporary)
-- parameters: level, digest, fan_out

-- name: page_digests
-- Exact duplicates: the key is the digest at $level. NULL digest = no text: it equals none.
-- Only the newest capture counts.
CREATE OR REPLACE TEMP TABLE page_keys AS
SELECT
    url_id,
    CASE $level
        WHEN 'raw' THEN raw_digest
        WHEN 'text' THEN text_digest
        ELSE normal_digest
    END AS key
FROM compared_texts
WHERE key IS NOT NULL;

-- name: query_digest
-- For a page from outside, url_id -1: the pages of its digest; none where it has none (NULL).
CREATE OR REPLACE TEMP TABLE found AS
SELECT -1::BIGINT AS a_id, url_id AS b_id, 1.0::DOUBLE AS score FROM page_keys WHERE key = $digest;

-- name: no_near_keys
-- Exact duplicates have none.
CREATE OR REPLACE TEMP TABLE near_keys (a_key VARCHAR, b_key VARCHAR, score DOUBLE);

-- name: keys
-- n = pages of the key. representatives = those of them that are paired with pages of near keys.
CREATE OR REPLACE TEMP TABLE keys AS
SELECT
    key,
    count(*) AS n,
    CASE WHEN count(*) > $fan_out THEN 1 ELSE count(*) END AS representatives
FROM page_keys
GROUP BY key;

-- name: star_centres
-- The least URL of each, which no order of loads changes.
CREATE OR REPLACE TEMP TABLE star_centres AS
SELECT p.key, min((o.origin || u.path, p.url_id))[2] AS centre
FROM page_keys AS p
JOIN keys AS k ON k.key = p.key AND k.n > k.representatives
JOIN urls AS u ON u.url_id = p.url_id
JOIN origins AS o ON o.origin_id = u.origin_id
GROUP BY p.key;

-- name: expected
-- What will be written, before it is: pairs within keys, pairs between near keys, and those that
-- the stars spare.
CREATE OR REPLACE TEMP TABLE expected AS
WITH between_keys AS (
    SELECT coalesce(sum(a.representatives * b.representatives), 0)::BIGINT AS pairs
    FROM near_keys
    JOIN keys AS a ON a.key = a_key
    JOIN keys AS b ON b.key = b_key
),
within_keys AS (
    SELECT
        coalesce(sum(n), 0)::BIGINT AS pages,
        count(*) AS keys,
        count(*) FILTER (n > representatives) AS stars,
        coalesce(sum(n * (n - 1) // 2 - (n - 1)) FILTER (n > representatives), 0)::BIGINT
            AS pairs_not_written,
        coalesce(sum(CASE WHEN n > representatives THEN n - 1 ELSE n * (n - 1) // 2 END), 0)::BIGINT
            AS pairs
    FROM keys
)
SELECT
    w.pages,
    w.keys,
    w.stars,
    w.pairs_not_written,
    w.pairs + b.pairs AS pairs
FROM within_keys AS w, between_keys AS b;

-- name: representatives
CREATE OR REPLACE TEMP TABLE representatives AS
SELECT url_id, key
FROM page_keys
JOIN keys USING (key)
WHERE n = representatives
UNION ALL
SELECT centre, key FROM star_centres;

-- name: found
CREATE OR REPLACE TEMP TABLE found AS
SELECT a.url_id AS a_id, b.url_id AS b_id, 1.0::DOUBLE AS score
FROM representatives AS a
JOIN representatives AS b ON a.key = b.key AND a.url_id < b.url_id
UNION ALL
SELECT least(centre, url_id), greatest(centre, url_id), 1.0::DOUBLE
FROM page_keys
JOIN star_centres USING (key)
WHERE url_id <> centre
UNION ALL
SELECT least(a.url_id, b.url_id), greatest(a.url_id, b.url_id), score
FROM near_keys
JOIN representatives AS a ON a.key = a_key
JOIN representatives AS b ON b.key = b_key;
