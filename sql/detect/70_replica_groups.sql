-- Replica groups: the flagged pairs that are put into groups, and what came of them.
--
-- replicadb/detection/replica_groups.py decides, on arrays, which hosts make a group and which of
-- them stays. This file gives it the pairs to decide on. Pairs that are not flagged because of
-- their kind are here, too (left_out = the kind), so that what they would have dropped is reported.
-- Source: docs/drops.md#groups.
-- NULL left_out = flagged; NULL probability = method paper.
--
-- reads: ranking, left_out, pattern_scores, decided, pair_features, members, held
-- writes: flagged_pairs
-- parameters: none

-- name: flagged_pairs
-- translated: docs/robust.md#kinds. What was no candidate and is decided is none.
CREATE OR REPLACE TEMP TABLE flagged_pairs AS
WITH chosen AS (
    SELECT a_id, b_id, score_id, rowid + 1 AS rank, NULL AS left_out
    FROM ranking
    WHERE flagged
    UNION ALL
    SELECT r.a_id, r.b_id, r.score_id, r.rowid + 1, l.kind
    FROM ranking AS r
    JOIN left_out AS l USING (a_id, b_id)
)
SELECT
    r.a_id,
    r.b_id,
    r.rank,
    coalesce(d.probability, s.probability) AS probability,
    coalesce(d.score, s.dominates / (SELECT count(*) FROM ranking)) AS score,
    f.a_id IS NOT NULL AND internal.kind_of(
        -- fill: replicadb.detection.kinds.pieces(f)
    ) = 'translation' AS translated,
    d.a_id IS NOT NULL AS decided,
    r.left_out
FROM chosen AS r
LEFT JOIN pattern_scores AS s USING (score_id)
LEFT JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
LEFT JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id AND r.left_out IS NULL;

-- name: counts
SELECT
    (SELECT count(*) FROM ranking WHERE flagged) AS flagged_pairs,
    (SELECT count(DISTINCT group_id) FROM members) AS replica_groups,
    (SELECT count(*) FROM members WHERE host_id <> canonical_id) AS flagged_hosts,
    (SELECT count(*) FROM held) AS held_back;
