-- Scores: every candidate pair in its place, by the score that a method gave it.
--
-- Pairs are ordered by dominance (of one score: how many candidates have a lower one). Ties go by
-- match weight, evidence times containment, shared clusters, nearer names, then byte order of the
-- names. So the order is total, and nothing is random. Views give the rank, rowid + 1, and the
-- score, the share of candidates that it dominates.
-- Source: docs/method.md#ranking.
-- NULL does not occur.
--
-- reads: pattern_scores, scored, host_stats, ranking, pair_features, decided, pins, hosts,
--   left_out, likely_pairs, other_kinds
-- writes: ranking, left_out, likely_pairs, other_kinds
-- parameters: may_be, thin_pages, first, kinds, scale

-- name: ranking
-- The order itself is the result: a row's place in this table is its rank (cheaper than a window
-- over all pairs, or a column).
-- Six keys to sort by are three here, a third of the time less: score_rank (27 bits are enough:
-- match weights are millionths between -50 and 50), tie (as the bits of a float, which rise with
-- it) and the first 6 of the 31 bits of shared; the others, ndist and a; b.
INSERT INTO ranking BY NAME
WITH score_ranks AS (
    SELECT
        score_id,
        flagged,
        dense_rank() OVER (ORDER BY dominates DESC, strength DESC)::UBIGINT AS score_rank
    FROM pattern_scores
),
keyed AS (
    SELECT
        p.a_id,
        p.b_id,
        p.score_id,
        s.flagged,
        s.score_rank,
        2147483647 - p.tie::BIT::INTEGER AS tie,
        2147483647 - p.shared AS shared,
        p.ndist,
        a.host_rank AS a,
        b.host_rank AS b
    FROM scored AS p
    JOIN score_ranks AS s USING (score_id)
    JOIN host_stats AS a ON a.host_id = p.a_id
    JOIN host_stats AS b ON b.host_id = p.b_id
)
SELECT a_id, b_id, score_id, flagged
FROM keyed
ORDER BY
    (score_rank << 37) + (tie::UBIGINT << 6) + (shared >> 25)::UBIGINT,
    ((shared & 33554431)::UBIGINT << 39) + (ndist::UBIGINT << 31) + a::UBIGINT,
    b;

-- name: first
-- The first n candidates are replicas (paper, Algorithms 3 and 4). Within a transaction row ids
-- begin elsewhere.
UPDATE ranking SET flagged = (rowid - (SELECT min(rowid) FROM ranking) < $first);

-- name: likely_pairs
CREATE OR REPLACE TEMP TABLE likely_pairs AS
SELECT rowid AS ranking_row, a_id, b_id, score_id FROM ranking WHERE flagged;

-- name: other_kinds
-- Pairs that would be flagged, of the kinds that are not asked for (docs/robust.md#kinds). What
-- people decided goes its own way (sql/detect/68_decided).
CREATE OR REPLACE TEMP TABLE other_kinds AS
WITH looks AS (
    SELECT
        r.*,
        internal.kind_of(
            -- fill: replicadb.detection.kinds.pieces(f)
        ) AS kind
    FROM likely_pairs AS r
    JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
),
never AS (
    SELECT h.host_id FROM pins AS p JOIN hosts AS h USING (host) WHERE p.pin = 'never'
)
SELECT looks.*
FROM looks
ANTI JOIN decided USING (a_id, b_id)
WHERE
    list_contains($kinds, kind)
    AND a_id NOT IN (SELECT host_id FROM never)
    AND b_id NOT IN (SELECT host_id FROM never);

-- name: left_out
INSERT INTO left_out SELECT a_id, b_id, kind FROM other_kinds ORDER BY ranking_row;

-- name: not_asked_for
-- By its row: a join with the ranking takes 0.7 s for ten million pairs.
UPDATE ranking SET flagged = false WHERE rowid IN (SELECT ranking_row FROM other_kinds);

-- name: left_out_by_kind
SELECT kind, count(*) AS n FROM other_kinds GROUP BY kind ORDER BY kind;

-- name: expected_wrong
-- Of the flagged pairs on which nobody decided. Whole numbers, so in any order of rows the same.
SELECT coalesce(sum(round((1 - s.probability) * $scale)::BIGINT), 0)::BIGINT
FROM ranking AS r
JOIN pattern_scores AS s USING (score_id)
ANTI JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
WHERE r.flagged;

-- name: too_thin
-- Pairs that may be replicas and are not flagged, of which so few pages are known that copying
-- cannot be told from chance. Those left out for another kind count as that kind, and those that a
-- person decided, or of a host that is never to be flagged, need no judging. First by the pages of
-- either host, which are at hand: so few pairs are looked up.
WITH never AS (
    SELECT h.host_id FROM pins AS p JOIN hosts AS h USING (host) WHERE p.pin = 'never'
)
SELECT count(*)
FROM ranking AS r
JOIN (SELECT score_id FROM pattern_scores WHERE probability >= $may_be) USING (score_id)
JOIN host_stats AS a ON a.host_id = r.a_id
JOIN host_stats AS b ON b.host_id = r.b_id
LEFT JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id
LEFT JOIN left_out AS l ON l.a_id = r.a_id AND l.b_id = r.b_id
ANTI JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
WHERE
    NOT r.flagged
    AND r.a_id NOT IN (SELECT host_id FROM never)
    AND r.b_id NOT IN (SELECT host_id FROM never)
    AND coalesce(l.kind, 'thin') = 'thin'
    AND least(a.n_contents, b.n_contents) < $thin_pages
    AND coalesce(f.known_pages, 0) < $thin_pages;
