-- Replica groups: the flagged pairs that are put into groups, and what came of them.
--
-- replicadb/detection/replica_groups.py decides, on arrays, which hosts make a group and which of
-- them stays. This file gives it the pairs to decide on. Pairs that are not flagged because of
-- their kind are here, too (left_out = the kind), so that what they would have dropped is reported.
-- Source: docs/drops.md#groups.
-- NULL left_out = flagged; NULL probability = method paper.
--
-- reads: ranking, left_out, pattern_scores, decided, pair_features, hosts, flagged_pairs,
--   branded_pairs, branch_words, members, held
-- writes: flagged_pairs, branded_pairs, branch_words
-- parameters: alike_names

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
    coalesce(f.nmatch >= $alike_names, true) AS alike_names,
    r.left_out
FROM chosen AS r
LEFT JOIN pattern_scores AS s USING (score_id)
LEFT JOIN decided AS d ON d.a_id = r.a_id AND d.b_id = r.b_id
LEFT JOIN pair_features AS f ON f.a_id = r.a_id AND f.b_id = r.b_id AND r.left_out IS NULL;

-- name: branded_pairs
-- Flagged pairs of hosts whose names end or begin alike. one_name: under two suffixes. own: the
-- name without the platform that gives it (alice of alice.github.io), which is nobody's brand.
CREATE OR REPLACE TEMP TABLE branded_pairs AS
WITH own AS (
    SELECT
        host_id,
        split_part(domain, '.', 1) AS label,
        left(name, length(name) - CASE
            WHEN host = name || '.' || suffix AND ends_with('.' || host, '.' || domain)
                THEN length(domain) - length(split_part(domain, '.', 1)) - length(suffix) - 1
            ELSE 0
        END) AS name
    FROM hosts
    WHERE host_id IN (SELECT a_id FROM flagged_pairs UNION ALL SELECT b_id FROM flagged_pairs)
),
named AS (
    SELECT
        p.a_id,
        p.b_id,
        a.name AS a_name,
        b.name AS b_name,
        letters_of(a.name) AS a_plain,
        letters_of(b.name) AS b_plain,
        a.label = b.label AS one_name
    FROM flagged_pairs AS p
    JOIN own AS a ON a.host_id = p.a_id
    JOIN own AS b ON b.host_id = p.b_id
    WHERE p.left_out IS NULL
)
SELECT a_id, b_id, a_name, b_name, one_name
FROM named
WHERE right(a_plain, 6) = right(b_plain, 6) OR left(a_plain, 6) = left(b_plain, 6);

-- name: no_branch_words
-- A branch has two pairs of other names at least. Where there are no two, none is looked for.
CREATE OR REPLACE TEMP TABLE branch_words (a_id INTEGER, b_id INTEGER, words VARCHAR[]);

-- name: branch_words
-- The words by which two hosts say that they are branches of one brand; NULL where they do not
-- (sql/functions/55_branch_names.sql).
CREATE OR REPLACE TEMP TABLE branch_words AS
SELECT a_id, b_id, words_of_branches(a_name, b_name) AS words
FROM branded_pairs
WHERE NOT one_name;

-- name: flagged_in_order
-- branches: names of the two end or begin alike, and one of them is a branch: flagged pairs say two
-- other words at least that its brand stands with.
WITH others AS (
    SELECT a_id AS host_id, words[2] AS word FROM branch_words
    UNION ALL
    SELECT b_id, words[1] FROM branch_words
),
branches AS (
    SELECT host_id FROM others GROUP BY host_id HAVING count(DISTINCT word) > 1
)
SELECT
    p.*,
    b.a_id IS NOT NULL AND (x.host_id IS NOT NULL OR y.host_id IS NOT NULL) AS branches
FROM flagged_pairs AS p
LEFT JOIN branded_pairs AS b USING (a_id, b_id)
LEFT JOIN branches AS x ON x.host_id = p.a_id
LEFT JOIN branches AS y ON y.host_id = p.b_id
ORDER BY p.rank;

-- name: counts
SELECT
    (SELECT count(*) FROM ranking WHERE flagged) AS flagged_pairs,
    (SELECT count(DISTINCT group_id) FROM members) AS replica_groups,
    (SELECT count(*) FROM members WHERE host_id <> canonical_id) AS flagged_hosts,
    (SELECT count(*) FROM held) AS held_back;
