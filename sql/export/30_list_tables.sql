-- List tables: lists whose rows are URLs or keys of an index rather than host names.
--
-- A page of a dropped site and one of the kept site have the same content where their digests are
-- equal, or their near contents (detect --clusters); near = no equal digest. NULL = not known.
-- Source of each form: replicadb/export/list_formats.py.
--
-- reads: listed, origins, page_urls, superseded, near_contents, hosts
-- writes: same_content
-- parameters: none

-- name: same_content
-- Pages of dropped sites, each with the kept site's page of its content: at its own path, else at
-- the shortest.
CREATE TEMP TABLE same_content AS
WITH sites AS (
    SELECT DISTINCT host_id, keep_id, group_id, probability FROM listed
),
held AS (
    SELECT
        u.url_id,
        u.host_id,
        u.path,
        u.user_id,
        o.origin || u.path AS url,
        o.host_name,
        coalesce(n.fingerprint_kind, u.fingerprint_kind) AS kind,
        coalesce(n.fingerprint, u.fingerprint) AS content,
        u.content_hash
    FROM page_urls AS u
    JOIN origins AS o USING (origin_id)
    LEFT JOIN near_contents AS n USING (url_id)
    WHERE
        u.host_id IN (SELECT host_id FROM sites)
        OR u.host_id IN (SELECT keep_id FROM sites)
),
kept AS (
    SELECT host_id, kind, content, path, min(url) AS url
    FROM held
    WHERE host_id IN (SELECT keep_id FROM sites) AND content IS NOT NULL
    GROUP BY ALL
),
equal AS (
    SELECT DISTINCT host_id, content_hash
    FROM held
    WHERE host_id IN (SELECT keep_id FROM sites) AND content_hash IS NOT NULL
),
shortest AS (
    SELECT host_id, kind, content, arg_min(url, (length(url), url)) AS url
    FROM kept
    GROUP BY ALL
)
SELECT
    d.url,
    d.path,
    d.kind,
    d.content,
    d.user_id,
    d.host_name,
    s.host_id,
    s.keep_id,
    s.group_id,
    s.probability,
    coalesce(p.url, k.url) AS same_content_at,
    CASE WHEN same_content_at IS NOT NULL THEN e.host_id IS NULL END AS near
FROM held AS d
JOIN sites AS s ON s.host_id = d.host_id
LEFT JOIN kept AS p
    ON p.host_id = s.keep_id AND p.kind = d.kind AND p.content = d.content AND p.path = d.path
LEFT JOIN shortest AS k
    ON k.host_id = s.keep_id AND k.kind = d.kind AND k.content = d.content
LEFT JOIN equal AS e ON e.host_id = s.keep_id AND e.content_hash = d.content_hash;

-- name: outbackcdx
-- The index server resolves aliases by keys: none of a host whose key a host has that stays.
SELECT '@alias ' || url || ' ' || same_content_at AS line
FROM same_content
WHERE
    regexp_full_match(url || same_content_at, '[!-~]+')
    AND host_name IN (SELECT name FROM listed)
ORDER BY url;

-- name: urls
-- Every page once; where captures have ids, one that a newer capture replaced has a row, too.
WITH captures AS (
    SELECT
        url, user_id AS id, host_id, keep_id, same_content_at, near, probability, group_id
    FROM same_content
    UNION ALL BY NAME
    SELECT
        o.origin || c.path AS url,
        c.user_id AS id,
        l.host_id,
        l.keep_id,
        l.probability,
        l.group_id
    FROM superseded AS c
    JOIN origins AS o USING (origin_id)
    JOIN (SELECT DISTINCT host_id, keep_id, group_id, probability FROM listed) AS l
        ON l.host_id = c.host_id
    WHERE c.user_id IS NOT NULL AND c.asset IS NOT true
)
SELECT
    c.url,
    c.id,
    d.host,
    k.host AS canonical_host,
    c.same_content_at,
    c.near,
    c.probability,
    c.group_id
FROM captures AS c
JOIN hosts AS d ON d.host_id = c.host_id
JOIN hosts AS k ON k.host_id = c.keep_id
ORDER BY c.url, c.same_content_at IS NULL, c.id;

-- name: cc_annotation
-- A key stands for all names that differ in www alone: replica_drop where each of them goes.
WITH members AS (
    SELECT name, keep_name, group_id, probability, rank, alone AS goes FROM listed
    UNION ALL
    SELECT keep_name, keep_name, group_id, max(probability), min(rank), false
    FROM listed
    GROUP BY ALL
)
SELECT
    surt_name(name) AS surt_host_name,
    arg_min(surt_name(keep_name), (goes, rank, keep_name)) AS replica_canonical,
    arg_min(group_id, (goes, rank, keep_name)) AS replica_group,
    arg_min(probability, (goes, rank, keep_name)) AS replica_probability,
    bool_and(goes) AS replica_drop
FROM members
GROUP BY surt_name(name)
ORDER BY surt_host_name;
