-- Pair features: how alike two hosts are.
--
-- Each column's definition, formula and meaning of NULL stand in the catalogue of evidence,
-- replicadb/detection/evidence.py; the loader puts its expressions into the SELECT list below.
-- Here is what those expressions read: what the two hosts share, and their norms.
-- Source: paper section 3.1, docs/method.md#features, docs/robust.md#robust-evidence.
-- NULL: by the catalogue.
--
-- reads: host_ips, hosts, host_stats, compared_hosts, compared_addresses, host_addresses,
--   token_norms, country_sites, main_languages, host_norms, content_pairs,
--   compared_pairs (content_pairs with ndist and nmatch, replicadb/detection/name_similarity.py),
--   shared_evidence, directed_pairs, common_addresses
-- writes: compared_addresses, host_addresses, host_norms, common_addresses
-- parameters: most_addresses, scale, path_max_hosts, candidates, min_shared, non_replicas, low,
--   high, own, two, path2

-- name: no_compared_addresses
CREATE OR REPLACE TEMP TABLE compared_addresses (host_id INTEGER, kind TINYINT, address VARCHAR);

-- name: compared_addresses
-- The addresses (kind 4) and networks (kind 3) of each host; of a host that has more than
-- most_addresses of a kind those that the fewest hosts have. So a pair opens as many rows at most.
CREATE OR REPLACE TEMP TABLE compared_addresses AS
WITH known AS (
    SELECT DISTINCT host_id, 4::TINYINT AS kind, ip AS address FROM host_ips
    UNION ALL
    SELECT DISTINCT host_id, 3::TINYINT, net FROM host_ips
),
many AS (
    SELECT host_id, kind FROM known GROUP BY host_id, kind HAVING count(*) > $most_addresses
),
hosts_of AS (
    SELECT kind, address, count(*) AS n FROM known GROUP BY kind, address
)
SELECT host_id, kind, address
FROM known
ANTI JOIN many USING (host_id, kind)
UNION ALL
SELECT k.host_id, k.kind, k.address
FROM known AS k
JOIN many USING (host_id, kind)
JOIN hosts_of AS h USING (kind, address)
QUALIFY
    row_number() OVER (PARTITION BY k.host_id, k.kind ORDER BY h.n, k.address) <= $most_addresses;

-- name: no_host_addresses
CREATE OR REPLACE TEMP TABLE host_addresses (place INTEGER, kind TINYINT, code BIGINT, n BIGINT);

-- name: host_addresses
-- A group G of hosts with one address (kind 4) or network (kind 3) as one number: its size above,
-- its id below, so that the least shared number is the smallest group; 1 / (|G| - 1) is the value
-- (paper Eq. 2). n: groups of the kind that the host is in.
CREATE OR REPLACE TEMP TABLE host_addresses AS
WITH groups AS (
    SELECT
        kind,
        address,
        count(*) << 32 | row_number() OVER (ORDER BY kind, address) AS code
    FROM compared_addresses
    GROUP BY kind, address
)
SELECT s.place, kind, g.code, count(*) OVER (PARTITION BY s.place, kind) AS n
FROM compared_addresses
JOIN groups AS g USING (kind, address)
JOIN compared_hosts AS s USING (host_id);

-- name: host_norms
-- What a pair needs of one of its hosts, so that pairs stream past it: nothing is joined on terms
-- or addresses, of which "com" alone would make hosts^2 rows.
-- ip, net: the code of a host that has one alone, as nearly all do; 0 where it has several.
-- www_of: the host without its "www.". name_id, suffix_id: equal where name, without its "www.", or
-- suffix are.
CREATE OR REPLACE TEMP TABLE host_norms AS
WITH named AS (
    SELECT
        h.host_id,
        min(s.place) OVER (PARTITION BY regexp_replace(h.name, '^www\.', '')) AS name_id,
        min(s.place) OVER (PARTITION BY h.suffix) AS suffix_id,
        h.name IS NULL AS nameless,
        h.suffix IS NULL AS bare,
        w.host_id AS www_id
    FROM hosts AS h
    JOIN compared_hosts AS s USING (host_id)
    LEFT JOIN hosts AS w ON h.host = 'www.' || w.host
),
addressed AS (
    SELECT
        place,
        max(CASE WHEN n = 1 THEN code ELSE 0 END) FILTER (kind = 4) AS ip,
        max(CASE WHEN n = 1 THEN code ELSE 0 END) FILTER (kind = 3) AS net
    FROM host_addresses
    GROUP BY place
)
SELECT
    s.place,
    s.host_rank,
    s.host_id,
    w.place AS www_of,
    CASE WHEN NOT n.nameless THEN n.name_id END AS name_id,
    CASE WHEN NOT n.bare THEN n.suffix_id END AS suffix_id,
    s.n_clusters,
    s.weight::DOUBLE AS weight,
    s.exclusive_weight::DOUBLE AS exclusive_weight,
    s.asset_weight::DOUBLE AS asset_weight,
    s.path_weight2::DOUBLE AS path_weight2,
    s.page_path_weight2::DOUBLE AS page_path_weight2,
    s.tail_weight::DOUBLE AS tail_weight,
    s.n_sections + 0.5::DOUBLE AS sections,
    s.n_borrowed / (s.n_contents + 1) AS borrowed,
    s.n_contents,
    s.root,
    i.ip,
    i.net,
    k.target_weight::DOUBLE AS target_weight,
    k.title_weight::DOUBLE AS title_weight,
    k.identifier_weight::DOUBLE AS identifier_weight,
    c.family,
    c.edition,
    c.agreement AS family_agreement,
    coalesce(k.links, false) AS links,
    coalesce(k.names, false) AS names,
    l.language,
    l.language_pages / (l.spoken_pages + 1) AS language_share
FROM compared_hosts AS s
JOIN named AS n USING (host_id)
LEFT JOIN compared_hosts AS w ON w.host_id = n.www_id
LEFT JOIN addressed AS i ON i.place = s.place
LEFT JOIN token_norms AS k ON k.place = s.place
LEFT JOIN country_sites AS c ON c.place = s.place
LEFT JOIN main_languages AS l USING (host_id);

-- name: units
-- Weight of a page that one host alone has, or two; squared weight of a path that one host has.
SELECT
    round((1 + ln(count(*))) * $scale) AS own,
    round((1 + ln(greatest(count(*), 2) / 2)) * $scale) AS two,
    round((1 + ln($path_max_hosts)) ** 2 * $scale) AS path2
FROM host_stats;

-- name: host_terms
-- Distinct dot-separated segments of a host name, under --site host+1 the folder apart; w(t) =
-- ln(len t) / (1 + ln df(t)) (paper Eq. 1), squared.
WITH host_terms AS (
    SELECT DISTINCT host_id, unnest(string_split(replace(host, '/', '.'), '.')) AS term
    FROM hosts
    SEMI JOIN host_stats USING (host_id)
),
weighed AS (
    SELECT
        term,
        row_number() OVER (ORDER BY term)::INTEGER AS term_id,
        round((ln(greatest(length(term), 1)) / (1 + ln(count(*)))) ** 2 * $scale)::BIGINT AS weight2
    FROM host_terms
    GROUP BY term
)
SELECT s.place, w.term_id, w.weight2
FROM host_terms
JOIN weighed AS w USING (term)
JOIN compared_hosts AS s USING (host_id)
WHERE w.weight2 > 0
ORDER BY s.place, w.weight2 DESC, w.term_id;

-- name: no_common_addresses
-- Where no host has several.
CREATE OR REPLACE TEMP TABLE common_addresses (a INTEGER, b INTEGER, ip BIGINT, net BIGINT);

-- name: common_addresses
-- The smallest groups of the slice's pairs of which a host has several addresses or networks.
CREATE OR REPLACE TEMP TABLE common_addresses AS
WITH several AS (
    SELECT DISTINCT place FROM host_addresses WHERE n > 1
),
theirs AS (
    SELECT a, b FROM content_pairs SEMI JOIN several ON place = a
    UNION
    SELECT a, b FROM content_pairs SEMI JOIN several ON place = b
)
SELECT
    p.a,
    p.b,
    min(x.code) FILTER (x.kind = 4) AS ip,
    min(x.code) FILTER (x.kind = 3) AS net
FROM theirs AS p
JOIN host_addresses AS x ON x.place = p.a
JOIN host_addresses AS y ON y.place = p.b AND y.code = x.code AND y.kind = x.kind
WHERE x.n > 1 OR y.n > 1
GROUP BY p.a, p.b;

-- name: features
-- Of the pairs in compared_pairs; into pair_features, or of sql/detect/30_non_replicas into
-- non_replicas. Columns of the two hosts begin with a_ and b_.
-- files_alone: neither host has a page whose content is known, as with hosts for pictures. There
-- files stand in place of pages: a file weighs as a page that as few hosts have, and what is of
-- pages alone (their paths, tails, sections) is unknown. Where no host has files, compared changes
-- nothing and is passed over (replicadb/detection/pair_features.py).
WITH directed AS (
    FROM directed_pairs WHERE a BETWEEN $low AND $high
),
pairs AS (
    SELECT
        p.*,
        e.* EXCLUDE (a, b),
        d.linked,
        d.canonical,
        g.ip AS common_ip,
        g.net AS common_net,
        COLUMNS(x.*) AS 'a_\0',
        COLUMNS(y.*) AS 'b_\0'
    FROM compared_pairs AS p
    JOIN host_norms AS x ON x.place = p.a
    JOIN host_norms AS y ON y.place = p.b
    LEFT JOIN shared_evidence AS e ON e.a = p.a AND e.b = p.b
    LEFT JOIN directed AS d ON d.a = p.a AND d.b = p.b
    LEFT JOIN common_addresses AS g ON g.a = p.a AND g.b = p.b
    WHERE CASE $candidates
            WHEN 'path' THEN coalesce(e.n_paths, 0)
            WHEN 'either' THEN p.shared + coalesce(e.n_paths, 0)
            ELSE $min_shared
        END >= $min_shared
        OR $non_replicas
),
known AS (
    SELECT
        *,
        a_n_contents = 0
        AND b_n_contents = 0
        AND least(a_asset_weight, b_asset_weight) > 0 AS files_alone
    FROM pairs
),
compared AS (
    SELECT * REPLACE (
        CASE WHEN files_alone THEN asset_weight * $two / $scale ELSE weight END AS weight,
        CASE WHEN files_alone THEN asset_weight ELSE exclusive_weight END AS exclusive_weight,
        CASE WHEN files_alone THEN asset_weight * $two / $scale / 2 ELSE same_tail END AS same_tail,
        CASE WHEN files_alone THEN a_asset_weight * $own / $scale ELSE a_weight END AS a_weight,
        CASE WHEN files_alone THEN b_asset_weight * $own / $scale ELSE b_weight END AS b_weight,
        CASE WHEN files_alone THEN a_asset_weight ELSE a_exclusive_weight END AS a_exclusive_weight,
        CASE WHEN files_alone THEN b_asset_weight ELSE b_exclusive_weight END AS b_exclusive_weight,
        CASE WHEN files_alone THEN floor(a_asset_weight / $scale) ELSE a_n_contents END
            AS a_n_contents,
        CASE WHEN files_alone THEN floor(b_asset_weight / $scale) ELSE b_n_contents END
            AS b_n_contents,
        CASE WHEN files_alone THEN shared ELSE n_pages END AS n_pages,
        CASE WHEN NOT files_alone THEN a_borrowed END AS a_borrowed,
        CASE WHEN NOT files_alone THEN b_borrowed END AS b_borrowed,
        CASE WHEN files_alone THEN 0 ELSE a_asset_weight END AS a_asset_weight,
        CASE WHEN files_alone THEN 0 ELSE b_asset_weight END AS b_asset_weight
    )
    FROM known
),
measured AS (
    SELECT
        *,
        CASE
            WHEN a_ip > 0 AND b_ip > 0 THEN CASE WHEN a_ip = b_ip THEN a_ip ELSE 0 END
            WHEN a_ip IS NOT NULL AND b_ip IS NOT NULL THEN coalesce(common_ip, 0)
        END >> 32 AS ip_group,
        CASE
            WHEN a_net > 0 AND b_net > 0 THEN CASE WHEN a_net = b_net THEN a_net ELSE 0 END
            WHEN a_net IS NOT NULL AND b_net IS NOT NULL THEN coalesce(common_net, 0)
        END >> 32 AS net_group,
        CASE WHEN NOT files_alone THEN sections_a / a_sections END AS reach_a,
        CASE WHEN NOT files_alone THEN sections_b / b_sections END AS reach_b,
        coalesce(a_root <> b_root, false)::INTEGER AS unequal_root,
        a_n_clusters + b_n_clusters - shared AS clusters,
        sqrt(a_path_weight2 * b_path_weight2) AS path_norm,
        sqrt(a_page_path_weight2 * b_page_path_weight2) AS page_path_norm,
        least(a_weight, b_weight) AS lesser,
        a_weight + b_weight AS both_weights,
        least(a_exclusive_weight, b_exclusive_weight) AS lesser_exclusive,
        a_exclusive_weight + b_exclusive_weight AS both_exclusive,
        least(a_asset_weight, b_asset_weight) AS lesser_assets,
        a_asset_weight + b_asset_weight AS both_assets,
        least(a_tail_weight, b_tail_weight) AS lesser_tails,
        CASE
            WHEN a_target_weight > 0 AND b_target_weight > 0
            THEN least(a_target_weight, b_target_weight)
        END AS lesser_targets,
        CASE
            WHEN a_title_weight > 0 AND b_title_weight > 0
            THEN least(a_title_weight, b_title_weight)
        END AS lesser_titles,
        CASE
            WHEN a_identifier_weight > 0 AND b_identifier_weight > 0
            THEN least(a_identifier_weight, b_identifier_weight)
        END AS lesser_identifiers,
        -- How surely the two are in one language, by their main languages.
        CASE
            WHEN (a_language < 729) = (b_language < 729)
            THEN abs(
                (a_language <> b_language)::INTEGER
                - greatest(least(a_language_share, b_language_share), 0.5::DOUBLE)
            )
        END AS one_language,
        coalesce(n_spoken, 0) AS spoken,
        a_links OR b_links AS have_links,
        a_names OR b_names AS have_names,
        CASE
            WHEN a_family = b_family AND a_edition // 2 <> b_edition // 2
                AND (a_edition % 2 = 1 OR b_edition % 2 = 1)
            THEN a_family_agreement
        END AS family_agreement,
        a_borrowed AS borrowed_a,
        b_borrowed AS borrowed_b,
        CASE WHEN a_host_rank < b_host_rank THEN a_host_id ELSE b_host_id END AS a_id,
        CASE WHEN a_host_rank < b_host_rank THEN b_host_id ELSE a_host_id END AS b_id,
        a_www_of = b_place
            OR b_www_of = a_place
            OR (a_name_id = b_name_id AND a_suffix_id <> b_suffix_id) AS obvious
    FROM compared
)
SELECT
    a_id,
    b_id,
    CASE WHEN $non_replicas THEN -1 WHEN obvious THEN 1 ELSE 0 END::TINYINT AS label,
    -- fill: replicadb.detection.evidence_sql.select_list
FROM measured;
