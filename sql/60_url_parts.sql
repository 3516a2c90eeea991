-- URL parts: the URLs that rewrite rules are learned from, and what tells those of one content apart.
--
-- Learned from: hosts (authorities: name with port) on which some content stands at two URLs or more. A path is taken in its canonical form so
-- far (temporary table rewritten: url_id, path; empty at first), so that each round of learning sees what the last one left. Pairs of
-- a dup-cluster: of its $fan_out shortest forms each with the shortest and with the one before it, never all pairs
-- (Dasgupta et al. 2008 pair all; choosing targets: Koppula et al. 2010). part 0 to 9 by content: of the ten-fold cross-validation in 62_rewrite_support.
-- Forms and contents are told apart by half of their MD5: DuckDB's hash() gives equal numbers for thousands in a million of URLs that differ in two
-- numbers (?a=28&b=91 and ?a=25&b=94), and parts must not change with its version.

-- name: type_of
-- The narrowest type of a segment: what the values of a wildcard look like (replicadb/rewrite/rules.py, TYPES). NULL: none, a word say.
CREATE OR REPLACE TEMP MACRO type_of(s) AS CASE
    WHEN regexp_full_match(s, '[0-9]{4,}') THEN 'digits'
    WHEN regexp_full_match(s, '[0-9a-f]{8,}') AND regexp_matches(s, '[0-9]') AND regexp_matches(s, '[a-f]') THEN 'hex'
    WHEN regexp_full_match(s, '[A-Za-z0-9_-]{8,}') AND regexp_matches(s, '[0-9]') AND regexp_matches(s, '[A-Za-z]') THEN 'token'
    WHEN regexp_full_match(s, '\([A-Za-z]\([A-Za-z0-9]+\)\)') THEN 'session' END;

-- name: has_type
-- Whether a segment is of a type, narrow or not: what is hex may be a token, too.
CREATE OR REPLACE TEMP MACRO has_type(s, name) AS CASE name
    WHEN 'digits' THEN regexp_full_match(s, '[0-9]{4,}')
    WHEN 'hex' THEN regexp_full_match(s, '[0-9a-f]{8,}') AND regexp_matches(s, '[0-9]') AND regexp_matches(s, '[a-f]')
    WHEN 'token' THEN regexp_full_match(s, '[A-Za-z0-9_-]{8,}') AND regexp_matches(s, '[0-9]') AND regexp_matches(s, '[A-Za-z]')
    ELSE regexp_full_match(s, '\([A-Za-z]\([A-Za-z0-9]+\)\)') END;

-- name: with_items
-- A path with these parameters; without a question mark where none is left.
CREATE OR REPLACE TEMP MACRO with_items(stem, items) AS stem || CASE WHEN len(items) = 0 THEN '' ELSE '?' || array_to_string(items, '&') END;

-- name: with_query
CREATE OR REPLACE TEMP MACRO with_query(stem, path) AS stem || CASE WHEN contains(path, '?') THEN '?' || substr(path, strpos(path, '?') + 1) ELSE '' END;

-- name: content_of
CREATE OR REPLACE TEMP MACRO content_of(kind, fingerprint) AS md5_number_lower(concat_ws(':', kind, fingerprint));

-- name: form_of
CREATE OR REPLACE TEMP MACRO form_of(scheme, path) AS md5_number_lower(scheme || path);

-- name: authorities
CREATE OR REPLACE TEMP TABLE authorities AS
SELECT origin_id, split_part(origin, '://', 1) AS scheme, split_part(origin, '/', 3) AS authority,
       substr(origin, strlen(split_part(origin, '/', 3)) + strlen(split_part(origin, '://', 1)) + 4) AS segment
FROM origins;

-- name: repeating
-- Authorities with some content at two URLs.
CREATE OR REPLACE TEMP TABLE repeating AS
WITH known AS (
    SELECT a.authority, hash(u.fingerprint_kind, u.fingerprint) AS content FROM urls AS u JOIN authorities AS a USING (origin_id) WHERE u.fingerprint IS NOT NULL
)
SELECT authority, row_number() OVER (ORDER BY authority)::INTEGER AS place
FROM (SELECT authority FROM (SELECT authority, content FROM known GROUP BY ALL HAVING count(*) > 1) GROUP BY authority);

-- name: url_parts
CREATE OR REPLACE TEMP TABLE url_parts AS
WITH forms AS (
    SELECT u.url_id, r.place, a.scheme, coalesce(w.path, a.segment || u.path) AS path, content_of(u.fingerprint_kind, u.fingerprint) AS content
    FROM urls AS u
    JOIN authorities AS a USING (origin_id)
    JOIN repeating AS r USING (authority)
    LEFT JOIN rewritten AS w USING (url_id)
    WHERE u.fingerprint IS NOT NULL
)
SELECT min(url_id) AS url_id, place, scheme, path, split_part(path, '?', 1) AS stem,
       substr(path, strlen(split_part(path, '?', 1)) + 2) AS query, content, (content % 10)::TINYINT AS part,
       form_of(scheme, path) AS form
FROM forms
WHERE strlen(path) <= $longest
GROUP BY place, scheme, path, content;

-- name: form_pairs
CREATE OR REPLACE TEMP TABLE form_pairs AS
WITH several AS (
    SELECT place, content FROM url_parts GROUP BY place, content HAVING count(*) > 1
),
ranked AS (
    SELECT p.place, p.content, p.scheme, p.path, p.stem, p.query,
           row_number() OVER w AS nth, lag(p.path) OVER w AS before, first_value(p.path) OVER w AS shortest
    FROM url_parts AS p SEMI JOIN several USING (place, content)
    WINDOW w AS (PARTITION BY p.place, p.content, p.scheme ORDER BY strlen(p.path), p.path)
),
paired AS (
    SELECT place, content, path AS source, shortest AS target FROM ranked WHERE nth BETWEEN 2 AND $fan_out
    UNION
    SELECT place, content, path, before FROM ranked WHERE nth BETWEEN 3 AND $fan_out
)
SELECT place, content, source, target,
       split_part(source, '?', 1) AS stem, split_part(target, '?', 1) AS to_stem,
       substr(source, strlen(split_part(source, '?', 1)) + 2) AS query, substr(target, strlen(split_part(target, '?', 1)) + 2) AS to_query
FROM paired WHERE source <> target;

-- name: differences
-- What the longer form has that the other has not, and the other way round.
CREATE OR REPLACE TEMP TABLE differences AS
WITH split AS (
    SELECT *, CASE WHEN query = '' THEN [] ELSE string_split(query, '&') END AS items, CASE WHEN to_query = '' THEN [] ELSE string_split(to_query, '&') END AS to_items,
           string_split(stem, '/') AS segments, string_split(to_stem, '/') AS to_segments
    FROM form_pairs
    WHERE strlen(query) - strlen(replace(query, '&', '')) < $most_parameters AND strlen(to_query) - strlen(replace(to_query, '&', '')) < $most_parameters
)
SELECT *, list_filter(items, lambda i: NOT list_contains(to_items, i)) AS more, list_filter(to_items, lambda i: NOT list_contains(items, i)) AS less,
       list_filter(range(1, least(len(segments), len(to_segments)) + 1), lambda i: segments[i] <> to_segments[i]) AS unequal
FROM split;
