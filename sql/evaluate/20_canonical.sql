-- Canonical forms: what giving URLs one form each removes rightly and wrongly, whatever gave it.
--
-- Of the URLs of one form one is kept: a URL that has the form already, else the least URL. The
-- others go. A URL goes rightly when the kept URL of the same host and form has its content, and
-- wrongly when that has other content. Where the last URL of a host and form goes for one of
-- another host (www.NAME and NAME), hosts are joined, rightly or wrongly; that is counted apart.
-- Duplicates are n - 1 of every n URLs of a host with one content, the most that can go. Contents
-- are dealt into folds by digest. A $fold is judged by rules that were learned without it.
-- Source: docs/method.md#reduction-ratio.
-- NULL: $fold judges all contents; a URL without a fingerprint is never removed.
--
-- reads: page_urls, origins, given_forms, placed_urls, planted_urls,
--   gold_urls (further_url, duplicate_of, kind: planted duplicates, where gold is given)
-- writes: page_urls (in temp, in place of the crawl), given_forms, placed_urls, planted_urls
-- parameters: fold, folds

-- name: fold_of
CREATE OR REPLACE TEMP MACRO fold_of(kind, fingerprint, folds) AS
    (hash64(concat_ws(':', kind, fingerprint)) % folds)::INTEGER;

-- name: duplicate_urls
WITH contents AS (
    SELECT count(*) AS n
    FROM page_urls
    WHERE fingerprint IS NOT NULL
    GROUP BY host_id, fingerprint_kind, fingerprint
)
SELECT
    count(*) AS urls,
    (SELECT coalesce(sum(n - 1), 0)::BIGINT FROM contents) AS duplicates
FROM page_urls;

-- name: planted_urls
-- The gold that is in the database, by number: of the URL that repeats a page, and of the page.
CREATE OR REPLACE TEMP TABLE planted_urls AS
WITH known AS (
    SELECT u.url_id, u.fingerprint_kind, u.fingerprint, o.origin || u.path AS url
    FROM page_urls AS u
    JOIN origins AS o USING (origin_id)
)
SELECT a.url_id, b.url_id AS page_id, g.kind
FROM gold_urls AS g
JOIN known AS a ON a.url = g.further_url
JOIN known AS b ON b.url = g.duplicate_of
WHERE
    a.fingerprint_kind IS NOT DISTINCT FROM b.fingerprint_kind
    AND a.fingerprint = b.fingerprint;

-- name: learned_from
-- The crawl without the contents of one fold, in place of the crawl: what stands in temp is found
-- first.
CREATE OR REPLACE TEMP TABLE page_urls AS
FROM internal.page_urls
WHERE fingerprint IS NOT NULL AND fold_of(fingerprint_kind, fingerprint, $folds) <> $fold;

-- name: given_forms
-- The forms of the URLs that a method changes.
CREATE OR REPLACE TEMP TABLE given_forms (url_id BIGINT, form VARCHAR);

-- name: placed_urls
CREATE OR REPLACE TEMP TABLE placed_urls AS
WITH formed AS (
    SELECT
        url_id,
        u.host_id,
        o.origin || u.path AS url,
        f.url_id IS NOT NULL AS changed,
        hash64(coalesce(f.form, o.origin || u.path)) AS form,
        CASE WHEN fingerprint IS NOT NULL THEN hash(fingerprint_kind, fingerprint) END AS content,
        $fold::INTEGER IS NULL OR fold_of(fingerprint_kind, fingerprint, $folds) = $fold AS judged
    FROM page_urls AS u
    JOIN origins AS o USING (origin_id)
    LEFT JOIN given_forms AS f USING (url_id)
)
SELECT
    url_id,
    changed,
    judged,
    content,
    form,
    row_number() OVER of_form AS nth,
    first_value(content) OVER of_form AS kept,
    row_number() OVER of_host AS nth_of_host,
    first_value(content) OVER of_host AS kept_of_host
FROM formed
WINDOW
    of_form AS (PARTITION BY form ORDER BY changed, url),
    of_host AS (PARTITION BY host_id, form ORDER BY changed, url);

-- name: form_outcome
SELECT
    count(*) FILTER (judged AND changed) AS rewritten,
    count(*) FILTER (judged AND nth_of_host > 1 AND content = kept_of_host) AS removed,
    count(*) FILTER (judged AND nth_of_host > 1 AND content <> kept_of_host) AS wrong,
    count(*) FILTER (judged AND nth > 1 AND nth_of_host = 1 AND content = kept) AS joined,
    count(*) FILTER (judged AND nth > 1 AND nth_of_host = 1 AND content <> kept) AS wrongly_joined
FROM placed_urls;

-- name: planted_removed
SELECT kind, count(*) AS planted, count(*) FILTER (a.form = b.form) AS removed
FROM planted_urls AS p
JOIN placed_urls AS a USING (url_id)
JOIN placed_urls AS b ON b.url_id = p.page_id
WHERE a.judged
GROUP BY kind
ORDER BY kind;
