-- Rewrite candidates: what would make two URLs of one content equal, by host.
--
-- asked_for has a row for each host, content, kind of rule and name in the rule: a content that
-- supports the rule. Kinds are those of replicadb/rewrite/rewrite_rules.py. What the pairs of
-- several hosts ask for is tried on any host, too (place 0). There a content counts for one host
-- alone, the first that has it, so that mirrors of one site count once.
-- Of kind params are parameters that two URLs differ in together, as utm_source&utm_medium: where
-- they stand together on all URLs, none of them alone makes two URLs equal. What is kept of it is a
-- rule for each (replicadb/rewrite/rule_learning.py).
-- Positions of segments count from 1, the first behind the leading slash.
-- Source: docs/method.md#rewrite-rules.
-- NULL name: the difference is none that a rule can name.
--
-- reads: differences, changed_places (sql/rewrite/30_url_parts), asked_for
-- writes: asked_for, rewrite_candidates
-- parameters: min_support, many_values, min_hosts, most_anywhere, most_candidates, most_together

-- name: no_longer_asked_for
DELETE FROM asked_for WHERE place IN (FROM changed_places);

-- name: asked_for
-- one_segment: as many segments, one of them unequal. one_more: one segment more. spot: where that
-- one stands. old_name, new_name: without extension.
INSERT INTO asked_for
WITH same_query AS (
    FROM differences
    WHERE len(more) = 0 AND len(less) = 0 AND query = to_query AND stem <> to_stem
),
same_stem AS (
    FROM differences WHERE stem = to_stem
),
several_parameters AS (
    SELECT
        place,
        content,
        more,
        less,
        list_sort(
            list_distinct(list_transform(more || less, lambda i: split_part(i, '=', 1)))
        ) AS names
    FROM same_stem
    WHERE len(more) + len(less) BETWEEN 1 AND 6
),
parameters AS (
    SELECT place, content, more, less, unnest(names) AS name FROM several_parameters
),
one_segment AS (
    SELECT
        *,
        unequal[1] AS spot,
        segments[unequal[1]] AS old,
        to_segments[unequal[1]] AS new,
        unequal[1] = len(segments) AS last
    FROM same_query
    WHERE len(segments) = len(to_segments) AND len(unequal) = 1
),
last_segment AS (
    SELECT
        place,
        content,
        old,
        new,
        regexp_replace(old, '\.[^.]*$', '') AS old_name,
        regexp_replace(new, '\.[^.]*$', '') AS new_name
    FROM one_segment
    WHERE last
),
suffixes AS (
    SELECT place, content, substr(old_name, strlen(new_name) + 1) AS suffix
    FROM last_segment
    WHERE
        starts_with(old_name, new_name)
        AND regexp_extract(old, '\.[^.]*$') = regexp_extract(new, '\.[^.]*$')
        AND new <> ''
),
one_more AS (
    SELECT
        *,
        coalesce(unequal[1], len(segments)) AS spot,
        segments[coalesce(unequal[1], len(segments))] AS old
    FROM same_query
    WHERE len(segments) = len(to_segments) + 1
),
inserted AS (
    FROM one_more WHERE spot < len(segments) AND segments[spot + 1:] = to_segments[spot:]
)
SELECT place, content, 'param' AS kind, name, '' AS value, 0 AS position
FROM parameters
UNION ALL
SELECT place, content, 'param_is', name, substr(more[1], strlen(name) + 2), 0
FROM parameters
WHERE len(more) = 1 AND len(less) = 0
UNION ALL
SELECT place, content, 'params', array_to_string(names, '&'), '', 0
FROM several_parameters
WHERE len(names) > 1 AND NOT list_contains(names, '')
UNION ALL
SELECT place, content, 'order', '', '', 0
FROM same_stem
WHERE len(more) = 0 AND len(less) = 0 AND list_sort(items) = list_sort(to_items)
UNION ALL
SELECT place, content, 'slash', '', '', 0
FROM same_query
WHERE rtrim(stem, '/') = rtrim(to_stem, '/')
UNION ALL
SELECT place, content, 'case', '', '', 0
FROM same_query
WHERE lower(stem) = lower(to_stem)
UNION ALL
SELECT
    place,
    content,
    'matrix',
    unnest(list_distinct(regexp_extract_all(stem || '/' || to_stem, ';([^/;=]+)=', 1))),
    '',
    0
FROM same_query
WHERE regexp_replace(stem, ';[^/;]*', '', 'g') = regexp_replace(to_stem, ';[^/;]*', '', 'g')
UNION ALL
SELECT place, content, 'index', old, '', 0
FROM last_segment
WHERE new = '' AND strlen(old) < 40
UNION ALL
SELECT place, content, 'index', segments[-1], '', 0
FROM one_more
WHERE spot = len(segments) AND strlen(segments[-1]) BETWEEN 1 AND 40
UNION ALL
SELECT
    place,
    content,
    'extension',
    split_part(old, '.', -1),
    CASE WHEN contains(new, '.') THEN split_part(new, '.', -1) ELSE '' END,
    0
FROM last_segment
WHERE
    contains(old, '.')
    AND strlen(split_part(old, '.', -1)) BETWEEN 1 AND 8
    AND NOT starts_with(old, '.')
    AND old_name = new_name
UNION ALL
SELECT place, content, 'suffix', suffix, '', 0
FROM suffixes
WHERE regexp_matches(suffix, '^[-_.,~!][^/]{1,30}$')
UNION ALL
SELECT place, content, 'replace', old, new, (spot - 1)::INTEGER
FROM one_segment
WHERE NOT last AND new <> '' AND strlen(old) <= 100
UNION ALL
SELECT place, content, 'segment', old, '', (spot - 1)::INTEGER
FROM inserted
WHERE strlen(old) BETWEEN 1 AND 100
UNION ALL
SELECT place, content, 'segment_like', type_of(old), '', (spot - 1)::INTEGER
FROM inserted
WHERE type_of(old) IS NOT NULL
UNION ALL
SELECT place, content, 'segment_like', type_of(old), '', (spot - 1)::INTEGER
FROM one_segment
WHERE NOT last AND type_of(old) IS NOT NULL AND type_of(old) = type_of(new)
UNION ALL
SELECT place, content, 'swap', '', '', (unequal[1] - 1)::INTEGER
FROM same_query
WHERE
    len(segments) = len(to_segments)
    AND len(unequal) = 2
    AND unequal[2] = unequal[1] + 1
    AND segments[unequal[1]] = to_segments[unequal[2]]
    AND segments[unequal[2]] = to_segments[unequal[1]]
UNION ALL
SELECT place, content, 'to_path', split_part(more[1], '=', 1), '', 0
FROM differences
WHERE
    len(more) = 1
    AND len(less) = 0
    AND contains(more[1], '=')
    AND to_stem = rtrim(stem, '/') || '/' || substr(more[1], strpos(more[1], '=') + 1);

-- name: nameable
-- Whether what a transformation names can be a rule's: parameters without a name (?&&=1) are none.
CREATE OR REPLACE TEMP MACRO nameable(kind, name) AS
    name IS NOT NULL AND (name <> '' OR kind IN ('order', 'slash', 'case', 'swap'));

-- name: rewrite_candidates
-- Those of the hosts that changed, and of any host. A host's own where $min_support contents ask
-- for it; of a parameter one is enough where it stands at many of its values (support in
-- sql/rewrite/55_rewrite_support). Any host's (place 0) where the pairs of $min_hosts hosts do. Of
-- one kind on a host those most asked for.
CREATE OR REPLACE TEMP TABLE rewrite_candidates AS
WITH named AS (
    FROM asked_for WHERE nameable(kind, name)
),
by_host AS (
    SELECT
        place,
        kind,
        name,
        value,
        position,
        count(DISTINCT content) AS contents,
        count(*) AS pairs
    FROM named
    GROUP BY ALL
),
first_hosts AS (
    SELECT kind, name, value, position, content, min(place) AS place
    FROM named
    WHERE kind NOT IN ('replace', 'segment', 'to_path', 'swap', 'segment_like')
    GROUP BY ALL
),
chosen AS (
    SELECT place, kind, name, value, position, contents
    FROM by_host
    WHERE
        contents >= CASE WHEN kind = 'params' THEN 3 * $min_support ELSE $min_support END
        OR (
            kind IN ('param', 'matrix')
            AND pairs >= $many_values
            AND 2 * contents >= $min_support
        )
    UNION ALL
    SELECT 0 AS place, kind, name, value, position, count(*)
    FROM first_hosts
    GROUP BY kind, name, value, position
    HAVING count(DISTINCT place) >= $min_hosts
),
ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY place, kind ORDER BY contents DESC, name, value, position
        ) AS nth,
        CASE
            WHEN kind = 'params' THEN $most_together
            WHEN place = 0 AND kind IN ('param', 'param_is', 'index', 'extension')
            THEN $most_anywhere
            ELSE $most_candidates
        END AS most
    FROM chosen
)
SELECT
    row_number() OVER (ORDER BY place, kind, name, value, position)::INTEGER AS candidate,
    place,
    kind,
    name,
    value,
    position
FROM ranked
WHERE nth <= most AND (place = 0 OR place IN (FROM changed_places));
