-- Review queue: undecided pairs that are in doubt, drawn by their worth.
--
-- A pair's worth is p (1 - p), with p its probability, times the logarithm of the fewer URLs of its
-- two hosts. Under method paper, nearness to the last flagged rank takes the place of p (1 - p).
-- Only the $most pairs nearest to one half (or to that rank) are read. Of these pairs are drawn,
-- each as likely as its worth: so the answers speak for all that are in doubt, and not for the
-- largest hosts alone. The draw goes by the names of the hosts. A host comes once in a batch, so
-- that one farm does not fill it.
-- Source: docs/drops.md#review; Efraimidis and Spirakis (2006), "Weighted random sampling with a
-- reservoir".
-- NULL probability = method paper.
--
-- reads: ranking, pattern_scores, host_stats, hosts, decisions, pins, skipped (host_a, host_b)
-- writes: none
-- parameters: most, n

-- name: queue
WITH flagged AS (
    SELECT count(*) AS n FROM ranking WHERE flagged
),
uncertain AS (
    SELECT
        score_id,
        probability,
        sum(n) OVER (
            ORDER BY abs(probability - 0.5), score_id ROWS UNBOUNDED PRECEDING
        ) - n AS before
    FROM pattern_scores
),
near AS (
    SELECT
        r.a_id,
        r.b_id,
        r.rowid + 1 AS rank,
        u.probability,
        coalesce(
            u.probability * (1 - u.probability),
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
        k.doubt * ln(2 + least(a.n_urls, b.n_urls)) AS worth
    FROM near AS k
    JOIN hosts AS x ON x.host_id = k.a_id
    JOIN hosts AS y ON y.host_id = k.b_id
    JOIN host_stats AS a ON a.host_id = k.a_id
    JOIN host_stats AS b ON b.host_id = k.b_id
),
undecided AS (
    -- The pairs of the greatest ln(u) / worth, with u uniform, are such a draw.
    SELECT
        n.*,
        ln((hash(n.host_a || ' ' || n.host_b) + 1.0) / 2.0 ** 64) / n.worth AS turn
    FROM named AS n
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
SELECT host_a, host_b, rank, probability
FROM of_hosts
ORDER BY turn DESC, rank
LIMIT $n;
