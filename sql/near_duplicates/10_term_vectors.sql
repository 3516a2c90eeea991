-- Page vectors: the terms of each page with their weights, and in how many pages a term stands.
--
-- A term's weight is the sum over the fields of n * the field's weight, or its plain count. It is
-- kept doubled, as an integer, since the paper has halves. Only the newest capture of a URL counts.
-- Words of headings and links stand in the main text, too. Where each word is to count once, they
-- are taken out of it. (A word of the main text that a link elsewhere on the page has is taken out
-- as well.)
-- chosen_terms: term_id, stem_id = the term that it counts as. field_weights: field, doubled, body
-- = the main text, from which what is inside (of a heading or a link) is taken out; both false
-- where what stands twice counts twice.
-- query_terms: field, term_id, n of a page from outside (url_id -1); empty where none is meant.
--
-- reads: page_contents, urls, borrowed_texts, page_terms, compared_terms, page_fields, query_terms,
--   chosen_terms, field_weights
-- writes: compared_pages, term_weights, term_frequencies (all temporary)
-- parameters: none

-- name: compared_pages
-- The pages that say something here. Of one without a title, text or link (a frameset, an empty
-- body) only the words of its URL are known: index.php?id=1 of two sites would be near duplicates
-- by those, and http and https of one empty page equal.
CREATE OR REPLACE TEMP TABLE compared_pages AS
WITH telling AS (
    SELECT url_id
    FROM page_terms
    WHERE field <> (SELECT field FROM page_fields WHERE name = 'url')
)
SELECT url_id
FROM page_contents
SEMI JOIN urls USING (url_id)
SEMI JOIN telling USING (url_id)
UNION ALL
SELECT b.url_id
FROM borrowed_texts AS b
SEMI JOIN telling AS t ON t.url_id = b.text_id
WHERE b.compared;

-- name: term_weights
CREATE OR REPLACE TEMP TABLE term_weights AS
WITH counted AS (
    SELECT url_id, field, term_id, n FROM compared_terms SEMI JOIN compared_pages USING (url_id)
    UNION ALL
    SELECT -1 AS url_id, field, term_id, n FROM query_terms
),
weighed AS (
    SELECT
        url_id,
        term_id,
        coalesce(sum(n * doubled) FILTER (NOT body), 0)
            + greatest(
                coalesce(sum(n) FILTER (body), 0) - coalesce(sum(n) FILTER (inside), 0),
                0
            ) * coalesce(max(doubled) FILTER (body), 0) AS weight
    FROM counted
    JOIN field_weights USING (field)
    GROUP BY url_id, term_id
)
SELECT url_id, stem_id AS term_id, sum(weight)::INTEGER AS weight
FROM weighed
JOIN chosen_terms USING (term_id)
WHERE weight > 0
GROUP BY url_id, stem_id;

-- name: term_frequencies
-- df = pages that have the term, the query page not counted.
CREATE OR REPLACE TEMP TABLE term_frequencies AS
SELECT term_id, count(*) FILTER (url_id >= 0)::INTEGER AS df FROM term_weights GROUP BY term_id;
