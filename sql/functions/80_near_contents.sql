-- Near contents: the clusters that pages are in, as later loads have them.
--
-- near_contents has the URLs that the last detection saw. A page that came since is of the cluster
-- that pages of its digest were in then: so a page that was captured again, and is the same, is
-- compared as before. A page of another digest has no cluster before the next detection.
-- Source: docs/method.md#candidates.
-- No column has NULL.
--
-- reads: near_contents, urls, superseded, near_hosts (host_id: those whose pages are read)
-- writes: near_contents_now (temporary; a view where nothing came since)
-- parameters: none

-- name: as_detected
CREATE OR REPLACE TEMP VIEW near_contents_now AS FROM near_contents;

-- name: with_later_loads
CREATE OR REPLACE TEMP TABLE near_contents_now AS
WITH captures AS (
    SELECT url_id, fingerprint_kind, fingerprint FROM urls
    UNION ALL
    SELECT url_id, fingerprint_kind, fingerprint FROM superseded
),
of_digests AS (
    SELECT
        c.fingerprint_kind AS own_kind,
        c.fingerprint AS own,
        n.fingerprint_kind,
        min(n.fingerprint) AS fingerprint
    FROM near_contents AS n
    JOIN captures AS c USING (url_id)
    WHERE c.fingerprint IS NOT NULL
    GROUP BY c.fingerprint_kind, c.fingerprint, n.fingerprint_kind
)
FROM near_contents
UNION ALL BY NAME
SELECT u.url_id, d.fingerprint_kind, d.fingerprint
FROM urls AS u
ANTI JOIN near_contents AS n ON n.url_id = u.url_id
JOIN of_digests AS d ON d.own_kind = u.fingerprint_kind AND d.own = u.fingerprint;

-- name: of_some_hosts
-- The same of the pages of some hosts: what was made for all would be a row a page of the crawl.
CREATE OR REPLACE TEMP TABLE near_contents_now AS
WITH held AS MATERIALIZED (
    SELECT
        u.url_id,
        u.fingerprint_kind AS own_kind,
        u.fingerprint AS own,
        n.fingerprint_kind,
        n.fingerprint
    FROM urls AS u
    LEFT JOIN near_contents AS n USING (url_id)
    WHERE u.host_id IN (SELECT host_id FROM near_hosts)
),
came AS MATERIALIZED (
    SELECT DISTINCT own_kind, own FROM held WHERE fingerprint IS NULL AND own IS NOT NULL
),
captures AS (
    SELECT url_id, fingerprint_kind, fingerprint FROM urls
    UNION ALL
    SELECT url_id, fingerprint_kind, fingerprint FROM superseded
),
of_digests AS (
    SELECT c.own_kind, c.own, n.fingerprint_kind, min(n.fingerprint) AS fingerprint
    FROM came AS c
    JOIN captures AS k ON k.fingerprint_kind = c.own_kind AND k.fingerprint = c.own
    JOIN near_contents AS n USING (url_id)
    GROUP BY c.own_kind, c.own, n.fingerprint_kind
)
SELECT url_id, fingerprint_kind, fingerprint FROM held WHERE fingerprint IS NOT NULL
UNION ALL
SELECT h.url_id, d.fingerprint_kind, d.fingerprint
FROM held AS h
JOIN of_digests AS d USING (own_kind, own)
WHERE h.fingerprint IS NULL;
