-- Items of a model: what two hosts or more have, numbered and weighed.
--
-- Kinds: contents (0), paths (1), tails (2), titles (3), outside URLs linked to (4) and identifiers
-- (5), with the weights of sql/detect/12_dup_clusters and sql/detect/35_shared_evidence; terms of
-- names (6), with those of sql/detect/40_pair_features; addresses (7) and networks (8), with the
-- number of hosts that have them. An item's number is its place by kind and hash. What more than
-- path_max_hosts hosts have is no item but common: it says nothing. What one host alone has is
-- none, either, labels aside.
-- Source: docs/robust.md#robust-evidence.
-- NULL does not occur.
--
-- reads: model_pages, model_tails, model_titles, model_targets, model_identifiers, model_labels,
--   dup_clusters, host_stats, model_df, model_items
-- writes: model_df, model_items
-- parameters: scale, path_max_hosts, cap

-- name: model_df
-- How many hosts have each path and each tail, of two hosts or more. weighs: not of a segment with
-- small numbers.
CREATE OR REPLACE TEMP TABLE model_df AS
SELECT 1::UTINYINT AS kind, path AS hash, count(*) AS df, true AS weighs
FROM model_pages
GROUP BY path
HAVING count(*) > 1
UNION ALL
SELECT 2::UTINYINT, tail, count(*), any_value(weighs)
FROM model_tails
GROUP BY tail;

-- name: model_items
-- exclusive: of contents, the weight by inverse pair frequency beside that by idf. flags, of
-- contents: 1 a page, 2 on too many hosts to make pairs.
CREATE OR REPLACE TEMP TABLE model_items AS
WITH maxdf AS (
    SELECT coalesce(max(df), 1) AS most FROM model_df WHERE kind = 1 AND df <= $path_max_hosts
),
contents AS (
    SELECT
        0::UTINYINT AS kind,
        content_hash(fingerprint_kind, fingerprint) AS hash,
        weight,
        greatest($scale // (n_hosts - 1), 1) AS exclusive,
        CASE WHEN page THEN 1 ELSE 0 END
            + CASE WHEN $cap > 0 AND n_hosts > $cap THEN 2 ELSE 0 END AS flags
    FROM dup_clusters
    WHERE n_hosts > 1
),
paths AS (
    SELECT kind, hash, round((1 + ln(most / df)) ** 2 * $scale)::BIGINT AS weight
    FROM model_df
    CROSS JOIN maxdf
    WHERE kind = 1 AND df <= $path_max_hosts
),
tails AS (
    SELECT
        kind,
        hash,
        CASE
            WHEN weighs THEN round((1 + ln((SELECT count(*) FROM host_stats) / df)) * $scale)
            ELSE 0
        END::BIGINT AS weight
    FROM model_df
    WHERE kind = 2 AND df <= $path_max_hosts
),
titles AS (
    SELECT DISTINCT 3::UTINYINT AS kind, title AS hash, $scale // (df - 1) AS weight
    FROM model_titles
    WHERE df BETWEEN 2 AND $path_max_hosts
),
targets AS (
    SELECT DISTINCT 4::UTINYINT AS kind, target AS hash, $scale // (df - 1) AS weight
    FROM model_targets
    WHERE df BETWEEN 2 AND $path_max_hosts
),
identifiers AS (
    SELECT DISTINCT
        5::UTINYINT AS kind,
        identifier AS hash,
        round((1 + ln((SELECT count(*) FROM host_stats) / df)) * $scale)::BIGINT AS weight
    FROM model_identifiers
    WHERE df BETWEEN 2 AND $path_max_hosts
),
labels AS (
    SELECT
        kind,
        hash,
        CASE kind
            WHEN 6
            THEN round((ln(greatest(any_value(n), 1)) / (1 + ln(count(*)))) ** 2 * $scale)::BIGINT
            ELSE any_value(n)
        END AS weight
    FROM model_labels
    GROUP BY kind, hash
),
found AS (
    FROM contents SELECT kind, hash, weight, exclusive, flags
    UNION ALL
    FROM paths SELECT kind, hash, weight, 0, 0
    UNION ALL
    FROM tails SELECT kind, hash, weight, 0, 0
    UNION ALL
    FROM titles SELECT kind, hash, weight, 0, 0
    UNION ALL
    FROM targets SELECT kind, hash, weight, 0, 0
    UNION ALL
    FROM identifiers SELECT kind, hash, weight, 0, 0
    UNION ALL
    FROM labels SELECT kind, hash, weight, 0, 0 WHERE kind <> 6 OR weight > 0
)
SELECT
    (row_number() OVER (ORDER BY kind, hash) - 1)::UINTEGER AS item,
    kind,
    hash,
    weight::UINTEGER AS weight,
    exclusive::UINTEGER AS exclusive,
    flags::UTINYINT AS flags
FROM found;

-- name: items
SELECT kind, hash, weight, exclusive, flags FROM model_items ORDER BY item;

-- name: common
WITH found AS (
    SELECT kind, hash FROM model_df WHERE df > $path_max_hosts
    UNION ALL
    SELECT DISTINCT 3::UTINYINT, title FROM model_titles WHERE df > $path_max_hosts
    UNION ALL
    SELECT DISTINCT 4::UTINYINT, target FROM model_targets WHERE df > $path_max_hosts
    UNION ALL
    SELECT DISTINCT 5::UTINYINT, identifier FROM model_identifiers WHERE df > $path_max_hosts
)
SELECT kind, hash FROM found ORDER BY kind, hash;

-- name: units
-- Weights of what one host has (own) and of what two have (two), of contents and tails; the same of
-- paths, squared (own_path2, two_path2), and of a path on one of path_max_hosts hosts (path2). one:
-- what one host has and what two have, by inverse pair frequency.
WITH maxdf AS (
    SELECT coalesce(max(df), 1) AS most FROM model_df WHERE kind = 1 AND df <= $path_max_hosts
),
n AS (
    SELECT count(*) AS hosts, greatest(count(*), 2) AS least_two FROM host_stats
)
SELECT
    round((1 + ln(hosts)) * $scale) AS own,
    round((1 + ln(least_two / 2)) * $scale) AS two,
    round((1 + ln($path_max_hosts)) ** 2 * $scale) AS path2,
    round((1 + ln(most)) ** 2 * $scale) AS own_path2,
    round((1 + ln(greatest(most, 2) / 2)) ** 2 * $scale) AS two_path2,
    $scale AS one
FROM maxdf
CROSS JOIN n;
