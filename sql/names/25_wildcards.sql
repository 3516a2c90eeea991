-- Wildcards: names D below which hosts answer as one site, by what stands at equal paths.
--
-- Pairs of hosts of few pages are too thin to judge. All hosts below D together need not be. At a
-- path that two of them have or more, the content that most of them have there is the usual one, if
-- two have it at least. A page that has it agrees. A host is alike when $agree_share of its pages
-- at such paths agree. The rule *.D holds when $min_hosts hosts are alike or more, at most
-- $max_error of those that can be compared are not, such paths have $compared_share of all pages,
-- and $least_contents contents are usual ones somewhere. So the cost is that of the pages, and no
-- two hosts are ever paired.
-- A host stands below each name D between its registrable domain and itself, as for families.
-- Source: docs/drops.md#wildcards.
-- Pages without content are passed over; no column has NULL.
--
-- reads: hosts, page_urls, near_contents_now, wildcard_names, wildcard_pages, wildcard_paths,
--   wildcard_hosts, wildcard_rules
-- writes: wildcard_names, wildcard_pages, wildcard_paths, wildcard_hosts, wildcard_rules
-- parameters: most_labels, min_hosts, max_error, agree_share, compared_share, least_contents

-- name: wildcard_names
-- Hosts by the names above them, where enough hosts stand below one.
CREATE TEMP TABLE wildcard_names AS
WITH labelled AS (
    SELECT
        host_id,
        string_split(host, '.') AS labels,
        len(string_split(domain, '.')) AS own
    FROM hosts
    WHERE domain IS NOT NULL
)
SELECT l.host_id, array_to_string(l.labels[len(l.labels) - k + 1:], '.') AS below
FROM labelled AS l, unnest(range(l.own, len(l.labels))) AS t(k)
WHERE len(l.labels) <= $most_labels
QUALIFY count(*) OVER (PARTITION BY below) >= $min_hosts;

-- name: cost
-- Rows of wildcard_pages at most, before they are made: a page once for each name above its host.
SELECT
    (SELECT count(DISTINCT host_id) FROM wildcard_names) AS looked_at,
    count(*) AS rows
FROM page_urls
JOIN wildcard_names USING (host_id);

-- name: wildcard_pages
-- A path once a host, whatever its scheme and port.
CREATE TEMP TABLE wildcard_pages AS
SELECT
    w.below,
    w.host_id,
    u.path_hash,
    min(coalesce(content_hash(n.fingerprint_kind, n.fingerprint), u.content_hash)) AS content
FROM page_urls AS u
JOIN wildcard_names AS w USING (host_id)
LEFT JOIN near_contents_now AS n USING (url_id)
GROUP BY w.below, w.host_id, u.path_hash
HAVING content IS NOT NULL;

-- name: wildcard_paths
-- Paths of two hosts or more: the usual content, and how many have it.
CREATE TEMP TABLE wildcard_paths AS
WITH contents AS (
    SELECT below, path_hash, content, count(*) AS n
    FROM wildcard_pages
    GROUP BY below, path_hash, content
)
SELECT below, path_hash, arg_max(content, (n, content)) AS content, max(n) AS n
FROM contents
GROUP BY below, path_hash
HAVING sum(n) > 1;

-- name: wildcard_hosts
CREATE TEMP TABLE wildcard_hosts AS
SELECT
    p.below,
    p.host_id,
    count(*) AS pages,
    count(s.path_hash) AS compared,
    count(*) FILTER (s.n > 1 AND s.content = p.content) AS agree,
    compared > 0 AND agree >= $agree_share * compared AS alike
FROM wildcard_pages AS p
LEFT JOIN wildcard_paths AS s USING (below, path_hash)
GROUP BY p.below, p.host_id;

-- name: wildcard_rules
CREATE TEMP TABLE wildcard_rules AS
WITH usual AS (
    SELECT below, count(DISTINCT content) AS contents
    FROM wildcard_paths
    WHERE n > 1
    GROUP BY below
    HAVING contents >= $least_contents
),
named AS (
    SELECT below, count(*) AS hosts FROM wildcard_names GROUP BY below
)
SELECT
    h.below,
    any_value(n.hosts) AS hosts,
    count(*) FILTER (h.compared > 0) AS compared,
    count(*) FILTER (h.alike) AS alike,
    sum(h.pages)::BIGINT AS pages,
    sum(h.compared)::BIGINT AS pages_compared,
    sum(h.agree)::BIGINT AS pages_agree,
    any_value(u.contents) AS contents
FROM wildcard_hosts AS h
JOIN usual AS u USING (below)
JOIN named AS n USING (below)
GROUP BY h.below
HAVING
    alike >= $min_hosts
    AND compared - alike <= $max_error * compared + 1e-9
    AND pages_compared >= $compared_share * pages;

-- name: as_narrow
-- Rules that have no alike host but those of a rule that stands below them, and that one's own
-- name: they would only reach further.
DELETE FROM wildcard_rules
WHERE below IN (
    SELECT w.below
    FROM (
        SELECT below, alike, unnest(names_above(below)) AS wider FROM wildcard_rules
    ) AS r
    JOIN wildcard_rules AS w ON w.below = r.wider
    LEFT JOIN hosts AS d ON d.host = r.below
    LEFT JOIN wildcard_hosts AS bare
        ON bare.host_id = d.host_id AND bare.below = w.below AND bare.alike
    WHERE w.alike = r.alike + (bare.host_id IS NOT NULL)::INTEGER
);

-- name: widest
-- Rules that stand below another one say nothing new.
DELETE FROM wildcard_rules
WHERE below IN (
    SELECT r.below
    FROM (
        SELECT below, unnest(names_above(below)) AS wider FROM wildcard_rules
    ) AS r
    JOIN wildcard_rules AS w ON w.below = r.wider
);

-- name: wildcards
-- name: the host that stands for all: D itself where it is alike, else www.D, else the alike host
-- of most pages.
WITH bare AS (
    SELECT
        d.host AS below,
        u.path_hash,
        min(coalesce(content_hash(n.fingerprint_kind, n.fingerprint), u.content_hash)) AS content
    FROM page_urls AS u
    JOIN hosts AS d USING (host_id)
    LEFT JOIN near_contents_now AS n USING (url_id)
    WHERE d.host IN (SELECT below FROM wildcard_rules)
    GROUP BY d.host, u.path_hash
),
bare_alike AS (
    SELECT b.below
    FROM bare AS b
    JOIN wildcard_paths AS s USING (below, path_hash)
    GROUP BY b.below
    HAVING count(*) FILTER (s.n > 1 AND s.content = b.content) >= $agree_share * count(b.content)
        AND count(b.content) > 0
),
ordered AS (
    SELECT
        w.below,
        w.alike,
        w.compared,
        h.host,
        row_number() OVER (
            PARTITION BY w.below
            ORDER BY w.alike DESC, h.host = 'www.' || w.below DESC, w.pages DESC, h.host
        ) AS place
    FROM wildcard_hosts AS w
    JOIN hosts AS h USING (host_id)
    WHERE w.below IN (SELECT below FROM wildcard_rules)
),
members AS (
    SELECT
        below,
        any_value(host) FILTER (place = 1) AS first,
        list(host ORDER BY host) FILTER (compared > 0 AND NOT alike) AS exceptions
    FROM ordered
    GROUP BY below
)
SELECT
    '*.' || r.below AS pattern,
    coalesce(b.below, m.first) AS name,
    r.* EXCLUDE (below),
    m.exceptions
FROM wildcard_rules AS r
JOIN members AS m USING (below)
LEFT JOIN bare_alike AS b USING (below)
ORDER BY r.alike DESC, pattern;
