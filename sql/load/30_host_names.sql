-- Host names against the public suffix list.
--
-- A rule matches a host when the host's labels end with those of the rule. The longest rule wins,
-- and an exception beats all. Where no rule matches, the last label is the suffix ("*"). domain
-- uses the whole list: blogs on a shared host are sites of their own. suffix and name use the ICANN
-- part alone, so that private suffixes, such as those of blog hosts, never make two names "differ
-- only in suffix".
-- Source: publicsuffix.org, "Algorithm".
-- NULL: an IP address, or a host that is itself a suffix.
--
-- reads: name_queue, public_suffixes
-- writes: names
-- parameters: most_labels (of a rule: no ending of a name needs more)

-- name: names
CREATE OR REPLACE TEMP TABLE names AS
WITH host_names AS (
    SELECT DISTINCT host_name, string_split(host_name, '.') AS labels
    FROM name_queue
    WHERE NOT regexp_matches(host_name, '^\[|^[0-9.]+$')
),
endings AS (
    SELECT
        host_name,
        len(labels) AS n,
        k,
        array_to_string(labels[len(labels) - k + 1:], '.') AS ending
    FROM host_names, unnest(generate_series(1, least(len(labels), $most_labels))) AS t(k)
),
matches AS (
    SELECT
        host_name,
        n,
        r.private,
        CASE r.kind
            WHEN 'wildcard' THEN k + 1
            WHEN 'exception' THEN k - 1
            ELSE k
        END AS suffix_labels,
        r.kind = 'exception' AS exception
    FROM endings
    JOIN public_suffixes AS r ON r.rule = endings.ending
    WHERE r.kind <> 'wildcard' OR k < n
),
best AS (
    SELECT
        host_name,
        coalesce(max(suffix_labels) FILTER (exception), max(suffix_labels), 1) AS whole,
        coalesce(
            max(suffix_labels) FILTER (exception AND NOT private),
            max(suffix_labels) FILTER (NOT private),
            1) AS icann
    FROM host_names
    LEFT JOIN matches USING (host_name)
    GROUP BY host_name
)
SELECT
    host_name,
    CASE WHEN len(labels) > whole
        THEN array_to_string(labels[len(labels) - whole:], '.') END AS domain,
    CASE WHEN len(labels) > icann
        THEN array_to_string(labels[len(labels) - icann + 1:], '.') END AS suffix,
    CASE WHEN len(labels) > icann
        THEN array_to_string(labels[1:len(labels) - icann], '.') END AS name
FROM host_names
JOIN best USING (host_name);
