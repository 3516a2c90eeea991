-- Lengths of revisits: up to schema 38 it was not noted how long a page of the same file is.
--
-- Of older loads it is not known.
--
-- reads: none
-- writes: revisits
-- parameters: none

-- name: revisits_length
ALTER TABLE internal.revisits ADD COLUMN IF NOT EXISTS length BIGINT;
