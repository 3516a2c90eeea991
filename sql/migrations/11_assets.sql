-- Assets: up to schema 10 every URL that was kept counted as a page.
--
-- reads: none
-- writes: urls, superseded
-- parameters: none

-- name: urls_asset
ALTER TABLE urls ADD COLUMN IF NOT EXISTS asset BOOLEAN DEFAULT false;
-- name: superseded_asset
ALTER TABLE superseded ADD COLUMN IF NOT EXISTS asset BOOLEAN DEFAULT false;
