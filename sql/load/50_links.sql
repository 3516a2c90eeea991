-- Links: where the pages of one source lead, as links (redirect, canonical: page by page) and outlinks (counted by site).
--
-- Reads the temporary tables staged (links, canonical, base: as the reader gave them), linking (the captures that lead
-- anywhere) and redirects. A target is a URL in the normal form of urls; a text that starts with ! is none, and
-- the rest of it says why. Relative links: RFC 3986 section 5.2 by putting together, the dot segments by the WHATWG
-- parser; without the fragment. An ordinary target is its own normal form, so links repeated on a page meet as they stand.

-- name: folder_above
-- A folder in normal form, n folders up; the root is above itself.
CREATE OR REPLACE TEMP MACRO folder_above(folder, n) AS
    array_to_string(string_split(folder, '/')[:greatest(len(string_split(folder, '/')) - 1 - n, 1)], '/') || '/';

-- name: link_target
-- h, without blanks around it and fragment, on a page whose base is origin || own, own without query, folder = own up to its last slash.
CREATE OR REPLACE TEMP MACRO link_target(h, origin, folder, own, max_bytes) AS CASE
    WHEN h IS NULL THEN '!no text'
    WHEN strlen(h) > max_bytes THEN '!URL too long'
    WHEN starts_with(h, 'https://') OR starts_with(h, 'http://') THEN h
    WHEN h = '' THEN '!its own page'
    WHEN h[1] IN ('/', '\') THEN CASE
        WHEN h[2] IN ('/', '\') THEN split_part(origin, '/', 1) || '//' || h[3:]
        ELSE origin || h END
    WHEN starts_with(h, '?') THEN origin || own || h
    WHEN h[1] IN ('[', ']', '{', '}', '<', '>', '"', '''') THEN '!no URL'
    WHEN contains(h, ':') AND regexp_matches(h, '^[a-zA-Z][a-zA-Z0-9+.-]*:') THEN CASE
        WHEN regexp_matches(h, '^(?i:https?):') AND (lower(split_part(h, ':', 1)) <> split_part(origin, ':', 1) OR regexp_matches(h, '^[a-zA-Z]+:[/\\][/\\]')) THEN h
        WHEN regexp_full_match(h, '(?i:https?):') THEN '!its own page'
        WHEN regexp_matches(h, '^(?i:https?):[/\\]') THEN origin || h[strpos(h, ':') + 1:]
        WHEN regexp_matches(h, '^(?i:https?):\?') THEN origin || own || h[strpos(h, ':') + 1:]
        WHEN regexp_matches(h, '^(?i:https?):') THEN origin || folder || h[strpos(h, ':') + 1:]
        WHEN lower(split_part(h, ':', 1)) IN ('mailto', 'javascript', 'data', 'tel', 'ftp', 'file', 'about', 'blob', 'sms', 'irc', 'whatsapp', 'android-app')
        THEN '!scheme ' || lower(split_part(h, ':', 1))
        ELSE '!another scheme' END
    WHEN starts_with(h, '../') THEN origin || folder_above(folder, strlen(regexp_extract(h, '^(?:\.\./)+')) // 3) || regexp_replace(h, '^(?:\.\./)+', '')
    WHEN starts_with(h, './') THEN origin || folder || h[3:]
    ELSE origin || folder || h END;

-- name: bare
-- Without the blanks that HTML allows around a URL.
CREATE OR REPLACE TEMP MACRO bare(h) AS trim(h, E' \t\n\r\f');

-- name: without_fragment
CREATE OR REPLACE TEMP MACRO without_fragment(h) AS split_part(bare(h), '#', 1);

-- name: site_of
CREATE OR REPLACE TEMP MACRO site_of(site, host_name, domain, segment) AS
    CASE WHEN site = 'domain' THEN coalesce(domain, host_name) ELSE host_name || segment END;

-- name: link_cell
-- A table's cell with the links of a page: a JSON list of strings or objects, a list as Python writes it, or texts
-- divided by blanks or bars. A number (a count of links, say), a JSON list of no texts and other JSON hold none.
CREATE OR REPLACE TEMP MACRO link_cell(cell) AS CASE
    WHEN cell IS NULL OR bare(cell) IN ('', '[]', '-', 'null', 'None', 'NULL', 'nan') THEN NULL
    WHEN regexp_matches(cell, '^\s*[\[{]') AND json_valid(cell) THEN CASE
        WHEN json_type(cell) <> 'ARRAY' OR json_type(cell, '$[0]') NOT IN ('VARCHAR', 'OBJECT') THEN ['[']
        WHEN contains(cell, '{') THEN list_transform(json_transform(cell, '["JSON"]'), lambda j: CASE json_type(j)
            WHEN 'OBJECT' THEN coalesce(j ->> 'url', j ->> 'href', j ->> 'link', j ->> 'target', j ->> 'to')
            ELSE j ->> '$' END)
        ELSE json_transform(cell, '["VARCHAR"]') END
    WHEN regexp_matches(cell, '^\s*\[') THEN regexp_split_to_array(regexp_replace(bare(cell), '^\[\s*[''"]?|[''"]?\s*\]$', '', 'g'), '[''"]?\s*,\s*[''"]')
    ELSE list_transform(regexp_split_to_array(regexp_replace(bare(cell), '[,;]\s*(https?://)', ' \1', 'g'), '[\s|]+'),
                        lambda t: CASE WHEN regexp_matches(t, '[/.]') AND NOT regexp_full_match(t, '[0-9.]+') THEN t ELSE '[' END) END;

-- name: linking
-- Captures that lead anywhere; host_id where they are pages that are kept.
CREATE OR REPLACE TEMP TABLE linking AS
SELECT c.position, c.origin, host_of(c.origin) AS host_name, substr(c.full_url, strlen(c.origin) + 1) AS path, c.redirect, c.outcome,
       CASE WHEN c.outcome IS NULL AND c.position NOT IN (FROM aside SELECT position WHERE NOT held) THEN o.host_id END AS host_id
FROM captures AS c
LEFT JOIN here AS o ON o.origin = c.origin || site_segment($site, substr(c.full_url, strlen(c.origin) + 1))
WHERE outcome = 'skip: redirect' OR position IN (FROM staged SELECT position WHERE links IS NOT NULL OR canonical IS NOT NULL);

-- name: base_pairs
-- Pages that name another base for their links, with it: resolved like a redirect.
CREATE OR REPLACE TEMP TABLE base_pairs AS
SELECT position, c.origin || c.path || chr(10) || s.base AS pair
FROM linking AS c JOIN staged AS s USING (position)
WHERE s.base IS NOT NULL AND c.host_id IS NOT NULL;

-- name: link_bases
CREATE OR REPLACE TEMP TABLE link_bases AS
SELECT c.position, c.host_id, coalesce(b.origin, c.origin) AS origin, split_part(coalesce(b.path, c.path), '?', 1) AS own,
       regexp_extract(own, '^(?:.*/)?', 0, 's') AS folder
FROM linking AS c
JOIN staged AS s USING (position)
LEFT JOIN base_pairs AS n USING (position)
LEFT JOIN base_parsed AS b USING (pair)
WHERE c.host_id IS NOT NULL AND (s.links IS NOT NULL OR s.canonical IS NOT NULL);

-- name: page_links
CREATE OR REPLACE TEMP TABLE page_links AS
SELECT position, b.host_id, len(s.links) AS found,
       list_distinct(list_transform(list_transform(s.links, lambda h: without_fragment(h)),
                                    lambda h: link_target(h, b.origin, b.folder, b.own, $max_bytes))) AS targets
FROM link_bases AS b JOIN staged AS s USING (position)
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
SELECT host_id, u, pages,
       CASE WHEN ordinary THEN split_part(u, '/', 1) || '//' || name END AS origin,
       CASE WHEN ordinary THEN name END AS host_name,
       CASE WHEN ordinary THEN ordinary_path(u, name) END AS path
FROM judged;

-- name: page_canonicals
CREATE OR REPLACE TEMP TABLE page_canonicals AS
SELECT position, link_target(without_fragment(s.canonical), b.origin, b.folder, b.own, $max_bytes) AS u
FROM link_bases AS b JOIN staged AS s USING (position)
WHERE bare(s.canonical) <> '';

-- name: odd_targets
SELECT u FROM link_groups WHERE origin IS NULL AND NOT starts_with(u, '!')
UNION
SELECT u FROM page_canonicals WHERE NOT starts_with(u, '!') AND NOT is_ordinary(u);

-- name: odd_counts
-- Odd targets in their normal form, once a page; not those that the page has as an ordinary one as well.
CREATE OR REPLACE TEMP TABLE odd_counts AS
WITH odd AS (
    SELECT DISTINCT position, host_id, o.origin, o.host_name, o.path
    FROM (SELECT position, host_id, unnest(targets) AS u FROM page_links)
    JOIN odd_parsed AS o USING (u)
    WHERE o.origin IS NOT NULL
),
beside AS (
    SELECT position, unnest(targets) AS u FROM page_links SEMI JOIN odd USING (position)
)
SELECT host_id, origin, host_name, path, count(*)::INTEGER AS pages
FROM odd ANTI JOIN beside ON beside.position = odd.position AND beside.u = odd.origin || odd.path AND is_ordinary(beside.u)
GROUP BY host_id, origin, host_name, path;

-- name: count_odd
UPDATE link_groups SET pages = link_groups.pages + o.pages FROM odd_counts AS o
WHERE link_groups.host_id = o.host_id AND link_groups.origin = o.origin AND link_groups.path = o.path;

-- name: add_odd
INSERT INTO link_groups BY NAME
SELECT o.* FROM odd_counts AS o ANTI JOIN link_groups AS g ON g.host_id = o.host_id AND g.origin = o.origin AND g.path = o.path;

-- name: target_names
-- Under --site domain, those whose registrable domain is asked for.
SELECT DISTINCT host_name FROM (
    FROM linking SELECT host_name UNION ALL FROM redirects SELECT host_name
    UNION ALL FROM link_groups SELECT host_name UNION ALL FROM odd_parsed SELECT host_name
    UNION ALL FROM page_canonicals SELECT split_part(u, '/', 3) WHERE is_ordinary(u))
WHERE host_name IS NOT NULL;

-- name: insert_redirects
INSERT INTO links
SELECT DISTINCT $source_id, site_of($site, c.host_name, f.domain, site_segment($site, c.path)), c.origin || c.path,
       site_of($site, r.host_name, t.domain, site_segment($site, r.path)), r.origin || r.path, 'redirect'
FROM linking AS c
JOIN redirects AS r USING (position)
LEFT JOIN names AS f ON f.host_name = c.host_name
LEFT JOIN names AS t ON t.host_name = r.host_name
WHERE c.outcome = 'skip: redirect';

-- name: insert_canonicals
INSERT INTO links
WITH targets AS (
    SELECT position, coalesce(o.host_name, split_part(u, '/', 3)) AS host_name, coalesce(o.origin || o.path, u) AS url,
           coalesce(o.path, ordinary_path(u, split_part(u, '/', 3))) AS path
    FROM page_canonicals LEFT JOIN odd_parsed AS o USING (u)
    WHERE o.origin IS NOT NULL OR is_ordinary(u)
)
SELECT $source_id, site_of($site, c.host_name, f.domain, site_segment($site, c.path)), c.origin || c.path,
       site_of($site, t.host_name, n.domain, site_segment($site, t.path)), t.url, 'canonical'
FROM targets AS t
JOIN linking AS c USING (position)
LEFT JOIN names AS f ON f.host_name = c.host_name
LEFT JOIN names AS n ON n.host_name = t.host_name;

-- name: insert_outlinks
INSERT INTO outlinks
SELECT $source_id, host_id, site_of($site, host_name, n.domain, segment), origin || segment,
       CASE WHEN segment <> '' THEN substr(path, length(segment) + 1) ELSE path END, pages
FROM (SELECT *, site_segment($site, path) AS segment FROM link_groups WHERE origin IS NOT NULL)
LEFT JOIN names AS n USING (host_name)
ORDER BY host_id, origin;

-- name: insert_skips
-- What is no URL; what stands on pages that are not kept; and the rest was on its page before.
INSERT INTO link_skips
WITH reasons AS (
    SELECT 'link' AS kind, coalesce(o.reason, substr(u, 2)) AS reason, pages AS n
    FROM link_groups LEFT JOIN odd_parsed AS o USING (u)
    WHERE o.reason IS NOT NULL OR starts_with(u, '!')
    UNION ALL
    SELECT 'canonical', coalesce(o.reason, substr(u, 2)), 1
    FROM page_canonicals LEFT JOIN odd_parsed AS o USING (u)
    WHERE o.reason IS NOT NULL OR starts_with(u, '!')
    UNION ALL
    SELECT 'redirect', reason, 1 FROM redirect_queue JOIN redirect_parsed USING (pair) WHERE reason IS NOT NULL
    UNION ALL
    SELECT unnest(['link', 'canonical']), 'page not kept', unnest([coalesce(len(links), 0), (coalesce(bare(canonical), '') <> '')::INTEGER])
    FROM staged ANTI JOIN (FROM linking WHERE host_id IS NOT NULL) USING (position)
    WHERE links IS NOT NULL OR canonical IS NOT NULL
    UNION ALL
    SELECT 'link', 'on its page before', (SELECT coalesce(sum(found), 0) FROM page_links)
        - (SELECT coalesce(sum(pages), 0) FROM link_groups LEFT JOIN odd_parsed AS o USING (u)
           WHERE link_groups.origin IS NOT NULL OR o.reason IS NOT NULL OR starts_with(u, '!'))
)
SELECT $source_id, kind, reason, sum(n)::BIGINT AS n FROM reasons GROUP BY kind, reason HAVING sum(n) > 0;
