-- Similarity hashes: the pairs of distinct signatures at most $bits bits apart, through blocks of
-- bits that must agree.
--
-- Pigeonhole: cut the 64 bits into b blocks; two signatures that differ in at most k bits agree in
-- b - k blocks at least. For each choice of b - k blocks ($mask: their bits) the signatures with
-- equal bits there are joined and verified by bit_count(xor()). A pair may agree in several
-- choices: it counts at the first in lexicographic order, which is the one of its lowest agreeing
-- blocks. So every block below the choice's last that is not chosen ($lower) must differ.
-- Source: docs/method.md#simhash (Manku, Jain and Das Sarma 2007, section 3). No column has NULL.
--
-- reads: chosen_terms
-- writes: term_hashes, page_keys, found, near_keys, distinct_keys, candidates (all temporary)
-- parameters: bits, sample, mask, lower, most

-- name: term_hashes
-- A fixed 64-bit hash of each term (its stem, where there are stems), the same in every
-- database: the lower half of its MD5.
CREATE OR REPLACE TEMP TABLE term_hashes AS
SELECT DISTINCT stem_id AS term_id, hash64(stem) AS hash FROM chosen_terms;

-- name: page_keys
-- The newest captures that have terms; those without are not compared. Filled from NumPy.
CREATE OR REPLACE TEMP TABLE page_keys (url_id BIGINT, key UBIGINT);

-- name: query_found
-- One signature against all: a scan. The query page is url_id -1.
CREATE OR REPLACE TEMP TABLE found AS
SELECT -1::BIGINT AS a_id, b.url_id AS b_id, 1 - bit_count(xor(a.key, b.key)) / 64 AS score
FROM page_keys AS a
JOIN page_keys AS b ON a.url_id = -1 AND b.url_id >= 0
WHERE bit_count(xor(a.key, b.key)) <= $bits;

-- name: near_keys
CREATE OR REPLACE TEMP TABLE near_keys (a_key UBIGINT, b_key UBIGINT, score DOUBLE);

-- name: distinct_keys
CREATE OR REPLACE TEMP TABLE distinct_keys AS SELECT DISTINCT key FROM page_keys;

-- name: sample
-- Some of them, the same ones whatever their order, to count candidates in.
SELECT key FROM distinct_keys ORDER BY hash64(key::VARCHAR), key LIMIT $sample;

-- name: candidates
-- How many pairs of signatures the next statement has to verify.
CREATE OR REPLACE TEMP TABLE candidates AS
WITH blocks AS (
    SELECT count(*) AS n FROM distinct_keys GROUP BY key & $mask::UBIGINT
)
SELECT coalesce(sum(n * (n - 1) // 2), 0)::BIGINT AS n FROM blocks;

-- name: near
INSERT INTO near_keys
SELECT a.key, b.key, 1 - bit_count(xor(a.key, b.key)) / 64
FROM (SELECT key, key & $mask::UBIGINT AS block FROM distinct_keys) AS a
JOIN (SELECT key, key & $mask::UBIGINT AS block FROM distinct_keys) AS b
    ON a.block = b.block AND a.key < b.key
WHERE bit_count(xor(a.key, b.key)) <= $bits
    AND len(list_filter($lower::UBIGINT[], lambda m: xor(a.key, b.key) & m = 0)) = 0
LIMIT $most;
