-- Start here: the views that a newcomer asks first.
--
-- Read by any DuckDB shell. `start_here` is a list of questions, each with a query to paste.
-- NULL probability = published methods.
--
-- reads: replicas
-- writes: copies, start_here
-- parameters: none

-- name: copies
CREATE OR REPLACE VIEW main.copies AS
SELECT
    host_a AS host,
    host_b AS copy,
    rank,
    probability,
    flagged,
    kind,
    obvious,
    shared,
    containment,
    agreement
FROM replicas
UNION ALL
SELECT
    host_b,
    host_a,
    rank,
    probability,
    flagged,
    kind,
    obvious,
    shared,
    containment,
    agreement
FROM replicas;

-- name: start_here
CREATE OR REPLACE VIEW main.start_here AS
SELECT *
FROM (
    VALUES
    (1, 'What was loaded?', 'FROM sources'),
    (2, 'Which pages are there?', 'FROM pages LIMIT 10'),
    (3, 'Which hosts are copies of each other?', 'FROM replicas WHERE flagged LIMIT 10'),
    (4, 'What are the copies of one host?', 'FROM copies WHERE host = ''HOST'' ORDER BY rank'),
    (5, 'Which hosts can go, and which stay instead?', 'FROM flagged_hosts LIMIT 10'),
    (6, 'Which copies stay, since dropping them is not safe?', 'FROM held_hosts'),
    (7, 'Which sites have most copies?', 'FROM replica_groups LIMIT 10'),
    (8, 'Why do two hosts stand where they do?', 'FROM evidence_of(''HOST'', ''OTHER'')'),
    (9, 'Which pages do they share?', 'FROM shared_pages(''HOST'', ''OTHER'') LIMIT 10'),
    (10, 'What does a table or column mean?', 'FROM descriptions'),
    (
        11,
        'What else is there: details of pairs, history of runs, single pages?',
        'FROM descriptions WHERE kind IN (''table'', ''view'')'
        || ' AND schema_name IN (''details'', ''history'', ''page_level'')'
    ),
    (
        12,
        'How do I write the names of these without their schema?',
        'SET search_path = ''main,details,history,page_level'''
    )
) AS t (place, question, query)
ORDER BY place;
