-- Contents: what stands on the pages of one source (load --content), a batch at a time, straight
-- into the tables.
--
-- The caller registers term_batch (k, term: the distinct terms of a batch), href_batch (url_id,
-- href, anchor: links as written) and base_batch (url_id, origin, own, folder: what each page's
-- links are relative to). A capture's id is settled before it is stored: the last id that was given
-- out, plus its position in the source. Those that do not come into the database lose their
-- contents at the end (orphans).
-- Source: docs/method.md#pages. NULL in page_contents: the page has none.
--
-- reads: term_batch, href_batch, base_batch, anchor_targets, anchor_parsed, page_fields, urls,
--   superseded, origins, captures, stored, repeats, orphans
-- writes: terms, anchor_targets, anchors, stored, repeats, page_contents, page_terms, orphans
-- parameters: last_term, max_bytes, source_id, last_url

-- name: new_terms
-- In the order of the alphabet within a batch, so that ids do not depend on threads.
INSERT INTO terms
SELECT $last_term + row_number() OVER (ORDER BY term), term
FROM term_batch
ANTI JOIN terms USING (term);

-- name: batch_ids
SELECT k, term_id
FROM term_batch
JOIN terms USING (term)
ORDER BY k;

-- name: targets
-- Without its fragment each link is made once, before link_target names it many times.
CREATE OR REPLACE TEMP TABLE anchor_targets AS
WITH hrefs AS (
    SELECT h.url_id, h.anchor, without_fragment(h.href) AS href, b.origin, b.folder, b.own
    FROM href_batch AS h
    JOIN base_batch AS b USING (url_id)
)
SELECT url_id, anchor, link_target(href, origin, folder, own, $max_bytes) AS u
FROM hrefs;

-- name: odd_targets
SELECT DISTINCT u
FROM anchor_targets
WHERE NOT starts_with(u, '!') AND NOT is_ordinary(u);

-- name: insert_anchors
-- What is no http(s) URL leads to no page and is left out.
-- The same target with the same text counts once on a page.
INSERT INTO anchors
SELECT DISTINCT
    t.url_id,
    CASE WHEN o.u IS NULL THEN t.u ELSE o.origin || o.path END AS to_url,
    t.anchor
FROM anchor_targets AS t
LEFT JOIN anchor_parsed AS o USING (u)
WHERE NOT starts_with(t.u, '!') AND o.reason IS NULL;

-- name: stored
-- The captures of this source that came into the database.
CREATE OR REPLACE TEMP TABLE stored AS
SELECT url_id, origin_id, path, fingerprint_kind, fingerprint
FROM urls
WHERE source_id = $source_id
UNION ALL
SELECT url_id, origin_id, path, fingerprint_kind, fingerprint
FROM superseded
WHERE source_id = $source_id;

-- name: repeats
-- A capture without content of its own (a revisit, a line of an index) takes that of a capture with
-- the same fingerprint: of the same URL if there is one, else of the lowest id. From another URL
-- (elsewhere) it takes neither the links, which may be relative, nor the terms of the URL.
CREATE OR REPLACE TEMP TABLE repeats AS
WITH bare_captures AS (
    FROM stored
    ANTI JOIN page_contents USING (url_id)
    WHERE fingerprint IS NOT NULL
),
in_database AS (
    FROM urls SELECT url_id, origin_id, path, fingerprint_kind, fingerprint
    UNION ALL
    FROM superseded SELECT url_id, origin_id, path, fingerprint_kind, fingerprint
),
originals AS (
    SELECT u.url_id, o.origin || u.path AS url, u.fingerprint_kind, u.fingerprint
    FROM in_database AS u
    JOIN origins AS o USING (origin_id)
    UNION
    SELECT $last_url + position, full_url, fingerprint_kind, fingerprint
    FROM captures
    WHERE outcome IS NULL
)
SELECT
    r.url_id,
    min((f.url <> o.origin || r.path, f.url_id)) AS best,
    best[1] AS elsewhere,
    best[2] AS from_id
FROM bare_captures AS r
JOIN origins AS o USING (origin_id)
JOIN (FROM originals SEMI JOIN page_contents USING (url_id)) AS f
    USING (fingerprint_kind, fingerprint)
GROUP BY r.url_id;

-- name: repeat_contents
INSERT INTO page_contents BY NAME
SELECT c.* REPLACE (r.url_id AS url_id, $source_id AS source_id)
FROM repeats AS r
JOIN page_contents AS c ON c.url_id = r.from_id;

-- name: repeat_terms
INSERT INTO page_terms BY NAME
SELECT r.url_id, t.field, t.term_id, t.n
FROM repeats AS r
JOIN page_terms AS t ON t.url_id = r.from_id
WHERE NOT (r.elsewhere AND t.field = (SELECT field FROM page_fields WHERE name = 'url'));

-- name: repeat_anchors
INSERT INTO anchors BY NAME
SELECT r.url_id, a.to_url, a.anchor
FROM repeats AS r
JOIN anchors AS a ON a.url_id = r.from_id
WHERE NOT r.elsewhere;

-- name: orphans
CREATE OR REPLACE TEMP TABLE orphans AS
SELECT url_id
FROM page_contents
WHERE source_id = $source_id AND url_id NOT IN (FROM stored SELECT url_id);

-- name: orphan_terms
-- This and the three that follow: only where there are orphans.
DELETE FROM page_terms USING orphans WHERE page_terms.url_id = orphans.url_id;

-- name: orphan_anchors
DELETE FROM anchors USING orphans WHERE anchors.url_id = orphans.url_id;

-- name: orphan_contents
DELETE FROM page_contents USING orphans WHERE page_contents.url_id = orphans.url_id;

-- name: unused_terms
DELETE FROM terms WHERE term_id NOT IN (SELECT term_id FROM page_terms);
