-- Shared evidence beside content: what two candidates share of paths, tails, titles and links.
--
-- Paths: those that both have, and 2 to path_max_hosts hosts in all. n_unequal counts the pages at
-- shared paths whose content is known on both sides and differs.
-- Tails (last segment with query): a copy under a prefix keeps them. Where both hosts have one page
-- at a tail (with its small numbers) and the two differ, their lengths and titles are compared.
-- n_close of n_sized have one length but for close_percent, n_titled of n_titles have one title, or
-- one but for the names of their sites (bare_title), n_one_language of n_spoken one language (codes
-- of two letters are not compared with those of three). A page that was fetched at another time or
-- written down anew keeps both. A translation or a sibling of one template does not.
-- Titles and outside links: those that both have, wherever they stand, by inverse pair frequency
-- (sql/detect/12_dup_clusters). A copy keeps them where its markup changed. What more than
-- path_max_hosts hosts have or link to says nothing, nor do links to each other.
-- Identifiers (accounts, mail addresses, wallets, names of servers): by idf, since a campaign of
-- forty hosts may have one wallet.
-- Languages: of each host the one that most of its pages say that they are in.
-- shared_evidence is about the pairs of the slice at hand, directed_pairs about all that links
-- name. Without links in the database named_places and directed_pairs are empty.
-- Source: docs/robust.md#robust-evidence; close_percent: replicadb/settings.py.
-- What begins with no_ stands for what would be empty: a small crawl need not plan it.
-- NULL content, length or title = unknown.
--
-- reads: compared_tails, compared_hosts, host_stats, urls, page_urls, superseded, outlinks,
--   hosts, links, newest_links, identifiers, newest_languages (functions/75_newest_said), host_ips,
--   named_places, tokens, path_keys, tail_keys, content_pairs
-- writes: tail_keys, tokens, named_places, directed_pairs, main_languages, token_norms,
--   shared_evidence
-- parameters: scale, path_max_hosts, non_replicas (whether it is these that are measured),
--   candidates, negatives (where they are drawn from, a setting), low, high, close_percent,
--   country_sites

-- name: known
-- What there is at all, beside contents and paths. countries: whether the suffixes are of so many
-- countries that there may be country sites (sql/detect/38_country_sites).
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM urls WHERE title_hash IS NOT NULL LIMIT 1)) AS titles,
    (SELECT count(*) FROM (SELECT 1 FROM outlinks LIMIT 1)) AS outlinks,
    (SELECT count(*) FROM (SELECT 1 FROM links LIMIT 1)) AS links,
    (SELECT count(*) FROM (SELECT 1 FROM identifiers LIMIT 1)) AS identifiers,
    (SELECT count(*) FROM (SELECT 1 FROM host_ips LIMIT 1)) AS addresses,
    (
        SELECT count(*) FROM (SELECT DISTINCT suffix FROM hosts)
        WHERE regexp_matches(suffix, '(^|\.)[a-z]{2}$')
    ) >= $country_sites AS countries;

-- name: tail_keys
-- Of the same hosts as path_keys, in the same order.
CREATE OR REPLACE TEMP TABLE tail_keys AS
SELECT t.tail, s.place, t.weight, t.content, t.length, t.title, t.bare_title, t.language
FROM compared_tails AS t
JOIN compared_hosts AS s USING (host_id)
WHERE $non_replicas OR $candidates <> 'content' OR s.n_shared_clusters > 0
ORDER BY s.place;

-- name: no_tokens
CREATE OR REPLACE TEMP TABLE tokens (
    place INTEGER, kind TINYINT, token UBIGINT, df BIGINT, weight BIGINT
);

-- name: tokens
-- Titles (kind 1), outside URLs linked to (2) and identifiers (3) that 1 to path_max_hosts hosts
-- have, by host.
CREATE OR REPLACE TEMP TABLE tokens AS
WITH found AS (
    SELECT DISTINCT host_id, 1::TINYINT AS kind, title_hash AS token
    FROM urls
    WHERE title_hash IS NOT NULL
    UNION ALL
    SELECT DISTINCT o.host_id, 2::TINYINT, hash(o.origin, hash64(o.path))
    FROM outlinks AS o
    JOIN hosts AS h ON h.host_id = o.host_id AND h.host <> o.to_host
    UNION ALL
    SELECT DISTINCT host_id, 3::TINYINT, hash(kind, value)
    FROM identifiers
    WHERE kind <> 'language'
),
counted AS (
    SELECT kind, token, count(*) AS df
    FROM found
    GROUP BY kind, token
    HAVING count(*) <= $path_max_hosts
)
SELECT
    s.place,
    kind,
    token,
    c.df,
    CASE kind
        WHEN 3 THEN round((1 + ln((SELECT count(*) FROM host_stats) / c.df)) * $scale)
        ELSE $scale // greatest(c.df - 1, 1)
    END::BIGINT AS weight
FROM found
JOIN counted AS c USING (kind, token)
JOIN compared_hosts AS s USING (host_id);

-- name: no_named_places
CREATE OR REPLACE TEMP TABLE named_places (from_id INTEGER, to_id INTEGER, n BIGINT);

-- name: named_places
-- How many canonical links and redirects each host has, and how many of them lead to which other.
CREATE OR REPLACE TEMP TABLE named_places AS
SELECT f.host_id AS from_id, t.host_id AS to_id, count(*) AS n
FROM newest_links() AS l
JOIN hosts AS f ON f.host = l.from_host
LEFT JOIN hosts AS t ON t.host = l.to_host
GROUP BY f.host_id, t.host_id;

-- name: no_directed_pairs
CREATE OR REPLACE TEMP TABLE directed_pairs (
    a INTEGER, b INTEGER, linked DOUBLE, canonical DOUBLE
);

-- name: directed_pairs
-- linked: pages of the one that link to one URL of the other at least, of its pages. Each source
-- says of how many, and these are added up: a crawl in a hundred files is as one in a single file.
-- Where newer captures replaced some of a source's pages, as large a share of those that link.
-- Assets do not count in that share: they have no links.
-- canonical: as above, of all that the one has. Each the higher of both directions.
CREATE OR REPLACE TEMP TABLE directed_pairs AS
WITH replaced AS (
    SELECT host_id, source_id, count(*) AS n
    FROM superseded
    WHERE asset IS NOT true
    GROUP BY host_id, source_id
),
left_over AS (
    SELECT r.host_id, r.source_id, count(u.url_id) / (count(u.url_id) + r.n) AS share
    FROM replaced AS r
    LEFT JOIN page_urls AS u USING (host_id, source_id)
    GROUP BY r.host_id, r.source_id, r.n
),
to_urls AS (
    SELECT
        o.host_id AS from_id,
        h.host_id AS to_id,
        sum(round(o.pages * coalesce(l.share, 1) * $scale))::BIGINT AS pages
    FROM outlinks AS o
    JOIN hosts AS h ON h.host = o.to_host AND h.host_id <> o.host_id
    LEFT JOIN left_over AS l ON l.host_id = o.host_id AND l.source_id = o.source_id
    GROUP BY o.host_id, h.host_id, o.origin, o.path
),
towards AS (
    SELECT from_id, to_id, max(pages) / $scale AS pages FROM to_urls GROUP BY from_id, to_id
),
whole AS (
    SELECT from_id, sum(n) AS n FROM named_places GROUP BY from_id
),
shares AS (
    SELECT from_id, to_id, least(t.pages / (s.n_urls + 1), 1) AS linked, 0 AS canonical
    FROM towards AS t
    JOIN compared_hosts AS s ON s.host_id = t.from_id
    UNION ALL
    SELECT from_id, to_id, 0, p.n / (w.n + 1)
    FROM named_places AS p
    JOIN whole AS w USING (from_id)
    WHERE to_id <> from_id
)
SELECT
    least(f.place, t.place) AS a,
    greatest(f.place, t.place) AS b,
    max(linked) AS linked,
    max(canonical) AS canonical
FROM shares
JOIN compared_hosts AS f ON f.host_id = from_id
JOIN compared_hosts AS t ON t.host_id = to_id
GROUP BY a, b;

-- name: no_main_languages
CREATE OR REPLACE TEMP TABLE main_languages (
    host_id INTEGER, language USMALLINT, language_pages INTEGER, spoken_pages INTEGER
);

-- name: main_languages
-- Of a host the language that most of its pages say that they are in, as a number, on how many
-- pages, and how many say any.
CREATE OR REPLACE TEMP TABLE main_languages AS
WITH said AS (
    SELECT host_id, value, n
    FROM newest_languages()
    WHERE language_number(value) IS NOT NULL
),
counted AS (
    SELECT host_id, arg_max(value, (n, value)) AS value, max(n) AS n, sum(n) AS every
    FROM said
    GROUP BY host_id
)
SELECT
    host_id,
    language_number(value) AS language,
    n::INTEGER AS language_pages,
    every::INTEGER AS spoken_pages
FROM counted;

-- name: no_token_norms
CREATE OR REPLACE TEMP TABLE token_norms (
    place INTEGER,
    title_weight BIGINT,
    target_weight BIGINT,
    identifier_weight BIGINT,
    links BOOLEAN,
    names BOOLEAN
);

-- name: token_norms
-- What a host has of titles, outside links and identifiers, and whether it has links (kind 4),
-- canonical links or redirects (5) at all: else a pair has NULL.
CREATE OR REPLACE TEMP TABLE token_norms AS
WITH linking AS (
    SELECT DISTINCT host_id FROM outlinks
),
naming AS (
    SELECT DISTINCT from_id FROM named_places
),
rows AS (
    SELECT place, kind, weight FROM tokens
    UNION ALL
    SELECT place, 4, 0 FROM linking JOIN compared_hosts USING (host_id)
    UNION ALL
    SELECT place, 5, 0 FROM naming JOIN compared_hosts ON host_id = from_id
)
SELECT
    place,
    sum(weight) FILTER (kind = 1)::BIGINT AS title_weight,
    sum(weight) FILTER (kind = 2)::BIGINT AS target_weight,
    sum(weight) FILTER (kind = 3)::BIGINT AS identifier_weight,
    bool_or(kind = 4) AS links,
    bool_or(kind = 5) AS names
FROM rows
GROUP BY place;

-- name: shared_evidence
-- One row for each thing that two hosts of the slice both have, as narrow as can be, since most are
-- not of candidates: what it is stands in the bits of code, its weight (of a path squared) beside.
-- Summed by code first, which is cheaper than a dozen sums over all of them. Few candidates share
-- any.
--     1 a path, 2 with a page on both sides, 4 whose content differs
--     8 a tail, 16 of pages that differ and have lengths, 32 which are close,
--       64 of pages that differ and have titles, 128 which are equal,
--       2048 of pages that differ and have languages, 4096 which are equal
--   256 a title, 512 a link, 1024 an identifier
CREATE OR REPLACE TEMP TABLE shared_evidence AS
WITH paths AS (
    SELECT
        x.place AS a,
        y.place AS b,
        x.weight2::DOUBLE AS weight,
        CASE
            WHEN NOT (x.page AND y.page) THEN 1
            WHEN x.content <> y.content THEN 1 + 2 + 4
            ELSE 1 + 2
        END::USMALLINT AS code
    FROM path_keys AS x
    JOIN path_keys AS y ON x.path = y.path AND x.place < y.place
    WHERE x.place BETWEEN $low AND $high
),
tails AS (
    SELECT
        x.place AS a,
        y.place AS b,
        x.weight::DOUBLE AS weight,
        CASE
            WHEN x.content <> y.content
            THEN 8
                + CASE WHEN x.length + y.length > 0 THEN 16 ELSE 0 END
                + CASE
                    WHEN abs(x.length - y.length) * 100
                        <= $close_percent * greatest(x.length, y.length)
                    THEN 32
                    ELSE 0
                END
                + CASE WHEN x.title IS NOT NULL AND y.title IS NOT NULL THEN 64 ELSE 0 END
                + CASE WHEN x.title = y.title OR x.bare_title = y.bare_title THEN 128 ELSE 0 END
                + CASE WHEN (x.language < 729) = (y.language < 729) THEN 2048 ELSE 0 END
                + CASE WHEN x.language = y.language THEN 4096 ELSE 0 END
            ELSE 8
        END::USMALLINT AS code
    FROM tail_keys AS x
    JOIN tail_keys AS y ON x.tail = y.tail AND x.place < y.place
    WHERE x.place BETWEEN $low AND $high
),
in_common AS (
    SELECT
        x.place AS a,
        y.place AS b,
        x.weight::DOUBLE AS weight,
        CASE x.kind WHEN 1 THEN 256 WHEN 2 THEN 512 ELSE 1024 END::USMALLINT AS code
    FROM tokens AS x
    JOIN tokens AS y ON x.kind = y.kind AND x.token = y.token AND x.place < y.place
    WHERE x.place BETWEEN $low AND $high AND x.df > 1 AND y.df > 1
),
shared AS (
    FROM paths
    UNION ALL
    FROM tails
    UNION ALL
    FROM in_common
),
by_code AS (
    SELECT a, b, code, sum(weight) AS weight, count(*) AS n
    FROM shared
    SEMI JOIN content_pairs AS c USING (a, b)
    GROUP BY a, b, code
)
SELECT
    a,
    b,
    coalesce(sum(weight) FILTER (code & 1 > 0), 0)::BIGINT AS path_weight2,
    coalesce(sum(weight) FILTER (code & 2 > 0), 0)::BIGINT AS page_path_weight2,
    coalesce(sum(weight) FILTER (code & 8 > 0), 0)::BIGINT AS tail_weight,
    coalesce(sum(weight) FILTER (code & 256 > 0), 0)::BIGINT AS title_weight,
    coalesce(sum(weight) FILTER (code & 512 > 0), 0)::BIGINT AS target_weight,
    coalesce(sum(weight) FILTER (code & 1024 > 0), 0)::BIGINT AS identifier_weight,
    coalesce(sum(n) FILTER (code & 1 > 0), 0)::INTEGER AS n_paths,
    coalesce(sum(n) FILTER (code & 4 > 0), 0)::INTEGER AS n_unequal,
    coalesce(sum(n) FILTER (code & 16 > 0), 0)::INTEGER AS n_sized,
    coalesce(sum(n) FILTER (code & 32 > 0), 0)::INTEGER AS n_close,
    coalesce(sum(n) FILTER (code & 64 > 0), 0)::INTEGER AS n_titles,
    coalesce(sum(n) FILTER (code & 128 > 0), 0)::INTEGER AS n_titled,
    coalesce(sum(n) FILTER (code & 2048 > 0), 0)::INTEGER AS n_spoken,
    coalesce(sum(n) FILTER (code & 4096 > 0), 0)::INTEGER AS n_one_language
FROM by_code
GROUP BY a, b;

-- name: non_replicas_evidence
-- The same of obvious non-replicas, pair by pair: they may share the home page, and where content
-- alone counts any path; of tails, titles, links and identifiers, which no method reads of them,
-- nothing.
CREATE OR REPLACE TEMP TABLE shared_evidence AS
SELECT
    p.a,
    p.b,
    sum(x.weight2)::BIGINT AS path_weight2,
    coalesce(sum(x.weight2) FILTER (x.page AND y.page), 0)::BIGINT AS page_path_weight2,
    0::BIGINT AS tail_weight,
    0::BIGINT AS title_weight,
    0::BIGINT AS target_weight,
    0::BIGINT AS identifier_weight,
    count(*)::INTEGER AS n_paths,
    count(*) FILTER (x.page AND y.page AND x.content <> y.content)::INTEGER AS n_unequal,
    0 AS n_sized,
    0 AS n_close,
    0 AS n_titles,
    0 AS n_titled,
    0 AS n_spoken,
    0 AS n_one_language
FROM content_pairs AS p
JOIN path_keys AS x ON x.place = p.a
JOIN path_keys AS y ON y.place = p.b AND y.path = x.path
WHERE $negatives = 'content' OR x.path = hash64('/')
GROUP BY p.a, p.b;
