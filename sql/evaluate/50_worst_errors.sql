-- Worst errors: for each pair that a method decided wrongly, one page of each host to look at.
--
-- The page is of the rarest content that the two have in common, at its smallest path; where they
-- share none, the first page of each host, by path.
-- NULL url: the host has no page, only other files.
--
-- reads: wrong_pairs (place, a_id, b_id: ten at most), cluster_hosts, dup_clusters, page_urls,
--   origins, hosts
-- writes: none
-- parameters: none

-- name: pages_to_open
WITH rarest AS (
    SELECT w.place, a.path AS path_a, b.path AS path_b
    FROM wrong_pairs AS w
    JOIN cluster_hosts AS a ON a.host_id = w.a_id
    JOIN cluster_hosts AS b ON b.host_id = w.b_id AND b.cluster_id = a.cluster_id
    JOIN dup_clusters AS d ON d.cluster_id = a.cluster_id
    QUALIFY row_number() OVER (PARTITION BY w.place ORDER BY d.n_hosts, d.cluster_id) = 1
),
asked AS (
    SELECT place, a_id AS host_id, path_a AS path FROM wrong_pairs LEFT JOIN rarest USING (place)
    UNION ALL
    SELECT place, b_id, path_b FROM wrong_pairs LEFT JOIN rarest USING (place)
),
first_pages AS (
    SELECT host_id, min(path) AS path
    FROM page_urls
    SEMI JOIN asked USING (host_id)
    GROUP BY host_id
),
opened AS (
    SELECT q.place, q.host_id, min(o.origin || u.path) AS url
    FROM asked AS q
    LEFT JOIN first_pages AS f USING (host_id)
    JOIN page_urls AS u ON u.host_id = q.host_id AND u.path = coalesce(q.path, f.path)
    JOIN origins AS o ON o.origin_id = u.origin_id
    GROUP BY q.place, q.host_id
)
SELECT a.host AS host_a, b.host AS host_b, x.url AS url_a, y.url AS url_b
FROM wrong_pairs AS w
JOIN hosts AS a ON a.host_id = w.a_id
JOIN hosts AS b ON b.host_id = w.b_id
LEFT JOIN opened AS x ON x.place = w.place AND x.host_id = w.a_id
LEFT JOIN opened AS y ON y.place = w.place AND y.host_id = w.b_id
ORDER BY w.place;
