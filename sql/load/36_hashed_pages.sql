-- Pages of one source with the hashes that detection compares (functions/10_hashes): rows of urls.
--
-- sql/load/40_store has this query twice, as it has 35_pages.
-- Source: docs/method.md#promise-1. NULL in a capture: not recorded.
--
-- reads: captures, current_origins
-- writes: none
-- parameters: none

-- name: hashed_pages
SELECT
    * EXCLUDE (full_url),
    path_hash(path) AS path_hash,
    tail_hash(path) AS tail_hash,
    segment_hash(path) AS segment_hash,
    content_hash(fingerprint_kind, fingerprint) AS content_hash,
    title_hash(title) AS title_hash
FROM (  -- noqa: PRS
    -- fill: replicadb.load.capture_store.pages
);
