-- Drops: how much of a host would be lost if it went and another stayed.
--
-- A page stands elsewhere when the host to keep has its content at any path, or has a page at the
-- same path that is like it. Two pages at one path are unlike when their contents differ and their
-- titles have no part of their own in common (replicadb/web/own_titles.py); where they have none,
-- when their lengths differ by more than close_percent, or where these are not known, their titles.
-- Where nothing but the content is known, they are neither: not_compared.
-- other_language: most pages that name a language name one on each host, and these differ. Codes of
-- two and of three letters are not compared.
-- Where texts are known (load --content), words decide instead: of the page's own ones, those that
-- at most half of its host's paths with other contents have, least_words at least, same_words must
-- stand at that path of the host to keep. So neither an empty page nor half of a text stands in.
-- Where the names of the two say that they are versions, languages or countries of one site
-- (sql/functions/50_edition_names.sql), a page with another content is unlike, though its title and
-- words agree, unless it is known to be as long. So it is where names of several would go for one.
-- Source: docs/drops.md#drops.
-- borrowed_texts: see near_duplicates/05_url_texts. NULL content, length or title = unknown.
--
-- reads: chosen_drops (host_id, keep_id: a host once), all_drops (measured ones, too), urls,
--   near_contents, page_contents, borrowed_texts, page_terms, hosts, origins, host_stats,
--   newest_languages (functions/75_newest_said), dup_clusters, chosen_pages, asked_pages,
--   kept_pages, lost_texts, named_hosts, edition_drops, foreign_hosts
-- writes: chosen_pages, asked_pages, kept_pages, lost_texts, named_hosts, edition_drops,
--   foreign_hosts
-- parameters: close_percent, same_words, least_words, own_of_larger, few_contents, many_hosts

-- name: most_comparisons
-- No more than this can be expected_comparisons, which are counted path by path: an origin has a
-- path once. Where it is no more than the limit, they are not counted.
WITH sizes AS (
    SELECT host_id, any_value(n_urls) AS urls, count(*) AS origins
    FROM host_stats
    JOIN origins USING (host_id)
    GROUP BY host_id
)
SELECT coalesce(sum(least(p.urls * k.origins, k.urls * p.origins)), 0)::BIGINT
FROM chosen_drops AS c
JOIN sizes AS p USING (host_id)
JOIN sizes AS k ON k.host_id = c.keep_id;

-- name: chosen_pages
-- The pages of both hosts.
CREATE OR REPLACE TEMP TABLE chosen_pages AS
SELECT
    u.host_id,
    u.url_id,
    u.path_hash,
    coalesce(content_hash(n.fingerprint_kind, n.fingerprint), u.content_hash) AS content,
    u.title_hash AS title,
    u.title AS title_text,
    u.length
FROM urls AS u
LEFT JOIN near_contents AS n USING (url_id)
WHERE u.asset IS NOT true AND u.host_id IN (
    SELECT host_id FROM chosen_drops UNION ALL SELECT keep_id FROM chosen_drops
);

-- name: asked_pages
-- The pages to drop that are compared with others at their path, those that are the same in all
-- that is compared once. A page whose content stands at the host to keep stands there, whatever
-- else is at its path.
CREATE OR REPLACE TEMP TABLE asked_pages AS
SELECT
    c.host_id,
    c.keep_id,
    p.path_hash,
    p.content,
    p.title,
    p.length,
    min(p.url_id) AS url_id,
    list(p.url_id) AS same
FROM chosen_drops AS c
JOIN chosen_pages AS p USING (host_id)
ANTI JOIN chosen_pages AS k ON k.host_id = c.keep_id AND k.content = p.content
GROUP BY ALL;

-- name: kept_pages
-- What they are compared with. Pages with one title have the same parts of their own on one host.
CREATE OR REPLACE TEMP TABLE kept_pages AS
SELECT p.host_id, p.path_hash, p.content, p.title, p.length, min(p.url_id) AS url_id
FROM chosen_pages AS p
SEMI JOIN asked_pages AS a ON a.keep_id = p.host_id AND a.path_hash = p.path_hash
GROUP BY ALL;

-- name: expected_comparisons
-- Cost before work: how many pages at equal paths `standing` compares. A host has a path once for
-- each origin, and under --site domain once for each name, so that a home page may stand a thousand
-- times on either side.
WITH asked AS (
    SELECT keep_id, path_hash, count(*) AS n FROM asked_pages GROUP BY ALL
),
kept AS (
    SELECT host_id, path_hash, count(*) AS n FROM kept_pages GROUP BY ALL
)
SELECT coalesce(sum(a.n * k.n), 0)::BIGINT
FROM asked AS a
JOIN kept AS k ON k.host_id = a.keep_id AND k.path_hash = a.path_hash;

-- name: no_lost_texts
CREATE OR REPLACE TEMP TABLE lost_texts (url_id BIGINT, lost BOOLEAN);

-- name: lost_texts
-- Of pages whose words can be compared, whether these are lost. Where no text is known there are
-- none: no_lost_texts spares a small crawl the planning.
CREATE OR REPLACE TEMP TABLE lost_texts AS
WITH contents_at AS (
    SELECT
        host_id,
        path_hash,
        min(content) AS least,
        max(content) AS most,
        count(content) NOT IN (0, count(*)) AS partly_known
    FROM chosen_pages
    GROUP BY host_id, path_hash
),
differing AS (
    SELECT p.host_id, c.keep_id, p.path_hash
    FROM chosen_drops AS c
    JOIN contents_at AS p USING (host_id)
    JOIN contents_at AS k ON k.host_id = c.keep_id AND k.path_hash = p.path_hash
    WHERE p.partly_known
        OR k.partly_known
        OR p.least IS DISTINCT FROM k.most
        OR k.least IS DISTINCT FROM p.most
),
texts AS (
    SELECT url_id, url_id AS text_id FROM page_contents
    UNION ALL
    SELECT url_id, text_id FROM borrowed_texts
),
texted AS (
    SELECT h.url_id, h.host_id, h.path_hash, t.text_id
    FROM chosen_pages AS h
    JOIN texts AS t USING (url_id)
    WHERE (h.host_id, h.path_hash) IN (
        SELECT (host_id, path_hash) FROM differing
        UNION ALL
        SELECT (keep_id, path_hash) FROM differing
    )
),
words AS (
    SELECT x.url_id, x.host_id, x.path_hash, w.term_id
    FROM texted AS x
    JOIN page_terms AS w ON w.url_id = x.text_id
    WHERE w.field = 8
),
words_at AS (
    SELECT DISTINCT host_id, path_hash, term_id FROM words
),
common_words AS (
    SELECT w.host_id, w.term_id
    FROM words_at AS w
    JOIN (
        SELECT host_id, count(DISTINCT path_hash) AS paths FROM texted GROUP BY host_id
    ) AS t USING (host_id)
    WHERE t.paths > 2
    GROUP BY w.host_id, w.term_id, t.paths
    HAVING 2 * count(*) > t.paths
),
own_words AS (
    SELECT w.url_id, c.keep_id, w.path_hash, w.term_id
    FROM words AS w
    JOIN chosen_drops AS c USING (host_id)
    ANTI JOIN common_words AS m ON m.host_id = w.host_id AND m.term_id = w.term_id
    WHERE (c.keep_id, w.path_hash) IN (SELECT (host_id, path_hash) FROM texted)
)
SELECT w.url_id, count(k.term_id) < $same_words * count(*) AS lost
FROM own_words AS w
LEFT JOIN words_at AS k
    ON k.host_id = w.keep_id AND k.path_hash = w.path_hash AND k.term_id = w.term_id
GROUP BY w.url_id
HAVING count(*) >= $least_words;

-- name: named_hosts
-- The hosts of which names may say that one is an edition of another.
CREATE OR REPLACE TEMP TABLE named_hosts AS
SELECT host_id, host, domain
FROM hosts
WHERE host_id IN (
    SELECT host_id FROM all_drops
    UNION ALL
    SELECT host_id FROM chosen_drops
    UNION ALL
    SELECT keep_id FROM chosen_drops
);

-- name: may_be_editions
-- Whether the name of a host says more than its registered domain, or the domain has a year. If
-- not, the two cannot be editions: no_edition_drops spares the planning.
SELECT count(*)
FROM named_hosts
WHERE
    host NOT IN (domain, 'www.' || domain)
    OR regexp_matches(domain, '^[^.]+(199[0-9]|20[0-3][0-9])\.');

-- name: no_edition_drops
CREATE OR REPLACE TEMP TABLE edition_drops AS
SELECT host_id, keep_id, false AS editions FROM chosen_drops;

-- name: edition_drops
-- The chosen drops, each with whether names say editions.
CREATE OR REPLACE TEMP TABLE edition_drops AS
WITH named AS (
    SELECT host_id, domain, labels_before(host, domain) AS labels FROM named_hosts
),
editions AS (
    SELECT host_id, domain, labels, edition_of(labels) AS edition FROM named
),
several AS (
    SELECT a.keep_id, e.domain
    FROM all_drops AS a
    JOIN editions AS e USING (host_id)
    GROUP BY a.keep_id, e.domain
    HAVING count(DISTINCT e.edition) > 1
)
SELECT
    c.host_id,
    c.keep_id,
    coalesce(
        (e.domain = k.domain AND edition_labels(e.labels, k.labels))
        OR edition_domains(e.domain, k.domain)
        OR (s.domain IS NOT NULL AND e.edition IS NOT NULL),
        false
    ) AS editions
FROM chosen_drops AS c
JOIN editions AS e USING (host_id)
JOIN editions AS k ON k.host_id = c.keep_id
LEFT JOIN several AS s ON s.keep_id = c.keep_id AND s.domain = e.domain;

-- name: no_foreign_hosts
CREATE OR REPLACE TEMP TABLE foreign_hosts (host_id INTEGER);

-- name: foreign_hosts
-- Hosts whose pages are in another language than those of the host to keep. Where no page says its
-- language: no_foreign_hosts.
CREATE OR REPLACE TEMP TABLE foreign_hosts AS
WITH spoken AS (
    SELECT host_id, arg_max(value, n) AS language
    FROM newest_languages()
    WHERE host_id IN (
        SELECT host_id FROM chosen_drops UNION ALL SELECT keep_id FROM chosen_drops
    )
    GROUP BY host_id
    HAVING 2 * max(n) > sum(n)
)
SELECT c.host_id
FROM chosen_drops AS c
JOIN spoken AS s USING (host_id)
JOIN spoken AS k ON k.host_id = c.keep_id
WHERE s.language <> k.language AND length(s.language) = length(k.language);

-- name: standing
WITH
-- fill: replicadb.web.own_titles.ctes(chosen_pages)
pages AS (
    SELECT c.keep_id, c.editions, x.* FROM edition_drops AS c JOIN chosen_pages AS x USING (host_id)
),
kept_paths AS (
    SELECT DISTINCT host_id, path_hash
    FROM chosen_pages
    SEMI JOIN chosen_drops AS c ON c.keep_id = chosen_pages.host_id
),
contents AS (
    SELECT DISTINCT host_id, content FROM chosen_pages WHERE content IS NOT NULL
),
sizes AS (
    SELECT host_id, count(*) AS n FROM contents GROUP BY host_id
),
of_both AS (
    SELECT c.host_id, c.keep_id, p.content
    FROM chosen_drops AS c
    JOIN contents AS p USING (host_id)
),
shared AS (
    SELECT host_id, count(*) AS n
    FROM of_both AS b
    SEMI JOIN contents AS k ON k.host_id = b.keep_id AND k.content = b.content
    GROUP BY host_id
),
-- Of hosts of few contents, which of these many hosts have.
widespread AS (
    SELECT c.host_id, count(*) AS n
    FROM contents AS c
    JOIN chosen_drops USING (host_id)
    JOIN sizes AS s USING (host_id)
    SEMI JOIN (
        SELECT content_hash(fingerprint_kind, fingerprint) AS content
        FROM dup_clusters
        WHERE n_hosts >= $many_hosts
    ) AS m ON m.content = c.content
    WHERE s.n < $few_contents
    GROUP BY c.host_id
),
-- others: whether titles or lengths say that the two are different pages; NULL where none is known.
-- Pages that titles or lengths tell apart have other contents, also where these are not known.
at_its_path AS (
    SELECT
        p.url_id,
        k.content <> p.content AS differs,
        c.editions,
        coalesce(
            nullif(
                NOT titles_alike(k.title, p.title, y.own, x.own),
                CASE WHEN c.editions THEN false END
            ),
            abs(k.length - p.length) * 100
            > if(c.editions, 0, $close_percent) * greatest(k.length, p.length),
            c.editions OR k.title <> p.title
        ) AS others
    FROM asked_pages AS p
    JOIN edition_drops AS c USING (host_id)
    JOIN kept_pages AS k ON k.host_id = p.keep_id AND k.path_hash = p.path_hash
    LEFT JOIN own_titles AS x ON x.url_id = p.url_id
    LEFT JOIN own_titles AS y ON y.url_id = k.url_id
),
judged AS (
    SELECT
        url_id,
        bool_and(coalesce(coalesce(differs, NOT editions) AND others, false)) AS unlike,
        bool_or(NOT differs OR NOT others) AS alike
    FROM at_its_path
    GROUP BY url_id
),
with_a_path AS (
    SELECT unnest(p.same) AS url_id, j.unlike, j.alike
    FROM judged AS j
    JOIN asked_pages AS p USING (url_id)
),
compared AS (
    SELECT
        p.host_id,
        p.content,
        p.keep_id,
        CASE WHEN r.lost OR NOT p.editions THEN r.lost END AS lost,
        h.host_id IS NOT NULL AS same_path,
        coalesce(k.unlike, false) AS unlike,
        k.alike
    FROM pages AS p
    LEFT JOIN kept_paths AS h ON h.host_id = p.keep_id AND h.path_hash = p.path_hash
    LEFT JOIN with_a_path AS k USING (url_id)
    LEFT JOIN lost_texts AS r USING (url_id)
),
counted AS (
    SELECT
        c.host_id,
        c.keep_id,
        count(*) AS pages,
        count(*) FILTER (
            k.content IS NOT NULL OR (c.same_path AND NOT coalesce(c.lost, c.alike IS NOT true))
        ) AS elsewhere,
        count(*) FILTER (
            k.content IS NULL
            AND c.same_path
            AND c.lost IS NULL
            AND c.alike IS NOT true
            AND NOT c.unlike
        ) AS not_compared,
        count(*) FILTER (c.same_path) AS same_paths,
        count(*) FILTER (coalesce(c.lost, c.unlike) AND k.content IS NULL) AS unlike,
        count(*) FILTER (c.lost IS NULL AND c.unlike AND k.content IS NULL) AS differ,
        count(k.content) AS equal
    FROM compared AS c
    LEFT JOIN contents AS k ON k.host_id = c.keep_id AND k.content = c.content
    GROUP BY c.host_id, c.keep_id
)
-- differ: those unlike both ways round; a text may be lost one way alone. equal: pages whose
-- content the host to keep has. part: the host to keep is but for $own_of_larger / 2 of its
-- contents a part of the other, which has more than that of its own. common: the two have the same
-- few contents, one more at most at one of them, and half of these many hosts have.
SELECT
    c.* EXCLUDE (keep_id),
    coalesce(
        s.n < (1 - $own_of_larger) * own.n AND s.n >= (1 - $own_of_larger / 2) * its.n, false
    )::TINYINT AS part,
    coalesce(
        s.n = least(own.n, its.n) AND abs(own.n - its.n) <= 1 AND 2 * w.n >= own.n, false
    )::TINYINT AS common,
    (f.host_id IS NOT NULL)::TINYINT AS other_language
FROM counted AS c
LEFT JOIN shared AS s ON s.host_id = c.host_id
LEFT JOIN sizes AS own ON own.host_id = c.host_id
LEFT JOIN sizes AS its ON its.host_id = c.keep_id
LEFT JOIN widespread AS w ON w.host_id = c.host_id
LEFT JOIN foreign_hosts AS f ON f.host_id = c.host_id
ORDER BY c.host_id;
