-- Canonical URLs: the form that the rules give each URL, as rules come and go.
--
-- Only URLs that a rule which came or went may change are given a form anew
-- (replicadb/rewrite/url_forms.py), a batch at a time. The tables of forms are those of
-- sql/rewrite/10_first_forms.
-- Source: docs/method.md#rewrite-rules.
-- NULL $pattern: no rule of any host came or went.
--
-- reads: authorities, rewritten, host_changes (sql/rewrite/10_first_forms), page_urls, ruled,
--   moving,
--   may_change, changed_origins (origin_id, origin: as the rules have them now),
--   named_hosts (authority: as a rule has it),
--   changed (url_id, origin_id, path, form, new: URLs of a batch with another form than before)
-- writes: reformed, host_changes, ruled, moving, may_change, rewritten, canonical_forms (macro),
--   rewrites, reduced_forms
-- parameters: pattern, by_form, moves, batch, low, high

-- name: none_reformed
CREATE OR REPLACE TEMP TABLE reformed (origin_id INTEGER);

-- name: reformed_origins
INSERT INTO reformed
SELECT DISTINCT coalesce(c.origin_id, h.origin_id)
FROM changed_origins AS c
FULL JOIN host_changes AS h USING (origin_id)
WHERE c.origin IS DISTINCT FROM h.origin;

-- name: host_changes
CREATE OR REPLACE TEMP TABLE host_changes AS FROM changed_origins;

-- name: ruled
-- Hosts of which rules of their own came or went.
CREATE OR REPLACE TEMP TABLE ruled AS FROM named_hosts;

-- name: moving
-- Hosts with a rule to_path.
CREATE OR REPLACE TEMP TABLE moving AS FROM named_hosts;

-- name: may_change
-- URLs that the rules which came or went may change: those of ruled hosts; those with $pattern,
-- made of the rules of any host, in the path; or, $by_form, where it may come into the path. Other
-- rules change such a path before its question mark, or may have changed it there and back, as
-- to_path and index do (on any host: $moves; else on those of moving).
CREATE OR REPLACE TEMP TABLE may_change AS
WITH formed AS (
    SELECT u.url_id, a.authority, a.segment || u.path AS path, w.path AS form
    FROM page_urls AS u
    JOIN authorities AS a USING (origin_id)
    LEFT JOIN rewritten AS w USING (url_id)
)
SELECT url_id
FROM formed
WHERE
    authority IN (FROM ruled)
    OR coalesce(regexp_matches(path, $pattern), false)
    OR (
        $by_form
        AND coalesce(
            (($moves OR authority IN (FROM moving)) AND form IS NOT NULL)
            OR split_part(form, '?', 1) <> split_part(path, '?', 1),
            false
        )
    );

-- name: batches
-- The first url_id of each batch of $batch of them.
SELECT url_id
FROM (SELECT url_id, row_number() OVER (ORDER BY url_id) AS nth FROM may_change)
WHERE nth % $batch = 1 OR $batch = 1
ORDER BY url_id;

-- name: batch
-- Those from $low to below $high, as they were loaded and in their form so far.
SELECT
    u.url_id,
    u.origin_id,
    a.authority,
    a.segment || u.path AS path,
    coalesce(w.path, a.segment || u.path) AS form
FROM page_urls AS u
SEMI JOIN (FROM may_change WHERE url_id >= $low AND url_id < $high) USING (url_id)
JOIN authorities AS a USING (origin_id)
LEFT JOIN (FROM rewritten WHERE url_id >= $low AND url_id < $high) AS w USING (url_id)
WHERE u.url_id >= $low AND u.url_id < $high
ORDER BY u.url_id;

-- name: reformed_by_batch
INSERT INTO reformed SELECT DISTINCT origin_id FROM changed;

-- name: forms_before
DELETE FROM rewritten WHERE url_id IN (SELECT url_id FROM changed WHERE form <> path);

-- name: forms_now
INSERT INTO rewritten SELECT url_id, new FROM changed WHERE new <> path;

-- name: canonical_forms
CREATE OR REPLACE TEMP MACRO canonical_forms() AS TABLE
SELECT
    u.url_id,
    coalesce(
        h.origin || coalesce(w.path, a.segment || u.path),
        a.scheme || '://' || a.authority || w.path
    ) AS canonical
FROM page_urls AS u
JOIN authorities AS a USING (origin_id)
LEFT JOIN rewritten AS w USING (url_id)
LEFT JOIN host_changes AS h USING (origin_id)
WHERE w.url_id IS NOT NULL OR h.origin_id IS NOT NULL;

-- name: rewrites
INSERT INTO rewrites FROM canonical_forms();

-- name: reduced_forms
CREATE OR REPLACE TEMP TABLE reduced_forms AS FROM canonical_forms();
