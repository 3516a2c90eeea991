-- Kept rules: those that enough contents speak for, and few enough matches speak against.
--
-- First the candidates of a round are judged, by context. Once the rounds are over come rules on
-- scheme and host name: URLs known by http and https at equal paths; hosts www.NAME and NAME,
-- whatever the scheme. sql/rewrite/55_rewrite_support says what matches, errors, support and parts
-- are.
-- Source: docs/method.md#rewrite-rules.
-- NULL section: a path without one, or (anywhere) all of the host. NULL authority: any host.
-- NULL fingerprint = content unknown: nothing is learned from such a URL.
--
-- reads: whole_support (sql/rewrite/55_rewrite_support),
--   rewrite_candidates (sql/rewrite/40_rewrite_candidates),
--   repeating (sql/rewrite/20_rewritable_hosts), page_urls,
--   authorities, rewritten (sql/rewrite/10_first_forms), host_support, whole_host_support
-- writes: host_support, whole_host_support
-- parameters: min_support, epsilon

-- name: kept_contexts
SELECT
    candidate,
    section,
    anywhere,
    matches,
    errors,
    support,
    hosts,
    test_matches,
    test_errors
FROM whole_support
JOIN rewrite_candidates USING (candidate)
WHERE support >= least_support(kind, $min_support) AND errors <= $epsilon * matches
ORDER BY ALL;

-- name: tried_candidates
SELECT candidate, authority, c.place, kind, name, value, position
FROM rewrite_candidates AS c
LEFT JOIN repeating AS r USING (place)
ORDER BY candidate;

-- name: host_support
-- By part of the contents.
CREATE OR REPLACE TEMP TABLE host_support AS
WITH twins AS (
    SELECT 'scheme' AS kind, x.authority, x.origin_id AS a_id, y.origin_id AS b_id
    FROM authorities AS x
    JOIN authorities AS y USING (authority)
    WHERE x.scheme = 'http' AND y.scheme = 'https' AND x.segment = y.segment
    UNION ALL
    SELECT 'www', x.authority, x.origin_id, y.origin_id
    FROM authorities AS x
    JOIN authorities AS y ON x.authority = 'www.' || y.authority
),
contents AS (
    SELECT
        origin_id,
        coalesce(w.path, segment || u.path) AS path,
        content_of(fingerprint_kind, fingerprint) AS content
    FROM page_urls AS u
    JOIN authorities USING (origin_id)
    LEFT JOIN rewritten AS w USING (url_id)
    WHERE
        fingerprint IS NOT NULL
        AND origin_id IN (SELECT a_id FROM twins UNION SELECT b_id FROM twins)
)
SELECT
    t.kind,
    t.authority,
    (x.content % 10)::TINYINT AS part,
    count(*) AS matches,
    count(*) FILTER (x.content <> y.content) AS errors,
    count(DISTINCT x.content) FILTER (x.content = y.content) AS support
FROM twins AS t
JOIN contents AS x ON x.origin_id = t.a_id
JOIN contents AS y ON y.origin_id = t.b_id AND y.path = x.path
GROUP BY ALL;

-- name: whole_host_support
-- As whole_support.
CREATE OR REPLACE TEMP TABLE whole_host_support AS
WITH whole AS (
    SELECT
        kind,
        authority,
        sum(matches)::BIGINT AS matches,
        sum(errors)::BIGINT AS errors,
        sum(support)::BIGINT AS support
    FROM host_support
    GROUP BY ALL
),
folds AS (
    SELECT
        s.*,
        w.support - s.support >= least_support(kind, $min_support)
        AND w.errors - s.errors <= $epsilon * (w.matches - s.matches) AS kept
    FROM host_support AS s
    JOIN whole AS w USING (kind, authority)
)
SELECT
    w.*,
    coalesce(sum(s.matches) FILTER (kept), 0)::BIGINT AS test_matches,
    coalesce(sum(s.errors) FILTER (kept), 0)::BIGINT AS test_errors
FROM folds AS s
JOIN whole AS w USING (kind, authority)
GROUP BY ALL;

-- name: kept_host_rules
SELECT kind, authority, matches, errors, support, test_matches, test_errors
FROM whole_host_support
WHERE support >= least_support(kind, $min_support) AND errors <= $epsilon * matches
ORDER BY kind, authority;
