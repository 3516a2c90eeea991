-- Store: the captures of one source become urls, hosts, origins, addresses, rejects and counts (links: 08_links).
--
-- The same URL again: the newest timestamp wins, an unknown one counts as oldest; between equals the last
-- loaded. kept = URLs that are new to the database, so while no load is taken out the sum of kept is the number of rows in urls.

-- name: sites
-- What each captured host name or host + first segment counts to. NULL domain: an IP address or a bare suffix.
CREATE OR REPLACE TEMP TABLE sites AS
SELECT host_name, names.domain, names.suffix, names.name
FROM (SELECT DISTINCT host_name FROM captures WHERE host_name IS NOT NULL)
LEFT JOIN names USING (host_name);

-- name: segment_of
-- The part of a path that belongs to the site under --site host+1: the first segment, where the path goes on behind it.
CREATE OR REPLACE TEMP MACRO segment_of(site, path) AS CASE
    WHEN site = 'host+1' AND strpos(split_part(path, '?', 1)[2:], '/') > 0 THEN '/' || split_part(path, '/', 2)
    ELSE '' END;

-- name: pages
-- One row per URL of this source, its best capture, with site and path as the --site mode has them.
CREATE OR REPLACE TEMP TABLE pages AS
WITH placed AS (
    SELECT
        position, host_name, fingerprint_kind, fingerprint, fetched_at, status, mime, length, title, user_id,
        segment_of($site, path) AS segment,
        origin || segment AS origin,
        CASE WHEN segment <> '' THEN substr(path, length(segment) + 1) ELSE path END AS path
    FROM captures
    WHERE outcome IS NULL
),
repeated AS (
    SELECT hash(origin, path) AS h FROM placed GROUP BY h HAVING count(*) > 1
),
flagged AS (
    SELECT p.*, r.h IS NOT NULL AS may_repeat
    FROM placed AS p LEFT JOIN repeated AS r ON r.h = hash(p.origin, p.path)
)
SELECT * EXCLUDE (may_repeat) FROM flagged WHERE NOT may_repeat
UNION ALL
SELECT * EXCLUDE (may_repeat) FROM flagged WHERE may_repeat
QUALIFY row_number() OVER (PARTITION BY origin, path ORDER BY fetched_at DESC NULLS LAST, position DESC) = 1;

-- name: new_hosts
INSERT INTO hosts
WITH named AS (
    SELECT DISTINCT
        CASE WHEN $site = 'domain' THEN coalesce(sites.domain, host_name) ELSE host_name || segment END AS host,
        sites.domain, sites.suffix, sites.name || segment AS name
    FROM (SELECT DISTINCT host_name, segment FROM pages) JOIN sites USING (host_name)
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
    FROM (SELECT DISTINCT origin, host_name, segment FROM pages)
    JOIN sites USING (host_name)
    ANTI JOIN origins USING (origin)
)
SELECT $last_origin + row_number() OVER (ORDER BY origin), origin, host_name, host_id
FROM fresh JOIN hosts USING (host);

-- name: placed
-- The pages with their ids; known = the URL was in the database before, wins = this capture replaces it.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT p.position, o.host_id, o.origin_id, p.path, p.fingerprint_kind, p.fingerprint, p.fetched_at, p.status,
       p.mime, p.length, p.title, p.user_id, false AS known, true AS wins
FROM pages AS p JOIN origins AS o USING (origin);

-- name: placed_again
-- The same against a database that has URLs already.
CREATE OR REPLACE TEMP TABLE placed AS
SELECT p.position, o.host_id, o.origin_id, p.path, p.fingerprint_kind, p.fingerprint, p.fetched_at, p.status,
       p.mime, p.length, p.title, p.user_id,
       u.url_id IS NOT NULL AS known,
       u.url_id IS NULL OR coalesce(p.fetched_at >= u.fetched_at, u.fetched_at IS NULL) AS wins
FROM pages AS p
JOIN origins AS o USING (origin)
LEFT JOIN urls AS u ON u.origin_id = o.origin_id AND u.path = p.path;

-- name: retire
INSERT INTO superseded BY NAME
SELECT u.* FROM urls AS u SEMI JOIN (FROM placed WHERE known AND wins) USING (origin_id, path)
UNION ALL BY NAME
SELECT $last_url + position AS url_id, * EXCLUDE (position, known, wins), $source_id AS source_id FROM placed WHERE NOT wins;

-- name: replace
DELETE FROM urls USING placed
WHERE urls.origin_id = placed.origin_id AND urls.path = placed.path AND placed.known AND placed.wins;

-- name: insert_urls
INSERT INTO urls BY NAME
SELECT $last_url + position AS url_id, host_id, origin_id, path, fingerprint_kind, fingerprint, fetched_at, status,
       mime, length, title, $source_id AS source_id, user_id
FROM placed WHERE wins;

-- name: insert_ips
-- Of every capture of a page, also of those that a newer one of the same URL replaces.
INSERT INTO host_ips
SELECT DISTINCT o.host_id, i.address, i.net, $source_id
FROM (SELECT DISTINCT origin || segment_of($site, path) AS origin, ip FROM captures WHERE outcome IS NULL AND ip IS NOT NULL)
JOIN origins AS o USING (origin)
JOIN parsed_ips AS i USING (ip)
WHERE i.address IS NOT NULL;

-- name: insert_rejects
INSERT INTO rejects
SELECT $source_id, position, left(url, $reject_text), substr(outcome, 9) FROM captures WHERE starts_with(outcome, 'reject');

-- name: insert_skips
INSERT INTO skips
SELECT $source_id, substr(outcome, 7), count(*) FROM captures WHERE starts_with(outcome, 'skip') GROUP BY outcome;

-- name: counts
SELECT
    read,
    kept,
    pages - kept AS replaced,
    skipped,
    rejected,
    bad_ips,
    bad_ip
FROM (SELECT count(*) AS read, count(*) FILTER (outcome IS NULL) AS pages, count(*) FILTER (starts_with(outcome, 'skip')) AS skipped,
             count(*) FILTER (starts_with(outcome, 'reject')) AS rejected FROM captures)
CROSS JOIN (SELECT count(*) FILTER (NOT known) AS kept FROM placed)
CROSS JOIN (SELECT count(DISTINCT part) AS bad_ips, min(part) AS bad_ip FROM parsed_ips WHERE address IS NULL);
