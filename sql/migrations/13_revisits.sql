-- Revisits: up to schema 12 it was not noted which captures repeat another one.
--
-- Those of older loads stay as they are: what they borrowed is theirs.
--
-- reads: none
-- writes: revisits
-- parameters: none

-- name: revisits
CREATE TABLE IF NOT EXISTS internal.revisits (
    url_id           BIGINT,
    source_id        INTEGER,
    revisit_of       VARCHAR,
    fingerprint_kind VARCHAR,
    fingerprint      VARCHAR,
    mime             VARCHAR,
    title            VARCHAR,
    all_types        BOOLEAN
);
-- name: revisits_comment
COMMENT ON TABLE internal.revisits IS
    'Captures (urls or superseded) that repeat another one, with what their own file says of them. '
    'What is NULL here they borrow from what they repeat, as long as that is loaded.';
