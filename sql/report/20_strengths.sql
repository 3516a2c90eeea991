-- How strengths are spread, and what other thresholds would flag.
--
-- Everything is counted over distinct strengths. So all pairs are read only twice, once to count
-- pairs and once to count hosts. Pairs whose flag does not depend on a threshold are counted one by
-- one: decided pairs, pairs of hosts that are never to be flagged, kinds that were not asked for.
-- Probabilities are summed as whole numbers of 2^-20.
-- Source: docs/robust.md#flags, docs/method.md#ranking, docs/drops.md#decided.
-- NULL: method paper has no probability, and so no expected wrong flags.
--
-- reads: ranking, pattern_scores, pair_features, decided, pins, hosts, thresholds (x), em_history
-- writes: scored_pairs, likely_pairs, untouched
-- parameters: bins, cells, kinds

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
    round((1 - s.probability) * 1048576)::BIGINT AS doubt
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

-- name: likely_pairs
-- All that the least threshold would flag; other: none does, for its kind or a host, or since
-- a person has decided on the pair.
CREATE OR REPLACE TEMP TABLE likely_pairs AS
WITH least AS (
    SELECT min(x) AS x FROM thresholds
),
never AS (
    SELECT h.host_id FROM pins AS p JOIN hosts AS h USING (host) WHERE p.pin = 'never'
)
SELECT
    r.a_id,
    r.b_id,
    coalesce(s.probability, s.strength) AS certainty,
    round((1 - s.probability) * 1048576)::BIGINT AS doubt,
    d.a_id IS NOT NULL
    OR r.a_id IN (FROM never)
    OR r.b_id IN (FROM never)
    OR coalesce(list_contains($kinds, internal.kind_of(
        -- fill: replicadb.detection.kinds.pieces(f)
    )), false) AS other
FROM ranking AS r
JOIN pattern_scores AS s USING (score_id)
CROSS JOIN least AS l
LEFT JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
LEFT JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
WHERE coalesce(s.probability, s.strength) >= l.x;

-- name: untouched
-- What any threshold flags: decided replicas.
CREATE OR REPLACE TEMP TABLE untouched AS
SELECT a_id, b_id FROM decided WHERE replica;

-- name: flags
-- Decided pairs are flagged or not whatever their strength, and are not expected to be wrong.
WITH by_evidence AS (
    SELECT s.strength, s.probability, round((1 - s.probability) * 1048576)::BIGINT AS doubt
    FROM ranking AS r
    JOIN pattern_scores AS s USING (score_id)
    ANTI JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
    WHERE r.flagged
),
known AS (
    SELECT
        sum(1048576 - round((1 - s.probability) * 1048576)::BIGINT) AS expected,
        count(*) FILTER (d.replica) AS replicas
    FROM decided AS d
    JOIN pattern_scores AS s USING (score_id)
)
SELECT
    (SELECT count(*) FROM ranking WHERE flagged) AS pairs,
    coalesce(
        (SELECT sum(doubt) FROM by_evidence),
        (SELECT 0 * any_value(doubt) FROM scored_pairs)
    ) / 1048576 AS wrong,
    (SELECT min(strength) FROM by_evidence) AS least_strength,
    (SELECT min(probability) FROM by_evidence) AS least_probability,
    (
        SELECT sum(p.n * (1048576 - p.doubt)) - coalesce(any_value(k.expected), 0)
        FROM scored_pairs AS p
        CROSS JOIN known AS k
    ) / 1048576 + (SELECT replicas FROM known) AS replicas;

-- name: others
-- What would be flagged from each threshold on.
SELECT
    t.x,
    count(p.a_id) + (SELECT count(*) FROM untouched) AS pairs,
    coalesce(sum(p.doubt), 0) / 1048576 AS wrong
FROM thresholds AS t
LEFT JOIN likely_pairs AS p ON p.certainty >= t.x AND NOT p.other
GROUP BY t.x
ORDER BY t.x;

-- name: hosts_of_others
WITH flagged AS (
    SELECT a_id, b_id, certainty FROM likely_pairs WHERE NOT other
    UNION ALL
    SELECT a_id, b_id, 1 FROM untouched
),
best AS (
    SELECT host_id, max(certainty) AS certainty
    FROM (
        SELECT a_id AS host_id, certainty FROM flagged
        UNION ALL
        SELECT b_id, certainty FROM flagged
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
