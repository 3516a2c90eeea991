-- Rendered pages: which pages of an archive are rendered, and what came of them.
--
-- Reads the temporary tables archived (url: the archive's HTML pages, in normal form) and, where only some are asked for,
-- only_given (url, as written) with the macros of 02_parse_urls. A page is rendered when its newest capture has content here, the
-- archive has it, and it was not rendered before. Source: multiple-signal paper, section 3.1.

-- name: archived
CREATE OR REPLACE TEMP TABLE archived (url VARCHAR);

-- name: odd_only
-- URLs asked for that need a parser.
SELECT DISTINCT url FROM only_given
WHERE url IS NOT NULL AND NOT needs_no_parser(url, $max_bytes);

-- name: only_urls
CREATE OR REPLACE TEMP TABLE only_urls AS
SELECT DISTINCT CASE WHEN o.url IS NOT NULL THEN o.origin || o.path WHEN contains(g.url, '#') THEN split_part(g.url, '#', 1) ELSE g.url END AS url
FROM only_given AS g LEFT JOIN only_parsed AS o USING (url)
WHERE o.url IS NULL OR o.origin IS NOT NULL;

-- name: renderable
-- seconds = when it was fetched, since 1970: what the page's clock begins at. NULL = not known.
CREATE OR REPLACE TEMP TABLE renderable AS
WITH contents AS (
    SELECT u.url_id, o.origin || u.path AS url, epoch(u.fetched_at) AS seconds
    FROM urls AS u
    JOIN origins AS o USING (origin_id)
    SEMI JOIN page_contents USING (url_id)
)
SELECT c.url_id, c.url, c.seconds,
       url_id IN (SELECT url_id FROM rendered_pages UNION ALL SELECT url_id FROM render_problems) AS known
FROM contents AS c
SEMI JOIN archived USING (url)
WHERE NOT $only OR url IN (SELECT url FROM only_urls);

-- name: to_render
SELECT url_id, url, seconds FROM renderable WHERE $force OR NOT known ORDER BY url_id LIMIT $most;

-- name: render_counts
SELECT (SELECT count(*) FROM archived) AS archived,
       (SELECT count(*) FROM archived AS a
        WHERE a.url NOT IN (SELECT o.origin || u.path FROM urls AS u JOIN origins AS o USING (origin_id) SEMI JOIN page_contents USING (url_id))) AS not_loaded,
       count(*) FILTER (known)::BIGINT AS rendered_before
FROM renderable;

-- name: forget_rendered
DELETE FROM rendered_pages WHERE url_id IN (SELECT url_id FROM just_rendered);
-- name: forget_problems
DELETE FROM render_problems WHERE url_id IN (SELECT url_id FROM just_rendered);

-- name: store_rendered
INSERT INTO rendered_pages BY NAME
SELECT url_id, final_url, title, text, body, length, frames, redirects, missing FROM just_rendered WHERE length IS NOT NULL ORDER BY url_id;
-- name: store_problems
INSERT INTO render_problems BY NAME
SELECT url_id, length IS NOT NULL AS rendered, reason FROM just_rendered WHERE reason IS NOT NULL ORDER BY url_id;
