-- The largest groups: their hosts, and the flagged pairs inside them and out of them.
--
-- A group shows its kept host and a limited number of others, the strongest first. Of the hosts
-- outside that are flagged as copies of a shown one, it shows the nearest few.
-- Source: docs/drops.md#groups.
-- NULL strength = a decided pair that was no candidate; NULL probability = method paper.
--
-- reads: members, held, hosts, host_stats, ranking, pattern_scores, decided
-- writes: drawn_groups, drawn_members, drawn_edges
-- parameters: groups, hosts, outside

-- name: drawn_groups
CREATE OR REPLACE TEMP TABLE drawn_groups AS
SELECT m.group_id, m.canonical_id, count(*) AS hosts, sum(t.n_urls)::BIGINT AS urls
FROM members AS m
JOIN hosts AS c ON c.host_id = m.canonical_id
JOIN host_stats AS t ON t.host_id = m.host_id
GROUP BY m.group_id, m.canonical_id
ORDER BY hosts DESC, any_value(c.host)
LIMIT $groups;

-- name: drawn_members
CREATE OR REPLACE TEMP TABLE drawn_members AS
SELECT g.group_id, m.host_id, m.canonical_id, m.kept_because, m.pages, m.elsewhere, m.not_compared
FROM drawn_groups AS g
JOIN members AS m USING (group_id)
QUALIFY row_number() OVER (
    PARTITION BY g.group_id ORDER BY m.host_id <> m.canonical_id, m.rank, m.host_id
) <= $hosts;

-- name: drawn_edges
CREATE OR REPLACE TEMP TABLE drawn_edges AS
WITH flagged AS MATERIALIZED (
    SELECT
        r.rowid + 1 AS rank,
        r.a_id,
        r.b_id,
        s.strength,
        coalesce(d.probability, s.probability) AS probability
    FROM ranking AS r
    LEFT JOIN pattern_scores AS s USING (score_id)
    LEFT JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
    WHERE r.flagged
),
ends AS (
    SELECT rank, strength, probability, a_id AS host_id, b_id AS other_id FROM flagged
    UNION ALL
    SELECT rank, strength, probability, b_id, a_id FROM flagged
)
SELECT
    d.group_id,
    e.host_id,
    e.other_id,
    e.rank,
    e.strength,
    e.probability,
    o.host_id IS NOT NULL AS inside
FROM drawn_members AS d
JOIN ends AS e USING (host_id)
LEFT JOIN drawn_members AS o ON o.group_id = d.group_id AND o.host_id = e.other_id
WHERE o.host_id IS NULL OR e.host_id < e.other_id;

-- name: groups
SELECT g.group_id, c.host AS canonical_host, g.hosts, g.urls
FROM drawn_groups AS g
JOIN hosts AS c ON c.host_id = g.canonical_id
ORDER BY g.hosts DESC, c.host;

-- name: hosts
SELECT
    d.group_id,
    d.host_id,
    h.host,
    d.host_id = d.canonical_id AS kept,
    t.n_urls AS urls,
    d.kept_because,
    d.pages,
    d.elsewhere,
    d.not_compared
FROM drawn_members AS d
JOIN hosts AS h USING (host_id)
JOIN host_stats AS t USING (host_id)
ORDER BY d.group_id, kept DESC, h.host;

-- name: outsiders
-- Hosts out of the group; those of a group that is not drawn whole are left out.
SELECT
    e.group_id,
    e.other_id AS host_id,
    h.host,
    t.n_urls AS urls,
    c.host AS canonical_host,
    any_value(w.why) AS held_back
FROM drawn_edges AS e
JOIN hosts AS h ON h.host_id = e.other_id
JOIN host_stats AS t ON t.host_id = e.other_id
LEFT JOIN members AS m ON m.host_id = e.other_id
LEFT JOIN hosts AS c ON c.host_id = m.canonical_id
LEFT JOIN held AS w ON w.host_id = e.other_id
WHERE NOT e.inside AND m.group_id IS DISTINCT FROM e.group_id
GROUP BY e.group_id, e.other_id, h.host, t.n_urls, c.host
QUALIFY row_number() OVER (PARTITION BY e.group_id ORDER BY min(e.rank)) <= $outside
ORDER BY e.group_id, min(e.rank);

-- name: edges
SELECT group_id, host_id, other_id, rank, strength, probability
FROM drawn_edges
ORDER BY group_id, rank;

-- name: listed
-- All groups, the largest first.
SELECT m.group_id, c.host AS canonical_host, count(*) AS hosts, sum(t.n_urls)::BIGINT AS urls
FROM members AS m
JOIN hosts AS c ON c.host_id = m.canonical_id
JOIN host_stats AS t ON t.host_id = m.host_id
GROUP BY m.group_id, c.host
ORDER BY hosts DESC, c.host
LIMIT $groups;
