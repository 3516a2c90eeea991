-- Older shells: a copy of the results that DuckDB from 1.0 on opens, as plain tables.
--
-- DuckDB 2 writes files that older versions do not open. Run it where it may write a file:
-- replicadb sql DB --files --example older-shells. Run again, it puts the results of now in place
-- of those that the file has.
--
-- reads: pages, hosts, loads, sources, replicas, copies, replica_groups, flagged_hosts, held_hosts,
--   descriptions, skips, rejects, inter_site_duplicates, intra_site_duplicates, site_identifiers,
--   links
-- writes: pages, hosts, loads, sources, replicas, copies, replica_groups, flagged_hosts,
--   held_hosts, descriptions, skips, rejects, inter_site_duplicates, intra_site_duplicates,
--   site_identifiers, links (in the file older.duckdb)
-- parameters: none

-- name: older_shells
-- How do I open the results in an older DuckDB?
ATTACH 'older.duckdb' AS older (READ_WRITE, STORAGE_VERSION 'v1.0.0');  -- noqa: PRS
CREATE OR REPLACE TABLE older.pages AS FROM main.pages;
CREATE OR REPLACE TABLE older.hosts AS FROM main.hosts;
CREATE OR REPLACE TABLE older.loads AS FROM history.loads;
CREATE OR REPLACE TABLE older.sources AS FROM main.sources;
CREATE OR REPLACE TABLE older.replicas AS FROM main.replicas;
CREATE OR REPLACE TABLE older.copies AS FROM main.copies;
CREATE OR REPLACE TABLE older.replica_groups AS FROM main.replica_groups;
CREATE OR REPLACE TABLE older.flagged_hosts AS FROM main.flagged_hosts;
CREATE OR REPLACE TABLE older.held_hosts AS FROM main.held_hosts;
CREATE OR REPLACE TABLE older.descriptions AS FROM main.descriptions;
CREATE OR REPLACE TABLE older.skips AS FROM main.skips;
CREATE OR REPLACE TABLE older.rejects AS FROM main.rejects;
CREATE SCHEMA IF NOT EXISTS older.details;
CREATE OR REPLACE TABLE older.details.inter_site_duplicates AS FROM details.inter_site_duplicates;
CREATE OR REPLACE TABLE older.details.intra_site_duplicates AS FROM details.intra_site_duplicates;
CREATE OR REPLACE TABLE older.details.site_identifiers AS FROM details.site_identifiers;
CREATE SCHEMA IF NOT EXISTS older.internal;
CREATE OR REPLACE TABLE older.internal.links AS FROM internal.links;
DETACH older;
SELECT 'older.duckdb' AS written;
