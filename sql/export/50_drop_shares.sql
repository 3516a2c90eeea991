-- Drop shares: what a list of hosts to drop takes from the crawl and from each part of it.
-- And which of its drops are worth a look.
--
-- Parts are registered domains, public suffixes, loads and languages. A host that several loads
-- have counts to each, with the URLs of that load, those among them that a newer load has, too. Its
-- language is the one that most of its pages name, where any does. No join makes more rows than
-- there are hosts, or hosts in loads, or older captures.
-- Shares are of what is loaded now, though loads may have come or gone since the detection.
-- Source: docs/drops.md#guard.
-- NULL probability = method paper; NULL domain or suffix (an address) = no such part;
-- NULL label and note = to be filled in.
--
-- reads: dropped (a list as flagged_hosts has it), hosts, urls, superseded, sources, loads,
--   newest_languages (functions/75_newest_said), decided, decisions, pins
-- writes: none
-- parameters: n, assets (whether detection compared other files than pages, too)

-- name: shares
-- outside: of what goes, what no host of the same domain stays for. wiped: of a suffix, language or
-- load of which nothing but that goes, the hosts; of a load those that no load has of which some
-- host stays.
WITH present AS (
    SELECT host_id, count(*) AS n_urls
    FROM urls
    WHERE $assets OR asset IS NOT true
    GROUP BY host_id
),
counted AS (
    SELECT
        s.host_id,
        s.n_urls,
        h.domain,
        h.suffix,
        d.host IS NOT NULL AS goes,
        coalesce(k.domain = h.domain, false) AS within
    FROM present AS s
    JOIN hosts AS h USING (host_id)
    LEFT JOIN dropped AS d ON d.host = h.host
    LEFT JOIN hosts AS k ON k.host = d.canonical_host
),
older AS (
    SELECT DISTINCT c.host_id, s.load_id, c.origin_id, c.path
    FROM superseded AS c
    JOIN sources AS s USING (source_id)
    WHERE $assets OR c.asset IS NOT true
),
captured AS (
    SELECT u.host_id, s.load_id, count(*) AS n
    FROM urls AS u
    JOIN sources AS s USING (source_id)
    WHERE $assets OR u.asset IS NOT true
    GROUP BY u.host_id, s.load_id
    UNION ALL
    SELECT host_id, load_id, count(*) FROM older GROUP BY host_id, load_id
    UNION ALL
    SELECT u.host_id, s.load_id, -count(*)
    FROM urls AS u
    JOIN sources AS s USING (source_id)
    SEMI JOIN older AS w
        ON w.origin_id = u.origin_id AND w.path = u.path AND w.load_id = s.load_id
    WHERE $assets OR u.asset IS NOT true
    GROUP BY u.host_id, s.load_id
),
loaded AS (
    SELECT host_id, load_id, sum(n)::BIGINT AS n_urls FROM captured GROUP BY host_id, load_id
),
left_of AS (
    SELECT
        l.*,
        c.goes,
        c.within,
        bool_and(c.goes AND NOT c.within) OVER (PARTITION BY l.load_id) AS nothing
    FROM loaded AS l
    JOIN counted AS c USING (host_id)
),
spoken AS (
    SELECT host_id, arg_max(value, (n, value)) AS language FROM newest_languages() GROUP BY host_id
),
parts AS (
    SELECT 'crawl' AS part, 'all' AS name, n_urls, goes, within, false AS wiped FROM counted
    UNION ALL
    SELECT 'domain', domain, n_urls, goes, within, false FROM counted WHERE domain IS NOT NULL
    UNION ALL
    SELECT
        'suffix',
        suffix,
        n_urls,
        goes,
        within,
        bool_and(goes AND NOT within) OVER (PARTITION BY suffix)
    FROM counted
    WHERE suffix IS NOT NULL
    UNION ALL
    SELECT 'load', n.name, l.n_urls, l.goes, l.within, bool_and(l.nothing) OVER of_host
    FROM left_of AS l
    JOIN loads AS n USING (load_id)
    WINDOW of_host AS (PARTITION BY l.host_id)
    UNION ALL
    SELECT
        'language',
        p.language,
        c.n_urls,
        c.goes,
        c.within,
        bool_and(c.goes AND NOT c.within) OVER (PARTITION BY p.language)
    FROM counted AS c
    JOIN spoken AS p USING (host_id)
)
SELECT
    part,
    name,
    count(*) AS hosts,
    count(*) FILTER (goes) AS dropped_hosts,
    count(*) FILTER (goes) / count(*) AS share,
    sum(n_urls)::BIGINT AS urls,
    coalesce(sum(n_urls) FILTER (goes), 0)::BIGINT AS dropped_urls,
    count(*) FILTER (goes AND NOT within) AS outside_hosts,
    coalesce(sum(n_urls) FILTER (goes AND NOT within), 0)::BIGINT AS outside_urls,
    count(*) FILTER (wiped) AS wiped_hosts
FROM parts
GROUP BY part, name
HAVING part = 'crawl' OR dropped_hosts > 0
ORDER BY
    list_position(['crawl', 'domain', 'suffix', 'load', 'language'], part),
    share DESC,
    hosts DESC,
    name;

-- name: pinned
SELECT host FROM dropped SEMI JOIN pins USING (host) ORDER BY host;

-- name: decided_to_be_no_replica
SELECT d.host
FROM dropped AS d
JOIN decisions AS k
    ON k.host_a = least(d.host, d.canonical_host) AND k.host_b = greatest(d.host, d.canonical_host)
WHERE NOT k.replica
ORDER BY d.host;

-- name: expected_wrong
SELECT sum(1 - probability) FROM dropped;

-- name: checked
-- Drawn without replacement, each by what a mistake would lose: how likely it is one (a little, at
-- least), times the URLs that would stand nowhere else, and one more. The smallest -ln(u) / weight
-- win (Efraimidis and Spirakis 2006), u from the name, so that the same list gives the same rows.
-- elsewhere counts pages alone; files are those of equal content that the kept host has, too.
WITH files_there AS (
    SELECT d.host, count(*) AS n
    FROM dropped AS d
    JOIN hosts AS x ON x.host = d.host
    JOIN hosts AS y ON y.host = d.canonical_host
    JOIN urls AS u ON u.host_id = x.host_id AND u.asset
    SEMI JOIN urls AS k
        ON k.host_id = y.host_id AND k.content_hash = u.content_hash AND k.asset
    GROUP BY d.host
),
weighed AS (
    SELECT
        d.*,
        CASE
            WHEN d.pages IS NULL THEN d.urls - d.duplicate_urls
            ELSE d.pages - d.elsewhere + greatest(d.urls - d.pages - coalesce(f.n, 0), 0)
        END AS lost_urls,
        (hash64(d.host || '|' || d.canonical_host) % 4294967296 + 1) / 4294967297 AS u
    FROM dropped AS d
    JOIN hosts AS x ON x.host = d.host
    JOIN hosts AS y ON y.host = d.canonical_host
    LEFT JOIN files_there AS f ON f.host = d.host
    ANTI JOIN decided AS k
        ON k.a_id = CASE WHEN x.host < y.host THEN x.host_id ELSE y.host_id END
        AND k.b_id = CASE WHEN x.host < y.host THEN y.host_id ELSE x.host_id END
)
SELECT
    host AS host_a,
    canonical_host AS host_b,
    NULL::VARCHAR AS label,
    NULL::VARCHAR AS note,
    'check' AS source,
    probability,
    urls,
    lost_urls,
    why
FROM weighed
ORDER BY -ln(u) / ((1.001 - coalesce(probability, 0.5)) * (lost_urls + 1)), host
LIMIT $n;
