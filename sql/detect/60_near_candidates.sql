-- Near candidates: how much there is of each match weight among the pairs that may be replicas,
-- host by host.
--
-- The share of replicas among them is estimated from this (replicadb/learning/class_prior.py). A
-- farm of a hundred hosts is 4,950 pairs and one case. So a pair counts 1 / sqrt(n_a * n_b), with n
-- the near candidates of each of its hosts. Then each host counts for about as much as any other,
-- however many others are like it. The generated crawls that taught the prior count the root of a
-- group's pairs, too.
-- Sums are over whole numbers, 2^20 to one.
-- Source: docs/robust.md#class-prior.
-- NULL does not occur.
--
-- reads: scored
-- writes: none
-- parameters: likely, scale

-- name: near_mass
WITH near AS (
    SELECT a_id, b_id, score_id FROM scored WHERE score_id >= $likely
),
ends AS (
    SELECT a_id AS host_id FROM near
    UNION ALL
    SELECT b_id FROM near
),
degrees AS (
    SELECT host_id, count(*)::DOUBLE AS n FROM ends GROUP BY host_id
)
SELECT score_id, sum(round($scale * host_share(x.n, y.n)))::BIGINT AS mass
FROM near
JOIN degrees AS x ON x.host_id = a_id
JOIN degrees AS y ON y.host_id = b_id
GROUP BY score_id
ORDER BY score_id;
