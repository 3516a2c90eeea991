-- Incremental detection: a digest of all that the pairs of a host are measured by.
--
-- The features of a pair depend on what its two hosts have (contents, paths, tails, titles, links,
-- identifiers, addresses), on what each of these weighs, and on the two hosts' norms. These are the
-- rows that the joins of sql/detect/22_candidate_pairs to sql/detect/40_pair_features read. A
-- host's digest is the sum of the hashes of its rows.
-- As long as the set of hosts stays the same, so do their names, their places and the number that
-- idf is measured by. Then a pair has the same features as long as both its hosts have the digests
-- of the last detection. So it need not be made again.
-- Source: docs/robust.md#incremental.
-- NULL does not occur.
--
-- reads: host_stats, host_digests, norms, cluster_keys, dup_clusters, path_keys, tail_keys, tokens,
--   directed_pairs, host_ips, compared_hosts, host_norms, digests, first_hosts
-- writes: norms (a temporary view), digests, first_hosts, kept_pairs, host_digests
-- parameters: none

-- name: norms
CREATE OR REPLACE TEMP VIEW norms AS
SELECT
    host_id,
    hash(
        n_urls, n_paths, n_clusters, n_shared_clusters, n_contents, n_borrowed, weight,
        exclusive_weight, asset_weight, path_weight2, page_path_weight2, tail_weight, n_sections,
        root
    ) AS norms
FROM host_stats;

-- name: changed_norms
-- Hosts whose sizes and norms are others: as good as all that are changed, and known before any
-- pair is looked at.
SELECT count(*) FROM norms ANTI JOIN host_digests USING (host_id, norms);

-- name: digests
-- Contents are known by their hash: the numbers of dup-clusters are of one detection only. Of a
-- host's norms all count but numbers that go by the set of hosts, and codes of addresses (kind 6).
CREATE OR REPLACE TEMP TABLE digests AS
WITH addresses AS (
    SELECT DISTINCT host_id, 4 AS kind, ip AS address FROM host_ips
    UNION ALL
    SELECT DISTINCT host_id, 3, net FROM host_ips
),
clusters AS (
    SELECT cluster_id, content_hash(fingerprint_kind, fingerprint) AS content FROM dup_clusters
),
rows AS (
    SELECT
        k.place,
        hash(
            1, c.content, path_key, tail_key, section_bit, k.page, k.weight, exclusive_weight,
            asset_weight
        ) AS h
    FROM cluster_keys AS k
    JOIN clusters AS c USING (cluster_id)
    UNION ALL
    SELECT place, hash(2, path, weight2, page, content) FROM path_keys
    UNION ALL
    SELECT place, hash(3, tail, weight, content, length, title, bare_title, language) FROM tail_keys
    UNION ALL
    SELECT place, hash(4, kind, token, weight) FROM tokens
    UNION ALL
    SELECT unnest([a, b]), hash(5, a, b, linked, canonical) FROM directed_pairs
    UNION ALL
    SELECT s.place, hash(6, kind, address, count(*) OVER (PARTITION BY kind, address))
    FROM addresses
    JOIN compared_hosts AS s USING (host_id)
    UNION ALL
    SELECT
        place,
        hash(
            7,
            *COLUMNS(
                * EXCLUDE (
                    place, host_rank, host_id, www_of, name_id, suffix_id, family, edition, ip, net
                )
            )
        )
    FROM host_norms
)
SELECT s.host_id, sum(hash(h)) AS digest
FROM rows
JOIN compared_hosts AS s USING (place)
GROUP BY s.host_id;

-- name: changed
-- The hosts whose pairs have to be made anew.
CREATE OR REPLACE TEMP TABLE first_hosts AS
SELECT host_id FROM digests ANTI JOIN host_digests USING (host_id, digest);

-- name: drop_pairs
DELETE FROM kept_pairs WHERE a_id IN (FROM first_hosts) OR b_id IN (FROM first_hosts);

-- name: remember
INSERT INTO host_digests BY NAME
SELECT host_id, norms, digest FROM digests JOIN norms USING (host_id);
