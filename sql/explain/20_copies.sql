-- Copies of one host: its candidate pairs, what each has of its pages and where, who was first.
--
-- `it` is the other host of a pair, `own` the host that is asked about.
-- A page of the one host is a page of the other where the contents are equal, as the last detection
-- compared them. Where the path of the page of `it` ends with the path of the page of `own`, what
-- stands before is the folder. Where more pages stand together below a folder of `it` under other
-- names, that is the folder: the deepest that has all of them. It has half of the pages of `it` at
-- most: else it is that site itself.
-- same_home: both show the same at '/', which is the first of all paths.
-- Mail at the domain of the other host: a copy keeps the address of the site that it was made from.
-- NULL probability = method paper; first_seen = no time known.
--
-- reads: replicas, left_out, hosts, page_urls, near_contents, links, outlinks, urls, superseded,
--   pins, identifiers
-- writes: paired_hosts, own_contents, its_contents
-- parameters: host, host_id, most_urls

-- name: at_domain
-- Whether a mail address is at a registered domain or below it.
CREATE OR REPLACE TEMP MACRO at_domain(name, domain) AS
    name = domain OR ends_with(name, '.' || domain);

-- name: paired_hosts
CREATE TEMP TABLE paired_hosts AS
WITH pairs AS (
    SELECT *, host_b AS it FROM replicas WHERE host_a = $host
    UNION ALL
    SELECT *, host_a FROM replicas WHERE host_b = $host
)
SELECT h.host_id AS it_id, p.* FROM pairs AS p JOIN hosts AS h ON h.host = p.it;

-- name: own_contents
CREATE TEMP TABLE own_contents AS
SELECT
    coalesce(n.fingerprint_kind, u.fingerprint_kind) AS kind,
    coalesce(n.fingerprint, u.fingerprint) AS content,
    count(*) AS n,
    list_slice(list(u.path ORDER BY u.path), 1, $most_urls) AS paths
FROM page_urls AS u
LEFT JOIN near_contents AS n USING (url_id)
WHERE u.host_id = $host_id AND coalesce(n.fingerprint, u.fingerprint) IS NOT NULL
GROUP BY ALL;

-- name: its_contents
-- A content that stands at many URLs of either host tells of no folder: most_urls of each are
-- compared, so the comparison is bounded.
CREATE TEMP TABLE its_contents AS
SELECT
    u.host_id AS it_id,
    o.n AS own_pages,
    count(*) AS its_pages,
    o.paths AS own_paths,
    list_slice(list(u.path ORDER BY u.path), 1, $most_urls) AS its_paths
FROM page_urls AS u
LEFT JOIN near_contents AS n USING (url_id)
JOIN own_contents AS o
    ON o.content = coalesce(n.fingerprint, u.fingerprint)
    AND o.kind = coalesce(n.fingerprint_kind, u.fingerprint_kind)
WHERE u.host_id IN (SELECT it_id FROM paired_hosts)
GROUP BY u.host_id, o.kind, o.content, o.n, o.paths;

-- name: pages
-- Those of the host that is asked about.
SELECT count(*) FROM page_urls WHERE host_id = $host_id;

-- name: copies
WITH sizes AS (
    SELECT host_id, count(*) AS pages
    FROM page_urls
    WHERE host_id IN (SELECT it_id FROM paired_hosts)
    GROUP BY host_id
),
counted AS (
    SELECT
        it_id,
        sum(own_pages)::BIGINT AS own_pages,
        sum(its_pages)::BIGINT AS its_pages,
        count(*) FILTER (list_has_any(own_paths, its_paths)) AS at_same_paths,
        bool_or(own_paths[1] = '/' AND its_paths[1] = '/') AS same_home
    FROM its_contents
    GROUP BY it_id
),
placed AS (
    SELECT DISTINCT it_id, own, left(its, length(its) - length(own)) AS folder
    FROM (
        SELECT it_id, own, unnest(its_paths) AS its
        FROM (SELECT it_id, its_paths, unnest(own_paths) AS own FROM its_contents)
    )
    WHERE ends_with(its, own) AND length(its) > length(own)
),
moved AS (
    SELECT
        it_id,
        own_paths[1] AS own,
        unnest(list_filter(its_paths, lambda p: NOT list_contains(own_paths, p))) AS its
    FROM its_contents
),
below AS (
    SELECT DISTINCT
        it_id,
        own,
        unnest(list_transform(
            range(2, least(len(parts), 10)), lambda k: array_to_string(parts[1:k], '/')
        )) AS folder
    FROM (SELECT *, string_split(split_part(its, '?', 1), '/') AS parts FROM moved)
),
folders AS (
    SELECT it_id, folder, count(*) AS n, true AS with_path FROM placed GROUP BY ALL
    UNION ALL
    SELECT it_id, folder, count(*), false FROM below GROUP BY ALL
),
best_of_each AS (
    SELECT
        it_id,
        with_path,
        arg_max(folder, (n, if(with_path, -1, 1) * length(folder), folder)) AS folder,
        max(n) AS n
    FROM folders
    GROUP BY it_id, with_path
),
held_below AS (
    SELECT b.it_id, count(*) AS pages
    FROM best_of_each AS b
    JOIN page_urls AS u ON u.host_id = b.it_id AND starts_with(u.path, b.folder || '/')
    WHERE NOT b.with_path
    GROUP BY b.it_id
),
best AS (
    SELECT
        b.it_id,
        arg_max(b.folder, (b.n, b.with_path)) AS folder,
        max(b.n) AS in_folder
    FROM best_of_each AS b
    JOIN sizes AS z ON z.host_id = b.it_id
    LEFT JOIN held_below AS h ON h.it_id = b.it_id
    WHERE b.with_path OR h.pages * 2 <= z.pages
    GROUP BY b.it_id
),
said AS (
    SELECT
        if(from_host = $host, to_host, from_host) AS it,
        count(*) FILTER (to_host = $host) AS names_own,
        count(*) FILTER (from_host = $host) AS own_names
    FROM links
    WHERE (from_host = $host) <> (to_host = $host)
    GROUP BY ALL
),
own_domain AS (
    SELECT domain FROM hosts WHERE host_id = $host_id
),
its_mail AS (
    SELECT DISTINCT i.host_id AS it_id
    FROM identifiers AS i
    JOIN own_domain AS d ON at_domain(split_part(i.value, '@', 2), d.domain)
    WHERE i.kind = 'mail'
),
own_mail AS (
    SELECT DISTINCT array_to_string(parts[k:], '.') AS domain
    FROM (
        SELECT string_split(split_part(value, '@', 2), '.') AS parts
        FROM identifiers
        WHERE kind = 'mail' AND host_id = $host_id
    ), range(1, 10) AS from_part(k)
    WHERE k <= len(parts)
)
SELECT
    p.it AS host,
    p.rank,
    p.probability,
    p.flagged,
    p.kind,
    p.obvious,
    coalesce(c.own_pages, 0) AS own_pages,
    coalesce(c.its_pages, 0) AS its_pages,
    coalesce(c.at_same_paths, 0) AS at_same_paths,
    coalesce(c.same_home, false) AS same_home,
    coalesce(z.pages, 0) AS pages,
    b.folder,
    coalesce(b.in_folder, 0) AS in_folder,
    coalesce(s.names_own, 0) AS names_own,
    coalesce(s.own_names, 0) AS own_names,
    h.domain <> d.domain AND h.host_id IN (FROM its_mail) AS its_mail_is_own,
    h.domain <> d.domain AND h.domain IN (FROM own_mail) AS own_mail_is_its,
    p.ip4,
    p.path_overlap,
    p.title_overlap,
    p.containment,
    l.kind AS left_out,
    coalesce(h.domain = d.domain, false) AS same_domain,
    p.it IN (SELECT host FROM pins WHERE pin = 'keep') AS pinned
FROM paired_hosts AS p
JOIN hosts AS h ON h.host_id = p.it_id
CROSS JOIN own_domain AS d
LEFT JOIN sizes AS z ON z.host_id = p.it_id
LEFT JOIN counted AS c USING (it_id)
LEFT JOIN best AS b USING (it_id)
LEFT JOIN said AS s ON s.it = p.it
LEFT JOIN left_out AS l
    ON l.a_id = if(p.it < $host, p.it_id, $host_id)
    AND l.b_id = if(p.it < $host, $host_id, p.it_id)
ORDER BY p.rank;

-- name: seen
-- When each host was first captured, and how many others link to it.
WITH asked AS (
    SELECT host_id, host FROM hosts WHERE host_id = $host_id
    UNION
    SELECT it_id, it FROM paired_hosts
),
captures AS (
    SELECT host_id, fetched_at FROM urls
    UNION ALL
    SELECT host_id, fetched_at FROM superseded
),
first AS (
    SELECT host_id, min(fetched_at) AS first_seen
    FROM captures
    SEMI JOIN asked USING (host_id)
    GROUP BY host_id
),
linking AS (
    SELECT a.host_id, count(DISTINCT o.host_id) AS n
    FROM outlinks AS o
    JOIN asked AS a ON a.host = o.to_host AND a.host_id <> o.host_id
    GROUP BY a.host_id
)
SELECT
    a.host,
    strftime(f.first_seen, '%Y-%m-%d') AS first_seen,
    coalesce(l.n, 0) AS linked_from
FROM asked AS a
LEFT JOIN first AS f USING (host_id)
LEFT JOIN linking AS l USING (host_id);
