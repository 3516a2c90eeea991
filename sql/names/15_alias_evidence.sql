-- Alias evidence: what is known of each pair of names, at equal paths, by links, and by detection.
--
-- Of both names the newest capture at each path is compared, and the contents of older ones and of
-- those at another scheme or port: a page that both had once is the same. Newest ones that lie more
-- than $most_days apart and differ say nothing. A title that either host has on most of its
-- different pages counts as none. Links from one to the other are counted by path.
-- Of rules redirects and canonical no pages are compared: what name_b says of its own is counted.
-- keep = the one of the two that the other is dropped for; NULL = neither is.
-- targets = different pages of the other that canonical links of name_b name.
-- not_compared = equal paths with other contents of which neither titles nor lengths tell anything.
-- Source: docs/drops.md#aliases.
-- NULL content, length, title = unknown; NULL probability = the detection did not compare the two.
--
-- reads: page_urls, superseded, earlier_captures, newest_links (functions/75_newest_said), hosts,
--   ranking, pattern_scores, decided, members, near_contents_now, alias_names, alias_pairs,
--   alias_sides
-- writes: none
-- parameters: by_host, detected, close_percent, most_days

-- name: of_every_site
-- Paths that nearly every site has: that both of two have them says nothing.
CREATE OR REPLACE TEMP MACRO of_every_site(path) AS
    regexp_full_match(path, '/(robots\.txt|favicon\.ico|sitemap\.xml)?');

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
        u.length,
        u.fetched_at
    FROM page_urls AS u
    LEFT JOIN near_contents_now AS n USING (url_id)
    JOIN alias_sides AS s USING (origin_id)
    WHERE s.rule <> 'canonical'
    QUALIFY row_number() OVER (
        PARTITION BY s.pair_id, s.side, u.path_hash
        ORDER BY u.fetched_at DESC NULLS LAST, u.url_id
    ) = 1
),
of_hosts AS (  -- noqa: ST03
    SELECT url_id, host_id, path_hash, title AS title_text, title_hash AS title, content_hash
    FROM page_urls
    WHERE host_id IN (SELECT host_id FROM held)
),
-- fill: replicadb.web.own_titles.ctes(of_hosts)
-- fill: replicadb.web.own_titles.site_wide(of_hosts)
titled AS (
    SELECT h.*, t.own, w.title IS NOT NULL AS of_site
    FROM held AS h
    LEFT JOIN own_titles AS t USING (url_id)
    LEFT JOIN site_wide AS w ON w.host_id = h.host_id AND w.title = h.title
),
replaced AS (
    SELECT origin_id, path_hash, content_hash FROM superseded WHERE asset IS NOT true
    UNION ALL
    SELECT origin_id, path_hash(path), content_hash
    FROM earlier_captures
    SEMI JOIN page_urls USING (origin_id, path)
),
several AS (  -- names of which the crawl has several schemes or ports
    SELECT pair_id, side FROM alias_sides GROUP BY pair_id, side HAVING count(*) > 1
),
of_paths AS (
    SELECT s.pair_id, s.side, o.path_hash, o.content_hash AS content
    FROM replaced AS o
    JOIN alias_sides AS s USING (origin_id)
    WHERE s.rule <> 'canonical' AND o.content_hash IS NOT NULL
    UNION ALL
    SELECT s.pair_id, s.side, u.path_hash, coalesce(
        content_hash(n.fingerprint_kind, n.fingerprint), u.content_hash
    ) AS content
    FROM page_urls AS u
    LEFT JOIN near_contents_now AS n USING (url_id)
    JOIN alias_sides AS s USING (origin_id)
    JOIN several AS o ON o.pair_id = s.pair_id AND o.side = s.side
    WHERE s.rule <> 'canonical' AND content IS NOT NULL
),
earlier AS (
    SELECT pair_id, side, path_hash, list(DISTINCT content) AS contents
    FROM of_paths
    GROUP BY ALL
),
dated AS (
    SELECT
        t.*,
        list_filter(
            list_append(coalesce(e.contents, []), t.content), lambda content: content IS NOT NULL
        ) AS contents
    FROM titled AS t
    LEFT JOIN earlier AS e USING (pair_id, side, path_hash)
),
compared AS (
    SELECT
        x.pair_id,
        x.path_hash,
        CASE
            WHEN list_has_any(x.contents, y.contents) THEN true
            WHEN x.content IS NOT NULL AND y.content IS NOT NULL THEN false
        END AS same,
        abs(date_diff('day', x.fetched_at, y.fetched_at)) > $most_days AS years_apart,
        coalesce(
            titles_alike(if(x.of_site OR y.of_site, NULL, x.title), y.title, x.own, y.own),
            abs(x.length - y.length) * 100
            <= $close_percent * nullif(greatest(x.length, y.length), 0),
            if(x.title <> y.title, false, NULL)
        ) AS alike
    FROM dated AS x
    JOIN dated AS y ON y.pair_id = x.pair_id AND y.path_hash = x.path_hash
    WHERE x.side = 0 AND y.side = 1
),
linked AS (
    SELECT
        kind,
        regexp_extract(from_url, '^https?://[^/?#]+') AS from_origin,
        regexp_extract(to_url, '^https?://[^/?#]+') AS to_origin,
        from_url,
        to_url
    FROM newest_links()
),
linked_origins AS (
    SELECT DISTINCT from_origin, to_origin FROM linked WHERE from_origin <> to_origin
),
facing AS (  -- a pair of origins at a time, and only those that link: a name may have many ports
    SELECT DISTINCT x.pair_id, l.from_origin, l.to_origin
    FROM linked_origins AS l
    JOIN alias_sides AS x ON x.origin = l.from_origin
    JOIN alias_sides AS y
        ON y.pair_id = x.pair_id AND y.side <> x.side AND y.origin = l.to_origin
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
    SELECT DISTINCT s.pair_id, s.rule, s.origin, p.name_a
    FROM alias_sides AS s
    JOIN alias_pairs AS p USING (pair_id)
    WHERE s.rule IN ('redirects', 'canonical')
),
leads AS (  -- a row a link, of names that say themselves whose they are
    SELECT
        x.pair_id,
        substr(l.from_url, len(l.from_origin) + 1) AS path,
        substr(l.to_url, len(l.to_origin) + 1) AS to_path
    FROM linked AS l
    JOIN leaders AS x ON x.origin = l.from_origin
    WHERE (
        x.rule = 'redirects' AND l.kind = 'redirect' AND x.name_a = name_of(l.to_url)
    ) OR (
        x.rule = 'canonical' AND l.kind = 'canonical'
        AND without_www(x.name_a) = without_www(name_of(l.to_url))
    )
),
led AS (
    SELECT
        pair_id,
        path_hash(path) AS path_hash,
        bool_or(path = to_path AND NOT of_every_site(path)) AS at_same_path
    FROM leads
    GROUP BY ALL
),
targeted AS (
    SELECT pair_id, count(DISTINCT to_path) AS targets FROM leads GROUP BY pair_id
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
            WHEN c.years_apart THEN NULL
            WHEN c.alike IS NULL THEN 'not compared'
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
        count(*) FILTER (outcome = 'not compared') AS not_compared,
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
        d.a_id IS NOT NULL AS decided,
        CASE
            WHEN m.host_id IS NOT NULL THEN y.host
            WHEN n.host_id IS NOT NULL THEN x.host
        END AS keep
    FROM alias_pairs AS p
    JOIN hosts AS x ON x.host = least(p.name_a, p.name_b)
    JOIN hosts AS y ON y.host = greatest(p.name_a, p.name_b)
    LEFT JOIN ranking AS r ON r.a_id = x.host_id AND r.b_id = y.host_id
    LEFT JOIN pattern_scores AS s USING (score_id)
    LEFT JOIN decided AS d ON d.a_id = x.host_id AND d.b_id = y.host_id
    LEFT JOIN members AS m ON m.host_id = x.host_id AND m.canonical_id = y.host_id
    LEFT JOIN members AS n ON n.host_id = y.host_id AND n.canonical_id = x.host_id
    WHERE
        $detected
        AND ($by_host OR p.rule = 'none')
        AND (r.a_id IS NOT NULL OR d.a_id IS NOT NULL)
)
SELECT
    p.rule,
    p.name_a,
    p.name_b,
    l.probability AS detected,
    coalesce(l.flagged, false) AS flagged,
    coalesce(l.decided, false) AS decided,
    p.mutual,
    p.share,
    l.keep,
    coalesce(if(p.rule IN ('redirects', 'canonical'), t.pages, z.pages_a), 0) AS pages_a,
    coalesce(z.pages_b, 0) AS pages_b,
    coalesce(c.paths, 0) AS paths,
    coalesce(c.same, 0) AS same,
    coalesce(c.alike, 0) AS alike,
    coalesce(c.unlike, 0) AS unlike,
    coalesce(c.not_compared, 0) AS not_compared,
    coalesce(c.named, 0) AS named,
    coalesce(c.agree, 0) AS agree,
    coalesce(g.targets, 0) AS targets
FROM alias_pairs AS p
LEFT JOIN counted AS c USING (pair_id)
LEFT JOIN sized AS z USING (pair_id)
LEFT JOIN targeted AS g USING (pair_id)
LEFT JOIN placed AS l USING (pair_id)
LEFT JOIN lead_to AS t ON t.host_name = p.name_a
ORDER BY p.pair_id;
