-- Captures: the rows of one source in normal form, each with its outcome.
--
-- 15_judged says what they are. Of a large source no row is copied before it reaches urls.
-- Source: docs/method.md#promise-1. NULL in a capture: not recorded.
--
-- reads: staged, odd_parsed, originals, judged (the macro)
-- writes: originals, machine_files, captures
-- parameters: likely

-- name: machine_files
-- Robots.txt, site maps, icons and the like, which are no pages (replicadb/web/machine_files.py):
-- few, so that few rows need a closer look. Only where a URL is likely one, and they are not kept.
CREATE OR REPLACE TEMP TABLE machine_files AS
WITH likely AS (
    SELECT position, url, media_type(mime) AS mime
    FROM staged
    WHERE problem IS NULL AND regexp_matches(url, $likely)
),
located AS (
    SELECT
        position,
        l.mime,
        CASE
            WHEN o.url IS NOT NULL THEN split_part(o.path, '?', 1)
            ELSE regexp_extract(l.url, '^https?://[^/]*([^?#]*)', 1)
        END AS path
    FROM likely AS l
    LEFT JOIN odd_parsed AS o USING (url)
),
recognised AS (
    SELECT
        position,
        CASE
            -- fill: replicadb.load.capture_store.machine_kinds
        END AS kind
    FROM located
)
SELECT position, kind FROM recognised WHERE kind IS NOT NULL;

-- name: no_machine_files
CREATE OR REPLACE TEMP TABLE machine_files (position BIGINT, kind VARCHAR);

-- name: originals
-- What a revisit takes over from the page of its file that it repeats, which is kept nowhere else
-- where it is an older capture of the same URL.
CREATE OR REPLACE TEMP TABLE originals (
    position BIGINT,
    mime VARCHAR,
    title VARCHAR,
    length BIGINT,
    fingerprint_kind VARCHAR,
    fingerprint VARCHAR);

-- name: judged
-- This and the next: only where there are revisits.
CREATE OR REPLACE TEMP MACRO judged() AS TABLE
    -- fill: replicadb.load.capture_store.judged

-- name: resolve_revisits
-- A revisit is of the type, title and length of what it repeats, where that is known from this
-- file. One without a digest (a server that said "not modified") repeats the last capture before it
-- of the URL that it names, else of its own; no redirect, and no page of an error. What other files
-- know: 45_revisits.
INSERT INTO originals
WITH revisits AS (
    SELECT position, fingerprint_kind, fingerprint, revisit_of, fetched_at
    FROM judged()
    WHERE is_revisit OR revisit_of IS NOT NULL
),
lenders AS (
    SELECT
        fingerprint_kind,
        fingerprint,
        fetched_at,
        unnest(list_distinct([url, full_url])) AS spelled
    FROM judged()
    WHERE fingerprint IS NOT NULL
      AND NOT coalesce(
          outcome = 'skip: redirect' OR starts_with(outcome, 'skip: status')
              OR starts_with(outcome, 'reject'),
          false)
),
-- One at each time: a URL may have a hundred thousand captures, and as many revisits.
lent AS (
    SELECT
        spelled,
        coalesce(fetched_at, TIMESTAMP 'infinity') AS captured,
        max((fingerprint_kind, fingerprint)) AS content
    FROM lenders
    GROUP BY spelled, captured
),
bare AS (
    SELECT
        position,
        revisit_of AS spelled,
        coalesce(fetched_at, TIMESTAMP '290000-01-01') AS revisited
    FROM revisits
    WHERE fingerprint IS NULL
),
by_url AS (
    SELECT r.position, coalesce(earlier.content, later.content) AS content
    FROM bare AS r
    ASOF LEFT JOIN lent AS earlier
        ON earlier.spelled = r.spelled AND r.revisited >= earlier.captured
    ASOF LEFT JOIN lent AS later
        ON later.spelled = r.spelled AND r.revisited <= later.captured
),
repeated AS (
    SELECT
        position,
        coalesce(fingerprint_kind, by_url.content[1]) AS fingerprint_kind,
        coalesce(fingerprint, by_url.content[2]) AS fingerprint
    FROM revisits
    LEFT JOIN by_url USING (position)
),
by_digest AS (
    SELECT
        fingerprint_kind,
        fingerprint,
        min(mime) AS mime,
        min(title) AS title,
        min(length) FILTER (outcome IS NULL) AS length
    FROM judged()
    SEMI JOIN repeated USING (fingerprint_kind, fingerprint)
    WHERE mime IS NOT NULL OR title IS NOT NULL OR length IS NOT NULL
    GROUP BY ALL
)
SELECT position, mime, title, length, fingerprint_kind, fingerprint
FROM repeated
LEFT JOIN by_digest USING (fingerprint_kind, fingerprint);

-- name: forms
-- Which values of a source need a closer look, since they have another form than most. The query
-- without what nobody needs is planned in half the time, and runs quicker
-- (replicadb/load/capture_store.py). endings: a path may be that of a file whose type is not
-- recorded; the port before it may be empty.
SELECT
    bool_or(
        typeof(fetched_at) <> 'TIMESTAMP'
        AND NOT regexp_full_match(fetched_at::VARCHAR, '(?:19|20)[0-9]{12}')) AS times,
    bool_or(NOT plain_digest(digest)) AS digests,
    bool_or(title IS NOT NULL) AS titles,
    bool_or(status IS NOT NULL AND NOT regexp_full_match(status::VARCHAR, '[1-9][0-9]{0,3}|0'))
        AS statuses,
    bool_or(NOT regexp_full_match(mime, '(?:text|image|application)/[a-z0-9.+-]+')) AS types,
    bool_or(
        CASE
            WHEN regexp_full_match(mime, '(?:text|image|application)/[a-z0-9.+-]+') THEN false
            ELSE regexp_matches(url, '(?s)(?:[^:/\\]|:.*:|\..*:)[/\\].*\.')
        END) AS endings
FROM staged;

-- name: captures
-- Of a large source: nothing is copied.
CREATE OR REPLACE TEMP VIEW captures AS  -- noqa: PRS
    -- fill: replicadb.load.capture_store.judged

-- name: captures_copied
-- Of a small one, in place of the view: planning all of it for each statement costs more than a
-- copy.
CREATE OR REPLACE TEMP TABLE captures AS  -- noqa: PRS
    -- fill: replicadb.load.capture_store.judged
