-- Rewrite forms: each candidate tried on every URL that it is for, and the form that it gives.
--
-- Whether that form is known already, with which content, says what speaks for a candidate
-- (sql/rewrite/55_rewrite_support). Contents lie in ten parts by their hash, for ten-fold
-- cross-validation.
-- What SQL does here, replicadb/rewrite/apply.py does to one URL: tests hold them equal.
-- Source: docs/method.md#rewrite-rules.
-- NULL form: the candidate is not for the URL.
--
-- reads: rewrite_candidates (sql/rewrite/40_rewrite_candidates), url_parts,
--   split_urls (sql/rewrite/20_rewritable_hosts), applicable, moved
-- writes: applicable, moved, known_forms
-- parameters: most_parameters

-- name: may_apply
-- What a URL must have for a candidate to change it, told by its text alone; moved says what the
-- candidate does.
CREATE OR REPLACE TEMP MACRO may_apply(kind, name, stem, query) AS CASE kind
    WHEN 'slash' THEN ends_with(stem, '/')
    WHEN 'index' THEN ends_with(stem, '/' || name)
    WHEN 'extension' THEN ends_with(stem, '.' || name)
    WHEN 'order' THEN contains(query, '&')
    WHEN 'matrix' THEN contains(stem, ';' || name || '=')
    WHEN 'case' THEN stem <> lower(stem)
    WHEN 'suffix' THEN contains(stem, name)
    WHEN 'segment' THEN contains(stem, '/' || name || '/')
    WHEN 'replace' THEN contains(stem, '/' || name)
    ELSE true
END;

-- name: applicable
-- Which URLs a candidate is for.
CREATE OR REPLACE TEMP TABLE applicable AS
WITH asking AS (
    SELECT url_id, place, string_split(query, '&') AS items
    FROM split_urls
    WHERE query <> '' AND strlen(query) - strlen(replace(query, '&', '')) < $most_parameters
),
names AS (
    SELECT
        url_id,
        place,
        unnest(list_distinct(list_transform(items, lambda i: split_part(i, '=', 1)))) AS name
    FROM asking
),
items AS (
    SELECT url_id, place, unnest(list_distinct(items)) AS item FROM asking
),
pairs AS (
    SELECT
        url_id,
        place,
        split_part(item, '=', 1) AS name,
        substr(item, strlen(split_part(item, '=', 1)) + 2) AS value
    FROM items
),
named AS (
    FROM rewrite_candidates WHERE kind IN ('param', 'to_path')
),
together AS (
    SELECT candidate, place, unnest(string_split(name, '&')) AS name
    FROM rewrite_candidates
    WHERE kind = 'params'
),
valued AS (
    FROM rewrite_candidates WHERE kind = 'param_is'
),
others AS (
    FROM rewrite_candidates WHERE kind NOT IN ('param', 'params', 'param_is', 'to_path')
)
SELECT c.candidate, url_id
FROM names
JOIN named AS c USING (place, name)
UNION ALL
SELECT c.candidate, url_id
FROM names AS p
JOIN (FROM named WHERE place = 0) AS c ON c.name = p.name
UNION ALL
SELECT DISTINCT c.candidate, url_id
FROM names
JOIN together AS c USING (place, name)
UNION ALL
SELECT DISTINCT c.candidate, url_id
FROM names AS p
JOIN (FROM together WHERE place = 0) AS c ON c.name = p.name
UNION ALL
SELECT DISTINCT c.candidate, url_id
FROM pairs
JOIN valued AS c USING (place, name, value)
UNION ALL
SELECT DISTINCT c.candidate, url_id
FROM pairs AS p
JOIN (FROM valued WHERE place = 0) AS c ON c.name = p.name AND c.value = p.value
UNION ALL
SELECT c.candidate, url_id
FROM split_urls
JOIN others AS c USING (place)
WHERE may_apply(kind, name, stem, query)
UNION ALL
SELECT c.candidate, url_id
FROM split_urls
JOIN (FROM others WHERE place = 0 AND kind NOT IN ('index', 'extension')) AS c
    ON may_apply(kind, name, stem, query)
UNION ALL
SELECT c.candidate, url_id
FROM split_urls AS p
JOIN (FROM others WHERE place = 0 AND kind = 'index') AS c
    ON c.name = split_part(p.stem, '/', -1)
WHERE may_apply(kind, name, stem, query)
UNION ALL
SELECT c.candidate, url_id
FROM split_urls AS p
JOIN (FROM others WHERE place = 0 AND kind = 'extension') AS c
    ON c.name = split_part(split_part(p.stem, '/', -1), '.', -1)
WHERE may_apply(kind, name, stem, query);

-- name: moved
-- Every URL with the form that a candidate gives it, where that is another. What a kind needs of
-- the URL: last and ending, the last segment and its extension; named, the parameters that the
-- candidate names, and unnamed, the others; stays, the first segment behind those that it deletes.
CREATE OR REPLACE TEMP TABLE moved AS
WITH tried AS (
    SELECT
        candidate,
        kind,
        name,
        value,
        position,
        p.*,
        CASE
            WHEN query <> '' AND kind IN ('param', 'params', 'param_is', 'order', 'to_path')
            THEN string_split(query, '&')
            ELSE []
        END AS items,
        CASE
            WHEN kind IN ('segment', 'segment_like', 'replace', 'swap')
            THEN string_split(stem, '/')
        END AS segments,
        CASE
            WHEN kind IN ('index', 'extension', 'suffix') THEN split_part(stem, '/', -1)
        END AS last
    FROM applicable
    JOIN split_urls AS p USING (url_id)
    JOIN rewrite_candidates AS c USING (candidate)
),
dissected AS (
    SELECT
        *,
        CASE
            WHEN kind IN ('extension', 'suffix') THEN regexp_extract(last, '\.[^.]*$')
        END AS ending,
        CASE
            WHEN kind = 'to_path'
            THEN list_filter(items, lambda i: split_part(i, '=', 1) = name)
        END AS named,
        CASE
            WHEN kind IN ('param', 'to_path')
            THEN list_filter(items, lambda i: split_part(i, '=', 1) <> name)
            WHEN kind = 'params'
            THEN list_filter(
                items,
                lambda i: NOT list_contains(string_split(name, '&'), split_part(i, '=', 1))
            )
        END AS unnamed,
        CASE kind
            WHEN 'segment'
            THEN list_filter(
                range(position + 1, len(segments) + 1),
                lambda i: i = len(segments) OR segments[i] <> name
            )[1]
            WHEN 'segment_like'
            THEN list_filter(
                range(position + 1, len(segments) + 1),
                lambda i: i = len(segments) OR NOT has_type(segments[i], name)
            )[1]
        END AS stays
    FROM tried
),
given AS (
    SELECT
        candidate,
        place,
        scheme,
        content,
        part,
        path,
        split_part(stem, '/', 2) AS section,
        CASE kind
            WHEN 'param' THEN with_items(stem, unnamed)
            WHEN 'params' THEN with_items(stem, unnamed)
            WHEN 'param_is'
            THEN with_items(
                stem,
                list_filter(
                    items,
                    lambda i:
                        split_part(i, '=', 1) <> name OR substr(i, strlen(name) + 2) <> value
                )
            )
            WHEN 'order' THEN with_items(stem, list_sort(items))
            WHEN 'slash' THEN with_query(coalesce(nullif(rtrim(stem, '/'), ''), '/'), path)
            WHEN 'case' THEN with_query(lower(stem), path)
            WHEN 'matrix'
            THEN with_query(
                replace(
                    array_to_string(
                        list_filter(
                            string_split(replace(stem, '/', ';/'), ';'),
                            lambda s: split_part(s, '=', 1) <> name OR NOT contains(s, '=')
                        ),
                        ';'
                    ),
                    ';/',
                    '/'
                ),
                path
            )
            WHEN 'index'
            THEN CASE
                WHEN last = name
                THEN with_query(left(stem, strlen(stem) - strlen(name)), path)
            END
            WHEN 'extension'
            THEN CASE
                WHEN ending = '.' || name AND last <> ending
                THEN with_query(
                    left(stem, strlen(stem) - strlen(ending))
                    || CASE WHEN value = '' THEN '' ELSE '.' || value END,
                    path
                )
            END
            WHEN 'suffix'
            THEN CASE
                WHEN
                    ends_with(left(last, strlen(last) - strlen(ending)), name)
                    AND strlen(last) - strlen(ending) > strlen(name)
                THEN with_query(
                    left(stem, strlen(stem) - strlen(ending) - strlen(name)) || ending, path
                )
            END
            WHEN 'replace'
            THEN CASE
                WHEN segments[position + 1] = name
                THEN with_query(
                    array_to_string(
                        segments[:position] || [value] || segments[position + 2:], '/'
                    ),
                    path
                )
            END
            WHEN 'segment'
            THEN CASE
                WHEN segments[position + 1] = name AND len(segments) > position + 1
                THEN with_query(
                    array_to_string(segments[:position] || segments[stays:], '/'), path
                )
            END
            WHEN 'segment_like'
            THEN CASE
                WHEN len(segments) > position + 1 AND has_type(segments[position + 1], name)
                THEN with_query(
                    array_to_string(segments[:position] || segments[stays:], '/'), path
                )
            END
            WHEN 'swap'
            THEN CASE
                WHEN
                    segments[position + 2] <> ''
                    AND segments[position + 1] <> ''
                    AND segments[position + 1] > segments[position + 2]
                THEN with_query(
                    array_to_string(
                        segments[:position]
                        || [segments[position + 2], segments[position + 1]]
                        || segments[position + 3:],
                        '/'
                    ),
                    path
                )
            END
            WHEN 'to_path'
            THEN CASE
                WHEN
                    len(named) = 1
                    AND regexp_full_match(substr(named[1], strlen(name) + 2), '[^/?#%;&\s]+')
                THEN with_items(
                    rtrim(stem, '/') || '/' || substr(named[1], strlen(name) + 2), unnamed
                )
            END
        END AS new_path
    FROM dissected
)
SELECT candidate, place, section, content, part, form_of(scheme, new_path) AS form
FROM given
WHERE new_path <> path;

-- name: known_forms
-- Content of the URLs that have one of those forms already.
CREATE OR REPLACE TEMP TABLE known_forms AS
SELECT place, form, min(content) AS content
FROM url_parts
SEMI JOIN moved USING (place, form)
GROUP BY place, form;
