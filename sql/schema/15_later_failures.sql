-- Schema: what answered no more after the last page that a source has of it.
--
-- A host that is gone keeps its older captures. So of two copies the one that still answers is kept
-- (docs/drops.md#host-to-keep).
--
-- reads: none
-- writes: later_failures
-- parameters: none

-- name: later_failures
CREATE TABLE IF NOT EXISTS internal.later_failures (
    source_id INTEGER,
    origin    VARCHAR,
    urls      BIGINT,
    since     TIMESTAMP
);
-- name: later_failures_comment
COMMENT ON TABLE later_failures IS
    'Origins that answered with redirects, 404 or 410 after the newest page that the source has of '
    'them, where their times are known.';
-- name: later_failures_origin_comment
COMMENT ON COLUMN later_failures.origin IS 'As in origins; also one that has no page.';
-- name: later_failures_urls_comment
COMMENT ON COLUMN later_failures.urls IS 'URLs of it that did.';
-- name: later_failures_since_comment
COMMENT ON COLUMN later_failures.since IS 'The first of these answers.';
