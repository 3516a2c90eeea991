-- First forms: every URL as it was loaded, before any rule is given.
--
-- Forms lie in three temporary tables that later statements keep (replicadb/rewrite/url_forms.py):
--   rewritten     url_id, path: the canonical path with its query, of URLs that rules change
--   host_changes  origin_id, origin: scheme and host where rules change them
--   reformed      origin_id: the origins of which a URL's form changed last; all at first
-- Hosts are authorities here: a name with its port.
-- Source: docs/method.md#rewrite-rules.
-- NULL: none; what no rule changes has no row.
--
-- reads: origins
-- writes: authorities, rewritten, host_changes, reformed
-- parameters: none

-- name: authorities
-- segment: what an origin's URLs have of their path behind the host already.
CREATE OR REPLACE TEMP TABLE authorities AS
WITH split AS (
    SELECT
        origin_id,
        origin,
        split_part(origin, '://', 1) AS scheme,
        split_part(origin, '/', 3) AS authority
    FROM origins
)
SELECT
    origin_id,
    scheme,
    authority,
    substr(origin, strlen(authority) + strlen(scheme) + 4) AS segment
FROM split;

-- name: rewritten
CREATE OR REPLACE TEMP TABLE rewritten (url_id BIGINT, path VARCHAR);

-- name: host_changes
CREATE OR REPLACE TEMP TABLE host_changes (origin_id INTEGER, origin VARCHAR);

-- name: reformed
CREATE OR REPLACE TEMP TABLE reformed AS SELECT origin_id FROM origins;
