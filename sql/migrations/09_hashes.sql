-- Older URLs: what later versions note of a URL when it is loaded, for those that an older one
-- loaded.
--
-- Up to schema 7 the digest of no byte was a fingerprint (sql/load/20_captures); up to schema 8
-- detection hashed paths, contents and titles itself (sql/functions/10_hashes).
--
-- reads: none
-- writes: urls, superseded
-- parameters: none

-- name: urls_path_hash
ALTER TABLE urls ADD COLUMN IF NOT EXISTS path_hash UBIGINT;
-- name: urls_tail_hash
ALTER TABLE urls ADD COLUMN IF NOT EXISTS tail_hash UBIGINT;
-- name: urls_segment_hash
ALTER TABLE urls ADD COLUMN IF NOT EXISTS segment_hash UBIGINT;
-- name: urls_content_hash
ALTER TABLE urls ADD COLUMN IF NOT EXISTS content_hash UBIGINT;
-- name: urls_title_hash
ALTER TABLE urls ADD COLUMN IF NOT EXISTS title_hash UBIGINT;
-- name: urls_of_nothing
UPDATE urls SET fingerprint = NULL, fingerprint_kind = NULL WHERE of_nothing(fingerprint);
-- name: urls_hashes
UPDATE urls SET
    path_hash = path_hash(path),
    tail_hash = tail_hash(path),
    segment_hash = segment_hash(path),
    content_hash = content_hash(fingerprint_kind, fingerprint),
    title_hash = title_hash(title);

-- name: superseded_path_hash
ALTER TABLE superseded ADD COLUMN IF NOT EXISTS path_hash UBIGINT;
-- name: superseded_tail_hash
ALTER TABLE superseded ADD COLUMN IF NOT EXISTS tail_hash UBIGINT;
-- name: superseded_segment_hash
ALTER TABLE superseded ADD COLUMN IF NOT EXISTS segment_hash UBIGINT;
-- name: superseded_content_hash
ALTER TABLE superseded ADD COLUMN IF NOT EXISTS content_hash UBIGINT;
-- name: superseded_title_hash
ALTER TABLE superseded ADD COLUMN IF NOT EXISTS title_hash UBIGINT;
-- name: superseded_of_nothing
UPDATE superseded SET fingerprint = NULL, fingerprint_kind = NULL WHERE of_nothing(fingerprint);
-- name: superseded_hashes
UPDATE superseded SET
    path_hash = path_hash(path),
    tail_hash = tail_hash(path),
    segment_hash = segment_hash(path),
    content_hash = content_hash(fingerprint_kind, fingerprint),
    title_hash = title_hash(title);
