-- Country sites: hosts of one name under the suffixes of several countries, and how often any two
-- of them have equal content at equal paths.
--
-- brand.de, brand.fr and www.brand.co.uk have one name. Where it stands under the suffixes of
-- country_sites countries or more, they may be one site's mirrors, or sites of its countries. No
-- pair of them tells well, all together do: at each path that two of them have, how often contents
-- are equal, over all hosts of that name. It is counted path by path, so the cost is that of the
-- rows and not of the pairs. A content counts once for a suffix, so that brand.de and www.brand.de
-- are one where they agree, and two where they differ.
-- Where a title or a length is known of their pages, these tell better (docs/robust.md#kinds).
-- Source: docs/robust.md#country-sites.
-- NULL content, length or title = unknown.
--
-- reads: hosts, compared_hosts, shared_paths, shared_tails
-- writes: country_sites
-- parameters: country_sites

-- name: no_country_sites
-- Where suffixes of so many countries do not occur.
CREATE OR REPLACE TEMP TABLE country_sites (
    place INTEGER, family BIGINT, edition BIGINT, agreement DOUBLE
);

-- name: country_sites
-- family: the name, as a number. edition: name and suffix, as a number from 1 on, times two; one
-- more where the suffix is a country's.
CREATE OR REPLACE TEMP TABLE country_sites AS
WITH named AS (
    SELECT
        host_id,
        regexp_replace(name, '^www\.', '') AS name,
        suffix,
        regexp_matches(suffix, '(^|\.)[a-z]{2}$') AS country
    FROM hosts
    WHERE name IS NOT NULL AND suffix IS NOT NULL
),
families AS (
    SELECT name
    FROM named
    WHERE country
    GROUP BY name
    HAVING count(DISTINCT suffix) >= $country_sites
),
members AS (
    FROM named SEMI JOIN families USING (name)
),
described AS (
    SELECT DISTINCT name
    FROM members
    JOIN shared_tails USING (host_id)
    WHERE length IS NOT NULL OR title IS NOT NULL
),
standing AS (
    SELECT m.name, p.path, p.content, count(DISTINCT m.suffix) AS n
    FROM shared_paths AS p
    JOIN members AS m USING (host_id)
    WHERE p.page AND p.content IS NOT NULL
    GROUP BY m.name, p.path, p.content
),
at_paths AS (
    SELECT name, path, sum(n) AS n, sum(n * (n - 1)) AS equal
    FROM standing
    GROUP BY name, path
),
agreeing AS (
    SELECT name, sum(equal) / nullif(sum(n * (n - 1)), 0) AS agreement
    FROM at_paths
    GROUP BY name
    HAVING agreement IS NOT NULL
)
SELECT
    s.place,
    dense_rank() OVER (ORDER BY m.name) AS family,
    2 * dense_rank() OVER (ORDER BY m.name, m.suffix) + m.country::INTEGER AS edition,
    a.agreement
FROM members AS m
JOIN compared_hosts AS s USING (host_id)
JOIN agreeing AS a USING (name)
ANTI JOIN described AS t USING (name);
