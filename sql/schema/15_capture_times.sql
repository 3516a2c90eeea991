-- Schema: what the times of captures say that have no row in urls or superseded.
--
-- A host that is gone keeps its older captures. So of two copies the one that still answers is kept
-- (docs/drops.md#host-to-keep). And a source that has a URL several times keeps its newest capture
-- alone, while the first of all says since when the host is there.
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
    host_id   INTEGER,
    source_id INTEGER,
    first     TIMESTAMP
);
-- name: earlier_captures_comment
COMMENT ON TABLE earlier_captures IS
    'Hosts of which a source has captures of one URL several times: of these the newest alone is '
    'kept.';
-- name: earlier_captures_first_comment
COMMENT ON COLUMN earlier_captures.first IS 'The time of the earliest that is not kept, UTC.';
