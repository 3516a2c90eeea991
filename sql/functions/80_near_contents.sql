-- Near contents: the clusters that pages are in, as later loads have them.
--
-- near_contents has the URLs that the last detection saw. A page that came since is of the cluster
-- that pages of its digest were in then: so a page that was captured again, and is the same, is
-- compared as before. A page of another digest has no cluster before the next detection.
-- Source: docs/method.md#candidates.
-- No column has NULL.
--
-- reads: near_contents, urls, superseded
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
