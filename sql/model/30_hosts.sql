-- Hosts of a model: what each has of the items, its pages, and its norms.
--
-- Rows by host, in the order of their numbers, ready to be arrays. Norms are those of host_stats;
-- those of titles, outside links and identifiers are made as token_norms in
-- sql/detect/35_shared_evidence is.
-- Source: docs/robust.md#robust-evidence.
-- NULL does not occur: 0 = unknown (hashes, lengths) or none (norms).
--
-- reads: model_pages, model_tails, model_titles, model_targets, model_identifiers, model_labels,
--   model_items, model_norms, dup_clusters, cluster_hosts, host_stats, hosts, near_contents, urls,
--   outlinks, members, named_places, main_languages (both of sql/detect/35_shared_evidence),
--   country_sites (sql/detect/38_country_sites)
-- writes: model_norms
-- parameters: scale, path_max_hosts

-- name: model_norms
CREATE OR REPLACE TEMP TABLE model_norms AS
WITH weighed AS (
    SELECT host, $scale // greatest(df - 1, 1) AS title, 0 AS target, 0 AS identifier
    FROM model_titles
    WHERE df <= $path_max_hosts
    UNION ALL
    SELECT host, 0, $scale // greatest(df - 1, 1), 0
    FROM model_targets
    WHERE df <= $path_max_hosts
    UNION ALL
    SELECT host, 0, 0, round((1 + ln((SELECT count(*) FROM host_stats) / df)) * $scale)
    FROM model_identifiers
    WHERE df <= $path_max_hosts
)
SELECT
    host,
    sum(title)::BIGINT AS title_weight,
    sum(target)::BIGINT AS target_weight,
    sum(identifier)::BIGINT AS identifier_weight
FROM weighed
GROUP BY host;

-- name: hosts
-- root: content of the home page where that is no shared path. has: 1 links, 2 canonical links or
-- redirects. kept: the host that its group keeps, itself where it is in none.
-- family, edition, family_agreement: as country_sites has them, 0 where the host is in no family.
WITH shared_paths AS (
    SELECT hash AS path FROM model_items WHERE kind = 1
),
roots AS (
    SELECT host, low32(max(content)) AS root
    FROM model_pages
    ANTI JOIN shared_paths USING (path)
    WHERE home
    GROUP BY host
),
linking AS (
    SELECT DISTINCT host_id FROM outlinks
),
naming AS (
    SELECT DISTINCT from_id AS host_id FROM named_places
)
SELECT
    h.host,
    s.n_urls,
    s.n_contents,
    s.n_borrowed,
    s.weight,
    s.exclusive_weight,
    s.asset_weight,
    s.path_weight2,
    s.page_path_weight2,
    s.tail_weight,
    s.n_sections,
    coalesce(r.root, 0)::UINTEGER AS root,
    coalesce(n.title_weight, 0) AS title_weight,
    coalesce(n.target_weight, 0) AS target_weight,
    coalesce(n.identifier_weight, 0) AS identifier_weight,
    (
        (l.host_id IS NOT NULL)::UTINYINT + 2 * (c.host_id IS NOT NULL)::UTINYINT
    )::UTINYINT AS has,
    coalesce(g.language, 0)::USMALLINT AS language,
    coalesce(g.language_pages, 0) AS language_pages,
    coalesce(g.spoken_pages, 0) AS spoken_pages,
    (coalesce(k.host_rank, s.host_rank) - 1)::UINTEGER AS kept,
    coalesce(f.family, 0)::UINTEGER AS family,
    coalesce(f.edition, 0)::UINTEGER AS edition,
    coalesce(f.agreement, 0)::FLOAT AS family_agreement
FROM host_stats AS s
JOIN hosts AS h USING (host_id)
LEFT JOIN roots AS r ON r.host = s.host_rank - 1
LEFT JOIN model_norms AS n ON n.host = s.host_rank - 1
LEFT JOIN linking AS l ON l.host_id = s.host_id
LEFT JOIN naming AS c ON c.host_id = s.host_id
LEFT JOIN main_languages AS g ON g.host_id = s.host_id
LEFT JOIN members AS m ON m.host_id = s.host_id
LEFT JOIN host_stats AS k ON k.host_id = m.canonical_id
LEFT JOIN country_sites AS f ON f.place = s.host_rank
ORDER BY s.host_rank;

-- name: entries
-- What each host has of the items. first to fifth: of a content its path, tail and section; of a
-- path the content and whether it is a page; of a tail content, length, title, bare title and
-- language.
WITH contents AS (
    SELECT
        s.host_rank - 1 AS host,
        i.item,
        low32(path_hash(h.path)) AS first,
        low32(tail_hash(h.path)) AS second,
        section_number(h.path)::UINTEGER AS third
    FROM dup_clusters AS c
    JOIN model_items AS i
        ON i.kind = 0
        AND i.hash = content_hash(c.fingerprint_kind, c.fingerprint)
        AND i.flags < 2
    JOIN cluster_hosts AS h USING (cluster_id)
    JOIN host_stats AS s USING (host_id)
),
paths AS (
    SELECT p.host, i.item, low32(p.content) AS first, p.page::UINTEGER AS second
    FROM model_pages AS p
    JOIN model_items AS i ON i.kind = 1 AND i.hash = p.path
),
tails AS (
    SELECT
        t.host,
        i.item,
        CASE WHEN alone THEN low32(t.content) ELSE 0 END AS first,
        CASE WHEN alone THEN coalesce(t.length, 0) ELSE 0 END AS second,
        CASE WHEN alone THEN low32(t.title) ELSE 0 END AS third,
        CASE WHEN alone THEN low32(t.bare_title) ELSE 0 END AS fourth,
        CASE WHEN alone THEN coalesce(t.language, 0) ELSE 0 END AS fifth
    FROM model_tails AS t
    JOIN model_items AS i ON i.kind = 2 AND i.hash = t.tail
),
titles AS (
    SELECT t.host, i.item
    FROM model_titles AS t
    JOIN model_items AS i ON i.kind = 3 AND i.hash = t.title
),
targets AS (
    SELECT t.host, i.item
    FROM model_targets AS t
    JOIN model_items AS i ON i.kind = 4 AND i.hash = t.target
),
identifiers AS (
    SELECT t.host, i.item
    FROM model_identifiers AS t
    JOIN model_items AS i ON i.kind = 5 AND i.hash = t.identifier
),
found AS (
    FROM contents SELECT host, item, first, second, third, 0::UINTEGER AS fourth, 0 AS fifth
    UNION ALL
    FROM paths SELECT host, item, first, second, 0, 0, 0
    UNION ALL
    FROM tails SELECT host, item, first, second, third, fourth, fifth
    UNION ALL
    FROM titles SELECT host, item, 0, 0, 0, 0, 0
    UNION ALL
    FROM targets SELECT host, item, 0, 0, 0, 0, 0
    UNION ALL
    FROM identifiers SELECT host, item, 0, 0, 0, 0, 0
)
SELECT host, item, first, second, third, fourth, fifth::USMALLINT AS fifth
FROM found
ORDER BY host, item;

-- name: targets
-- Outside URLs that one host alone links to.
SELECT host, low32(target) AS target FROM model_targets WHERE df = 1 ORDER BY host, target;

-- name: identifiers
-- Those that one host alone has.
SELECT host, low32(identifier) AS identifier
FROM model_identifiers
WHERE df = 1
ORDER BY host, identifier;

-- name: labels
SELECT host, item FROM model_labels JOIN model_items USING (kind, hash) ORDER BY host, item;

-- name: pages
-- flags: 1 a page, 2 the home page, 4 not the smallest path with its content on the host; above 8
-- bits the section.
WITH smallest AS (
    SELECT
        s.host_rank - 1 AS host,
        content_hash(c.fingerprint_kind, c.fingerprint) AS content,
        path_hash(h.path) AS path
    FROM dup_clusters AS c
    JOIN cluster_hosts AS h USING (cluster_id)
    JOIN host_stats AS s USING (host_id)
    WHERE c.n_hosts = 1
)
SELECT
    p.host,
    low32(p.path) AS path,
    low32(p.tail) AS tail,
    low32(p.numbered) AS numbered,
    low32(p.content) AS content,
    coalesce(p.length, 0) AS length,
    low32(p.title) AS title,
    low32(p.bare_title) AS bare_title,
    coalesce(p.language, 0)::USMALLINT AS language,
    (
        p.page::INTEGER
        + 2 * p.home::INTEGER
        + 4 * coalesce(k.path <> p.path, false)::INTEGER
        + 256 * p.section::INTEGER
    )::USMALLINT AS flags
FROM model_pages AS p
LEFT JOIN smallest AS k ON k.host = p.host AND k.content = p.content
ORDER BY p.host, low32(p.path), p.path;

-- name: singles
-- Contents that one host alone has.
WITH shared AS (
    SELECT hash AS content FROM model_items WHERE kind = 0
)
SELECT content AS hash, min(host)::UINTEGER AS host
FROM model_pages
ANTI JOIN shared USING (content)
WHERE content IS NOT NULL
GROUP BY content
ORDER BY content;

-- name: near
-- The fingerprints whose content is a cluster of near duplicates, and that content;
-- sql/detect/10_contents gives each fingerprint one.
SELECT DISTINCT
    u.content_hash AS hash,
    content_hash(n.fingerprint_kind, n.fingerprint) AS content
FROM near_contents AS n
JOIN urls AS u USING (url_id)
WHERE u.content_hash IS NOT NULL
ORDER BY hash;
