-- Page views: near-duplicate pages, and URLs in the form that rewrite rules give them.
--
-- Filled by replicadb fingerprint and replicadb rewrite learn; empty before.
--
-- reads: hosts, matches, origins, page_clusters, rewrites, urls
-- writes: page_matches, near_duplicates, canonical_urls
-- parameters: none

-- name: page_matches
CREATE OR REPLACE VIEW page_level.page_matches AS
SELECT oa.origin || a.path AS url_a, ob.origin || b.path AS url_b, m.method, m.score
FROM internal.matches AS m
JOIN internal.urls AS a ON a.url_id = m.a_id
JOIN internal.origins AS oa ON oa.origin_id = a.origin_id
JOIN internal.urls AS b ON b.url_id = m.b_id
JOIN internal.origins AS ob ON ob.origin_id = b.origin_id;

-- name: near_duplicates
CREATE OR REPLACE VIEW page_level.near_duplicates AS
SELECT c.method, c.cluster_id, o.origin || u.path AS url, oc.origin || k.path AS centre_url, c.score
FROM internal.page_clusters AS c
JOIN internal.urls AS u USING (url_id)
JOIN internal.origins AS o ON o.origin_id = u.origin_id
JOIN internal.urls AS k ON k.url_id = c.centre_id
JOIN internal.origins AS oc ON oc.origin_id = k.origin_id;

-- name: canonical_urls
CREATE OR REPLACE VIEW page_level.canonical_urls AS
SELECT
    o.origin || u.path AS url,
    coalesce(r.canonical, o.origin || u.path) AS canonical,
    h.host,
    u.fingerprint
FROM internal.urls AS u
JOIN internal.origins AS o USING (origin_id)
JOIN hosts AS h ON h.host_id = u.host_id
LEFT JOIN internal.rewrites AS r USING (url_id);
