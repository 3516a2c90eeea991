-- What hosts say of who runs them, for one pair and for all that share something with one host.
--
-- The fewer hosts have a value, the more it tells; pictures, which tell of a look, come last. No
-- language: it tells of no owner.
-- Source: docs/method.md#identifiers.
--
-- reads: identifiers, host_identifiers, hosts
-- writes: none
-- parameters: low, high, host_id, rare, most

-- name: of_pair
WITH both_say AS (
    SELECT
        kind,
        value,
        sum(pages) FILTER (host_id = $low)::BIGINT AS pages_a,
        sum(pages) FILTER (host_id = $high)::BIGINT AS pages_b
    FROM host_identifiers
    WHERE host_id IN ($low, $high) AND kind <> 'language'
    GROUP BY kind, value
    HAVING count(DISTINCT host_id) = 2
)
SELECT
    b.kind,
    b.value,
    count(DISTINCT i.host_id) AS hosts,
    b.pages_a,
    b.pages_b,
    count(*) OVER () AS n
FROM both_say AS b
JOIN host_identifiers AS i ON i.kind = b.kind AND i.value = b.value
GROUP BY b.kind, b.value, b.pages_a, b.pages_b
ORDER BY b.kind IN ('favicon', 'image'), hosts, b.kind, b.value
LIMIT $most;

-- name: of_host
-- Accounts, addresses and wallets that $rare hosts at most have; of each other host the three
-- rarest. A value is on $rare hosts, so rows are $rare times those of the host at most.
WITH own AS (
    SELECT DISTINCT kind, value
    FROM identifiers
    WHERE host_id = $host_id AND kind NOT IN ('language', 'server', 'tls')
),
rare AS (
    SELECT kind, value, count(DISTINCT host_id) AS hosts
    FROM identifiers
    SEMI JOIN own USING (kind, value)
    GROUP BY kind, value
    HAVING hosts BETWEEN 2 AND $rare
),
shared AS (
    SELECT DISTINCT i.host_id, r.kind, r.value, r.hosts
    FROM rare AS r
    JOIN identifiers AS i USING (kind, value)
    WHERE i.host_id <> $host_id
)
SELECT
    h.host,
    min(s.hosts) AS fewest,
    count(*) AS n,
    list({'kind': s.kind, 'value': s.value, 'hosts': s.hosts}
         ORDER BY s.hosts, s.kind, s.value)[:3] AS identifiers
FROM shared AS s
JOIN hosts AS h USING (host_id)
GROUP BY h.host
ORDER BY fewest, n DESC, h.host
LIMIT $most;
