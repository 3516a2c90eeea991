-- Store: the captures of one source become urls, hosts, origins, addresses, rejects and counts (links: 08_links).
--
-- The same URL again: the newest timestamp wins, an unknown one counts as oldest; between equals the last
-- loaded. kept = URLs that are new to the database, so while no load is taken out the sum of kept is the number of rows in urls.

-- name: site_segment
-- The part of a path that belongs to the site under --site host+1: the first segment, where the path goes on behind it.
CREATE OR REPLACE TEMP MACRO site_segment(site, path) AS CASE
    WHEN site = 'host+1' AND strpos(split_part(path, '?', 1)[2:], '/') > 0 THEN '/' || split_part(path, '/', 2)
    ELSE '' END;

-- name: summary
-- The source without its pages: everything small is made from this. last = the highest position.
CREATE OR REPLACE TEMP TABLE summary AS
WITH counted AS (
    SELECT outcome, origin, site_segment($site, substr(full_url, strlen(origin) + 1)) AS segment, ip, count(*) AS n, max(position) AS last
    FROM captures GROUP BY ALL
)
SELECT * REPLACE (CASE WHEN outcome IS NULL AND host_name IN (FROM excluded_hosts SELECT host) THEN 'skip: excluded host' ELSE outcome END AS outcome)
FROM (SELECT *, host_of(origin) AS host_name FROM counted);

-- name: sites
-- What each captured host name or host + first segment counts to. NULL domain: an IP address or a bare suffix.
CREATE OR REPLACE TEMP TABLE sites AS
SELECT host_name, names.domain, names.suffix, names.name
FROM (SELECT DISTINCT host_name FROM summary WHERE outcome IS NULL)
LEFT JOIN names USING (host_name);

-- name: new_hosts
INSERT INTO hosts
WITH named AS (
    SELECT DISTINCT
        CASE WHEN $site = 'domain' THEN coalesce(sites.domain, host_name) ELSE host_name || segment END AS host,
        sites.domain, sites.suffix, sites.name || segment AS name
    FROM (SELECT DISTINCT host_name, segment FROM summary WHERE outcome IS NULL) JOIN sites USING (host_name)
),
one_each AS (
    SELECT host, any_value(domain) AS domain, any_value(suffix) AS suffix,
           CASE WHEN $site = 'domain' THEN any_value(left(host, length(host) - length(suffix) - 1)) ELSE any_value(name) END AS name
    FROM named ANTI JOIN hosts USING (host) GROUP BY host
)
SELECT $last_host + row_number() OVER (ORDER BY host), host, domain, suffix, name
FROM one_each;

-- name: new_origins
INSERT INTO origins
WITH fresh AS (
    SELECT DISTINCT origin, host_name,
           CASE WHEN $site = 'domain' THEN coalesce(sites.domain, host_name) ELSE host_name || segment END AS host
    FROM (SELECT DISTINCT origin || segment AS origin, host_name, segment FROM summary WHERE outcome IS NULL)
    JOIN sites USING (host_name)
    ANTI JOIN origins USING (origin)
)
SELECT $last_origin + row_number() OVER (ORDER BY origin), origin, host_name, host_id
FROM fresh JOIN hosts USING (host);

-- name: here
-- The origins that this source has pages of.
CREATE OR REPLACE TEMP TABLE here AS
SELECT o.origin, origin_id, host_id FROM origins AS o SEMI JOIN (SELECT origin || segment AS origin FROM summary WHERE outcome IS NULL) USING (origin);

-- name: pages
-- The captures that are pages, as rows of urls.
CREATE OR REPLACE TEMP MACRO pages() AS TABLE
SELECT c.position, c.full_url, getvariable('last_url')::BIGINT + c.position AS url_id, o.host_id, o.origin_id,
       substr(c.full_url, strlen(o.origin) + 1) AS path, c.fingerprint_kind, c.fingerprint, c.fetched_at, c.status, c.mime, c.length,
       getvariable('source_id')::INTEGER AS source_id, c.user_id, c.title
FROM captures AS c
JOIN here AS o ON o.origin = c.origin || site_segment(getvariable('site')::VARCHAR, substr(c.full_url, strlen(c.origin) + 1))
WHERE c.outcome IS NULL;

-- name: hashed_pages
-- The same with the hashes that detection compares (sql/03).
CREATE OR REPLACE TEMP MACRO hashed_pages() AS TABLE
SELECT * EXCLUDE (full_url), path_hash(path) AS path_hash, tail_hash(path) AS tail_hash, segment_hash(path) AS segment_hash,
       content_hash(fingerprint_kind, fingerprint) AS content_hash, title_hash(title) AS title_hash
FROM pages();

-- name: aside
-- Captures that do not come into urls: another of the same URL is newer, in this source or (held) in the database.
CREATE OR REPLACE TEMP TABLE aside (position BIGINT, held BOOLEAN);

-- name: repeated
-- Hashes of the URLs that the source may have several times: few, so that few rows need a closer look.
CREATE OR REPLACE TEMP TABLE repeated AS
SELECT hash(full_url) AS h FROM captures WHERE outcome IS NULL GROUP BY h HAVING count(*) > 1;

-- name: beaten
INSERT INTO aside
WITH doubtful AS (
    SELECT full_url, position, coalesce(fetched_at, '-infinity'::TIMESTAMP) AS instant
    FROM pages() WHERE hash(full_url) IN (FROM repeated)
)
SELECT position, false FROM doubtful
ANTI JOIN (SELECT max((instant, position))[2] AS position FROM doubtful GROUP BY full_url) USING (position);

-- name: met
-- Pages whose URL the database has; wins = the capture replaces what is there.
CREATE OR REPLACE TEMP TABLE met (position BIGINT, url_id BIGINT, wins BOOLEAN);

-- name: meet
INSERT INTO met
SELECT p.position, u.url_id, coalesce(p.fetched_at >= u.fetched_at, u.fetched_at IS NULL) AS wins
FROM (FROM pages() ANTI JOIN aside USING (position)) AS p
JOIN urls AS u USING (origin_id, path);

-- name: retire
INSERT INTO superseded BY NAME
SELECT u.* FROM urls AS u SEMI JOIN (FROM met WHERE wins) USING (url_id)
UNION ALL BY NAME
SELECT p.* EXCLUDE (position) FROM hashed_pages() AS p SEMI JOIN (FROM met WHERE NOT wins) USING (position);

-- name: replace
DELETE FROM urls USING met WHERE urls.url_id = met.url_id AND met.wins;

-- name: give_way
INSERT INTO aside SELECT position, true FROM met WHERE NOT wins;

-- name: insert_urls
INSERT INTO urls BY NAME
SELECT * EXCLUDE (position) FROM hashed_pages() ANTI JOIN aside USING (position);

-- name: insert_ips
-- Of every capture of a page, also of those that a newer one of the same URL replaces.
INSERT INTO host_ips
SELECT DISTINCT o.host_id, i.address, i.net, $source_id
FROM (SELECT DISTINCT origin || segment AS origin, ip FROM summary WHERE outcome IS NULL AND ip IS NOT NULL)
JOIN here AS o USING (origin)
JOIN parsed_ips AS i USING (ip)
WHERE i.address IS NOT NULL;

-- name: insert_rejects
INSERT INTO rejects
SELECT $source_id, position, left(url, $reject_text), substr(outcome, 9) FROM captures WHERE starts_with(outcome, 'reject');

-- name: insert_skips
INSERT INTO skips
SELECT $source_id, substr(outcome, 7), sum(n)::BIGINT FROM summary WHERE starts_with(outcome, 'skip') GROUP BY outcome;

-- name: counts
SELECT
    read,
    pages - again AS kept,
    again AS replaced,
    skipped,
    rejected,
    bad_ips,
    bad_ip,
    last
FROM (SELECT coalesce(sum(n), 0)::BIGINT AS read, coalesce(sum(n) FILTER (outcome IS NULL), 0)::BIGINT AS pages,
             coalesce(sum(n) FILTER (starts_with(outcome, 'skip')), 0)::BIGINT AS skipped,
             coalesce(sum(n) FILTER (starts_with(outcome, 'reject')), 0)::BIGINT AS rejected, coalesce(max(last), 0) AS last FROM summary)
CROSS JOIN (SELECT (SELECT count(*) FROM aside WHERE NOT held) + (SELECT count(*) FROM met) AS again)
CROSS JOIN (SELECT count(DISTINCT part) AS bad_ips, min(part) AS bad_ip FROM parsed_ips WHERE address IS NULL);
