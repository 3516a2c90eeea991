-- Rewrite support: how often the form that a candidate gives is known with the same content.
--
-- A match is a URL whose new form another known URL has, or is given too. It is an error where its
-- content is not that of the URL that has the form, or of most URLs that are given it. Support
-- counts different contents, so that one page that a site shows at thousands of URLs (an error
-- page, a login) counts once. It counts twice where it stands at many values of a parameter
-- (many_values of replicadb/page_constants.py) and also without the parameter, since an address
-- without parameters rarely shows an error page.
-- Contents lie in ten parts by their hash. A rule is learned from all of them, and tested by
-- leaving each part out in turn (ten-fold cross-validation): test_matches and test_errors sum what
-- the folds that learned it did on the part left out. Learning needs no second pass for that, since
-- support, matches and errors add up over parts.
-- Source: docs/method.md#rewrite-rules.
-- NULL section: the rule for all of its host.
--
-- reads: rewrite_candidates (sql/rewrite/40_rewrite_candidates),
--   moved, known_forms (sql/rewrite/50_rewrite_forms), support
-- writes: support, whole_support
-- parameters: many_values, min_support, epsilon

-- name: least_support
-- Contents that must speak for a rule: three times as many where it deletes or changes parts of a
-- path or the host, since sections of a site (languages, versions) often share files while their
-- pages differ. And where it deletes several parameters, of which none was tried alone.
CREATE OR REPLACE TEMP MACRO least_support(kind, n) AS CASE
    WHEN kind IN ('params', 'segment', 'segment_like', 'replace', 'swap', 'scheme', 'www')
    THEN 3 * n
    ELSE n
END;

-- name: support
-- By candidate, section and part of the contents. A content speaks for one host, its voice.
CREATE OR REPLACE TEMP TABLE support AS
WITH counted AS (
    SELECT
        candidate,
        place,
        form,
        content,
        part,
        min(section) AS section,
        count(*) AS n
    FROM moved
    GROUP BY candidate, place, form, content, part
),
judged AS (
    SELECT
        c.*,
        k.content AS known,
        sum(c.n) OVER w AS together,
        first_value(c.content) OVER (
            w
            ORDER BY c.n DESC, c.content
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS commonest
    FROM counted AS c
    LEFT JOIN known_forms AS k USING (place, form)
    WINDOW w AS (PARTITION BY c.candidate, c.place, c.form)
),
matched AS (
    SELECT
        candidate,
        section,
        place,
        part,
        n,
        content,
        content = coalesce(known, commonest) AS agreed,
        n > 1 OR known IS NOT NULL AS shown,
        known IS NOT NULL AS known
    FROM judged
    WHERE together > 1 OR known IS NOT NULL
),
of_parameters AS (
    SELECT candidate FROM rewrite_candidates WHERE kind IN ('param', 'matrix')
),
voiced AS (
    SELECT
        *,
        agreed
        AND known
        AND n >= $many_values
        AND candidate IN (FROM of_parameters) AS strong,
        CASE
            WHEN agreed AND shown
            THEN min(CASE WHEN agreed AND shown THEN place END)
                OVER (PARTITION BY candidate, content)
        END AS voice
    FROM matched
)
SELECT
    candidate,
    section,
    grouping(section) = 1 AS anywhere,
    part,
    sum(n)::BIGINT AS matches,
    coalesce(sum(n) FILTER (NOT agreed), 0)::BIGINT AS errors,
    count(DISTINCT content) FILTER (agreed AND shown)
    + count(DISTINCT content) FILTER (strong) AS support,
    list_sort(list(DISTINCT voice) FILTER (voice IS NOT NULL)) AS places
FROM voiced
GROUP BY GROUPING SETS ((candidate, part), (candidate, section, part));

-- name: whole_support
-- The same over all parts, and over all but each in turn: what a rule learned without that part
-- would have been learned from, and how it does there.
CREATE OR REPLACE TEMP TABLE whole_support AS
WITH whole AS (
    SELECT
        candidate,
        section,
        anywhere,
        sum(matches)::BIGINT AS matches,
        sum(errors)::BIGINT AS errors,
        sum(support)::BIGINT AS support,
        len(list_distinct(flatten(list(places)))) AS hosts
    FROM support
    GROUP BY ALL
),
folds AS (
    SELECT
        s.*,
        w.support - s.support >= least_support(c.kind, $min_support)
        AND w.errors - s.errors <= $epsilon * (w.matches - s.matches) AS kept
    FROM support AS s
    JOIN whole AS w
        ON w.candidate = s.candidate
        AND w.anywhere = s.anywhere
        AND w.section IS NOT DISTINCT FROM s.section
    JOIN rewrite_candidates AS c ON c.candidate = s.candidate
)
SELECT
    w.*,
    coalesce(sum(s.matches) FILTER (kept), 0)::BIGINT AS test_matches,
    coalesce(sum(s.errors) FILTER (kept), 0)::BIGINT AS test_errors
FROM folds AS s
JOIN whole AS w
    ON w.candidate = s.candidate
    AND w.anywhere = s.anywhere
    AND w.section IS NOT DISTINCT FROM s.section
GROUP BY ALL;
