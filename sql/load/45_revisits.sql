-- Revisits: what a capture that repeats another one borrows from it, whatever was loaded first.
--
-- Its own file comes first, and decides whether a revisit is kept (20_captures). Here the revisit
-- borrows what is still unknown, from the captures of all loads that are no revisits. This is made
-- anew after each load and unload. So the result depends on which files are loaded, not on their
-- order. Its length is that of what it repeats: its payload is elsewhere. One without a digest
-- repeats the last capture before it of the URL that it names.
-- Source: docs/method.md#promise-1. NULL in revisits: not known from its own file.
--
-- reads: captures, urls, superseded, origins, revisits, own, unsettled, borrowed, changed, rivals
-- writes: own, revisits, unsettled, borrowed, changed, rivals, urls, superseded
-- parameters: source_id, last_url, all_types, page_types

-- name: own
-- The captures of this source that came into the database; of many in one this is the first, and
-- no other has a higher id.
CREATE OR REPLACE TEMP TABLE own AS
SELECT url_id, fingerprint_kind, fingerprint FROM urls WHERE source_id >= $source_id
UNION ALL
SELECT url_id, fingerprint_kind, fingerprint FROM superseded WHERE source_id >= $source_id;

-- name: insert_revisits
INSERT INTO revisits BY NAME
SELECT
    $last_url + position AS url_id,
    source_at(position) AS source_id,
    revisit_of,
    fingerprint_kind,
    fingerprint,
    mime,
    title,
    length,
    $all_types AS all_types
FROM captures
WHERE (is_revisit OR revisit_of IS NOT NULL)
  AND outcome IS NULL
  AND $last_url + position IN (FROM own SELECT url_id);

-- name: unsettled_by_source
-- Those that this source brought, and those that repeat something in it.
CREATE OR REPLACE TEMP TABLE unsettled AS
FROM revisits
WHERE source_id >= $source_id
   OR (fingerprint_kind, fingerprint) IN (
        FROM own SELECT (fingerprint_kind, fingerprint) WHERE fingerprint IS NOT NULL)
   OR (
        fingerprint IS NULL
        AND revisit_of IN (FROM captures SELECT full_url WHERE outcome IS NULL)
    );

-- name: unsettled
-- All of them: after an unload.
CREATE OR REPLACE TEMP TABLE unsettled AS
FROM revisits;

-- name: borrowed
-- What each of them is by its own file and by what it repeats.
CREATE OR REPLACE TEMP TABLE borrowed AS
WITH stored AS (
    FROM (
        FROM urls
        SELECT
            url_id, origin_id, path, fingerprint_kind, fingerprint, mime, title, length, fetched_at
        UNION ALL
        FROM superseded
        SELECT
            url_id, origin_id, path, fingerprint_kind, fingerprint, mime, title, length, fetched_at
    )
),
lenders AS (
    FROM stored ANTI JOIN revisits USING (url_id)
),
lending AS (
    SELECT
        o.origin || c.path AS url,
        c.fetched_at,
        if(r.url_id IS NULL, c.fingerprint_kind, r.fingerprint_kind) AS fingerprint_kind,
        if(r.url_id IS NULL, c.fingerprint, r.fingerprint) AS fingerprint
    FROM stored AS c
    JOIN origins AS o USING (origin_id)
    LEFT JOIN revisits AS r USING (url_id)
    WHERE if(r.url_id IS NULL, c.fingerprint, r.fingerprint) IS NOT NULL
),
bare AS (
    SELECT r.url_id, r.revisit_of, c.fetched_at
    FROM (FROM unsettled WHERE fingerprint IS NULL) AS r
    JOIN stored AS c USING (url_id)
),
by_url AS (
    SELECT
        r.url_id,
        max_by(
            (l.fingerprint_kind, l.fingerprint),
            lent_at(l.fetched_at, r.fetched_at, l.fingerprint_kind, l.fingerprint)) AS content
    FROM bare AS r
    JOIN lending AS l ON l.url = r.revisit_of
    GROUP BY r.url_id
),
repeating AS MATERIALIZED (
    SELECT
        r.* REPLACE (
            coalesce(r.fingerprint_kind, by_url.content[1]) AS fingerprint_kind,
            coalesce(r.fingerprint, by_url.content[2]) AS fingerprint)
    FROM unsettled AS r
    LEFT JOIN by_url USING (url_id)
),
by_digest AS (
    SELECT
        fingerprint_kind,
        fingerprint,
        min(mime) AS mime,
        min(title) AS title,
        min(length) AS length
    FROM lenders
    SEMI JOIN repeating USING (fingerprint_kind, fingerprint)
    GROUP BY ALL
),
together AS (
    SELECT
        r.url_id,
        r.all_types,
        fingerprint_kind,
        fingerprint,
        coalesce(r.mime, d.mime) AS mime,
        coalesce(r.title, d.title) AS title,
        least(r.length, d.length) AS length
    FROM repeating AS r
    LEFT JOIN by_digest AS d USING (fingerprint_kind, fingerprint)
)
SELECT
    * EXCLUDE (all_types),
    NOT all_types AND mime IS NOT NULL AND NOT list_contains($page_types::VARCHAR[], mime) AS asset
FROM together;

-- name: changed
CREATE OR REPLACE TEMP TABLE changed AS
SELECT b.*, c.origin_id, c.path
FROM borrowed AS b
JOIN (FROM urls UNION ALL BY NAME FROM superseded) AS c USING (url_id)
WHERE (b.fingerprint_kind, b.fingerprint, b.mime, b.title, b.length, b.asset)
    IS DISTINCT FROM (c.fingerprint_kind, c.fingerprint, c.mime, c.title, c.length, c.asset);

-- name: update_urls
-- This and those that follow: only where something changed.
UPDATE urls SET
    fingerprint_kind = c.fingerprint_kind,
    fingerprint = c.fingerprint,
    mime = c.mime,
    title = c.title,
    length = c.length,
    asset = c.asset,
    content_hash = content_hash(c.fingerprint_kind, c.fingerprint),
    title_hash = title_hash(c.title)
FROM changed AS c
WHERE urls.url_id = c.url_id;

-- name: update_superseded
UPDATE superseded SET
    fingerprint_kind = c.fingerprint_kind,
    fingerprint = c.fingerprint,
    mime = c.mime,
    title = c.title,
    length = c.length,
    asset = c.asset,
    content_hash = content_hash(c.fingerprint_kind, c.fingerprint),
    title_hash = title_hash(c.title)
FROM changed AS c
WHERE superseded.url_id = c.url_id;

-- name: rivals
-- All captures of those URLs: of two at one time another one may count now.
CREATE OR REPLACE TEMP TABLE rivals AS
WITH contested AS (
    SELECT DISTINCT origin_id, path FROM superseded SEMI JOIN changed USING (origin_id, path)
)
SELECT
    *,
    row_number() OVER (
        PARTITION BY origin_id, path
        ORDER BY
            fetched_at DESC NULLS LAST,
            among_equals(
                fetched_at, fingerprint_kind, fingerprint, title, mime, status, length, user_id
            ) DESC,
            source_id DESC
    ) AS place
FROM (FROM urls UNION ALL BY NAME FROM superseded)
SEMI JOIN contested USING (origin_id, path);

-- name: rivals_leave_urls
DELETE FROM urls USING rivals WHERE urls.url_id = rivals.url_id;

-- name: rivals_leave_superseded
DELETE FROM superseded USING rivals WHERE superseded.url_id = rivals.url_id;

-- name: newest
INSERT INTO urls BY NAME
SELECT * EXCLUDE (place) FROM rivals WHERE place = 1;

-- name: others
INSERT INTO superseded BY NAME
SELECT * EXCLUDE (place) FROM rivals WHERE place > 1;
