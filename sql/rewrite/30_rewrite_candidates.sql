-- Rewrite candidates: the transformations that would make two URLs of one content equal, by host.
--
-- Reads the temporary table differences (60_url_parts). One row per host, kind of rule and what it names, with the contents that speak for it;
-- kinds are those of replicadb/rewrite/rewrite_rules.py. A transformation that the pairs of several hosts ask for is tried on any host, too (place 0);
-- a content speaks for one host only, the first that has it, so that mirrors of one site are one voice.
-- Positions of segments count from 1, the first behind the leading slash.

-- name: no_longer_asked_for
DELETE FROM asked_for WHERE place IN (FROM changed_places);

-- name: asked_for
INSERT INTO asked_for
WITH same_query AS (FROM differences WHERE len(more) = 0 AND len(less) = 0 AND query = to_query AND stem <> to_stem),
same_stem AS (FROM differences WHERE stem = to_stem),
parameters AS (
    SELECT place, content, more, less, unnest(list_distinct(list_transform(more || less, lambda i: split_part(i, '=', 1)))) AS name
    FROM same_stem WHERE len(more) + len(less) BETWEEN 1 AND 6
),
one_segment AS (  -- as many segments, one of them unequal
    SELECT *, unequal[1] AS spot, segments[unequal[1]] AS old, to_segments[unequal[1]] AS new, unequal[1] = len(segments) AS last
    FROM same_query WHERE len(segments) = len(to_segments) AND len(unequal) = 1
),
one_more AS (  -- one segment more; spot = where it stands
    SELECT *, coalesce(unequal[1], len(segments)) AS spot, segments[coalesce(unequal[1], len(segments))] AS old
    FROM same_query WHERE len(segments) = len(to_segments) + 1
)
SELECT place, content, 'param' AS kind, name, '' AS value, 0 AS position FROM parameters
UNION ALL
SELECT place, content, 'param_is', name, substr(more[1], strlen(name) + 2), 0 FROM parameters WHERE len(more) = 1 AND len(less) = 0
UNION ALL
SELECT place, content, 'order', '', '', 0 FROM same_stem WHERE len(more) = 0 AND len(less) = 0 AND list_sort(items) = list_sort(to_items)
UNION ALL
SELECT place, content, 'slash', '', '', 0 FROM same_query WHERE rtrim(stem, '/') = rtrim(to_stem, '/')
UNION ALL
SELECT place, content, 'case', '', '', 0 FROM same_query WHERE lower(stem) = lower(to_stem)
UNION ALL
SELECT place, content, 'matrix', unnest(list_distinct(regexp_extract_all(stem || '/' || to_stem, ';([^/;=]+)=', 1))), '', 0
FROM same_query WHERE regexp_replace(stem, ';[^/;]*', '', 'g') = regexp_replace(to_stem, ';[^/;]*', '', 'g')
UNION ALL
SELECT place, content, 'index', old, '', 0 FROM one_segment WHERE last AND new = '' AND strlen(old) < 40
UNION ALL
SELECT place, content, 'index', segments[-1], '', 0 FROM one_more WHERE spot = len(segments) AND strlen(segments[-1]) BETWEEN 1 AND 40
UNION ALL
SELECT place, content, 'extension', split_part(old, '.', -1), CASE WHEN contains(new, '.') THEN split_part(new, '.', -1) ELSE '' END, 0
FROM one_segment
WHERE last AND contains(old, '.') AND strlen(split_part(old, '.', -1)) BETWEEN 1 AND 8 AND NOT starts_with(old, '.')
  AND regexp_replace(old, '\.[^.]*$', '') = CASE WHEN contains(new, '.') THEN regexp_replace(new, '\.[^.]*$', '') ELSE new END
UNION ALL
SELECT place, content, 'suffix', substr(regexp_replace(old, '\.[^.]*$', ''), strlen(regexp_replace(new, '\.[^.]*$', '')) + 1), '', 0
FROM one_segment
WHERE last AND starts_with(regexp_replace(old, '\.[^.]*$', ''), regexp_replace(new, '\.[^.]*$', '')) AND regexp_extract(old, '\.[^.]*$') = regexp_extract(new, '\.[^.]*$')
  AND regexp_matches(substr(regexp_replace(old, '\.[^.]*$', ''), strlen(regexp_replace(new, '\.[^.]*$', '')) + 1), '^[-_.,~!][^/]{1,30}$') AND new <> ''
UNION ALL
SELECT place, content, 'replace', old, new, (spot - 1)::INTEGER FROM one_segment WHERE NOT last AND new <> '' AND strlen(old) <= 100
UNION ALL
SELECT place, content, 'segment', old, '', (spot - 1)::INTEGER FROM one_more WHERE spot < len(segments) AND strlen(old) BETWEEN 1 AND 100 AND segments[spot + 1:] = to_segments[spot:]
UNION ALL
SELECT place, content, 'segment_like', type_of(old), '', (spot - 1)::INTEGER FROM one_more WHERE spot < len(segments) AND type_of(old) IS NOT NULL AND segments[spot + 1:] = to_segments[spot:]
UNION ALL
SELECT place, content, 'segment_like', type_of(old), '', (spot - 1)::INTEGER FROM one_segment WHERE NOT last AND type_of(old) IS NOT NULL AND type_of(old) = type_of(new)
UNION ALL
SELECT place, content, 'swap', '', '', (unequal[1] - 1)::INTEGER FROM same_query
WHERE len(segments) = len(to_segments) AND len(unequal) = 2 AND unequal[2] = unequal[1] + 1 AND segments[unequal[1]] = to_segments[unequal[2]] AND segments[unequal[2]] = to_segments[unequal[1]]
UNION ALL
SELECT place, content, 'to_path', split_part(more[1], '=', 1), '', 0 FROM differences
WHERE len(more) = 1 AND len(less) = 0 AND to_stem = rtrim(stem, '/') || '/' || substr(more[1], strpos(more[1], '=') + 1) AND contains(more[1], '=');

-- name: nameable
-- Whether what a transformation names can be a rule's: parameters without a name (?&&=1) are none.
CREATE OR REPLACE TEMP MACRO nameable(kind, name) AS name IS NOT NULL AND (name <> '' OR kind IN ('order', 'slash', 'case', 'swap'));

-- name: rewrite_candidates
-- Those of the hosts that changed, and of any host. A host's own where $min_support contents ask for it (a parameter's own: one is enough where it stands at many of its values, see 62: support); any host's (place 0) where the pairs of $min_hosts hosts do. Of one kind on a host those most asked for.
CREATE OR REPLACE TEMP TABLE rewrite_candidates AS
WITH by_host AS (
    SELECT place, kind, name, value, position, count(DISTINCT content) AS contents, count(*) AS pairs FROM asked_for WHERE nameable(kind, name) GROUP BY ALL
),
first_hosts AS (
    SELECT kind, name, value, position, content, min(place) AS place FROM asked_for
    WHERE nameable(kind, name) AND kind NOT IN ('replace', 'segment', 'to_path', 'swap', 'segment_like') GROUP BY ALL
),
chosen AS (
    SELECT place, kind, name, value, position, contents FROM by_host
    WHERE contents >= $min_support OR (kind IN ('param', 'matrix') AND pairs >= $many_values AND 2 * contents >= $min_support)
    UNION ALL
    SELECT 0 AS place, kind, name, value, position, count(*) FROM first_hosts GROUP BY kind, name, value, position HAVING count(DISTINCT place) >= $min_hosts
),
most AS (
    FROM chosen QUALIFY row_number() OVER (PARTITION BY place, kind ORDER BY contents DESC, name, value, position) <= CASE WHEN place = 0 AND kind IN ('param', 'param_is', 'index', 'extension') THEN $most_anywhere ELSE $most_candidates END
)
SELECT row_number() OVER (ORDER BY place, kind, name, value, position)::INTEGER AS candidate, place, kind, name, value, position
FROM most WHERE place = 0 OR place IN (FROM changed_places);
