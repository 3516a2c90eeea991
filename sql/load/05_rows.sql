-- Rows of one source as the statements of a load see them: table macros, made once for all sources.
--
-- A macro is planned where it is made, so the tables that it reads must be there: here they are
-- empty, and gone when the macros are made. no_rows is an empty table of capture rows, registered
-- by the caller. Variables of the load: all_types, page_types, site, source_id, last_url.
-- Source: docs/method.md#promise-1. NULL in a capture: not recorded.
--
-- reads: no_rows, odd_parsed, originals, captures, current_origins, staged, origins, pages
-- writes: staged, odd_parsed, originals, captures, current_origins
-- parameters: none

-- name: staged
-- As the reader gives it; user_id is the user's own id of the row.
CREATE OR REPLACE TEMP TABLE staged AS
SELECT *, NULL::VARCHAR AS user_id
FROM no_rows;

-- name: odd_parsed
-- The odd URLs taken apart. NULL origin: no page's URL, and reason says why.
CREATE OR REPLACE TEMP TABLE odd_parsed (
    url VARCHAR,
    origin VARCHAR,
    host_name VARCHAR,
    path VARCHAR,
    reason VARCHAR);

-- name: originals
-- What a revisit takes over from the page that it repeats.
CREATE OR REPLACE TEMP TABLE originals (
    position BIGINT,
    mime VARCHAR,
    title VARCHAR,
    fingerprint_kind VARCHAR,
    fingerprint VARCHAR);

-- name: judged
-- The captures of the source in normal form, each with its outcome.
-- full_url is the normal form; NULL origin: not a page's URL.
-- outcome: NULL is a page to keep, unless its host is excluded (40_store);
-- 'reject: ...' goes to rejects; 'skip: ...' is counted in skips.
CREATE OR REPLACE TEMP MACRO judged() AS TABLE
WITH plain_digests AS (
    SELECT
        *,
        plain_digest(digest) AS plain,
        CASE WHEN NOT plain THEN
            CASE WHEN starts_with(digest, 'urn:') THEN substr(digest, 5) ELSE digest END
        END AS written
    FROM staged
),
trimmed AS (
    SELECT
        *,
        CASE WHEN typeof(fetched_at) <> 'TIMESTAMP' THEN known(fetched_at::VARCHAR) END AS recorded,
        known(written) AS d
    FROM plain_digests
),
normalised AS (
    SELECT
        * REPLACE (
            CASE
                WHEN typeof(fetched_at) = 'TIMESTAMP' THEN try_cast(fetched_at AS TIMESTAMP)
                ELSE capture_time(recorded)
            END AS fetched_at,
            media_type(mime) AS mime,
            nullif(try_cast(status AS SMALLINT), 0) AS status,
            page_title(title) AS title),
        mime = 'warc/revisit' AS is_revisit,
        CASE
            WHEN plain THEN 'sha1'
            WHEN d IS NOT NULL THEN digest_kind(d)
        END AS fingerprint_kind,
        CASE
            WHEN plain THEN digest
            WHEN d IS NOT NULL THEN digest_value(d)
        END AS fingerprint
    FROM trimmed
),
with_content AS (
    SELECT * REPLACE (
        CASE WHEN NOT of_nothing(fingerprint) THEN fingerprint_kind END AS fingerprint_kind,
        CASE WHEN NOT of_nothing(fingerprint) THEN fingerprint END AS fingerprint)
    FROM normalised
),
located AS (
    SELECT
        s.*,
        o.reason,
        CASE
            WHEN o.url IS NOT NULL THEN o.origin || o.path
            WHEN contains(s.url, '#') THEN split_part(s.url, '#', 1)
            ELSE s.url
        END AS full_url,
        CASE
            WHEN o.url IS NOT NULL THEN o.origin
            ELSE left(s.url, 7 + strpos(substr(s.url, 9), '/'))
        END AS origin
    FROM with_content AS s
    LEFT JOIN odd_parsed AS o ON o.url = s.url AND s.problem IS NULL
),
repeating AS (
    SELECT l.* REPLACE (
        coalesce(l.fingerprint_kind, o.fingerprint_kind) AS fingerprint_kind,
        coalesce(l.fingerprint, o.fingerprint) AS fingerprint,
        coalesce(l.mime, o.mime) AS mime,
        coalesce(l.title, o.title) AS title)
    FROM located AS l
    LEFT JOIN originals AS o USING (position)
)
SELECT
    position,
    url,
    full_url,
    origin,
    ip,
    redirect,
    revisit_of,
    user_id,
    is_revisit,
    fingerprint_kind,
    fingerprint,
    fetched_at,
    status,
    mime,
    length,
    title,
    CASE
        WHEN problem IS NOT NULL THEN 'reject: ' || problem
        WHEN url IS NULL THEN 'reject: no URL'
        WHEN reason IS NOT NULL THEN 'reject: ' || reason
        WHEN status IN (301, 302, 303, 307, 308) THEN 'skip: redirect'
        WHEN NOT getvariable('all_types')::BOOLEAN AND status <> 200 THEN 'skip: status ' || status
        WHEN NOT getvariable('all_types')::BOOLEAN
             AND mime IS NOT NULL
             AND NOT list_contains(getvariable('page_types')::VARCHAR[], mime)
        THEN 'skip: type ' || mime
    END AS outcome
FROM repeating;

-- name: captures
-- By their names alone: to plan judged() costs more than all else here.
CREATE OR REPLACE TEMP TABLE captures AS
SELECT
    *,
    '' AS full_url,
    '' AS origin,
    '' AS fingerprint_kind,
    '' AS fingerprint,
    '' AS outcome
FROM staged;

-- name: current_origins
-- The origins that the source has pages of.
CREATE OR REPLACE TEMP TABLE current_origins AS
SELECT origin, origin_id, host_id FROM origins LIMIT 0;

-- name: pages
-- The captures that are pages, as rows of urls.
CREATE OR REPLACE TEMP MACRO pages() AS TABLE
SELECT
    c.position,
    c.full_url,
    getvariable('last_url')::BIGINT + c.position AS url_id,
    o.host_id,
    o.origin_id,
    substr(c.full_url, strlen(o.origin) + 1) AS path,
    c.fingerprint_kind,
    c.fingerprint,
    c.fetched_at,
    c.status,
    c.mime,
    c.length,
    getvariable('source_id')::INTEGER AS source_id,
    c.user_id,
    c.title
FROM captures AS c
JOIN current_origins AS o
    ON o.origin = c.origin || site_segment(
        getvariable('site')::VARCHAR, substr(c.full_url, strlen(c.origin) + 1))
WHERE c.outcome IS NULL;

-- name: hashed_pages
-- The same with the hashes that detection compares (functions/10_hashes).
CREATE OR REPLACE TEMP MACRO hashed_pages() AS TABLE
SELECT
    * EXCLUDE (full_url),
    path_hash(path) AS path_hash,
    tail_hash(path) AS tail_hash,
    segment_hash(path) AS segment_hash,
    content_hash(fingerprint_kind, fingerprint) AS content_hash,
    title_hash(title) AS title_hash
FROM pages();
