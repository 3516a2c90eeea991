-- Evidence patterns: candidates collapsed to distinct combinations of evidence bins (method robust).
--
-- Reads the temporary table evidence_bins (candidates with each evidence as its bin). The learner sees these
-- patterns with their counts, never pairs.

-- name: evidence_patterns
CREATE OR REPLACE TEMP TABLE evidence_patterns AS
SELECT
    row_number() OVER (ORDER BY evidence, containment, resemblance, path_overlap, agreement, alignment, reach, reach_both)::INTEGER - 1 AS score_id,
    evidence, containment, resemblance, path_overlap, agreement, alignment, reach, reach_both,
    count(*) AS n,
    count(*) FILTER (label = 1) AS obvious
FROM evidence_bins
GROUP BY evidence, containment, resemblance, path_overlap, agreement, alignment, reach, reach_both;

-- name: evidence_scored
CREATE OR REPLACE TEMP TABLE evidence_scored AS
SELECT b.a_id, b.b_id, p.score_id
FROM evidence_bins AS b
JOIN evidence_patterns AS p USING (evidence, containment, resemblance, path_overlap, agreement, alignment, reach, reach_both);

-- name: cleanup
DROP TABLE evidence_bins;
