-- Canonical URLs: the form that the rules give each URL, and whether URLs of one form are of one content.
--
-- Reads and keeps the temporary tables rewritten (url_id, path: what rules on paths change) and host_changes (origin_id, origin: what rules on
-- scheme and host name make of an origin); reformed has the origins of which a URL's form changed last (replicadb/rewrite/url_forms.py). Forms are
-- compared within a site: origins that the rules make one. A URL without fingerprint is neither right nor wrong.

-- name: nothing_rewritten
CREATE OR REPLACE TEMP TABLE rewritten (url_id BIGINT, path VARCHAR);

-- name: no_host_changes
CREATE OR REPLACE TEMP TABLE host_changes (origin_id INTEGER, origin VARCHAR);

-- name: all_reformed
CREATE OR REPLACE TEMP TABLE reformed AS SELECT origin_id FROM origins;

-- name: may_change
-- URLs that the rules which came or went may change: of hosts with rules of their own (ruled), and where $pattern, made of the rules of any host
-- (NULL: none of them), is in the path, or, $by_form, may come into it: where other rules change it before its question mark, or may have changed it
-- there and back, as to_path and index do (on any host: $moves; else on those of moving).
CREATE OR REPLACE TEMP TABLE may_change AS
SELECT u.url_id
FROM urls AS u JOIN authorities AS a USING (origin_id) LEFT JOIN rewritten AS w USING (url_id)
WHERE a.authority IN (FROM ruled) OR coalesce(regexp_matches(a.segment || u.path, $pattern), false)
   OR ($by_form AND coalesce(($moves OR a.authority IN (FROM moving)) AND w.path IS NOT NULL OR split_part(w.path, '?', 1) <> split_part(a.segment || u.path, '?', 1), false));

-- name: batches
-- The first url_id of each batch of $batch of them.
SELECT url_id FROM (SELECT url_id, row_number() OVER (ORDER BY url_id) AS nth FROM may_change) WHERE nth % $batch = 1 OR $batch = 1 ORDER BY url_id;

-- name: batch
-- Those from $low to below $high, as they were loaded and in their form so far.
SELECT u.url_id, u.origin_id, a.authority, a.segment || u.path AS path, coalesce(w.path, a.segment || u.path) AS form
FROM urls AS u
SEMI JOIN (FROM may_change WHERE url_id >= $low AND url_id < $high) USING (url_id)
JOIN authorities AS a USING (origin_id)
LEFT JOIN (FROM rewritten WHERE url_id >= $low AND url_id < $high) AS w USING (url_id)
WHERE u.url_id >= $low AND u.url_id < $high
ORDER BY u.url_id;

-- name: canonical_forms
CREATE OR REPLACE TEMP MACRO canonical_forms() AS TABLE
SELECT u.url_id, coalesce(h.origin || coalesce(w.path, a.segment || u.path), a.scheme || '://' || a.authority || w.path) AS canonical
FROM urls AS u
JOIN authorities AS a USING (origin_id)
LEFT JOIN rewritten AS w USING (url_id)
LEFT JOIN host_changes AS h USING (origin_id)
WHERE w.url_id IS NOT NULL OR h.origin_id IS NOT NULL;

-- name: rewrites
INSERT INTO rewrites FROM canonical_forms();

-- name: reduced_forms
CREATE OR REPLACE TEMP TABLE reduced_forms AS FROM canonical_forms();

-- name: sites
-- The site of each origin: the lowest origin_id of those that the rules make one.
CREATE OR REPLACE TEMP TABLE sites AS
SELECT origin_id, min(origin_id) OVER (PARTITION BY coalesce(h.origin, a.scheme || '://' || a.authority)) AS site
FROM authorities AS a LEFT JOIN host_changes AS h USING (origin_id);

-- name: all_to_check
CREATE OR REPLACE TEMP TABLE to_check AS
SELECT DISTINCT site FROM sites WHERE origin_id IN (SELECT origin_id FROM rewritten JOIN urls USING (url_id)) OR origin_id IN (SELECT origin_id FROM host_changes);

-- name: to_check
-- Sites with other forms than at the last check, and those that were mixed then.
CREATE OR REPLACE TEMP TABLE to_check AS
SELECT DISTINCT site FROM sites WHERE origin_id IN (FROM reformed) OR origin_id IN (FROM mixed_origins);

-- name: shared_forms
-- Forms that several URLs of a site to check have: urls, n of them with known content, top of these with the commonest; the others (n - top) are errors.
CREATE OR REPLACE TEMP TABLE shared_forms AS
WITH formed AS (
    SELECT s.site, hash64(coalesce(w.path, a.segment || u.path)) AS form,
           CASE WHEN u.fingerprint IS NOT NULL THEN hash64(concat_ws(':', u.fingerprint_kind, u.fingerprint)) END AS content
    FROM urls AS u
    JOIN (FROM sites WHERE site IN (FROM to_check)) AS s USING (origin_id)
    JOIN authorities AS a USING (origin_id)
    LEFT JOIN rewritten AS w USING (url_id)
),
counted AS (
    SELECT site, form, content, count(*) AS n FROM formed GROUP BY ALL
)
SELECT site, form, sum(n)::BIGINT AS urls, coalesce(sum(n) FILTER (content IS NOT NULL), 0)::BIGINT AS n, coalesce(max(n) FILTER (content IS NOT NULL), 0) AS top
FROM counted GROUP BY site, form HAVING sum(n) > 1;

-- name: mixed_sites
-- Sites whose forms err more often than $epsilon allows.
CREATE OR REPLACE TEMP TABLE mixed_sites AS
SELECT site FROM shared_forms GROUP BY site HAVING sum(n - top) > $epsilon * sum(n);

-- name: mixed_origins
-- Their origins, whose sites may have other numbers once rules go.
CREATE OR REPLACE TEMP TABLE mixed_origins AS SELECT origin_id FROM sites WHERE site IN (FROM mixed_sites);

-- name: mixed_urls
-- Some URLs of each of them that have a form with other content, to find the rules that did it.
SELECT s.site, a.scheme, a.authority, a.segment || u.path AS path
FROM urls AS u
JOIN (FROM sites WHERE site IN (FROM mixed_sites)) AS s USING (origin_id)
JOIN authorities AS a USING (origin_id)
LEFT JOIN rewritten AS w USING (url_id)
JOIN shared_forms AS x ON x.site = s.site AND x.form = hash64(coalesce(w.path, a.segment || u.path))
WHERE x.n > x.top AND u.fingerprint IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY s.site ORDER BY x.n - x.top DESC, coalesce(w.path, a.segment || u.path), strlen(u.path) DESC, u.path, a.authority) <= $most
ORDER BY ALL;

-- name: saved
-- What rewriting saves, where shared_forms is of all sites that it changes: URLs less forms, and those URLs whose form stands for other content, too.
SELECT (SELECT count(*) FROM urls) AS urls, (SELECT count(*) FROM rewrites) AS rewritten, coalesce(sum(urls - 1), 0)::BIGINT AS saved, coalesce(sum(n - top), 0)::BIGINT AS wrong
FROM shared_forms;
