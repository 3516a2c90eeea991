-- Minimum weight overlapping: the term-document weight matrix, its pages by size and its terms in
-- one global order.
--
-- A page's share of a term is weight / total of the page. Terms below a share of T (in millionths:
-- $share) are dropped, and the totals made anew of the terms that stay. The global order is by
-- rising document frequency among the pages that kept the term (Canonicalize comes after that), or
-- by the weight that a term has in all of them together, ties by the term itself. Every page is
-- sorted by the same order, or prefix filtering would lose pairs.
-- term_weights: 10_term_vectors. chosen_terms: what string a term is.
-- Source: docs/method.md#mwo (Das, Mathew and Vijayaraghavan 2012, section 3, algorithm Rendering).
-- No column has NULL.
--
-- reads: term_weights, chosen_terms
-- writes: term_weights, overlap_pages, overlap_ranks, found, page_keys, near_keys (all temporary)
-- parameters: share, term_order

-- name: matrix_size
-- The matrix as it is rendered, before dynamic thresholding; a page from outside counts as one.
SELECT count(DISTINCT url_id) AS pages, count(DISTINCT term_id) AS terms FROM term_weights;

-- name: drop_light_terms
-- Dynamic thresholding; whole numbers on both sides: weight / total < T.
DELETE FROM term_weights AS w
USING (SELECT url_id, sum(weight)::BIGINT AS total FROM term_weights GROUP BY url_id) AS p
WHERE p.url_id = w.url_id AND w.weight::BIGINT * 1000000 < $share * p.total;

-- name: overlap_pages
-- Small pages first: the columns of the matrix.
CREATE OR REPLACE TEMP TABLE overlap_pages AS
SELECT
    url_id,
    (row_number() OVER (ORDER BY count(*), url_id) - 1)::INTEGER AS page,
    count(*)::INTEGER AS n,
    sum(weight)::BIGINT AS total
FROM term_weights
GROUP BY url_id;

-- name: overlap_ranks
-- The global order of terms; a page from outside (url_id -1) has no say in it.
CREATE OR REPLACE TEMP TABLE overlap_ranks AS
WITH sums AS (
    SELECT
        term_id,
        count(*) FILTER (url_id >= 0) AS df,
        coalesce(sum(weight) FILTER (url_id >= 0), 0)::BIGINT AS weight
    FROM term_weights
    GROUP BY term_id
),
strings AS (
    SELECT DISTINCT stem_id AS term_id, stem FROM chosen_terms
),
placed AS (
    SELECT s.term_id, t.stem, CASE WHEN $term_order = 'weight' THEN s.weight ELSE s.df END AS place
    FROM sums AS s
    JOIN strings AS t USING (term_id)
)
SELECT term_id, (row_number() OVER (ORDER BY place, stem) - 1)::INTEGER AS rank FROM placed;

-- name: matrix_pages
SELECT url_id, n, total FROM overlap_pages ORDER BY page;

-- name: matrix_entries
SELECT p.page, r.rank, w.weight
FROM term_weights AS w
JOIN overlap_ranks AS r USING (term_id)
JOIN overlap_pages AS p USING (url_id);

-- name: found
-- For the pairs of a page from outside.
CREATE OR REPLACE TEMP TABLE found (a_id BIGINT, b_id BIGINT, score DOUBLE);

-- name: page_keys
-- For 20_pair_expansion: key = number of the matrix column that stands for the page.
CREATE OR REPLACE TEMP TABLE page_keys (url_id BIGINT, key BIGINT);

-- name: near_keys
CREATE OR REPLACE TEMP TABLE near_keys (a_key BIGINT, b_key BIGINT, score DOUBLE);
