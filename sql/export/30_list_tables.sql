-- List tables: lists whose rows are URLs or keys of an index rather than host names.
--
-- A page of a dropped site and one of the kept site have the same content where their digests are
-- equal, or their near contents (detect --clusters); near = no equal digest. NULL = not known.
-- Content that several paths of either site have (an error, a login) says nothing of one URL,
-- unless it stands at the same path of both. Digests of two kinds say nothing of each other.
-- Source of each form: replicadb/export/list_formats.py.
--
-- reads: listed, dropped_names, origins, page_urls, urls, superseded, earlier_captures,
--   near_contents_now, hosts, sources, files_without_earlier, list_ids
-- writes: held_pages, placed_pages, placed_contents, same_content, hidden, own_keys, list_ids
-- parameters: by_key (whether the list goes by keys of an index rather than by URLs)

-- name: held_pages
-- Pages of the sites that go and of those that stay for them. This and what follows are tables of
-- their own: in one statement all of it is in memory at once.
CREATE OR REPLACE TEMP TABLE held_pages AS
WITH sites AS (
    SELECT DISTINCT host_id, keep_id FROM dropped_names
)
SELECT
    u.url_id,
    u.host_id,
    u.path,
    u.user_id,
    o.origin || u.path AS url,
    o.host_name,
    coalesce(n.fingerprint_kind, u.fingerprint_kind) AS kind,
    coalesce(n.fingerprint, u.fingerprint) AS content,
    u.fingerprint_kind AS own_kind,
    n.fingerprint IS NOT NULL AS in_cluster,
    u.content_hash
FROM page_urls AS u
JOIN origins AS o USING (origin_id)
LEFT JOIN near_contents_now AS n USING (url_id)
WHERE
    u.host_id IN (SELECT host_id FROM sites)
    OR u.host_id IN (SELECT keep_id FROM sites);

-- name: placed_pages
CREATE OR REPLACE TEMP TABLE placed_pages AS
SELECT host_id, kind, content, path, min(url) AS url, arg_min_null(content_hash, url) AS digest
FROM held_pages
WHERE content IS NOT NULL
GROUP BY ALL;

-- name: placed_contents
CREATE OR REPLACE TEMP TABLE placed_contents AS
SELECT
    host_id,
    kind,
    content,
    count(*) AS paths,
    min(url) AS url,
    arg_min_null(digest, url) AS digest
FROM placed_pages
GROUP BY ALL;

-- name: same_content
-- Pages of dropped sites, each with the kept site's page of its content: at its own path, else at
-- the only one that has it. several = the kept site has the content, and nobody can say where.
-- comparable = what is known of the content is known of pages of the kept site, too.
CREATE OR REPLACE TEMP TABLE same_content AS
WITH sites AS (
    SELECT DISTINCT host_id, keep_id, group_id, probability FROM dropped_names
),
kinds AS (
    SELECT DISTINCT host_id, own_kind FROM held_pages WHERE own_kind IS NOT NULL
)
SELECT
    d.url,
    d.path,
    d.kind,
    d.content,
    d.content_hash AS digest,
    d.user_id,
    d.host_name,
    s.host_id,
    s.keep_id,
    s.group_id,
    s.probability,
    p.url IS NOT NULL AS same_path,
    NOT same_path AND k.url IS NOT NULL AND (own.paths > 1 OR k.paths > 1) AS several,
    CASE WHEN same_path THEN p.url WHEN NOT several THEN k.url END AS same_content_at,
    if(same_path, p.digest, k.digest) AS digest_there,
    CASE WHEN same_content_at IS NOT NULL THEN coalesce(digest_there <> d.content_hash, true) END
        AS near,
    d.in_cluster OR t.own_kind IS NOT NULL AS comparable
FROM held_pages AS d
JOIN sites AS s ON s.host_id = d.host_id
LEFT JOIN placed_contents AS own
    ON own.host_id = d.host_id AND own.kind = d.kind AND own.content = d.content
LEFT JOIN placed_pages AS p
    ON p.host_id = s.keep_id AND p.kind = d.kind AND p.content = d.content AND p.path = d.path
LEFT JOIN placed_contents AS k
    ON k.host_id = s.keep_id AND k.kind = d.kind AND k.content = d.content
LEFT JOIN kinds AS t ON t.host_id = s.keep_id AND t.own_kind = d.own_kind;

-- name: hidden
-- URLs of which an older capture has a content that no capture of the kept URL has: who goes to the
-- kept URL instead does not find it. never_had = a capture of that URL has a digest of that kind;
-- else nobody can tell.
CREATE TEMP TABLE hidden AS
WITH replaced AS (
    SELECT host_id, origin_id, path, fingerprint_kind, content_hash FROM superseded
    UNION ALL
    SELECT host_id, origin_id, path, fingerprint_kind, content_hash FROM earlier_captures
),
older AS (
    SELECT DISTINCT
        o.origin || c.path AS url, c.fingerprint_kind AS kind, c.content_hash AS digest
    FROM replaced AS c
    JOIN origins AS o USING (origin_id)
    WHERE c.host_id IN (SELECT host_id FROM listed)
),
lacking AS (
    SELECT s.url, s.same_content_at, w.kind, w.digest
    FROM same_content AS s
    JOIN older AS w ON w.url = s.url
    WHERE s.same_content_at IS NOT NULL AND w.digest IS DISTINCT FROM s.digest
),
there AS (
    SELECT o.origin || u.path AS url, u.fingerprint_kind AS kind, u.content_hash AS digest
    FROM page_urls AS u
    JOIN origins AS o USING (origin_id)
    WHERE u.host_id IN (SELECT keep_id FROM listed)
    UNION ALL
    SELECT o.origin || c.path, c.fingerprint_kind, c.content_hash
    FROM replaced AS c
    JOIN origins AS o USING (origin_id)
    WHERE c.host_id IN (SELECT keep_id FROM listed)
),
missed AS (
    SELECT l.*
    FROM lacking AS l
    ANTI JOIN there AS t ON t.url = l.same_content_at AND t.digest = l.digest
),
kinds_there AS (
    SELECT DISTINCT url, kind FROM there
)
SELECT l.url, bool_or(t.kind IS NOT NULL) AS never_had
FROM missed AS l
LEFT JOIN kinds_there AS t ON t.url = l.same_content_at AND t.kind = l.kind
GROUP BY l.url;

-- name: earlier_unknown
-- Files with pages of these hosts of which earlier captures are not known.
SELECT count(*) AS n, min(source) AS example
FROM files_without_earlier()
WHERE source_id IN (
    SELECT source_id FROM urls WHERE host_id IN (SELECT host_id FROM listed)
    UNION ALL
    SELECT source_id FROM superseded WHERE host_id IN (SELECT host_id FROM listed)
);

-- name: decoded
CREATE OR REPLACE TEMP MACRO decoded(t) AS lower(coalesce(try(url_decode(t)), t));

-- name: path_key
-- Small letters, no empty parts, no session. Source: OutbackCDX, UrlCanonicalizer.
CREATE OR REPLACE TEMP MACRO path_key(t) AS
    regexp_replace(
        array_to_string(list_filter(string_split(decoded(t), '/'), lambda p: p <> ''), '/'),
        ';jsessionid=[0-9a-z]{32}$',
        ''
    );

-- name: query_key
-- Small letters, in order, no session.
CREATE OR REPLACE TEMP MACRO query_key(t) AS
    array_to_string(
        list_sort(list_filter(
            string_split(decoded(t), '&'),
            lambda p: p <> '' AND NOT regexp_full_match(
                p,
                'jsessionid=[0-9a-z]{10,}'
                || '|(sessionid|phpsessid|sid|aspsessionid[a-z]{8})=[0-9a-z]{16,}'
            )
        )),
        '&'
    );

-- name: index_key
-- A URL as OutbackCDX looks it up: http and https, www and the bare name, /A and /a/ are one.
CREATE OR REPLACE TEMP MACRO index_key(url) AS
    surt_name(regexp_extract(url, '^[a-z]+://([^/?:]*)', 1))
    || regexp_extract(url, '^[a-z]+://[^/?:]*(:[0-9]+)', 1) || ')/'
    || path_key(regexp_extract(url, '^[a-z]+://[^/?]*([^?]*)', 1)) || '?'
    || query_key(regexp_extract(url, '\?(.*)$', 1));

-- name: own_keys
-- URLs whose key no other URL has, or pages that all go to one key. Aliases are of keys: else one
-- of them would be taken for the page that another one goes to. NULL url: what goes nowhere, which
-- are files other than pages, and pages of sites in folders that stay (host+1: /a/ is one, /a not).
CREATE TEMP TABLE own_keys AS
WITH keyed AS (
    SELECT s.url, index_key(s.url) AS key, index_key(s.same_content_at) AS there
    FROM same_content AS s
    WHERE $by_key AND s.host_name IN (SELECT name FROM listed)
    UNION ALL
    SELECT NULL, index_key(o.origin || u.path), NULL
    FROM urls AS u
    JOIN origins AS o USING (origin_id)
    WHERE
        $by_key
        AND o.host_name IN (SELECT name FROM listed)
        AND (u.asset IS true OR u.host_id NOT IN (SELECT host_id FROM dropped_names))
),
sent AS (
    SELECT url, key, CASE WHEN url NOT IN (SELECT url FROM hidden) THEN there END AS there
    FROM keyed
)
SELECT url
FROM sent
WINDOW of_key AS (PARTITION BY key)
QUALIFY
    count(*) OVER of_key = count(there) OVER of_key
    AND min(there) OVER of_key = max(there) OVER of_key;

-- name: nowhere
-- Pages that are sent to no URL of the kept site, by reason.
SELECT
    CASE
        WHEN several THEN 'several URLs of one of the two hosts have their content'
        WHEN same_content_at IS NULL AND content IS NULL THEN 'their own content is not known'
        WHEN same_content_at IS NULL AND NOT comparable
            THEN 'the kept host has no digest of their kind, so nobody can compare them'
        WHEN same_content_at IS NULL
            THEN 'no page of the kept host is known to have their content'
        WHEN h.never_had THEN 'an older capture has a content that the kept URL never had'
        WHEN h.url IS NULL
            THEN 'another URL has their key in the index, and goes elsewhere or nowhere'
        ELSE
            'an older capture has no digest, or one of a kind that no capture of the kept URL has,'
            || ' so nobody can tell what it hides'
    END AS reason,
    count(*) AS n,
    min(url) AS example
FROM same_content
LEFT JOIN hidden AS h USING (url)
WHERE
    host_name IN (SELECT name FROM listed)
    AND (
        same_content_at IS NULL
        OR h.url IS NOT NULL
        OR ($by_key AND url NOT IN (SELECT url FROM own_keys))
    )
GROUP BY reason
ORDER BY reason DESC;

-- name: outbackcdx
-- The index server resolves aliases by keys: none of a host whose key a host has that stays, and
-- none of a page whose key another URL has that goes elsewhere.
SELECT '@alias ' || url || ' ' || same_content_at AS line
FROM same_content
WHERE
    regexp_full_match(url || same_content_at, '[!-~]+')
    AND host_name IN (SELECT name FROM listed)
    AND url IN (SELECT url FROM own_keys)
ORDER BY url;

-- name: list_ids
-- Each page with its id, and with each other id that its older captures have.
CREATE TEMP TABLE list_ids AS
SELECT url, user_id AS id FROM same_content
UNION
SELECT o.origin || c.path, c.user_id
FROM superseded AS c
JOIN origins AS o USING (origin_id)
WHERE c.user_id IS NOT NULL AND c.host_id IN (SELECT host_id FROM listed);

-- name: doubtful_ids
-- What a join on ids does wrong: ids of the list at URLs of other hosts; and rows that were no
-- newest capture of their URL in their file, whose ids nothing has, of the files of these ids.
WITH captures AS (
    SELECT host_id, source_id, user_id FROM urls
    UNION ALL
    SELECT host_id, source_id, user_id FROM superseded
),
with_ids AS (
    SELECT DISTINCT source_id
    FROM captures
    WHERE user_id IS NOT NULL AND host_id IN (SELECT host_id FROM listed)
)
SELECT
    (
        SELECT count(DISTINCT user_id)
        FROM captures
        WHERE
            user_id IN (SELECT id FROM list_ids)
            AND host_id NOT IN (SELECT host_id FROM listed)
    ) AS ids_elsewhere,
    (
        SELECT coalesce(sum(kept + replaced)::BIGINT, 0)
        FROM sources
        SEMI JOIN with_ids USING (source_id)
    )
    - (SELECT count(*) FROM captures SEMI JOIN with_ids USING (source_id)) AS ids_lost;

-- name: other_files
-- Files other than pages of the hosts in a list that has pages alone.
SELECT count(*) AS n, min(o.origin || u.path) AS example
FROM urls AS u
JOIN origins AS o USING (origin_id)
WHERE u.asset AND u.host_id IN (SELECT host_id FROM listed);

-- name: urls
SELECT
    s.url,
    i.id,
    d.host,
    k.host AS canonical_host,
    if(n.url IS NULL, s.same_content_at, NULL) AS same_content_at,
    if(n.url IS NULL, s.near, NULL) AS near,
    s.probability,
    s.group_id
FROM same_content AS s
JOIN list_ids AS i USING (url)
LEFT JOIN hidden AS n ON n.url = s.url
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
