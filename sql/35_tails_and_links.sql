-- Tails and links: evidence of a pair that the join over contents does not meet.
--
-- tail_pairs: tails of paths (last segment with query) that both have: a copy under a prefix keeps them. Of those at which
-- both have one page, and these differ: how many are of one length but for 3 % (n_close of n_sized), and how many have one title
-- (n_titled of n_titles). A page that was fetched at another time or written down anew keeps both, a translation or a
-- sibling of one template does not.
-- title_pairs: titles that both have, by rarity, wherever they stand.
-- link_pairs: outside URLs that both link to, by rarity: a copy keeps its links where its markup changed; links to
-- each other and to what more than path_max_hosts hosts link to say nothing here.
-- linked_pairs: pages of the one that link to the other. canonical_pairs: pages of the one that name the other as
-- their canonical place, or redirect there.
-- All over candidates only (and sampled non-replicas, which share nothing); without links in the database the three are empty.

-- name: tail_pairs
CREATE OR REPLACE TEMP TABLE tail_pairs AS
WITH ranked AS (SELECT t.*, s.host_rank FROM shared_tails AS t JOIN host_stats AS s USING (host_id))
SELECT x.host_id AS a_id, y.host_id AS b_id, sum(x.weight)::BIGINT AS weight,
       count(*) FILTER (x.content <> y.content AND x.length + y.length > 0) AS n_sized,
       count(*) FILTER (x.content <> y.content AND abs(x.length - y.length) * 100 <= 3 * greatest(x.length, y.length)) AS n_close,
       count(*) FILTER (x.content <> y.content AND x.title IS NOT NULL AND y.title IS NOT NULL) AS n_titles,
       count(*) FILTER (x.content <> y.content AND x.title = y.title) AS n_titled
FROM ranked AS x
JOIN ranked AS y ON x.tail = y.tail AND x.host_rank < y.host_rank
SEMI JOIN candidates AS c ON c.a_id = x.host_id AND c.b_id = y.host_id
GROUP BY x.host_id, y.host_id;

-- name: titles
-- Titles of 1 to path_max_hosts sites, by site; one that a site has on several pages says what the site is called.
CREATE OR REPLACE TEMP TABLE titles AS
SELECT host_id, title, df, round((1 + ln((SELECT count(DISTINCT host_id) FROM urls WHERE title IS NOT NULL) / df)) * $scale)::BIGINT AS weight
FROM (SELECT host_id, title, count(*) OVER (PARTITION BY title) AS df
      FROM (SELECT DISTINCT host_id, hash(lower(title)) AS title FROM urls WHERE title IS NOT NULL))
WHERE df <= $path_max_hosts;

-- name: title_norms
CREATE OR REPLACE TEMP TABLE title_norms AS
SELECT host_id, sum(weight)::BIGINT AS weight FROM titles GROUP BY host_id;

-- name: title_pairs
CREATE OR REPLACE TEMP TABLE title_pairs AS
WITH ranked AS (SELECT t.title, t.host_id, t.weight, s.host_rank FROM titles AS t JOIN host_stats AS s USING (host_id) WHERE t.df > 1)
SELECT x.host_id AS a_id, y.host_id AS b_id, sum(x.weight)::BIGINT AS weight
FROM ranked AS x
JOIN ranked AS y ON x.title = y.title AND x.host_rank < y.host_rank
SEMI JOIN candidates AS c ON c.a_id = x.host_id AND c.b_id = y.host_id
GROUP BY x.host_id, y.host_id;

-- name: targets
-- Outside URLs that 1 to path_max_hosts sites link to, by site.
CREATE OR REPLACE TEMP TABLE targets AS
WITH outside AS (
    SELECT DISTINCT o.host_id, hash(o.origin, o.path) AS target, o.to_host
    FROM outlinks AS o JOIN hosts AS h ON h.host_id = o.host_id AND h.host <> o.to_host
)
SELECT host_id, target, to_host, df, round((1 + ln((SELECT count(DISTINCT host_id) FROM outlinks) / df)) * $scale)::BIGINT AS weight
FROM (SELECT *, count(*) OVER (PARTITION BY target) AS df FROM outside)
WHERE df <= $path_max_hosts;

-- name: target_norms
CREATE OR REPLACE TEMP TABLE target_norms AS
SELECT host_id, sum(weight)::BIGINT AS weight FROM targets GROUP BY host_id;

-- name: link_pairs
CREATE OR REPLACE TEMP TABLE link_pairs AS
WITH ranked AS (SELECT t.target, t.host_id, t.weight, s.host_rank FROM targets AS t JOIN host_stats AS s USING (host_id) WHERE t.df > 1)
SELECT x.host_id AS a_id, y.host_id AS b_id, sum(x.weight)::BIGINT AS weight
FROM ranked AS x
JOIN ranked AS y ON x.target = y.target AND x.host_rank < y.host_rank
SEMI JOIN candidates AS c ON c.a_id = x.host_id AND c.b_id = y.host_id
GROUP BY x.host_id, y.host_id;

-- name: linked_pairs
-- share: pages of the one that link to one URL of the other at least, of its pages; the higher of both directions.
CREATE OR REPLACE TEMP TABLE linked_pairs AS
WITH towards AS (
    SELECT o.host_id AS from_id, h.host_id AS to_id, max(o.pages) AS pages
    FROM outlinks AS o JOIN hosts AS h ON h.host = o.to_host AND h.host_id <> o.host_id
    GROUP BY o.host_id, h.host_id
)
SELECT c.a_id, c.b_id, max(least(t.pages / (s.n_urls + 1), 1)) AS share
FROM towards AS t
JOIN host_stats AS s ON s.host_id = t.from_id
JOIN host_stats AS o ON o.host_id = t.to_id
JOIN candidates AS c ON c.a_id = CASE WHEN s.host_rank < o.host_rank THEN t.from_id ELSE t.to_id END
                    AND c.b_id = CASE WHEN s.host_rank < o.host_rank THEN t.to_id ELSE t.from_id END
GROUP BY c.a_id, c.b_id;

-- name: named_places
-- How many canonical links and redirects each site has, and how many of them lead to which other site.
CREATE OR REPLACE TEMP TABLE named_places AS
SELECT f.host_id AS from_id, t.host_id AS to_id, count(*) AS n
FROM links AS l JOIN hosts AS f ON f.host = l.from_host LEFT JOIN hosts AS t ON t.host = l.to_host
WHERE l.kind IN ('canonical', 'redirect')
GROUP BY f.host_id, t.host_id;

-- name: canonical_pairs
CREATE OR REPLACE TEMP TABLE canonical_pairs AS
WITH whole AS (SELECT from_id, sum(n) AS n FROM named_places GROUP BY from_id)
SELECT c.a_id, c.b_id, max(p.n / (w.n + 1)) AS share
FROM named_places AS p
JOIN whole AS w USING (from_id)
JOIN host_stats AS s ON s.host_id = p.from_id
JOIN host_stats AS o ON o.host_id = p.to_id AND o.host_id <> s.host_id
JOIN candidates AS c ON c.a_id = CASE WHEN s.host_rank < o.host_rank THEN p.from_id ELSE p.to_id END
                    AND c.b_id = CASE WHEN s.host_rank < o.host_rank THEN p.to_id ELSE p.from_id END
GROUP BY c.a_id, c.b_id;

-- name: link_sides
-- Which sites have titles, outside links that count, outside links at all, and canonical links or redirects: else a pair has NULL.
CREATE OR REPLACE TEMP TABLE link_sides AS
SELECT h.host_id, t.weight AS target_weight, w.weight AS title_weight, o.host_id IS NOT NULL AS links, n.from_id IS NOT NULL AS names
FROM hosts AS h
LEFT JOIN target_norms AS t ON t.host_id = h.host_id
LEFT JOIN title_norms AS w ON w.host_id = h.host_id
LEFT JOIN (SELECT DISTINCT host_id FROM outlinks) AS o ON o.host_id = h.host_id
LEFT JOIN (SELECT DISTINCT from_id FROM named_places) AS n ON n.from_id = h.host_id
WHERE o.host_id IS NOT NULL OR n.from_id IS NOT NULL OR w.host_id IS NOT NULL;
