-- URL parts: the URLs that rules are learned from, and what tells those of one content apart.
--
-- A path is taken in its canonical form so far, so that each round of learning sees what the last
-- one left. A round goes through the hosts that the last one changed; what is known of the others
-- stays. Pairs of a dup-cluster: of its $fan_out shortest forms each with the shortest and with the
-- one before it, never all pairs.
-- Source: docs/method.md#rewrite-rules. Dasgupta et al. (2008) pair all; choosing targets: Koppula
-- et al. (2010).
-- NULL fingerprint = content unknown: nothing is learned from such a URL.
--
-- reads: authorities, rewritten, reformed (sql/rewrite/10_first_forms),
--   repeating (sql/rewrite/20_rewritable_hosts), page_urls, url_parts, changed_places, form_pairs
-- writes: changed_places, url_parts, form_pairs, differences
-- parameters: longest, fan_out, most_parameters

-- name: changed_places
CREATE OR REPLACE TEMP TABLE changed_places AS
SELECT DISTINCT place
FROM reformed
JOIN authorities USING (origin_id)
JOIN repeating USING (authority);

-- name: old_parts
DELETE FROM url_parts WHERE place IN (FROM changed_places);

-- name: url_parts
INSERT INTO url_parts
WITH changed AS (
    SELECT a.*, r.place
    FROM authorities AS a
    JOIN repeating AS r USING (authority)
    WHERE r.place IN (FROM changed_places)
),
forms AS (
    SELECT
        u.url_id,
        a.place,
        a.scheme,
        coalesce(w.path, a.segment || u.path) AS path,
        content_of(u.fingerprint_kind, u.fingerprint) AS content
    FROM page_urls AS u
    JOIN changed AS a USING (origin_id)
    LEFT JOIN rewritten AS w USING (url_id)
    WHERE u.fingerprint IS NOT NULL
)
SELECT
    min(url_id) AS url_id,
    place,
    any_value(scheme) AS scheme,
    any_value(path) AS path,
    content,
    form_of(scheme, path) AS form
FROM forms
WHERE strlen(path) <= $longest
GROUP BY place, form_of(scheme, path), content;

-- name: form_pairs
CREATE OR REPLACE TEMP TABLE form_pairs AS
WITH several AS (
    SELECT place, content
    FROM url_parts
    WHERE place IN (FROM changed_places)
    GROUP BY place, content
    HAVING count(*) > 1
),
ranked AS (
    SELECT
        p.place,
        p.content,
        p.scheme,
        p.path,
        row_number() OVER w AS nth,
        lag(p.path) OVER w AS before,
        first_value(p.path) OVER w AS shortest
    FROM url_parts AS p
    SEMI JOIN several USING (place, content)
    WINDOW w AS (PARTITION BY p.place, p.content, p.scheme ORDER BY strlen(p.path), p.path)
),
paired AS (
    SELECT place, content, path AS source, shortest AS target
    FROM ranked
    WHERE nth BETWEEN 2 AND $fan_out
    UNION
    SELECT place, content, path, before
    FROM ranked
    WHERE nth BETWEEN 3 AND $fan_out
)
SELECT
    place,
    content,
    source,
    target,
    split_part(source, '?', 1) AS stem,
    split_part(target, '?', 1) AS to_stem,
    substr(source, strlen(split_part(source, '?', 1)) + 2) AS query,
    substr(target, strlen(split_part(target, '?', 1)) + 2) AS to_query
FROM paired
WHERE source <> target;

-- name: differences
-- What the longer form has that the other has not, and the other way round.
CREATE OR REPLACE TEMP TABLE differences AS
WITH split AS (
    SELECT
        *,
        CASE WHEN query = '' THEN [] ELSE string_split(query, '&') END AS items,
        CASE WHEN to_query = '' THEN [] ELSE string_split(to_query, '&') END AS to_items,
        string_split(stem, '/') AS segments,
        string_split(to_stem, '/') AS to_segments
    FROM form_pairs
    WHERE
        strlen(query) - strlen(replace(query, '&', '')) < $most_parameters
        AND strlen(to_query) - strlen(replace(to_query, '&', '')) < $most_parameters
)
SELECT
    *,
    list_filter(items, lambda i: NOT list_contains(to_items, i)) AS more,
    list_filter(to_items, lambda i: NOT list_contains(items, i)) AS less,
    list_filter(
        range(1, least(len(segments), len(to_segments)) + 1),
        lambda i: segments[i] <> to_segments[i]
    ) AS unequal
FROM split;
