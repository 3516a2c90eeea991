-- Pairs of a model: every candidate with its strength, links between hosts, and neighbours.
--
-- Rows by the two hosts' numbers, in their order. A host's neighbours are those of
-- sql/detect/62_collective: the hosts that it is probably a replica of. They come twice: by the
-- local evidence of each pair, and by the log odds that relational evidence had corrected before
-- its last pass. Where old hosts were not compared with each other there are none ($whole: false).
-- Source: docs/robust.md#collective.
-- NULL does not occur.
--
-- reads: directed_pairs (sql/detect/35_shared_evidence), ranking, host_stats,
--   shared_neighbours, settings
-- writes: none
-- parameters: whole, neighbour

-- name: candidates
-- Strengths in millionths.
SELECT
    (least(a.host_rank, b.host_rank) - 1)::UINTEGER AS a,
    (greatest(a.host_rank, b.host_rank) - 1)::UINTEGER AS b,
    r.score_id AS strength
FROM ranking AS r
JOIN host_stats AS a ON a.host_id = r.a_id
JOIN host_stats AS b ON b.host_id = r.b_id
WHERE r.score_id IS NOT NULL  -- else a decided pair that was no candidate
ORDER BY 1, 2;

-- name: neighbours
-- Each pair from either side. Probabilities in thousandths, 0 below $neighbour.
WITH class_prior AS (
    SELECT value::DOUBLE AS log_odds FROM settings WHERE name = 'log_odds_offset'
),
likely AS (
    SELECT
        r.a_id,
        r.b_id,
        1 / (1 + exp(-(r.score_id / 1e6 - coalesce(p.added, 0) + log_odds))) AS local,
        1 / (1 + exp(-(r.score_id / 1e6 - coalesce(p.added - p.before, 0) + log_odds)))
            AS corrected
    FROM ranking AS r
    LEFT JOIN shared_neighbours AS p ON p.a_id = r.a_id AND p.b_id = r.b_id
    CROSS JOIN class_prior
),
counted AS (
    SELECT
        a.host_rank - 1 AS x,
        b.host_rank - 1 AS y,
        CASE WHEN local >= $neighbour THEN round(local * 1000) ELSE 0 END::USMALLINT AS local,
        CASE WHEN corrected >= $neighbour THEN round(corrected * 1000) ELSE 0 END::USMALLINT
            AS corrected
    FROM likely AS l
    JOIN host_stats AS a ON a.host_id = l.a_id
    JOIN host_stats AS b ON b.host_id = l.b_id
    WHERE (local >= $neighbour OR corrected >= $neighbour) AND $whole
)
SELECT x AS host, y::UINTEGER AS other, local, corrected FROM counted
UNION ALL
SELECT y, x::UINTEGER, local, corrected FROM counted
ORDER BY host, other;

-- name: directed
SELECT a - 1 AS a, b - 1 AS b, linked::FLOAT AS linked, canonical::FLOAT AS canonical
FROM directed_pairs
ORDER BY a, b;
