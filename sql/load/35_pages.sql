-- Pages of one source as the statements of a load see them: its captures that are pages, as rows of
-- urls.
--
-- sql/load/40_store has these queries in several places. They are no macros, since a macro is
-- planned both when it is made and when it is used, and that costs more than the rows of a small
-- source. Variables of the load: site, last_url.
-- Source: docs/method.md#promise-1. NULL in a capture: not recorded.
--
-- reads: captures, current_origins
-- writes: none
-- parameters: none

-- name: pages
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
