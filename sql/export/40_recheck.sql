-- Recheck: dropped hosts that are due for another look, and what to fetch of them first.
--
-- A dropped host is not crawled any more, so nobody sees it change. It is due when its newest
-- capture is so many days old, or has no date. The pages that tell most come first: those whose
-- content the fewest hosts have. Of a host without pages its files stand for them.
-- days = whole ones, of 24 hours. last_seen, days = NULL where no capture has a date.
--
-- reads: flagged_hosts, hosts, origins, urls, same_content, dup_clusters
-- writes: due_hosts, chosen_hosts
-- parameters: at, days, pages

-- name: due_hosts
CREATE TEMP TABLE due_hosts AS
WITH seen AS (
    SELECT
        u.host_id,
        bool_and(u.asset IS true) AS files_alone,
        max(u.fetched_at) FILTER (u.asset IS NOT true) AS page_seen,
        if(files_alone, max(u.fetched_at), page_seen) AS last_seen
    FROM urls AS u
    WHERE u.host_id IN (SELECT host_id FROM hosts SEMI JOIN flagged_hosts USING (host))
    GROUP BY u.host_id
)
SELECT
    f.*,
    h.host_id,
    s.files_alone,
    s.last_seen,
    date_sub('day', s.last_seen, $at::TIMESTAMP) AS days
FROM flagged_hosts AS f
JOIN hosts AS h USING (host)
LEFT JOIN seen AS s USING (host_id)
WHERE coalesce(date_sub('day', s.last_seen, $at::TIMESTAMP) >= $days, true);

-- name: chosen_hosts
CREATE TEMP TABLE chosen_hosts AS
SELECT * EXCLUDE (host_id, files_alone, last_seen, days) FROM due_hosts;

-- name: recheck
-- The home page, then shared pages, then the shortest of its own; hosts that would lose most first.
WITH kept AS (
    SELECT
        f.host_id,
        u.fingerprint_kind AS kind,
        u.fingerprint AS content,
        min(o.origin || u.path) AS url
    FROM due_hosts AS f
    JOIN hosts AS k ON k.host = f.canonical_host
    JOIN urls AS u ON u.host_id = k.host_id
    JOIN origins AS o USING (origin_id)
    WHERE f.files_alone AND u.fingerprint IS NOT NULL
    GROUP BY ALL
),
files AS (
    SELECT
        u.host_id,
        o.origin || u.path AS url,
        k.url AS same_content_at,
        u.path,
        u.fingerprint_kind AS kind,
        u.fingerprint AS content
    FROM due_hosts AS f
    JOIN urls AS u USING (host_id)
    JOIN origins AS o USING (origin_id)
    LEFT JOIN kept AS k
        ON k.host_id = u.host_id AND k.kind = u.fingerprint_kind AND k.content = u.fingerprint
    WHERE f.files_alone
),
known AS (
    SELECT host_id, url, same_content_at, path, kind, content FROM same_content
    UNION ALL BY NAME
    FROM files
),
pages AS (
    SELECT
        s.host_id,
        s.url,
        s.same_content_at,
        row_number() OVER (
            PARTITION BY s.host_id
            ORDER BY
                s.path <> '/',
                s.same_content_at IS NULL,
                d.n_hosts,
                length(s.path),
                s.url
        ) AS place
    FROM known AS s
    LEFT JOIN dup_clusters AS d ON d.fingerprint = s.content AND d.fingerprint_kind = s.kind
)
SELECT
    h.host,
    h.canonical_host,
    h.group_id,
    h.probability,
    round(h.elsewhere / nullif(h.pages, 0), 4) AS share_elsewhere,
    h.last_seen,
    h.days,
    p.url,
    p.same_content_at AS compare_with
FROM due_hosts AS h
LEFT JOIN pages AS p ON p.host_id = h.host_id AND p.place <= $pages
ORDER BY share_elsewhere, h.probability, h.host, p.place;
