-- What hosts say of who runs them, for one pair and for all that share something with some
-- hosts (asked_hosts of 20_copies); and the languages of a pair's hosts.
--
-- The fewer hosts have a value, the more it tells; pictures, which tell of a look, come last. No
-- language: it tells of no owner.
-- Source: docs/robust.md#identifiers.
--
-- reads: identifiers, newest_languages, host_identifiers, hosts, asked_hosts, paired_hosts
-- writes: none
-- parameters: low, high, rare, most

-- name: languages
-- The main language of either host, the pages in it, and those that say any.
WITH said AS (
    SELECT host_id, value, n
    FROM newest_languages()
    WHERE host_id IN ($low, $high) AND language_number(value) IS NOT NULL
)
SELECT
    host,
    arg_max(value, (n, value)) AS language,
    max(n)::BIGINT AS pages,
    sum(n)::BIGINT AS spoken
FROM said
JOIN hosts USING (host_id)
GROUP BY host
ORDER BY host;

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

-- name: of_hosts
-- Accounts, addresses and wallets that $rare hosts at most have; of each other host the three
-- rarest. A value is on $rare hosts, so rows are $rare times those of the hosts at most. Of a host
-- as many others as it has candidate pairs, and $most more.
WITH own AS (
    SELECT DISTINCT host_id AS own_id, kind, value
    FROM identifiers
    WHERE
        host_id IN (SELECT own_id FROM asked_hosts)
        AND kind NOT IN ('language', 'server', 'tls')
),
rare AS (
    SELECT kind, value, count(DISTINCT host_id) AS hosts
    FROM identifiers
    SEMI JOIN own USING (kind, value)
    GROUP BY kind, value
    HAVING hosts BETWEEN 2 AND $rare
),
shared AS (
    SELECT DISTINCT o.own_id, i.host_id, r.kind, r.value, r.hosts
    FROM own AS o
    JOIN rare AS r USING (kind, value)
    JOIN identifiers AS i USING (kind, value)
    WHERE i.host_id <> o.own_id
),
of_pairs AS (
    SELECT
        s.own_id,
        h.host,
        min(s.hosts) AS fewest,
        count(*) AS n,
        list({'kind': s.kind, 'value': s.value, 'hosts': s.hosts}
             ORDER BY s.hosts, s.kind, s.value)[:3] AS identifiers
    FROM shared AS s
    JOIN hosts AS h USING (host_id)
    GROUP BY s.own_id, h.host
),
paired AS (
    SELECT own_id, count(*) AS candidates FROM paired_hosts GROUP BY own_id
)
SELECT own_id, host, identifiers
FROM of_pairs
LEFT JOIN paired AS p USING (own_id)
QUALIFY
    row_number() OVER (PARTITION BY own_id ORDER BY fewest, n DESC, host)
    <= coalesce(p.candidates, 0) + $most
ORDER BY own_id, fewest, n DESC, host;
