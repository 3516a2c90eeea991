-- Counts: what a load says of a source once 40_store has stored it.
--
-- kept counts the URLs that are new to the database. So as long as no load is taken out, the sum of
-- kept is the number of rows in urls. Source: docs/method.md#promise-1. NULL outcome: a page.
--
-- reads: summary, captures, excluded_hosts, parsed_ips, older_captures, already_stored,
--   between_sources
-- writes: none
-- parameters: none

-- name: counts
WITH totals AS (
    SELECT
        coalesce(sum(n), 0)::BIGINT AS read,
        coalesce(sum(n) FILTER (outcome IS NULL), 0)::BIGINT AS stored,
        coalesce(sum(n) FILTER (outcome IS NULL AND asset), 0)::BIGINT AS assets,
        coalesce(sum(n) FILTER (starts_with(outcome, 'skip')), 0)::BIGINT AS skipped,
        coalesce(sum(n) FILTER (starts_with(outcome, 'reject')), 0)::BIGINT AS rejected,
        coalesce(sum(odd_times) FILTER (outcome IS NULL), 0)::BIGINT AS odd_times,
        coalesce(max(last), 0) AS last
    FROM summary
),
older AS (
    SELECT (SELECT count(*) FROM older_captures WHERE NOT newer_is_stored)
        + (SELECT count(*) FROM already_stored) AS again
),
addresses AS (
    SELECT count(DISTINCT part) AS bad_ips, min(part) AS bad_ip
    FROM parsed_ips
    WHERE address IS NULL
)
SELECT
    read,
    stored - again AS kept,
    assets,
    again AS replaced,
    skipped,
    rejected,
    bad_ips,
    bad_ip,
    odd_times,
    last
FROM totals
CROSS JOIN older
CROSS JOIN addresses;

-- name: counts_by_source
-- Of many sources in one. The first source that has a new URL keeps it, as when each is loaded by
-- itself, whichever of them has the newest capture.
WITH totals AS (
    SELECT
        source_id,
        sum(n)::BIGINT AS read,
        coalesce(sum(n) FILTER (outcome IS NULL), 0)::BIGINT AS stored,
        coalesce(sum(n) FILTER (outcome IS NULL AND asset), 0)::BIGINT AS assets,
        coalesce(sum(n) FILTER (starts_with(outcome, 'skip')), 0)::BIGINT AS skipped,
        coalesce(sum(n) FILTER (starts_with(outcome, 'reject')), 0)::BIGINT AS rejected,
        coalesce(sum(odd_times) FILTER (outcome IS NULL), 0)::BIGINT AS odd_times
    FROM summary
    GROUP BY source_id
),
first_kept AS (
    SELECT positions[1] AS first, newest
    FROM between_sources
    ANTI JOIN (SELECT position AS newest FROM already_stored) USING (newest)
    WHERE positions[1] <> newest
),
again AS (
    SELECT source_at(position) AS source_id, sum(n)::BIGINT AS n
    FROM (
        SELECT position, 1 AS n FROM older_captures WHERE NOT newer_is_stored
        UNION ALL
        SELECT position, 1 FROM already_stored
        UNION ALL
        SELECT first, -1 FROM first_kept
        UNION ALL
        SELECT newest, 1 FROM first_kept)
    GROUP BY ALL
),
addresses AS (
    SELECT source_id, count(DISTINCT part) AS bad_ips, min(part) AS bad_ip
    FROM summary
    JOIN parsed_ips USING (ip)
    WHERE address IS NULL
    GROUP BY source_id
)
SELECT
    source_id,
    read,
    stored - coalesce(again.n, 0) AS kept,
    assets,
    coalesce(again.n, 0)::BIGINT AS replaced,
    skipped,
    rejected,
    coalesce(bad_ips, 0)::BIGINT AS bad_ips,
    bad_ip,
    odd_times
FROM totals
LEFT JOIN again USING (source_id)
LEFT JOIN addresses USING (source_id);

-- name: reasons
-- Only where little was kept or some rejected: the commonest reasons, with an example each; NULL
-- where none has a URL.
SELECT
    CASE
        WHEN outcome IS NULL THEN 'skipped: excluded host'
        WHEN starts_with(outcome, 'skip: ') THEN 'skipped: ' || substr(outcome, 7)
        ELSE 'rejected: ' || substr(outcome, 9)
    END AS reason,
    count(*) AS n,
    min_by(url, position) AS example
FROM captures
WHERE outcome IS NOT NULL OR host_of(origin) IN (FROM excluded_hosts SELECT host)
GROUP BY reason
QUALIFY row_number() OVER (PARTITION BY left(reason, 8) ORDER BY n DESC, reason) <= 10
ORDER BY n DESC, reason;
