-- Recorded values in normal form: digests, times, media types and titles.
--
-- In a source, NULL, '-' and the empty string mean the same: not recorded. Each macro gives NULL
-- for these, and for what it cannot read.
-- Digests in Python: replicadb/web/digests.py (tested equal).
-- Source: RFC 4648 (base32).
--
-- reads: none
-- writes: none
-- parameters: none

-- name: trimmed
-- trim(s), ten times as quick where there is nothing to trim. It takes off all that Unicode calls a
-- space, so only a text of ASCII alone is left as it is.
CREATE OR REPLACE TEMP MACRO trimmed(s) AS CASE
    WHEN starts_with(s, ' ') OR ends_with(s, ' ') OR strlen(s) <> length(s) THEN trim(s)
    ELSE s END;

-- name: unless_blank
-- (One nullif in another would have its argument four times, and to plan is what a small source
-- costs.)
CREATE OR REPLACE TEMP MACRO unless_blank(s) AS CASE WHEN s NOT IN ('', '-') THEN s END;

-- name: base32_hex
-- A digest of 160 bits in base32 (upper case) as hex. Read as base64, in which letters are the same
-- numbers and 2 to 7 are 28 more, each character holds 5 of its 6 bits. Of each 48 bits, the 8
-- groups of 5 are then moved together, two by two, four by four, eight by eight.
-- (list_aggregate and not array_to_string: DuckDB's macros, and nullif is one, work out an argument
-- as often as they name it.)
CREATE OR REPLACE TEMP MACRO base32_hex(s) AS lower(list_aggregate(
    list_transform(list_transform(list_transform(list_transform(
        [from_base64(s[1:8])::BIT::BIGINT, from_base64(s[9:16])::BIT::BIGINT,
         from_base64(s[17:24])::BIT::BIGINT, from_base64(s[25:32])::BIT::BIGINT],
        lambda x: x - ((x & 142971416741920) >> 5) * 28),
        lambda x: (x & 4330384257087) | ((x & 277144592453568) >> 1)),
        lambda x: (x & 17163092991) | ((x & 70300028891136) >> 2)),
        lambda x: to_hex((x & 1048575) | ((x & 17592169267200) >> 4) | 1099511627776)[2:]),
    'string_agg', ''));

-- name: plain_digest
-- SHA-1 in lower-case hex, by far the most: both macros below leave it as it is.
CREATE OR REPLACE TEMP MACRO plain_digest(d) AS regexp_full_match(d, '[0-9a-f]{40}');

-- name: digest_kind
-- The algorithm: the recorded prefix, else what the value's form says.
-- Anything else is the user's own.
CREATE OR REPLACE TEMP MACRO digest_kind(d) AS CASE
    WHEN regexp_full_match(d, '[A-Za-z][A-Za-z0-9-]{1,19}:.+') THEN
        CASE lower(split_part(d, ':', 1))
            WHEN 'sha-1' THEN 'sha1'
            WHEN 'sha-256' THEN 'sha256'
            ELSE lower(split_part(d, ':', 1)) END
    WHEN regexp_full_match(d, '[0-9A-Fa-f]{32}') THEN 'md5'
    WHEN regexp_full_match(d, '[A-Z2-7]{32}|[0-9A-Fa-f]{40}') THEN 'sha1'
    WHEN regexp_full_match(d, '[0-9A-Fa-f]{64}') THEN 'sha256'
    ELSE 'other' END;

-- name: digest_value
-- Base32 decoded (160-bit digests), algorithm stripped, hex in lower case.
-- Other values stay as they are.
CREATE OR REPLACE TEMP MACRO digest_value(d) AS CASE
    WHEN regexp_full_match(d, '[0-9a-f]{32,64}') THEN d
    WHEN regexp_full_match(d, '(?:[A-Za-z0-9-]{2,20}:)?[A-Za-z2-7]{32}')
         AND NOT regexp_full_match(d, '(?:[Mm][Dd]5:)?[0-9A-Fa-f]{32}')
         AND (contains(d, ':') OR d = upper(d))
    THEN base32_hex(upper(right(d, 32)))
    WHEN regexp_full_match(d, '(?:[A-Za-z0-9-]{2,20}:)?[0-9A-Fa-f]+')
         AND (contains(d, ':') OR strlen(d) IN (32, 40, 64))
    THEN lower(regexp_extract(d, '[0-9A-Fa-f]+$'))
    WHEN regexp_full_match(d, '[A-Za-z][A-Za-z0-9-]{1,19}:.+') THEN substr(d, strpos(d, ':') + 1)
    ELSE d END;

-- name: known_digest
-- What programs write where there is none is no digest.
-- (No IN of so many: DuckDB makes a join of it, and works out digests where nobody asks for them.)
CREATE OR REPLACE TEMP MACRO known_digest(d) AS CASE
    WHEN NOT regexp_full_match(
        lower(trimmed(d)), '(?:-|0|n/a|na|nan|none|null|nil|undefined|unknown|false)?')
    THEN trimmed(d) END;

-- name: of_nothing
-- The MD5, SHA-1 or SHA-256 of no byte: pages without content have nothing in common.
CREATE OR REPLACE TEMP MACRO of_nothing(v) AS v IN (
    'd41d8cd98f00b204e9800998ecf8427e',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');

-- name: zone_minutes
-- Minutes east of Greenwich of a zone as Java or HTTP write it. Names that mean several (CST, IST,
-- BST) and unknown ones are taken for UTC.
CREATE OR REPLACE TEMP MACRO zone_minutes(z) AS CASE
    WHEN regexp_full_match(z, 'GMT[+-][0-9]{2}:[0-9]{2}')
    THEN (try_cast(z[5:6] AS INTEGER) * 60 + try_cast(z[8:9] AS INTEGER))
        * CASE z[4:4] WHEN '-' THEN -1 ELSE 1 END
    WHEN regexp_full_match(z, '[+-][0-9]{4}')
    THEN (try_cast(z[2:3] AS INTEGER) * 60 + try_cast(z[4:5] AS INTEGER))
        * CASE z[1:1] WHEN '-' THEN -1 ELSE 1 END
    ELSE coalesce(MAP {
        'EST': -300, 'EDT': -240, 'MST': -420, 'MDT': -360, 'PST': -480, 'PDT': -420,
        'BRT': -180, 'WEST': 60, 'CET': 60, 'CEST': 120, 'EET': 120, 'EEST': 180, 'MSK': 180,
        'HKT': 480, 'JST': 540, 'KST': 540, 'AEST': 600, 'AEDT': 660, 'NZST': 720, 'NZDT': 780
    }[z], 0) END;

-- name: capture_time
-- 14 digits (or fewer, cut from the right), ISO 8601 with any offset, seconds, milliseconds and
-- microseconds since 1970, or as Java, HTTP or Go write dates; in UTC. Seconds may have a fraction,
-- and digits one that a table of floating-point numbers put behind them. The first case is by far
-- the most. (The last one takes the blank before Go's offset away, and the zone's name and the
-- clock's reading behind it.)
CREATE OR REPLACE TEMP MACRO capture_time(t) AS CASE
    WHEN t IS NULL THEN NULL
    WHEN regexp_full_match(t, '(?:19|20)[0-9]{12}') THEN try_strptime(t, '%Y%m%d%H%M%S')
    WHEN regexp_full_match(t, '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]{8,15}Z?')
    THEN try_cast(t AS TIMESTAMP)
    WHEN regexp_full_match(t, '[0-9]+') THEN CASE
        WHEN strlen(t) = 13 THEN make_timestamp(try_cast(t AS BIGINT) * 1000)
        WHEN strlen(t) = 16 THEN make_timestamp(try_cast(t AS BIGINT))
        WHEN strlen(t) = 17 THEN try_strptime(left(t, 14), '%Y%m%d%H%M%S')
        WHEN strlen(t) BETWEEN 4 AND 14 AND strlen(t) % 2 = 0 AND t[1:2] IN ('19', '20')
        THEN coalesce(
            try_strptime(t || substr('00000101000000', strlen(t) + 1), '%Y%m%d%H%M%S'),
            CASE WHEN strlen(t) = 10 THEN make_timestamp(try_cast(t AS BIGINT) * 1000000) END)
        WHEN strlen(t) BETWEEN 9 AND 10 THEN make_timestamp(try_cast(t AS BIGINT) * 1000000) END
    WHEN regexp_full_match(t, '[0-9]{9,14}[.][0-9]+') THEN CASE strpos(t, '.')
        WHEN 15 THEN try_strptime(left(t, 14), '%Y%m%d%H%M%S')
        WHEN 14 THEN make_timestamp(try_cast(left(t, 13) AS BIGINT) * 1000)
        WHEN 11 THEN make_timestamp((try_cast(t AS DOUBLE) * 1000000)::BIGINT)
        WHEN 10 THEN make_timestamp((try_cast(t AS DOUBLE) * 1000000)::BIGINT) END
    WHEN regexp_full_match(
        t, '[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9 :]{11} [A-Z0-9+:-]+ [0-9]{4}'
        || '|[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} [A-Z0-9+-]+')
    THEN try_strptime(
            CASE WHEN t[4:4] = ',' THEN regexp_extract(t, ', (.*) ', 1)
                ELSE t[1:20] || right(t, 4) END,
            ['%a %b %d %H:%M:%S %Y', '%d %b %Y %H:%M:%S'])
        - to_minutes(zone_minutes(regexp_extract(t, '([^ ]+)(?: [0-9]{4})?$', 1)))
    ELSE try_cast(try_cast(
        regexp_replace(t, '^([0-9-]{10} [0-9:.]+) ([+-][0-9]{4})(?: .*)?$', '\1\2')
        AS TIMESTAMPTZ) AS TIMESTAMP) END;

-- name: of_the_web
-- Whether a time can be that of a capture: from 1900 to 2099, as the forms above have it.
-- "infinity" and year 290000 can not, and a page that has one would never be replaced.
CREATE OR REPLACE TEMP MACRO of_the_web(t) AS
    t BETWEEN TIMESTAMP '1900-01-01' AND TIMESTAMP '2099-12-31 23:59:59.999999';

-- name: status_code
-- An HTTP status, also with its words behind it ("404 Not Found"), or what the words of Nutch and
-- StormCrawler mean by it.
CREATE OR REPLACE TEMP MACRO status_code(s) AS coalesce(
    nullif(try_cast(s AS SMALLINT), 0),
    CASE lower(trim(s::VARCHAR))
        WHEN 'db_fetched' THEN 200
        WHEN 'db_notmodified' THEN 200
        WHEN 'db_duplicate' THEN 200
        WHEN 'fetched' THEN 200
        WHEN 'db_redir_perm' THEN 301
        WHEN 'db_redir_temp' THEN 302
        WHEN 'redirection' THEN 302
        WHEN 'db_gone' THEN 404
    END,
    try_cast(
        regexp_extract(s::VARCHAR, '^\s*(?:HTTP/[0-9.]+\s+)?([1-5][0-9]{2})(?:[^0-9]|$)', 1)
        AS SMALLINT))::SMALLINT;

-- name: moved_to
-- Where a redirect leads by what Nutch says of its fetch, alone or among other metadata; else NULL.
-- Source: Nutch, ProtocolStatus.toString and CrawlDbReader.
CREATE OR REPLACE TEMP MACRO moved_to(s) AS nullif(
    regexp_extract(
        s::VARCHAR,
        '(?:^|_pst_:)(?:temp_)?moved\(1[23]\), lastModified=-?[0-9]+: (.*?)(?:\|\|\||$)',
        1
    ),
    '');

-- name: of_the_body
-- The best digest of the body out of a Go program's map of digests; else NULL. What is no map stays
-- as it is.
-- Source: httpx, CSVRow of runner/runner.go, which prints "map[body_md5:... header_md5:...]".
CREATE OR REPLACE TEMP MACRO of_the_body(s) AS CASE
    WHEN NOT regexp_full_match(s::VARCHAR, 'map\[.*\]') THEN s::VARCHAR
    ELSE nullif(
        replace(
            coalesce(
                nullif(regexp_extract(s::VARCHAR, '\bbody_sha256:[0-9a-f]{64}\b'), ''),
                nullif(regexp_extract(s::VARCHAR, '\bbody_sha1:[0-9a-f]{40}\b'), ''),
                regexp_extract(s::VARCHAR, '\bbody_md5:[0-9a-f]{32}\b')),
            'body_', ''),
        '') END;

-- name: not_fetched
-- The word of those two for a URL of which there is no answer; else NULL.
CREATE OR REPLACE TEMP MACRO not_fetched(s) AS CASE
    WHEN try_cast(s AS INTEGER) IS NULL
         AND lower(trim(s::VARCHAR)) IN (
            'db_unfetched', 'db_orphan', 'discovered', 'fetch_error', 'error')
    THEN lower(trim(s::VARCHAR)) END;

-- name: among_equals
-- What decides between captures of one URL at one time, the greatest. Where the time is not known,
-- only whether there is a fingerprint: a page that came empty takes no text away. A newline is in
-- none of the values.
CREATE OR REPLACE TEMP MACRO among_equals(
    fetched_at, kind, fingerprint, title, mime, status, length, user_id
) AS
    CASE
        WHEN fetched_at IS NULL THEN if(fingerprint IS NULL, '', 'known')
        ELSE concat(
            kind, ':', fingerprint, chr(10), title, chr(10), mime, chr(10), status, chr(10), length,
            chr(10), user_id)
    END;

-- name: lent_at
-- Which of the captures of a URL a revisit without a digest repeats: the one with the greatest.
-- That is the last one before it, else the first one after it; one without a time comes last.
CREATE OR REPLACE TEMP MACRO lent_at(captured, revisited, kind, fingerprint) AS (
    coalesce(captured <= revisited, revisited IS NULL),
    coalesce(
        if(captured > revisited, -epoch_us(captured), epoch_us(captured)),
        -9223372036854775807),
    kind,
    fingerprint);

-- name: known
CREATE OR REPLACE TEMP MACRO known(s) AS unless_blank(trimmed(s));

-- name: media_type
-- Without parameters, in lower case. The many ways to say "unknown" are NULL; what tables call a
-- page in one word is its type.
-- (Functions of one column alone: DuckDB computes those once for each distinct value of a Parquet
-- dictionary.)
CREATE OR REPLACE TEMP MACRO media_type(m) AS
    CASE trim(regexp_extract(lower(m), '^[^;]*'))
        WHEN '-' THEN NULL
        WHEN 'unk' THEN NULL
        WHEN 'unknown' THEN NULL
        WHEN 'no-type' THEN NULL
        WHEN 'null' THEN NULL
        WHEN 'none' THEN NULL
        WHEN 'unknown/unknown' THEN NULL
        WHEN 'warc/revisit' THEN NULL
        WHEN 'html' THEN 'text/html'
        WHEN 'htm' THEN 'text/html'
        WHEN 'xhtml' THEN 'application/xhtml+xml'
        WHEN 'text' THEN 'text/plain'
        WHEN 'txt' THEN 'text/plain'
        WHEN 'pdf' THEN 'application/pdf'
        ELSE nullif(trim(regexp_extract(lower(m), '^[^;]*')), '') END;

-- name: page_title
-- Without line breaks, control characters and repeated blanks, cut to what a person reads.
CREATE OR REPLACE TEMP MACRO page_title(t) AS unless_blank(trim(left(trim(
    CASE
        WHEN regexp_matches(t,
            '[\x00-\x1f\x7f-\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}'
            || '\x{202f}\x{205f}\x{3000}\x{feff}]|  ')
        THEN regexp_replace(t,
            '[\x00-\x20\x7f-\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}'
            || '\x{202f}\x{205f}\x{3000}\x{feff}]+', ' ', 'g')
        ELSE t END), 300)));

-- name: odd_status
-- Whether a status is recorded of which nothing is understood: "OK" alone. 0 stands for none.
CREATE OR REPLACE TEMP MACRO odd_status(s) AS
    known(s::VARCHAR) IS NOT NULL
    AND try_cast(s AS INTEGER) IS NULL
    AND status_code(s) IS NULL
    AND not_fetched(s) IS NULL;
