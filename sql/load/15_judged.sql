-- Judged: the captures of one source in normal form, each with its outcome.
--
-- sql/load/20_captures has this query in three places. It is no macro, since a macro is planned
-- both when it is made and when it is used, and that costs more than the rows of a small source.
-- full_url is the normal form; NULL origin: not a page's URL. outcome: NULL is a page to keep,
-- unless its host is excluded (40_store); 'reject: ...' goes to rejects; 'skip: ...' is counted in
-- skips. Variables of the load: all_types, constant_digest, pages_only, page_types, no_files.
-- Where no type is recorded, the name of a file says it (replicadb/web/file_types.py); not under
-- --all-types, where every file is a page. What crawlers note of themselves (dns:, Browsertrix'
-- urn:pageinfo:, Wget's metadata:) is no page, and nothing is wrong with it.
-- Source: docs/method.md#promise-1. NULL in a capture: not recorded.
--
-- reads: staged, odd_parsed, originals, machine_files
-- writes: none
-- parameters: none

-- name: judged
WITH plain_digests AS (
    SELECT
        *,
        plain_digest(digest) AS plain,
        CASE WHEN NOT plain THEN
            CASE WHEN starts_with(digest, 'urn:') THEN substr(digest, 5) ELSE digest END
        END AS written
    FROM staged
),
trimmed AS (
    SELECT
        *,
        CASE WHEN typeof(fetched_at) <> 'TIMESTAMP' THEN known(fetched_at::VARCHAR) END AS recorded,
        known_digest(written) AS d
    FROM plain_digests
),
normalised AS (
    SELECT
        * REPLACE (
            CASE
                WHEN typeof(fetched_at) = 'TIMESTAMP' THEN try_cast(fetched_at AS TIMESTAMP)
                ELSE capture_time(recorded)
            END AS fetched_at,
            media_type(mime) AS mime,
            status_code(status) AS status,
            page_title(title) AS title),
        coalesce(mime = 'warc/revisit', false) OR revisit_of IS NOT NULL AS is_revisit,
        CASE
            WHEN d IS NULL AND NOT coalesce(plain, false) AND nullif(title, '') IS NULL
                 AND try_cast(status AS INTEGER) = 0 AND NOT getvariable('all_types')::BOOLEAN
            THEN '0'
            ELSE not_fetched(status)
        END AS not_fetched,
        CASE
            WHEN plain THEN 'sha1'
            WHEN d IS NOT NULL THEN digest_kind(d)
        END AS fingerprint_kind,
        CASE
            WHEN plain THEN digest
            WHEN d IS NOT NULL THEN digest_value(d)
        END AS fingerprint
    FROM trimmed
),
told_apart AS (
    SELECT
        * REPLACE (CASE WHEN NOT is_revisit THEN length END AS length),
        (recorded IS NOT NULL OR fetched_at IS NOT NULL)
        AND NOT coalesce(of_the_web(fetched_at), false) AS odd_time,
        NOT of_nothing(fingerprint)
        AND NOT coalesce(digest = getvariable('constant_digest')::VARCHAR, false) AS has_content
    FROM normalised
),
with_content AS (
    SELECT * REPLACE (
        CASE WHEN NOT odd_time THEN fetched_at END AS fetched_at,
        CASE WHEN has_content THEN fingerprint_kind END AS fingerprint_kind,
        CASE WHEN has_content THEN fingerprint END AS fingerprint)
    FROM told_apart
),
located AS (
    SELECT
        s.*,
        o.reason,
        CASE
            WHEN o.url IS NOT NULL THEN o.origin || o.path
            WHEN contains(s.url, '#') THEN split_part(s.url, '#', 1)
            ELSE s.url
        END AS full_url,
        CASE
            WHEN o.url IS NOT NULL THEN o.origin
            ELSE left(s.url, 7 + strpos(substr(s.url, 9), '/'))
        END AS origin
    FROM with_content AS s
    LEFT JOIN odd_parsed AS o ON o.url = s.url AND s.problem IS NULL
),
repeating AS (
    SELECT l.* REPLACE (
        coalesce(l.fingerprint_kind, o.fingerprint_kind) AS fingerprint_kind,
        coalesce(l.fingerprint, o.fingerprint) AS fingerprint,
        coalesce(l.mime, o.mime) AS mime,
        coalesce(l.title, o.title) AS title,
        coalesce(l.length, o.length) AS length),
        m.kind AS machine_kind
    FROM located AS l
    LEFT JOIN originals AS o USING (position)
    LEFT JOIN machine_files AS m USING (position)
),
named AS (
    SELECT
        *,
        CASE
            -- fill: replicadb.load.capture_store.file_ending
        END AS file_ending
    FROM repeating
),
typed AS (
    SELECT * EXCLUDE (file_ending) REPLACE (
        CASE  -- noqa: PRS
            WHEN file_ending IS NULL THEN mime
            ELSE
                -- fill: replicadb.load.capture_store.file_types
        END AS mime)
    FROM named
)
SELECT
    position,
    url,
    full_url,
    origin,
    ip,
    redirect,
    CASE
        WHEN is_revisit AND fingerprint IS NULL AND coalesce(revisit_of = url, true) THEN full_url
        ELSE revisit_of
    END AS revisit_of,
    user_id,
    is_revisit,
    fingerprint_kind,
    fingerprint,
    fetched_at,
    odd_time,
    status,
    mime,
    length,
    title,
    CASE
        WHEN starts_with(problem, 'skip: ') THEN problem
        WHEN problem IS NOT NULL THEN 'reject: ' || problem
        WHEN url IS NULL THEN 'reject: no URL'
        WHEN reason IN ('scheme dns is not http or https', 'scheme whois is not http or https')
        THEN 'skip: look-up of a name'
        WHEN reason IN ('scheme urn is not http or https', 'scheme metadata is not http or https')
        THEN 'skip: note of a crawler'
        WHEN reason IS NOT NULL THEN 'reject: ' || reason
        WHEN not_fetched IS NOT NULL THEN 'skip: status ' || not_fetched
        WHEN status IN (301, 302, 303, 307, 308) THEN 'skip: redirect'
        WHEN NOT getvariable('all_types')::BOOLEAN AND status <> 200 THEN 'skip: status ' || status
        WHEN is_asset(mime) AND (
            getvariable('pages_only')::BOOLEAN
            OR list_contains(getvariable('no_files')::VARCHAR[], mime)
        )
        THEN 'skip: type ' || mime
        WHEN machine_kind IS NOT NULL THEN 'skip: machine file: ' || machine_kind
    END AS outcome
FROM typed;
