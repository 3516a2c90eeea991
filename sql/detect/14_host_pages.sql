-- Host pages: one row per host and path, as numbers.
--
-- A row has hashes of the path, of its tail, of content and title. Where the tail differs from the
-- whole last segment it has a hash of that, too (numbered). The section (first segment) is one of
-- 64 numbers. The tail is the last segment with its query, with small numbers as 0: it stays when a
-- copy is moved under a prefix.
-- Several URLs of a host may have one path (http and https, ports). Then the newest known content
-- counts; between equally new ones the higher digest, never the order of loading. A host of one
-- origin has each path once.
-- bare_title: the hash of the title without the name of the site (replicadb/web/bare_titles.py).
-- Source: docs/robust.md#robust-evidence.
-- language: its code as a number (functions/10_hashes).
-- NULL content, length, title or language = unknown.
--
-- reads: contents (sql/detect/10_contents), origins, page_languages
-- writes: host_pages
-- parameters: page_types

-- name: host_pages
CREATE OR REPLACE TEMP TABLE host_pages AS
WITH several AS (
    SELECT host_id FROM origins GROUP BY host_id HAVING count(*) > 1
),
-- fill: replicadb.web.bare_titles.ctes(contents)
captured AS NOT MATERIALIZED (
    SELECT
        contents.*,
        bare_title,
        language_number(spoken.language) AS language,
        mime IS NULL OR list_contains($page_types, mime) AS page,
        coalesce(fetched_at, 'epoch'::TIMESTAMP) AS newest,
        fingerprint_kind || ':' || fingerprint AS digest
    FROM contents
    LEFT JOIN bare_titles USING (url_id)
    LEFT JOIN page_languages AS spoken USING (url_id)
),
once AS (
    SELECT
        host_id,
        path_hash AS path,
        tail_hash AS tail,
        segment_hash AS numbered,
        section_number(path) AS section,
        content_hash AS content,
        page,
        nullif(length, 0) AS length,
        title_hash AS title,
        bare_title,
        language
    FROM captured
    ANTI JOIN several USING (host_id)
),
chosen AS (
    SELECT
        host_id,
        path_hash AS path,
        min(tail_hash) AS tail,
        min(segment_hash) AS numbered,
        min(section_number(path)) AS section,
        arg_max(content_hash, (newest, digest)) FILTER (content_hash IS NOT NULL) AS content,
        bool_or(page) AS page,
        max(nullif(length, 0)) AS length,
        max(title_hash) AS title,
        max(bare_title) AS bare_title,
        max(language) AS language
    FROM captured
    SEMI JOIN several USING (host_id)
    GROUP BY host_id, path_hash
)
SELECT *, path = hash64('/') AS home
FROM (FROM once UNION ALL BY NAME FROM chosen);
