-- Pages of one source as the statements of a load see them: table macros, made once a connection.
--
-- A macro is planned when it is made, so the tables that it reads must be there. Here they are
-- empty, and are dropped again when the macros are made. no_rows is an empty table of capture rows,
-- registered by the caller. Variables of the load: site, source_id, last_url, all_types,
-- page_types. Where many small sources are loaded as one: bundle and bundle_starts, one value a
-- position (replicadb/load/bundles.py).
-- Source: docs/method.md#promise-1. NULL in a capture: not recorded.
--
-- reads: no_rows, captures, current_origins, staged, origins, pages
-- writes: staged, captures, current_origins
-- parameters: none

-- name: is_asset
-- Whether a file of that type is an asset: kept, and no page.
CREATE OR REPLACE TEMP MACRO is_asset(mime) AS
    NOT getvariable('all_types')::BOOLEAN
    AND mime IS NOT NULL
    AND NOT list_contains(getvariable('page_types')::VARCHAR[], mime);

-- name: source_at
-- The source that a row is of.
CREATE OR REPLACE TEMP MACRO source_at(place) AS coalesce(
    list_extract(getvariable('bundle')::INTEGER[], place),
    getvariable('source_id')::INTEGER);

-- name: position_in_source
CREATE OR REPLACE TEMP MACRO position_in_source(place) AS
    place - coalesce(list_extract(getvariable('bundle_starts')::BIGINT[], place), 0);

-- name: staged
-- As the reader gives it; user_id is the user's own id of the row.
CREATE OR REPLACE TEMP TABLE staged AS
SELECT *, NULL::VARCHAR AS user_id
FROM no_rows;

-- name: captures
-- By their names alone.
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
    source_at(c.position) AS source_id,
    c.user_id,
    c.title,
    is_asset(c.mime) AS asset
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
