-- What a row of a source is: macros, made once a connection.
--
-- Variables of the load: source_id, all_types, page_types. Where many small sources are loaded as
-- one: bundle and bundle_starts, one value a position (replicadb/load/bundles.py).
--
-- reads: none
-- writes: none
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
