-- Decision files: what becomes of each row of a file of decisions.
--
-- A row names two hosts in any spelling and a label, or one host and a pin. What is equal to an
-- earlier decision changes nothing; what contradicts one, or another row of its file, is not taken
-- and says so. A host that is not loaded is taken: it may come (back).
-- Source: docs/drops.md#decided.
-- NULL host = the text is no host; NULL problem = nothing is wrong; '' = nothing was written.
--
-- reads: given_rows (position, host_a, host_b, label, note, decided_at,
--   source, problem), host_forms (text,
--   segment, host), hosts, decisions, pins, resolved_hosts, judged_decisions
-- writes: resolved_hosts, judged_decisions, decisions, pins, unused_decisions
-- parameters: by_segment, source, replacing

-- name: resolved_hosts
-- A host as it is named here, else in its normal form.
CREATE OR REPLACE TEMP TABLE resolved_hosts AS
SELECT
    f.text,
    coalesce(
        x.host,
        y.host,
        z.host,
        CASE WHEN $by_segment THEN f.segment END,
        f.host
    ) AS host,
    coalesce(x.host, y.host, z.host) IS NOT NULL AS known
FROM host_forms AS f
LEFT JOIN hosts AS x ON x.host = f.text
LEFT JOIN hosts AS y ON y.host = f.segment
LEFT JOIN hosts AS z ON z.host = f.host;

-- name: judged_decisions
-- outcome: taken, known, undecided or unused.
CREATE OR REPLACE TEMP TABLE judged_decisions AS
WITH words (word, decision) AS (
    VALUES
    ('replica', 'replica'), ('replicas', 'replica'), ('yes', 'replica'), ('y', 'replica'),
    ('true', 'replica'), ('1', 'replica'), ('+', 'replica'),
    ('no replica', 'no replica'), ('no replicas', 'no replica'), ('non-replica', 'no replica'),
    ('not a replica', 'no replica'), ('not', 'no replica'), ('no', 'no replica'),
    ('n', 'no replica'), ('false', 'no replica'), ('0', 'no replica'), ('-', 'no replica'),
    ('keep', 'keep'), ('never', 'never')
),
named AS (
    SELECT
        g.*,
        w.decision,
        w.decision IN ('keep', 'never') AS pins,
        w.decision IN ('replica', 'keep') AS says_yes,
        x.host AS one,
        y.host AS other,
        coalesce(x.known, true) AND coalesce(y.known, true) AS known
    FROM given_rows AS g
    LEFT JOIN words AS w ON w.word = lower(g.label)
    LEFT JOIN resolved_hosts AS x ON x.text = g.host_a
    LEFT JOIN resolved_hosts AS y ON y.text = g.host_b
),
sound AS (
    SELECT
        * EXCLUDE (problem, one, other),
        CASE
            WHEN problem IS NOT NULL THEN problem
            WHEN label = '' THEN NULL
            WHEN decision IS NULL THEN 'label is none of: replica, no replica, keep, never'
            WHEN one IS NULL THEN 'host_a is no host'
            WHEN pins AND host_b <> '' THEN decision || ' goes with one host, in host_a'
            WHEN NOT pins AND other IS NULL THEN 'host_b is no host'
            WHEN one = other THEN 'a site is paired with itself: both are ' || one || ' here'
        END AS problem,
        CASE WHEN pins THEN one ELSE least(one, other) END AS a,
        CASE WHEN NOT pins THEN greatest(one, other) ELSE '' END AS b
    FROM named
),
usable AS (
    SELECT
        *,
        min(CASE WHEN says_yes THEN position END) OVER same AS first_yes,
        min(CASE WHEN NOT says_yes THEN position END) OVER same AS first_no,
        row_number() OVER (PARTITION BY a, b ORDER BY position) AS nth
    FROM sound
    WHERE problem IS NULL AND label <> ''
    WINDOW same AS (PARTITION BY a, b)
),
earlier AS (
    SELECT
        host_a AS a,
        host_b AS b,
        CASE WHEN replica THEN 'replica' ELSE 'no replica' END AS before,
        source AS said_by,
        decided_at AS at
    FROM decisions
    UNION ALL
    SELECT host, '', pin, source, decided_at FROM pins
),
compared AS (
    SELECT
        u.* EXCLUDE (problem),
        CASE
            WHEN first_yes IS NOT NULL AND first_no IS NOT NULL
                THEN 'contradicts row '
                    || CASE WHEN says_yes THEN first_no ELSE first_yes END || ' of this file'
            WHEN e.before <> decision AND NOT $replacing
                THEN 'contradicts the earlier decision ' || e.before || ' (' || e.said_by || ', '
                    || strftime(e.at, '%Y-%m-%d')
                    || '); --replace (replace=True) puts this one in its place'
        END AS problem,
        coalesce(e.before = decision, false) OR nth > 1 AS repeated
    FROM usable AS u
    LEFT JOIN earlier AS e ON e.a = u.a AND e.b = u.b
)
SELECT
    position, host_a, host_b, label, note, decided_at, source, decision, pins, a, b, known,
    problem,
    CASE
        WHEN problem IS NOT NULL THEN 'unused'
        WHEN repeated THEN 'known'
        ELSE 'taken'
    END AS outcome
FROM compared
UNION ALL
SELECT
    position, host_a, host_b, label, note, decided_at, source, decision, pins, a, b, known,
    problem,
    CASE WHEN problem IS NOT NULL THEN 'unused' ELSE 'undecided' END
FROM sound
WHERE problem IS NOT NULL OR label = '';

-- name: replaced_decisions
DELETE FROM decisions
WHERE (host_a, host_b) IN (SELECT (a, b) FROM judged_decisions WHERE outcome = 'taken');

-- name: replaced_pins
DELETE FROM pins
WHERE host IN (SELECT a FROM judged_decisions WHERE outcome = 'taken' AND pins);

-- name: taken_decisions
-- A file may say who decided, as one that label --export wrote does. review and check: the pair was
-- chosen by its evidence and not by what it turned out to be.
INSERT INTO decisions BY NAME
SELECT
    a AS host_a,
    b AS host_b,
    decision = 'replica' AS replica,
    nullif(note, '') AS note,
    coalesce(nullif(source, ''), $source) AS source,
    coalesce(try_cast(decided_at AS TIMESTAMP), now()::TIMESTAMP) AS decided_at
FROM judged_decisions
WHERE outcome = 'taken' AND NOT pins
ORDER BY a, b;

-- name: taken_pins
INSERT INTO pins BY NAME
SELECT
    a AS host,
    decision AS pin,
    nullif(note, '') AS note,
    coalesce(nullif(source, ''), $source) AS source,
    coalesce(try_cast(decided_at AS TIMESTAMP), now()::TIMESTAMP) AS decided_at
FROM judged_decisions
WHERE outcome = 'taken' AND pins
ORDER BY a;

-- name: older_rejects
DELETE FROM unused_decisions WHERE source = $source;

-- name: rejects
INSERT INTO unused_decisions BY NAME
SELECT
    $source AS source,
    position,
    nullif(host_a, '') AS host_a,
    nullif(host_b, '') AS host_b,
    nullif(label, '') AS label,
    nullif(note, '') AS note,
    problem AS reason
FROM judged_decisions
WHERE outcome = 'unused'
ORDER BY position;

-- name: outcomes
SELECT outcome, count(*) FROM judged_decisions GROUP BY outcome;

-- name: problems
SELECT position, problem FROM judged_decisions WHERE outcome = 'unused' ORDER BY position LIMIT 5;

-- name: unknown_hosts
-- Hosts of decisions that are not loaded; the first in byte order, and how many.
WITH named AS (
    SELECT a AS host FROM judged_decisions WHERE outcome = 'taken'
    UNION
    SELECT b FROM judged_decisions WHERE outcome = 'taken'
)
SELECT min(r.host), count(DISTINCT r.host)
FROM resolved_hosts AS r
SEMI JOIN named AS n ON n.host = r.host
WHERE NOT r.known;
