-- Copies of hosts: their candidate pairs, what each other host has of their pages and where, and
-- who was first.
--
-- `own` is a host that is asked about, `it` the other host of a pair. Many are asked about at once:
-- a row is of one own, or of one pair of it.
-- A page of the one host is a page of the other where the contents are equal, as the last detection
-- compared them. Where the path of the page of `it` ends with the path of the page of `own`, what
-- stands before is the folder. Where more pages stand together below a folder of `it` under other
-- names, that is the folder: the deepest that has all of them. It has half of the pages of `it` at
-- most: else it is that site itself.
-- same_home: both show the same at '/', which is the first of all paths.
-- Mail at the domain of the other host: a copy keeps the address of the site that it was made from.
-- NULL probability = method paper; first_seen = no time known.
--
-- reads: found_pairs (rows of pairs), ranking, replicas, decided, left_out, hosts, page_urls,
--   near_contents_now, newest_links (functions/75_newest_said), outlinks, urls, superseded,
--   earlier_captures, files_without_earlier, pins, identifiers, mass_copies
-- writes: asked_hosts, paired_hosts, page_contents_compared, own_paths, own_contents, its_contents,
--   same_paths
-- parameters: hosts, most_urls

-- name: asked_hosts
CREATE TEMP TABLE asked_hosts AS
SELECT host_id AS own_id, host AS own, domain AS own_domain
FROM hosts
WHERE host IN (SELECT unnest($hosts::VARCHAR[]));

-- name: counts
-- Cost before work: the candidate pairs of each host, which is the size of all that follows.
WITH sides AS (
    SELECT unnest([a_id, b_id]) AS own_id FROM ranking
)
SELECT a.own, count(s.own_id) AS candidates
FROM asked_hosts AS a
LEFT JOIN sides AS s USING (own_id)
GROUP BY a.own
ORDER BY a.own;

-- name: pairs
-- The candidate pairs of many hosts: to find those of one reads as much as to find those of all.
-- Names are compared with a list, which DuckDB does before it joins what the view joins.
WITH pairs AS (
    SELECT *, host_a AS own, host_b AS it
    FROM replicas
    WHERE list_contains($hosts::VARCHAR[], host_a)
    UNION ALL
    SELECT *, host_b, host_a
    FROM replicas
    WHERE list_contains($hosts::VARCHAR[], host_b)
)
SELECT own, it, rank, probability, flagged, kind, obvious, shared, ip4, path_overlap,
       title_overlap, containment
FROM pairs;

-- name: paired_hosts
-- Those of the hosts that are asked about together.
CREATE TEMP TABLE paired_hosts AS
SELECT a.own_id, a.own_domain, h.host_id AS it_id, h.domain AS it_domain, p.*
FROM found_pairs AS p
JOIN asked_hosts AS a USING (own)
JOIN hosts AS h ON h.host = p.it;

-- name: page_contents_compared
-- Each page with its content as it was compared. NULL content = unknown.
CREATE OR REPLACE TEMP VIEW page_contents_compared AS
SELECT
    u.host_id,
    u.path,
    coalesce(n.fingerprint_kind, u.fingerprint_kind) AS kind,
    coalesce(n.fingerprint, u.fingerprint) AS content
FROM page_urls AS u
LEFT JOIN near_contents_now AS n USING (url_id);

-- name: own_paths
-- Beside each path stands at how many origins (schemes and ports) of the host it has the content.
CREATE TEMP TABLE own_paths AS
SELECT host_id AS own_id, kind, content, path, count(*) AS n
FROM page_contents_compared
WHERE host_id IN (SELECT own_id FROM asked_hosts) AND content IS NOT NULL
GROUP BY host_id, kind, content, path;

-- name: own_contents
CREATE TEMP TABLE own_contents AS
SELECT
    own_id,
    kind,
    content,
    sum(n)::BIGINT AS n,
    list_slice(list(path ORDER BY path), 1, $most_urls) AS paths,
    list_slice(list(n ORDER BY path), 1, $most_urls) AS at_each
FROM own_paths
GROUP BY own_id, kind, content;

-- name: its_contents
-- A content that stands at many URLs of either host tells of no folder: most_urls of each are
-- compared, so the comparison is bounded.
CREATE TEMP TABLE its_contents AS
WITH at_its AS (
    SELECT
        host_id AS it_id,
        kind,
        content,
        count(*) AS n,
        list_slice(list(DISTINCT path ORDER BY path), 1, $most_urls) AS paths
    FROM page_contents_compared
    SEMI JOIN own_contents USING (kind, content)
    WHERE host_id IN (SELECT it_id FROM paired_hosts)
    GROUP BY host_id, kind, content
)
SELECT p.own_id, p.it_id, o.kind, o.content, o.n AS own_pages, i.n AS its_pages,
       o.paths AS own_paths, o.at_each, i.paths AS its_paths
FROM paired_hosts AS p
JOIN own_contents AS o USING (own_id)
JOIN at_its AS i ON i.it_id = p.it_id AND i.content = o.content AND i.kind = o.kind;

-- name: same_paths
-- Pages of the one that stand at the same paths of the other, at however many.
CREATE TEMP TABLE same_paths AS
WITH its_paths AS (
    SELECT DISTINCT host_id AS it_id, kind, content, path
    FROM page_contents_compared
    SEMI JOIN own_paths USING (kind, content, path)
    WHERE host_id IN (SELECT it_id FROM paired_hosts)
)
SELECT p.own_id, p.it_id, sum(o.n)::BIGINT AS n
FROM paired_hosts AS p
JOIN own_paths AS o USING (own_id)
JOIN its_paths AS i
    ON i.it_id = p.it_id AND i.kind = o.kind AND i.content = o.content AND i.path = o.path
GROUP BY p.own_id, p.it_id;

-- name: asked
-- The hosts that are asked about, and their pages.
SELECT a.own_id, a.own AS host, count(u.url_id) AS pages
FROM asked_hosts AS a
LEFT JOIN page_urls AS u ON u.host_id = a.own_id
GROUP BY a.own_id, a.own
ORDER BY a.own_id;

-- name: copies
WITH sizes AS (
    SELECT host_id, count(*) AS pages
    FROM page_urls
    WHERE host_id IN (SELECT it_id FROM paired_hosts)
    GROUP BY host_id
),
counted AS (
    SELECT
        own_id,
        it_id,
        sum(own_pages)::BIGINT AS own_pages,
        sum(its_pages)::BIGINT AS its_pages,
        bool_or(own_paths[1] = '/' AND its_paths[1] = '/') AS same_home
    FROM its_contents
    GROUP BY own_id, it_id
),
placed AS (
    SELECT own_id, it_id, n, left(its, length(its) - length(own)) AS folder
    FROM (
        SELECT own_id, it_id, own, n, unnest(its_paths) AS its
        FROM (
            SELECT own_id, it_id, its_paths, unnest(own_paths) AS own, unnest(at_each) AS n
            FROM its_contents
        )
    )
    WHERE ends_with(its, own) AND length(its) > length(own)
),
moved AS (
    SELECT
        own_id,
        it_id,
        kind,
        content,
        at_each[1] AS n,
        unnest(list_filter(its_paths, lambda p: NOT list_contains(own_paths, p))) AS its
    FROM its_contents
),
below AS (
    SELECT DISTINCT
        own_id,
        it_id,
        kind,
        content,
        n,
        unnest(list_transform(
            range(2, least(len(parts), 10)), lambda k: array_to_string(parts[1:k], '/')
        )) AS folder
    FROM (SELECT *, string_split(split_part(its, '?', 1), '/') AS parts FROM moved)
),
folders AS (
    SELECT own_id, it_id, folder, sum(n)::BIGINT AS n, true AS with_path
    FROM placed
    GROUP BY own_id, it_id, folder
    UNION ALL
    SELECT own_id, it_id, folder, sum(n)::BIGINT, false
    FROM below
    GROUP BY own_id, it_id, folder
),
best_of_each AS (
    SELECT
        own_id,
        it_id,
        with_path,
        arg_max(folder, (n, if(with_path, -1, 1) * length(folder), folder)) AS folder,
        max(n) AS n
    FROM folders
    GROUP BY own_id, it_id, with_path
),
held_below AS (
    SELECT b.own_id, b.it_id, count(*) AS pages
    FROM best_of_each AS b
    JOIN page_urls AS u ON u.host_id = b.it_id AND starts_with(u.path, b.folder || '/')
    WHERE NOT b.with_path
    GROUP BY b.own_id, b.it_id
),
best AS (
    SELECT
        b.own_id,
        b.it_id,
        arg_max(b.folder, (b.n, b.with_path)) AS folder,
        max(b.n) AS in_folder
    FROM best_of_each AS b
    JOIN sizes AS z ON z.host_id = b.it_id
    LEFT JOIN held_below AS h ON h.own_id = b.own_id AND h.it_id = b.it_id
    WHERE b.with_path OR h.pages * 2 <= z.pages
    GROUP BY b.own_id, b.it_id
),
linked_hosts AS (
    SELECT from_host AS own, to_host AS it, false AS by_it
    FROM newest_links()
    WHERE from_host IN (SELECT own FROM asked_hosts)
    UNION ALL
    SELECT to_host, from_host, true
    FROM newest_links()
    WHERE to_host IN (SELECT own FROM asked_hosts)
),
said AS (
    SELECT
        own,
        it,
        count(*) FILTER (by_it) AS names_own,
        count(*) FILTER (NOT by_it) AS own_names
    FROM linked_hosts
    WHERE own <> it
    GROUP BY own, it
),
mail_parts AS (
    SELECT host_id, string_split(split_part(value, '@', 2), '.') AS parts
    FROM identifiers
    WHERE
        kind = 'mail'
        AND host_id IN (SELECT own_id FROM asked_hosts UNION SELECT it_id FROM paired_hosts)
),
mail AS (
    SELECT DISTINCT host_id, array_to_string(parts[k:], '.') AS domain
    FROM mail_parts, range(1, 10) AS from_part(k)
    WHERE k <= len(parts)
)
SELECT
    p.own_id,
    p.it AS host,
    p.rank,
    p.probability,
    p.flagged,
    p.kind,
    p.obvious,
    p.shared,
    coalesce(d.replica, false) AS decided,
    coalesce(c.own_pages, 0) AS own_pages,
    coalesce(c.its_pages, 0) AS its_pages,
    coalesce(e.n, 0) AS at_same_paths,
    coalesce(c.same_home, false) AS same_home,
    coalesce(z.pages, 0) AS pages,
    b.folder,
    coalesce(b.in_folder, 0) AS in_folder,
    coalesce(s.names_own, 0) AS names_own,
    coalesce(s.own_names, 0) AS own_names,
    p.it_domain <> p.own_domain AND (p.it_id, p.own_domain) IN (FROM mail) AS its_mail_is_own,
    p.it_domain <> p.own_domain AND (p.own_id, p.it_domain) IN (FROM mail) AS own_mail_is_its,
    p.ip4,
    p.path_overlap,
    p.title_overlap,
    p.containment,
    l.kind AS left_out,
    coalesce(p.it_domain = p.own_domain, false) AS same_domain,
    p.it IN (SELECT host FROM pins WHERE pin = 'keep') AS pinned
FROM paired_hosts AS p
LEFT JOIN sizes AS z ON z.host_id = p.it_id
LEFT JOIN counted AS c USING (own_id, it_id)
LEFT JOIN same_paths AS e USING (own_id, it_id)
LEFT JOIN best AS b USING (own_id, it_id)
LEFT JOIN said AS s ON s.own = p.own AND s.it = p.it
LEFT JOIN left_out AS l
    ON l.a_id = if(p.it < p.own, p.it_id, p.own_id)
    AND l.b_id = if(p.it < p.own, p.own_id, p.it_id)
LEFT JOIN decided AS d
    ON d.a_id = if(p.it < p.own, p.it_id, p.own_id)
    AND d.b_id = if(p.it < p.own, p.own_id, p.it_id)
ORDER BY p.own_id, p.rank;

-- name: earlier_unknown
-- Files with captures of a host or of its copies of which earlier captures are not known.
WITH shown AS (
    SELECT own_id, own_id AS host_id FROM asked_hosts
    UNION
    SELECT own_id, it_id FROM paired_hosts
),
captures AS (
    SELECT host_id, source_id FROM urls
    UNION ALL
    SELECT host_id, source_id FROM superseded
)
SELECT s.own_id, count(DISTINCT f.source_id) AS files, min(f.source) AS example
FROM files_without_earlier() AS f
JOIN captures AS c USING (source_id)
JOIN shown AS s USING (host_id)
GROUP BY s.own_id;

-- name: mass_copies
-- How many others may be copies of each host by pages that stand on too many hosts, but for those
-- that it was compared with and those decided about. A host may be of two groups: of its own, and
-- of one that is larger.
WITH alike AS (
    SELECT like_host, host FROM mass_copies
    UNION
    SELECT like_host, like_host FROM mass_copies
),
grouped AS (
    SELECT
        a.like_host,
        a.host,
        h.host_id,
        h.host_id NOT IN (SELECT unnest([a_id, b_id]) FROM decided) AS undecided
    FROM alike AS a
    JOIN hosts AS h USING (host)
),
asked AS (
    SELECT
        like_host,
        host,
        host_id,
        count(*) FILTER (undecided) OVER (PARTITION BY like_host) - undecided::INTEGER AS others
    FROM grouped
    QUALIFY list_contains($hosts::VARCHAR[], host)
),
sides AS (
    SELECT a_id AS own_id, b_id AS it_id FROM ranking
    UNION ALL
    SELECT b_id, a_id FROM ranking
),
compared AS (
    SELECT a.like_host, a.host, count(*) AS pairs
    FROM asked AS a
    JOIN sides AS s ON s.own_id = a.host_id
    JOIN grouped AS g ON g.like_host = a.like_host AND g.host_id = s.it_id
    WHERE g.undecided
    GROUP BY ALL
)
SELECT a.host, sum(a.others - coalesce(c.pairs, 0))::BIGINT AS others
FROM asked AS a
LEFT JOIN compared AS c USING (like_host, host)
GROUP BY a.host;

-- name: seen
-- When each host was first captured, and how many others link to it.
WITH shown AS (
    SELECT own_id AS host_id, own AS host FROM asked_hosts
    UNION
    SELECT it_id, it FROM paired_hosts
),
captures AS (
    SELECT host_id, fetched_at FROM urls
    UNION ALL
    SELECT host_id, fetched_at FROM superseded
    UNION ALL
    SELECT host_id, first AS fetched_at FROM earlier_captures
),
first AS (
    SELECT host_id, min(fetched_at) AS first_seen
    FROM captures
    SEMI JOIN shown USING (host_id)
    GROUP BY host_id
),
linking AS (
    SELECT a.host_id, count(DISTINCT o.host_id) AS n
    FROM outlinks AS o
    JOIN shown AS a ON a.host = o.to_host AND a.host_id <> o.host_id
    GROUP BY a.host_id
)
SELECT
    a.host,
    strftime(f.first_seen, '%Y-%m-%d') AS first_seen,
    coalesce(l.n, 0) AS linked_from
FROM shown AS a
LEFT JOIN first AS f USING (host_id)
LEFT JOIN linking AS l USING (host_id);
