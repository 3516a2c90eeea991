-- Rewritable hosts: those that rules are learned from, where some content stands at two URLs.
--
-- And what the rounds of learning begin with: no URLs and no candidates yet. Forms and contents are
-- told apart by hash64, the same in every version, as the parts of the cross-validation must be.
-- Source: docs/method.md#rewrite-rules.
-- NULL fingerprint = content unknown: nothing is learned from such a URL.
--
-- reads: authorities (sql/rewrite/10_first_forms), page_urls, url_parts
-- writes: repeating, url_parts, split_urls, asked_for
-- parameters: none

-- name: type_of
-- The narrowest type of a segment: what the values of a wildcard look like (TYPES of
-- replicadb/rewrite/rewrite_rules.py). NULL: none; a word, say.
CREATE OR REPLACE TEMP MACRO type_of(s) AS CASE
    WHEN regexp_full_match(s, '[0-9]{4,}') THEN 'digits'
    WHEN
        regexp_full_match(s, '[0-9a-f]{8,}')
        AND regexp_matches(s, '[0-9]')
        AND regexp_matches(s, '[a-f]')
    THEN 'hex'
    WHEN
        regexp_full_match(s, '[A-Za-z0-9_-]{8,}')
        AND regexp_matches(s, '[0-9]')
        AND regexp_matches(s, '[A-Za-z]')
    THEN 'token'
    WHEN regexp_full_match(s, '\([A-Za-z]\([A-Za-z0-9]+\)\)') THEN 'session'
END;

-- name: has_type
-- Whether a segment is of a type, narrow or not: what is hex may be a token, too.
CREATE OR REPLACE TEMP MACRO has_type(s, name) AS CASE name
    WHEN 'digits' THEN regexp_full_match(s, '[0-9]{4,}')
    WHEN 'hex'
    THEN
        regexp_full_match(s, '[0-9a-f]{8,}')
        AND regexp_matches(s, '[0-9]')
        AND regexp_matches(s, '[a-f]')
    WHEN 'token'
    THEN
        regexp_full_match(s, '[A-Za-z0-9_-]{8,}')
        AND regexp_matches(s, '[0-9]')
        AND regexp_matches(s, '[A-Za-z]')
    ELSE regexp_full_match(s, '\([A-Za-z]\([A-Za-z0-9]+\)\)')
END;

-- name: with_items
-- A path with these parameters; without a question mark where none is left.
CREATE OR REPLACE TEMP MACRO with_items(stem, items) AS
    stem || CASE WHEN len(items) = 0 THEN '' ELSE '?' || array_to_string(items, '&') END;

-- name: with_query
-- A path with the query of another one.
CREATE OR REPLACE TEMP MACRO with_query(stem, path) AS
    stem || CASE
        WHEN contains(path, '?') THEN '?' || substr(path, strpos(path, '?') + 1)
        ELSE ''
    END;

-- name: content_of
CREATE OR REPLACE TEMP MACRO content_of(kind, fingerprint) AS
    hash64(concat_ws(':', kind, fingerprint));

-- name: form_of
CREATE OR REPLACE TEMP MACRO form_of(scheme, path) AS hash64(scheme || path);

-- name: repeating
-- Authorities with some content at two URLs.
CREATE OR REPLACE TEMP TABLE repeating AS
WITH numbered AS (
    SELECT origin_id, min(origin_id) OVER (PARTITION BY authority) AS number FROM authorities
),
known AS (
    SELECT number, content_of(fingerprint_kind, fingerprint) AS content
    FROM page_urls
    JOIN numbered USING (origin_id)
    WHERE fingerprint IS NOT NULL
),
repeated AS (
    SELECT number FROM known GROUP BY number, content HAVING count(*) > 1
),
several AS (
    SELECT DISTINCT number FROM repeated
)
SELECT authority, row_number() OVER (ORDER BY authority)::INTEGER AS place
FROM authorities
JOIN several ON number = origin_id;

-- name: url_parts
-- Empty, until sql/rewrite/30_url_parts fills it.
CREATE OR REPLACE TEMP TABLE url_parts (
    url_id BIGINT,
    place INTEGER,
    scheme VARCHAR,
    path VARCHAR,
    content UBIGINT,
    form UBIGINT
);

-- name: split_urls
-- With the path before its question mark, the query behind it, and the part of the contents for
-- cross-validation.
CREATE OR REPLACE TEMP VIEW split_urls AS
SELECT
    *,
    split_part(path, '?', 1) AS stem,
    substr(path, strlen(split_part(path, '?', 1)) + 2) AS query,
    (content % 10)::TINYINT AS part
FROM url_parts;

-- name: asked_for
-- Empty, until sql/rewrite/40_rewrite_candidates fills it.
CREATE OR REPLACE TEMP TABLE asked_for (
    place INTEGER,
    content UBIGINT,
    kind VARCHAR,
    name VARCHAR,
    value VARCHAR,
    position INTEGER
);
