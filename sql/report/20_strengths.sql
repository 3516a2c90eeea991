-- How strengths are spread, and what other thresholds would flag.
--
-- Everything is counted over distinct strengths, so a pass over the pairs is made once for pairs
-- and once for hosts. Probabilities are summed as whole numbers of 2^-20.
-- Source: docs/method.md#flags, docs/method.md#ranking.
-- NULL: method paper has no probability, and so no expected wrong flags.
--
-- reads: ranking, pattern_scores, thresholds (x), em_history
-- writes: scored_pairs
-- parameters: bins, cells

-- name: scored_pairs
CREATE OR REPLACE TEMP TABLE scored_pairs AS
SELECT
    s.strength,
    s.probability,
    s.pu_score,
    s.nu_score,
    s.frontier,
    r.n,
    r.flagged,
    round((1 - s.probability) * 1048576)::BIGINT AS doubt,
    coalesce(s.probability, s.strength) AS certainty
FROM (
    SELECT score_id, count(*) AS n, count(*) FILTER (flagged) AS flagged
    FROM ranking
    GROUP BY score_id
) AS r
JOIN pattern_scores AS s USING (score_id);

-- name: histogram
WITH span AS (
    SELECT min(strength) AS low, max(strength) AS high FROM scored_pairs
)
SELECT
    least(floor((p.strength - s.low) / nullif(s.high - s.low, 0) * $bins), $bins - 1) AS bin,
    any_value(s.low) AS low,
    any_value(s.high) AS high,
    sum(p.n)::BIGINT AS n,
    sum(p.flagged)::BIGINT AS flagged
FROM scored_pairs AS p
CROSS JOIN span AS s
GROUP BY bin
ORDER BY bin;

-- name: flags
SELECT
    coalesce(sum(flagged), 0)::BIGINT AS pairs,
    sum(flagged * doubt) / 1048576 AS wrong,
    min(strength) FILTER (flagged > 0) AS least_strength,
    min(probability) FILTER (flagged > 0) AS least_probability,
    sum(n * (1048576 - doubt)) / 1048576 AS replicas
FROM scored_pairs;

-- name: others
-- What would be flagged from each threshold on.
SELECT
    t.x,
    coalesce(sum(p.n), 0)::BIGINT AS pairs,
    coalesce(sum(p.n * p.doubt), 0) / 1048576 AS wrong
FROM thresholds AS t
LEFT JOIN scored_pairs AS p ON p.certainty >= t.x
GROUP BY t.x
ORDER BY t.x;

-- name: hosts_of_others
WITH least AS (
    SELECT min(x) AS x FROM thresholds
),
likely AS (
    SELECT r.a_id, r.b_id, coalesce(s.probability, s.strength) AS certainty
    FROM ranking AS r
    JOIN pattern_scores AS s USING (score_id)
    CROSS JOIN least AS l
    WHERE coalesce(s.probability, s.strength) >= l.x
),
best AS (
    SELECT host_id, max(certainty) AS certainty
    FROM (
        SELECT a_id AS host_id, certainty FROM likely
        UNION ALL
        SELECT b_id, certainty FROM likely
    )
    GROUP BY host_id
)
SELECT t.x, count(b.host_id) AS hosts
FROM thresholds AS t
LEFT JOIN best AS b ON b.certainty >= t.x
GROUP BY t.x
ORDER BY t.x;

-- name: plane
-- Method paper: candidates by both likelihoods, in cells.
SELECT
    round(pu_score * $cells) / $cells AS pu,
    round(nu_score * $cells) / $cells AS nu,
    sum(n)::BIGINT AS n,
    sum(flagged)::BIGINT AS flagged,
    bool_or(frontier) AS frontier
FROM scored_pairs
WHERE pu_score IS NOT NULL
GROUP BY ALL
ORDER BY ALL;

-- name: passes
SELECT learner, pass, moved, positive, negative, detail
FROM em_history
WHERE learner <> 'robust'
ORDER BY learner DESC, pass;
