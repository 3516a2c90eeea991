-- Progress of a review: decisions of all reviews and files, candidate pairs, doubtful ones.
--
-- Source: docs/drops.md#review.
-- NULL middling = method paper, which gives no probability.
--
-- reads: decisions, ranking, pattern_scores
-- writes: none
-- parameters: none

-- name: progress
-- middling: pairs that the evidence leaves between one and nine tenths.
SELECT
    (SELECT count(*) FROM decisions) AS decisions,
    (SELECT count(*) FROM ranking) AS candidates,
    (
        SELECT CASE
            WHEN count(probability) > 0
                THEN coalesce(sum(n) FILTER (WHERE probability BETWEEN 0.1 AND 0.9), 0)
        END
        FROM pattern_scores
    )::BIGINT AS middling;
