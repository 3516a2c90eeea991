-- Pair features: how alike two hosts are.
--
-- The paper's five (section 3.1, docs/method.md#features): ndist, nmatch, ip4, ip3, fullpath; a
-- zero norm gives 0, and NULL in ip4, ip3 = no address known for one of the hosts.
--
-- And the evidence that method robust weighs (docs/method.md#robust-evidence). Shares are of few
-- pages on small hosts, so each is drawn to "nothing shared" by about one page (agreement and
-- alignment towards one half), which lets small and large hosts stand on one scale. Pages and
-- assets (pictures, scripts ...) are kept apart, since unrelated sites on one theme share most of
-- their assets:
--   evidence           shared pages by rarity; 1 = one page that these two hosts alone have
--   containment        share of the smaller host's pages (by rarity) that the other has too
--   resemblance        share of the two hosts' pages taken together (by rarity) that both have
--   exclusive_evidence, exclusive_containment, exclusive_resemblance   the same by exclusivity (sql/detect/12_dup_clusters): what many hosts have hardly counts
--   path_overlap       fullpath over pages, drawn to 0 by one path
--   agreement          pages shared at equal paths, against those plus the paths where both have a page (on at most
--                      path_max_hosts hosts, and the home page) with unequal content; a page counts at the smallest path it has on a host
--   alignment          of the shared pages: share that stands at paths with the same tail (last segment and query)
--   reach              share of the host's sections (first path segments) in which pages are shared, the higher of
--                      the two hosts; reach_both = the lower
--   borrowed           share of a host's pages (drawn to 0 by one) that any other host has too, the higher of the two hosts; borrowed_both = the
--                      lower. What has no page of its own is a copy or a default page, however many have it. NULL: no page in common
--   tail_overlap       share of the smaller host's tails (by rarity, of pages) that the other has too
--   asset_evidence     as exclusive_evidence, of assets; asset_containment and asset_resemblance likewise. NULL: a host has no asset
--   link_overlap       share of the outside URLs linked to (by exclusivity) by the host with fewer that the other links to too. NULL: no such links
--   linked             share of a host's pages that link to the other, the higher of both. NULL: neither has links
--   canonical          share of a host's canonical links and redirects that lead to the other, the higher of both. NULL: neither has any
--   size_agreement     of the pages at equal tails that differ: share of one length but for 3 %, drawn to 1/10. NULL: no such pages of known length
--   title_agreement    likewise: share of one title. NULL: no such pages with titles
--   title_overlap      share of the page titles (by exclusivity) of the host with fewer that the other has too. NULL: a host has none
-- (thesis, future work: links; body length and title: "Multiple-signal duplicate detection",
-- section 3.2; docs/method.md#robust-evidence for the rest)

-- name: host_terms
-- Distinct dot-separated segments of a host name; w(t) = ln(len t) / (1 + ln df(t)) (paper Eq. 1), squared.
SELECT s.place, w.term_id, w.weight2
FROM (SELECT DISTINCT host_id, unnest(string_split(host, '.')) AS term FROM hosts) AS t
JOIN (
    SELECT term, row_number() OVER (ORDER BY term)::INTEGER AS term_id,
           round((ln(greatest(length(term), 1)) / (1 + ln(count(*)))) ** 2 * $scale)::BIGINT AS weight2
    FROM (SELECT DISTINCT host_id, unnest(string_split(host, '.')) AS term FROM hosts) GROUP BY term
) AS w USING (term)
JOIN compared_hosts AS s USING (host_id)
WHERE w.weight2 > 0
ORDER BY s.place, w.weight2 DESC, w.term_id;

-- name: host_addresses
-- A group G of hosts with one address (kind 4) or network (kind 3) as one number: its size above, its id below, so
-- that the least shared number is the smallest group; 1 / (|G| - 1) is the value (paper Eq. 2). n: groups of the kind that the host is in.
CREATE OR REPLACE TEMP TABLE host_addresses AS
WITH known AS (
    SELECT DISTINCT host_id, 4::TINYINT AS kind, ip AS address FROM host_ips
    UNION ALL
    SELECT DISTINCT host_id, 3::TINYINT, net FROM host_ips
),
groups AS (
    SELECT kind, address, count(*) << 32 | row_number() OVER (ORDER BY kind, address) AS code FROM known GROUP BY kind, address
)
SELECT s.place, kind, g.code, count(*) OVER (PARTITION BY s.place, kind) AS n
FROM known JOIN groups AS g USING (kind, address) JOIN compared_hosts AS s USING (host_id);

-- name: sides
-- All that a pair needs of one of its hosts, so that pairs stream past it: nothing is joined on terms or
-- addresses, of which "com" alone would make hosts^2 rows. ip, net: the code of a host that has one alone, as nearly all do; 0 where it has several.
-- www_of: the host without its "www.". name_id, suffix_id: equal where name or suffix are.
CREATE OR REPLACE TEMP TABLE sides AS
WITH named AS (
    SELECT h.host_id, min(s.place) OVER (PARTITION BY h.name) AS name_id, min(s.place) OVER (PARTITION BY h.suffix) AS suffix_id,
           h.name IS NULL AS nameless, h.suffix IS NULL AS bare, w.host_id AS www_id
    FROM hosts AS h JOIN compared_hosts AS s USING (host_id)
    LEFT JOIN hosts AS w ON h.host = 'www.' || w.host
)
SELECT
    s.place, s.host_rank, s.host_id, w.place AS www_of, CASE WHEN NOT n.nameless THEN n.name_id END AS name_id, CASE WHEN NOT n.bare THEN n.suffix_id END AS suffix_id,
    s.n_clusters, s.weight::DOUBLE AS weight, s.exclusive_weight::DOUBLE AS exclusive_weight, s.asset_weight::DOUBLE AS asset_weight, s.path_weight2::DOUBLE AS path_weight2,
    s.page_path_weight2::DOUBLE AS page_path_weight2, s.tail_weight::DOUBLE AS tail_weight, s.n_sections + 0.5::DOUBLE AS sections, s.n_borrowed / (s.n_contents + 1) AS borrowed, s.root,
    i.ip, i.net,
    k.target_weight::DOUBLE AS target_weight, k.title_weight::DOUBLE AS title_weight, coalesce(k.links, false) AS links, coalesce(k.names, false) AS names
FROM compared_hosts AS s
JOIN named AS n USING (host_id)
LEFT JOIN compared_hosts AS w ON w.host_id = n.www_id
LEFT JOIN (
    SELECT place, max(CASE WHEN n = 1 THEN code ELSE 0 END) FILTER (kind = 4) AS ip, max(CASE WHEN n = 1 THEN code ELSE 0 END) FILTER (kind = 3) AS net
    FROM host_addresses GROUP BY place
) AS i ON i.place = s.place
LEFT JOIN token_norms AS k ON k.place = s.place;

-- name: units
-- Weight of a page that one host alone has, or two; squared weight of a path that one host alone has.
SELECT round((1 + ln(count(*))) * $scale) AS own, round((1 + ln(greatest(count(*), 2) / 2)) * $scale) AS two,
       round((1 + ln($path_max_hosts)) ** 2 * $scale) AS path2
FROM hosts;

-- name: common_addresses
-- The smallest groups of the slice's pairs of which a host has several addresses or networks.
CREATE OR REPLACE TEMP TABLE common_addresses AS
WITH several AS (SELECT DISTINCT place FROM host_addresses WHERE n > 1),
touched AS (
    SELECT a, b FROM content_pairs SEMI JOIN several ON place = a
    UNION
    SELECT a, b FROM content_pairs SEMI JOIN several ON place = b
)
SELECT p.a, p.b, min(x.code) FILTER (x.kind = 4) AS ip, min(x.code) FILTER (x.kind = 3) AS net
FROM touched AS p
JOIN host_addresses AS x ON x.place = p.a
JOIN host_addresses AS y ON y.place = p.b AND y.code = x.code AND y.kind = x.kind
WHERE x.n > 1 OR y.n > 1
GROUP BY p.a, p.b;

-- name: features
-- Of the pairs in measured_pairs, which are those of content_pairs with ndist and nmatch (replicadb/detection/host_names.py); they go into
-- pair_features or, of sql/detect/30_non_replicas, into non_replicas.
WITH joined AS (
    SELECT p.*, e.* EXCLUDE (a, b), d.linked, d.canonical,
           CASE WHEN a.host_rank < b.host_rank THEN a.host_id ELSE b.host_id END AS a_id, CASE WHEN a.host_rank < b.host_rank THEN b.host_id ELSE a.host_id END AS b_id,
           a.www_of = b.place OR b.www_of = a.place OR (a.name_id = b.name_id AND a.suffix_id <> b.suffix_id) AS obvious,
           CASE WHEN a.ip > 0 AND b.ip > 0 THEN CASE WHEN a.ip = b.ip THEN a.ip ELSE 0 END
                WHEN a.ip IS NOT NULL AND b.ip IS NOT NULL THEN coalesce(g.ip, 0) END >> 32 AS ip_group,
           CASE WHEN a.net > 0 AND b.net > 0 THEN CASE WHEN a.net = b.net THEN a.net ELSE 0 END
                WHEN a.net IS NOT NULL AND b.net IS NOT NULL THEN coalesce(g.net, 0) END >> 32 AS net_group,
           a.n_clusters + b.n_clusters - p.shared AS clusters,
           sqrt(a.path_weight2 * b.path_weight2) AS path_norm, sqrt(a.page_path_weight2 * b.page_path_weight2) AS page_path_norm,
           least(a.weight, b.weight) AS lesser, a.weight + b.weight AS both_weights,
           least(a.exclusive_weight, b.exclusive_weight) AS lesser_exclusive, a.exclusive_weight + b.exclusive_weight AS both_exclusive,
           least(a.asset_weight, b.asset_weight) AS lesser_assets, a.asset_weight + b.asset_weight AS both_assets,
           least(a.tail_weight, b.tail_weight) AS lesser_tails,
           CASE WHEN a.target_weight > 0 AND b.target_weight > 0 THEN least(a.target_weight, b.target_weight) END AS lesser_targets,
           CASE WHEN a.title_weight > 0 AND b.title_weight > 0 THEN least(a.title_weight, b.title_weight) END AS lesser_titles,
           coalesce(a.root <> b.root, false)::INTEGER AS unequal_root,
           p.sections_a / a.sections AS reach_a, p.sections_b / b.sections AS reach_b, a.borrowed AS borrowed_a, b.borrowed AS borrowed_b,
           a.links OR b.links AS have_links, a.names OR b.names AS have_names
    FROM measured_pairs AS p
    JOIN sides AS a ON a.place = p.a
    JOIN sides AS b ON b.place = p.b
    LEFT JOIN shared_evidence AS e ON e.a = p.a AND e.b = p.b
    LEFT JOIN (FROM directed_pairs WHERE a BETWEEN $low AND $high) AS d ON d.a = p.a AND d.b = p.b
    LEFT JOIN common_addresses AS g ON g.a = p.a AND g.b = p.b
    WHERE CASE $candidates WHEN 'path' THEN coalesce(e.n_paths, 0) WHEN 'either' THEN p.shared + coalesce(e.n_paths, 0) ELSE $min_shared END >= $min_shared
       OR $negative
)
SELECT
    a_id,
    b_id,
    CASE WHEN $negative THEN -1 WHEN obvious THEN 1 ELSE 0 END::TINYINT AS label,
    -- fill: replicadb.detection.evidence_sql.select_list
FROM joined;
