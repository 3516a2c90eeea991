-- Self labelled pairs: pairs of pages whose label nobody has to give, to train the classifier.
--
-- duplicate: exact = equal normalised text; rendered = equal text in a browser; obvious = one path
-- with query on two hosts or schemes of one registrable domain.
-- not: neighbour = of one host, another text; random = of two domains.
-- Each kind has at most $most pairs (of the equal ones $most_equal), chosen by a seeded MD5 of the
-- URLs. Of a content on more than $cap pages (error pages, empty templates) none is taken. Pages
-- without text give no pair. Pairs stand in the order of that MD5, not of ids, so that the order of
-- loading does not matter. Source: docs/method.md#page-labels.
-- NULL rendered_digest = not rendered.
--
-- reads: compared_texts, urls, origins, hosts, rendered_pages
-- writes: labelling_pages, self_labelled_pairs, edited_pages, edited_rendered, bodies (a view; all
--   temporary)
-- parameters: seed, most, most_equal, cap

-- name: labelling_pages
CREATE OR REPLACE TEMP TABLE labelling_pages AS
SELECT
    c.url_id,
    u.host_id,
    coalesce(h.domain, o.host_name) AS site,
    u.path,
    c.normal_digest,
    md5(r.text) AS rendered_digest,
    r.url_id IS NULL OR r.text = c.text AS as_fetched,
    md5($seed || o.origin || u.path) AS dealt
FROM compared_texts AS c
JOIN urls AS u USING (url_id)
JOIN origins AS o USING (origin_id)
JOIN hosts AS h ON h.host_id = u.host_id
LEFT JOIN rendered_pages AS r ON r.url_id = c.url_id
WHERE coalesce(c.text, '') <> '';

-- name: self_labelled_pairs
CREATE OR REPLACE TEMP TABLE self_labelled_pairs AS
WITH drawn AS (
    SELECT
        url_id,
        lag(url_id) OVER w AS other,
        dealt,
        'exact' AS cause,
        count(*) OVER (PARTITION BY normal_digest) AS n
    FROM labelling_pages
    WHERE normal_digest IS NOT NULL
    WINDOW w AS (PARTITION BY normal_digest ORDER BY dealt)
    UNION ALL
    SELECT
        url_id,
        lag(url_id) OVER w,
        dealt,
        'rendered',
        count(*) OVER (PARTITION BY rendered_digest)
    FROM labelling_pages
    WHERE rendered_digest IS NOT NULL
    WINDOW w AS (PARTITION BY rendered_digest ORDER BY dealt)
    UNION ALL
    SELECT
        url_id,
        lag(url_id) OVER w,
        dealt,
        'obvious',
        count(*) OVER (PARTITION BY site, path)
    FROM labelling_pages
    WHERE path <> '/'
    WINDOW w AS (PARTITION BY site, path ORDER BY dealt)
    UNION ALL
    SELECT url_id, lag(url_id) OVER w, dealt, 'neighbour', 0
    FROM labelling_pages
    WINDOW w AS (PARTITION BY host_id ORDER BY dealt)
    UNION ALL
    SELECT url_id, lag(url_id) OVER w, dealt, 'random', 0
    FROM labelling_pages
    WINDOW w AS (ORDER BY dealt)
),
sound AS (
    SELECT
        CASE WHEN a.dealt < b.dealt THEN d.url_id ELSE other END AS a_id,
        CASE WHEN a.dealt < b.dealt THEN other ELSE d.url_id END AS b_id,
        least(a.dealt, b.dealt) AS a_dealt,
        greatest(a.dealt, b.dealt) AS b_dealt,
        d.cause,
        d.dealt,
        a.site = b.site AS same_site
    FROM drawn AS d
    JOIN labelling_pages AS a ON a.url_id = d.url_id
    JOIN labelling_pages AS b ON b.url_id = d.other
    WHERE n <= $cap AND CASE d.cause
        WHEN 'neighbour' THEN a.path <> b.path
            AND a.normal_digest IS DISTINCT FROM b.normal_digest
            AND coalesce(a.rendered_digest <> b.rendered_digest, true)
        WHEN 'random' THEN a.site <> b.site
            AND a.path <> b.path
            AND a.normal_digest IS DISTINCT FROM b.normal_digest
        ELSE true
    END
),
chosen AS (
    FROM sound
    QUALIFY row_number() OVER (PARTITION BY cause ORDER BY dealt, b_dealt)
        <= CASE WHEN cause IN ('exact', 'rendered') THEN $most_equal ELSE $most END
)
SELECT
    a_id,
    b_id,
    min(cause) AS cause,
    any_value(same_site)::DOUBLE AS same_domain,
    min(a_dealt) AS a_dealt,
    min(b_dealt) AS b_dealt
FROM chosen
GROUP BY a_id, b_id
ORDER BY a_dealt, b_dealt;

-- name: edited_pages
-- Copies of pages with small edits, as they are fetched (replicadb/page_pairs/page_edits.py);
-- ids below 0.
CREATE OR REPLACE TEMP TABLE edited_pages (
    url_id BIGINT,
    title VARCHAR,
    text VARCHAR,
    body VARCHAR,
    length BIGINT,
    headings VARCHAR
);

-- name: edited_rendered
-- The same as a browser shows them.
CREATE OR REPLACE TEMP TABLE edited_rendered AS SELECT * FROM edited_pages LIMIT 0;

-- name: fetched_and_edited
CREATE OR REPLACE TEMP VIEW bodies AS
SELECT
    url_id,
    title,
    coalesce(text, '') AS text,
    coalesce(body, text, '') AS body,
    length,
    headings
FROM compared_texts
UNION ALL BY NAME
FROM edited_pages;

-- name: rendered_and_edited
CREATE OR REPLACE TEMP VIEW bodies AS
SELECT
    url_id,
    title,
    coalesce(text, '') AS text,
    coalesce(body, text, '') AS body,
    length,
    NULL::VARCHAR AS headings
FROM rendered_pages
SEMI JOIN urls USING (url_id)
UNION ALL BY NAME
SELECT url_id, title, text, body, length, NULL::VARCHAR AS headings
FROM edited_rendered;
