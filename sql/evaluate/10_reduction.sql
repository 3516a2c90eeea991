-- URL reduction: the URLs that rewrite rules make needless, by host.
--
-- Of the URLs of a host with one canonical form one is kept: a URL that has the form already, else
-- the least URL. Of the others, removed counts those in dup-clusters, and wrong those whose
-- content is not that of the URL that is kept.
-- Rules that lead from one host to another remove nothing here.
-- Source: docs/method.md#reduction-ratio (U), the paper's Table 3.
-- NULL: a URL without a fingerprint has no content; it is neither removed nor wrong.
--
-- reads: compared_urls, origins, dup_clusters, cluster_hosts, members, url_reduction,
--   reduced_forms (url_id, canonical: the URLs that a rule changes)
-- writes: url_reduction
-- parameters: none

-- name: url_reduction
CREATE OR REPLACE TEMP TABLE url_reduction AS
WITH changed_hosts AS (
    SELECT DISTINCT host_id FROM compared_urls SEMI JOIN reduced_forms USING (url_id)
),
formed AS (
    SELECT
        u.host_id,
        o.origin || u.path AS url,
        hash(u.fingerprint_kind, u.fingerprint) AS content,
        u.fingerprint IS NOT NULL AS known,
        d.cluster_id,
        coalesce(f.canonical, o.origin || u.path) AS canonical,
        f.url_id IS NOT NULL AS rewritten
    FROM compared_urls AS u
    SEMI JOIN changed_hosts USING (host_id)
    JOIN origins AS o USING (origin_id)
    LEFT JOIN reduced_forms AS f ON f.url_id = u.url_id
    LEFT JOIN dup_clusters AS d
        ON d.fingerprint_kind = u.fingerprint_kind AND d.fingerprint = u.fingerprint
),
in_order AS (
    SELECT
        *,
        row_number() OVER w AS nth,
        first_value(content) OVER w AS first_content,
        first_value(known) OVER w AS first_known
    FROM formed
    WINDOW w AS (PARTITION BY host_id, canonical ORDER BY rewritten, url)
)
SELECT
    host_id,
    count(*) FILTER (cluster_id IS NOT NULL) AS removed,
    count(*) FILTER (known AND first_known AND content <> first_content) AS wrong
FROM in_order
WHERE nth > 1
GROUP BY host_id;

-- name: summary
-- Without labels, of pages alone, which rules are for: duplicate URLs, and what the flags of
-- detect, the stored rules, and both together remove of them.
WITH clustered AS (
    SELECT
        c.host_id,
        sum(c.n_urls) AS n,
        sum(c.n_urls) FILTER (d.n_hosts > 1) AS inter,
        sum(c.n_urls) FILTER (c.n_urls > 1) AS intra,
        sum(c.n_urls) FILTER (c.n_urls > 1 AND d.n_hosts > 1) AS both_kinds
    FROM cluster_hosts AS c
    JOIN dup_clusters AS d USING (cluster_id)
    WHERE d.page
    GROUP BY c.host_id
),
dropped AS (
    SELECT host_id FROM members WHERE host_id <> canonical_id
)
SELECT
    coalesce(sum(n), 0)::BIGINT AS duplicate_urls,
    coalesce(sum(intra), 0)::BIGINT AS intra,
    coalesce(sum(clustered.inter), 0)::BIGINT AS inter,
    coalesce(sum(both_kinds), 0)::BIGINT AS both_kinds,
    coalesce(sum(n) FILTER (host_id IN (FROM dropped)), 0)::BIGINT AS removed_with_hosts,
    coalesce(sum(removed), 0)::BIGINT AS removed_by_rules,
    coalesce(sum(wrong), 0)::BIGINT AS wrong_by_rules,
    coalesce(sum(CASE WHEN host_id IN (FROM dropped) THEN n ELSE removed END), 0)::BIGINT
        AS removed_by_both
FROM clustered
FULL JOIN url_reduction USING (host_id);
