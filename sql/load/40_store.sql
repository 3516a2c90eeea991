-- Store: the captures of one source become urls, hosts, origins, addresses and rejects.
--
-- Where a URL comes again, the newest timestamp wins, and an unknown one counts as oldest. Between
-- equal timestamps the greater fingerprint wins, then title, type, status, length and id, known
-- before unknown. So the order of loads decides nothing. Between unknown timestamps one with a
-- fingerprint wins, then the last loaded. Counts: 42_counts. Links: 50_links.
-- Source: docs/method.md#promise-1. NULL in a capture: not recorded.
--
-- reads: captures, excluded_hosts, names, parsed_ips, summary, sites, current_origins,
--   older_captures, already_stored, repeated, between_sources
-- writes: summary, sites, hosts, origins, current_origins, older_captures, repeated,
--   already_stored, between_sources, superseded, urls, host_ips, rejects, skips, later_failures,
--   earlier_captures
-- parameters: site, last_host, last_origin, reject_text

-- name: no_longer
-- Whether an outcome says that the URL leads elsewhere or is gone.
CREATE OR REPLACE TEMP MACRO no_longer(outcome) AS
    outcome IN ('skip: redirect', 'skip: status 404', 'skip: status 410');

-- name: summary
-- The source without its pages: everything small is made from this. last = the highest position.
CREATE OR REPLACE TEMP TABLE summary AS
WITH counted AS (
    SELECT
        outcome,
        origin,
        site_segment($site, substr(full_url, strlen(origin) + 1)) AS segment,
        ip,
        source_at(position) AS source_id,
        is_asset(mime) AS asset,
        count(*) AS n,
        count_if(odd_time) AS odd_times,
        max(position) AS last
    FROM captures
    GROUP BY ALL
)
SELECT * REPLACE (
    CASE
        WHEN outcome IS NULL AND host_name IN (FROM excluded_hosts SELECT host)
        THEN 'skip: excluded host'
        ELSE outcome
    END AS outcome)
FROM (SELECT *, host_of(origin) AS host_name FROM counted);

-- name: sites
-- What each captured host name or host + first segment counts to.
-- NULL domain: an IP address or a bare suffix.
CREATE OR REPLACE TEMP TABLE sites AS
SELECT host_name, names.domain, names.suffix, names.name
FROM (SELECT DISTINCT host_name FROM summary WHERE outcome IS NULL)
LEFT JOIN names USING (host_name);

-- name: new_hosts
INSERT INTO hosts
WITH named AS (
    SELECT DISTINCT
        CASE
            WHEN $site = 'domain' THEN coalesce(sites.domain, host_name)
            ELSE host_name || segment
        END AS host,
        sites.domain,
        sites.suffix,
        sites.name || segment AS name
    FROM (SELECT DISTINCT host_name, segment FROM summary WHERE outcome IS NULL)
    JOIN sites USING (host_name)
),
one_each AS (
    SELECT
        host,
        any_value(domain) AS domain,
        any_value(suffix) AS suffix,
        CASE
            WHEN $site = 'domain'
            THEN any_value(left(host, length(host) - length(suffix) - 1))
            ELSE any_value(name)
        END AS name
    FROM named
    ANTI JOIN hosts USING (host)
    GROUP BY host
)
SELECT $last_host + row_number() OVER (ORDER BY host), host, domain, suffix, name
FROM one_each;

-- name: new_origins
INSERT INTO origins
WITH captured AS (
    SELECT DISTINCT origin || segment AS origin, host_name, segment
    FROM summary
    WHERE outcome IS NULL
),
new AS (
    SELECT DISTINCT
        origin,
        host_name,
        CASE
            WHEN $site = 'domain' THEN coalesce(sites.domain, host_name)
            ELSE host_name || segment
        END AS host
    FROM captured
    JOIN sites USING (host_name)
    ANTI JOIN origins USING (origin)
)
SELECT $last_origin + row_number() OVER (ORDER BY origin), origin, host_name, host_id
FROM new
JOIN hosts USING (host);

-- name: current_origins
-- The origins that this source has pages of.
CREATE OR REPLACE TEMP TABLE current_origins AS
SELECT o.origin, origin_id, host_id
FROM origins AS o
SEMI JOIN (SELECT origin || segment AS origin FROM summary WHERE outcome IS NULL) USING (origin);

-- name: older_captures
-- Captures that do not come into urls: another of the same URL is newer, in this source or, where
-- newer_is_stored, in the database. What they are is known of the former alone. speaks_for: the
-- newest is this revisit, which has no links and no language, so those of the last capture before
-- it that is none still hold.
CREATE OR REPLACE TEMP TABLE older_captures (
    position         BIGINT,
    newer_is_stored  BOOLEAN,
    speaks_for       BIGINT,
    host_id          INTEGER,
    origin_id        INTEGER,
    path             VARCHAR,
    fingerprint_kind VARCHAR,
    content_hash     UBIGINT,
    fetched_at       TIMESTAMP
);

-- name: repeated
-- Hashes of the URLs that the source may have several times: few, so that few rows need a closer
-- look.
CREATE OR REPLACE TEMP TABLE repeated AS
SELECT hash(full_url) AS h
FROM captures
WHERE outcome IS NULL
GROUP BY h
HAVING count(*) > 1;

-- name: older_in_source
-- Only where something is repeated. Few captures are left before they are joined with origins.
INSERT INTO older_captures
WITH captures AS (  -- noqa: ST03
    FROM temp.captures WHERE hash(full_url) IN (FROM repeated)
),
doubtful AS (
    SELECT
        full_url,
        source_id,
        position,
        host_id,
        origin_id,
        path,
        fingerprint_kind,
        content_hash(fingerprint_kind, fingerprint) AS content_hash,
        fetched_at,
        coalesce(fetched_at, '-infinity'::TIMESTAMP) AS instant,
        among_equals(
            fetched_at, fingerprint_kind, fingerprint, title, mime, status, length,
            user_id) AS content
    FROM (  -- noqa: PRS
        -- fill: replicadb.load.capture_store.pages
    )
),
newest AS (
    SELECT
        max((instant, content, position))[3] AS position,
        max(CASE WHEN NOT is_revisit THEN (instant, content, position) END)[3] AS said
    FROM doubtful
    JOIN (SELECT position, is_revisit FROM captures) USING (position)
    GROUP BY full_url, source_id
)
SELECT
    d.position,
    false,
    n.position,
    host_id,
    origin_id,
    path,
    fingerprint_kind,
    content_hash,
    fetched_at
FROM doubtful AS d
ANTI JOIN newest USING (position)
LEFT JOIN newest AS n ON n.said = d.position;

-- name: insert_earlier_captures
-- Only where something is repeated: these captures are kept nowhere else.
INSERT INTO earlier_captures
SELECT
    source_at(position) AS source_id,
    host_id,
    origin_id,
    path,
    fingerprint_kind,
    content_hash,
    min(fetched_at) AS first
FROM older_captures
GROUP BY ALL;

-- name: already_stored
-- Pages whose URL the database has; wins = the capture replaces what is there.
CREATE OR REPLACE TEMP TABLE already_stored (position BIGINT, url_id BIGINT, wins BOOLEAN);

-- name: between_sources
-- Only of many sources in one, where something is repeated: URLs that several of them have, each by
-- its newest capture and by that of the first source.
CREATE OR REPLACE TEMP TABLE between_sources AS
WITH captures AS (  -- noqa: ST03
    FROM temp.captures WHERE hash(full_url) IN (FROM repeated)
)
SELECT
    full_url,
    list(position ORDER BY position) AS positions,
    max((
        coalesce(fetched_at, '-infinity'::TIMESTAMP),
        among_equals(
            fetched_at, fingerprint_kind, fingerprint, title, mime, status, length, user_id),
        position))[3] AS newest
FROM (  -- noqa: PRS
    -- fill: replicadb.load.capture_store.pages
)
ANTI JOIN older_captures USING (position)
GROUP BY full_url
HAVING count(*) > 1;

-- name: older_in_bundle
-- This, too: as if the newest had been stored before.
INSERT INTO already_stored
SELECT position, NULL, false
FROM (SELECT newest, unnest(positions) AS position FROM between_sources)
WHERE position <> newest;

-- name: find_stored
-- Only where the database has pages.
INSERT INTO already_stored
SELECT
    p.position,
    u.url_id,
    CASE
        WHEN p.fetched_at = u.fetched_at OR (p.fetched_at IS NULL AND u.fetched_at IS NULL)
        THEN
            among_equals(
                p.fetched_at, p.fingerprint_kind, p.fingerprint, p.title, p.mime, p.status,
                p.length, p.user_id)
            >= among_equals(
                u.fetched_at, u.fingerprint_kind, u.fingerprint, u.title, u.mime, u.status,
                u.length, u.user_id)
        ELSE coalesce(p.fetched_at > u.fetched_at, p.fetched_at IS NOT NULL)
    END AS wins
FROM (FROM (
        -- fill: replicadb.load.capture_store.pages
    )
    ANTI JOIN older_captures USING (position)
    ANTI JOIN already_stored USING (position)
) AS p  -- noqa: PRS
JOIN urls AS u USING (origin_id, path);

-- name: supersede
-- This and the two that follow: only where a URL is already stored.
INSERT INTO superseded BY NAME
SELECT u.*
FROM urls AS u
SEMI JOIN (FROM already_stored WHERE wins) USING (url_id)
UNION ALL BY NAME
SELECT p.* EXCLUDE (position)
FROM (  -- noqa: PRS
    -- fill: replicadb.load.capture_store.hashed_pages
) AS p
SEMI JOIN (FROM already_stored WHERE NOT wins) USING (position);

-- name: delete_superseded
DELETE FROM urls USING already_stored
WHERE urls.url_id = already_stored.url_id AND already_stored.wins;

-- name: older_than_stored
INSERT INTO older_captures BY NAME
SELECT position, true AS newer_is_stored FROM already_stored WHERE NOT wins;

-- name: insert_urls
INSERT INTO urls BY NAME
SELECT * EXCLUDE (position)
FROM (
    -- fill: replicadb.load.capture_store.hashed_pages
)
ANTI JOIN older_captures USING (position);

-- name: insert_ips
-- Of every capture of a page, also of those that a newer one of the same URL replaces.
INSERT INTO host_ips
WITH cells AS (
    SELECT DISTINCT origin || segment AS origin, ip, source_id
    FROM summary
    WHERE outcome IS NULL AND ip IS NOT NULL
)
SELECT DISTINCT o.host_id, i.address, i.net, cells.source_id
FROM cells
JOIN current_origins AS o USING (origin)
JOIN parsed_ips AS i USING (ip)
WHERE i.address IS NOT NULL;

-- name: insert_rejects
-- Only where a row was rejected.
INSERT INTO rejects
SELECT
    source_at(position),
    position_in_source(position),
    left(url, $reject_text),
    substr(outcome, 9)
FROM captures
WHERE starts_with(outcome, 'reject');

-- name: insert_skips
INSERT INTO skips
SELECT source_id, substr(outcome, 7), sum(n)::BIGINT
FROM summary
WHERE starts_with(outcome, 'skip')
GROUP BY source_id, outcome;

-- name: insert_later_failures
-- Only where something answered so. By source, so that sources stored together give what each gives
-- by itself.
INSERT INTO later_failures
WITH timed AS (
    SELECT
        source_at(position) AS source_id,
        origin || site_segment($site, substr(full_url, strlen(origin) + 1)) AS origin,
        hash(full_url) AS url,
        fetched_at,
        outcome
    FROM captures
    WHERE fetched_at IS NOT NULL AND (outcome IS NULL OR no_longer(outcome))
),
newest AS (
    SELECT source_id, origin, max(fetched_at) AS page_at
    FROM timed
    WHERE outcome IS NULL
    GROUP BY source_id, origin
)
SELECT t.source_id, t.origin, count(DISTINCT t.url), min(t.fetched_at)
FROM timed AS t
LEFT JOIN newest AS n USING (source_id, origin)
WHERE t.outcome IS NOT NULL AND (n.page_at IS NULL OR t.fetched_at > n.page_at)
GROUP BY t.source_id, t.origin;
