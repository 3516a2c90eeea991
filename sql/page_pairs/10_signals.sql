-- Page signals: the pages that a list of pairs names, and what the signals are computed from.
--
-- pairs_given: i, url_a, url_b as the file has them. URLs are brought into the normal form of the
-- database by the macros of functions/20_urls. Only the newest capture of a URL counts.
-- Source: docs/method.md#page-signals (Huffman et al. 2007, section 3.2).
-- NULL = not loaded with --content, or not rendered.
--
-- reads: pairs_given, odd_named_parsed, urls, origins, hosts, texts_of_urls, rendered_pages,
--   borrowed_texts
-- writes: named_pages, named_pairs, needs_browser (a view), bodies (a view), wanted_pages (all
--   temporary)
-- parameters: max_bytes, sample

-- name: odd_named
-- Those that need a parser.
SELECT url
FROM (SELECT url_a AS url FROM pairs_given UNION SELECT url_b FROM pairs_given)
WHERE url IS NOT NULL AND NOT needs_no_parser(url, $max_bytes);

-- name: named_pages
-- site = registrable domain; the host itself where it has none (an address, a bare suffix).
CREATE OR REPLACE TEMP TABLE named_pages AS
WITH named_urls AS (
    SELECT url_a AS url FROM pairs_given
    UNION
    SELECT url_b FROM pairs_given
),
located AS (
    SELECT
        g.url,
        CASE
            WHEN o.url IS NOT NULL THEN o.origin || o.path
            WHEN contains(g.url, '#') THEN split_part(g.url, '#', 1)
            ELSE g.url
        END AS full_url
    FROM named_urls AS g
    LEFT JOIN odd_named_parsed AS o USING (url)
)
SELECT l.url, u.url_id, coalesce(h.domain, o.host_name) AS site, o.host_name, u.path
FROM urls AS u
JOIN origins AS o USING (origin_id)
JOIN located AS l ON l.full_url = o.origin || u.path
JOIN hosts AS h ON h.host_id = u.host_id;

-- name: named_pairs
-- -1 = a page that the database does not have. Distances: edits for each character of the longer,
-- of the first 300 of a path; ours, after Huffman et al. (2007), section 6. A last segment is what
-- stands behind the last slash but one at the end, without the query; none says nothing.
CREATE OR REPLACE TEMP TABLE named_pairs AS
WITH cut_pages AS (
    SELECT
        *,
        left(path, 300) AS begun,
        nullif(regexp_extract(split_part(path, '?', 1), '([^/]*)/?$', 1), '') AS segment
    FROM named_pages
)
SELECT
    g.i,
    coalesce(a.url_id, -1) AS a_id,
    coalesce(b.url_id, -1) AS b_id,
    (CASE WHEN a.url_id IS NULL OR b.url_id IS NULL THEN NULL ELSE a.site = b.site END)::DOUBLE
        AS same_domain,
    (a.path = b.path)::DOUBLE AS same_path,
    CASE
        WHEN (a.segment IS NOT NULL OR b.segment IS NOT NULL) AND a.url_id + b.url_id >= 0
            THEN (a.segment IS NOT DISTINCT FROM b.segment)::DOUBLE
    END AS same_last_segment,
    round(
        levenshtein(a.host_name, b.host_name)
        / greatest(length(a.host_name), length(b.host_name)), 6
    ) AS host_distance,
    round(levenshtein(a.begun, b.begun) / greatest(length(a.begun), length(b.begun)), 6)
        AS path_distance
FROM pairs_given AS g
LEFT JOIN cut_pages AS a ON a.url = g.url_a
LEFT JOIN cut_pages AS b ON b.url = g.url_b;

-- name: fetched
-- What the pages look like as they were fetched.
CREATE OR REPLACE TEMP VIEW bodies AS
SELECT
    url_id,
    title,
    coalesce(text, '') AS text,
    coalesce(body, text, '') AS body,
    length,
    headings
FROM texts_of_urls;

-- name: rendered
-- What they look like in a browser.
CREATE OR REPLACE TEMP VIEW bodies AS
SELECT
    url_id,
    title,
    coalesce(text, '') AS text,
    coalesce(body, text, '') AS body,
    length,
    NULL::VARCHAR AS headings
FROM rendered_pages
SEMI JOIN urls USING (url_id);

-- name: needs_browser
-- Pages that look as if they needed one: frames, a redirect by the page itself, or hardly any text.
CREATE OR REPLACE TEMP VIEW needs_browser AS
SELECT
    url_id,
    coalesce(regexp_matches(body, '(?i)<i?frame|http-equiv\s*=\s*.?refresh'), false)
    OR length(coalesce(text, '')) < 400 AS needed
FROM texts_of_urls;

-- name: rendered_where_needed
-- What those look like in a browser, and the others as fetched.
CREATE OR REPLACE TEMP VIEW bodies AS
SELECT
    c.url_id,
    CASE WHEN n.needed THEN r.title ELSE c.title END AS title,
    coalesce(CASE WHEN n.needed THEN r.text ELSE c.text END, '') AS text,
    coalesce(CASE WHEN n.needed THEN r.body ELSE c.body END, c.text, '') AS body,
    CASE WHEN n.needed THEN r.length ELSE c.length END AS length,
    NULL::VARCHAR AS headings
FROM texts_of_urls AS c
JOIN needs_browser AS n USING (url_id)
JOIN rendered_pages AS r USING (url_id);

-- name: wanted_pages
-- After each of the two: the pages to be read, in their order. They are those of the pairs, and the
-- sample that document frequencies are counted in. A page of which an index alone says that it
-- equals another is not drawn for that.
CREATE OR REPLACE TEMP TABLE wanted_pages AS
WITH sampled AS (
    SELECT b.url_id
    FROM bodies AS b
    JOIN urls AS u USING (url_id)
    JOIN origins AS o USING (origin_id)
    ANTI JOIN (FROM borrowed_texts WHERE NOT compared) AS n ON n.url_id = b.url_id
    ORDER BY md5(o.origin || u.path), b.url_id
    LIMIT $sample
),
paired AS (
    SELECT a_id AS url_id FROM named_pairs
    UNION
    SELECT b_id FROM named_pairs
),
either AS (
    SELECT url_id FROM sampled
    UNION
    SELECT url_id FROM paired
)
SELECT
    row_number() OVER (ORDER BY url_id) - 1 AS i,
    url_id,
    s.url_id IS NOT NULL AS sampled,
    p.url_id IS NOT NULL AS paired
FROM (SELECT url_id FROM bodies)
JOIN either USING (url_id)
LEFT JOIN sampled AS s USING (url_id)
LEFT JOIN paired AS p USING (url_id);
