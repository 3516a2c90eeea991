-- Shared forms: whether URLs of one form are of one content.
--
-- Forms are compared within a site: origins that the rules make one. A URL without fingerprint is
-- neither right nor wrong. A site is mixed where more of its URLs than $epsilon allows have a form
-- with other content; rules go until none is (replicadb/rewrite/url_forms.py).
-- Source: docs/method.md#rewrite-rules.
-- NULL content = unknown.
--
-- reads: authorities, rewritten, host_changes, reformed (sql/rewrite/10_first_forms), page_urls,
--   sites,
--   to_check, shared_forms, mixed_sites, mixed_origins, rewrites (sql/rewrite/70_canonical_urls)
-- writes: sites, to_check, shared_forms, mixed_sites, mixed_origins
-- parameters: epsilon, most

-- name: sites
-- The site of each origin: the lowest origin_id of those that the rules make one.
CREATE OR REPLACE TEMP TABLE sites AS
WITH formed AS (
    SELECT origin_id, coalesce(h.origin, a.scheme || '://' || a.authority) AS origin
    FROM authorities AS a
    LEFT JOIN host_changes AS h USING (origin_id)
)
SELECT origin_id, min(origin_id) OVER (PARTITION BY origin) AS site FROM formed;

-- name: all_to_check
-- Every site that rules change.
CREATE OR REPLACE TEMP TABLE to_check AS
SELECT DISTINCT site
FROM sites
WHERE
    origin_id IN (SELECT origin_id FROM rewritten JOIN page_urls USING (url_id))
    OR origin_id IN (SELECT origin_id FROM host_changes);

-- name: to_check
-- Sites with other forms than at the last check, and those that were mixed then.
CREATE OR REPLACE TEMP TABLE to_check AS
SELECT DISTINCT site
FROM sites
WHERE origin_id IN (FROM reformed) OR origin_id IN (FROM mixed_origins);

-- name: shared_forms
-- Forms that several URLs of a site to check have: urls, n of them with known content, top of these
-- with the commonest; the others (n - top) are errors.
CREATE OR REPLACE TEMP TABLE shared_forms AS
WITH formed AS (
    SELECT
        s.site,
        hash64(coalesce(w.path, a.segment || u.path)) AS form,
        CASE
            WHEN u.fingerprint IS NOT NULL
            THEN hash64(concat_ws(':', u.fingerprint_kind, u.fingerprint))
        END AS content
    FROM page_urls AS u
    JOIN (FROM sites WHERE site IN (FROM to_check)) AS s USING (origin_id)
    JOIN authorities AS a USING (origin_id)
    LEFT JOIN rewritten AS w USING (url_id)
),
counted AS (
    SELECT site, form, content, count(*) AS n FROM formed GROUP BY ALL
)
SELECT
    site,
    form,
    sum(n)::BIGINT AS urls,
    coalesce(sum(n) FILTER (content IS NOT NULL), 0)::BIGINT AS n,
    coalesce(max(n) FILTER (content IS NOT NULL), 0) AS top
FROM counted
GROUP BY site, form
HAVING sum(n) > 1;

-- name: mixed_sites
-- Sites whose forms err more often than $epsilon allows.
CREATE OR REPLACE TEMP TABLE mixed_sites AS
SELECT site FROM shared_forms GROUP BY site HAVING sum(n - top) > $epsilon * sum(n);

-- name: mixed_origins
-- Their origins, whose sites may have other numbers once rules go.
CREATE OR REPLACE TEMP TABLE mixed_origins AS
SELECT origin_id FROM sites WHERE site IN (FROM mixed_sites);

-- name: mixed_urls
-- Some URLs of each of them that have a form with other content, to find the rules that did it.
WITH formed AS (
    SELECT
        s.site,
        a.scheme,
        a.authority,
        u.path AS own_path,
        a.segment || u.path AS path,
        coalesce(w.path, a.segment || u.path) AS form
    FROM page_urls AS u
    JOIN (FROM sites WHERE site IN (FROM mixed_sites)) AS s USING (origin_id)
    JOIN authorities AS a USING (origin_id)
    LEFT JOIN rewritten AS w USING (url_id)
    WHERE u.fingerprint IS NOT NULL
),
ranked AS (
    SELECT
        f.*,
        row_number() OVER (
            PARTITION BY f.site
            ORDER BY x.n - x.top DESC, f.form, strlen(own_path) DESC, own_path, authority
        ) AS nth
    FROM formed AS f
    JOIN shared_forms AS x ON x.site = f.site AND x.form = hash64(f.form)
    WHERE x.n > x.top
)
SELECT site, scheme, authority, path
FROM ranked
WHERE nth <= $most
ORDER BY ALL;

-- name: saved
-- What rewriting saves, where shared_forms is of all sites that it changes: URLs less forms, and
-- those URLs whose form stands for other content, too.
SELECT
    (SELECT count(*) FROM page_urls) AS urls,
    (SELECT count(*) FROM rewrites) AS rewritten,
    coalesce(sum(urls - 1), 0)::BIGINT AS saved,
    coalesce(sum(n - top), 0)::BIGINT AS wrong
FROM shared_forms;
