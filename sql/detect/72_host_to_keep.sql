-- The host to keep: what speaks for keeping a host rather than the others of its group.
--
-- First comes what hosts say themselves: a host names another when most of its canonical links and
-- of its redirects to other hosts lead there. Then come the criteria of --keep. Each is a number;
-- the host with the higher one is kept.
-- Source: docs/drops.md#host-to-keep.
-- NULL oldest or page_at = no time known.
--
-- reads: flagged_pairs (a_id, b_id), newest_links (functions/75_newest_said), hosts, outlinks,
--   host_stats, origins, urls, superseded, later_failures, earlier_captures
-- writes: none
-- parameters: oldest (whether it is asked for), failures (whether any are known)

-- name: named
-- Which flagged host names which other.
WITH said AS (
    SELECT f.host_id, t.host_id AS to_id, count(*) AS n
    FROM newest_links() AS l
    JOIN hosts AS f ON f.host = l.from_host
    LEFT JOIN hosts AS t ON t.host = l.to_host
    WHERE l.kind = 'canonical' OR (l.kind = 'redirect' AND l.from_host <> l.to_host)
    GROUP BY f.host_id, t.host_id
),
whole AS (
    SELECT host_id, sum(n) AS n FROM said GROUP BY host_id
)
SELECT s.host_id, s.to_id
FROM said AS s
JOIN whole AS w USING (host_id)
WHERE 2 * s.n > w.n AND s.to_id <> s.host_id
    AND s.host_id IN (SELECT a_id FROM flagged_pairs UNION ALL SELECT b_id FROM flagged_pairs)
ORDER BY s.host_id;

-- name: criteria
-- links: hosts that link to it and are no copies of it, neither flagged ones nor such that are left
-- out for their kind.
-- answers: after its newest page failed URLs came to less than half of its URLs. A URL that failed
-- in two sources counts twice: which ones failed is not stored.
WITH flagged AS (
    SELECT a_id AS host_id, b_id AS other_id FROM flagged_pairs
    UNION ALL
    SELECT b_id, a_id FROM flagged_pairs
),
grouped AS (
    SELECT DISTINCT host_id FROM flagged
),
failed AS (
    SELECT o.host_id, sum(f.urls) AS urls
    FROM later_failures AS f
    JOIN origins AS o USING (origin)
    JOIN (
        SELECT host_id, max(fetched_at) AS page_at
        FROM urls
        WHERE $failures AND host_id IN (SELECT host_id FROM grouped)
        GROUP BY host_id
    ) AS n USING (host_id)
    WHERE f.since > n.page_at
    GROUP BY o.host_id
),
linking AS (
    SELECT DISTINCT h.host_id, o.host_id AS other_id
    FROM outlinks AS o
    JOIN hosts AS h ON h.host = o.to_host AND h.host_id <> o.host_id
    SEMI JOIN grouped AS g ON g.host_id = h.host_id
),
linked AS (
    SELECT l.host_id, count(*) AS n
    FROM linking AS l
    ANTI JOIN flagged AS f ON f.host_id = l.host_id AND f.other_id = l.other_id
    GROUP BY l.host_id
),
safe AS (
    SELECT DISTINCT host_id FROM origins WHERE starts_with(origin, 'https:')
),
seen AS (
    SELECT host_id, min(fetched_at) AS first
    FROM (
        SELECT host_id, fetched_at FROM urls
        UNION ALL
        SELECT host_id, fetched_at FROM superseded
        UNION ALL
        SELECT host_id, first AS fetched_at FROM earlier_captures
    )
    WHERE $oldest
    GROUP BY host_id
)
SELECT
    g.host_id,
    h.host,
    coalesce(2 * f.urls < s.n_urls, true)::BIGINT AS answers,
    (a.host_id IS NOT NULL)::BIGINT AS https,
    coalesce(l.n, 0)::BIGINT AS links,
    s.n_contents::BIGINT AS contents,
    s.n_urls::BIGINT AS urls,
    is_registered(h.host, h.domain)::BIGINT AS domain,
    starts_with(h.host, 'www.')::BIGINT AS www,
    (NOT starts_with(h.host, 'www.'))::BIGINT AS bare,
    coalesce(-epoch_us(t.first), -9223372036854775807)::BIGINT AS oldest,
    -length(h.host)::BIGINT AS short,
    -s.host_rank::BIGINT AS name
FROM grouped AS g
JOIN hosts AS h USING (host_id)
JOIN host_stats AS s USING (host_id)
LEFT JOIN failed AS f USING (host_id)
LEFT JOIN safe AS a USING (host_id)
LEFT JOIN linked AS l USING (host_id)
LEFT JOIN seen AS t USING (host_id)
ORDER BY s.host_rank;
