-- URLs: which of them need no parser, their parts, and the site that they belong to.
--
-- An *ordinary* URL needs no parser: its scheme and host are in lower case, its host has letters,
-- digits and hyphens alone, it names no user and no port, and there is nothing in it that WHATWG
-- would encode, resolve or drop. Its origin, host and path are substrings. All others are *odd*
-- (replicadb/load/odd_urls.py). A path is what follows the origin, with its query string.
-- Source: WHATWG URL Standard, section 4. NULL of NULL.
--
-- reads: none
-- writes: none
-- parameters: none

-- name: is_ordinary
-- For a text without fragment.
CREATE OR REPLACE TEMP MACRO is_ordinary(u) AS
    regexp_full_match(u,
        'https?://(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]+'
        || '/[A-Za-z0-9!$&()*+,./:;=@_~%-]*(?:\?[A-Za-z0-9!$&()*+,./:;=@_~%?-]*)?')
    AND NOT contains(u, '/.')
    AND NOT contains(u, 'xn--')
    AND NOT contains(u, '%2e')
    AND NOT contains(u, '%2E');

-- name: host_fits
-- Its host has no more bytes than DNS allows (settings.HOST_MAX_BYTES); https:// is one longer.
CREATE OR REPLACE TEMP MACRO host_fits(u) AS
    strlen(u) <= 253 OR strpos(substr(u, 9), '/') <= 253;

-- name: needs_no_parser
-- An ordinary URL, with a fragment or without.
-- Control characters in a fragment are refused as elsewhere.
CREATE OR REPLACE TEMP MACRO needs_no_parser(u, max_bytes) AS
    CASE
        WHEN contains(u, '#')
        THEN is_ordinary(split_part(u, '#', 1)) AND NOT regexp_matches(u, '[\x00-\x1f\x7f]')
        ELSE is_ordinary(u)
    END
    AND strlen(u) <= max_bytes
    AND host_fits(u);

-- name: ordinary_path
-- What follows the host of an ordinary URL.
CREATE OR REPLACE TEMP MACRO ordinary_path(u, host_name) AS
    substr(u, strlen(host_name) + CASE WHEN starts_with(u, 'https') THEN 9 ELSE 8 END);

-- name: host_of
-- The host in an origin: without scheme and port.
CREATE OR REPLACE TEMP MACRO host_of(origin) AS
    regexp_replace(split_part(origin, '/', 3), ':[0-9]+$', '');

-- name: site_segment
-- The part of a path that belongs to the site under --site host+1: the first segment, where the
-- path goes on behind it.
CREATE OR REPLACE TEMP MACRO site_segment(site, path) AS CASE
    WHEN site = 'host+1' AND strpos(split_part(path, '?', 1)[2:], '/') > 0
    THEN '/' || split_part(path, '/', 2)
    ELSE '' END;

-- name: site_of
CREATE OR REPLACE TEMP MACRO site_of(site, host_name, domain, segment) AS
    CASE WHEN site = 'domain' THEN coalesce(domain, host_name) ELSE host_name || segment END;
