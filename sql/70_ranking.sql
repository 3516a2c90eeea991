-- Ranking: every candidate pair in its place.
--
-- By dominance (METHOD section 8; for one score: how many rank lower), ties by stronger evidence and never at
-- random: strength, evidence times containment, shared clusters, nearer names, then byte
-- order of the names, which makes the order total. Views give the rank, rowid + 1, and score = share of candidates ranked below.

-- name: ranking
-- The order itself is the result: a row's place in this table is its rank (cheaper than a window over all pairs, or a column).
INSERT INTO ranking BY NAME
WITH places AS (
    SELECT score_id, flagged, dense_rank() OVER (ORDER BY dominates DESC, strength DESC)::INTEGER AS place FROM pattern_scores
)
SELECT p.a_id, p.b_id, p.score_id, s.flagged
FROM scored AS p
JOIN places AS s USING (score_id)
JOIN host_stats AS a ON a.host_id = p.a_id
JOIN host_stats AS b ON b.host_id = p.b_id
ORDER BY s.place, p.tie DESC, p.shared DESC, p.ndist, a.host_rank, b.host_rank;

-- name: cleanup
DROP TABLE scored;
