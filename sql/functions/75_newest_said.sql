-- Newest said: what pages say of themselves, of each URL by its newest capture that says it.
--
-- Links and languages are stored by source. A URL that came in several sources has those of all its
-- captures. Of these one counts, so that a crawl in pieces is as one in a single file. Captures of
-- no time count as oldest.
-- Source: docs/method.md#promise-3.
-- NULL does not occur.
--
-- reads: links, hosts, superseded, urls, origins, identifiers, page_languages
-- writes: none
-- parameters: none

-- name: newest_links
-- Canonical links and redirects, a row a link. A source has a redirect once, and so does a crawl.
-- Who asks for hosts alone reads URLs only of hosts of which a page came in several sources.
CREATE OR REPLACE TEMP MACRO newest_links() AS TABLE
WITH recaptured AS (
    SELECT host FROM hosts WHERE host_id IN (SELECT host_id FROM superseded)
),
replaced AS (
    SELECT s.source_id, o.origin || s.path AS from_url, s.fetched_at
    FROM superseded AS s
    JOIN origins AS o USING (origin_id)
),
canonicals AS (
    FROM links WHERE kind = 'canonical' AND from_host IN (FROM recaptured)
),
newest AS (
    FROM canonicals ANTI JOIN replaced USING (source_id, from_url)
),
newer AS (
    SELECT from_url FROM newest WHERE from_url IN (SELECT r.from_url FROM replaced AS r)
),
older AS (
    SELECT c.from_host, c.to_host, c.kind, c.from_url, c.to_url
    FROM canonicals AS c
    JOIN replaced AS r USING (source_id, from_url)
    ANTI JOIN newer AS n ON n.from_url = c.from_url
    QUALIFY row_number() OVER (
        PARTITION BY c.from_url ORDER BY r.fetched_at DESC NULLS LAST, c.to_url DESC) = 1
),
redirects AS (
    SELECT
        any_value(from_host) AS from_host,
        any_value(to_host) AS to_host,
        any_value(kind) AS kind,
        any_value(from_url) AS from_url,
        any_value(to_url) AS to_url
    FROM links
    WHERE kind = 'redirect'
    GROUP BY hash(from_url), hash(to_url)
)
SELECT from_host, to_host, kind, from_url, to_url
FROM links
WHERE kind = 'canonical' AND from_host NOT IN (FROM recaptured)
UNION ALL
SELECT from_host, to_host, kind, from_url, to_url FROM newest
UNION ALL
FROM older
UNION ALL
FROM redirects;

-- name: newest_languages
-- How many pages of a host say that they are in a language.
CREATE OR REPLACE TEMP MACRO newest_languages() AS TABLE
WITH said AS (
    SELECT s.host_id, s.origin_id, s.path, s.fetched_at, l.language
    FROM superseded AS s
    JOIN page_languages AS l USING (url_id)
),
newer AS (
    SELECT DISTINCT u.origin_id, u.path
    FROM urls AS u
    JOIN page_languages AS l USING (url_id)
    WHERE (u.origin_id, u.path) IN (SELECT (s.origin_id, s.path) FROM said AS s)
),
replaced AS (
    SELECT s.host_id, s.language
    FROM said AS s
    LEFT JOIN newer AS n USING (origin_id, path)
    QUALIFY n.path IS NOT NULL OR row_number() OVER (
        PARTITION BY s.origin_id, s.path ORDER BY s.fetched_at DESC NULLS LAST, s.language) > 1
)
SELECT host_id, value, sum(pages) AS n
FROM (
    SELECT host_id, value, pages FROM identifiers WHERE kind = 'language'
    UNION ALL
    SELECT r.host_id, r.language, -1 FROM replaced AS r
)
GROUP BY host_id, value
HAVING sum(pages) > 0;
