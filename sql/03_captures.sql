-- Captures: the rows of one source in normal form, each with its outcome.
--
-- Reads temp tables staged (as the reader gave it), parsed and odd (URLs taken apart).
-- outcome: NULL = a page to keep; 'reject: ...' goes to rejects; 'skip: ...' is counted in skips.
-- NULL in a capture means "not recorded"; '-' and the empty string in a source mean the same.

-- name: base32_group
-- Eight base32 characters (RFC 4648, upper case) as ten hex digits.
CREATE OR REPLACE TEMP MACRO base32_group(s) AS format('{:010x}', list_sum(
    list_transform([1, 2, 3, 4, 5, 6, 7, 8],
        lambda k: (strpos('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', s[k]) - 1)::BIGINT << (40 - 5 * k)))::BIGINT);

-- name: digest_kind
-- The algorithm: the recorded prefix, else what the value's form says. Anything else is the user's own.
CREATE OR REPLACE TEMP MACRO digest_kind(d) AS CASE
    WHEN strlen(d) = 40 AND regexp_full_match(d, '[0-9A-Fa-f]+') THEN 'sha1'  -- by far the most, so tried first
    WHEN regexp_full_match(d, '[A-Za-z][A-Za-z0-9-]{1,19}:.+') THEN
        CASE lower(split_part(d, ':', 1)) WHEN 'sha-1' THEN 'sha1' WHEN 'sha-256' THEN 'sha256' ELSE lower(split_part(d, ':', 1)) END
    WHEN regexp_full_match(d, '[0-9A-Fa-f]{32}') THEN 'md5'
    WHEN regexp_full_match(d, '[A-Z2-7]{32}|[0-9A-Fa-f]{40}') THEN 'sha1'
    WHEN regexp_full_match(d, '[0-9A-Fa-f]{64}') THEN 'sha256'
    ELSE 'other' END;

-- name: digest_value
-- Base32 decoded (160-bit digests), algorithm stripped, hex in lower case; other values stay as they are.
CREATE OR REPLACE TEMP MACRO digest_value(d) AS CASE
    WHEN regexp_full_match(d, '[0-9a-f]{32,64}') THEN d
    WHEN regexp_full_match(d, '(?:[A-Za-z0-9-]{2,20}:)?[A-Za-z2-7]{32}')
         AND NOT regexp_full_match(d, '(?:[Mm][Dd]5:)?[0-9A-Fa-f]{32}')
         AND (contains(d, ':') OR d = upper(d)) THEN
        base32_group(upper(right(d, 32))[1:8]) || base32_group(upper(right(d, 32))[9:16])
        || base32_group(upper(right(d, 32))[17:24]) || base32_group(upper(right(d, 32))[25:32])
    WHEN regexp_full_match(d, '(?:[A-Za-z0-9-]{2,20}:)?[0-9A-Fa-f]+') AND (contains(d, ':') OR strlen(d) IN (32, 40, 64))
        THEN lower(regexp_extract(d, '[0-9A-Fa-f]+$'))
    WHEN regexp_full_match(d, '[A-Za-z][A-Za-z0-9-]{1,19}:.+') THEN substr(d, strpos(d, ':') + 1)
    ELSE d END;

-- name: capture_time
-- 14 digits (or fewer, cut from the right), ISO 8601 with any offset, or seconds, milliseconds and microseconds since 1970; in UTC.
CREATE OR REPLACE TEMP MACRO capture_time(t) AS CASE
    WHEN t IS NULL THEN NULL
    WHEN regexp_full_match(t, '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]{8,15}Z?') THEN try_cast(t AS TIMESTAMP)
    WHEN regexp_full_match(t, '[0-9]+') THEN CASE
        WHEN strlen(t) = 13 THEN make_timestamp(try_cast(t AS BIGINT) * 1000)
        WHEN strlen(t) = 16 THEN make_timestamp(try_cast(t AS BIGINT))
        WHEN strlen(t) = 17 THEN try_strptime(left(t, 14), '%Y%m%d%H%M%S')
        WHEN strlen(t) BETWEEN 4 AND 14 AND strlen(t) % 2 = 0 AND t[1:2] IN ('19', '20') THEN
            coalesce(try_strptime(t || substr('00000101000000', strlen(t) + 1), '%Y%m%d%H%M%S'),
                     CASE WHEN strlen(t) = 10 THEN make_timestamp(try_cast(t AS BIGINT) * 1000000) END)
        WHEN strlen(t) BETWEEN 9 AND 10 THEN make_timestamp(try_cast(t AS BIGINT) * 1000000) END
    ELSE try_cast(try_cast(t AS TIMESTAMPTZ) AS TIMESTAMP) END;

-- name: known
CREATE OR REPLACE TEMP MACRO known(s) AS nullif(nullif(trim(s), ''), '-');

-- name: media_type
-- Media type without parameters, lower case; the many ways to say "unknown" are NULL.
CREATE OR REPLACE TEMP MACRO media_type(m) AS CASE
    WHEN lower(trim(split_part(m, ';', 1))) IN ('', '-', 'unk', 'unknown', 'no-type', 'null', 'none', 'unknown/unknown', 'warc/revisit')
    THEN NULL ELSE lower(trim(split_part(m, ';', 1))) END;

-- name: page_title
-- Without line breaks, control characters and repeated blanks, cut to what a person reads; '-' and nothing are NULL.
CREATE OR REPLACE TEMP MACRO page_title(t) AS nullif(nullif(trim(left(trim(
    CASE WHEN regexp_matches(t, '[\x00-\x1f\x7f-\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]|  ')
         THEN regexp_replace(t, '[\x00-\x20\x7f-\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]+', ' ', 'g')
         ELSE t END), 300)), ''), '-');

-- name: captures
CREATE OR REPLACE TEMP TABLE captures AS
WITH located AS (
    SELECT s.*, coalesce(p.origin, o.origin) AS origin, coalesce(p.host_name, o.host_name) AS host_name,
           coalesce(p.path, o.path) AS full_path, o.reason,
           CASE WHEN starts_with(s.digest, 'urn:') THEN known(s.digest[5:]) ELSE known(s.digest) END AS d, media_type(s.mime) AS media, s.mime = 'warc/revisit' AS is_revisit,
           nullif(try_cast(s.status AS SMALLINT), 0) AS code
    FROM staged AS s
    LEFT JOIN parsed AS p USING (position)
    LEFT JOIN odd AS o USING (position)
)
SELECT
    position, url, origin, host_name, full_path AS path, ip, redirect, revisit_of, user_id, is_revisit,
    CASE WHEN d IS NOT NULL THEN digest_kind(d) END AS fingerprint_kind,
    CASE WHEN d IS NOT NULL THEN digest_value(d) END AS fingerprint,
    capture_time(known(fetched_at)) AS fetched_at,
    code AS status,
    media AS mime,
    length,
    page_title(title) AS title,
    CASE
        WHEN problem IS NOT NULL THEN 'reject: ' || problem
        WHEN url IS NULL THEN 'reject: no URL'
        WHEN reason IS NOT NULL THEN 'reject: ' || reason
        WHEN code IN (301, 302, 303, 307, 308) THEN 'skip: redirect'
        WHEN NOT $all_types AND code <> 200 THEN 'skip: status ' || code
    END AS outcome
FROM located;

-- name: resolve_revisits
-- A revisit is of the type and title of what it repeats, where that is known from this file or from the database;
-- one without a digest takes the digest of the URL that it names.
UPDATE captures SET
    mime = coalesce(captures.mime, original.mime),
    title = coalesce(captures.title, original.title),
    fingerprint_kind = coalesce(captures.fingerprint_kind, original.fingerprint_kind),
    fingerprint = coalesce(captures.fingerprint, original.fingerprint)
FROM (
    SELECT r.position, any_value(coalesce(by_digest.mime, by_url.mime)) AS mime,
           any_value(coalesce(by_digest.title, by_url.title)) AS title,
           any_value(by_url.fingerprint_kind) AS fingerprint_kind, any_value(by_url.fingerprint) AS fingerprint
    FROM captures AS r
    LEFT JOIN (
        SELECT fingerprint_kind, fingerprint, min(mime) AS mime, min(title) AS title
        FROM (FROM captures SELECT fingerprint_kind, fingerprint, mime, title
              UNION ALL FROM urls SELECT fingerprint_kind, fingerprint, mime, title)
        WHERE (mime IS NOT NULL OR title IS NOT NULL) AND fingerprint IS NOT NULL GROUP BY ALL
    ) AS by_digest ON by_digest.fingerprint_kind = r.fingerprint_kind AND by_digest.fingerprint = r.fingerprint
    LEFT JOIN (
        SELECT url, min(mime) AS mime, min(title) AS title, min(fingerprint_kind) AS fingerprint_kind, min(fingerprint) AS fingerprint
        FROM (FROM captures SELECT url, mime, title, fingerprint_kind, fingerprint WHERE revisit_of IS NULL
              UNION ALL FROM urls JOIN origins USING (origin_id) SELECT origin || path, mime, title, fingerprint_kind, fingerprint)
        WHERE fingerprint IS NOT NULL GROUP BY url
    ) AS by_url ON by_url.url = r.revisit_of
    WHERE r.is_revisit OR r.revisit_of IS NOT NULL
    GROUP BY r.position
) AS original
WHERE captures.position = original.position;

-- name: skip_types
UPDATE captures SET outcome = 'skip: type ' || mime
WHERE outcome IS NULL AND mime IS NOT NULL AND NOT list_contains($page_types, mime);

-- name: skip_excluded
UPDATE captures SET outcome = 'skip: excluded host'
WHERE outcome IS NULL AND host_name IN (FROM excluded_hosts SELECT host);
