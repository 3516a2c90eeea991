-- Older shells: a copy of the results that DuckDB from 1.0 on opens, as plain tables.
--
-- DuckDB 2 writes files that older versions do not open. Run it where it may write a file:
-- replicadb sql DB --files --example older-shells.
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
CREATE TABLE older.pages AS FROM main.pages;
CREATE TABLE older.hosts AS FROM main.hosts;
CREATE TABLE older.loads AS FROM history.loads;
CREATE TABLE older.sources AS FROM main.sources;
CREATE TABLE older.replicas AS FROM main.replicas;
CREATE TABLE older.copies AS FROM main.copies;
CREATE TABLE older.replica_groups AS FROM main.replica_groups;
CREATE TABLE older.flagged_hosts AS FROM main.flagged_hosts;
CREATE TABLE older.held_hosts AS FROM main.held_hosts;
CREATE TABLE older.descriptions AS FROM main.descriptions;
CREATE TABLE older.skips AS FROM main.skips;
CREATE TABLE older.rejects AS FROM main.rejects;
CREATE SCHEMA older.details;
CREATE TABLE older.details.inter_site_duplicates AS FROM details.inter_site_duplicates;
CREATE TABLE older.details.intra_site_duplicates AS FROM details.intra_site_duplicates;
CREATE TABLE older.details.site_identifiers AS FROM details.site_identifiers;
CREATE SCHEMA older.internal;
CREATE TABLE older.internal.links AS FROM internal.links;
DETACH older;
SELECT 'older.duckdb' AS written;
