-- Minimum weight overlapping: the term-document weight matrix, its pages by size and its terms in one global order.
--
-- Das, Mathew and Vijayaraghavan (2012), section 3, algorithm Rendering. A page's share of a term is weight / total of the page. Terms below
-- a share of T (in millionths: $share) are dropped, and the totals made anew of the terms that stay. The global order is by rising
-- document frequency, or by the weight that a term has in all pages together, ties by the term itself: every page is sorted by the
-- same order, or prefix filtering would lose pairs. Reads term_weights and term_frequencies (91_page_vectors), and
-- of chosen_terms what string a term is.

-- name: matrix_size
-- The matrix as it is rendered, and what dynamic thresholding leaves of it; a page from outside counts as one.
SELECT count(DISTINCT url_id) AS pages, count(DISTINCT term_id) AS terms FROM term_weights;

-- name: drop_light_terms
-- Dynamic thresholding; whole numbers on both sides: weight / total < T.
DELETE FROM term_weights AS w
USING (SELECT url_id, sum(weight)::BIGINT AS total FROM term_weights GROUP BY url_id) AS p
WHERE p.url_id = w.url_id AND w.weight::BIGINT * 1000000 < $share * p.total;

-- name: overlap_pages
-- Small pages first: the columns of the matrix.
CREATE OR REPLACE TEMP TABLE overlap_pages AS
SELECT url_id, (row_number() OVER (ORDER BY count(*), url_id) - 1)::INTEGER AS page, count(*)::INTEGER AS n, sum(weight)::BIGINT AS total
FROM term_weights
GROUP BY url_id;

-- name: overlap_ranks
-- The global order of terms; a page from outside (url_id -1) has no say in it.
CREATE OR REPLACE TEMP TABLE overlap_ranks AS
WITH standing AS (
    SELECT term_id, coalesce(sum(weight) FILTER (url_id >= 0), 0)::BIGINT AS weight FROM term_weights GROUP BY term_id
), strings AS (
    SELECT DISTINCT stem_id AS term_id, stem FROM chosen_terms
)
SELECT s.term_id, (row_number() OVER (ORDER BY CASE WHEN $order = 'weight' THEN s.weight ELSE f.df END, t.stem) - 1)::INTEGER AS rank
FROM standing AS s
JOIN term_frequencies AS f USING (term_id)
JOIN strings AS t USING (term_id);

-- name: matrix_pages
SELECT url_id, n, total FROM overlap_pages ORDER BY page;

-- name: matrix_entries
SELECT p.page, r.rank, w.weight
FROM term_weights AS w
JOIN overlap_ranks AS r USING (term_id)
JOIN overlap_pages AS p USING (url_id);

-- name: entries_are_read
-- The largest table of the run, and its memory, are let go.
DROP TABLE term_weights;

-- name: page_keys
-- For 92_equal_pages: key = number of the matrix column that stands for the page.
CREATE OR REPLACE TEMP TABLE page_keys (url_id BIGINT, key BIGINT);

-- name: near_keys
CREATE OR REPLACE TEMP TABLE near_keys (a_key BIGINT, b_key BIGINT, score DOUBLE);

-- name: found
-- For the pairs of a page from outside.
CREATE OR REPLACE TEMP TABLE found (a_id BIGINT, b_id BIGINT, score DOUBLE);
