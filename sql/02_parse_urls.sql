-- URLs taken apart, set at a time.
--
-- An *ordinary* URL (scheme and LDH host in lower case, no userinfo or port, nothing that WHATWG would
-- encode, resolve or drop) needs no parser: origin, host and path are substrings. All others are *odd* and
-- go to a WHATWG parser, distinct ones only (replicadb/readers/urls.py).
-- Source: WHATWG URL Standard, section 4. NULL url = the reader found none.

-- name: is_ordinary
-- For a text without fragment.
CREATE OR REPLACE TEMP MACRO is_ordinary(u) AS
    regexp_full_match(u,
        'https?://(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]+/[A-Za-z0-9!$&()*+,./:;=@_~%-]*(?:\?[A-Za-z0-9!$&()*+,./:;=@_~%?-]*)?')
    AND NOT contains(u, '/.')
    AND NOT contains(u, 'xn--')
    AND NOT contains(u, '%2e')
    AND NOT contains(u, '%2E');

-- name: ordinary_path
-- What follows the host of an ordinary URL.
CREATE OR REPLACE TEMP MACRO ordinary_path(u, host_name) AS
    substr(u, strlen(host_name) + CASE WHEN starts_with(u, 'https') THEN 9 ELSE 8 END);

-- name: split_ordinary
CREATE OR REPLACE TEMP TABLE parsed AS
WITH without_fragment AS (
    SELECT position, split_part(url, '#', 1) AS u, strlen(url) <= $max_bytes AS fits
    FROM staged
    WHERE problem IS NULL AND url IS NOT NULL
),
judged AS (
    SELECT position, u, fits AND is_ordinary(u) AS ordinary, split_part(u, '/', 3) AS host_name
    FROM without_fragment
)
SELECT
    position,
    CASE WHEN ordinary THEN split_part(u, '/', 1) || '//' || host_name END AS origin,
    CASE WHEN ordinary THEN host_name END AS host_name,
    CASE WHEN ordinary THEN ordinary_path(u, host_name) END AS path
FROM judged;

-- name: odd_urls
SELECT DISTINCT url FROM staged SEMI JOIN (FROM parsed WHERE origin IS NULL) USING (position);

-- name: join_odd
CREATE OR REPLACE TEMP TABLE odd AS
SELECT position, odd_parsed.origin, odd_parsed.host_name, odd_parsed.path, odd_parsed.reason
FROM (FROM parsed WHERE origin IS NULL) AS p
JOIN staged USING (position)
JOIN odd_parsed ON odd_parsed.url = staged.url;
