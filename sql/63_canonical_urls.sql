-- Canonical URLs: the form that the rules give each URL, and whether URLs of one form are of one content.
--
-- Reads the temporary tables rewritten (url_id, path: what rules on paths change) and host_changes (origin_id, origin: what rules on scheme and host
-- name make of an origin). Forms are compared as strings; a URL without fingerprint is neither right nor wrong.

-- name: may_change
-- URLs with a number from $low to below $high that rules may change: of hosts with rules of their own (ruled), and where $pattern, made of the rules of any host, is in the path.
SELECT u.url_id, a.authority, a.segment || u.path AS path
FROM urls AS u JOIN authorities AS a USING (origin_id)
WHERE u.url_id >= $low AND u.url_id < $high AND (a.authority IN (FROM ruled) OR regexp_matches(a.segment || u.path, $pattern))
ORDER BY url_id;

-- name: canonical_forms
CREATE OR REPLACE TEMP MACRO canonical_forms() AS TABLE
SELECT u.url_id, coalesce(h.origin || coalesce(w.path, a.segment || u.path), a.scheme || '://' || a.authority || w.path) AS canonical
FROM urls AS u
JOIN authorities AS a USING (origin_id)
LEFT JOIN rewritten AS w USING (url_id)
LEFT JOIN host_changes AS h USING (origin_id)
WHERE w.url_id IS NOT NULL OR h.origin_id IS NOT NULL;

-- name: rewrites
INSERT INTO rewrites FROM canonical_forms();

-- name: reduced_forms
CREATE OR REPLACE TEMP TABLE reduced_forms AS FROM canonical_forms();

-- name: shared_forms
-- Forms that several URLs of an authority have by path (those of rules on scheme and host are in host_changes: origin_id, origin), by site name in
-- the form: n URLs, top of them with the commonest content; the others (n - top) are errors.
CREATE OR REPLACE TEMP TABLE shared_forms AS
WITH touched AS (
    SELECT DISTINCT coalesce(h.origin, a.scheme || '://' || a.authority) AS site FROM authorities AS a LEFT JOIN host_changes AS h USING (origin_id)
    WHERE h.origin_id IS NOT NULL OR origin_id IN (SELECT origin_id FROM rewritten JOIN urls USING (url_id))
),
formed AS (
    SELECT coalesce(h.origin, a.scheme || '://' || a.authority) AS site, coalesce(w.path, a.segment || u.path) AS path, hash(u.fingerprint_kind, u.fingerprint) AS content
    FROM urls AS u JOIN authorities AS a USING (origin_id) LEFT JOIN host_changes AS h USING (origin_id) LEFT JOIN rewritten AS w USING (url_id)
    WHERE u.fingerprint IS NOT NULL AND coalesce(h.origin, a.scheme || '://' || a.authority) IN (FROM touched)
),
counted AS (
    SELECT site, path, content, count(*) AS n FROM formed GROUP BY ALL
)
SELECT site, path, sum(n)::BIGINT AS n, max(n) AS top FROM counted GROUP BY site, path HAVING sum(n) > 1;

-- name: mixed_sites
-- Sites (scheme and authority) whose forms err more often than $epsilon allows.
CREATE OR REPLACE TEMP TABLE mixed_sites AS
SELECT site FROM shared_forms GROUP BY site HAVING sum(n - top) > $epsilon * sum(n);

-- name: mixed_urls
-- Some URLs of each of them that have a form with other content, to find the rules that did it.
SELECT x.site, a.authority, a.segment || u.path AS path
FROM urls AS u JOIN authorities AS a USING (origin_id) LEFT JOIN host_changes AS h USING (origin_id) LEFT JOIN rewritten AS w USING (url_id)
JOIN shared_forms AS x ON x.site = coalesce(h.origin, a.scheme || '://' || a.authority) AND x.path = coalesce(w.path, a.segment || u.path)
WHERE x.n > x.top AND u.fingerprint IS NOT NULL AND x.site IN (FROM mixed_sites)
QUALIFY row_number() OVER (PARTITION BY x.site ORDER BY x.n - x.top DESC, x.path, strlen(u.path) DESC, u.path, a.authority) <= $most
ORDER BY ALL;

-- name: saved
-- What rewriting saves: URLs, forms, and those URLs whose form stands for other content, too.
SELECT count(*) AS urls, count(DISTINCT canonical) AS forms, (SELECT count(*) FROM rewrites) AS rewritten,
       (SELECT coalesce(sum(n - top), 0)::BIGINT FROM (
            SELECT sum(n) AS n, max(n) AS top FROM (
                SELECT canonical, fingerprint, count(*) AS n FROM canonical_urls WHERE fingerprint IS NOT NULL GROUP BY ALL)
            GROUP BY canonical HAVING count(*) > 1)) AS wrong
FROM canonical_urls;
