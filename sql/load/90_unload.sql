-- Unload: a load's sources leave, and what they had replaced comes back.
--
-- The caller makes the temporary table leaving (source_id). Afterwards the database holds what it
-- would hold had those sources never been loaded: for every URL that goes, the best superseded
-- capture of the rest takes its place. Source: docs/method.md#promise-1. NULL fetched_at is oldest.
--
-- reads: leaving, gone, gone_captures, heirs
-- writes: gone, gone_captures, heirs, urls, superseded, revisits, page_terms, anchors,
--   rendered_pages, page_contents, terms, render_problems, host_ips, links, outlinks, identifiers,
--   page_languages, later_failures, earlier_captures, link_skips, rejects, skips, sources, loads,
--   hosts, origins, named_ips
-- parameters: none

-- name: gone
CREATE OR REPLACE TEMP TABLE gone AS
SELECT origin_id, path FROM urls SEMI JOIN leaving USING (source_id);

-- name: gone_captures
CREATE OR REPLACE TEMP TABLE gone_captures AS
SELECT url_id FROM urls SEMI JOIN leaving USING (source_id)
UNION ALL
SELECT url_id FROM superseded SEMI JOIN leaving USING (source_id);

-- name: delete_page_terms
DELETE FROM page_terms USING gone_captures WHERE page_terms.url_id = gone_captures.url_id;

-- name: delete_anchors
DELETE FROM anchors USING gone_captures WHERE anchors.url_id = gone_captures.url_id;

-- name: delete_rendered_pages
DELETE FROM rendered_pages USING gone_captures WHERE rendered_pages.url_id = gone_captures.url_id;

-- name: delete_page_contents
DELETE FROM page_contents USING leaving WHERE page_contents.source_id = leaving.source_id;

-- name: delete_terms
DELETE FROM terms WHERE term_id NOT IN (SELECT term_id FROM page_terms);

-- name: delete_revisits
DELETE FROM revisits USING leaving WHERE revisits.source_id = leaving.source_id;

-- name: delete_urls
DELETE FROM urls USING leaving WHERE urls.source_id = leaving.source_id;

-- name: delete_superseded
DELETE FROM superseded USING leaving WHERE superseded.source_id = leaving.source_id;

-- name: heirs
CREATE OR REPLACE TEMP TABLE heirs AS
SELECT s.*
FROM superseded AS s
SEMI JOIN gone USING (origin_id, path)
QUALIFY row_number() OVER (
    PARTITION BY origin_id, path
    ORDER BY
        fetched_at DESC NULLS LAST,
        among_equals(
            fetched_at, fingerprint_kind, fingerprint, title, mime, status, length, user_id
        ) DESC,
        source_id DESC) = 1;

-- name: promote
INSERT INTO urls BY NAME
SELECT * FROM heirs;

-- name: promoted
DELETE FROM superseded USING heirs
WHERE superseded.origin_id = heirs.origin_id
  AND superseded.path = heirs.path
  AND superseded.source_id = heirs.source_id;

-- name: delete_rendered
DELETE FROM rendered_pages
WHERE url_id NOT IN (SELECT url_id FROM urls UNION ALL SELECT url_id FROM superseded);

-- name: delete_render_problems
DELETE FROM render_problems
WHERE url_id NOT IN (SELECT url_id FROM urls UNION ALL SELECT url_id FROM superseded);

-- name: delete_ips
DELETE FROM host_ips USING leaving WHERE host_ips.source_id = leaving.source_id;

-- name: delete_links
DELETE FROM links USING leaving WHERE links.source_id = leaving.source_id;

-- name: delete_outlinks
DELETE FROM outlinks USING leaving WHERE outlinks.source_id = leaving.source_id;

-- name: delete_identifiers
DELETE FROM identifiers USING leaving WHERE identifiers.source_id = leaving.source_id;

-- name: delete_page_languages
DELETE FROM page_languages USING leaving WHERE page_languages.source_id = leaving.source_id;

-- name: delete_later_failures
DELETE FROM later_failures USING leaving WHERE later_failures.source_id = leaving.source_id;

-- name: delete_earlier_captures
DELETE FROM earlier_captures USING leaving WHERE earlier_captures.source_id = leaving.source_id;

-- name: delete_link_skips
DELETE FROM link_skips USING leaving WHERE link_skips.source_id = leaving.source_id;

-- name: delete_rejects
DELETE FROM rejects USING leaving WHERE rejects.source_id = leaving.source_id;

-- name: delete_skips
DELETE FROM skips USING leaving WHERE skips.source_id = leaving.source_id;

-- name: delete_sources
DELETE FROM sources USING leaving WHERE sources.source_id = leaving.source_id;

-- name: delete_loads
DELETE FROM loads WHERE load_id NOT IN (SELECT load_id FROM sources);

-- name: delete_hosts
DELETE FROM hosts WHERE host_id NOT IN (SELECT host_id FROM urls);

-- name: delete_origins
DELETE FROM origins WHERE origin_id NOT IN (SELECT origin_id FROM urls);

-- name: delete_named_ips
DELETE FROM named_ips USING leaving WHERE named_ips.source_id = leaving.source_id;

-- name: delete_ips_of_gone
DELETE FROM host_ips WHERE host_id NOT IN (SELECT host_id FROM hosts);
