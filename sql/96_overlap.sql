-- Minimum weight overlapping: the term-document weight matrix, its pages by size and its terms in one global order.
--
-- Das, Mathew and Vijayaraghavan (2012), section 3, algorithm Rendering. A page's share of a term is weight / total of the page. Terms below
-- a share of T (in millionths: $share) are dropped, and the totals made anew of the terms that stay. The global order is by rising
-- document frequency, or by the weight that a term has in all pages together, ties by the term itself: every page is sorted by the
-- same order, or prefix filtering would lose pairs. Reads term_weights and term_frequencies (91_page_vectors) and vocabulary.

-- name: overlap_weights
-- What dynamic thresholding keeps. Whole numbers on both sides: weight / total >= T.
CREATE OR REPLACE TEMP TABLE overlap_weights AS
SELECT w.url_id, w.term_id, w.weight
FROM term_weights AS w
JOIN (SELECT url_id, sum(weight)::BIGINT AS total FROM term_weights GROUP BY url_id) AS p USING (url_id)
WHERE w.weight > 0 AND w.weight::BIGINT * 1000000 >= $share * p.total;

-- name: overlap_pages
CREATE OR REPLACE TEMP TABLE overlap_pages AS
SELECT url_id, count(*)::INTEGER AS n, sum(weight)::BIGINT AS total FROM overlap_weights GROUP BY url_id;

-- name: overlap_ranks
-- The asked page (url_id -1) has no say in the order.
CREATE OR REPLACE TEMP TABLE overlap_ranks AS
WITH standing AS (
    SELECT term_id, coalesce(sum(weight) FILTER (url_id >= 0), 0)::BIGINT AS weight FROM overlap_weights GROUP BY term_id
)
SELECT s.term_id, (row_number() OVER (ORDER BY CASE WHEN $order = 'weight' THEN s.weight ELSE f.df END, v.term) - 1)::INTEGER AS rank
FROM standing AS s
JOIN term_frequencies AS f USING (term_id)
JOIN vocabulary AS v USING (term_id);

-- name: matrix_pages
-- The columns of the matrix: small pages first.
SELECT url_id, n, total FROM overlap_pages ORDER BY n, url_id;

-- name: matrix_entries
-- Its entries, page after page in the same order, the terms of a page in theirs.
SELECT r.rank, w.weight
FROM overlap_weights AS w
JOIN overlap_ranks AS r USING (term_id)
JOIN overlap_pages AS p USING (url_id)
ORDER BY p.n, w.url_id, r.rank;

-- name: matrix_size
-- The matrix as it is rendered, and what dynamic thresholding leaves of it; the asked page counts as one.
SELECT
    (SELECT count(DISTINCT url_id) FROM term_weights) AS pages,
    (SELECT count(*) FROM term_frequencies) AS terms,
    (SELECT count(*) FROM overlap_pages) AS kept_pages,
    (SELECT count(*) FROM overlap_ranks) AS kept_terms;

-- name: found
CREATE OR REPLACE TEMP TABLE found (a_id BIGINT, b_id BIGINT, score DOUBLE);
