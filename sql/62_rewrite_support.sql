-- Rewrite support: each candidate tried on every URL it is for, and how often the form it gives is known with the same content.
--
-- A match is a URL whose new form another known URL has, or is given too; it is an error where its content is not that of the URL that has
-- the form, or of most that are given it (METHOD section 10). Support counts different contents, so that one page that a site shows at
-- thousands of URLs (an error page, a login) speaks once. What SQL does here, replicadb/rewrite/apply.py does to one URL: tests hold them equal.

-- name: applicable
-- Which URLs a candidate is for.
CREATE OR REPLACE TEMP TABLE applicable AS
WITH parameters AS (
    SELECT url_id, place, unnest(list_distinct(list_transform(string_split(query, '&'), lambda i: split_part(i, '=', 1)))) AS name
    FROM url_parts
    WHERE query <> '' AND strlen(query) - strlen(replace(query, '&', '')) < $most_parameters
),
named AS (FROM rewrite_candidates WHERE kind IN ('param', 'param_is', 'to_path')),
others AS (FROM rewrite_candidates WHERE kind NOT IN ('param', 'param_is', 'to_path'))
SELECT c.candidate, url_id FROM parameters JOIN named AS c USING (place, name)
UNION ALL
SELECT c.candidate, url_id FROM parameters AS p JOIN (FROM named WHERE place = 0) AS c ON c.name = p.name
UNION ALL
SELECT c.candidate, url_id FROM url_parts JOIN others AS c USING (place)
UNION ALL
SELECT c.candidate, url_id FROM url_parts CROSS JOIN (FROM others WHERE place = 0) AS c;

-- name: moved
-- Every URL with the form that a candidate gives it, where that is another.
CREATE OR REPLACE TEMP TABLE moved AS
WITH tried AS (
    SELECT candidate, kind, name, value, position, p.*, CASE WHEN query = '' THEN [] ELSE string_split(query, '&') END AS items, string_split(stem, '/') AS segments,
           split_part(stem, '/', -1) AS last, regexp_extract(split_part(stem, '/', -1), '\.[^.]*$') AS ending
    FROM applicable JOIN url_parts AS p USING (url_id) JOIN rewrite_candidates AS c USING (candidate)
),
given AS (
    SELECT candidate, place, scheme, content, part, path, split_part(stem, '/', 2) AS section, CASE kind
        WHEN 'param' THEN with_items(stem, list_filter(items, lambda i: split_part(i, '=', 1) <> name))
        WHEN 'param_is' THEN with_items(stem, list_filter(items, lambda i: split_part(i, '=', 1) <> name OR substr(i, strlen(name) + 2) <> value))
        WHEN 'order' THEN with_items(stem, list_sort(items))
        WHEN 'slash' THEN with_query(coalesce(nullif(rtrim(stem, '/'), ''), '/'), path)
        WHEN 'case' THEN with_query(lower(stem), path)
        WHEN 'matrix' THEN with_query(array_to_string(list_filter(string_split(replace(stem, '/', ';/'), ';'), lambda s: split_part(s, '=', 1) <> name OR NOT contains(s, '=')), ';').replace(';/', '/'), path)
        WHEN 'index' THEN CASE WHEN last = name THEN with_query(left(stem, strlen(stem) - strlen(name)), path) END
        WHEN 'extension' THEN CASE WHEN ending = '.' || name AND last <> ending
            THEN with_query(left(stem, strlen(stem) - strlen(ending)) || CASE WHEN value = '' THEN '' ELSE '.' || value END, path) END
        WHEN 'suffix' THEN CASE WHEN ends_with(left(last, strlen(last) - strlen(ending)), name) AND strlen(last) - strlen(ending) > strlen(name)
            THEN with_query(left(stem, strlen(stem) - strlen(ending) - strlen(name)) || ending, path) END
        WHEN 'replace' THEN CASE WHEN segments[position + 1] = name
            THEN with_query(array_to_string(segments[:position] || [value] || segments[position + 2:], '/'), path) END
        WHEN 'segment' THEN CASE WHEN segments[position + 1] = name AND len(segments) > position + 1
            THEN with_query(array_to_string(segments[:position] || segments[position + 2:], '/'), path) END
        WHEN 'segment_like' THEN CASE WHEN len(segments) > position + 1 AND type_of(segments[position + 1]) = name
            THEN with_query(array_to_string(segments[:position] || segments[position + 2:], '/'), path) END
        WHEN 'swap' THEN CASE WHEN segments[position + 2] <> '' AND segments[position + 1] <> '' AND segments[position + 1] > segments[position + 2]
            THEN with_query(array_to_string(segments[:position] || [segments[position + 2], segments[position + 1]] || segments[position + 3:], '/'), path) END
        WHEN 'to_path' THEN CASE WHEN len(list_filter(items, lambda i: split_part(i, '=', 1) = name)) = 1
                AND regexp_full_match(substr(list_filter(items, lambda i: split_part(i, '=', 1) = name)[1], strlen(name) + 2), '[^/?#%;&\s]+')
            THEN with_items(rtrim(stem, '/') || '/' || substr(list_filter(items, lambda i: split_part(i, '=', 1) = name)[1], strlen(name) + 2),
                            list_filter(items, lambda i: split_part(i, '=', 1) <> name)) END
        END AS new_path
    FROM tried
)
SELECT candidate, place, section, content, part, hash(scheme, new_path) AS form FROM given WHERE new_path <> path;

-- name: known_forms
-- Content of the URLs that have one of those forms already.
CREATE OR REPLACE TEMP TABLE known_forms AS
SELECT place, form, min(content) AS content, min(part) AS part FROM url_parts SEMI JOIN moved USING (place, form) GROUP BY place, form;

-- name: support
-- By candidate, and by candidate and section (NULL: all), over the URLs whose part lies in $low ... $high - 1, known those below $known.
CREATE OR REPLACE TEMP TABLE support AS
WITH counted AS (
    SELECT candidate, place, form, content, min(section) AS section, count(*) AS n, count(*) FILTER (part >= $low AND part < $high) AS told
    FROM moved WHERE part < $known GROUP BY candidate, place, form, content
),
judged AS (
    SELECT c.*, k.content AS known, sum(c.n) OVER w AS together, first_value(c.content) OVER (w ORDER BY c.n DESC, c.content ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS commonest
    FROM counted AS c LEFT JOIN (FROM known_forms WHERE part < $known) AS k USING (place, form)
    WINDOW w AS (PARTITION BY c.candidate, c.place, c.form)
),
matched AS (
    SELECT candidate, section, place, told, content, content = coalesce(known, commonest) AS agreed, n > 1 OR known IS NOT NULL AS shown
    FROM judged WHERE together > 1 OR known IS NOT NULL
)
SELECT candidate, section, grouping(section) = 1 AS anywhere, sum(told)::BIGINT AS matches, coalesce(sum(told) FILTER (NOT agreed), 0)::BIGINT AS errors,
       count(DISTINCT content) FILTER (agreed AND shown AND told > 0) AS support, count(DISTINCT place) FILTER (agreed AND shown) AS hosts
FROM matched
GROUP BY GROUPING SETS ((candidate), (candidate, section));

-- name: schemes
-- Authorities known by http and by https: equal paths with equal content, by part.
CREATE OR REPLACE TEMP TABLE schemes AS
SELECT p.place, count(*) FILTER (p.part < $held_out) AS matches, count(*) FILTER (p.part < $held_out AND p.content <> s.content) AS errors,
       count(DISTINCT p.content) FILTER (p.part < $held_out AND p.content = s.content) AS support,
       count(*) FILTER (p.part >= $held_out) AS test_matches, count(*) FILTER (p.part >= $held_out AND p.content <> s.content) AS test_errors
FROM (FROM url_parts WHERE scheme = 'http') AS p
JOIN (FROM url_parts WHERE scheme = 'https') AS s USING (place, path)
GROUP BY p.place;

-- name: bare_hosts
-- Hosts www.NAME and NAME, likewise; schemes do not count here.
CREATE OR REPLACE TEMP TABLE bare_hosts AS
WITH twins AS (
    SELECT w.origin_id AS www_id, b.origin_id AS bare_id, w.authority
    FROM authorities AS w JOIN authorities AS b ON w.authority = 'www.' || b.authority
),
contents AS (
    SELECT origin_id, segment || path AS path, hash(fingerprint_kind, fingerprint) AS content FROM urls JOIN authorities USING (origin_id) WHERE fingerprint IS NOT NULL
)
SELECT t.authority, count(*) FILTER (p.content % 10 < $held_out) AS matches, count(*) FILTER (p.content % 10 < $held_out AND p.content <> b.content) AS errors,
       count(DISTINCT p.content) FILTER (p.content % 10 < $held_out AND p.content = b.content) AS support,
       count(*) FILTER (p.content % 10 >= $held_out) AS test_matches, count(*) FILTER (p.content % 10 >= $held_out AND p.content <> b.content) AS test_errors
FROM twins AS t
JOIN contents AS p ON p.origin_id = t.www_id
JOIN contents AS b ON b.origin_id = t.bare_id AND b.path = p.path
GROUP BY t.authority;
