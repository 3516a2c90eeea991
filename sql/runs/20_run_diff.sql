-- Run diff: the pairs of hosts that one of two detections flags and the other does not, and why.
--
-- The reason is the first of these that differs: what a person has decided since; hosts that came
-- or went; their pages; whether the pair is a candidate; what it shares; then the settings that say
-- something of pairs, the same for all. Where none of these differs, other pairs changed what this
-- pair's evidence weighs, or where flags begin. A decision that was taken back leaves no trace.
-- NULL: no reason is stored, no candidate of that detection, or of a published method
-- (probability).
--
-- reads: run_pairs, run_hosts, decisions, pins, turned, dropped, members, held, hosts
-- writes: turned, dropped
-- parameters: before, after, settings

-- name: turned
CREATE OR REPLACE TEMP TABLE turned AS
SELECT host_a, host_b, bool_or(run = $after) AS now
FROM run_pairs
WHERE flagged AND run IN ($before, $after)
GROUP BY host_a, host_b
HAVING count(*) = 1;

-- name: diff
WITH named AS (
    SELECT host_a AS host FROM turned
    UNION
    SELECT host_b FROM turned
),
sizes AS (
    SELECT
        host,
        max(urls) FILTER (run = $before) AS before,
        max(urls) FILTER (run = $after) AS after
    FROM run_hosts
    SEMI JOIN named USING (host)
    WHERE run IN ($before, $after)
    GROUP BY host
),
grown AS (
    SELECT
        host,
        CASE
            WHEN before IS NULL THEN host || ' is new'
            WHEN after IS NULL THEN host || ' is gone'
            WHEN before <> after
                THEN 'URLs of ' || host || ' ' || before || ' -> ' || after
        END AS why
    FROM sizes
),
never AS (
    SELECT host, 'decided: never ' || host AS why FROM pins WHERE pin = 'never'
),
pairs AS (
    SELECT run_pairs.*
    FROM run_pairs
    SEMI JOIN turned USING (host_a, host_b)
    WHERE run IN ($before, $after)
),
compared AS (
    SELECT
        t.host_a,
        t.host_b,
        t.now,
        x.probability AS probability_before,
        y.probability AS probability_after,
        x.rank AS rank_before,
        y.rank AS rank_after,
        x.shared AS shared_before,
        y.shared AS shared_after,
        nullif(concat_ws(
            '; ',
            CASE WHEN d.replica = t.now THEN 'decided' END,
            if(t.now, NULL, n.why),
            if(t.now, NULL, m.why),
            a.why,
            b.why,
            CASE
                WHEN x.run IS NULL THEN 'no candidate before'
                WHEN y.run IS NULL THEN 'no candidate any more'
                WHEN x.shared <> y.shared THEN 'shared ' || x.shared || ' -> ' || y.shared
            END,
            $settings
        ), '') AS reason
    FROM turned AS t
    LEFT JOIN pairs AS x ON x.run = $before AND x.host_a = t.host_a AND x.host_b = t.host_b
    LEFT JOIN pairs AS y ON y.run = $after AND y.host_a = t.host_a AND y.host_b = t.host_b
    LEFT JOIN grown AS a ON a.host = t.host_a
    LEFT JOIN grown AS b ON b.host = t.host_b
    LEFT JOIN decisions AS d ON d.host_a = t.host_a AND d.host_b = t.host_b
    LEFT JOIN never AS n ON n.host = t.host_a
    LEFT JOIN never AS m ON m.host = t.host_b
)
SELECT
    if(now, 'now flagged', 'no longer flagged') AS change,
    host_a,
    host_b,
    probability_before,
    probability_after,
    coalesce(
        reason,
        if(
            coalesce(probability_before = probability_after, true),
            'as likely as before: where flags begin has moved, or a decision was taken back',
            'its own pages are as they were: others, or answers to review, changed what they '
            'weigh, or a decision was taken back'
        )
    ) AS reason,
    shared_before,
    shared_after,
    rank_before,
    rank_after
FROM compared
ORDER BY now DESC, greatest(probability_before, probability_after) DESC NULLS LAST, host_a, host_b;

-- name: dropped
-- Each host that one of the two drops, with the host kept in its place.
CREATE OR REPLACE TEMP TABLE dropped AS
SELECT
    host,
    max(canonical_host) FILTER (run = $before) AS kept_before,
    max(canonical_host) FILTER (run = $after) AS kept_after
FROM run_hosts
WHERE run IN ($before, $after) AND host <> canonical_host
GROUP BY host;

-- name: hosts
-- With what is stored of it: why the other is kept, or why the drop is held back, by the current
-- detection alone. Of a host that is no longer dropped, and not held back: what was decided of it,
-- that it is gone, or that the two are no longer flagged.
WITH stored AS (
    SELECT m.host_id, k.host || ' is kept: ' || m.kept_because AS why
    FROM members AS m
    JOIN hosts AS k ON k.host_id = m.canonical_id
    WHERE m.host_id <> m.canonical_id
    UNION ALL
    SELECT host_id, why FROM held
)
SELECT
    CASE
        WHEN d.kept_before IS NULL THEN 'now dropped'
        WHEN d.kept_after IS NULL THEN 'no longer dropped'
        ELSE 'for another host'
    END AS change,
    d.host,
    d.kept_before AS canonical_before,
    d.kept_after AS canonical_after,
    nullif(concat_ws(
        ': ',
        CASE
            WHEN x.kept_before = d.host OR y.kept_after = d.host THEN 'the two changed places'
        END,
        CASE
            WHEN s.why IS NOT NULL OR d.kept_after IS NOT NULL THEN s.why
            WHEN p.pin = 'keep' AND $after = 'current' THEN 'decided: it is to be kept'
            WHEN p.pin = 'never' AND $after = 'current' THEN 'decided: it is never to be flagged'
            WHEN r.host IS NULL THEN 'it is gone'
            WHEN q.host IS NULL THEN d.kept_before || ' is gone'
            WHEN t.host_a IS NOT NULL THEN 'no longer flagged with ' || d.kept_before
        END
    ), '') AS reason
FROM dropped AS d
LEFT JOIN dropped AS x ON x.host = d.kept_after
LEFT JOIN dropped AS y ON y.host = d.kept_before
LEFT JOIN hosts AS h ON h.host = d.host
LEFT JOIN stored AS s ON s.host_id = h.host_id AND $after = 'current'
LEFT JOIN pins AS p ON p.host = d.host
LEFT JOIN run_hosts AS r ON r.run = $after AND r.host = d.host
LEFT JOIN run_hosts AS q ON q.run = $after AND q.host = d.kept_before
LEFT JOIN turned AS t
    ON t.host_a = least(d.host, d.kept_before)
    AND t.host_b = greatest(d.host, d.kept_before)
    AND NOT t.now
WHERE coalesce(d.kept_before <> d.kept_after, true)
ORDER BY d.kept_before IS NOT NULL, d.kept_after IS NOT NULL, d.host;

-- name: counts
SELECT
    (SELECT count(*) FROM run_pairs WHERE run = $after AND flagged) AS flagged,
    (SELECT count(*) FROM turned WHERE now) AS now_flagged,
    (SELECT count(*) FROM turned WHERE NOT now) AS no_longer_flagged,
    count(*) FILTER (kept_after IS NOT NULL) AS dropped,
    count(*) FILTER (kept_before IS NULL) AS now_dropped,
    count(*) FILTER (kept_after IS NULL) AS no_longer_dropped,
    count(*) FILTER (kept_before <> kept_after) AS for_another_host
FROM dropped;
