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
-- writes: terms, anchor_targets, anchors, stored, orphans, repeats, page_contents, page_terms
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

-- name: orphans
-- Texts of captures that are not stored.
CREATE OR REPLACE TEMP TABLE orphans AS
SELECT url_id
FROM page_contents
WHERE source_id = $source_id AND url_id NOT IN (FROM stored SELECT url_id);

-- name: repeats
-- This and those that follow: only where there are orphans. A capture of this source without a text
-- of its own (a revisit) takes that of an orphan with its fingerprint: of the same URL, or, where
-- the fingerprint has no text yet, one capture that of the first URL (elsewhere). Of that it takes
-- neither the links, which may be relative, nor the terms of the URL. What other captures have is
-- looked up when it is read (near_duplicates/05_url_texts).
CREATE OR REPLACE TEMP TABLE repeats AS
WITH bare_captures AS (
    SELECT s.url_id, o.origin || s.path AS url, s.fingerprint_kind, s.fingerprint
    FROM stored AS s
    JOIN origins AS o USING (origin_id)
    ANTI JOIN page_contents AS c ON c.url_id = s.url_id
    WHERE s.fingerprint IS NOT NULL
),
lenders AS (
    SELECT $last_url + position AS url_id, full_url AS url, fingerprint_kind, fingerprint
    FROM captures
    WHERE outcome IS NULL AND $last_url + position IN (SELECT url_id FROM orphans)
),
of_url AS (
    SELECT b.url_id, false AS elsewhere, max(l.url_id) AS from_id
    FROM bare_captures AS b
    JOIN lenders AS l USING (url, fingerprint_kind, fingerprint)
    GROUP BY b.url_id
),
known_texts AS (
    SELECT fingerprint_kind, fingerprint FROM stored SEMI JOIN page_contents USING (url_id)
    UNION ALL
    SELECT fingerprint_kind, fingerprint FROM bare_captures SEMI JOIN of_url USING (url_id)
),
first_lenders AS (
    SELECT fingerprint_kind, fingerprint, min((url, url_id))[2] AS from_id
    FROM lenders
    ANTI JOIN known_texts USING (fingerprint_kind, fingerprint)
    GROUP BY fingerprint_kind, fingerprint
)
FROM of_url
UNION ALL
SELECT min((b.url, b.url_id))[2] AS url_id, true AS elsewhere, l.from_id
FROM bare_captures AS b
JOIN first_lenders AS l USING (fingerprint_kind, fingerprint)
GROUP BY l.from_id;

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

-- name: orphan_terms
DELETE FROM page_terms USING orphans WHERE page_terms.url_id = orphans.url_id;

-- name: orphan_anchors
DELETE FROM anchors USING orphans WHERE anchors.url_id = orphans.url_id;

-- name: orphan_contents
DELETE FROM page_contents USING orphans WHERE page_contents.url_id = orphans.url_id;

-- name: unused_terms
DELETE FROM terms WHERE term_id NOT IN (SELECT term_id FROM page_terms);
