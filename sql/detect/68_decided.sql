-- Decided pairs: what people decided, on the hosts that are loaded now, put over what the evidence
-- says.
--
-- A pair decided to be a replica is flagged. If it was no candidate, it becomes a row of the
-- ranking. A pair decided to be none is not flagged, nor is any pair of a host pinned by `never`.
-- Under method robust decided pairs stand first and last in the ranking. For that they have a
-- score_id of their own while the ranking is made ($top, $bottom), and rows of pattern_scores for
-- it.
-- Source: docs/drops.md#decided.
-- NULL score_id = it was no candidate, so nothing is known of its evidence.
--
-- reads: decisions, pins, hosts, host_stats, scored, loaded_decisions, decided, ranking,
--   pattern_scores, flagged_pairs
-- writes: loaded_decisions, decided, scored, pattern_scores, ranking
-- parameters: robust, top, bottom, likely, scale

-- name: loaded_decisions
-- Decisions whose two hosts are loaded. What a `never` overrules is none. drawn: the pair was
-- chosen by its evidence (review, check), not by what it turned out to be. mass: what it counts for
-- as an example, 1 / sqrt(pairs decided on its one host * on its other).
CREATE OR REPLACE TEMP TABLE loaded_decisions AS
WITH never AS (
    SELECT host FROM pins WHERE pin = 'never'
),
binding AS (
    SELECT
        a.host_id AS a_id,
        b.host_id AS b_id,
        d.replica,
        d.source IN ('review', 'check') AS drawn
    FROM decisions AS d
    JOIN hosts AS a ON a.host = d.host_a
    JOIN hosts AS b ON b.host = d.host_b
    SEMI JOIN host_stats AS s ON s.host_id = a.host_id
    SEMI JOIN host_stats AS t ON t.host_id = b.host_id
    WHERE NOT (
        d.replica
        AND (d.host_a IN (SELECT host FROM never) OR d.host_b IN (SELECT host FROM never))
    )
),
ends AS (
    SELECT a_id AS host_id FROM binding
    UNION ALL
    SELECT b_id FROM binding
),
degrees AS (
    SELECT host_id, count(*)::DOUBLE AS n FROM ends GROUP BY host_id
)
SELECT binding.*, host_share(x.n, y.n) AS mass
FROM binding
JOIN degrees AS x ON x.host_id = a_id
JOIN degrees AS y ON y.host_id = b_id;

-- name: near_candidates
-- What the decided ones among the near candidates count for in
-- sql/detect/60_near_candidates, by their match weight.
WITH near AS (
    SELECT a_id, b_id, score_id FROM scored WHERE score_id >= $likely
),
ends AS (
    SELECT a_id AS host_id FROM near
    UNION ALL
    SELECT b_id FROM near
),
degrees AS (
    SELECT host_id, count(*)::DOUBLE AS n FROM ends GROUP BY host_id
)
SELECT score_id, replica, sum(round($scale * host_share(x.n, y.n)))::BIGINT AS mass
FROM near
JOIN loaded_decisions USING (a_id, b_id)
JOIN degrees AS x ON x.host_id = a_id
JOIN degrees AS y ON y.host_id = b_id
GROUP BY score_id, replica
ORDER BY score_id, replica;

-- name: all_candidates
-- How many decided candidates have each match weight, and what those that were drawn count for.
-- Lists that people made of what they knew say nothing of the rest: 0.
SELECT
    score_id,
    replica,
    count(*) AS n,
    sum(CASE WHEN drawn THEN round($scale * mass) ELSE 0 END)::BIGINT AS mass
FROM scored
JOIN loaded_decisions USING (a_id, b_id)
GROUP BY score_id, replica
ORDER BY score_id, replica;

-- name: decided
INSERT INTO decided BY NAME
SELECT
    l.a_id,
    l.b_id,
    l.replica,
    s.score_id,
    CASE WHEN $robust THEN l.replica::DOUBLE END AS probability,
    CASE WHEN $robust OR s.score_id IS NULL THEN ($robust AND l.replica)::DOUBLE END AS score
FROM loaded_decisions AS l
LEFT JOIN scored AS s ON s.a_id = l.a_id AND s.b_id = l.b_id
ORDER BY l.a_id, l.b_id;

-- name: sent_to_an_end
UPDATE scored SET score_id = CASE WHEN d.replica THEN $top ELSE $bottom END
FROM decided AS d
WHERE $robust AND scored.a_id = d.a_id AND scored.b_id = d.b_id;

-- name: added
INSERT INTO scored
SELECT a_id, b_id, CASE WHEN $robust THEN $top ELSE $bottom END, 0, 0, 255
FROM decided
WHERE replica AND score_id IS NULL;

-- name: first_and_last
INSERT INTO pattern_scores BY NAME
SELECT
    $top AS score_id,
    'inf'::DOUBLE AS strength,
    9223372036854775807 AS dominates,
    true AS flagged
UNION ALL
SELECT $bottom, '-inf'::DOUBLE, -1, NOT $robust;

-- name: restored
UPDATE ranking SET score_id = d.score_id, flagged = d.replica
FROM decided AS d
WHERE ranking.a_id = d.a_id AND ranking.b_id = d.b_id;

-- name: none_first_or_last
DELETE FROM pattern_scores WHERE score_id IN ($top, $bottom);

-- name: never
WITH never AS (
    SELECT h.host_id FROM pins AS p JOIN hosts AS h USING (host) WHERE p.pin = 'never'
)
UPDATE ranking SET flagged = false
WHERE flagged AND (
    a_id IN (SELECT host_id FROM never) OR b_id IN (SELECT host_id FROM never)
);

-- name: kept_hosts
-- Flagged hosts that are pinned by `keep`.
SELECT DISTINCT h.host_id
FROM pins AS p
JOIN hosts AS h USING (host)
SEMI JOIN (
    SELECT a_id AS host_id FROM flagged_pairs UNION ALL SELECT b_id FROM flagged_pairs
) AS f ON f.host_id = h.host_id
WHERE p.pin = 'keep'
ORDER BY h.host_id;

-- name: between_flagged
-- Decided pairs both of whose hosts are flagged.
WITH flagged AS (
    SELECT a_id AS host_id FROM flagged_pairs UNION SELECT b_id FROM flagged_pairs
)
SELECT d.a_id, d.b_id, d.replica
FROM decided AS d
SEMI JOIN flagged AS x ON x.host_id = d.a_id
SEMI JOIN flagged AS y ON y.host_id = d.b_id
ORDER BY d.a_id, d.b_id;
