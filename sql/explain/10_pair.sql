-- One pair: where two hosts stand in the last detection, and which pages they share and do not.
--
-- $low and $high are host ids, the host whose name comes first before the other.
-- Source: docs/robust.md#robust-evidence, docs/drops.md#drops.
-- NULL = unknown, or not of the method that ran.
--
-- reads: decided, given_decisions, hosts, host_stats, left_out, ranking, pattern_scores,
--   newest_links (functions/75_newest_said), pair_features, shared_neighbours, members, held,
--   urls, origins, shared_pages, cluster_hosts, dup_clusters, contents_of, settings
-- writes: none
-- parameters: low, high, a, b, pages, cap

-- name: hosts
SELECT h.host_id, h.host, s.n_urls AS urls
FROM hosts AS h
LEFT JOIN host_stats AS s USING (host_id)
WHERE h.host IN ($a, $b)
ORDER BY h.host;

-- name: place
SELECT
    r.rowid + 1 AS rank,
    (SELECT count(*) FROM ranking) AS candidates,
    (SELECT count(*) FROM ranking WHERE flagged) AS flagged_pairs,
    (SELECT value::DOUBLE FROM settings WHERE name = 'log_odds_flagged') AS flagged_from,
    r.flagged,
    coalesce(d.probability, s.probability) AS probability,
    s.probability AS by_evidence,
    s.strength,
    coalesce(d.score, s.dominates / (SELECT count(*) FROM ranking)) AS score,
    s.pu_score,
    s.nu_score,
    s.dominates,
    s.frontier,
    r.score_id,
    f.label = 1 AS obvious,
    f.shared,
    f.same_language,
    l.kind AS left_out
FROM ranking AS r
LEFT JOIN pattern_scores AS s USING (score_id)
LEFT JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
LEFT JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
LEFT JOIN left_out AS l ON l.a_id = r.a_id AND l.b_id = r.b_id
WHERE r.a_id = $low AND r.b_id = $high;

-- name: in_common
-- Contents that both have: on as many hosts as make pairs, and on more. $cap is 0 for no bound.
SELECT
    count(*) FILTER ($cap = 0 OR d.n_hosts <= $cap) AS within,
    count(*) FILTER ($cap > 0 AND d.n_hosts > $cap) AS beyond
FROM cluster_hosts AS x
JOIN cluster_hosts AS y USING (cluster_id)
JOIN dup_clusters AS d USING (cluster_id)
WHERE x.host_id = $low AND y.host_id = $high;

-- name: decision
-- bound: the last detection went by it.
SELECT label, note, source, strftime(decided_at, '%Y-%m-%d') AS decided_at, bound
FROM given_decisions
WHERE host_a = $a AND host_b = $b;

-- name: pins
SELECT host_a AS host, label AS pin, note
FROM given_decisions
WHERE host_b IS NULL AND host_a IN ($a, $b)
ORDER BY host_a;

-- name: neighbours
SELECT common, overlap, added FROM shared_neighbours
WHERE a_id = $low AND b_id = $high AND added <> 0;

-- name: members
-- What became of either host: dropped, kept, or held back.
SELECT
    h.host,
    c.host AS canonical_host,
    m.group_id,
    m.kept_because,
    m.pages,
    m.elsewhere,
    m.not_compared,
    NULL AS held_back,
    (SELECT count(*) FROM members AS o WHERE o.group_id = m.group_id) AS hosts
FROM members AS m
JOIN hosts AS h ON h.host_id = m.host_id
JOIN hosts AS c ON c.host_id = m.canonical_id
WHERE m.host_id IN ($low, $high)
UNION ALL
SELECT h.host, c.host, NULL, NULL, m.pages, m.elsewhere, m.not_compared, m.why, NULL
FROM held AS m
JOIN hosts AS h ON h.host_id = m.host_id
JOIN hosts AS c ON c.host_id = m.canonical_id
WHERE m.host_id IN ($low, $high)
ORDER BY ALL;

-- name: leads
-- What either says itself of its URLs that the other has: canonical links and redirects.
SELECT from_host AS host, to_host AS other, kind, count(DISTINCT from_url) AS urls
FROM newest_links()
WHERE from_host IN ($a, $b) AND to_host IN ($a, $b) AND from_host <> to_host
GROUP BY ALL
ORDER BY ALL;

-- name: shared
-- The fewest hosts have the most telling; a page that stands at one path on both comes first.
-- files: of the n, those that are no pages.
-- NULL hosts_with_it = the last detection did not compare it (a file under method paper, or loaded
-- since); it comes last.
WITH found AS (
    SELECT * REPLACE (nullif(hosts_with_it, 1) AS hosts_with_it) FROM shared_pages($a, $b)
)
SELECT
    url_a,
    url_b,
    same_path,
    hosts_with_it,
    near,
    (SELECT count(*) FROM found) AS n,
    (SELECT count(*) FROM found WHERE file) AS files
FROM found
ORDER BY hosts_with_it, same_path DESC, url_a, url_b
LIMIT $pages;

-- name: differing
-- At the same path, with another content: what should match and does not. A path is here once,
-- however many origins of a host have it, and not where any two of them agree.
WITH held AS MATERIALIZED (
    SELECT
        u.host_id,
        o.origin || u.path AS url,
        u.path_hash,
        CASE
            WHEN c.near THEN content_hash(c.content_kind, c.content) ELSE u.content_hash
        END AS content,
        u.title,
        u.length
    FROM contents_of($low, $high) AS c
    JOIN urls AS u USING (url_id)
    JOIN origins AS o USING (origin_id)
    WHERE u.asset IS NOT true AND c.content IS NOT NULL
),
paths AS (
    SELECT
        host_id,
        path_hash,
        min(url) AS url,
        arg_min_null(title, url) AS title,
        arg_min_null(length, url) AS length
    FROM held
    GROUP BY host_id, path_hash
),
agreeing AS (
    SELECT path_hash
    FROM held
    GROUP BY path_hash, content
    HAVING count(DISTINCT host_id) = 2
),
found AS (
    SELECT
        x.url AS url_a,
        y.url AS url_b,
        x.title AS title_a,
        y.title AS title_b,
        x.length AS length_a,
        y.length AS length_b
    FROM paths AS x
    JOIN paths AS y USING (path_hash)
    ANTI JOIN agreeing AS g USING (path_hash)
    WHERE x.host_id = $low AND y.host_id = $high
)
SELECT *, (SELECT count(*) FROM found) AS n
FROM found
ORDER BY length(url_a), url_a, url_b
LIMIT $pages;
