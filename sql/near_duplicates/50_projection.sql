-- Random projection and hyperlink map: the vocabulary to project, links between known pages.
--
-- digest = lower half of the MD5 of the term's text (its stem, where stems are taken): the same in
-- every database. Known pages = those that have terms. Only the newest capture of a URL counts.
-- Pairs: 20_pair_expansion. Source: docs/method.md#projection. No column has NULL.
--
-- reads: chosen_terms, term_frequencies, term_weights, urls, origins, links, compared_anchors
-- writes: projected_terms, known_pages, known_targets, known_links (all temporary)
-- parameters: none

-- name: projected_terms
-- column_id: numbered without gaps, by id.
CREATE OR REPLACE TEMP TABLE projected_terms AS
WITH stems AS (
    SELECT stem_id AS term_id, any_value(stem) AS stem
    FROM chosen_terms
    SEMI JOIN term_frequencies ON term_frequencies.term_id = stem_id
    GROUP BY stem_id
)
SELECT
    term_id,
    (row_number() OVER (ORDER BY term_id) - 1)::INTEGER AS column_id,
    hash64(stem) AS digest
FROM stems;

-- name: known_pages
CREATE OR REPLACE TEMP TABLE known_pages AS
SELECT u.url_id, o.origin || u.path AS url
FROM urls AS u
JOIN origins AS o USING (origin_id)
WHERE u.url_id IN (SELECT url_id FROM term_weights);

-- name: known_targets
-- Where a URL leads to: to the known page of that URL, or to the one that it redirects to (one hop;
-- the least, where captures disagree).
CREATE OR REPLACE TEMP TABLE known_targets AS
SELECT url, url_id FROM known_pages
UNION ALL
SELECT l.from_url, min((p.url, p.url_id))[2]
FROM links AS l
JOIN known_pages AS p ON p.url = l.to_url
WHERE l.kind = 'redirect' AND l.from_url NOT IN (SELECT url FROM known_pages)
GROUP BY l.from_url;

-- name: known_links
-- Each once, none from a page to itself.
CREATE OR REPLACE TEMP TABLE known_links AS
SELECT DISTINCT a.url_id AS from_id, t.url_id AS to_id
FROM compared_anchors AS a
JOIN known_targets AS t ON t.url = a.to_url
WHERE a.url_id <> t.url_id AND a.url_id IN (SELECT url_id FROM known_pages);
