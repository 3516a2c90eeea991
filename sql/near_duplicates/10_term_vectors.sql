-- Page vectors: the terms of each page with their weights, and in how many pages a term stands.
--
-- Weight = sum over the fields of n * weight of the field (Das, Mathew and Vijayaraghavan 2012, Table 1), or plain counts; kept doubled, as
-- an integer, since the paper has halves. Only the newest capture of a URL counts. Reads the temporary tables chosen_terms (term_id,
-- stem_id: the term that it counts as) and field_weights (field, doubled), and asked_terms (field, term_id, n): a page from
-- outside, url_id -1, empty where none is asked about.

-- name: compared_pages
-- The pages that say something here. Of one without a title, text or link (a frameset, an empty body) only the words of its URL are known:
-- index.php?id=1 of two sites would be near duplicates by those, and http and https of one empty page equal.
CREATE OR REPLACE TEMP TABLE compared_pages AS
SELECT url_id FROM page_contents SEMI JOIN urls USING (url_id)
SEMI JOIN (SELECT url_id FROM page_terms WHERE field <> (SELECT field FROM page_fields WHERE name = 'url')) USING (url_id);

-- name: term_weights
CREATE OR REPLACE TEMP TABLE term_weights AS
WITH standing AS (
    FROM page_terms SEMI JOIN compared_pages USING (url_id) SELECT url_id, field, term_id, n
    UNION ALL
    FROM asked_terms SELECT -1 AS url_id, field, term_id, n
)
SELECT s.url_id, c.stem_id AS term_id, sum(s.n * f.doubled)::INTEGER AS weight
FROM standing AS s
JOIN chosen_terms AS c USING (term_id)
JOIN field_weights AS f USING (field)
GROUP BY s.url_id, c.stem_id;

-- name: term_frequencies
-- df = pages that have the term, the asked page not counted.
CREATE OR REPLACE TEMP TABLE term_frequencies AS
SELECT term_id, count(*) FILTER (url_id >= 0)::INTEGER AS df FROM term_weights GROUP BY term_id;
