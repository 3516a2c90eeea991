-- Pages of a model: what detection compares of each host, as numbers that need no database.
--
-- Hosts are numbered in byte order of their names, from 0 (host_rank - 1). Paths, tails, contents,
-- titles, outside URLs linked to and labels are hashed. Hashes are MD5's lower half, the same in
-- every version and in Python (replicadb/web/digests.py). Only sections, never compared across
-- hosts, keep the hash of detection. The model's file has 32 bits of a hash that is looked up
-- within a host (low32).
-- A content is what sql/detect/10_contents says (view contents): a fingerprint or, after detect
-- --clusters, a cluster of near duplicates.
-- Source: docs/robust.md#robust-evidence.
-- NULL content, length or title = unknown; 0 in its place among hashes of 32 bits.
--
-- reads: host_pages (sql/detect/14_host_pages), host_stats, urls, outlinks, hosts,
--   compared_addresses (sql/detect/40_pair_features), identifiers, model_pages
-- writes: model_pages, model_tails, model_titles, model_targets, model_identifiers, model_labels
-- parameters: none

-- name: low32
-- 0 is unknown, so no hash is 0.
CREATE OR REPLACE TEMP MACRO low32(h) AS
    CASE WHEN h IS NULL THEN 0 ELSE greatest(h & 4294967295::UBIGINT, 1) END::UINTEGER;

-- name: model_pages
-- host_pages by the number of the host.
CREATE OR REPLACE TEMP TABLE model_pages AS
SELECT
    s.host_rank - 1 AS host,
    path,
    tail,
    numbered,
    section,
    home,
    page,
    content,
    CASE WHEN length IS NOT NULL THEN least(length, 4294967295) END::UINTEGER AS length,
    title,
    bare_title,
    language
FROM host_pages
JOIN host_stats AS s USING (host_id);

-- name: model_tails
-- Tails of two hosts or more: of every page but the home page, and (weighs: false) the whole
-- segments with small numbers (sql/detect/16_shared_paths), at which pages are compared and nothing
-- is weighed. What a host has at a tail says something only where it stands alone there.
CREATE OR REPLACE TEMP TABLE model_tails AS
WITH repeated AS (
    SELECT tail
    FROM model_pages
    WHERE page AND NOT home
    GROUP BY tail
    HAVING min(host) < max(host)
),
numbered AS (
    SELECT
        numbered AS tail,
        host,
        min(content) AS content,
        min(length) AS length,
        min(title) AS title,
        min(bare_title) AS bare_title,
        min(language) AS language
    FROM model_pages
    WHERE numbered IS NOT NULL AND page
    GROUP BY numbered, host
    HAVING
        count(*) = 1
        AND content IS NOT NULL
        AND (length IS NOT NULL OR title IS NOT NULL OR language IS NOT NULL)
),
numbered_repeated AS (
    SELECT tail FROM numbered GROUP BY tail HAVING count(*) > 1
)
SELECT
    tail,
    host,
    true AS weighs,
    count(*) = 1 AND count(numbered) = 0 AS alone,
    min(content) AS content,
    min(length) AS length,
    min(title) AS title,
    min(bare_title) AS bare_title,
    min(language) AS language
FROM model_pages
SEMI JOIN repeated USING (tail)
WHERE page AND NOT home
GROUP BY tail, host
UNION ALL
SELECT tail, host, false, true, content, length, title, bare_title, language
FROM numbered
SEMI JOIN numbered_repeated USING (tail);

-- name: model_titles
-- Titles by host, however many hosts have them. df of these, and of what follows, counts hosts that
-- are not compared, too, as detection does: those without pages where files are no evidence.
CREATE OR REPLACE TEMP TABLE model_titles AS
WITH titles AS (
    SELECT DISTINCT host_id, title_hash AS title FROM urls WHERE title_hash IS NOT NULL
),
counted AS (
    SELECT host_id, title, count(*) OVER (PARTITION BY title) AS df FROM titles
)
SELECT s.host_rank - 1 AS host, title, df
FROM counted
JOIN host_stats AS s USING (host_id);

-- name: model_targets
-- Outside URLs that hosts link to, by host, however many hosts do.
CREATE OR REPLACE TEMP TABLE model_targets AS
WITH targets AS (
    SELECT DISTINCT o.host_id, hash64(o.origin || o.path) AS target
    FROM outlinks AS o
    JOIN hosts AS h ON h.host_id = o.host_id AND h.host <> o.to_host
),
counted AS (
    SELECT host_id, target, count(*) OVER (PARTITION BY target) AS df FROM targets
)
SELECT s.host_rank - 1 AS host, target, df
FROM counted
JOIN host_stats AS s USING (host_id);

-- name: model_identifiers
-- What pages say of who runs them, by host, however many hosts do.
CREATE OR REPLACE TEMP TABLE model_identifiers AS
WITH said AS (
    SELECT DISTINCT host_id, hash64(kind || ':' || value) AS identifier
    FROM identifiers
    WHERE kind <> 'language'
),
counted AS (
    SELECT host_id, identifier, count(*) OVER (PARTITION BY identifier) AS df FROM said
)
SELECT s.host_rank - 1 AS host, identifier, df
FROM counted
JOIN host_stats AS s USING (host_id);

-- name: model_labels
-- Terms of names (kind 6), addresses (7) and networks (8); n: the length of a term, of an address
-- or network the hosts that have it.
CREATE OR REPLACE TEMP TABLE model_labels AS
WITH terms AS (
    SELECT host_id, unnest(string_split(replace(host, '/', '.'), '.')) AS term FROM hosts
),
labels AS (
    SELECT DISTINCT host_id, 6::UTINYINT AS kind, hash64(term) AS hash, length(term) AS n
    FROM terms
    UNION ALL
    SELECT
        host_id,
        (11 - kind)::UTINYINT,
        hash64(address),
        count(*) OVER (PARTITION BY kind, address)
    FROM compared_addresses
    WHERE address IS NOT NULL
)
SELECT s.host_rank - 1 AS host, kind, hash, n
FROM labels
JOIN host_stats AS s USING (host_id);
