-- Pair features: how alike two hosts are.
--
-- The paper's five (section 3.1, METHOD section 2): ndist, nmatch, ip4, ip3, fullpath. And content evidence
-- (METHOD section 7), which the dup-clusters already hold: containment, resemblance, agreement, alignment, reach.
-- A zero norm gives 0. NULL: ip4, ip3 = no address known for one of the hosts; agreement = no shared path
-- with known content; the content evidence of a pair that shares no content is 0.

-- name: pairs
CREATE OR REPLACE TEMP TABLE pairs AS
SELECT c.a_id, c.b_id, coalesce(l.label, 0)::TINYINT AS label
FROM candidates AS c LEFT JOIN labels AS l ON l.a_id = c.a_id AND l.b_id = c.b_id AND l.label = 1
UNION ALL
SELECT a_id, b_id, label FROM labels WHERE label = -1;

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

-- name: name_norms
CREATE OR REPLACE TEMP TABLE name_norms AS
SELECT host_id, sum(weight2)::BIGINT AS norm2 FROM host_terms GROUP BY host_id;

-- name: name_matches
CREATE OR REPLACE TEMP TABLE name_matches AS
SELECT p.a_id, p.b_id, sum(x.weight2)::BIGINT AS dot
FROM pairs AS p
JOIN host_terms AS x ON x.host_id = p.a_id
JOIN host_terms AS y ON y.host_id = p.b_id AND y.term_id = x.term_id
GROUP BY p.a_id, p.b_id;

-- name: address_groups
-- 1 / (|G| - 1) for the group G of hosts with an address (ip) or a network (net) (paper Eq. 2).
CREATE OR REPLACE TEMP TABLE address_groups AS
SELECT host_id, ip, net,
       1.0 / (g4 - 1) AS v4,
       1.0 / (g3 - 1) AS v3
FROM (SELECT DISTINCT host_id, ip, net FROM host_ips)
JOIN (SELECT ip, count(DISTINCT host_id) AS g4 FROM host_ips GROUP BY ip) USING (ip)
JOIN (SELECT net, count(DISTINCT host_id) AS g3 FROM host_ips GROUP BY net) USING (net)
WHERE g3 > 1;

-- name: address_matches
-- A host can have several addresses: the best matching group counts.
CREATE OR REPLACE TEMP TABLE address_matches AS
SELECT p.a_id, p.b_id, max(CASE WHEN x.ip = y.ip THEN x.v4 END)::FLOAT AS ip4, max(x.v3)::FLOAT AS ip3
FROM pairs AS p
JOIN address_groups AS x ON x.host_id = p.a_id
JOIN address_groups AS y ON y.host_id = p.b_id AND y.net = x.net
GROUP BY p.a_id, p.b_id;

-- name: addressed
CREATE OR REPLACE TEMP TABLE addressed AS SELECT DISTINCT host_id FROM host_ips;

-- name: pair_features
INSERT INTO pair_features BY NAME
SELECT
    p.a_id,
    p.b_id,
    p.label,
    coalesce(c.shared, 0)::INTEGER AS shared,
    least(levenshtein(a.host, b.host), 255)::UTINYINT AS ndist,
    coalesce(n.dot / sqrt(na.norm2::DOUBLE * nb.norm2), 0)::FLOAT AS nmatch,
    CASE WHEN ha.host_id IS NOT NULL AND hb.host_id IS NOT NULL THEN coalesce(m.ip4, 0) END::FLOAT AS ip4,
    CASE WHEN ha.host_id IS NOT NULL AND hb.host_id IS NOT NULL THEN coalesce(m.ip3, 0) END::FLOAT AS ip3,
    coalesce(c.path_weight2 / nullif(sqrt(sa.path_weight2::DOUBLE * sb.path_weight2), 0), 0)::FLOAT AS fullpath,
    (c.shared / nullif(sa.n_clusters + sb.n_clusters - c.shared, 0))::FLOAT AS similarity,
    (coalesce(c.weight, 0) / $scale)::FLOAT AS evidence,
    coalesce(c.weight / nullif(least(sa.weight, sb.weight), 0), 0)::FLOAT AS containment,
    coalesce(c.weight2 / nullif(sqrt(sa.weight2::DOUBLE * sb.weight2), 0), 0)::FLOAT AS resemblance,
    (c.n_same_path / nullif(c.n_same_path + c.n_unequal + coalesce(sa.root <> sb.root, false)::INTEGER, 0))::FLOAT AS agreement,
    coalesce(c.same_path / nullif(c.weight, 0), 0)::FLOAT AS same_path,
    coalesce(c.same_tail / nullif(c.weight, 0), 0)::FLOAT AS alignment,
    coalesce(least(greatest(c.sections_a / least(sa.n_sections, 64), c.sections_b / least(sb.n_sections, 64)), 1), 0)::FLOAT AS reach
FROM pairs AS p
JOIN hosts AS a ON a.host_id = p.a_id
JOIN hosts AS b ON b.host_id = p.b_id
JOIN host_stats AS sa ON sa.host_id = p.a_id
JOIN host_stats AS sb ON sb.host_id = p.b_id
LEFT JOIN candidates AS c ON c.a_id = p.a_id AND c.b_id = p.b_id
LEFT JOIN name_norms AS na ON na.host_id = p.a_id
LEFT JOIN name_norms AS nb ON nb.host_id = p.b_id
LEFT JOIN name_matches AS n ON n.a_id = p.a_id AND n.b_id = p.b_id
LEFT JOIN address_matches AS m ON m.a_id = p.a_id AND m.b_id = p.b_id
LEFT JOIN addressed AS ha ON ha.host_id = p.a_id
LEFT JOIN addressed AS hb ON hb.host_id = p.b_id;

-- name: cleanup
DROP TABLE pairs;
-- name: cleanup_terms
DROP TABLE host_terms;
-- name: cleanup_norms
DROP TABLE name_norms;
-- name: cleanup_names
DROP TABLE name_matches;
-- name: cleanup_groups
DROP TABLE address_groups;
-- name: cleanup_addresses
DROP TABLE address_matches;
-- name: cleanup_addressed
DROP TABLE addressed;
