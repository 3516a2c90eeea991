-- Schema: what is known of captures that have no row in urls or superseded.
--
-- A host that is gone keeps its older captures. So of two copies the one that still answers is kept
-- (docs/drops.md#host-to-keep). Where a source has a URL several times, only the newest capture is
-- kept. But the first says since when the host is there, and no alias is to hide what stood there
-- once.
--
-- reads: none
-- writes: later_failures, earlier_captures
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

-- name: earlier_captures
CREATE TABLE IF NOT EXISTS internal.earlier_captures (
    source_id        INTEGER,
    host_id          INTEGER,
    origin_id        INTEGER,
    path             VARCHAR,
    fingerprint_kind VARCHAR,
    content_hash     UBIGINT,
    first            TIMESTAMP
);
-- name: earlier_captures_comment
COMMENT ON TABLE earlier_captures IS
    'Of a URL that a source has several times the newest capture alone is kept in urls or '
    'superseded. This is what the others were: each content once. NULL content_hash = unknown.';
-- name: earlier_captures_path_comment
COMMENT ON COLUMN earlier_captures.path IS 'As in urls.';
-- name: earlier_captures_fingerprint_kind_comment
COMMENT ON COLUMN earlier_captures.fingerprint_kind IS 'As in urls.';
-- name: earlier_captures_content_hash_comment
COMMENT ON COLUMN earlier_captures.content_hash IS 'As in urls.';
-- name: earlier_captures_first_comment
COMMENT ON COLUMN earlier_captures.first IS
    'The earliest capture with that content, UTC. NULL = not recorded.';
