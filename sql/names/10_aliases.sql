-- Aliases: names that tools fold by rule, names that lead to others, replicas that no rule folds.
--
-- A name is a host name with its schemes and ports, as URLs and redirects wrote them. Names of one
-- key fold together. Their first is the bare name, else www, else the one with most pages. Up to
-- $most_folded names of a key are compared each with each. Of more, each is compared with the
-- first, and where detection flagged two of them, each with its likeliest replica. A port is
-- compared with the same name's own origin, and http with https. So the number of pairs is bounded
-- by that of names, and pages are read once a pair.
-- Rules: www, www+digits (what SURT takes away), mobile (m., mobile., wap., amp.), scheme, port.
-- Rule redirects has old names: neither the name nor one that folds with it has a page, and all
-- that it redirects to other names goes to one, which has pages.
-- Rule canonical has names of which most pages, and at least $least_named, name pages of one other
-- name by rel=canonical. Spellings of that name with and without www count as one. share: of
-- its pages. mutual: so does the other, and the pair is here once.
-- Rule none has the pairs flagged by the last detection, each host with its likeliest replicas. Its
-- names are sites, also under --site domain, where a site need not be a name.
-- Source: docs/drops.md#aliases.
--
-- reads: origins, page_urls, superseded, earlier_captures, links, hosts, ranking, alias_names,
--   newest_links (functions/75_newest_said), alias_pairs, alias_sides
-- writes: alias_names, alias_pairs, alias_sides
-- parameters: detected, host_id, name, most_folded, least_named

-- name: name_of
-- The host name of a URL, without its port.
CREATE OR REPLACE TEMP MACRO name_of(url) AS
    regexp_extract(url, '^https?://(\[[^]]*\]|[^/:?#]+)', 1);

-- name: without_www
CREATE OR REPLACE TEMP MACRO without_www(name) AS regexp_replace(name, '^www\.([^.]+\.)', '\1');

-- name: alias_names
-- Origins with their pages; one that only redirects has none. key: what a rule folds a name to.
CREATE TEMP TABLE alias_names AS
WITH held AS (
    SELECT origin_id, count(*) AS pages FROM page_urls GROUP BY origin_id
),
redirecting AS (
    SELECT DISTINCT regexp_extract(from_url, '^https?://[^/?#]+') AS origin
    FROM links
    WHERE kind = 'redirect'
),
seen AS (
    SELECT o.origin_id, o.origin, o.host_name, o.host_id, coalesce(h.pages, 0) AS pages
    FROM origins AS o
    LEFT JOIN held AS h USING (origin_id)
    UNION ALL
    SELECT
        NULL,
        r.origin,
        name_of(r.origin),
        NULL,
        0
    FROM redirecting AS r
    ANTI JOIN origins AS o USING (origin)
    WHERE r.origin <> ''
),
parted AS (
    SELECT
        *,
        split_part(origin, '://', 1) AS scheme,
        regexp_extract(origin, ':([0-9]+)$', 1) AS port,
        regexp_extract(
            host_name, '^(www[0-9]*|m|mobile|wap|amp)\.([^.]+\.[^.].*)$', ['prefix', 'rest']
        ) AS cut
    FROM seen
)
SELECT
    * EXCLUDE (cut),
    cut.prefix AS prefix,
    if(cut.prefix = '', host_name, cut.rest) AS key
FROM parted;

-- name: alias_pairs
CREATE TEMP TABLE alias_pairs AS
WITH names AS (
    SELECT
        host_name,
        any_value(key) AS key,
        any_value(prefix) AS prefix,
        sum(pages) AS pages
    FROM alias_names
    GROUP BY host_name
),
headed AS (
    SELECT
        *,
        CASE
            WHEN prefix NOT IN ('', 'www') AND NOT starts_with(prefix, 'www') THEN 3
            WHEN prefix NOT IN ('', 'www') THEN 2
            ELSE 1
        END AS kind,
        sum(pages) OVER (PARTITION BY key) AS of_key,
        count(*) OVER (PARTITION BY key) AS folded,
        row_number() OVER same AS place
    FROM names
    WINDOW same AS (
        PARTITION BY key
        ORDER BY prefix = '' DESC, prefix = 'www' DESC, pages DESC, host_name
    )
),
likeliest AS (  -- of each flagged host
    SELECT a.host AS host_a, b.host AS host_b
    FROM (
        SELECT
            r.a_id,
            r.b_id,
            row_number() OVER (PARTITION BY r.a_id ORDER BY r.rowid) AS of_a,
            row_number() OVER (PARTITION BY r.b_id ORDER BY r.rowid) AS of_b
        FROM ranking AS r
        WHERE r.flagged AND $detected
    ) AS f
    JOIN hosts AS a ON a.host_id = f.a_id
    JOIN hosts AS b ON b.host_id = f.b_id
    WHERE least(f.of_a, f.of_b) = 1
),
folding AS (
    SELECT x.host_name AS name_a, y.host_name AS name_b, greatest(x.kind, y.kind) AS kind
    FROM headed AS x
    JOIN headed AS y ON y.key = x.key AND y.place > x.place
    WHERE x.place = 1 OR x.folded <= $most_folded
    UNION
    SELECT
        if(x.place < y.place, x.host_name, y.host_name),
        if(x.place < y.place, y.host_name, x.host_name),
        greatest(x.kind, y.kind)
    FROM likeliest AS f
    JOIN headed AS x ON x.host_name = f.host_a
    JOIN headed AS y ON y.host_name = f.host_b AND y.key = x.key
),
by_name AS (
    SELECT ['www', 'www+digits', 'mobile'][kind] AS rule, name_a, name_b FROM folding
),
ports AS (
    SELECT
        *,
        first_value(origin) OVER (
            PARTITION BY host_name
            ORDER BY port IS NULL DESC, scheme = 'https' DESC, port::INTEGER, origin
        ) AS head
    FROM (SELECT * REPLACE (nullif(port, '') AS port) FROM alias_names)
),
by_origin AS (
    SELECT 'port' AS rule, head AS name_a, origin AS name_b
    FROM ports
    WHERE port IS NOT NULL AND origin <> head
    UNION ALL
    SELECT 'scheme', x.origin, y.origin
    FROM alias_names AS x
    JOIN alias_names AS y USING (host_name)
    WHERE x.scheme = 'http' AND y.scheme = 'https' AND x.port = '' AND y.port = ''
),
led AS (
    SELECT name_of(from_url) AS host_name, name_of(to_url) AS to_name
    FROM links
    WHERE kind = 'redirect'
    GROUP BY ALL
),
by_redirects AS (
    SELECT 'redirects' AS rule, any_value(l.to_name) AS name_a, l.host_name AS name_b
    FROM led AS l
    JOIN headed AS h USING (host_name)
    LEFT JOIN headed AS n ON n.host_name = l.to_name
    WHERE h.of_key = 0 AND h.place = 1 AND n.key IS DISTINCT FROM h.key
    GROUP BY l.host_name
    HAVING count(*) = 1 AND max(n.pages) > 0
),
said AS (  -- a row a page and a name that it names
    SELECT DISTINCT
        name_of(from_url) AS host_name,
        name_of(to_url) AS to_name,
        regexp_extract(from_url, '^https?://[^/?#]+(.*)$', 1) AS path
    FROM newest_links()
    WHERE kind = 'canonical' AND split_part(from_url, '/', 3) <> split_part(to_url, '/', 3)
),
mostly_said AS (
    SELECT
        host_name,
        without_www(to_name) AS to_key,
        list(DISTINCT to_name) AS to_names,
        count(DISTINCT path) AS naming
    FROM said
    WHERE host_name <> to_name
    GROUP BY host_name, to_key
    HAVING naming >= $least_named
    QUALIFY row_number() OVER (PARTITION BY host_name ORDER BY naming DESC, to_key) = 1
),
known_paths AS (
    SELECT n.host_name, count(DISTINCT u.path_hash) AS paths
    FROM page_urls AS u
    JOIN alias_names AS n USING (origin_id)
    WHERE n.host_name IN (SELECT host_name FROM mostly_said)
    GROUP BY n.host_name
),
named AS (
    SELECT n.host_name AS name_a, m.host_name AS name_b, m.naming / k.paths AS share
    FROM mostly_said AS m
    JOIN known_paths AS k USING (host_name)
    JOIN names AS n ON without_www(n.host_name) = m.to_key
    JOIN names AS o ON o.host_name = m.host_name
    WHERE 2 * m.naming > k.paths AND n.pages > 0 AND n.key <> o.key
    QUALIFY row_number() OVER (
        PARTITION BY m.host_name
        ORDER BY list_contains(m.to_names, n.host_name) DESC, n.pages DESC, n.host_name
    ) = 1
),
by_canonical AS (
    SELECT 'canonical' AS rule, n.*, o.name_a IS NOT NULL AS mutual
    FROM named AS n
    LEFT JOIN named AS o ON o.name_a = n.name_b AND o.name_b = n.name_a
    WHERE o.name_a IS NULL OR n.name_a < n.name_b
),
unfolded AS (
    SELECT 'none' AS rule, f.host_a AS name_a, f.host_b AS name_b
    FROM likeliest AS f
    LEFT JOIN names AS x ON x.host_name = f.host_a
    LEFT JOIN names AS y ON y.host_name = f.host_b
    ANTI JOIN by_canonical AS c
        ON least(c.name_a, c.name_b) = least(f.host_a, f.host_b)
        AND greatest(c.name_a, c.name_b) = greatest(f.host_a, f.host_b)
    WHERE coalesce(x.key, f.host_a) <> coalesce(y.key, f.host_b)
),
every AS (
    FROM by_canonical
    UNION ALL BY NAME
    FROM by_name
    UNION ALL BY NAME
    FROM by_origin
    UNION ALL BY NAME
    FROM by_redirects
    UNION ALL BY NAME
    FROM unfolded
),
wanted AS (
    SELECT unnest([host_name, origin]) AS name
    FROM alias_names
    WHERE host_id = $host_id OR host_name = $name
    UNION
    SELECT host FROM hosts WHERE host_id = $host_id
)
SELECT
    row_number() OVER (ORDER BY rule, name_a, name_b) AS pair_id,
    * REPLACE (coalesce(mutual, false) AS mutual)
FROM every
WHERE $name IS NULL OR name_a IN (FROM wanted) OR name_b IN (FROM wanted);

-- name: alias_sides
-- The origins of either side of a pair. Of rules redirects and canonical those of name_b alone: a
-- host that a thousand names lead to would be read a thousand times.
CREATE TEMP TABLE alias_sides AS
WITH sides AS (
    SELECT pair_id, rule, unnest([0, 1]) AS side, unnest([name_a, name_b]) AS name
    FROM alias_pairs
)
SELECT s.pair_id, s.side, s.rule, n.origin_id, n.origin, n.pages
FROM sides AS s
JOIN alias_names AS n ON n.origin = s.name
WHERE s.rule IN ('scheme', 'port')
UNION ALL
SELECT s.pair_id, s.side, s.rule, n.origin_id, n.origin, n.pages
FROM sides AS s
JOIN alias_names AS n ON n.host_name = s.name
WHERE s.rule IN ('www', 'www+digits', 'mobile')
   OR (s.rule IN ('redirects', 'canonical') AND s.side = 1)
UNION ALL
SELECT s.pair_id, s.side, s.rule, n.origin_id, n.origin, n.pages
FROM sides AS s
JOIN hosts AS h ON h.host = s.name
JOIN alias_names AS n ON n.host_id = h.host_id
WHERE s.rule = 'none';

-- name: cost
-- Before the work: pairs, what is read of either side as often as it is in pairs, names, and those
-- of one scheme and port alone.
WITH compared AS (
    SELECT origin_id FROM alias_sides WHERE rule <> 'canonical'
)
SELECT
    (SELECT count(*) FROM alias_pairs) AS pairs,
    (SELECT coalesce(sum(pages), 0) FROM alias_sides)::BIGINT AS pages,
    (
        (SELECT count(*) FROM superseded JOIN compared USING (origin_id) WHERE asset IS NOT true)
        + (
            SELECT count(*)
            FROM earlier_captures
            JOIN compared USING (origin_id)
            SEMI JOIN page_urls USING (origin_id, path)
        )
    )::BIGINT AS earlier_captures,
    (SELECT count(DISTINCT host_name) FROM alias_names) AS names,
    (
        SELECT count(*)
        FROM (SELECT host_name FROM alias_names GROUP BY host_name HAVING count(*) = 1)
    ) AS seen_one_way,
    (
        SELECT count(*)
        FROM (
            SELECT key
            FROM alias_names
            WHERE key IN (
                SELECT n.key
                FROM alias_names AS n
                JOIN alias_pairs AS p ON p.name_a = n.host_name
                WHERE p.rule IN ('www', 'www+digits', 'mobile')
            )
            GROUP BY key
            HAVING count(DISTINCT host_name) > $most_folded
        )
    ) AS large_groups;
