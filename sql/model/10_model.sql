-- Model: what detection stored of each host, numbered and hashed so that it can be read without a database.
--
-- Temporary tables only; the database may be open read-only. Things that hosts share are *items*: contents (kind 0), paths (1),
-- tails (2), titles (3), with the weights of sql/detect/12_dup_clusters and sql/detect/35_shared_evidence; and *labels*: terms of names (4), addresses (5),
-- networks (6), with the weights of sql/detect/40_pair_features or the size of the group. An item's number is its place by kind and hash.
-- Hashes are MD5's lower half, the same in every version and in Python (replicadb/web/digests.py); only sections, never compared across
-- hosts, keep the hash of detection. 0 in place of a hash of 32 bits = unknown. A content is what sql/detect/10_contents says (view `contents`): a
-- fingerprint or, after detect --clusters, a cluster of near duplicates.

-- name: low32
CREATE OR REPLACE TEMP MACRO low32(h) AS CASE WHEN h IS NULL THEN 0 ELSE greatest(h & 4294967295::UBIGINT, 1) END::UINTEGER;

-- name: model_pages
-- host_pages of sql/detect/14_host_pages, by the number of the host.
CREATE OR REPLACE TEMP TABLE model_pages AS
SELECT s.host_rank - 1 AS host, path, tail, numbered, section, home, page, content,
       CASE WHEN length IS NOT NULL THEN least(length, 4294967295) END::UINTEGER AS length, title
FROM host_pages JOIN host_stats AS s USING (host_id);

-- name: cleanup_host_pages
DROP TABLE IF EXISTS host_pages;

-- name: model_tails
-- Every tail of a host's pages but the home page's, and its segments with small numbers (sql/detect/16_shared_paths); what it has there only where it stands alone.
CREATE OR REPLACE TEMP TABLE model_tails AS
WITH repeated AS (
    SELECT tail FROM model_pages WHERE page AND NOT home GROUP BY tail HAVING min(host) < max(host)
),
numbered AS (
    SELECT numbered AS tail, host, min(content) AS content, min(length) AS length, min(title) AS title
    FROM model_pages WHERE numbered IS NOT NULL AND page GROUP BY numbered, host
    HAVING count(*) = 1 AND content IS NOT NULL AND (length IS NOT NULL OR title IS NOT NULL)
)
SELECT tail, host, true AS weighs, count(*) = 1 AND count(numbered) = 0 AS alone, min(content) AS content, min(length) AS length, min(title) AS title
FROM model_pages SEMI JOIN repeated USING (tail) WHERE page AND NOT home GROUP BY tail, host
UNION ALL
SELECT tail, host, false, true, content, length, title
FROM numbered SEMI JOIN (SELECT tail FROM numbered GROUP BY tail HAVING count(*) > 1) USING (tail);

-- name: model_titles
-- Titles by host, of every rarity.
CREATE OR REPLACE TEMP TABLE model_titles AS
SELECT s.host_rank - 1 AS host, title, count(*) OVER (PARTITION BY title) AS df
FROM (SELECT DISTINCT host_id, title_hash AS title FROM urls WHERE title_hash IS NOT NULL) JOIN host_stats AS s USING (host_id);

-- name: model_labels
CREATE OR REPLACE TEMP TABLE model_labels AS
SELECT s.host_rank - 1 AS host, kind, hash, n
FROM (
    SELECT DISTINCT host_id, 4::UTINYINT AS kind, hash64(term) AS hash, length(term) AS n FROM (SELECT host_id, unnest(string_split(host, '.')) AS term FROM hosts)
    UNION ALL
    SELECT DISTINCT host_id, 5::UTINYINT, hash64(ip), 0 FROM host_ips WHERE ip IS NOT NULL
    UNION ALL
    SELECT DISTINCT host_id, 6::UTINYINT, hash64(net), 0 FROM host_ips WHERE net IS NOT NULL
) JOIN host_stats AS s USING (host_id);

-- name: model_df
-- How many hosts have each path and each tail; of two hosts or more. weighs: not of a segment with small numbers.
CREATE OR REPLACE TEMP TABLE model_df AS
SELECT 1::UTINYINT AS kind, path AS hash, count(*) AS df, true AS weighs FROM model_pages GROUP BY path HAVING count(*) > 1
UNION ALL
SELECT 2::UTINYINT, tail, count(*), any_value(weighs) FROM model_tails GROUP BY tail;

-- name: model_items
-- exclusive: the weight by exclusivity beside that by rarity; flags: 1 a page, 2 on too many hosts to make pairs; both of contents alone.
CREATE OR REPLACE TEMP TABLE model_items AS
WITH maxdf AS (
    SELECT coalesce(max(df), 1) AS most FROM model_df WHERE kind = 1 AND df <= $path_max_hosts
),
found AS (
    SELECT 0::UTINYINT AS kind, content_hash(fingerprint_kind, fingerprint) AS hash, weight, greatest($scale // (n_hosts - 1), 1) AS exclusive,
           CASE WHEN page THEN 1 ELSE 0 END + CASE WHEN $cap > 0 AND n_hosts > $cap THEN 2 ELSE 0 END AS flags
    FROM dup_clusters WHERE n_hosts > 1
    UNION ALL
    SELECT kind, hash, round((1 + ln(most / df)) ** 2 * $scale)::BIGINT, 0, 0 FROM model_df CROSS JOIN maxdf WHERE kind = 1 AND df <= $path_max_hosts
    UNION ALL
    SELECT kind, hash, CASE WHEN weighs THEN round((1 + ln((SELECT count(*) FROM hosts) / df)) * $scale) ELSE 0 END::BIGINT, 0, 0 FROM model_df WHERE kind = 2 AND df <= $path_max_hosts
    UNION ALL
    SELECT DISTINCT 3::UTINYINT, title, $scale // (df - 1), 0, 0 FROM model_titles WHERE df BETWEEN 2 AND $path_max_hosts
    UNION ALL
    SELECT kind, hash, CASE kind WHEN 4 THEN round((ln(greatest(any_value(n), 1)) / (1 + ln(count(*)))) ** 2 * $scale)::BIGINT ELSE count(*) END, 0, 0
    FROM model_labels GROUP BY kind, hash
)
SELECT (row_number() OVER (ORDER BY kind, hash) - 1)::UINTEGER AS item, kind, hash, weight::UINTEGER AS weight, exclusive::UINTEGER AS exclusive, flags::UTINYINT AS flags
FROM found WHERE kind <> 4 OR weight > 0;

-- name: items
SELECT kind, hash, weight, exclusive, flags FROM model_items ORDER BY item;

-- name: common
-- On more than path_max_hosts hosts: says nothing.
SELECT kind, hash
FROM (SELECT kind, hash FROM model_df WHERE df > $path_max_hosts
      UNION ALL SELECT DISTINCT 3::UTINYINT, title FROM model_titles WHERE df > $path_max_hosts)
ORDER BY kind, hash;

-- name: entries
-- What each host has of the items. first, second, third: of a content its path, tail and section; of a path the content and whether
-- it is a page; of a tail content, length and title.
SELECT host, item, first, second, third
FROM (
    SELECT s.host_rank - 1 AS host, i.item, low32(path_hash(h.path)) AS first, low32(tail_hash(h.path)) AS second, section_number(h.path)::UINTEGER AS third
    FROM dup_clusters AS c
    JOIN model_items AS i ON i.kind = 0 AND i.hash = content_hash(c.fingerprint_kind, c.fingerprint) AND i.flags < 2
    JOIN cluster_hosts AS h USING (cluster_id)
    JOIN host_stats AS s USING (host_id)
    UNION ALL
    SELECT p.host, i.item, low32(p.content), p.page::UINTEGER, 0::UINTEGER FROM model_pages AS p JOIN model_items AS i ON i.kind = 1 AND i.hash = p.path
    UNION ALL
    SELECT t.host, i.item, CASE WHEN alone THEN low32(t.content) ELSE 0 END, CASE WHEN alone THEN coalesce(t.length, 0) ELSE 0 END,
           CASE WHEN alone THEN low32(t.title) ELSE 0 END
    FROM model_tails AS t JOIN model_items AS i ON i.kind = 2 AND i.hash = t.tail
    UNION ALL
    SELECT t.host, i.item, 0, 0, 0 FROM model_titles AS t JOIN model_items AS i ON i.kind = 3 AND i.hash = t.title
)
ORDER BY host, item;

-- name: labels
SELECT host, item FROM model_labels JOIN model_items USING (kind, hash) ORDER BY host, item;

-- name: pages
-- flags: 1 a page, 2 the home page, 4 not the smallest path with its content on the host; above 8 bits the section.
SELECT p.host, low32(p.path) AS path, low32(p.tail) AS tail, low32(p.numbered) AS numbered, low32(p.content) AS content, coalesce(p.length, 0) AS length, low32(p.title) AS title,
       (p.page::INTEGER + 2 * p.home::INTEGER + 4 * coalesce(k.path <> p.path, false)::INTEGER + 256 * p.section::INTEGER)::USMALLINT AS flags
FROM model_pages AS p
LEFT JOIN (
    SELECT s.host_rank - 1 AS host, content_hash(c.fingerprint_kind, c.fingerprint) AS content, path_hash(h.path) AS path
    FROM dup_clusters AS c JOIN cluster_hosts AS h USING (cluster_id) JOIN host_stats AS s USING (host_id) WHERE c.n_hosts = 1
) AS k ON k.host = p.host AND k.content = p.content
ORDER BY p.host, low32(p.path), p.path;

-- name: singles
-- Contents that one host alone has.
SELECT content AS hash, min(host)::UINTEGER AS host
FROM model_pages ANTI JOIN (SELECT hash AS content FROM model_items WHERE kind = 0) USING (content)
WHERE content IS NOT NULL GROUP BY content ORDER BY content;

-- name: near
-- The fingerprints whose content is a cluster of near duplicates, and that content; sql/detect/10_contents gives each fingerprint one.
SELECT DISTINCT u.content_hash AS hash, content_hash(n.fingerprint_kind, n.fingerprint) AS content
FROM near_contents AS n JOIN urls AS u USING (url_id) WHERE u.content_hash IS NOT NULL ORDER BY hash;

-- name: model_norms
-- As token_norms in sql/detect/35_shared_evidence.
CREATE OR REPLACE TEMP TABLE model_norms AS
SELECT host, sum($scale // greatest(df - 1, 1))::BIGINT AS title_weight FROM model_titles WHERE df <= $path_max_hosts GROUP BY host;

-- name: hosts
-- root: content of the home page where that is no shared path. has: 1 links, 2 canonical links or redirects.
WITH roots AS (
    SELECT host, low32(max(content)) AS root FROM model_pages ANTI JOIN (SELECT hash AS path FROM model_items WHERE kind = 1) USING (path)
    WHERE home GROUP BY host
)
SELECT h.host, s.n_urls, s.n_contents, s.n_borrowed, s.weight, s.exclusive_weight, s.asset_weight, s.path_weight2, s.page_path_weight2, s.tail_weight, s.n_sections, coalesce(r.root, 0)::UINTEGER AS root,
       coalesce(n.title_weight, 0) AS title_weight,
       ((s.host_id IN (SELECT host_id FROM outlinks))::UTINYINT + 2 * (s.host_id IN (SELECT from_id FROM named_places))::UTINYINT)::UTINYINT AS has
FROM host_stats AS s JOIN hosts AS h USING (host_id)
LEFT JOIN roots AS r ON r.host = s.host_rank - 1
LEFT JOIN model_norms AS n ON n.host = s.host_rank - 1
ORDER BY s.host_rank;

-- name: directed
SELECT a - 1 AS a, b - 1 AS b, linked::FLOAT AS linked, canonical::FLOAT AS canonical FROM directed_pairs ORDER BY a, b;

-- name: units
-- Weights of what is new, and of what two hosts have: contents and tails; paths. one: both by exclusivity.
WITH maxdf AS (
    SELECT coalesce(max(df), 1) AS most FROM model_df WHERE kind = 1 AND df <= $path_max_hosts
),
n AS (
    SELECT greatest((SELECT count(*) FROM hosts), 2) AS hosts
)
SELECT round((1 + ln((SELECT count(*) FROM hosts))) * $scale) AS own, round((1 + ln(hosts / 2)) * $scale) AS two,
       round((1 + ln($path_max_hosts)) ** 2 * $scale) AS path2,
       round((1 + ln(most)) ** 2 * $scale) AS own_path2, round((1 + ln(greatest(most, 2) / 2)) ** 2 * $scale) AS two_path2, $scale AS one
FROM maxdf CROSS JOIN n;

-- name: candidates
-- Every ranked pair, its strength in millionths, in the order of their hosts.
SELECT (least(a.host_rank, b.host_rank) - 1)::UINTEGER AS a, (greatest(a.host_rank, b.host_rank) - 1)::UINTEGER AS b, r.score_id AS strength
FROM ranking AS r JOIN host_stats AS a ON a.host_id = r.a_id JOIN host_stats AS b ON b.host_id = r.b_id
ORDER BY 1, 2;

-- name: partner_lists
-- Each host's partners as sql/detect/62_collective has them, by the evidence of each pair alone (weight) and by what company said before its last look (told): probabilities in
-- thousandths, 0 where too slight to count. None where not all hosts were compared with each other (whole).
WITH likely AS (
    SELECT r.a_id, r.b_id, 1 / (1 + exp(-(r.score_id / 1e6 - coalesce(p.added, 0) + offset_by))) AS own, 1 / (1 + exp(-(r.score_id / 1e6 - coalesce(p.added - p.before, 0) + offset_by))) AS told
    FROM ranking AS r LEFT JOIN partners AS p ON p.a_id = r.a_id AND p.b_id = r.b_id
    CROSS JOIN (SELECT value::DOUBLE AS offset_by FROM settings WHERE name = 'log_odds_offset')
),
counted AS (
    SELECT a.host_rank - 1 AS x, b.host_rank - 1 AS y, CASE WHEN own >= $counts THEN round(own * 1000) ELSE 0 END::USMALLINT AS weight,
           CASE WHEN told >= $counts THEN round(told * 1000) ELSE 0 END::USMALLINT AS told
    FROM likely AS l JOIN host_stats AS a ON a.host_id = l.a_id JOIN host_stats AS b ON b.host_id = l.b_id
    WHERE (own >= $counts OR told >= $counts) AND $whole
)
SELECT x AS host, y::UINTEGER AS other, weight, told FROM counted UNION ALL SELECT y, x::UINTEGER, weight, told FROM counted ORDER BY host, other;

-- name: cleanup
DROP VIEW IF EXISTS temp.contents;
-- name: cleanup_pages
DROP TABLE IF EXISTS model_pages;
-- name: cleanup_tails
DROP TABLE IF EXISTS model_tails;
-- name: cleanup_titles
DROP TABLE IF EXISTS model_titles;
-- name: cleanup_labels
DROP TABLE IF EXISTS model_labels;
-- name: cleanup_df
DROP TABLE IF EXISTS model_df;
-- name: cleanup_items
DROP TABLE IF EXISTS model_items;
-- name: cleanup_norms
DROP TABLE IF EXISTS model_norms;
-- name: cleanup_places
DROP TABLE IF EXISTS named_places;
-- name: cleanup_directed
DROP TABLE IF EXISTS directed_pairs;
