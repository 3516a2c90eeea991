-- Views of what hosts say of who runs them, with rarity.
--
-- Pictures are taken from the files that were loaded as evidence (urls.asset), by their digest.
-- Source: docs/robust.md#identifiers.
--
-- reads: identifiers, hosts, urls, host_identifiers, site_identifiers
-- writes: host_identifiers, site_identifiers, shared_identifiers
-- parameters: none

-- name: host_identifiers
CREATE OR REPLACE VIEW internal.host_identifiers AS
SELECT host_id, kind, value, sum(pages)::BIGINT AS pages
FROM internal.identifiers
GROUP BY ALL
UNION ALL
SELECT
    host_id,
    CASE WHEN mime IN ('image/x-icon', 'image/vnd.microsoft.icon')
              OR regexp_matches(path, '^[^?]*(/(favicon|apple-touch-icon)|\.ico($|\?))')
              THEN 'favicon'
         ELSE 'image'
    END AS kind,
    fingerprint AS value,
    count(*) AS pages
FROM internal.urls
WHERE asset
  AND fingerprint IS NOT NULL
  AND (starts_with(mime, 'image/')
       OR mime IS NULL AND regexp_matches(path, '^[^?]*\.(ico|png|jpe?g|gif|webp|svg|avif)($|\?)'))
GROUP BY ALL;

-- name: site_identifiers
CREATE OR REPLACE VIEW details.site_identifiers AS
SELECT
    h.host,
    i.kind,
    i.value,
    i.pages,
    count(*) OVER (PARTITION BY i.kind, i.value) AS hosts
FROM internal.host_identifiers AS i
JOIN main.hosts AS h USING (host_id);

-- name: shared_identifiers
-- What more than 50 hosts have tells nothing, and its pairs would be many.
CREATE OR REPLACE VIEW details.shared_identifiers AS
WITH rare AS (
    SELECT * FROM details.site_identifiers
    WHERE kind <> 'language' AND hosts BETWEEN 2 AND 50
)
SELECT
    a.host AS host_a,
    b.host AS host_b,
    a.kind,
    a.value,
    a.hosts,
    a.pages AS pages_a,
    b.pages AS pages_b
FROM rare AS a
JOIN rare AS b ON b.kind = a.kind AND b.value = a.value AND a.host < b.host;

-- name: host_identifiers_comment
COMMENT ON VIEW internal.host_identifiers IS
    'The table identifiers over all sources, and digests of pictures; site_identifiers spells it '
    'out.';
-- name: host_identifiers_host_id_comment
COMMENT ON COLUMN internal.host_identifiers.host_id IS 'The host.';
-- name: host_identifiers_kind_comment
COMMENT ON COLUMN internal.host_identifiers.kind IS 'As in site_identifiers.';
-- name: host_identifiers_value_comment
COMMENT ON COLUMN internal.host_identifiers.value IS 'As in site_identifiers.';
-- name: host_identifiers_pages_comment
COMMENT ON COLUMN internal.host_identifiers.pages IS 'As in site_identifiers.';
-- name: site_identifiers_comment
COMMENT ON VIEW details.site_identifiers IS
    'What hosts say of who runs them: analytics and advertising accounts, mail addresses, wallets, '
    'names of servers, digests of favicons and images; and the language of their pages. Found in '
    'HTML that is loaded with --links or --content. Answers to review teach what it weighs.';
-- name: site_identifiers_host_comment
COMMENT ON COLUMN details.site_identifiers.host IS 'The host.';
-- name: site_identifiers_kind_comment
COMMENT ON COLUMN details.site_identifiers.kind IS
    'analytics, ads, mail, wallet, server, tls, favicon, image or language.';
-- name: site_identifiers_value_comment
COMMENT ON COLUMN details.site_identifiers.value IS
    'The account without the number of its property, the address in lower case, the digest.';
-- name: site_identifiers_pages_comment
COMMENT ON COLUMN details.site_identifiers.pages IS 'Pages of the host that say it.';
-- name: site_identifiers_hosts_comment
COMMENT ON COLUMN details.site_identifiers.hosts IS
    'Hosts that have it: the fewer, the more it tells.';
-- name: shared_identifiers_comment
COMMENT ON VIEW details.shared_identifiers IS
    'Pairs of hosts that say the same of who runs them (site_identifiers), where 50 hosts at most '
    'do. One owner has many sites: it says who, and not that one is a copy of the other.';
-- name: shared_identifiers_host_a_comment
COMMENT ON COLUMN details.shared_identifiers.host_a IS 'The host whose name comes first.';
-- name: shared_identifiers_host_b_comment
COMMENT ON COLUMN details.shared_identifiers.host_b IS 'The other host.';
-- name: shared_identifiers_kind_comment
COMMENT ON COLUMN details.shared_identifiers.kind IS 'As in site_identifiers; no language.';
-- name: shared_identifiers_value_comment
COMMENT ON COLUMN details.shared_identifiers.value IS 'What both have.';
-- name: shared_identifiers_hosts_comment
COMMENT ON COLUMN details.shared_identifiers.hosts IS 'Hosts that have it, these two among them.';
-- name: shared_identifiers_pages_a_comment
COMMENT ON COLUMN details.shared_identifiers.pages_a IS 'Pages of host_a that say it.';
-- name: shared_identifiers_pages_b_comment
COMMENT ON COLUMN details.shared_identifiers.pages_b IS 'Pages of host_b that say it.';
