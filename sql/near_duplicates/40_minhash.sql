-- MinHash: the candidates of locality sensitive hashing, pairs of distinct signatures that agree in
-- a whole band of rows.
--
-- A band is a run of rows of the signature, kept as a 64-bit hash. Signatures are numbered (key);
-- equal ones have one number. A pair that agrees in several bands comes up in each; it is verified,
-- and counted, at the first. Source: docs/method.md#minhash (Broder 1997; bands as Leskovec,
-- Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4). No column has NULL.
--
-- reads: compared_texts
-- writes: found, page_keys, near_keys, signature_bands (all temporary)
-- parameters: band

-- name: page_texts
-- The newest capture of each page: its main text, or all of it where none was found.
SELECT url_id, coalesce(nullif(main_text, ''), text) AS text
FROM compared_texts
WHERE coalesce(nullif(main_text, ''), compared_texts.text) IS NOT NULL;

-- name: no_pairs
-- For the pairs of a page from outside.
CREATE OR REPLACE TEMP TABLE found (a_id BIGINT, b_id BIGINT, score DOUBLE);

-- name: page_keys
-- The number of each page's signature. Filled from NumPy, as are the next two.
CREATE OR REPLACE TEMP TABLE page_keys (url_id BIGINT, key BIGINT);

-- name: near_keys
CREATE OR REPLACE TEMP TABLE near_keys (a_key BIGINT, b_key BIGINT, score DOUBLE);

-- name: signature_bands
-- The hash of each band of each distinct signature.
CREATE OR REPLACE TEMP TABLE signature_bands (key BIGINT, bands UBIGINT[]);

-- name: agreeing
-- The signatures that agree in one band, for NumPy to verify; those alone in it are left out first.
WITH band AS MATERIALIZED (
    SELECT key, bands[$band] AS hash
    FROM signature_bands
    QUALIFY count(*) OVER (PARTITION BY hash) > 1
)
SELECT a.key AS a, b.key AS b FROM band AS a JOIN band AS b ON a.hash = b.hash AND a.key < b.key;
