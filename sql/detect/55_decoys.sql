-- Decoys: the same crawl with its shared contents dealt out anew, so that what two hosts share is
-- chance.
--
-- The rows (content, path) of shared contents change hosts at random within a class of rarity: 2, 3
-- or 4 hosts, then by half octaves. Each host keeps how many contents of each rarity it has. What
-- is gone is that two hosts share them together. Pairs of the dealt crawl, measured and weighed as
-- the true ones are, say what match weights chance gives here. Copies share more than chance. So
-- what a copy has of a larger host is dealt for that host alone, else the pages of a few copies
-- would take the place of all that is rare. A class is dealt by hash: one crawl gives the same
-- decoys again.
-- Source: docs/robust.md#decoys; target and decoy as in Elias and Gygi (2007), margins kept as in
-- link randomisation.
-- NULL does not occur.
--
-- reads: scored, pair_features, cluster_hosts, dup_clusters, host_stats, shared_paths,
--   shared_tails, dealt, first_hosts
-- writes: dealt, first_hosts, decoy_features, compared_clusters, compared_paths, compared_tails
--   (temporary views, the last three)
-- parameters: cap, sample, several, mostly, partly, likely

-- name: dealt
-- Copies share several contents that are most of a host, or, where the class prior takes them for
-- replicas, a part of it. Of the hosts that a host is a copy of, the one with most pages is its
-- original; among equals, and among hosts of files alone, the first by name. What that one lacks
-- and another copy has is dealt for both. Contents are as rare as they are on the hosts that are
-- left. Both orders go through the classes alike, so rows at one place are of one class. A host
-- that is dealt a content twice has it once. Numbers alone are sorted: paths are looked up
-- afterwards, of the sample.
CREATE OR REPLACE TEMP TABLE dealt AS
WITH copies AS (
    SELECT a_id, b_id
    FROM pair_features
    WHERE shared >= $several AND containment >= $mostly
    UNION
    SELECT a_id, b_id
    FROM (SELECT a_id, b_id FROM pair_features WHERE shared >= $several AND containment >= $partly)
    SEMI JOIN (FROM scored WHERE shared >= $several AND score_id >= $likely) USING (a_id, b_id)
),
each_way AS (
    SELECT a_id AS host_id, b_id AS of_id FROM copies
    UNION ALL
    SELECT b_id, a_id FROM copies
),
sized AS (
    SELECT host_id, (n_contents::BIGINT << 32) - host_rank AS size FROM host_stats
),
originals AS (
    SELECT c.host_id, arg_max(c.of_id, o.size) AS of_id
    FROM each_way AS c
    JOIN sized AS h USING (host_id)
    JOIN sized AS o ON o.host_id = c.of_id
    WHERE o.size > h.size
    GROUP BY c.host_id
),
known AS (
    SELECT h.cluster_id, h.host_id, c.page
    FROM cluster_hosts AS h
    JOIN dup_clusters AS c USING (cluster_id)
    WHERE c.n_hosts > 1 AND ($cap = 0 OR c.n_hosts <= $cap)
),
copied AS (
    SELECT k.cluster_id, k.host_id
    FROM known AS k
    JOIN originals AS o USING (host_id)
    SEMI JOIN known AS there
        ON there.cluster_id = k.cluster_id AND there.host_id = o.of_id
),
once AS MATERIALIZED (
    FROM known ANTI JOIN copied USING (cluster_id, host_id)
),
rarity AS (
    SELECT cluster_id, count(*) AS n_hosts FROM once GROUP BY cluster_id HAVING count(*) > 1
),
classed AS (
    SELECT
        o.cluster_id,
        o.host_id,
        s.host_rank,
        (2 * CASE
            WHEN r.n_hosts <= 4 THEN r.n_hosts ELSE 5 + floor(2 * log2(r.n_hosts / 5))
        END::INTEGER + o.page::INTEGER)::UTINYINT AS class
    FROM once AS o
    JOIN rarity AS r USING (cluster_id)
    JOIN host_stats AS s USING (host_id)
),
places AS (
    SELECT cluster_id, host_id, host_rank
    FROM classed
    ORDER BY class, hash(cluster_id, host_rank), cluster_id, host_rank
),
takers AS (
    SELECT host_id AS to_id
    FROM classed
    ORDER BY class, hash(host_rank, cluster_id), cluster_id, host_rank
),
moved AS (
    SELECT x.cluster_id, y.to_id AS host_id, arg_min(x.host_id, x.host_rank) AS from_id
    FROM places AS x
    POSITIONAL JOIN takers AS y
    GROUP BY x.cluster_id, y.to_id
),
contents AS MATERIALIZED (
    SELECT cluster_id, content_hash(fingerprint_kind, fingerprint) AS content
    FROM dup_clusters
    WHERE n_hosts > 1
)
SELECT moved.*, content
FROM moved
JOIN contents USING (cluster_id);

-- name: expected_decoys
-- Cost before work: the pairs summed over dealt contents.
SELECT coalesce(sum(n * (n - 1) // 2), 0)::BIGINT AS n
FROM (SELECT count(*) AS n FROM dealt GROUP BY cluster_id);

-- name: sampled_hosts
-- Decoys are pairs of one of these hosts and any other: of a large crawl a part is enough.
CREATE OR REPLACE TEMP TABLE first_hosts AS
SELECT host_id FROM host_stats WHERE hash(host_rank, 'decoys') % 1000000 < $sample * 1000000;

-- name: dealt_clusters
CREATE OR REPLACE TEMP VIEW compared_clusters AS
WITH theirs AS (
    FROM dealt SEMI JOIN first_hosts USING (host_id)
),
taken AS (
    FROM dealt SEMI JOIN theirs USING (cluster_id)
)
SELECT t.cluster_id, t.host_id, h.path
FROM taken AS t
JOIN cluster_hosts AS h ON h.cluster_id = t.cluster_id AND h.host_id = t.from_id;

-- name: dealt_paths
-- A path goes where its content goes. Where the host has the path already, one of the two stays.
-- First the paths that sampled hosts will have are found, by few columns.
CREATE OR REPLACE TEMP VIEW compared_paths AS
WITH to_them AS (
    SELECT from_id, content FROM dealt SEMI JOIN first_hosts USING (host_id)
),
from_them AS (
    SELECT from_id, content FROM dealt SEMI JOIN first_hosts AS f ON f.host_id = from_id
),
theirs AS (
    SELECT path
    FROM shared_paths AS t
    SEMI JOIN to_them AS d ON d.from_id = t.host_id AND d.content = t.content
    UNION
    SELECT path
    FROM shared_paths AS t
    SEMI JOIN first_hosts USING (host_id)
    ANTI JOIN from_them AS d ON d.from_id = t.host_id AND d.content = t.content
),
moved AS (
    SELECT t.* REPLACE (coalesce(d.host_id, t.host_id) AS host_id)
    FROM (FROM shared_paths SEMI JOIN theirs USING (path)) AS t
    LEFT JOIN dealt AS d ON d.from_id = t.host_id AND d.content = t.content
)
SELECT
    path,
    host_id,
    any_value(df) AS df,
    any_value(weight2) AS weight2,
    bool_or(page) AS page,
    bool_or(home) AS home,
    min(content) AS content
FROM moved
GROUP BY path, host_id;

-- name: dealt_tails
-- The same of tails. Few hosts have one twice, and arg_min is dear: it is asked of these alone.
CREATE OR REPLACE TEMP VIEW compared_tails AS
WITH to_them AS (
    SELECT from_id, content FROM dealt SEMI JOIN first_hosts USING (host_id)
),
from_them AS (
    SELECT from_id, content FROM dealt SEMI JOIN first_hosts AS f ON f.host_id = from_id
),
theirs AS (
    SELECT tail
    FROM shared_tails AS t
    SEMI JOIN to_them AS d ON d.from_id = t.host_id AND d.content = t.content
    UNION
    SELECT tail
    FROM shared_tails AS t
    SEMI JOIN first_hosts USING (host_id)
    ANTI JOIN from_them AS d ON d.from_id = t.host_id AND d.content = t.content
),
moved AS MATERIALIZED (
    SELECT t.* REPLACE (coalesce(d.host_id, t.host_id) AS host_id)
    FROM (FROM shared_tails SEMI JOIN theirs USING (tail)) AS t
    LEFT JOIN dealt AS d ON d.from_id = t.host_id AND d.content = t.content
),
twice AS (
    SELECT tail, host_id FROM moved GROUP BY tail, host_id HAVING count(*) > 1
)
SELECT tail, host_id, weight, content, length, title, bare_title, language
FROM moved
ANTI JOIN twice USING (tail, host_id)
UNION ALL
SELECT
    tail,
    host_id,
    any_value(weight) AS weight,
    min(content) AS content,
    arg_min(length, content) AS length,
    arg_min(title, content) AS title,
    arg_min(bare_title, content) AS bare_title,
    arg_min(language, content) AS language
FROM moved
SEMI JOIN twice USING (tail, host_id)
GROUP BY tail, host_id;

-- name: decoy_features
CREATE OR REPLACE TEMP TABLE decoy_features AS SELECT * FROM pair_features LIMIT 0;
