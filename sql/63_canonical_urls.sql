-- Canonical URLs: the form that the rules give each URL, and whether URLs of one form are of one content.
--
-- Reads the temporary tables rewritten (url_id, path: what rules on paths change) and host_changes (origin_id, origin: what rules on scheme and host
-- name make of an origin). Forms are compared as strings; a URL without fingerprint is neither right nor wrong.

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

-- name: mixed_hosts
-- Authorities whose URLs, taken to one form by path, differ in content more often than $epsilon allows: errors = URLs whose content
-- is not the commonest of their form, of the matches = URLs that share a form.
CREATE OR REPLACE TEMP TABLE mixed_hosts AS
WITH formed AS (
    SELECT a.authority, a.scheme, coalesce(w.path, a.segment || u.path) AS path, hash(u.fingerprint_kind, u.fingerprint) AS content
    FROM urls AS u JOIN authorities AS a USING (origin_id) JOIN ruled USING (authority) LEFT JOIN rewritten AS w USING (url_id)
    WHERE u.fingerprint IS NOT NULL
),
counted AS (
    SELECT authority, scheme, path, content, count(*) AS n FROM formed GROUP BY ALL
),
judged AS (
    SELECT authority, sum(n) AS n, max(n) AS top FROM counted GROUP BY authority, scheme, path HAVING sum(n) > 1
)
SELECT authority, sum(n)::BIGINT AS matches, sum(n - top)::BIGINT AS errors FROM judged GROUP BY authority HAVING sum(n - top) > $epsilon * sum(n);

-- name: saved
-- What rewriting saves: URLs, forms, and those URLs whose form stands for other content, too.
SELECT count(*) AS urls, count(DISTINCT canonical) AS forms, (SELECT count(*) FROM rewrites) AS rewritten,
       (SELECT coalesce(sum(n - top), 0)::BIGINT FROM (
            SELECT sum(n) AS n, max(n) AS top FROM (
                SELECT canonical, fingerprint, count(*) AS n FROM canonical_urls WHERE fingerprint IS NOT NULL GROUP BY ALL)
            GROUP BY canonical HAVING count(*) > 1)) AS wrong
FROM canonical_urls;
