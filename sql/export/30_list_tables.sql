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
    SELECT
        host_id, kind, content, path, min(url) AS url, arg_min_null(content_hash, url) AS digest
    FROM held
    WHERE host_id IN (SELECT keep_id FROM sites) AND content IS NOT NULL
    GROUP BY ALL
),
shortest AS (
    SELECT
        host_id,
        kind,
        content,
        arg_min(url, (length(url), url)) AS url,
        arg_min_null(digest, (length(url), url)) AS digest
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
    if(p.url IS NULL, k.digest, p.digest) AS digest_there,
    CASE WHEN same_content_at IS NOT NULL THEN coalesce(digest_there <> d.content_hash, true) END
        AS near
FROM held AS d
JOIN sites AS s ON s.host_id = d.host_id
LEFT JOIN kept AS p
    ON p.host_id = s.keep_id AND p.kind = d.kind AND p.content = d.content AND p.path = d.path
LEFT JOIN shortest AS k
    ON k.host_id = s.keep_id AND k.kind = d.kind AND k.content = d.content;

-- name: outbackcdx
-- The index server resolves aliases by keys: none of a host whose key a host has that stays.
SELECT '@alias ' || url || ' ' || same_content_at AS line
FROM same_content
WHERE
    regexp_full_match(url || same_content_at, '[!-~]+')
    AND host_name IN (SELECT name FROM listed)
ORDER BY url;

-- name: urls
-- Every page once, and once more for each other id that its older captures have.
WITH ids AS (
    SELECT url, user_id AS id FROM same_content
    UNION
    SELECT o.origin || c.path, c.user_id
    FROM superseded AS c
    JOIN origins AS o USING (origin_id)
    WHERE c.user_id IS NOT NULL AND c.host_id IN (SELECT host_id FROM listed)
)
SELECT
    s.url,
    i.id,
    d.host,
    k.host AS canonical_host,
    s.same_content_at,
    s.near,
    s.probability,
    s.group_id
FROM same_content AS s
JOIN ids AS i USING (url)
JOIN hosts AS d ON d.host_id = s.host_id
JOIN hosts AS k ON k.host_id = s.keep_id
ORDER BY s.url, i.id;

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
