-- Own hosts: what a list of hosts to drop has of the hosts that somebody watches or keeps.
--
-- A host that is watched (`watch`) may be dropped; one that is pinned by `label --keep` is not, but
-- another name of its registered domain may be. kept_there = what it is dropped for.
-- itself = the host is watched. Else it is of the registered domain of a host that is watched or
-- kept, whether loaded or not, and goes for a host of another domain: names of one domain that go
-- for each other are the owner's own affair. Where the list blocks its hosts for visitors, these
-- names count, too.
-- NULL domain (an address) = no such domain.
--
-- reads: dropped (host and canonical_host, as flagged_hosts has them), hosts, meta, pins
-- writes: none
-- parameters: blocks (whether the list blocks its hosts)

-- name: own_hosts
WITH own AS (
    SELECT substr(key, length('watched.') + 1) AS host, true AS watched
    FROM meta
    WHERE starts_with(key, 'watched.')
    UNION ALL
    SELECT host, false FROM pins WHERE pin = 'keep'
),
parts AS (
    SELECT string_split(host, '.') AS labels FROM own
),
domains AS (
    SELECT DISTINCT array_to_string(labels[k:], '.') AS domain
    FROM parts, range(1, 128) AS from_part(k)
    WHERE k <= len(labels)
)
SELECT
    d.host,
    d.canonical_host AS kept_there,
    d.host IN (SELECT host FROM own WHERE watched) AS itself
FROM dropped AS d
LEFT JOIN hosts AS x ON x.host = d.host
LEFT JOIN hosts AS y ON y.host = d.canonical_host
WHERE
    itself
    OR (x.domain IN (FROM domains) AND ($blocks OR y.domain IS DISTINCT FROM x.domain))
ORDER BY d.host;
