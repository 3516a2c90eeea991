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
-- Distinct dot-separated segments of a host name; w(t) = ln(len t) / (1 + ln df(t)) (paper Eq. 1).
CREATE OR REPLACE TEMP TABLE host_terms AS
WITH terms AS (
    SELECT DISTINCT host_id, unnest(string_split(host, '.')) AS term FROM hosts
),
weighted AS (
    SELECT term, row_number() OVER (ORDER BY term)::INTEGER AS term_id,
           round((ln(greatest(length(term), 1)) / (1 + ln(count(*)))) ** 2 * $scale)::BIGINT AS weight2
    FROM terms GROUP BY term
)
SELECT host_id, term_id, weight2 FROM terms JOIN weighted USING (term) WHERE weight2 > 0;

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
-- addresses, of which "com" alone would make hosts^2 rows. terms: weight2 below, id above.
CREATE OR REPLACE TEMP TABLE sides AS
WITH names AS (
    SELECT host_id, list(term_id::BIGINT << 32 | weight2) AS terms, sum(weight2)::BIGINT AS name_norm2
    FROM host_terms GROUP BY host_id
)
SELECT
    s.*, coalesce(n.terms, []) AS terms, n.name_norm2, i.ips, i.nets, k.target_weight, k.title_weight,
    coalesce(k.links, false) AS links, coalesce(k.names, false) AS names
FROM host_stats AS s
LEFT JOIN names AS n USING (host_id)
LEFT JOIN host_addresses AS i USING (host_id)
LEFT JOIN link_sides AS k USING (host_id);

-- name: pair_features
-- edit_distance(a_id, b_id) is least(levenshtein(a.host, b.host), 255) by a faster library (replicadb/edit_distance.py).
INSERT INTO pair_features BY NAME
WITH pairs AS (
    SELECT c.*, coalesce(l.label, 0)::TINYINT AS label
    FROM candidates AS c LEFT JOIN (FROM labels WHERE label = 1) AS l ON l.a_id = c.a_id AND l.b_id = c.b_id
    UNION ALL BY NAME
    SELECT a_id, b_id, label FROM labels WHERE label = -1
),
units AS (  -- weights of a page that one host alone has, or two; squared weight of a path that one host alone has
    SELECT round((1 + ln(count(*))) * $scale) AS own, round((1 + ln(greatest(count(*), 2) / 2)) * $scale) AS two,
           round((1 + ln($path_max_hosts)) ** 2 * $scale) AS path2
    FROM hosts
)
SELECT
    p.a_id,
    p.b_id,
    p.label,
    coalesce(p.shared, 0)::INTEGER AS shared,
    edit_distance(p.a_id, p.b_id) AS ndist,
    coalesce(list_sum(list_transform(list_filter(a.terms, lambda t: list_contains(b.terms, t)), lambda t: t & 4294967295))::BIGINT
        / sqrt(a.name_norm2::DOUBLE * b.name_norm2), 0)::FLOAT AS nmatch,
    CASE WHEN a.ips IS NOT NULL AND b.ips IS NOT NULL THEN
        coalesce(1.0 / ((list_min(list_filter(a.ips, lambda g: list_contains(b.ips, g))) >> 32) - 1), 0) END::FLOAT AS ip4,
    CASE WHEN a.nets IS NOT NULL AND b.nets IS NOT NULL THEN
        coalesce(1.0 / ((list_min(list_filter(a.nets, lambda g: list_contains(b.nets, g))) >> 32) - 1), 0) END::FLOAT AS ip3,
    coalesce(p.path_weight2 / nullif(sqrt(a.path_weight2::DOUBLE * b.path_weight2), 0), 0)::FLOAT AS fullpath,
    (p.shared / nullif(a.n_clusters + b.n_clusters - p.shared, 0))::FLOAT AS similarity,
    (coalesce(p.weight, 0) / u.two)::FLOAT AS evidence,
    (coalesce(p.weight, 0) / (least(a.weight, b.weight) + u.own))::FLOAT AS containment,
    (coalesce(p.weight, 0) / (a.weight + b.weight - coalesce(p.weight, 0) + u.own))::FLOAT AS resemblance,
    (coalesce(p.page_path_weight2, 0) / (sqrt(a.page_path_weight2::DOUBLE * b.page_path_weight2) + u.path2))::FLOAT AS path_overlap,
    ((coalesce(p.n_same_path, 0) + 1)
        / (coalesce(p.n_same_path, 0) + coalesce(p.n_unequal, 0) + coalesce(a.root <> b.root, false)::INTEGER + 2))::FLOAT AS agreement,
    ((coalesce(p.same_tail, 0) + u.own / 4) / (coalesce(p.weight, 0) + u.own / 2))::FLOAT AS alignment,
    coalesce(greatest(p.sections_a / (least(a.n_sections, 64) + 0.5), p.sections_b / (least(b.n_sections, 64) + 0.5)), 0)::FLOAT AS reach,
    coalesce(least(p.sections_a / (least(a.n_sections, 64) + 0.5), p.sections_b / (least(b.n_sections, 64) + 0.5)), 0)::FLOAT AS reach_both,
    (coalesce(t.weight, 0) / (least(a.tail_weight, b.tail_weight) + u.own))::FLOAT AS tail_overlap,
    CASE WHEN a.asset_weight > 0 AND b.asset_weight > 0 THEN coalesce(p.asset_weight, 0) / u.two END::FLOAT AS asset_evidence,
    CASE WHEN a.asset_weight > 0 AND b.asset_weight > 0 THEN
        coalesce(p.asset_weight, 0) / (least(a.asset_weight, b.asset_weight) + u.own) END::FLOAT AS asset_containment,
    CASE WHEN a.asset_weight > 0 AND b.asset_weight > 0 THEN
        coalesce(p.asset_weight, 0) / (a.asset_weight + b.asset_weight - coalesce(p.asset_weight, 0) + u.own) END::FLOAT AS asset_resemblance,
    CASE WHEN a.target_weight > 0 AND b.target_weight > 0 THEN
        coalesce(l.weight, 0) / (least(a.target_weight, b.target_weight) + u.own) END::FLOAT AS link_overlap,
    CASE WHEN a.links OR b.links THEN coalesce(d.share, 0) END::FLOAT AS linked,
    CASE WHEN a.names OR b.names THEN coalesce(c.share, 0) END::FLOAT AS canonical,
    CASE WHEN t.n_sized > 0 THEN (t.n_close + 0.2) / (t.n_sized + 2) END::FLOAT AS size_agreement,
    CASE WHEN t.n_titles > 0 THEN (t.n_titled + 0.2) / (t.n_titles + 2) END::FLOAT AS title_agreement,
    CASE WHEN a.title_weight > 0 AND b.title_weight > 0 THEN
        coalesce(w.weight, 0) / (least(a.title_weight, b.title_weight) + u.own) END::FLOAT AS title_overlap
FROM pairs AS p
JOIN sides AS a ON a.host_id = p.a_id
JOIN sides AS b ON b.host_id = p.b_id
CROSS JOIN units AS u
LEFT JOIN tail_pairs AS t ON t.a_id = p.a_id AND t.b_id = p.b_id
LEFT JOIN title_pairs AS w ON w.a_id = p.a_id AND w.b_id = p.b_id
LEFT JOIN link_pairs AS l ON l.a_id = p.a_id AND l.b_id = p.b_id
LEFT JOIN linked_pairs AS d ON d.a_id = p.a_id AND d.b_id = p.b_id
LEFT JOIN canonical_pairs AS c ON c.a_id = p.a_id AND c.b_id = p.b_id;

-- name: cleanup
DROP TABLE sides;
-- name: cleanup_terms
DROP TABLE host_terms;
-- name: cleanup_addresses
DROP TABLE host_addresses;
-- name: cleanup_tail_pairs
DROP TABLE tail_pairs;
-- name: cleanup_link_pairs
DROP TABLE link_pairs;
-- name: cleanup_linked_pairs
DROP TABLE linked_pairs;
-- name: cleanup_canonical_pairs
DROP TABLE canonical_pairs;
-- name: cleanup_link_sides
DROP TABLE link_sides;
-- name: cleanup_targets
DROP TABLE targets;
-- name: cleanup_target_norms
DROP TABLE target_norms;
-- name: cleanup_named_places
DROP TABLE named_places;
-- name: cleanup_titles
DROP TABLE titles;
-- name: cleanup_title_norms
DROP TABLE title_norms;
-- name: cleanup_title_pairs
DROP TABLE title_pairs;
