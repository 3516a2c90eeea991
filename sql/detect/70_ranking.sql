-- Ranking: every candidate pair in its place.
--
-- By dominance (for one score: how many rank lower), ties by stronger evidence and never at random:
-- match weight, evidence times containment, shared clusters, nearer names, then byte order of the
-- names, which makes the order total. Views give the rank, rowid + 1, and score = share of
-- candidates ranked below.
-- Source: docs/method.md#ranking.
-- NULL does not occur.
--
-- reads: pattern_scores, scored, host_stats, ranking
-- writes: ranking
-- parameters: may_be, few_pages, first

-- name: ranking
-- The order itself is the result: a row's place in this table is its rank (cheaper than a window
-- over all pairs, or a column).
-- Six keys to sort by are three here, a third of the time less: place (27 bits are enough: match
-- weights are millionths between -50 and 50), tie (as the bits of a float, which rise with it) and
-- the first 6 of the 31 bits of shared; the others, ndist and a; b.
INSERT INTO ranking BY NAME
WITH places AS (
    SELECT
        score_id,
        flagged,
        dense_rank() OVER (ORDER BY dominates DESC, strength DESC)::UBIGINT AS place
    FROM pattern_scores
),
keyed AS (
    SELECT
        p.a_id,
        p.b_id,
        p.score_id,
        s.flagged,
        s.place,
        2147483647 - p.tie::BIT::INTEGER AS tie,
        2147483647 - p.shared AS shared,
        p.ndist,
        a.host_rank AS a,
        b.host_rank AS b
    FROM scored AS p
    JOIN places AS s USING (score_id)
    JOIN host_stats AS a ON a.host_id = p.a_id
    JOIN host_stats AS b ON b.host_id = p.b_id
)
SELECT a_id, b_id, score_id, flagged
FROM keyed
ORDER BY
    (place << 37) + (tie::UBIGINT << 6) + (shared >> 25)::UBIGINT,
    ((shared & 33554431)::UBIGINT << 39) + (ndist::UBIGINT << 31) + a::UBIGINT,
    b;

-- name: first
-- The first n candidates are replicas (paper, Algorithms 3 and 4). Within a transaction row ids
-- begin elsewhere.
UPDATE ranking SET flagged = (rowid - (SELECT min(rowid) FROM ranking) < $first);

-- name: too_thin
-- Pairs that may be replicas and are not flagged, of which a host has so few known pages that
-- copying cannot be told from chance.
SELECT count(*)
FROM ranking AS r
JOIN (SELECT score_id FROM pattern_scores WHERE probability >= $may_be) USING (score_id)
JOIN host_stats AS a ON a.host_id = r.a_id
JOIN host_stats AS b ON b.host_id = r.b_id
WHERE NOT r.flagged AND least(a.n_contents, b.n_contents) < $few_pages;
