-- Pair features: how alike two hosts are.
--
-- The paper's five (section 3.1, METHOD section 2): ndist, nmatch, ip4, ip3, fullpath; a zero norm gives 0, and
-- NULL in ip4, ip3 = no address known for one of the hosts.
--
-- And the evidence that method robust weighs (METHOD section 7). Shares are of few pages on small hosts, so each
-- is drawn to "nothing shared" by about one page (agreement and alignment towards one half), which lets
-- small and large hosts stand on one scale. Pages and assets (pictures, scripts ...) are kept apart, since unrelated sites
-- on one theme share most of their assets:
--   evidence           shared pages by rarity; 1 = one page that these two hosts alone have
--   containment        share of the smaller host's pages (by rarity) that the other has too
--   resemblance        share of the two hosts' pages taken together (by rarity) that both have
--   path_overlap       fullpath over pages, drawn to 0 by one path
--   agreement          pages shared at equal paths, against those plus the paths where both have a page (on at most
--                      path_max_hosts hosts, and the home page) with unequal content; a page counts at the smallest path it has on a host
--   alignment          of the shared pages: share that stands at paths with the same tail (last segment and query)
--   reach              share of the host's sections (first path segments) in which pages are shared, the higher of
--                      the two hosts; reach_both = the lower
--   tail_overlap       share of the smaller host's tails (by rarity, of pages) that the other has too
--   asset_evidence     as evidence, of assets; asset_containment as containment; asset_resemblance as resemblance. NULL: a host has no asset
--   link_overlap       share of the outside URLs linked to (by rarity) by the host with fewer that the other links to too. NULL: no such links
--   linked             share of a host's pages that link to the other, the higher of both. NULL: neither has links
--   canonical          share of a host's canonical links and redirects that lead to the other, the higher of both. NULL: neither has any
--   size_agreement     of the pages at equal tails that differ: share of one length but for 3 %, drawn to 1/10. NULL: no such pages of known length
--   title_agreement    likewise: share of one title. NULL: no such pages with titles
--   title_overlap      share of the page titles (by rarity) of the host with fewer that the other has too. NULL: a host has none
-- (thesis, future work: links; body length and title: "Multiple-signal duplicate detection", section 3.2; METHOD section 7, 3 for the rest)

-- name: host_terms
-- Distinct dot-separated segments of a host name; w(t) = ln(len t) / (1 + ln df(t)) (paper Eq. 1), squared.
SELECT s.host_rank, w.term_id, w.weight2
FROM (SELECT DISTINCT host_id, unnest(string_split(host, '.')) AS term FROM hosts) AS t
JOIN (
    SELECT term, row_number() OVER (ORDER BY term)::INTEGER AS term_id,
           round((ln(greatest(length(term), 1)) / (1 + ln(count(*)))) ** 2 * $scale)::BIGINT AS weight2
    FROM (SELECT DISTINCT host_id, unnest(string_split(host, '.')) AS term FROM hosts) GROUP BY term
) AS w USING (term)
JOIN host_stats AS s USING (host_id)
WHERE w.weight2 > 0
ORDER BY s.host_rank, w.weight2 DESC, w.term_id;

-- name: host_addresses
-- A group G of hosts with one address (ip) or network (net) as one number: its size above, its id below, so
-- that the least shared number is the smallest group; 1 / (|G| - 1) is the value (paper Eq. 2).
CREATE OR REPLACE TEMP TABLE host_addresses AS
WITH known AS (SELECT DISTINCT host_id, ip, net FROM host_ips),
ips AS (SELECT ip, count(DISTINCT host_id) << 32 | row_number() OVER (ORDER BY ip) AS code FROM known GROUP BY ip),
nets AS (SELECT net, count(DISTINCT host_id) << 32 | row_number() OVER (ORDER BY net) AS code FROM known GROUP BY net)
SELECT host_id, list(DISTINCT ips.code) AS ips, list(DISTINCT nets.code) AS nets
FROM known JOIN ips USING (ip) JOIN nets USING (net)
GROUP BY host_id;

-- name: sides
-- All that a pair needs of one of its hosts, so that pairs stream past it: nothing is joined on terms or
-- addresses, of which "com" alone would make hosts^2 rows. ip, net: the code of a host that has one alone, as nearly all do.
-- www_of: the host without its "www.". name_id, suffix_id: equal where name or suffix are.
CREATE OR REPLACE TEMP TABLE sides AS
WITH named AS (
    SELECT h.host_id, min(s.host_rank) OVER (PARTITION BY h.name) AS name_id, min(s.host_rank) OVER (PARTITION BY h.suffix) AS suffix_id,
           h.name IS NULL AS nameless, h.suffix IS NULL AS bare, w.host_id AS www_id
    FROM hosts AS h JOIN host_stats AS s USING (host_id)
    LEFT JOIN hosts AS w ON h.host = 'www.' || w.host
)
SELECT
    s.host_rank, s.host_id, w.host_rank AS www_of, CASE WHEN NOT n.nameless THEN n.name_id END AS name_id, CASE WHEN NOT n.bare THEN n.suffix_id END AS suffix_id,
    s.n_clusters, s.weight::DOUBLE AS weight, s.asset_weight::DOUBLE AS asset_weight, s.path_weight2::DOUBLE AS path_weight2,
    s.page_path_weight2::DOUBLE AS page_path_weight2, s.tail_weight::DOUBLE AS tail_weight, s.n_sections + 0.5::DOUBLE AS sections, s.root,
    i.ips, i.nets, CASE WHEN len(i.ips) = 1 THEN i.ips[1] END AS ip, CASE WHEN len(i.nets) = 1 THEN i.nets[1] END AS net,
    k.target_weight::DOUBLE AS target_weight, k.title_weight::DOUBLE AS title_weight, coalesce(k.links, false) AS links, coalesce(k.names, false) AS names
FROM host_stats AS s
JOIN named AS n USING (host_id)
LEFT JOIN host_stats AS w ON w.host_id = n.www_id
LEFT JOIN host_addresses AS i ON i.host_id = s.host_id
LEFT JOIN token_norms AS k ON k.host_rank = s.host_rank;

-- name: units
-- Weight of a page that one host alone has, or two; squared weight of a path that one host alone has.
SELECT round((1 + ln(count(*))) * $scale) AS own, round((1 + ln(greatest(count(*), 2) / 2)) * $scale) AS two,
       round((1 + ln($path_max_hosts)) ** 2 * $scale) AS path2
FROM hosts;

-- name: pair_features
-- Of the pairs in content_pairs. names_alike(a, b) is (edit distance, shared terms' cosine) of two hosts' names (replicadb/names.py).
INSERT INTO pair_features BY NAME
WITH joined AS (
    SELECT p.*, e.* EXCLUDE (a, b), d.linked, d.canonical, names_alike(p.a, p.b) AS name,
           a.host_id AS a_id, b.host_id AS b_id,
           a.www_of = b.host_rank OR b.www_of = a.host_rank OR (a.name_id = b.name_id AND a.suffix_id <> b.suffix_id) AS obvious,
           CASE WHEN a.ip IS NOT NULL AND b.ip IS NOT NULL THEN CASE WHEN a.ip = b.ip THEN 1.0::DOUBLE / ((a.ip >> 32) - 1) ELSE 0 END
                WHEN a.ips IS NOT NULL AND b.ips IS NOT NULL THEN
                    coalesce(1.0::DOUBLE / ((list_min(list_filter(a.ips, lambda g: list_contains(b.ips, g))) >> 32) - 1), 0) END AS ip4,
           CASE WHEN a.net IS NOT NULL AND b.net IS NOT NULL THEN CASE WHEN a.net = b.net THEN 1.0::DOUBLE / ((a.net >> 32) - 1) ELSE 0 END
                WHEN a.nets IS NOT NULL AND b.nets IS NOT NULL THEN
                    coalesce(1.0::DOUBLE / ((list_min(list_filter(a.nets, lambda g: list_contains(b.nets, g))) >> 32) - 1), 0) END AS ip3,
           a.n_clusters + b.n_clusters - p.shared AS clusters,
           sqrt(a.path_weight2 * b.path_weight2) AS path_norm, sqrt(a.page_path_weight2 * b.page_path_weight2) AS page_path_norm,
           least(a.weight, b.weight) AS lesser, a.weight + b.weight AS both_weights,
           least(a.asset_weight, b.asset_weight) AS lesser_assets, a.asset_weight + b.asset_weight AS both_assets,
           least(a.tail_weight, b.tail_weight) AS lesser_tails,
           CASE WHEN a.target_weight > 0 AND b.target_weight > 0 THEN least(a.target_weight, b.target_weight) END AS lesser_targets,
           CASE WHEN a.title_weight > 0 AND b.title_weight > 0 THEN least(a.title_weight, b.title_weight) END AS lesser_titles,
           coalesce(a.root <> b.root, false)::INTEGER AS unequal_root,
           p.sections_a / a.sections AS reach_a, p.sections_b / b.sections AS reach_b,
           a.links OR b.links AS have_links, a.names OR b.names AS have_names
    FROM content_pairs AS p
    JOIN sides AS a ON a.host_rank = p.a
    JOIN sides AS b ON b.host_rank = p.b
    LEFT JOIN shared_evidence AS e ON e.a = p.a AND e.b = p.b
    LEFT JOIN directed_pairs AS d ON d.a = p.a AND d.b = p.b
    WHERE CASE $candidates WHEN 'path' THEN coalesce(e.n_paths, 0) WHEN 'either' THEN p.shared + coalesce(e.n_paths, 0) ELSE $min_shared END >= $min_shared
       OR $negative
)
SELECT
    a_id,
    b_id,
    CASE WHEN $negative THEN -1 WHEN obvious THEN 1 ELSE 0 END::TINYINT AS label,
    shared,
    name.ndist AS ndist,
    name.nmatch AS nmatch,
    ip4::FLOAT AS ip4,
    ip3::FLOAT AS ip3,
    coalesce(path_weight2 / nullif(path_norm, 0), 0)::FLOAT AS fullpath,
    (shared / nullif(clusters, 0))::FLOAT AS similarity,
    (weight / $two)::FLOAT AS evidence,
    (weight / (lesser + $own))::FLOAT AS containment,
    (weight / (both_weights - weight + $own))::FLOAT AS resemblance,
    coalesce(page_path_weight2 / (page_path_norm + $path2), 0)::FLOAT AS path_overlap,
    ((n_same_path + 1) / (n_same_path + coalesce(n_unequal, 0) + unequal_root + 2))::FLOAT AS agreement,
    ((same_tail + $own / 4) / (weight + $own / 2))::FLOAT AS alignment,
    greatest(reach_a, reach_b)::FLOAT AS reach,
    least(reach_a, reach_b)::FLOAT AS reach_both,
    coalesce(tail_weight / (lesser_tails + $own), 0)::FLOAT AS tail_overlap,
    CASE WHEN lesser_assets > 0 THEN asset_weight / $two END::FLOAT AS asset_evidence,
    CASE WHEN lesser_assets > 0 THEN asset_weight / (lesser_assets + $own) END::FLOAT AS asset_containment,
    CASE WHEN lesser_assets > 0 THEN asset_weight / (both_assets - asset_weight + $own) END::FLOAT AS asset_resemblance,
    (coalesce(target_weight, 0) / (lesser_targets + $own))::FLOAT AS link_overlap,
    CASE WHEN have_links THEN coalesce(linked, 0) END::FLOAT AS linked,
    CASE WHEN have_names THEN coalesce(canonical, 0) END::FLOAT AS canonical,
    CASE WHEN n_sized > 0 THEN (n_close + 0.2) / (n_sized + 2) END::FLOAT AS size_agreement,
    CASE WHEN n_titles > 0 THEN (n_titled + 0.2) / (n_titles + 2) END::FLOAT AS title_agreement,
    (coalesce(title_weight, 0) / (lesser_titles + $own))::FLOAT AS title_overlap
FROM joined;
