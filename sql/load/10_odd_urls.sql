-- URLs taken apart, set at a time.
--
-- An *ordinary* URL (scheme and LDH host in lower case, no userinfo or port, nothing that WHATWG would
-- encode, resolve or drop) needs no parser: origin, host and path are substrings. All others are *odd* and
-- go to a WHATWG parser, distinct ones only (replicadb/web/urls.py); what it says of them is the temporary table
-- odd_parsed, and every URL that is not in there is ordinary.
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

-- name: needs_no_parser
-- An ordinary URL with a fragment or without; control characters in a fragment are refused as elsewhere.
CREATE OR REPLACE TEMP MACRO needs_no_parser(u, max_bytes) AS
    CASE WHEN contains(u, '#') THEN is_ordinary(split_part(u, '#', 1)) AND NOT regexp_matches(u, '[\x00-\x1f\x7f]') ELSE is_ordinary(u) END
    AND strlen(u) <= max_bytes;

-- name: ordinary_path
-- What follows the host of an ordinary URL.
CREATE OR REPLACE TEMP MACRO ordinary_path(u, host_name) AS
    substr(u, strlen(host_name) + CASE WHEN starts_with(u, 'https') THEN 9 ELSE 8 END);

-- name: odd_urls
SELECT DISTINCT url FROM staged
WHERE problem IS NULL AND url IS NOT NULL
  AND NOT needs_no_parser(url, $max_bytes);

-- name: host_of
-- The host in an origin: without scheme and port.
CREATE OR REPLACE TEMP MACRO host_of(origin) AS regexp_replace(split_part(origin, '/', 3), ':[0-9]+$', '');
