-- Questions: what people ask a crawl, each a query that runs in any DuckDB shell.
--
-- `host` and `other` are variables: SET VARIABLE host = 'shop.example'. The first comment of a
-- statement is its question.
--
-- reads: copies, flagged_hosts, pages, replica_groups, replicas, inter_site_duplicates,
--   intra_site_duplicates, superseded, earlier_captures, page_urls, hosts, skips, rejects,
--   sources, links, site_identifiers, evidence_of, shared_pages
-- writes: none
-- parameters: none

-- name: copies_of_a_site
-- Which hosts are copies of my site?
SELECT rank, copy, round(probability, 4) AS probability, flagged, kind, shared, containment
FROM copies
WHERE host = getvariable('host')
ORDER BY rank LIMIT 6;

-- name: what_dropping_saves
-- What does dropping the copies save?
SELECT count(*) AS hosts_to_drop, sum(urls) AS urls_saved, sum(duplicate_urls) AS known_copies,
       sum(pages) / (SELECT count(*) FROM pages) AS share_of_pages
FROM flagged_hosts;

-- name: most_copied
-- Which sites are copied most?
SELECT canonical_host, hosts, urls, round(probability, 3) AS probability,
       list_filter(members, lambda m: m <> canonical_host)[1] AS a_copy
FROM replica_groups
ORDER BY hosts DESC, canonical_host LIMIT 5;

-- name: cloned_under_another_name
-- Who cloned a site under another name?
SELECT rank, host_a, host_b, ndist, nmatch, shared, containment
FROM replicas
WHERE flagged AND NOT obvious AND ndist > 12 AND nmatch < 0.1 AND coalesce(ip3, 0) = 0
ORDER BY rank LIMIT 5;

-- name: why_flagged
-- Why is this pair flagged?
SELECT feature, round(value, 4) AS value, low, high, round(contribution, 2) AS contribution
FROM evidence_of(getvariable('host'), getvariable('other'));

-- name: pages_in_common
-- Which pages do the two share?
SELECT url_a, url_b, hosts_with_it
FROM shared_pages(getvariable('host'), getvariable('other'))
ORDER BY hosts_with_it, url_a, url_b LIMIT 4;

-- name: shared_addresses
-- Which hosts share an address, and hardly more?
SELECT host_a, host_b, ip4, shared, containment, agreement, rank
FROM replicas
WHERE ip4 > 0 AND containment < 0.1 AND NOT flagged
ORDER BY ip4 DESC, rank LIMIT 5;

-- name: commonest_content
-- What content is on the most hosts?
SELECT hosts, urls, min(path) AS example_path, any_value(fingerprint) AS fingerprint
FROM details.inter_site_duplicates
GROUP BY cluster_id, hosts, urls
ORDER BY hosts DESC, cluster_id LIMIT 5;

-- name: obvious_and_unlike
-- Which names look obvious and may show different sites?
SELECT host_a, host_b, shared, round(containment, 3) AS containment,
       round(probability, 3) AS probability, rank
FROM replicas
WHERE obvious
ORDER BY rank DESC LIMIT 5;

-- name: repeating_hosts
-- Which hosts repeat themselves?
SELECT host, sum(urls - 1) AS spare_urls, count(*) AS contents, max(urls) AS most_urls_of_one
FROM details.intra_site_duplicates
GROUP BY host
ORDER BY spare_urls DESC, host LIMIT 5;

-- name: lines_for_a_tool
-- How do I tell a crawler or an archive?
SELECT host || ' ' || canonical_host || ';' AS line
FROM flagged_hosts
ORDER BY rank LIMIT 4;

-- name: left_out
-- What was left out, and why?
SELECT parse_filename(source) AS source, 'skipped' AS what, reason, n
FROM skips JOIN sources USING (source_id)
UNION ALL
SELECT parse_filename(source), 'rejected', reason, count(*)
FROM rejects JOIN sources USING (source_id) GROUP BY ALL
ORDER BY ALL;

-- name: flagged_and_redirecting
-- Which flagged pairs also redirect to each other?
SELECT c.host, c.copy, c.rank, count(DISTINCT l.from_url) AS redirects,
       min(l.from_url) AS from_url, min(l.to_url) AS to_url
FROM copies AS c
JOIN internal.links AS l ON l.from_host = c.host AND l.to_host = c.copy AND l.kind = 'redirect'
WHERE c.flagged
GROUP BY ALL ORDER BY c.rank, c.host LIMIT 5;

-- name: changing_pages
-- Which sites are never the same from one capture to the next?
SELECT h.host, count(DISTINCT u.url_id) AS captured_again,
       count(DISTINCT u.url_id) FILTER (before.content_hash <> u.content_hash) AS changed
FROM (FROM internal.superseded UNION ALL BY NAME FROM internal.earlier_captures) AS before
JOIN internal.page_urls AS u USING (origin_id, path, fingerprint_kind)
JOIN hosts AS h ON h.host_id = u.host_id
WHERE coalesce(coalesce(before.fetched_at, before.first) < u.fetched_at, true)
   OR before.content_hash <> u.content_hash
GROUP BY h.host ORDER BY changed / captured_again DESC, captured_again DESC, h.host LIMIT 10;

-- name: replaced_addresses
-- Which copies name other wallets, accounts or mail addresses than the host that is kept?
SELECT f.canonical_host, f.host, f.probability, c.kind, min(k.value) AS kept, min(c.value) AS copy
FROM flagged_hosts AS f
JOIN details.site_identifiers AS c ON c.host = f.host
JOIN details.site_identifiers AS k ON k.host = f.canonical_host AND k.kind = c.kind
WHERE c.kind IN ('wallet', 'mail', 'analytics', 'ads')
GROUP BY ALL HAVING NOT bool_or(c.value = k.value)
ORDER BY f.canonical_host, f.host, c.kind;
