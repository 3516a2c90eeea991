-- Links: where the pages of one source lead, as links (redirect, canonical: page by page) and
-- outlinks (counted by site).
--
-- A target is a URL in the normal form of urls. A text that starts with ! is no target, and its
-- rest says why (sql/functions/40_link_targets). An ordinary target is its own normal form, so
-- links repeated on a page are equal as they stand. The tables *_parsed have what the WHATWG parser
-- says.
-- Source: RFC 3986, section 5.2; RFC 6596 (canonical). NULL host_id: a page that is not kept.
--
-- reads: captures, current_origins, older_captures, staged, names, redirect_parsed, base_parsed,
--   target_parsed, linking, redirect_queue, redirects, base_pairs, link_bases, page_links,
--   link_groups, page_canonicals, odd_counts
-- writes: linking, redirect_queue, redirects, base_pairs, link_bases, page_links, link_groups,
--   page_canonicals, odd_counts, links, outlinks, link_skips
-- parameters: source_id, site, max_bytes

-- name: linking
-- Captures that lead anywhere; host_id where they are pages that are kept.
CREATE OR REPLACE TEMP TABLE linking AS
SELECT
    c.position,
    c.origin,
    host_of(c.origin) AS host_name,
    substr(c.full_url, strlen(c.origin) + 1) AS path,
    c.redirect,
    c.outcome,
    CASE
        WHEN c.outcome IS NULL
             AND c.position NOT IN (
                 FROM older_captures
                 SELECT position
                 WHERE NOT newer_is_stored AND (
                     speaks_for IS NULL
                     OR speaks_for IN (
                         FROM staged SELECT position WHERE canonical IS NOT NULL)))
        THEN o.host_id
    END AS host_id
FROM captures AS c
LEFT JOIN current_origins AS o
    ON o.origin = c.origin
        || site_segment($site, substr(c.full_url, strlen(c.origin) + 1))
WHERE outcome = 'skip: redirect'
   OR position IN (
       FROM staged SELECT position WHERE links IS NOT NULL OR canonical IS NOT NULL);

-- name: redirect_queue
-- Redirects, each with its URL, a line each.
CREATE OR REPLACE TEMP TABLE redirect_queue AS
SELECT position, origin || path || chr(10) || redirect AS pair
FROM linking
WHERE outcome = 'skip: redirect' AND redirect IS NOT NULL AND origin IS NOT NULL;

-- name: redirects
-- Where they lead.
CREATE OR REPLACE TEMP TABLE redirects AS
SELECT position, origin, host_name, path
FROM redirect_queue
JOIN redirect_parsed USING (pair)
WHERE origin IS NOT NULL;

-- name: base_pairs
-- Pages that name another base for their links, with it: resolved like a redirect.
CREATE OR REPLACE TEMP TABLE base_pairs AS
SELECT position, c.origin || c.path || chr(10) || s.base AS pair
FROM linking AS c
JOIN staged AS s USING (position)
WHERE s.base IS NOT NULL AND c.host_id IS NOT NULL;

-- name: link_bases
CREATE OR REPLACE TEMP TABLE link_bases AS
SELECT
    c.position,
    c.host_id,
    coalesce(b.origin, c.origin) AS origin,
    split_part(coalesce(b.path, c.path), '?', 1) AS own,
    regexp_extract(own, '^(?:.*/)?', 0, 's') AS folder
FROM linking AS c
JOIN staged AS s USING (position)
LEFT JOIN base_pairs AS n USING (position)
LEFT JOIN base_parsed AS b USING (pair)
WHERE c.host_id IS NOT NULL AND (s.links IS NOT NULL OR s.canonical IS NOT NULL);

-- name: page_links
CREATE OR REPLACE TEMP TABLE page_links AS
SELECT
    position,
    b.host_id,
    len(s.links) AS found,
    list_distinct(list_transform(
        list_transform(s.links, lambda h: without_fragment(h)),
        lambda h: link_target(h, b.origin, b.folder, b.own, $max_bytes))) AS targets
FROM link_bases AS b
JOIN staged AS s USING (position)
WHERE s.links IS NOT NULL;

-- name: link_groups
-- The targets of each site. NULL origin: not an ordinary URL, or none.
CREATE OR REPLACE TEMP TABLE link_groups AS
WITH counted AS (
    SELECT host_id, u, count(*)::INTEGER AS pages
    FROM (SELECT host_id, unnest(targets) AS u FROM page_links)
    GROUP BY host_id, u
),
judged AS (
    SELECT *, is_ordinary(u) AS ordinary, split_part(u, '/', 3) AS name FROM counted
)
SELECT
    host_id,
    u,
    pages,
    CASE WHEN ordinary THEN split_part(u, '/', 1) || '//' || name END AS origin,
    CASE WHEN ordinary THEN name END AS host_name,
    CASE WHEN ordinary THEN ordinary_path(u, name) END AS path
FROM judged;

-- name: page_canonicals
CREATE OR REPLACE TEMP TABLE page_canonicals AS
SELECT
    position,
    link_target(without_fragment(s.canonical), b.origin, b.folder, b.own, $max_bytes) AS u
FROM link_bases AS b
JOIN staged AS s USING (position)
WHERE bare(s.canonical) <> '';

-- name: odd_targets
SELECT u
FROM link_groups
WHERE origin IS NULL AND NOT starts_with(u, '!')
UNION
SELECT u
FROM page_canonicals
WHERE NOT starts_with(u, '!') AND NOT is_ordinary(u);

-- name: odd_counts
-- This and the two that follow: only where there are odd targets.
-- Odd targets in their normal form, once a page; not those that the page has as an ordinary one as
-- well.
CREATE OR REPLACE TEMP TABLE odd_counts AS
WITH odd AS (
    SELECT DISTINCT position, host_id, o.origin, o.host_name, o.path
    FROM (SELECT position, host_id, unnest(targets) AS u FROM page_links)
    JOIN target_parsed AS o USING (u)
    WHERE o.origin IS NOT NULL
),
beside AS (
    SELECT position, unnest(targets) AS u
    FROM page_links
    SEMI JOIN odd USING (position)
)
SELECT host_id, origin, host_name, path, count(*)::INTEGER AS pages
FROM odd
ANTI JOIN beside
    ON beside.position = odd.position
    AND beside.u = odd.origin || odd.path
    AND is_ordinary(beside.u)
GROUP BY host_id, origin, host_name, path;

-- name: count_odd
UPDATE link_groups SET pages = link_groups.pages + o.pages
FROM odd_counts AS o
WHERE link_groups.host_id = o.host_id
  AND link_groups.origin = o.origin
  AND link_groups.path = o.path;

-- name: add_odd
INSERT INTO link_groups BY NAME
SELECT o.*
FROM odd_counts AS o
ANTI JOIN link_groups AS g
    ON g.host_id = o.host_id AND g.origin = o.origin AND g.path = o.path;

-- name: target_names
-- Under --site domain, those whose registrable domain is asked for.
SELECT DISTINCT host_name
FROM (
    FROM linking SELECT host_name
    UNION ALL
    FROM redirects SELECT host_name
    UNION ALL
    FROM link_groups SELECT host_name
    UNION ALL
    FROM target_parsed SELECT host_name
    UNION ALL
    FROM page_canonicals SELECT split_part(u, '/', 3) WHERE is_ordinary(u))
WHERE host_name IS NOT NULL;

-- name: insert_redirects
INSERT INTO links
SELECT DISTINCT
    source_at(c.position),
    site_of($site, c.host_name, f.domain, site_segment($site, c.path)),
    c.origin || c.path,
    site_of($site, r.host_name, t.domain, site_segment($site, r.path)),
    r.origin || r.path,
    'redirect'
FROM linking AS c
JOIN redirects AS r USING (position)
LEFT JOIN names AS f ON f.host_name = c.host_name
LEFT JOIN names AS t ON t.host_name = r.host_name
WHERE c.outcome = 'skip: redirect';

-- name: insert_canonicals
INSERT INTO links
WITH targets AS (
    SELECT
        position,
        coalesce(o.host_name, split_part(u, '/', 3)) AS host_name,
        coalesce(o.origin || o.path, u) AS url,
        coalesce(o.path, ordinary_path(u, split_part(u, '/', 3))) AS path
    FROM page_canonicals
    LEFT JOIN target_parsed AS o USING (u)
    WHERE o.origin IS NOT NULL OR is_ordinary(u)
)
SELECT
    $source_id,
    site_of($site, c.host_name, f.domain, site_segment($site, c.path)),
    c.origin || c.path,
    site_of($site, t.host_name, n.domain, site_segment($site, t.path)),
    t.url,
    'canonical'
FROM targets AS t
JOIN linking AS c USING (position)
LEFT JOIN names AS f ON f.host_name = c.host_name
LEFT JOIN names AS n ON n.host_name = t.host_name;

-- name: insert_outlinks
INSERT INTO outlinks
WITH targets AS (
    SELECT *, site_segment($site, path) AS segment
    FROM link_groups
    WHERE origin IS NOT NULL
)
SELECT
    $source_id,
    host_id,
    site_of($site, host_name, n.domain, segment),
    origin || segment,
    CASE WHEN segment <> '' THEN substr(path, length(segment) + 1) ELSE path END,
    pages
FROM targets
LEFT JOIN names AS n USING (host_name)
ORDER BY host_id, origin;

-- name: insert_skips
-- What is no URL; what stands on pages that are not kept; and the rest was on its page before.
INSERT INTO link_skips
WITH repeated_links AS (
    SELECT (SELECT coalesce(sum(found), 0) FROM page_links) - coalesce(sum(pages), 0) AS n
    FROM link_groups
    LEFT JOIN target_parsed AS o USING (u)
    WHERE link_groups.origin IS NOT NULL OR o.reason IS NOT NULL OR starts_with(u, '!')
),
reasons AS (
    SELECT
        $source_id AS source_id,
        'link' AS kind,
        coalesce(o.reason, substr(u, 2)) AS reason,
        pages AS n
    FROM link_groups
    LEFT JOIN target_parsed AS o USING (u)
    WHERE o.reason IS NOT NULL OR starts_with(u, '!')
    UNION ALL
    SELECT $source_id, 'canonical', coalesce(o.reason, substr(u, 2)), 1
    FROM page_canonicals
    LEFT JOIN target_parsed AS o USING (u)
    WHERE o.reason IS NOT NULL OR starts_with(u, '!')
    UNION ALL
    SELECT source_at(position), 'redirect', reason, 1
    FROM redirect_queue
    JOIN redirect_parsed USING (pair)
    WHERE reason IS NOT NULL
    UNION ALL
    SELECT
        $source_id,
        unnest(['link', 'canonical']),
        'page not kept',
        unnest([coalesce(len(links), 0), (coalesce(bare(canonical), '') <> '')::INTEGER])
    FROM staged
    ANTI JOIN (FROM linking WHERE host_id IS NOT NULL) USING (position)
    WHERE links IS NOT NULL OR canonical IS NOT NULL
    UNION ALL
    SELECT $source_id, 'link', 'on its page before', n FROM repeated_links
)
SELECT source_id, kind, reason, sum(n)::BIGINT AS n
FROM reasons
GROUP BY source_id, kind, reason
HAVING sum(n) > 0;
