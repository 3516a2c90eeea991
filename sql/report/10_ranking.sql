-- The ranking of a report: its first pairs, their hosts, and which of the pairs are explained.
--
-- Pairs that a person acts on are explained first: each dropped host with the host kept in its
-- place, each drop that is held back, and the first pairs. Then come the pairs nearest to where
-- flags end.
-- NULL = of the other method, or nothing to say.
--
-- reads: ranking, left_out, replicas, hosts, host_stats, members, held,
--   flagged_hosts, held_hosts, skipped_clusters, mass_copies, decided, pattern_scores, pins
-- writes: reported
-- parameters: pairs, most, flagged_pairs, top

-- name: reported
CREATE OR REPLACE TEMP TABLE reported AS
SELECT rowid + 1 AS rank, a_id, b_id, score_id
FROM ranking
WHERE rowid < $pairs;

-- name: rows
SELECT
    v.rank,
    p.a_id,
    p.b_id,
    p.score_id,
    v.host_a,
    v.host_b,
    v.probability,
    v.score,
    v.flagged,
    v.kind,
    v.obvious,
    v.shared,
    v.containment,
    v.same_language,
    v.pu_score,
    v.nu_score,
    v.dominates,
    v.frontier,
    v.strength,
    l.kind AS left_out,
    d.a_id IS NOT NULL AS decided,
    s.probability AS by_evidence
FROM reported AS p
JOIN replicas AS v ON v.rank = p.rank
LEFT JOIN left_out AS l ON l.a_id = p.a_id AND l.b_id = p.b_id
LEFT JOIN decided AS d ON d.a_id = p.a_id AND d.b_id = p.b_id
LEFT JOIN pattern_scores AS s ON s.score_id = p.score_id
WHERE v.rank <= $pairs
ORDER BY v.rank;

-- name: chosen
WITH decided AS (
    SELECT host_id, canonical_id FROM members WHERE host_id <> canonical_id
    UNION
    SELECT host_id, canonical_id FROM held
),
pairs AS (
    SELECT host_id AS a_id, canonical_id AS b_id FROM decided
    UNION
    SELECT canonical_id, host_id FROM decided
)
SELECT r.rank
FROM reported AS r
LEFT JOIN pairs AS d USING (a_id, b_id)
ORDER BY d.a_id IS NULL AND r.rank > $top, abs(r.rank - $flagged_pairs - 0.5), r.rank
LIMIT $most;

-- name: never
-- Hosts that a person has said are never to be flagged.
SELECT host FROM pins WHERE pin = 'never';

-- name: fates
-- What becomes of the hosts of the reported pairs.
WITH shown AS (
    SELECT a_id AS host_id FROM reported UNION SELECT b_id FROM reported
)
SELECT
    h.host,
    t.n_urls AS urls,
    c.host AS canonical_host,
    m.group_id,
    m.kept_because,
    m.held_back,
    m.pages,
    m.elsewhere,
    m.not_compared,
    m.hosts
FROM shown AS s
JOIN hosts AS h ON h.host_id = s.host_id
JOIN host_stats AS t ON t.host_id = s.host_id
LEFT JOIN (
    SELECT
        host_id,
        canonical_id,
        group_id,
        kept_because,
        NULL AS held_back,
        pages,
        elsewhere,
        not_compared,
        count(*) OVER (PARTITION BY group_id) AS hosts
    FROM members
    UNION ALL
    SELECT host_id, canonical_id, NULL, NULL, why, pages, elsewhere, not_compared, NULL FROM held
) AS m ON m.host_id = s.host_id
LEFT JOIN hosts AS c ON c.host_id = m.canonical_id
ORDER BY h.host, m.group_id;

-- name: totals
SELECT
    (SELECT count(score_id) FROM ranking) AS candidates,
    (SELECT count(*) FROM ranking) AS ranked,
    (SELECT count(*) FROM ranking WHERE flagged) AS flagged,
    (SELECT count(DISTINCT group_id) FROM members) AS groups,
    (SELECT count(*) FROM members WHERE host_id <> canonical_id) AS dropped,
    (SELECT count(*) FROM held) AS held,
    (SELECT sum(n_urls)::BIGINT FROM host_stats) AS urls,
    (
        SELECT coalesce(sum(t.n_urls), 0)::BIGINT
        FROM members AS m
        JOIN host_stats AS t USING (host_id)
        WHERE m.host_id <> m.canonical_id
    ) AS saved_urls,
    (SELECT sum(elsewhere)::BIGINT FROM members WHERE host_id <> canonical_id) AS elsewhere,
    (SELECT sum(not_compared)::BIGINT FROM members WHERE host_id <> canonical_id) AS not_compared,
    (SELECT sum(pages)::BIGINT FROM members WHERE host_id <> canonical_id) AS pages,
    (SELECT count(*) FROM skipped_clusters) AS skipped_clusters,
    (SELECT count(*) FROM mass_copies) AS mass_copies;

-- name: drops
-- Those that save most first.
SELECT
    host,
    canonical_host,
    probability,
    why,
    kept_because,
    pages,
    elsewhere,
    not_compared,
    urls,
    duplicate_urls,
    rank
FROM flagged_hosts
ORDER BY urls DESC, host
LIMIT $most;

-- name: held_back
SELECT host, canonical_host, probability, why, pages, elsewhere, not_compared, rank
FROM held_hosts
ORDER BY rank, host
LIMIT $most;
