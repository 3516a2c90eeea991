-- Explanations: why a pair stands where it does, for any DuckDB shell.
--
-- Macros of two hosts in any order and spelling. A pair that is no candidate gives no row, a host
-- that is not there an error with the nearest names.
--
-- reads: cuts, dup_clusters, evidence_interactions, evidence_weights, hosts, meta, near_contents,
--   non_replicas, origins, page_urls, pair_features, shared_neighbours, patterns, runs, superseded,
--   urls
-- writes: pair_patterns
-- parameters: none

-- name: pair_patterns
-- A value lies in bin i + 1 when it is above i cuts; NULL in bin 0.
CREATE OR REPLACE VIEW internal.pair_patterns AS
WITH bounds AS (
    SELECT
        list(high) FILTER (feature = 'ndist') AS ndist,
        list(high) FILTER (feature = 'nmatch') AS nmatch,
        list(high) FILTER (feature = 'ip4') AS ip4,
        list(high) FILTER (feature = 'ip3') AS ip3,
        list(high) FILTER (feature = 'fullpath') AS fullpath
    FROM internal.cuts WHERE bin > 0
),
binned AS (
    SELECT f.a_id, f.b_id, f.label,
           1 + len(list_filter(c.ndist, lambda h: f.ndist > h)) AS ndist,
           1 + len(list_filter(c.nmatch, lambda h: f.nmatch > h)) AS nmatch,
           CASE
               WHEN f.ip4 IS NULL THEN 0
               ELSE 1 + len(list_filter(c.ip4, lambda h: f.ip4 > h))
           END AS ip4,
           CASE
               WHEN f.ip3 IS NULL THEN 0
               ELSE 1 + len(list_filter(c.ip3, lambda h: f.ip3 > h))
           END AS ip3,
           1 + len(list_filter(c.fullpath, lambda h: f.fullpath > h)) AS fullpath
    FROM (FROM internal.pair_features UNION ALL FROM internal.non_replicas) AS f
    CROSS JOIN bounds AS c
)
SELECT b.a_id, b.b_id, b.label, p.pattern_id
FROM binned AS b
JOIN internal.patterns AS p
    ON p.ndist = b.ndist
    AND p.nmatch = b.nmatch
    AND p.ip4 = b.ip4
    AND p.ip3 = b.ip3
    AND p.fullpath = b.fullpath;

-- name: host_named
-- A host in any spelling: as it is here, or with scheme or // before it, capitals, port, path, or
-- brackets around its dots, as reports write a name lest anybody follow it. Where sites are hosts
-- with a path segment, the segment counts: what names a folder never means the host without it, but
-- the URL of a page in no folder does (replicadb/web/domains.py). In an error stand the names that
-- are most like it, whether with www or without.
CREATE OR REPLACE MACRO internal.host_named(given) AS (
    WITH text AS (
        SELECT regexp_replace(
            regexp_replace(trim(given), '\[[.]\]|[(][.][)]|\[dot\]', '.', 'gi'),
            '^([A-Za-z][A-Za-z0-9+.-]*:)?//|[?#].*$', '', 'g'
        ) AS rest
    ),
    parts AS (
        SELECT
            lower(
                regexp_replace(split_part(rest, '/', 1), '^.*@|[.]?(:[0-9]*)?$', '', 'g')
            ) AS name,
            split_part(rest, '/', 2) AS segment
        FROM text
    ),
    spelled AS (
        SELECT given AS host, 0 AS place
        UNION ALL SELECT name || '/' || segment, 1 FROM parts
        UNION ALL
        SELECT name, 2
        FROM parts
        WHERE
            segment = ''
            OR regexp_full_match(trim(given), '([A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*/[^/?#]*([?#].*)?')
            OR (SELECT value FROM internal.meta WHERE key = 'site') IS DISTINCT FROM 'host+1'
    ),
    known AS (
        SELECT min_by(h.host, s.place) AS host
        FROM spelled AS s
        JOIN main.hosts AS h ON h.host = s.host
    ),
    likest AS (
        SELECT
            h.host,
            greatest(
                jaro_winkler_similarity(h.host, p.name),
                jaro_winkler_similarity(
                    regexp_replace(h.host, '^www[0-9]*[.]', ''),
                    regexp_replace(p.name, '^www[0-9]*[.]', '')
                )
            ) AS likeness
        FROM main.hosts AS h
        CROSS JOIN parts AS p
        CROSS JOIN known AS k
        WHERE k.host IS NULL
        ORDER BY likeness DESC, h.host
        LIMIT 3
    ),
    nearest AS (
        SELECT string_agg(host, ', ' ORDER BY likeness DESC, host) AS names FROM likest
    )
    SELECT CASE
        WHEN k.host IS NOT NULL THEN k.host
        WHEN given IS NOT NULL THEN error(
            'no host ' || given || ' here; the nearest names: ' || coalesce(n.names, 'none')
        )
    END
    FROM known AS k
    CROSS JOIN nearest AS n
);

-- name: contents_of
-- The content of each page and file of two hosts, ids of which are given; near = it is a cluster of
-- near duplicates. Where loads came or went since the detection that made clusters, a page that it
-- did not see is of the cluster of its digest, as sql/functions/80_near_contents has it for all.
CREATE OR REPLACE MACRO internal.contents_of(one_id, other_id) AS TABLE
WITH held AS MATERIALIZED (
    SELECT
        u.url_id,
        u.host_id,
        u.fingerprint_kind AS own_kind,
        u.fingerprint AS own,
        n.fingerprint_kind,
        n.fingerprint
    FROM internal.urls AS u
    LEFT JOIN internal.near_contents AS n USING (url_id)
    WHERE u.host_id IN (one_id, other_id)
),
came AS MATERIALIZED (
    SELECT DISTINCT own_kind, own
    FROM held
    WHERE
        fingerprint IS NULL
        AND own IS NOT NULL
        AND (SELECT max_by(command, run_id) <> 'detect' FROM history.runs
             WHERE command IN ('load', 'unload', 'detect'))
),
captures AS (
    SELECT url_id, fingerprint_kind, fingerprint FROM internal.urls
    UNION ALL
    SELECT url_id, fingerprint_kind, fingerprint FROM internal.superseded
),
of_digests AS (
    SELECT c.own_kind, c.own, n.fingerprint_kind, min(n.fingerprint) AS fingerprint
    FROM came AS c
    JOIN captures AS k ON k.fingerprint_kind = c.own_kind AND k.fingerprint = c.own
    JOIN internal.near_contents AS n USING (url_id)
    GROUP BY c.own_kind, c.own, n.fingerprint_kind
)
SELECT
    h.url_id,
    h.host_id,
    coalesce(h.fingerprint, d.fingerprint) IS NOT NULL AS near,
    coalesce(h.fingerprint_kind, d.fingerprint_kind, h.own_kind) AS content_kind,
    coalesce(h.fingerprint, d.fingerprint, h.own) AS content
FROM held AS h
LEFT JOIN of_digests AS d ON h.fingerprint IS NULL AND d.own_kind = h.own_kind AND d.own = h.own;

-- name: shared_pages
-- A row for each page or file that stands on both, at most as many as the fewer of both have: of
-- each content the URLs at one path, then what is left by the order of paths.
CREATE OR REPLACE MACRO main.shared_pages(a, b) AS TABLE
WITH sides (side, host) AS MATERIALIZED (
    VALUES ('a', internal.host_named(a)), ('b', internal.host_named(b))
),
held AS (
    SELECT
        s.side,
        o.origin || u.path AS url,
        u.path,
        u.fingerprint,
        u.asset IS true AS file,
        c.near,
        c.content_kind,
        c.content
    FROM internal.contents_of(
        (SELECT host_id FROM hosts JOIN sides USING (host) WHERE side = 'a'),
        (SELECT host_id FROM hosts JOIN sides USING (host) WHERE side = 'b')
    ) AS c
    JOIN internal.urls AS u USING (url_id)
    JOIN internal.origins AS o USING (origin_id)
    JOIN hosts AS h ON h.host_id = c.host_id
    JOIN sides AS s ON s.host = h.host
    WHERE c.content IS NOT NULL
),
at_path AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY side, content_kind, content, path ORDER BY url
        ) AS place
    FROM held
),
matched AS (
    SELECT
        *,
        count(*) OVER (PARTITION BY content_kind, content, path, place) = 2 AS same_path
    FROM at_path
),
numbered AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY side, content_kind, content, same_path ORDER BY path, place
        ) AS number
    FROM matched
)
SELECT x.url AS url_a, y.url AS url_b, x.fingerprint, x.same_path,
       coalesce(d.n_hosts, 1) AS hosts_with_it,
       x.near AND (x.fingerprint IS DISTINCT FROM y.fingerprint) AS near,
       x.file OR y.file AS file
FROM numbered AS x
JOIN numbered AS y
    ON y.content = x.content
    AND y.content_kind = x.content_kind
    AND y.same_path = x.same_path
    AND y.number = x.number
LEFT JOIN internal.dup_clusters AS d
    ON d.fingerprint = x.content
    AND d.fingerprint_kind = x.content_kind
WHERE x.side = 'a' AND y.side = 'b';

-- name: pages_to_fetch
-- Pages that one of the two is known to have and the other is not: what to fetch there to know,
-- where most of the other's pages stand (or its files: of these alone nothing else is known).
CREATE OR REPLACE MACRO main.pages_to_fetch(a, b) AS TABLE
WITH named AS MATERIALIZED (
    SELECT unnest([internal.host_named(a), internal.host_named(b)]) AS host
),
known AS NOT MATERIALIZED (
    SELECT h.host, o.origin, u.path, coalesce(d.n_hosts, 1) AS hosts_with_it
    FROM internal.page_urls AS u
    JOIN internal.origins AS o USING (origin_id)
    JOIN hosts AS h ON h.host_id = u.host_id
    LEFT JOIN internal.near_contents AS n USING (url_id)
    LEFT JOIN internal.dup_clusters AS d
        ON d.fingerprint = coalesce(n.fingerprint, u.fingerprint)
        AND d.fingerprint_kind = coalesce(n.fingerprint_kind, u.fingerprint_kind)
    WHERE
        coalesce(n.fingerprint, u.fingerprint) IS NOT NULL
        AND h.host IN (SELECT host FROM named)
),
homes AS NOT MATERIALIZED (
    SELECT
        h.host,
        coalesce(
            mode(o.origin ORDER BY o.origin) FILTER (u.asset IS NOT true),
            mode(o.origin ORDER BY o.origin)
        ) AS origin
    FROM internal.urls AS u
    JOIN internal.origins AS o USING (origin_id)
    JOIN hosts AS h ON h.host_id = u.host_id
    WHERE h.host IN (SELECT host FROM named)
    GROUP BY h.host
)
SELECT t.origin || k.path AS url, k.origin || k.path AS compare_with, k.hosts_with_it
FROM known AS k
JOIN homes AS t ON t.host <> k.host
WHERE NOT EXISTS (
    SELECT 1 FROM internal.page_urls AS u
    JOIN internal.origins AS o USING (origin_id)
    JOIN hosts AS h ON h.host_id = u.host_id
    WHERE h.host = t.host AND u.path = k.path
)
QUALIFY row_number() OVER (PARTITION BY t.host, k.path ORDER BY k.hosts_with_it, k.origin) = 1
ORDER BY k.hosts_with_it, length(k.path), url, compare_with;

-- name: evidence_of
-- Why method robust ranks a pair as it does: what each piece of evidence adds to its strength, half
-- of what it adds together with another counted to each (their Shapley values), and what the
-- relational evidence adds, as `shared_neighbours`. The largest come first; a constant is left out.
CREATE OR REPLACE MACRO main.evidence_of(a, b) AS TABLE
WITH named AS MATERIALIZED (
    SELECT internal.host_named(a) AS host_a, internal.host_named(b) AS host_b
),
pair AS (
    SELECT f.* FROM named AS n
    JOIN hosts AS ha ON ha.host = least(n.host_a, n.host_b)
    JOIN hosts AS hb ON hb.host = greatest(n.host_a, n.host_b)
    JOIN internal.pair_features AS f ON f.a_id = ha.host_id AND f.b_id = hb.host_id
),
features AS (
    SELECT COLUMNS(* EXCLUDE (a_id, b_id, label, shared, similarity))::DOUBLE FROM pair
),
found AS (
    FROM features UNPIVOT INCLUDE NULLS (value FOR feature IN (COLUMNS(*)))
),
binned AS (
    SELECT w.feature, w.bin, f.value, w.low, w.high, w.weight
    FROM found AS f
    JOIN internal.evidence_weights AS w
        ON w.feature = f.feature
        AND CASE
            WHEN f.value IS NULL THEN w.bin = 0
            ELSE f.value > w.low AND f.value <= w.high
        END
),
together AS (
    SELECT x.feature AS one, y.feature AS other, i.weight
    FROM internal.evidence_interactions AS i
    JOIN binned AS x ON x.feature = i.feature AND x.bin = i.bin
    JOIN binned AS y ON y.feature = i.other_feature AND y.bin = i.other_bin
),
halves AS (
    SELECT feature, sum(weight) / 2 AS weight
    FROM (SELECT one AS feature, weight FROM together UNION ALL SELECT other, weight FROM together)
    GROUP BY feature
)
SELECT feature, value, low, high, contribution
FROM (
    SELECT
        b.feature,
        b.value,
        b.low,
        b.high,
        b.weight + coalesce(h.weight, 0) AS contribution
    FROM binned AS b
    LEFT JOIN halves AS h USING (feature)
    UNION ALL
    SELECT 'shared_neighbours', c.overlap, NULL, NULL, c.added
    FROM internal.shared_neighbours AS c
    JOIN pair USING (a_id, b_id)
    WHERE c.added <> 0
)
ORDER BY abs(contribution) DESC, feature;

-- name: projected_training_set
-- Paper section 3.2, Table 1: the examples that share a bin with the pair, features that differ
-- left out (NULL).
CREATE OR REPLACE MACRO main.projected_training_set(a, b) AS TABLE
WITH named AS MATERIALIZED (
    SELECT internal.host_named(a) AS host_a, internal.host_named(b) AS host_b
),
x AS (
    SELECT p.* FROM named AS n
    JOIN hosts AS ha ON ha.host = least(n.host_a, n.host_b)
    JOIN hosts AS hb ON hb.host = greatest(n.host_a, n.host_b)
    JOIN internal.pair_patterns AS q ON q.a_id = ha.host_id AND q.b_id = hb.host_id
    JOIN internal.patterns AS p USING (pattern_id)
),
projected AS (
    SELECT y.pattern_id,
           CASE WHEN y.ndist = x.ndist THEN y.ndist END AS ndist,
           CASE WHEN y.nmatch = x.nmatch THEN y.nmatch END AS nmatch,
           CASE WHEN y.ip4 = x.ip4 THEN y.ip4 END AS ip4,
           CASE WHEN y.ip3 = x.ip3 THEN y.ip3 END AS ip3,
           CASE WHEN y.fullpath = x.fullpath THEN y.fullpath END AS fullpath
    FROM internal.patterns AS y, x
)
SELECT ha.host AS host_a, hb.host AS host_b, p.ndist, p.nmatch, p.ip4, p.ip3, p.fullpath, e.label
FROM projected AS p
JOIN internal.pair_patterns AS e USING (pattern_id)
JOIN hosts AS ha ON ha.host_id = e.a_id
JOIN hosts AS hb ON hb.host_id = e.b_id
WHERE coalesce(p.ndist, p.nmatch, p.ip4, p.ip3, p.fullpath) IS NOT NULL;
