-- Host pages: one row per host and path, as numbers (sql/03).
--
-- Hashes of the path, of its tail (last segment with query: what stays when a copy is moved under a prefix; without small numbers), of the segment
-- with them where it has any (numbered), of content and title, and one of 64 numbers for its section (first segment). Where several URLs of a
-- host have a path (http and https, ports) the newest known content counts, between equals the higher digest, never the order of
-- loading; a host of one origin has each path once. Contents are those of the temporary view `contents` (sql/detect/10_contents).

-- name: host_pages
CREATE OR REPLACE TEMP TABLE host_pages AS
WITH several AS (
    SELECT host_id FROM origins GROUP BY host_id HAVING count(*) > 1
),
once AS (
    SELECT host_id, path_hash AS path, tail_hash AS tail, segment_hash AS numbered, section_number(path) AS section,
           content_hash AS content, mime IS NULL OR list_contains($page_types, mime) AS page, nullif(length, 0) AS length, title_hash AS title
    FROM contents ANTI JOIN several USING (host_id)
),
chosen AS (
    SELECT host_id, path_hash AS path, min(tail_hash) AS tail, min(segment_hash) AS numbered, min(section_number(path)) AS section,
           arg_max(content_hash, (coalesce(fetched_at, 'epoch'::TIMESTAMP), fingerprint_kind || ':' || fingerprint)) FILTER (content_hash IS NOT NULL) AS content,
           bool_or(mime IS NULL OR list_contains($page_types, mime)) AS page, max(nullif(length, 0)) AS length, max(title_hash) AS title
    FROM contents SEMI JOIN several USING (host_id)
    GROUP BY host_id, path_hash
)
SELECT *, path = hash64('/') AS home FROM (FROM once UNION ALL BY NAME FROM chosen);
