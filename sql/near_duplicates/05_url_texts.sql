-- Texts of URLs: what stands on the newest capture of each, whatever was loaded first.
--
-- A capture's own text is that which its source brought (load --content). A URL whose newest
-- capture has none (a revisit, a line of an index) borrows that of a capture with its fingerprint:
-- of the same URL where there is one, else of the least URL. Nothing is stored for that: it is
-- looked up when texts are read. So the result depends on what is loaded, not on the order.
-- elsewhere = from another URL, whose links and address are not taken. compared = a page of its own
-- for page methods: from the same URL, or a revisit, which says that the same was there. What an
-- index alone says equals its lender, and would be compared with all that that is compared with.
-- Source: docs/method.md#borrowed-texts.
-- NULL in page_contents: the page has none.
--
-- reads: urls, superseded, origins, revisits, page_contents, page_terms, page_fields, anchors
-- writes: borrowed_texts, texts_of_urls (a view), compared_texts (a view), compared_terms (a view),
--   compared_anchors (a view; all temporary)
-- parameters: none

-- name: none_borrowed
-- Where no text is known at all: borrowed_texts finds none then, and is dear to plan.
CREATE OR REPLACE TEMP TABLE borrowed_texts (
    url_id BIGINT, text_id BIGINT, elsewhere BOOLEAN, compared BOOLEAN
);

-- name: borrowed_texts
-- One row for each URL that borrows. Lenders are ordered by what they say, then by URL and time.
CREATE OR REPLACE TEMP TABLE borrowed_texts AS
WITH bare_urls AS (
    SELECT url_id, origin_id, path, fingerprint_kind, fingerprint
    FROM urls
    ANTI JOIN page_contents USING (url_id)
    WHERE fingerprint IS NOT NULL
),
in_database AS (
    FROM urls SELECT url_id, origin_id, path, fetched_at, fingerprint_kind, fingerprint
    UNION ALL
    FROM superseded SELECT url_id, origin_id, path, fetched_at, fingerprint_kind, fingerprint
),
texted AS (
    FROM in_database
    SEMI JOIN page_contents USING (url_id)
    SEMI JOIN bare_urls USING (fingerprint_kind, fingerprint)
),
lenders AS (
    SELECT
        t.* EXCLUDE (fetched_at),
        (
            p.text_digest IS NULL,
            coalesce(p.text_digest, ''),
            o.origin || t.path,
            coalesce(t.fetched_at, TIMESTAMP '1900-01-01'),
            coalesce(p.title, ''),
            t.url_id
        ) AS place
    FROM texted AS t
    JOIN page_contents AS p USING (url_id)
    JOIN origins AS o USING (origin_id)
),
of_fingerprint AS (
    SELECT fingerprint_kind, fingerprint, min(place)[6] AS text_id
    FROM lenders
    GROUP BY fingerprint_kind, fingerprint
),
of_url AS (
    SELECT b.url_id, min(l.place)[6] AS text_id
    FROM bare_urls AS b
    JOIN lenders AS l USING (origin_id, path, fingerprint_kind, fingerprint)
    GROUP BY b.url_id
)
SELECT
    b.url_id,
    coalesce(u.text_id, f.text_id) AS text_id,
    u.text_id IS NULL AS elsewhere,
    u.text_id IS NOT NULL OR b.url_id IN (SELECT url_id FROM revisits) AS compared
FROM bare_urls AS b
JOIN of_fingerprint AS f USING (fingerprint_kind, fingerprint)
LEFT JOIN of_url AS u USING (url_id);

-- name: texts_of_urls
-- As page_contents, for every URL that has a text.
CREATE OR REPLACE TEMP VIEW texts_of_urls AS
SELECT * EXCLUDE (source_id)
FROM page_contents
SEMI JOIN urls USING (url_id)
UNION ALL
SELECT p.* EXCLUDE (source_id) REPLACE (b.url_id AS url_id)
FROM borrowed_texts AS b
JOIN page_contents AS p ON p.url_id = b.text_id;

-- name: compared_texts
-- The same for what page methods compare.
CREATE OR REPLACE TEMP VIEW compared_texts AS
FROM texts_of_urls
ANTI JOIN (FROM borrowed_texts WHERE NOT compared) USING (url_id);

-- name: compared_terms
-- As page_terms, for these.
CREATE OR REPLACE TEMP VIEW compared_terms AS
SELECT url_id, field, term_id, n
FROM page_terms
SEMI JOIN urls USING (url_id)
UNION ALL
SELECT b.url_id, t.field, t.term_id, t.n
FROM borrowed_texts AS b
JOIN page_terms AS t ON t.url_id = b.text_id
WHERE b.compared
  AND NOT (b.elsewhere AND t.field = (SELECT field FROM page_fields WHERE name = 'url'));

-- name: compared_anchors
-- As anchors, for these.
CREATE OR REPLACE TEMP VIEW compared_anchors AS
SELECT url_id, to_url, anchor
FROM anchors
SEMI JOIN urls USING (url_id)
UNION ALL
SELECT b.url_id, a.to_url, a.anchor
FROM borrowed_texts AS b
JOIN anchors AS a ON a.url_id = b.text_id
WHERE NOT b.elsewhere;
