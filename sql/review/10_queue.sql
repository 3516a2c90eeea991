-- Review queue: undecided pairs that are in doubt, drawn by their worth.
--
-- A pair's worth is p (1 - p), with p its probability, over the number of pairs of its strength, in
-- steps of half a unit: so strengths are asked for as likely as replicas begin there, however many
-- pairs there are. Times the logarithm of the fewer URLs of its two hosts; and the less, the more
-- decisions there are on either host. Under method paper, nearness to the last flagged rank takes
-- the place of the first two. p goes by the curve of the answers so far ($slope, $even).
-- Only the $most pairs nearest to one half (or to that rank) are read. Of these pairs are drawn,
-- each as likely as its worth. The draw goes by the names of the hosts. A host comes once in a
-- batch, so that one farm does not fill it.
-- Source: docs/drops.md#review; Efraimidis and Spirakis (2006), "Weighted random sampling with a
-- reservoir".
-- NULL probability = method paper.
--
-- reads: ranking, pattern_scores, host_stats, hosts, decisions, pins, settings,
--   skipped (host_a, host_b)
-- writes: none
-- parameters: most, n, slope, even

-- name: curve
-- The curve of the last detection; no row under method paper.
SELECT name, value::DOUBLE AS value
FROM settings
WHERE name IN ('log_odds_slope', 'log_odds_even');

-- name: queue
WITH flagged AS (
    SELECT count(*) AS n FROM ranking WHERE flagged
),
believed AS (
    SELECT
        score_id,
        n,
        strength,
        CASE
            WHEN probability IS NOT NULL THEN coalesce(
                1 / (1 + exp(-greatest(least($slope * (strength - $even), 30), -30))), probability
            )
        END AS probability
    FROM pattern_scores
),
uncertain AS (
    SELECT
        score_id,
        strength,
        probability,
        sum(n) OVER (
            ORDER BY abs(probability - 0.5), score_id ROWS UNBOUNDED PRECEDING
        ) - n AS before
    FROM believed
),
near AS (
    SELECT
        r.a_id,
        r.b_id,
        r.rowid + 1 AS rank,
        u.strength,
        u.probability,
        coalesce(
            u.probability * (1 - u.probability)
            / count(*) OVER (PARTITION BY round(2 * u.strength)),
            1 / (4 + abs(r.rowid + 1 - f.n))
        ) AS doubt
    FROM ranking AS r
    JOIN uncertain AS u USING (score_id)
    CROSS JOIN flagged AS f
    WHERE CASE
        WHEN u.probability IS NULL THEN abs(r.rowid + 1 - f.n) <= $most
        ELSE u.before < $most
    END
    LIMIT 2 * $most
),
named AS (
    SELECT
        x.host AS host_a,
        y.host AS host_b,
        k.rank,
        k.probability,
        k.strength,
        k.doubt * ln(2 + least(a.n_urls, b.n_urls)) AS worth
    FROM near AS k
    JOIN hosts AS x ON x.host_id = k.a_id
    JOIN hosts AS y ON y.host_id = k.b_id
    JOIN host_stats AS a ON a.host_id = k.a_id
    JOIN host_stats AS b ON b.host_id = k.b_id
),
answers AS (
    SELECT host, count(*) AS n
    FROM (SELECT host_a AS host FROM decisions UNION ALL SELECT host_b FROM decisions)
    GROUP BY host
),
undecided AS (
    -- The pairs of the greatest ln(u) / worth, with u uniform, are such a draw.
    SELECT
        n.*,
        ln((hash(n.host_a || ' ' || n.host_b) + 1.0) / 2.0 ** 64)
        * (1 + coalesce(p.n, 0)) * (1 + coalesce(q.n, 0)) / n.worth AS turn
    FROM named AS n
    LEFT JOIN answers AS p ON p.host = n.host_a
    LEFT JOIN answers AS q ON q.host = n.host_b
    ANTI JOIN decisions AS d ON d.host_a = n.host_a AND d.host_b = n.host_b
    ANTI JOIN skipped AS s ON s.host_a = n.host_a AND s.host_b = n.host_b
    WHERE n.host_a NOT IN (SELECT host FROM pins WHERE pin = 'never')
        AND n.host_b NOT IN (SELECT host FROM pins WHERE pin = 'never')
),
of_hosts AS (
    FROM undecided
    QUALIFY row_number() OVER (PARTITION BY host_a ORDER BY turn DESC, rank) = 1
        AND row_number() OVER (PARTITION BY host_b ORDER BY turn DESC, rank) = 1
)
SELECT host_a, host_b, rank, probability, strength
FROM of_hosts
ORDER BY turn DESC, rank
LIMIT $n;
