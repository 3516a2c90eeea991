-- Many pairs at once: what 10_pair tells of one, for the pairs of a table.
--
-- chosen_pairs has a row for each pair, place from 0. What two hosts share is listed by content,
-- one page of each host; what differs, of the paths that few hosts have (shared_paths).
-- Source: docs/robust.md#robust-evidence.
-- NULL = unknown, or not of the method that ran.
--
-- reads: chosen_pairs (place, a_id, b_id), host_stats, ranking, pattern_scores, pair_features,
--   shared_neighbours, evidence_weights, evidence_interactions, cluster_hosts, dup_clusters,
--   shared_paths,
--   urls, origins
-- writes: binned, sides, shared_contents, differing_paths, shown_pages, shown_urls
-- parameters: pages, one_in

-- name: features
-- NULL of a pair that was no candidate and is ranked since somebody decided on it.
SELECT f.* EXCLUDE (a_id, b_id, label)
FROM chosen_pairs AS c
LEFT JOIN pair_features AS f USING (a_id, b_id)
ORDER BY c.place;

-- name: sample
-- One candidate in one_in, to tell how many have less.
SELECT * EXCLUDE (a_id, b_id, label)
FROM pair_features
WHERE hash(a_id, b_id) % $one_in = 0;

-- name: neighbours
SELECT c.place, p.common, p.overlap, p.added
FROM chosen_pairs AS c
JOIN shared_neighbours AS p USING (a_id, b_id)
WHERE p.added <> 0
ORDER BY c.place;

-- name: binned
-- As evidence_of has it.
CREATE OR REPLACE TEMP TABLE binned AS
WITH features AS (
    SELECT
        c.place,
        COLUMNS(f.* EXCLUDE (a_id, b_id, label, shared, similarity))::DOUBLE
    FROM chosen_pairs AS c
    JOIN pair_features AS f USING (a_id, b_id)
),
found AS (
    FROM features UNPIVOT INCLUDE NULLS (value FOR feature IN (COLUMNS(* EXCLUDE (place))))
)
SELECT f.place, w.feature, w.bin, w.weight
FROM found AS f
JOIN evidence_weights AS w
    ON w.feature = f.feature
    AND CASE WHEN f.value IS NULL THEN w.bin = 0 ELSE f.value > w.low AND f.value <= w.high END;

-- name: contributions
WITH together AS (
    SELECT x.place, x.feature AS one, y.feature AS other, i.weight
    FROM evidence_interactions AS i
    JOIN binned AS x ON x.feature = i.feature AND x.bin = i.bin
    JOIN binned AS y ON y.place = x.place AND y.feature = i.other_feature AND y.bin = i.other_bin
),
halves AS (
    SELECT place, feature, sum(weight) / 2 AS weight
    FROM (
        SELECT place, one AS feature, weight FROM together
        UNION ALL
        SELECT place, other, weight FROM together
    )
    GROUP BY place, feature
)
SELECT b.place, b.feature, b.weight + coalesce(h.weight, 0) AS contribution
FROM binned AS b
LEFT JOIN halves AS h USING (place, feature)
ORDER BY b.place, b.feature;

-- name: sides
-- What they share is looked up from the host that shares less.
CREATE OR REPLACE TEMP TABLE sides AS
SELECT
    c.place,
    c.a_id,
    c.b_id,
    a.n_shared_clusters <= b.n_shared_clusters AS from_a,
    if(from_a, c.a_id, c.b_id) AS small_id,
    if(from_a, c.b_id, c.a_id) AS large_id
FROM chosen_pairs AS c
JOIN host_stats AS a ON a.host_id = c.a_id
JOIN host_stats AS b ON b.host_id = c.b_id;

-- name: shared_contents
-- The fewest hosts have the most telling; a page that stands at one path on both comes first.
CREATE OR REPLACE TEMP TABLE shared_contents AS
SELECT
    s.place,
    s.a_id,
    s.b_id,
    if(s.from_a, x.path, y.path) AS path_a,
    if(s.from_a, y.path, x.path) AS path_b,
    d.n_hosts AS hosts_with_it,
    d.fingerprint_kind LIKE 'near:%' AS near,
    row_number() OVER nearest AS number,
    count(*) OVER (PARTITION BY s.place) AS n
FROM sides AS s
JOIN cluster_hosts AS x ON x.host_id = s.small_id
JOIN cluster_hosts AS y ON y.host_id = s.large_id AND y.cluster_id = x.cluster_id
JOIN dup_clusters AS d ON d.cluster_id = x.cluster_id
WINDOW nearest AS (
    PARTITION BY s.place
    ORDER BY d.n_hosts, x.path = y.path DESC, x.path, y.path, d.cluster_id
)
QUALIFY number <= $pages;

-- name: differing_paths
-- At the same path, with another content: what should match and does not.
CREATE OR REPLACE TEMP TABLE differing_paths AS
SELECT
    s.place,
    s.a_id,
    s.b_id,
    x.path AS path_hash,
    row_number() OVER rarest AS number,
    count(*) OVER (PARTITION BY s.place) AS n
FROM sides AS s
JOIN shared_paths AS x ON x.host_id = s.small_id
JOIN shared_paths AS y ON y.host_id = s.large_id AND y.path = x.path
WHERE x.page AND y.page AND x.content <> y.content
WINDOW rarest AS (PARTITION BY s.place ORDER BY x.df, x.path)
QUALIFY number <= $pages;

-- name: shown_pages
CREATE OR REPLACE TEMP TABLE shown_pages AS
WITH wanted AS (
    SELECT a_id AS host_id, path_a AS path FROM shared_contents
    UNION
    SELECT b_id, path_b FROM shared_contents
)
SELECT w.host_id, w.path, min(o.origin) || w.path AS url
FROM wanted AS w
JOIN urls AS u ON u.host_id = w.host_id AND u.path = w.path
JOIN origins AS o USING (origin_id)
GROUP BY w.host_id, w.path;

-- name: shown_urls
CREATE OR REPLACE TEMP TABLE shown_urls AS
WITH wanted AS (
    SELECT a_id AS host_id, path_hash FROM differing_paths
    UNION
    SELECT b_id, path_hash FROM differing_paths
)
SELECT
    w.host_id,
    w.path_hash,
    min(o.origin || u.path) AS url,
    arg_min(u.title, o.origin || u.path) AS title,
    arg_min(u.length, o.origin || u.path) AS length
FROM wanted AS w
JOIN urls AS u ON u.host_id = w.host_id AND u.path_hash = w.path_hash
JOIN origins AS o USING (origin_id)
GROUP BY w.host_id, w.path_hash;

-- name: shared
SELECT s.place, a.url AS url_a, b.url AS url_b, s.hosts_with_it, s.near, s.n
FROM shared_contents AS s
JOIN shown_pages AS a ON a.host_id = s.a_id AND a.path = s.path_a
JOIN shown_pages AS b ON b.host_id = s.b_id AND b.path = s.path_b
ORDER BY s.place, s.number;

-- name: differing
SELECT
    d.place,
    a.url AS url_a,
    b.url AS url_b,
    a.title AS title_a,
    b.title AS title_b,
    a.length AS length_a,
    b.length AS length_b,
    d.n
FROM differing_paths AS d
JOIN shown_urls AS a ON a.host_id = d.a_id AND a.path_hash = d.path_hash
JOIN shown_urls AS b ON b.host_id = d.b_id AND b.path_hash = d.path_hash
ORDER BY d.place, d.number;
