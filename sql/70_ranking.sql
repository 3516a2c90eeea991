-- Ranking: every candidate pair in its place.
--
-- By dominance (METHOD section 8; for one score: how many rank lower), ties by stronger evidence and never at
-- random: mean likelihood, weight of what is shared, containment, shared clusters, nearer names, then byte
-- order of the names, which makes the order total. score = share of candidates ranked below.

-- name: ranking
INSERT INTO ranking BY NAME
WITH placed AS (
    SELECT p.a_id, p.b_id, p.score_id, s.flagged,
           row_number() OVER (
               ORDER BY s.dominates DESC, s.strength DESC, f.evidence * f.containment DESC, f.shared DESC,
                        f.ndist, a.host_rank, b.host_rank)::INTEGER AS rank
    FROM pair_scores AS p
    JOIN pattern_scores AS s USING (score_id)
    JOIN pair_features AS f ON f.a_id = p.a_id AND f.b_id = p.b_id
    JOIN host_stats AS a ON a.host_id = p.a_id
    JOIN host_stats AS b ON b.host_id = p.b_id
)
SELECT a_id, b_id, score_id, rank, ((SELECT count(*) FROM placed) - rank) / (SELECT count(*) FROM placed) AS score, flagged
FROM placed;
