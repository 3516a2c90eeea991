-- Stored decisions: listed, digested, taken back.
--
-- Source: docs/drops.md#decided.
-- NULL note = none was given; NULL host_b in a list = the row is about one host.
--
-- reads: decisions, pins, hosts, members, held
-- writes: decisions, pins
-- parameters: a, b, given, most

-- name: listed
-- In the shape of a file of decisions, which `label` reads.
SELECT host_a, host_b, CASE WHEN replica THEN 'replica' ELSE 'no replica' END AS label, note,
       decided_at, source
FROM decisions
UNION ALL
SELECT host, NULL, pin, note, decided_at, source FROM pins
ORDER BY host_a, host_b NULLS FIRST;

-- name: digest
-- Of what binds a detection; '' where nothing was decided.
SELECT coalesce(sha256(string_agg(line, chr(10) ORDER BY line)), '')
FROM (
    SELECT host_a || chr(9) || host_b || chr(9) || replica
        || chr(9) || (source IN ('review', 'check')) AS line
    FROM decisions
    UNION ALL
    SELECT host || chr(9) || pin FROM pins
);

-- name: removed_pair
DELETE FROM decisions WHERE host_a = $a AND host_b = $b RETURNING host_a;

-- name: removed_pin
DELETE FROM pins WHERE host = $a RETURNING host;

-- name: nearest
-- The name most like the given one, whether with www or without.
SELECT host
FROM hosts
ORDER BY
    greatest(
        jaro_winkler_similarity(host, $given),
        jaro_winkler_similarity(
            regexp_replace(host, '^www[0-9]*[.]', ''), regexp_replace($given, '^www[0-9]*[.]', '')
        )
    ) DESC,
    host
LIMIT 1;

-- name: apart_in_one_group
-- Pairs decided to be no replicas that the last detection has in one group.
SELECT count(*)
FROM decisions AS d
JOIN hosts AS a ON a.host = d.host_a
JOIN hosts AS b ON b.host = d.host_b
JOIN members AS x ON x.host_id = a.host_id
JOIN members AS y ON y.host_id = b.host_id AND y.group_id = x.group_id
WHERE NOT d.replica;

-- name: replicas_never_flagged
-- Pairs decided to be replicas of which a host is never to be flagged, and how many rows there are.
WITH ends AS (
    SELECT host_a, host_b, host_a AS host FROM decisions WHERE replica
    UNION ALL
    SELECT host_a, host_b, host_b FROM decisions WHERE replica
)
SELECT e.host_a, e.host_b, e.host, count(*) OVER () AS n
FROM ends AS e
SEMI JOIN (SELECT host FROM pins WHERE pin = 'never') AS p ON p.host = e.host
ORDER BY e.host_a, e.host_b, e.host
LIMIT $most;
