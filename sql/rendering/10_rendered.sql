-- Rendered pages: which pages of an archive are rendered, and what came of them.
--
-- A page is rendered when its newest capture has content here, the archive has it, and it was not
-- rendered before. archived: url of the archive's HTML pages, in normal form. only_given: url as
-- written, where only some are asked for; parsed by the macros of functions/20_urls.
-- just_rendered: what the browser showed, registered from Arrow.
-- Source: docs/method.md#rendered-bodies (Huffman et al. 2007, section 3.1).
-- NULL seconds = not known; NULL length = the browser could not show the page.
--
-- reads: only_given, only_parsed, urls, origins, compared_texts, rendered_pages, render_problems,
--   just_rendered
-- writes: archived, only_urls, renderable (temporary), rendered_pages, render_problems
-- parameters: max_bytes, chosen_only, force, most

-- name: archived
CREATE OR REPLACE TEMP TABLE archived (url VARCHAR);

-- name: odd_only
-- URLs asked for that need a parser.
SELECT DISTINCT url
FROM only_given
WHERE url IS NOT NULL AND NOT needs_no_parser(url, $max_bytes);

-- name: only_urls
CREATE OR REPLACE TEMP TABLE only_urls AS
SELECT DISTINCT
    CASE
        WHEN o.url IS NOT NULL THEN o.origin || o.path
        WHEN contains(g.url, '#') THEN split_part(g.url, '#', 1)
        ELSE g.url
    END AS url
FROM only_given AS g
LEFT JOIN only_parsed AS o USING (url)
WHERE o.url IS NULL OR o.origin IS NOT NULL;

-- name: renderable
-- seconds = when it was fetched, since 1970: what the page's clock begins at.
CREATE OR REPLACE TEMP TABLE renderable AS
WITH contents AS (
    SELECT u.url_id, o.origin || u.path AS url, epoch(u.fetched_at) AS seconds
    FROM urls AS u
    JOIN origins AS o USING (origin_id)
    SEMI JOIN compared_texts USING (url_id)
),
rendered_before AS (
    SELECT url_id FROM rendered_pages
    UNION ALL
    SELECT url_id FROM render_problems
)
SELECT
    c.url_id,
    c.url,
    c.seconds,
    url_id IN (SELECT url_id FROM rendered_before) AS known
FROM contents AS c
SEMI JOIN archived USING (url)
WHERE NOT $chosen_only OR url IN (SELECT url FROM only_urls);

-- name: render_counts
WITH contents AS (
    SELECT o.origin || u.path AS url
    FROM urls AS u
    JOIN origins AS o USING (origin_id)
    SEMI JOIN compared_texts USING (url_id)
)
SELECT
    (SELECT count(*) FROM archived) AS archived,
    (SELECT count(*) FROM archived WHERE url NOT IN (SELECT url FROM contents)) AS not_loaded,
    count(*) FILTER (known)::BIGINT AS rendered_before
FROM renderable;

-- name: to_render
SELECT url_id, url, seconds
FROM renderable
WHERE $force OR NOT known
ORDER BY url_id
LIMIT $most;

-- name: forget_rendered
DELETE FROM rendered_pages WHERE url_id IN (SELECT url_id FROM just_rendered);

-- name: forget_problems
DELETE FROM render_problems WHERE url_id IN (SELECT url_id FROM just_rendered);

-- name: store_rendered
INSERT INTO rendered_pages BY NAME
SELECT
    url_id,
    final_url,
    title,
    text,
    body,
    length,
    frames,
    redirects,
    missing
FROM just_rendered
WHERE length IS NOT NULL
ORDER BY url_id;

-- name: store_problems
INSERT INTO render_problems BY NAME
SELECT url_id, length IS NOT NULL AS rendered, reason
FROM just_rendered
WHERE reason IS NOT NULL
ORDER BY url_id;
