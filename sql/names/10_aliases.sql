-- Aliases: names that tools fold by rule, and replicas that no rule folds, with what both have at
-- equal paths.
--
-- A name is a host name with its schemes and ports, as URLs and redirects wrote them. Names of one
-- key fold together. Each is compared with the first of its key: the bare name, else www, else the
-- one with most pages. A port is compared with the same name's own origin, and http with https. So
-- there are as many pairs as names, and pages are read once a pair.
-- Rules: www, www+digits (what SURT takes away), mobile (m., mobile., wap., amp.), scheme, port.
-- Rule redirects has old names: neither the name nor one that folds with it has a page, and all
-- that it redirects to other names goes to one, which has pages.
-- Rule none has the pairs flagged by the last detection, each host with its likeliest replicas.
-- Source: docs/method.md#aliases.
-- NULL content, length, title = unknown; NULL probability = the detection did not compare the two.
--
-- reads: origins, page_urls, links, hosts, ranking, pattern_scores, decided, near_contents,
--   alias_names, alias_pairs, alias_sides
-- writes: alias_names, alias_pairs, alias_sides
-- parameters: by_host, detected, host_id, name, close_percent

-- name: name_of
-- The host name of a URL, without its port.
CREATE OR REPLACE TEMP MACRO name_of(url) AS
    regexp_extract(url, '^https?://(\[[^]]*\]|[^/:?#]+)', 1);

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
        sum(pages) OVER (PARTITION BY key) AS of_key,
        first_value(host_name) OVER same AS head
    FROM names
    WINDOW same AS (
        PARTITION BY key
        ORDER BY prefix = '' DESC, prefix = 'www' DESC, pages DESC, host_name
    )
),
by_name AS (
    SELECT
        CASE
            WHEN prefix = 'www' THEN 'www'
            WHEN starts_with(prefix, 'www') THEN 'www+digits'
            ELSE 'mobile'
        END AS rule,
        head AS name_a,
        host_name AS name_b
    FROM headed
    WHERE host_name <> head
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
    WHERE h.of_key = 0 AND h.head = h.host_name AND n.key IS DISTINCT FROM h.key
    GROUP BY l.host_name
    HAVING count(*) = 1 AND max(n.pages) > 0
),
flagged AS (
    SELECT
        r.a_id,
        r.b_id,
        r.rowid AS place,
        row_number() OVER (PARTITION BY r.a_id ORDER BY r.rowid) AS of_a,
        row_number() OVER (PARTITION BY r.b_id ORDER BY r.rowid) AS of_b
    FROM ranking AS r
    WHERE r.flagged AND $detected
),
unfolded AS (
    SELECT DISTINCT 'none' AS rule, a.host AS name_a, b.host AS name_b
    FROM flagged AS f
    JOIN hosts AS a ON a.host_id = f.a_id
    JOIN hosts AS b ON b.host_id = f.b_id
    LEFT JOIN names AS x ON x.host_name = a.host
    LEFT JOIN names AS y ON y.host_name = b.host
    WHERE least(f.of_a, f.of_b) = 1 AND x.key IS DISTINCT FROM y.key
),
every AS (
    FROM by_name
    UNION ALL
    FROM by_origin
    UNION ALL
    FROM by_redirects
    UNION ALL
    FROM unfolded
),
wanted AS (
    SELECT unnest([host_name, origin]) AS name
    FROM alias_names
    WHERE host_id = $host_id OR host_name = $name
    UNION
    SELECT host FROM hosts WHERE host_id = $host_id
)
SELECT row_number() OVER (ORDER BY rule, name_a, name_b) AS pair_id, *
FROM every
WHERE $name IS NULL OR name_a IN (FROM wanted) OR name_b IN (FROM wanted);

-- name: of_every_site
-- Paths that nearly every site has: that both of two have them says nothing.
CREATE OR REPLACE TEMP MACRO of_every_site(path) AS
    regexp_full_match(path, '/(robots\.txt|favicon\.ico|sitemap\.xml)?');

-- name: alias_sides
-- The origins of either side of a pair. Of rule redirects those of the old name alone: it has no
-- page to compare, and a host that a thousand names lead to would be read a thousand times.
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
WHERE s.rule NOT IN ('scheme', 'port', 'none') AND NOT (s.rule = 'redirects' AND s.side = 0)
UNION ALL
SELECT s.pair_id, s.side, s.rule, n.origin_id, n.origin, n.pages
FROM sides AS s
JOIN hosts AS h ON h.host = s.name
JOIN alias_names AS n ON n.host_id = h.host_id
WHERE s.rule = 'none';

-- name: cost
-- Before the work: pairs, pages that are read, names, and names of one scheme and port alone.
SELECT
    (SELECT count(*) FROM alias_pairs) AS pairs,
    (SELECT coalesce(sum(pages), 0) FROM alias_sides)::BIGINT AS pages,
    (SELECT count(DISTINCT host_name) FROM alias_names) AS names,
    (
        SELECT count(*)
        FROM (SELECT host_name FROM alias_names GROUP BY host_name HAVING count(*) = 1)
    ) AS seen_one_way;

-- name: evidence
WITH held AS (
    SELECT
        s.pair_id,
        s.side,
        u.path_hash,
        coalesce(content_hash(n.fingerprint_kind, n.fingerprint), u.content_hash) AS content,
        u.url_id,
        u.host_id,
        u.title_hash AS title,
        u.length
    FROM page_urls AS u
    LEFT JOIN near_contents AS n USING (url_id)
    JOIN alias_sides AS s USING (origin_id)
    QUALIFY row_number() OVER (
        PARTITION BY s.pair_id, s.side, u.path_hash
        ORDER BY u.fetched_at DESC NULLS LAST, u.url_id
    ) = 1
),
of_hosts AS (  -- noqa: ST03
    SELECT url_id, host_id, path_hash, title AS title_text
    FROM page_urls
    WHERE host_id IN (SELECT host_id FROM held)
),
-- fill: replicadb.store.own_titles.ctes(of_hosts)
titled AS (
    SELECT h.*, t.own FROM held AS h LEFT JOIN own_titles AS t USING (url_id)
),
compared AS (
    SELECT
        x.pair_id,
        x.path_hash,
        x.content = y.content AS same,
        coalesce(
            titles_alike(x.title, y.title, x.own, y.own),
            x.length > 0 AND y.length > 0
            AND abs(x.length - y.length) * 100 <= $close_percent * greatest(x.length, y.length),
            false
        ) AS alike
    FROM titled AS x
    JOIN titled AS y ON y.pair_id = x.pair_id AND y.path_hash = x.path_hash
    WHERE x.side = 0 AND y.side = 1
),
linked AS (
    SELECT
        kind,
        regexp_extract(from_url, '^https?://[^/?#]+') AS from_origin,
        regexp_extract(to_url, '^https?://[^/?#]+') AS to_origin,
        from_url,
        to_url
    FROM links
),
facing AS (  -- a pair of origins at a time, since one may stand in a thousand pairs
    SELECT DISTINCT x.pair_id, x.origin AS from_origin, y.origin AS to_origin
    FROM alias_sides AS x
    JOIN alias_sides AS y ON y.pair_id = x.pair_id AND y.side <> x.side
    WHERE x.origin <> y.origin
),
named AS (
    SELECT
        f.pair_id,
        path_hash(substr(l.from_url, len(l.from_origin) + 1)) AS path_hash,
        bool_or(
            substr(l.from_url, len(l.from_origin) + 1) = substr(l.to_url, len(l.to_origin) + 1)
        ) AS at_same_path
    FROM linked AS l
    JOIN facing AS f USING (from_origin, to_origin)
    GROUP BY ALL
),
leaders AS (
    SELECT DISTINCT s.pair_id, s.origin, p.name_a
    FROM alias_sides AS s
    JOIN alias_pairs AS p USING (pair_id)
    WHERE s.rule = 'redirects'
),
led AS (
    SELECT
        x.pair_id,
        path_hash(substr(l.from_url, len(l.from_origin) + 1)) AS path_hash,
        bool_or(
            substr(l.from_url, len(l.from_origin) + 1) = substr(l.to_url, len(l.to_origin) + 1)
            AND NOT of_every_site(substr(l.from_url, len(l.from_origin) + 1))
        ) AS at_same_path
    FROM linked AS l
    JOIN leaders AS x ON x.origin = l.from_origin AND x.name_a = name_of(l.to_url)
    WHERE l.kind = 'redirect'
    GROUP BY ALL
),
at_paths AS (
    SELECT
        pair_id,
        path_hash,
        c.pair_id IS NOT NULL AS common,
        coalesce(c.same, false) AS same,
        n.pair_id IS NOT NULL AS leads,
        CASE
            WHEN coalesce(c.same, false) OR coalesce(n.at_same_path, false) THEN 'agree'
            WHEN c.same IS NULL THEN NULL
            WHEN c.alike THEN 'alike'
            ELSE 'unlike'
        END AS outcome
    FROM compared AS c
    FULL JOIN (FROM named UNION ALL FROM led) AS n USING (pair_id, path_hash)
),
counted AS (
    SELECT
        pair_id,
        count(*) FILTER (common) AS paths,
        count(*) FILTER (same) AS same,
        count(*) FILTER (outcome = 'alike') AS alike,
        count(*) FILTER (outcome = 'unlike') AS unlike,
        count(*) FILTER (leads) AS named,
        count(*) FILTER (outcome = 'agree') AS agree
    FROM at_paths
    GROUP BY pair_id
),
sized AS (
    SELECT
        pair_id,
        sum(pages) FILTER (side = 0)::BIGINT AS pages_a,
        sum(pages) FILTER (side = 1)::BIGINT AS pages_b
    FROM alias_sides
    GROUP BY pair_id
),
lead_to AS (
    SELECT host_name, sum(pages)::BIGINT AS pages FROM alias_names GROUP BY host_name
),
placed AS (
    SELECT
        p.pair_id,
        coalesce(r.flagged, false) AS flagged,
        coalesce(d.probability, d.replica::INTEGER::DOUBLE, s.probability) AS probability,
        d.a_id IS NOT NULL AS decided
    FROM alias_pairs AS p
    JOIN hosts AS x ON x.host = least(p.name_a, p.name_b)
    JOIN hosts AS y ON y.host = greatest(p.name_a, p.name_b)
    LEFT JOIN ranking AS r ON r.a_id = x.host_id AND r.b_id = y.host_id
    LEFT JOIN pattern_scores AS s USING (score_id)
    LEFT JOIN decided AS d ON d.a_id = x.host_id AND d.b_id = y.host_id
    WHERE $detected AND $by_host AND (r.a_id IS NOT NULL OR d.a_id IS NOT NULL)
)
SELECT
    p.rule,
    p.name_a,
    p.name_b,
    l.probability AS detected,
    coalesce(l.flagged, false) AS flagged,
    coalesce(l.decided, false) AS decided,
    coalesce(if(p.rule = 'redirects', t.pages, z.pages_a), 0) AS pages_a,
    coalesce(z.pages_b, 0) AS pages_b,
    coalesce(c.paths, 0) AS paths,
    coalesce(c.same, 0) AS same,
    coalesce(c.alike, 0) AS alike,
    coalesce(c.unlike, 0) AS unlike,
    coalesce(c.named, 0) AS named,
    coalesce(c.agree, 0) AS agree
FROM alias_pairs AS p
LEFT JOIN counted AS c USING (pair_id)
LEFT JOIN sized AS z USING (pair_id)
LEFT JOIN placed AS l USING (pair_id)
LEFT JOIN lead_to AS t ON t.host_name = p.name_a
ORDER BY p.pair_id;
